// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/kernels_section.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/operators/detail_members.h"
#include "analyze/operators/pair_index.h"
#include "analyze/operators/vector_index.h"
#include "analyze/trace/device_facts.h"
#include "analyze/trace/kernel_facts.h"
#include "analyze/trace/tensor_cores.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

// What the details of a launch tell. Views of the string table's texts.
struct Configuration {
  std::string_view grid;
  std::string_view block;
  std::string_view registers;
  std::string_view shared_memory;
  std::optional<double> blocks_per_sm;
  std::optional<double> occupancy;
};

// Kineto writes 0 where it does not know: no kernel that ran had no block, nor an occupancy of 0.
std::optional<double> Known(std::string_view value) {
  const auto number = DetailNumber(value);
  return number && *number > 0 ? number : std::nullopt;
}

Configuration ReadConfiguration(std::string_view details) {
  Configuration read;
  for (DetailMembers members(details); members.Next();) {
    const std::string_view key = members.key();
    if (key == "grid") read.grid = members.value();
    if (key == "block") read.block = members.value();
    if (key == "registers per thread") read.registers = members.value();
    if (key == "shared memory") read.shared_memory = members.value();
    if (key == "blocks per SM") read.blocks_per_sm = Known(members.value());
    if (key == "est. achieved occupancy %") read.occupancy = Known(members.value());
  }
  return read;
}

KernelSums SumsOf(const TraceEvent& event) {
  KernelSums sums;
  sums.calls = 1;
  sums.total_ns = sums.max_ns = sums.min_ns = event.dur_ns;
  if (event.step != kNone) sums.in_steps_ns = event.dur_ns;
  return sums;
}

// One set of details has one occupancy: weighing is done once for all kernels that carry it.
void Weigh(const Configuration& configuration, KernelSums& sums) {
  if (configuration.blocks_per_sm) {
    sums.blocks_per_sm_ns = sums.total_ns;
    sums.blocks_per_sm_x_ns = *configuration.blocks_per_sm * static_cast<double>(sums.total_ns);
  } else {
    sums.without_blocks_per_sm = sums.calls;
  }
  if (configuration.occupancy) {
    sums.occupancy_ns = sums.total_ns;
    sums.occupancy_x_ns = *configuration.occupancy * static_cast<double>(sums.total_ns);
  } else {
    sums.without_occupancy = sums.calls;
  }
}

// What a kernel does not tell of itself, as on ROCm.
struct Needs {
  bool launch = false;  // the grid: its launch tells it
  bool sms = false;     // blocks per SM: grid and device tell it
};

// The rows of one rank while they grow.
class KernelTable {
 public:
  KernelTable(const Trace& trace, const RankTrace& rank, const OperatorTree& tree,
              const TensorCorePatterns& patterns, const DeviceFacts& devices)
      : trace_(trace),
        rank_(rank),
        tree_(tree),
        patterns_(patterns),
        facts_(*trace.strings),
        row_of_(At(trace.strings->size()), kNone) {
    for (const TraceLane& lane : rank.lanes) {
      sms_of_lane_.push_back(static_cast<int32_t>(devices.Of(rank.rank, lane.device).sms));
    }
  }

  std::vector<KernelRow> Make() {
    AddEvents();
    for (size_t i = 0; i < sums_.size(); ++i) AddLaunch(i);
    for (size_t i = 0; i < streams_.size(); ++i) AddStream(i);
    Finish();
    return std::move(rows_);
  }

 private:
  void AddEvents() {
    for (const TraceEvent& event : rank_.device) {
      if (event.kind != EventKind::kKernel) continue;
      const int32_t named =
          names_.Of(static_cast<int32_t>(event.name), static_cast<int32_t>(event.details));
      if (At(named) == needs_.size()) {
        const std::string& details = trace_.Text(event.details);
        needs_.push_back({DetailMember(details, "grid").empty(),
                          !Known(DetailMember(details, "blocks per SM"))});
        RowOf(event);
      }
      const Needs needs = needs_[At(named)];
      const int32_t call = CallOf(event);
      int32_t origin =
          origins_.Of(call == kNone ? kNone : static_cast<int32_t>(rank_.host[At(call)].name),
                      LaunchDetails(event, needs.launch));
      if (needs.sms) origin = on_devices_.Of(origin, sms_of_lane_[At(event.lane)]);
      const auto number = At(launches_.Of(named, origin));
      if (number == sums_.size())
        sums_.push_back({SumsOf(event), false});
      else
        sums_[number].first += SumsOf(event);
      if (call != kNone && tree_.tensor_eligible[At(call)]) sums_[number].second = true;
      const auto stream = At(lanes_.Of(static_cast<int32_t>(event.name), event.lane));
      if (stream == streams_.size()) streams_.emplace_back();
      streams_[stream].calls += 1;
      streams_[stream].total_ns += event.dur_ns;
    }
  }

  int32_t CallOf(const TraceEvent& event) const {
    return event.op == kNone ? kNone : tree_.call[At(event.op)];
  }

  // ROCm tells the grid at the launch, not at the kernel.
  int32_t LaunchDetails(const TraceEvent& event, bool needed) const {
    if (!needed || event.launch == kNone) return 0;
    return static_cast<int32_t>(rank_.host[At(event.launch)].details);
  }

  void RowOf(const TraceEvent& event) {
    int32_t& row = row_of_[static_cast<size_t>(event.name)];
    if (row != kNone) return;
    row = static_cast<int32_t>(rows_.size());
    rows_.emplace_back();
    rows_.back().rank = rank_.rank;
    rows_.back().name = trace_.Text(event.name);
    rows_.back().tensor_cores = UsesTensorCores(rows_.back().name, patterns_);
    rows_.back().role = event.role;
  }

  void AddLaunch(size_t i) {
    auto [named, origin] = launches_[i];
    auto [name, details] = names_[At(named)];
    const Needs needs = needs_[At(named)];
    int32_t sms = 0;
    if (needs.sms) std::tie(origin, sms) = on_devices_[At(origin)];
    auto [operator_name, launch_details] = origins_[At(origin)];
    const std::string& text = trace_.Text(static_cast<store::StringId>(details));
    Configuration configuration = ReadConfiguration(text);
    if (needs.launch) {
      const Configuration launch =
          ReadConfiguration(trace_.Text(static_cast<store::StringId>(launch_details)));
      configuration.grid = launch.grid;
      configuration.block = launch.block;
      if (configuration.shared_memory.empty()) configuration.shared_memory = launch.shared_memory;
    }
    if (sms > 0) {
      const int32_t with_grid = needs.launch ? launch_details : details;
      const auto blocks = facts_.Of(static_cast<store::StringId>(with_grid)).blocks;
      if (blocks) {
        configuration.blocks_per_sm = static_cast<double>(*blocks) / static_cast<double>(sms);
      }
    }
    KernelSums sums = sums_[i].first;
    Weigh(configuration, sums);
    KernelRow& row = rows_[At(row_of_[At(name)])];
    if (row.sums.calls == 0)
      row.sums = sums;
    else
      row.sums += sums;
    KernelLaunch& launch = LaunchOf(name, operator_name, configuration);
    if (launch.sums.calls == 0)
      launch.sums = sums;
    else
      launch.sums += sums;
    launch.operator_tensor_core_eligible |= sums_[i].second;
  }

  // Details that differ elsewhere (context, priority, …) are one way to launch.
  KernelLaunch& LaunchOf(int32_t name, int32_t operator_name, const Configuration& found) {
    const auto key = std::tuple(name, operator_name, found.grid, found.block, found.registers,
                                found.shared_memory);
    KernelRow& row = rows_[At(row_of_[At(name)])];
    auto [place, added] = ways_.try_emplace(key, row.launches.size());
    if (added) {
      KernelLaunch& launch = row.launches.emplace_back();
      if (operator_name != kNone) {
        launch.operator_name = trace_.Text(static_cast<store::StringId>(operator_name));
      }
      launch.grid = found.grid;
      launch.block = found.block;
      launch.registers_per_thread = DetailInteger(found.registers);
      launch.shared_memory_bytes = DetailInteger(found.shared_memory);
    }
    return row.launches[place->second];
  }

  void AddStream(size_t i) {
    auto [name, lane] = lanes_[i];
    KernelStream stream = streams_[i];
    stream.device = rank_.lanes[At(lane)].device;
    stream.stream = rank_.lanes[At(lane)].stream;
    rows_[At(row_of_[At(name)])].streams.push_back(stream);
  }

  void Finish() {
    for (KernelRow& row : rows_) {
      std::sort(row.streams.begin(), row.streams.end(), [](const auto& a, const auto& b) {
        return std::tie(a.device, a.stream) < std::tie(b.device, b.stream);
      });
      std::sort(row.launches.begin(), row.launches.end(), [](const auto& a, const auto& b) {
        return std::tie(b.sums.total_ns, a.operator_name, a.grid, a.block, a.registers_per_thread,
                        a.shared_memory_bytes) < std::tie(a.sums.total_ns, b.operator_name, b.grid,
                                                          b.block, b.registers_per_thread,
                                                          b.shared_memory_bytes);
      });
    }
  }

  const Trace& trace_;
  const RankTrace& rank_;
  const OperatorTree& tree_;
  const TensorCorePatterns& patterns_;
  KernelFactsReader facts_;
  std::vector<int32_t> sms_of_lane_;
  std::vector<int32_t> row_of_;  // by name
  std::vector<KernelRow> rows_;
  PairIndex names_;           // name, details
  std::vector<Needs> needs_;  // of those
  PairIndex origins_;         // name of the operator, details of the launch
  PairIndex on_devices_;      // of origins_, multiprocessors: of kernels that need them
  PairIndex launches_;        // of names_, of origins_ or of on_devices_
  std::vector<std::pair<KernelSums, bool>> sums_;  // of launches_; operator eligible
  PairIndex lanes_;                                // name, lane
  std::vector<KernelStream> streams_;              // of lanes_
  std::map<std::tuple<int32_t, int32_t, std::string_view, std::string_view, std::string_view,
                      std::string_view>,
           size_t>
      ways_;  // index in the row's launches
};

void SetSharesAndSort(const StepTime& steps, std::vector<KernelRow>& rows) {
  int64_t all_ns = 0;
  for (const KernelRow& row : rows) all_ns += row.sums.total_ns;
  for (KernelRow& row : rows) {
    row.steps = steps;
    row.share =
        all_ns == 0 ? 0 : static_cast<double>(row.sums.total_ns) / static_cast<double>(all_ns);
  }
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(b.sums.total_ns, b.sums.calls, a.name) <
           std::tie(a.sums.total_ns, a.sums.calls, b.name);
  });
}

std::vector<KernelRow> AllRanks(const StepTime& steps, const std::vector<KernelRow>& rows) {
  SeededMap<std::string_view, size_t> index;
  std::vector<KernelRow> all;
  for (const KernelRow& row : rows) {
    auto [found, added] = index.try_emplace(row.name, all.size());
    if (added) {
      KernelRow& first = all.emplace_back();
      first.name = row.name;
      first.tensor_cores = row.tensor_cores;
      first.role = row.role;
      first.sums = row.sums;
    } else {
      all[found->second].sums += row.sums;
    }
  }
  SetSharesAndSort(steps, all);
  return all;
}

}  // namespace

KernelSums& KernelSums::operator+=(const KernelSums& other) {
  calls += other.calls;
  total_ns += other.total_ns;
  in_steps_ns += other.in_steps_ns;
  max_ns = std::max(max_ns, other.max_ns);
  min_ns = std::min(min_ns, other.min_ns);
  blocks_per_sm_x_ns += other.blocks_per_sm_x_ns;
  blocks_per_sm_ns += other.blocks_per_sm_ns;
  without_blocks_per_sm += other.without_blocks_per_sm;
  occupancy_x_ns += other.occupancy_x_ns;
  occupancy_ns += other.occupancy_ns;
  without_occupancy += other.without_occupancy;
  return *this;
}

int64_t KernelSums::mean_ns() const {
  return calls == 0 ? 0 : (total_ns + calls / 2) / calls;
}

std::optional<double> KernelSums::blocks_per_sm() const {
  if (blocks_per_sm_ns == 0) return std::nullopt;
  return blocks_per_sm_x_ns / static_cast<double>(blocks_per_sm_ns);
}

std::optional<double> KernelSums::occupancy_percent() const {
  if (occupancy_ns == 0) return std::nullopt;
  return occupancy_x_ns / static_cast<double>(occupancy_ns);
}

KernelsSection BuildKernels(const Trace& trace, std::span<const OperatorTree> trees,
                            const TensorCorePatterns& patterns) {
  KernelsSection section;
  const DeviceFacts devices(trace);
  for (size_t i = 0; i < trace.ranks.size(); ++i) {
    std::vector<KernelRow> rows =
        KernelTable(trace, trace.ranks[i], trees[i], patterns, devices).Make();
    SetSharesAndSort(StepTimeOf(trace.ranks[i]), rows);
    std::move(rows.begin(), rows.end(), std::back_inserter(section.rows));
  }
  if (trace.ranks.size() > 1) section.all_ranks = AllRanks(StepTimeOf(trace), section.rows);
  return section;
}

KernelsSection BuildKernels(const Trace& trace) {
  return BuildKernels(trace, BuildOperatorTrees(trace));
}

}  // namespace steptrace::analyze
