// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analyze/memory/host_memory.h"
#include "analyze/report/report_input.h"
#include "store/metrics.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// Whether the memory of a running job's processes grows with its steps: a finding when that is
// known for certain, and another when it stops. Each line keeps 512 points of the whole run, every
// second one is dropped when it is full; of 64 processes and their devices. One thread.
class MemoryWatch {
 public:
  explicit MemoryWatch(int32_t node) : node_(node) {}

  void AddSample(store::Metric metric, int32_t device, int32_t pid, int64_t ts_ns, double value);
  // What torch counts of a device: `metric` as its counter is called.
  void AddDeviceSample(const std::string& metric, int32_t device, int32_t pid, int64_t ts_ns,
                       double value);
  void AddStep(const store::StepRow& row, const store::StringTable& strings);
  // What has changed since it looked last.
  std::vector<store::FindingRow> Look(int64_t now_ns,
                                      const std::vector<analyze::RankProcess>& ranks,
                                      store::StringTable& strings);
  // The same, every ten seconds.
  std::vector<store::FindingRow> Turn(int64_t now_ns,
                                      const std::vector<analyze::RankProcess>& ranks,
                                      store::StringTable& strings);

 private:
  // Points of one metric, ever farther apart.
  struct Line {
    analyze::CounterSeries series;
    int64_t apart = 1;  // every so many are kept
    int64_t seen = 0;
    int64_t interval_ns = 0;  // between the two newest: the agent's limiter may widen it
  };
  void Add(const std::string& metric, int32_t device, int32_t pid, int64_t ts_ns, double value);
  void ForgetGone(int64_t now_ns);
  store::FindingRow Row(int64_t now_ns, const analyze::ProcessMemory& process,
                        const analyze::HostMemorySection& section,
                        store::StringTable& strings) const;

  int32_t node_;
  int64_t next_ns_ = 0;
  std::map<std::tuple<int32_t, int32_t, std::string>, Line> lines_;  // pid, device
  analyze::StepAxes axes_;
  std::set<std::string> told_;  // subjects that leak
};

}  // namespace steptrace::agent
