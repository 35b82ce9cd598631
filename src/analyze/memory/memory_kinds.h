// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
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

// Of what a process keeps resident: all of it, or of one kind.
bool IsResidentMetric(std::string_view metric);

// Which processes had ended when their node's memory was last sampled. A sample tells all processes
// at one moment, and leaves one out now and then: who is in neither of the last two has ended, be
// they half a second or a minute apart. What a process tells of its devices, at its own moments,
// says nothing of that: it ends with the process.
class LastSamples {
 public:
  // Other series than of a process's resident memory are left out.
  void Note(const CounterSeries& series);
  // Of a process without such series nothing is known: it has not.
  bool Ended(int32_t node, int64_t pid) const;

 private:
  struct Newest {
    int64_t last_ns = INT64_MIN;
    int64_t before_ns = INT64_MIN;  // the moment before that
  };
  std::map<int32_t, Newest> nodes_;
  std::map<std::pair<int32_t, int64_t>, int64_t> processes_;  // last seen
};

// Resident memory of one kind of all processes of one class on one node, together.
struct KindMemory {
  int32_t node = 0;
  ProcessClass process_class = ProcessClass::kOther;
  std::string kind;               // anonymous, file, shared
  int64_t processes = 0;          // over the whole run
  double bytes = 0;               // at the last sample
  double peak_bytes = 0;          // of the sum: at one moment
  std::vector<double> sparkline;  // at most 24 means over equal time ranges of the run
};

// By node, class and kind. A process counts from its first sample to its last one; one that was
// left out of a sample in between keeps what it had. What several processes share is in each.
std::vector<KindMemory> SumMemoryKinds(std::span<const CounterSeries> counters,
                                       const ProcessClasses& classes, int64_t duration_ns);

nlohmann::ordered_json MemoryKindsJson(std::span<const KindMemory> kinds);

}  // namespace steptrace::analyze
