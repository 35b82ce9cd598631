// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/device_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace steptrace::analyze {

DeviceFacts::DeviceFacts(const Trace& trace) {
  constexpr int64_t kMostSms = 1 << 20;
  for (const store::FactRow& row : trace.facts) {
    if (trace.Text(row.kind) != "device") continue;
    const auto json = nlohmann::json::parse(row.json, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("id") || !json["id"].is_number_integer()) continue;
    DeviceFact fact;
    if (const auto name = json.find("name"); name != json.end() && name->is_string()) {
      fact.name = name->get<std::string>();
    }
    if (const auto sms = json.find("numSms"); sms != json.end() && sms->is_number_integer()) {
      fact.sms = std::clamp<int64_t>(sms->get<int64_t>(), 0, kMostSms);
    }
    facts_[{row.rank, json["id"].get<int64_t>()}] = std::move(fact);
  }
}

const DeviceFact& DeviceFacts::Of(int32_t rank, int64_t device) const {
  static const DeviceFact unknown;
  const auto found = facts_.find({rank, device});
  return found == facts_.end() ? unknown : found->second;
}

}  // namespace steptrace::analyze
