// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/input/allowed_cores.h"
#include "analyze/input/report_input.h"
#include "model/rows.h"
#include "store/metrics.h"

namespace steptrace::analyze {

// What the machine did while the steps ran: each metric's mean over that time range, as evidence
// for and against a verdict. Of several nodes or devices the largest mean counts: one starved node
// holds all ranks back.
class LoadSummary {
 public:
  LoadSummary(std::span<const CounterSeries> counters, std::span<const store::NodeInfo> nodes,
              const AllowedCores& allowed, int64_t from_ns, int64_t to_ns);

  // Empty: the metric was not collected, which is not the same as 0.
  std::optional<double> Mean(store::Metric metric) const;
  // The values that the mean is of, among the rows of `counters`.
  model::Conditions RowsOf(store::Metric metric) const;
  double MeanOr(store::Metric metric, double otherwise) const {
    return Mean(metric).value_or(otherwise);
  }

  // Cores that the job may use on a node: those of the machine, or fewer by its processes' affinity
  // and cpuset, or the cgroup's limit if that is smaller.
  double usable_cores() const { return usable_cores_; }
  double machine_cores() const { return machine_cores_; }
  std::optional<double> quota_cores() const { return quota_cores_; }
  // By affinity and cpuset; empty: all of the machine's.
  std::optional<double> allowed_cores() const;
  // What the workers may run on, where that is less than what their ranks may run on.
  std::optional<double> allowed_cores_of_workers() const;
  std::optional<double> free_cores_of_workers() const;
  // Cores on which it may not run would help: it fills those on which it may, and some are free,
  // as far as that is known. Not where a quota is no more than those.
  bool wants_cores_outside() const {
    return training_wants_cores_outside() || workers_want_cores_outside();
  }
  bool training_wants_cores_outside() const;
  // The same of what the workers alone are kept from, where they have fewer than their ranks.
  bool workers_want_cores_outside() const;
  // Cores on which the job's threads can be put, however long.
  double reachable_cores() const { return allowed_cores().value_or(machine_cores_); }
  // Of these, cores that other work keeps busy; 0 where that is not known.
  double others_cores() const;
  // Cores that the job does not use yet; empty where its use is not known.
  std::optional<double> free_cores() const;

  bool cores_full() const;
  // All on which its workers may run, at least.
  bool cores_of_workers_full() const;
  // Full, or the job's threads wait for one.
  bool short_of_cores() const;
  // Of the time in which the job's threads wanted to run, that without a core.
  double delayed_share() const;
  // Other work on the machine takes so much that what the job asks for is not what it lacks.
  bool taken_by_others() const;
  // The job's threads wait for cores that other work has taken.
  bool crowded_by_others() const;
  bool throttled() const;
  // Share of the time in which the job had work and the quota let it not run; 0 without a quota.
  double throttled_time_share() const;
  // Something reads from storage, and waits for it.
  bool storage_busy(bool one_rank) const;

 private:
  struct MeanOfTrack {
    double mean = 0;
    int32_t track = -1;
  };
  // Of a node of which the training may use a part.
  struct Allowed {
    double cores = 0;
    std::optional<double> busy;  // of them, in the mean, by whomever
    std::optional<double> free_outside;
  };
  using BusyOfCores = std::map<int32_t, std::optional<double>>;
  static Allowed AllowedOf(std::span<const int32_t> cores, const BusyOfCores& busy);
  void FindAllowed(std::span<const CounterSeries> counters, std::span<const store::NodeInfo> nodes,
                   const AllowedCores& allowed);
  bool QuotaIsWithin(const Allowed& allowed) const;
  static bool HasFreeOutside(const Allowed& allowed);
  bool WorkersFillTheirs() const;
  std::optional<double> FreeOfQuota() const;
  std::optional<double> FreeOfReachable() const;

  std::map<std::string, MeanOfTrack> means_;
  int64_t from_ns_, to_ns_;
  double usable_cores_ = 1;
  double machine_cores_ = 1;
  std::optional<double> quota_cores_;
  std::optional<Allowed> allowed_;  // of the node that has fewest
  std::optional<Allowed> allowed_of_workers_;
};

}  // namespace steptrace::analyze
