// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/ingest/hooks_marks.h"
#include "agent/ingest/session_list.h"
#include "agent/run/left_processes.h"
#include "agent/system/process_handle.h"
#include "base/time.h"
#include "model/finding.h"

namespace steptrace::agent {

// Frameworks are imported and a training begins within this time of a process's life; a server that
// has not done so by then is not waited for.
inline constexpr int64_t kBecomesTrainingNs = 600 * kNsPerSecond;

inline constexpr uint64_t kNoCommand = UINT64_MAX;

// What lives of a command that has ended, by what may come of it: each process by name and pid.
struct Survivors {
  std::vector<std::string> training;   // or works for one that does
  std::vector<std::string> may_train;  // has a ring, is a Python or starts others; and is young
  std::vector<std::string> late;       // the same, and old
  std::vector<std::string> others;     // programs that never record

  bool empty() const {
    return training.empty() && may_train.empty() && late.empty() && others.empty();
  }
};

// What becomes of the run of a command that has ended, as has whoever the run went on for, so long
// ago:
//
//   wait ─ nobody is left, or they take too long ─► close
//     └─ some train or may come to ─► go on (without the launcher) ─ they end, or are late ─► close
enum class AfterCommand { kWait, kGoOn, kClose };
AfterCommand NextOf(const Survivors& survivors, int64_t ended_for_ns);

// Why the run goes on, for the user: no full stop.
std::string GoesOnText(const Survivors& survivors);
// What is lost of processes that outlive the run.
model::Finding OutlivesFinding(const std::vector<std::string>& names);

// Follows what lives of a command once it has ended. It looks at all processes of the machine at
// most twice a second and for 1/200 of its time; between two looks it asks those that it found
// whether they live. One thread.
class LeftWatch {
 public:
  LeftWatch(std::string run_id, std::filesystem::path ring_dir, std::string proc_root = kProcRoot)
      : processes_(std::move(run_id), std::move(proc_root)), ring_dir_(std::move(ring_dir)) {}

  struct CheckTime {
    int64_t now_ns = 0;       // of the run
    int64_t boottime_ns = 0;  // by which processes tell when they began
  };
  struct CommandTree {
    uint64_t start_ticks = 0;        // kNoCommand: there was none
    std::span<const JobRoot> known;  // seen in its tree before
  };
  Survivors Check(const CheckTime& moment, const CommandTree& command,
                  std::span<const RingProcess> rings);

  // The processes that were found since the call before.
  std::vector<int32_t> TakeFound() { return std::exchange(found_, {}); }

 private:
  struct Followed {
    LeftProcess process;
    ProcessHandle handle;
  };
  void Scan(int64_t now_ns, const CommandTree& command);
  Survivors Count(int64_t boottime_ns, std::span<const RingProcess> rings);
  bool MayRecord(const LeftProcess& process) const;

  LeftProcesses processes_;
  std::filesystem::path ring_dir_;
  std::vector<Followed> left_;
  HooksMarks marks_;
  std::vector<int32_t> found_;
  int64_t next_scan_ns_ = INT64_MIN;
};

}  // namespace steptrace::agent
