// SPDX-License-Identifier: Apache-2.0
#include "agent/system/private_memory_reader.h"

#include <algorithm>
#include <cerrno>

#include "agent/system/kept_file.h"
#include "agent/system/process_text.h"
#include "store/metrics.h"

namespace steptrace::agent {
namespace {

// Those of one loader do alike: a few tell, and each has its turn often enough.
constexpr size_t kMostWorkers = 8;

// So many points tell how it grows, or that it does not.
constexpr int kReadsPerPass = 5;
// Two reads that differ by this tell it already (analyze/memory/copied_pages).
constexpr uint64_t kPlainGrowthBytes = uint64_t{64} << 20;
// Not every fault is a copy: of so many times as many bytes most workers that copy have grown by
// it.
constexpr double kFaultsForGrowth = 1.25;
// A shorter read can be had so often that none has to be saved.
constexpr int64_t kShortReadNs = RollupPace::kLongestReadNs / 10;

constexpr const char* kSource = "worker memory";

// In which /proc counts. Where pages are larger the bound is higher, and a walk of so many as long.
constexpr int64_t kPageBytes = 4096;

std::vector<JobRoot> WorkersOf(const std::vector<JobRoot>& job) {
  std::vector<JobRoot> workers;
  std::copy_if(job.begin(), job.end(), std::back_inserter(workers),
               [](const JobRoot& one) { return one.worker && one.pid > 0; });
  std::sort(workers.begin(), workers.end(),
            [](const JobRoot& a, const JobRoot& b) { return a.pid < b.pid; });
  if (workers.size() > kMostWorkers) workers.resize(kMostWorkers);
  return workers;
}

}  // namespace

void RollupPace::Took(int64_t began_ns, int64_t took_ns) {
  took_ns = std::max<int64_t>(took_ns, 0);
  stopped_ |= took_ns > kLongestReadNs;
  full_ns_ = std::max(full_ns_, began_ns) + kTimesApart * took_ns;
  // What is spent of the longest read's time by then leaves room for one like this.
  const int64_t paid_ns = full_ns_ - kTimesApart * (kLongestReadNs - took_ns);
  next_ns_ = std::max(began_ns + kShortestNs, paid_ns);
}

const JobRoot* PrivateMemoryReader::Next(const std::vector<JobRoot>& workers) {
  if (workers.empty()) return nullptr;
  const auto next = std::find_if(workers.begin(), workers.end(), [this](const JobRoot& one) {
    return pass_.over ? one.pid > pass_.pid : one.pid >= pass_.pid;
  });
  return next == workers.end() ? &workers.front() : &*next;
}

// A later process may have its pid; and what holds more than may be read in time is left alone.
std::optional<uint64_t> PrivateMemoryReader::FaultsOf(const JobRoot& worker) {
  KeptFile file(proc_root_ + "/" + std::to_string(worker.pid) + "/stat");
  const auto text = file.Read(buffer_);
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  if (!stat || (worker.start_ticks != 0 && stat->start_ticks != worker.start_ticks)) {
    return std::nullopt;
  }
  const auto pages = static_cast<uint64_t>(RollupPace::kMostResidentBytes / kPageBytes);
  if (stat->rss_pages > pages) return std::nullopt;
  return stat->minor_faults;
}

bool PrivateMemoryReader::IsWorthReading(uint64_t faults, int64_t now_ns) const {
  if (pass_.reads == 0 || pass_.took_ns <= kShortReadNs || pace_.IsFull(now_ns)) return true;
  const auto since = static_cast<double>(faults - std::min(faults, pass_.faults));
  return since * kPageBytes >= kFaultsForGrowth * static_cast<double>(kPlainGrowthBytes);
}

void PrivateMemoryReader::Count(uint64_t private_bytes) {
  if (pass_.reads == 0) pass_.first_bytes = private_bytes;
  ++pass_.reads;
  pass_.over =
      pass_.reads >= kReadsPerPass ||
      (private_bytes > pass_.first_bytes && private_bytes - pass_.first_bytes >= kPlainGrowthBytes);
}

void PrivateMemoryReader::Read(SampleContext& context, const JobRoot& worker, uint64_t faults) {
  KeptFile file(proc_root_ + "/" + std::to_string(worker.pid) + "/smaps_rollup");
  const int64_t began_ns = clock_();
  const auto text = file.Read(buffer_);
  const int64_t took_ns = clock_() - began_ns;
  pace_.Took(context.now_ns(), took_ns);
  pass_.faults = faults;
  pass_.took_ns = took_ns;
  const auto parsed = text ? ParseSmapsRollup(*text) : std::nullopt;
  pass_.over = !parsed;  // as of one that has ended
  if (parsed) {
    const SmapsRollup held = parsed.value_or(SmapsRollup{});
    Count(held.private_dirty_bytes);
    context.EmitProcess(store::Metric::kProcessPss, worker.pid,
                        static_cast<double>(held.pss_bytes));
    context.EmitProcess(store::Metric::kProcessPrivateDirty, worker.pid,
                        static_cast<double>(held.private_dirty_bytes));
  } else if (file.error() == EACCES || file.error() == EPERM) {
    context.ReportOnce(kSource, DescribeReadError(file.path(), file.error()),
                       "run the agent as the user of the training, or as root");
  }
  if (pace_.stopped()) {
    context.ReportOnce(kSource,
                       "reading the private memory of a DataLoader worker took " +
                           std::to_string(took_ns / 1'000'000) + " ms: it is not read any more",
                       "nothing to fix: resident memory is still sampled");
  }
}

void PrivateMemoryReader::Sample(SampleContext& context, const std::vector<JobRoot>& job) {
  if (!pace_.IsDue(context.now_ns())) return;
  const std::vector<JobRoot> workers = WorkersOf(job);
  const JobRoot* next = Next(workers);
  if (next == nullptr) return;
  if (pass_.over || next->pid != pass_.pid) pass_ = {.pid = next->pid};
  const auto faults = FaultsOf(*next);
  if (!faults) {
    pass_.over = true;
  } else if (IsWorthReading(*faults, context.now_ns())) {
    Read(context, *next, *faults);
  }
}

}  // namespace steptrace::agent
