// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/device_memory.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "analyze/input/step_selection.h"
#include "analyze/stats/distribution.h"
#include "store/metadata_json.h"
#include "store/stored_words.h"

namespace steptrace::analyze {
namespace {

struct RankOfSteps {
  int32_t node = 0;
  std::vector<DeviceMemory::Part> parts;
};

std::map<int32_t, RankOfSteps> TrainingSteps(const store::PackedSteps& steps,
                                             const store::StringTable& strings) {
  std::map<int32_t, RankOfSteps> ranks;
  for (const store::StepRow& row : steps) {
    if (!IsPlausible(row) || row.dur_ns <= 0 ||
        store::StepKindOf(strings.Text(row.kind)) != store::StepKind::kTrain)
      continue;
    RankOfSteps& of = ranks[row.rank];
    of.node = row.node;
    of.parts.push_back({row.ts_ns, row.dur_ns, 0});
  }
  for (auto& [rank, of] : ranks) {
    std::sort(of.parts.begin(), of.parts.end(),
              [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
  }
  return ranks;
}

// A profile's metadata list all devices of the machine, each rank's file those of its own.
class Capacities {
 public:
  Capacities(std::span<const store::RunMetadataRow> facts, const store::StringTable& strings) {
    for (const store::RunMetadataRow& row : facts) {
      if (strings.Text(row.kind) != store::MetadataKind::kDevice) continue;
      const nlohmann::json json = store::ParseMetadata(row.json);
      if (json.is_null()) continue;
      const auto id = store::IntegerOf(json, store::MetadataKey::kId);
      const auto bytes = store::IntegerOf(json, store::MetadataKey::kTotalGlobalMem);
      if (id && bytes && *bytes > 0) bytes_.try_emplace({row.rank, *id}, *bytes);
    }
  }

  int64_t Of(int32_t rank, int32_t device) const {
    const auto found = bytes_.find({rank, device});
    return found == bytes_.end() ? 0 : found->second;
  }

 private:
  std::map<std::pair<int32_t, int64_t>, int64_t> bytes_;  // by rank and device
};

}  // namespace

void DeviceMemoryBuilder::Add(std::span<const store::MemoryRow> rows) {
  for (const store::MemoryRow& row : rows) {
    if (row.device < 0) continue;
    if (++held_ > kMostRecords) {
      records_.clear();
      return;
    }
    records_[{row.rank, row.device}].push_back(
        {row.ts_ns, row.bytes, std::max(row.total_allocated_bytes.value_or(kNoTotal), kNoTotal)});
  }
}

// What is held as a step begins counts in it.
std::vector<DeviceMemory::Part> DeviceMemoryBuilder::PeaksOf(
    std::vector<Record>& records, std::vector<DeviceMemory::Part> steps) {
  std::stable_sort(records.begin(), records.end(),
                   [](const Record& a, const Record& b) { return a.ts_ns < b.ts_ns; });
  const int64_t first_ns = records.front().ts_ns;
  std::erase_if(
      steps, [&](const auto& step) { return SaturatingAdd(step.ts_ns, step.dur_ns) <= first_ns; });
  int64_t held = 0;
  auto record = records.begin();
  const auto apply = [&] {
    held =
        record->total_bytes != kNoTotal ? record->total_bytes : SaturatingAdd(held, record->bytes);
    ++record;
  };
  for (DeviceMemory::Part& step : steps) {
    while (record != records.end() && record->ts_ns < step.ts_ns) apply();
    // Before the first record nothing is known of it.
    step.peak_bytes = record == records.begin() ? INT64_MIN : held;
    const int64_t end_ns = SaturatingAdd(step.ts_ns, step.dur_ns);
    while (record != records.end() && record->ts_ns < end_ns) {
      apply();
      step.peak_bytes = std::max(step.peak_bytes, held);
    }
  }
  return steps;
}

std::vector<DeviceMemory> DeviceMemoryBuilder::Finish(const store::PackedSteps& steps,
                                                      std::span<const store::RunMetadataRow> facts,
                                                      const store::StringTable& strings) {
  std::vector<DeviceMemory> devices;
  if (held_ > kMostRecords) return devices;
  const auto ranks = TrainingSteps(steps, strings);
  const Capacities capacities(facts, strings);
  for (auto& [key, records] : records_) {
    DeviceMemory& one = devices.emplace_back();
    std::tie(one.rank, one.device) = key;
    one.capacity_bytes = capacities.Of(one.rank, one.device);
    one.above_begin = records.front().total_bytes == kNoTotal;
    const auto found = ranks.find(one.rank);
    if (found == ranks.end()) continue;
    one.node = found->second.node;
    one.parts = PeaksOf(records, found->second.parts);
  }
  return devices;
}

}  // namespace steptrace::analyze
