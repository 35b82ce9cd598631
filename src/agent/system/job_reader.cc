// SPDX-License-Identifier: Apache-2.0
#include "agent/system/job_reader.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "agent/system/kept_file.h"
#include "agent/system/process_text.h"

namespace steptrace::agent {
namespace {

using store::Metric;

double TicksPerSecond() {
  static const double ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  return ticks;
}

uint64_t PageBytes() {
  static const auto bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

// Takes from both what they have in common.
void Cancel(uint64_t& growth, uint64_t& counted) {
  const uint64_t common = std::min(growth, counted);
  growth -= common;
  counted -= common;
}

// A thread's status takes ten times as long to read as its schedstat, and its switches say little
// of a moment.
constexpr int64_t kReadSwitchesNs = 2 * kNsPerSecond;

constexpr const char* kHiddenRemedy =
    "run the agent as the user of the training, and mount /proc without hidepid";

}  // namespace

JobReader::JobReader(JobOptions options)
    : options_(std::move(options)),
      finder_(options_.proc_root),
      cores_(options_.proc_root, options_.max_reported_cores) {}

std::string JobReader::FolderOf(int32_t pid) const {
  return options_.proc_root + "/" + std::to_string(pid);
}

JobReader::Process* JobReader::FindPid(int32_t pid) {
  for (Process& process : processes_) {
    if (process.pid == pid) return &process;
  }
  return nullptr;
}

int JobReader::OpenFiles() const {
  size_t open = 0;
  for (const Process& process : processes_) {
    open += process.stat.open() + process.io.open() + process.status.open() +
            process.thread_counts.open_files();
  }
  return static_cast<int>(open);
}

void JobReader::Add(SampleContext& context, const FoundProcess& found) {
  if (processes_.size() >= static_cast<size_t>(options_.max_processes)) {
    context.ReportOnce("job processes",
                       "the job has more than " + std::to_string(options_.max_processes) +
                           " processes: the newest are not followed",
                       "nothing to fix: cgroup metrics still hold for all of them");
    return;
  }
  Process process{.pid = found.pid,
                  .ppid = found.ppid,
                  .start_ticks = found.start_ticks,
                  .has_rates = found.born_since_last,
                  .from_birth = found.born_since_last,
                  .stat = KeptFile(FolderOf(found.pid) + "/stat"),
                  .io = KeptFile(FolderOf(found.pid) + "/io"),
                  .status = KeptFile(FolderOf(found.pid) + "/status"),
                  .thread_counts = ThreadCounts(FolderOf(found.pid))};
  const auto place = std::upper_bound(
      processes_.begin(), processes_.end(), process, [](const Process& a, const Process& b) {
        return a.start_ticks != b.start_ticks ? a.start_ticks < b.start_ticks : a.pid < b.pid;
      });
  pids_.insert(process.pid);
  processes_.insert(place, std::move(process));
  ever_seen_ = true;
}

void JobReader::AddRoots(SampleContext& context) {
  const std::optional<int32_t> last_pid = finder_.last_pid();
  if (!options_.roots) return;
  for (const JobRoot& root : options_.roots()) {
    if (root.pid <= 0 || IsMember(root.pid)) continue;
    std::optional<FoundProcess> found = finder_.Inspect(root.pid);
    if (!found) {
      // A process that ended is no loss; one that is there and hidden is.
      const bool hidden =
          options_.proc_root == "/proc" && (::kill(root.pid, 0) == 0 || errno == EPERM);
      if (hidden) {
        context.ReportOnce("job", FolderOf(root.pid) + ": the process runs and cannot be seen",
                           kHiddenRemedy);
      }
      continue;
    }
    const uint64_t wanted =
        root.start_ticks != 0
            ? root.start_ticks
            : root_starts_.try_emplace(root.pid, found->start_ticks).first->second;
    if (wanted != found->start_ticks) continue;  // a later process of the same pid
    found->born_since_last = last_pid && root.pid > *last_pid;
    Add(context, *found);
  }
}

void JobReader::ReadIo(Process& process, SampleContext& context, ReadBudget& budget) {
  const auto text = budget.Read(process.io, buffer_);
  const auto io = text ? ParseProcessIo(*text) : std::nullopt;
  if (!io) {
    const int error = process.io.error();
    if (error == EACCES || error == EPERM) {
      context.ReportOnce("process io", DescribeReadError(process.io.path(), error),
                         "run the agent as the user of the training, or as root");
    } else if (error == ENOENT && !process.zombie) {
      context.ReportOnce("process io", DescribeReadError(process.io.path(), error),
                         "boot a kernel with CONFIG_TASK_IO_ACCOUNTING");
    }
    return;
  }
  const bool grows = process.io_seen || process.from_birth;
  process.io_seen = true;
  process.growth.read_bytes = grows ? GrowthOrZero(process.read_bytes, io->read_bytes) : 0;
  process.growth.write_bytes = grows ? GrowthOrZero(process.write_bytes, io->write_bytes) : 0;
  process.read_bytes = io->read_bytes;
  process.write_bytes = io->write_bytes;
}

void JobReader::ReadStatus(Process& process, SampleContext& context, ReadBudget& budget) {
  process.memory.reset();
  if (process.zombie || !process.memory_due || budget.memory_reads-- <= 0) return;
  const auto text = budget.Read(process.status, buffer_);
  if (!text) return;
  process.memory = ParseMemoryUse(*text);
  if (const auto cores = ParseAllowedCores(*text)) {
    cores_.See(process.pid, process.ppid, *cores, context);
  }
}

void JobReader::ReadThreads(Process& process, SampleContext& context, ReadBudget& budget) {
  process.thread_counts.Sample({.now_ns = context.now_ns(),
                                .threads = process.threads,
                                .from_birth = process.from_birth,
                                .read_switches = read_switches_},
                               budget);
  if (!process.thread_counts.has_delay() && process.thread_counts.error() == ENOENT &&
      !process.zombie) {
    context.ReportOnce("process run delay", "the kernel keeps no schedstat",
                       "boot a kernel with CONFIG_SCHED_INFO");
  }
}

void JobReader::Forget(int32_t pid) {
  pids_.erase(pid);
  cores_.Forget(pid);
}

// False when the process is gone.
bool JobReader::Read(Process& process, SampleContext& context, ReadBudget& budget) {
  const auto text = budget.Read(process.stat, buffer_);
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  if (!stat || stat->start_ticks != process.start_ticks) return false;
  process.is_new = false;
  process.growth = {};
  const bool grows = process.has_rates;
  process.own_growth = grows ? GrowthOrZero(process.own_ticks, stat->own_ticks) : 0;
  process.growth.ticks = grows ? GrowthOrZero(process.children_ticks, stat->children_ticks) : 0;
  process.minor_growth = grows ? GrowthOrZero(process.minor_faults, stat->minor_faults) : 0;
  process.major_growth = grows ? GrowthOrZero(process.major_faults, stat->major_faults) : 0;
  process.minor_faults = stat->minor_faults;
  process.major_faults = stat->major_faults;
  process.own_ticks = stat->own_ticks;
  process.children_ticks = stat->children_ticks;
  process.ppid = stat->ppid;
  process.zombie = stat->state == 'Z' || stat->state == 'X';
  process.rss_pages = stat->rss_pages;
  process.threads = stat->threads;
  ReadIo(process, context, budget);
  ReadStatus(process, context, budget);
  if (!process.zombie) ReadThreads(process, context, budget);
  return true;
}

// The nearest living ancestor may inherit what was counted while `gone` lived: maybe in this
// sample, maybe in the next, when it waits late.
void JobReader::PassToParent(const Process& gone, const std::vector<Process>& all_gone) {
  int32_t ppid = gone.ppid;
  for (size_t depth = 0; depth <= all_gone.size(); ++depth) {
    if (Process* parent = FindPid(ppid)) {
      parent->counted.ticks += gone.own_ticks + gone.children_ticks;
      parent->counted.read_bytes += gone.read_bytes;
      parent->counted.write_bytes += gone.write_bytes;
      parent->counted_age = 0;
      return;
    }
    const auto dead = std::find_if(all_gone.begin(), all_gone.end(),
                                   [&](const Process& other) { return other.pid == ppid; });
    if (dead == all_gone.end()) return;
    ppid = dead->ppid;
  }
}

void JobReader::SubtractCounted(Process& process) {
  // Children's CPU time that grew proves that the process waited for some; else its bytes are its
  // own.
  const bool waited = process.growth.ticks > 0 || process.counted.ticks == 0;
  Cancel(process.growth.ticks, process.counted.ticks);
  if (waited) {
    Cancel(process.growth.read_bytes, process.counted.read_bytes);
    Cancel(process.growth.write_bytes, process.counted.write_bytes);
  }
  // A child that nobody waits for (SIGCHLD ignored) leaves nothing to inherit.
  constexpr int kSamplesToInherit = 2;
  if (++process.counted_age >= kSamplesToInherit) process.counted = {};
}

// Of those that have metrics of their own; a turn goes from one to the next, without end.
bool JobReader::IsMemoryDue(size_t place) const {
  const size_t of =
      std::min(processes_.size(), static_cast<size_t>(options_.max_detailed_processes));
  if (place >= of) return false;
  const size_t after = (place + of - memory_from_ % of) % of;
  return after < static_cast<size_t>(options_.max_memory_reads);
}

void JobReader::ReadKnown(SampleContext& context, ReadBudget& budget) {
  std::vector<Process> gone;
  // Parents first: a child that ends while we read is then inherited in the next sample, when it
  // is known to be gone, never in this one as well.
  std::vector<Process> living;
  living.reserve(processes_.size());
  for (size_t place = 0; place < processes_.size(); ++place) {
    processes_[place].memory_due = IsMemoryDue(place);
  }
  memory_from_ += static_cast<size_t>(options_.max_memory_reads);
  for (Process& process : processes_) {
    const bool lives = Read(process, context, budget);
    (lives ? living : gone).push_back(std::move(process));
  }
  processes_ = std::move(living);
  for (const Process& process : gone) {
    Forget(process.pid);
    PassToParent(process, gone);
  }
}

void JobReader::FindNew(SampleContext& context) {
  AddRoots(context);
  const auto is_member = [this](int32_t pid) { return IsMember(pid); };
  for (const FoundProcess& found : finder_.Find(is_member, context.now_ns())) Add(context, found);
}

void JobReader::ReadNew(SampleContext& context, ReadBudget& budget) {
  std::erase_if(processes_, [&](Process& process) {
    if (!process.is_new || Read(process, context, budget)) return false;
    Forget(process.pid);
    return true;
  });
}

void JobReader::AddUp(const Process& process, Totals& totals) const {
  totals.rates |= process.has_rates;
  totals.ticks += process.own_growth + process.growth.ticks;
  totals.read_bytes += process.growth.read_bytes;
  totals.write_bytes += process.growth.write_bytes;
  totals.delay_ns += process.thread_counts.delay_ns() - process.delay_ns;
  totals.voluntary += process.thread_counts.voluntary_switches() - process.voluntary;
  totals.involuntary += process.thread_counts.involuntary_switches() - process.involuntary;
  totals.io |= process.io_seen;
  totals.delay |= process.thread_counts.has_delay();
  totals.switches |= process.thread_counts.has_switches();
  if (process.zombie) return;
  ++totals.processes;
  totals.threads += process.threads;
  totals.rss_pages += process.rss_pages;
}

void JobReader::EmitProcess(SampleContext& context, const Process& process, double seconds) const {
  const auto emit = [&](Metric metric, double value) {
    context.EmitProcess(metric, process.pid, value);
  };
  emit(Metric::kProcessRss, static_cast<double>(process.rss_pages * PageBytes()));
  if (process.memory) {
    emit(Metric::kProcessRssAnon, static_cast<double>(process.memory->anon_bytes));
    emit(Metric::kProcessRssFile, static_cast<double>(process.memory->file_bytes));
    emit(Metric::kProcessRssShmem, static_cast<double>(process.memory->shmem_bytes));
  }
  emit(Metric::kProcessThreads, static_cast<double>(process.threads));
  if (!process.has_rates || seconds <= 0) return;
  emit(Metric::kProcessCpu, static_cast<double>(process.own_growth) / TicksPerSecond() / seconds);
  emit(Metric::kProcessMinorFaults, static_cast<double>(process.minor_growth) / seconds);
  emit(Metric::kProcessMajorFaults, static_cast<double>(process.major_growth) / seconds);
  if (process.io_seen) {
    emit(Metric::kProcessRead, static_cast<double>(process.growth.read_bytes) / seconds);
    emit(Metric::kProcessWrite, static_cast<double>(process.growth.write_bytes) / seconds);
  }
  if (process.thread_counts.has_delay()) {
    const uint64_t delay_ns = process.thread_counts.delay_ns() - process.delay_ns;
    emit(Metric::kProcessRunDelay,
         static_cast<double>(delay_ns) / static_cast<double>(kNsPerSecond) / seconds);
  }
}

void JobReader::EmitJob(SampleContext& context, const Totals& totals,
                        std::optional<double> seconds) const {
  context.Emit(Metric::kJobProcesses, static_cast<double>(totals.processes));
  context.Emit(Metric::kJobThreads, static_cast<double>(totals.threads));
  context.Emit(Metric::kJobRss, static_cast<double>(totals.rss_pages * PageBytes()));
  if (!seconds || !totals.rates) return;
  const auto emit = [&](Metric metric, uint64_t growth, double per = 1) {
    context.Emit(metric, static_cast<double>(growth) / per / *seconds);
  };
  emit(Metric::kJobCpu, totals.ticks, TicksPerSecond());
  if (totals.io) {
    emit(Metric::kJobRead, totals.read_bytes);
    emit(Metric::kJobWrite, totals.write_bytes);
  }
  if (totals.delay) {
    emit(Metric::kJobRunDelay, totals.delay_ns, static_cast<double>(kNsPerSecond));
  }
}

std::optional<double> JobReader::SwitchSeconds(int64_t now_ns) {
  if (!read_switches_) return std::nullopt;
  const std::optional<int64_t> before_ns = std::exchange(switches_ns_, now_ns);
  if (!before_ns || *before_ns >= now_ns) return std::nullopt;
  return static_cast<double>(now_ns - *before_ns) / kNsPerSecond;
}

void JobReader::EmitSwitches(SampleContext& context, Process& process, double seconds) {
  if (process.zombie || !process.has_rates || !process.thread_counts.has_switches()) return;
  const auto per_s = [seconds](uint64_t before, uint64_t now) {
    return static_cast<double>(now - before) / seconds;
  };
  const ThreadCounts& counts = process.thread_counts;
  const double voluntary = per_s(process.voluntary, counts.voluntary_switches());
  const double involuntary = per_s(process.involuntary, counts.involuntary_switches());
  process.switches_per_s = voluntary + involuntary;
  context.EmitProcess(Metric::kProcessVoluntarySwitches, process.pid, voluntary);
  context.EmitProcess(Metric::kProcessInvoluntarySwitches, process.pid, involuntary);
}

void JobReader::EmitSwitches(SampleContext& context, const Totals& totals, double seconds) {
  if (!totals.switches || !totals.rates) return;
  context.Emit(Metric::kJobVoluntarySwitches, static_cast<double>(totals.voluntary) / seconds);
  context.Emit(Metric::kJobInvoluntarySwitches, static_cast<double>(totals.involuntary) / seconds);
}

std::vector<JobProcess> JobReader::Living(size_t most) const {
  std::vector<JobProcess> living;
  for (const Process& process : processes_) {
    if (living.size() >= most) break;
    if (process.zombie) continue;
    living.push_back({.pid = process.pid,
                      .start_ticks = process.start_ticks,
                      .threads = process.threads,
                      .switches_per_s = process.switches_per_s});
  }
  return living;
}

void JobReader::Sample(SampleContext& context) {
  ReadBudget budget{.reads = options_.max_thread_reads,
                    .status_reads = options_.max_status_reads,
                    .memory_reads = options_.max_memory_reads,
                    .kept_files = options_.max_kept_files - OpenFiles()};
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  read_switches_ = IsDue(switches_ns_, context.now_ns(), kReadSwitchesNs);
  ReadKnown(context, budget);
  FindNew(context);
  ReadNew(context, budget);
  if (!ever_seen_) return;
  Totals totals;
  const std::optional<double> switch_seconds = SwitchSeconds(context.now_ns());
  int detailed = options_.max_detailed_processes;
  for (Process& process : processes_) {
    SubtractCounted(process);
    AddUp(process, totals);
    if (!process.zombie && detailed-- > 0) {
      EmitProcess(context, process, seconds.value_or(0));
      if (switch_seconds) EmitSwitches(context, process, *switch_seconds);
    }
    process.has_rates = true;
    process.delay_ns = process.thread_counts.delay_ns();
    if (!read_switches_) continue;
    process.voluntary = process.thread_counts.voluntary_switches();
    process.involuntary = process.thread_counts.involuntary_switches();
  }
  EmitJob(context, totals, seconds);
  if (switch_seconds) EmitSwitches(context, totals, *switch_seconds);
}

}  // namespace steptrace::agent
