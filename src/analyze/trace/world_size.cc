// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/world_size.h"

#include <nlohmann/json.hpp>

#include "store/metadata_json.h"

namespace steptrace::analyze {

std::optional<int64_t> WorldSizeOf(const Trace& trace) {
  for (const auto& fact : trace.facts) {
    if (trace.Text(fact.kind) != store::MetadataKind::kJob) continue;
    const nlohmann::json job = store::ParseMetadata(fact.json);
    if (const auto size = store::IntegerOf(job, store::MetadataKey::kWorldSize)) return size;
  }
  return std::nullopt;
}

bool LacksRanks(const Trace& trace) {
  const auto seen = static_cast<int64_t>(trace.ranks.size());
  return WorldSizeOf(trace).value_or(seen) > seen;
}

}  // namespace steptrace::analyze
