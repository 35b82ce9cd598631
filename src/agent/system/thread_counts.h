// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/system/kept_file.h"

namespace steptrace::agent {

// The threads of /proc/<pid>, in order; of very many the first ones.
std::vector<int32_t> TidsOf(const std::string& process_folder);

// What a sample may still spend on processes and threads, all together.
struct ReadBudget {
  int reads = 0;         // of schedstat
  int status_reads = 0;  // of status, ten times as dear
  int memory_reads = 0;  // of a process's own status
  int kept_files = 0;    // descriptors that may still be opened and kept

  // Reads `file`, keeping its descriptor while there are any left to keep.
  std::optional<std::string_view> Read(KeptFile& file, std::string& buffer) {
    if (file.open()) return file.Read(buffer);
    if (kept_files <= 0) return file.ReadOnce(buffer);
    const auto text = file.Read(buffer);
    if (file.open()) --kept_files;
    return text;
  }
};

// Waiting and switching of a process, summed over its threads: /proc/<pid>/schedstat and status
// speak of the first thread alone. A training has hundreds of threads of which few run, so that one
// which did not run since its last reading is left alone for a while (4 s at most), and not asked
// for its switches. Those beyond the budget are read in later samples. Whenever a thread is read
// it catches up; what it did after its last reading is lost when it ends. One thread.
class ThreadCounts {
 public:
  explicit ThreadCounts(std::string process_folder) : folder_(std::move(process_folder)) {}

  struct Request {
    int64_t now_ns = 0;
    uint64_t threads = 0;        // of the process now
    bool from_birth = false;     // at the first call, count what its threads did before it
    bool read_switches = false;  // else they are left for a later call
  };
  void Sample(const Request& request, ReadBudget& budget);

  uint64_t delay_ns() const { return delay_ns_; }
  uint64_t voluntary_switches() const { return voluntary_; }
  uint64_t involuntary_switches() const { return involuntary_; }
  bool has_delay() const { return has_delay_; }  // the kernel keeps schedstat
  bool has_switches() const { return has_switches_; }
  size_t open_files() const;
  int error() const { return error_; }  // of the last failed reading; 0: none

 private:
  struct Thread {
    int32_t tid = 0;
    KeptFile schedstat{};
    bool read_before = false;
    bool status_read_before = false;
    uint64_t delay_ns = 0;
    uint64_t turns = 0;
    uint64_t status_turns = 0;  // `turns` as of the last reading of status
    uint64_t voluntary = 0;
    uint64_t involuntary = 0;
    int64_t quiet_ns = 0;      // how long to leave it alone when it did not run
    int64_t next_ns = 0;       // not to be read before
    bool count_first = false;  // the first reading is growth: the thread is new
  };

  void ListThreads(bool count_new);
  void ReadDelay(Thread& thread, int64_t now_ns, ReadBudget& budget);
  void ReadSwitches(Thread& thread, ReadBudget& budget);

  std::string folder_;
  std::string buffer_;
  std::vector<Thread> threads_;  // by tid
  size_t next_ = 0;              // where the next sample goes on when the budget was too small
  uint64_t listed_threads_ = 0;
  std::optional<int64_t> listed_ns_;
  uint64_t delay_ns_ = 0;
  uint64_t voluntary_ = 0;
  uint64_t involuntary_ = 0;
  bool has_delay_ = false;
  bool has_switches_ = false;
  int error_ = 0;
};

}  // namespace steptrace::agent
