// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/device_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "store/metadata_json.h"

namespace steptrace::analyze {

DeviceFacts::DeviceFacts(const Trace& trace) {
  constexpr int64_t kMostSms = 1 << 20;
  for (const store::RunMetadataRow& row : trace.facts) {
    if (trace.Text(row.kind) != store::MetadataKind::kDevice) continue;
    const nlohmann::json json = store::ParseMetadata(row.json);
    // A profile's keys, and those of a run that was recorded.
    const auto either = [&](store::MetadataKey of_profile, store::MetadataKey of_run) {
      const auto number = store::IntegerOf(json, of_profile);
      return number ? number : store::IntegerOf(json, of_run);
    };
    const auto id = either(store::MetadataKey::kId, store::MetadataKey::kDevice);
    const auto sms = either(store::MetadataKey::kNumSms, store::MetadataKey::kMultiprocessors);
    if (!id) continue;
    DeviceFact fact;
    fact.name = store::TextOf(json, store::MetadataKey::kName);
    fact.uuid = store::TextOf(json, store::MetadataKey::kUuid);
    fact.sms = std::clamp<int64_t>(sms.value_or(0), 0, kMostSms);
    facts_[{row.rank, *id}] = std::move(fact);
  }
}

const DeviceFact& DeviceFacts::Of(int32_t rank, int64_t device) const {
  static const DeviceFact unknown;
  const auto found = facts_.find({rank, device});
  return found == facts_.end() ? unknown : found->second;
}

}  // namespace steptrace::analyze
