// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "agent/watch/observer.h"
#include "analyze/input/report_input.h"
#include "analyze/memory/host_memory.h"
#include "store/tables.h"

namespace steptrace::agent {

// Whether the memory of a running job's processes grows with its steps: a finding when that is
// known for certain, and another when it stops. Each line keeps 512 points of the whole run, every
// second one is dropped when it is full; of 64 processes and their devices.
class MemoryWatch : public Observer {
 public:
  // `least_bytes_per_s`: a leak that is slower is not reported during the run.
  explicit MemoryWatch(int32_t node, double least_bytes_per_s = 0)
      : node_(node), least_bytes_per_s_(least_bytes_per_s) {}

  void OnSample(const Sample& sample) override;
  void OnStep(const store::StepRow& row, std::string_view kind) override;
  // Every ten seconds, and at the end.
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;

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
  // What has changed since it looked last.
  std::vector<Alert> Changes(int64_t now_ns, const std::vector<analyze::RankProcess>& ranks);

  int32_t node_;
  double least_bytes_per_s_;
  int64_t next_ns_ = 0;
  std::map<std::tuple<int32_t, int32_t, std::string>, Line> lines_;  // pid, device
  analyze::StepAxes axes_;
  std::set<std::string> reported_;  // subjects that leak
};

}  // namespace steptrace::agent
