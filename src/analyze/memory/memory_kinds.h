// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace steptrace::analyze {

struct CounterSeries;
struct LoaderWorker;
struct RankProcess;

// Who a process is to the job: it trains, it was started by a DataLoader, or neither (launchers).
enum class ProcessClass : uint8_t { kRank, kWorker, kOther };
const char* NameOf(ProcessClass process_class);  // rank, worker, other

// The job's processes as one class each. Of few thousand processes: looked up by walking.
struct ProcessClasses {
  std::span<const RankProcess> ranks;
  std::span<const LoaderWorker> workers;
  ProcessClass Of(int32_t node, int64_t pid) const;
};

// Resident memory of one kind of all processes of one class on one node, together.
struct KindMemory {
  int32_t node = 0;
  ProcessClass process_class = ProcessClass::kOther;
  std::string kind;               // anonymous, file, shared
  int64_t processes = 0;          // over the whole run
  double bytes = 0;               // at the last sample
  double peak_bytes = 0;          // of the sum: at one moment
  std::vector<double> sparkline;  // at most 24 means over equal stretches of the run
};

// By node, class and kind. A process counts from its first sample to its last one; one that was
// left out of a sample in between keeps what it had. What several processes share is in each.
std::vector<KindMemory> SumMemoryKinds(std::span<const CounterSeries> counters,
                                       const ProcessClasses& classes, int64_t duration_ns);

nlohmann::ordered_json MemoryKindsJson(std::span<const KindMemory> kinds);

}  // namespace steptrace::analyze
