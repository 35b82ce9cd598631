// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/system/allowed_cores_watch.h"
#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"
#include "agent/system/process_finder.h"
#include "agent/system/process_text.h"
#include "agent/system/rates.h"
#include "agent/system/thread_counts.h"

namespace steptrace::agent {

// A process to follow with its descendants. Ticks since boot (field 22 of its stat) tell it from
// a later process of the same pid; 0: not known.
struct JobRoot {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  bool worker = false;  // of a DataLoader, as it tells
};

// A living process of the job.
struct JobProcess {
  int32_t pid = 0;
  uint64_t start_ticks = 0;
  uint64_t threads = 0;
  std::optional<double> switches_per_s;  // of its threads, as last read
};

struct JobOptions {
  std::string proc_root = "/proc";
  // Asked at each sample: the command, and whoever else is known to belong to the job (processes
  // with a ring whose parents ended are found in no tree).
  std::function<std::vector<JobRoot>()> roots;
  int max_processes = 1024;          // beyond it processes are counted as missing, once
  int max_detailed_processes = 128;  // that have metrics of their own
  int max_kept_files = 256;          // descriptors kept open for all processes together
  int max_thread_reads = 192;        // per sample: 0.4 ms; the others take their turn later
  int max_status_reads = 128;        // per sample
  int max_memory_reads = 64;         // per sample, of processes: 20 us each; they take turns
  int max_reported_cores = 1024;     // times that a process is told to may run on other cores
};

// The training's processes: CPU, memory, threads, switches, reads, writes and waits for a core.
//
// A process that ends between two samples takes what it used since the first with it, but its
// parent inherits its totals on waiting for it. The job's CPU therefore grows by what living
// processes used, plus what parents inherited, less what of that was already seen while the child
// lived:
//
//     sample 1          sample 2
//     parent  own 10    own 12, inherited 50     job grows by (12-10) + (50-45) = 7
//     child   own 45    gone: 45 of what the parent inherits was counted
//
// The totals of reads and writes include what was inherited and are fixed the same way.
// One thread.
class JobReader {
 public:
  explicit JobReader(JobOptions options);

  void Sample(SampleContext& context);

  size_t processes() const { return processes_.size(); }
  // A living process of the job, the oldest; 0 when there is none. Its cgroup is the job's.
  int32_t oldest_pid() const { return processes_.empty() ? 0 : processes_.front().pid; }
  // Of all of them that live, as of the last sample.
  const std::set<int32_t>& pids() const { return pids_; }
  // The oldest ones of those that live, as of the last sample.
  std::vector<JobProcess> Living(size_t most) const;

 private:
  // Totals that a parent inherits.
  struct Inherited {
    uint64_t ticks = 0;
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
  };
  struct Process {
    int32_t pid = 0;
    int32_t ppid = 0;
    uint64_t start_ticks = 0;
    bool is_new = true;      // not yet read
    bool has_rates = false;  // a reading before, or born since then
    bool zombie = false;
    bool from_birth = false;
    bool io_seen = false;
    KeptFile stat{};
    KeptFile io{};
    KeptFile status{};
    std::optional<ProcessMemoryUse> memory{};  // of this sample
    bool memory_due = true;                    // of those that are asked for it in this sample
    ThreadCounts thread_counts;
    uint64_t rss_pages = 0;
    uint64_t threads = 0;
    // as of the last reading
    uint64_t own_ticks = 0;
    uint64_t children_ticks = 0;
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t delay_ns = 0;
    uint64_t voluntary = 0;
    uint64_t involuntary = 0;
    uint64_t minor_faults = 0;
    uint64_t major_faults = 0;
    std::optional<double> switches_per_s{};
    // growth in this sample
    uint64_t own_growth = 0;
    uint64_t minor_growth = 0;
    uint64_t major_growth = 0;
    Inherited growth{};  // ticks: of the children; bytes: of the process with what it inherited
    // Of children that are gone: what was counted while they lived and the parent may inherit.
    Inherited counted{};
    int counted_age = 0;
  };
  struct Totals {
    uint64_t ticks = 0;
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t delay_ns = 0;
    uint64_t voluntary = 0;
    uint64_t involuntary = 0;
    uint64_t rss_pages = 0;
    uint64_t threads = 0;
    uint64_t processes = 0;
    bool rates = false;
    bool io = false;
    bool delay = false;
    bool switches = false;
  };

  void AddRoots(SampleContext& context);
  void Add(SampleContext& context, const FoundProcess& found);
  bool Read(Process& process, SampleContext& context, ReadBudget& budget);
  void ReadIo(Process& process, SampleContext& context, ReadBudget& budget);
  void ReadStatus(Process& process, SampleContext& context, ReadBudget& budget);
  void Forget(int32_t pid);
  void ReadThreads(Process& process, SampleContext& context, ReadBudget& budget);
  void ReadKnown(SampleContext& context, ReadBudget& budget);
  void ReadNew(SampleContext& context, ReadBudget& budget);
  void FindNew(SampleContext& context);
  void PassToParent(const Process& gone, const std::vector<Process>& all_gone);
  void SubtractCounted(Process& process);
  void AddUp(const Process& process, Totals& totals) const;
  void EmitProcess(SampleContext& context, const Process& process, double seconds) const;
  void EmitJob(SampleContext& context, const Totals& totals, std::optional<double> seconds) const;
  // Since the switches were read before; nothing when they were not read now.
  std::optional<double> SwitchSeconds(int64_t now_ns);
  static void EmitSwitches(SampleContext& context, Process& process, double seconds);
  static void EmitSwitches(SampleContext& context, const Totals& totals, double seconds);
  Process* FindPid(int32_t pid);
  bool IsMemoryDue(size_t place) const;
  bool IsMember(int32_t pid) const { return pids_.contains(pid); }
  int OpenFiles() const;
  std::string FolderOf(int32_t pid) const;

  JobOptions options_;
  ProcessFinder finder_;
  AllowedCoresWatch cores_;
  std::vector<Process> processes_;  // by begin: parents before children
  std::set<int32_t> pids_;
  std::map<int32_t, uint64_t> root_starts_;  // roots are these processes, not later ones of the pid
  std::string buffer_;
  Elapsed elapsed_;
  std::optional<int64_t> switches_ns_;  // when they were read last
  bool read_switches_ = false;          // in this sample
  bool ever_seen_ = false;
  size_t memory_from_ = 0;  // whose turn it is to be asked for its memory, of processes_
};

}  // namespace steptrace::agent
