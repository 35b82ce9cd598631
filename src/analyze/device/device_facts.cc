// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

namespace steptrace::analyze {

DeviceFacts::DeviceFacts(const Trace& trace) {
  constexpr int64_t kMostSms = 1 << 20;
  for (const store::FactRow& row : trace.facts) {
    if (trace.Text(row.kind) != "device") continue;
    const auto json = nlohmann::json::parse(row.json, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) continue;
    const auto number = [&](const char* key) -> std::optional<int64_t> {
      const auto found = json.find(key);
      if (found == json.end() || !found->is_number_integer()) return std::nullopt;
      return found->get<int64_t>();
    };
    // A profile's keys, and those of a run that was recorded.
    const auto id = number("id") ? number("id") : number("device");
    const auto sms = number("numSms") ? number("numSms") : number("multiprocessors");
    if (!id) continue;
    DeviceFact fact;
    if (const auto name = json.find("name"); name != json.end() && name->is_string()) {
      fact.name = name->get<std::string>();
    }
    if (const auto uuid = json.find("uuid"); uuid != json.end() && uuid->is_string()) {
      fact.uuid = uuid->get<std::string>();
    }
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
