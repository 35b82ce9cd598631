// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/load_summary.h"

#include <algorithm>
#include <cmath>

#include "store/metrics.h"

namespace steptrace::analyze {
namespace {

// Of all usable cores: above it a further worker only takes from the others.
constexpr double kFullShare = 0.90;
// Cores: of less a thread that moves there has little.
constexpr double kLeastFreeOutside = 0.5;
// Of the quota's periods: less throttling than this cannot hold a step up noticeably.
constexpr double kThrottledShare = 0.05;
// Of a period in which the quota ran out, where it is not known when it did.
constexpr double kThrottledPartOfPeriod = 0.5;
constexpr double kManyOthers = 0.25;  // of the cores, taken by other work
// Of the time in which threads want to run: with less of it without a core they hardly notice.
constexpr double kDelayedShare = 0.20;
constexpr double kStorageWaitShare = 0.05;  // of the cores' time, in I/O wait
constexpr double kStoragePressure = 0.10;   // of the time, some task stalled on I/O
constexpr double kReadBytesPerS = 1e6;      // less comes from metadata and logs
constexpr double kRemoteBytesPerS = 5e6;    // more than what ssh and monitoring make

std::optional<double> MeanBetween(const CounterSeries& series, int64_t from_ns, int64_t to_ns) {
  double sum = 0;
  int64_t count = 0;
  const size_t size = std::min(series.times_ns.size(), series.values.size());
  for (size_t i = 0; i < size; ++i) {
    if (series.times_ns[i] < from_ns || series.times_ns[i] > to_ns) continue;
    if (!std::isfinite(series.values[i])) continue;
    sum += series.values[i];
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

LoadSummary::LoadSummary(std::span<const CounterSeries> counters,
                         std::span<const store::NodeInfo> nodes, const AllowedCores& allowed,
                         int64_t from_ns, int64_t to_ns)
    : from_ns_(from_ns), to_ns_(to_ns) {
  for (const CounterSeries& series : counters) {
    const auto mean = MeanBetween(series, from_ns, to_ns);
    if (!mean) continue;
    MeanOfTrack& most =
        means_.try_emplace(series.metric, MeanOfTrack{*mean, series.track}).first->second;
    if (*mean > most.mean) most = {*mean, series.track};
  }
  int32_t cores = 0;
  for (const store::NodeInfo& node : nodes) {
    if (node.cpus > 0) cores = cores == 0 ? node.cpus : std::min(cores, node.cpus);
  }
  usable_cores_ = std::max(cores, 1);
  machine_cores_ = usable_cores_;
  FindAllowed(counters, nodes, allowed);
  usable_cores_ = reachable_cores();
  if (auto limit = Mean(store::Metric::kCgroupCpuLimit);
      limit && *limit > 0 && *limit < usable_cores_) {
    quota_cores_ = limit;
    usable_cores_ = *limit;
  }
}

void LoadSummary::FindAllowed(std::span<const CounterSeries> counters,
                              std::span<const store::NodeInfo> nodes, const AllowedCores& allowed) {
  // Of a manifest, whose numbers may be any.
  constexpr int32_t kMostCores = 1 << 14;
  for (const store::NodeInfo& node : nodes) {
    if (!allowed.KnowsOf(node.node)) continue;
    BusyOfCores busy;
    for (const CounterSeries& series : counters) {
      if (series.node != node.node || !series.device) continue;
      if (series.metric != NameOf(store::Metric::kCoreBusyShare)) continue;
      busy[*series.device] = MeanBetween(series, from_ns_, to_ns_);
    }
    // Without their counters they are those from 0 on.
    if (busy.empty()) {
      for (int32_t core = 0; core < std::min(node.cpus, kMostCores); ++core)
        busy[core] = std::nullopt;
    }
    std::vector<int32_t> online;
    for (const auto& [core, share] : busy) online.push_back(core);
    const auto keep_fewest = [&](const auto& cores, std::optional<Allowed>& fewest) {
      if (!cores || (fewest && fewest->cores <= static_cast<double>(cores->size()))) return;
      fewest = AllowedOf(*cores, busy);
    };
    keep_fewest(allowed.Among(node.node, online), allowed_);
    keep_fewest(allowed.OfWorkersAmong(node.node, online), allowed_of_workers_);
  }
  if (allowed_ && allowed_->cores >= machine_cores_) allowed_.reset();
  const double most = allowed_ ? allowed_->cores : machine_cores_;
  if (allowed_of_workers_ && allowed_of_workers_->cores >= most) allowed_of_workers_.reset();
}

LoadSummary::Allowed LoadSummary::AllowedOf(std::span<const int32_t> cores,
                                            const BusyOfCores& busy) {
  Allowed allowed{.cores = static_cast<double>(cores.size()), .busy = 0, .free_outside = 0};
  for (const auto& [core, share] : busy) {
    const bool inside = std::ranges::binary_search(cores, core);
    std::optional<double>& sum = inside ? allowed.busy : allowed.free_outside;
    const double part = inside ? share.value_or(0) : std::max(0.0, 1 - share.value_or(0));
    sum = sum && share ? std::optional(*sum + part) : std::nullopt;
  }
  return allowed;
}

std::optional<double> LoadSummary::allowed_cores() const {
  return allowed_ ? std::optional(allowed_->cores) : std::nullopt;
}

std::optional<double> LoadSummary::allowed_cores_of_workers() const {
  return allowed_of_workers_ ? std::optional(allowed_of_workers_->cores) : std::nullopt;
}

std::optional<double> LoadSummary::free_cores_of_workers() const {
  if (!allowed_of_workers_ || !allowed_of_workers_->busy) return std::nullopt;
  return std::max(0.0, allowed_of_workers_->cores - *allowed_of_workers_->busy);
}

std::optional<double> LoadSummary::Mean(store::Metric metric) const {
  const auto found = means_.find(NameOf(metric));
  if (found == means_.end()) return std::nullopt;
  return found->second.mean;
}

model::Conditions LoadSummary::RowsOf(store::Metric metric) const {
  const auto found = means_.find(NameOf(metric));
  model::Conditions where = model::Between(from_ns_, to_ns_);
  const int64_t track = found == means_.end() ? -1 : found->second.track;
  where.insert(where.begin(), {"track", model::Compare::kEqual, track});
  return where;
}

double LoadSummary::others_cores() const {
  const auto own = Mean(store::Metric::kJobCpu);
  std::optional<double> busy;
  if (allowed_) {
    busy = allowed_->busy;
  } else if (const auto share = Mean(store::Metric::kCpuBusyShare)) {
    busy = *share * machine_cores_;
  }
  return busy && own ? std::max(0.0, *busy - *own) : 0;
}

std::optional<double> LoadSummary::FreeOfQuota() const {
  std::optional<double> used = Mean(store::Metric::kCgroupCpu);
  if (!used) used = Mean(store::Metric::kJobCpu);
  return used ? std::optional(*quota_cores_ - *used) : std::nullopt;
}

// What others use is not free either.
std::optional<double> LoadSummary::FreeOfReachable() const {
  const auto own = Mean(store::Metric::kJobCpu);
  if (allowed_) {
    const auto used = allowed_->busy ? allowed_->busy : own;
    return used ? std::optional(allowed_->cores - *used) : std::nullopt;
  }
  if (const auto busy = Mean(store::Metric::kCpuBusyShare)) return (1 - *busy) * machine_cores_;
  return own ? std::optional(machine_cores_ - *own) : std::nullopt;
}

std::optional<double> LoadSummary::free_cores() const {
  std::optional<double> free;
  if (quota_cores_) free = FreeOfQuota();
  // Cores outside the quota's group are no measure of it; those that it may run on are.
  if (!quota_cores_ || allowed_) {
    const auto reachable = FreeOfReachable();
    if (reachable && (!free || *reachable < *free)) free = reachable;
  }
  return free ? std::optional(std::max(0.0, *free)) : std::nullopt;
}

bool LoadSummary::cores_full() const {
  if (throttled()) return true;
  const auto free = free_cores();
  return free && *free <= (1 - kFullShare) * usable_cores_;
}

bool LoadSummary::WorkersFillTheirs() const {
  const auto free = free_cores_of_workers();
  return free && *free <= (1 - kFullShare) * allowed_of_workers_->cores;
}

bool LoadSummary::cores_of_workers_full() const {
  return cores_full() || WorkersFillTheirs();
}

// More than those would reach further than the quota.
bool LoadSummary::QuotaIsWithin(const Allowed& allowed) const {
  const double limit = MeanOr(store::Metric::kCgroupCpuLimit, 0);
  return limit > 0 && limit <= allowed.cores;
}

bool LoadSummary::HasFreeOutside(const Allowed& allowed) {
  return allowed.free_outside.value_or(kLeastFreeOutside) >= kLeastFreeOutside;
}

bool LoadSummary::training_wants_cores_outside() const {
  return allowed_ && !QuotaIsWithin(*allowed_) && cores_full() && HasFreeOutside(*allowed_);
}

bool LoadSummary::workers_want_cores_outside() const {
  if (!allowed_of_workers_ || QuotaIsWithin(*allowed_of_workers_)) return false;
  // What is full elsewhere says nothing where it is known of theirs.
  const bool full = allowed_of_workers_->busy ? WorkersFillTheirs() : cores_full();
  return full && HasFreeOutside(*allowed_of_workers_);
}

double LoadSummary::delayed_share() const {
  const double delay = MeanOr(store::Metric::kJobRunDelay, 0);
  const double running = MeanOr(store::Metric::kJobCpu, 0);
  return delay > 0 && running > 0 ? delay / (delay + running) : 0;
}

bool LoadSummary::short_of_cores() const {
  return cores_full() || delayed_share() >= kDelayedShare;
}

bool LoadSummary::taken_by_others() const {
  return others_cores() >= kManyOthers * reachable_cores();
}

bool LoadSummary::crowded_by_others() const {
  return delayed_share() >= kDelayedShare && taken_by_others();
}

bool LoadSummary::throttled() const {
  return MeanOr(store::Metric::kCgroupThrottledShare, 0) >= kThrottledShare;
}

double LoadSummary::throttled_time_share() const {
  if (!throttled()) return 0;
  const double running =
      MeanOr(store::Metric::kCgroupCpu, MeanOr(store::Metric::kJobCpu, usable_cores_));
  if (const auto stopped = Mean(store::Metric::kCgroupThrottledCores); stopped && *stopped > 0) {
    return *stopped / (*stopped + std::max(running, 0.0));
  }
  return kThrottledPartOfPeriod * MeanOr(store::Metric::kCgroupThrottledShare, 0);
}

bool LoadSummary::storage_busy(bool one_rank) const {
  const bool reads =
      MeanOr(store::Metric::kJobRead, 0) >= kReadBytesPerS ||
      (!Mean(store::Metric::kJobRead) && MeanOr(store::Metric::kDiskRead, 0) >= kReadBytesPerS);
  const bool waits = MeanOr(store::Metric::kCpuIowaitShare, 0) >= kStorageWaitShare ||
                     MeanOr(store::Metric::kPsiIoSome, 0) >= kStoragePressure ||
                     MeanOr(store::Metric::kCgroupPsiIoSome, 0) >= kStoragePressure;
  if (reads && waits) return true;
  // A remote store shows as bytes from the network; so do peers, where there are any.
  return one_rank && MeanOr(store::Metric::kNetworkReceive, 0) >= kRemoteBytesPerS;
}

}  // namespace steptrace::analyze
