// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_hash.h"

namespace steptrace::import::kineto {

// What lies on a line of a profiler that gives its events no category: the names of the process
// and the thread tell, which come as metadata before the events.
enum class LineKind : uint8_t {
  kPlain,           // whatever its pid and tid say
  kNpuStream,       // Ascend: tasks of a device's stream
  kNpuCollectives,  // calls of HCCL, of one group
  kNpuPlane,        // the tasks that such a call is made of
  kNpuHost,         // calls into CANN
  kNpuFigures       // what Ascend's profiler computes from the other lines
};

struct Line {
  LineKind kind = LineKind::kPlain;
  int32_t device = -1;
  std::string_view host_pid = {};  // of kNpuHost: the process whose threads make the calls
};

// Names of processes, and of the threads of those whose lines they tell apart. Few: profilers name
// some lines a device.
class LineNames {
 public:
  // Of a process the first name counts, of a thread the first too.
  void NameProcess(std::string_view pid, std::string_view name);
  void NameThread(std::string_view pid, std::string_view tid, std::string_view name);

  Line Of(std::string_view pid, std::string_view tid) const;
  // Grows with each name that tells something.
  size_t version() const { return told_.size(); }
  // Takes the names that `later` has beyond its first `from`.
  void Take(const LineNames& later, size_t from);

 private:
  enum class Process : uint8_t { kNpuStreams, kNpuCollectives, kNpuHost, kNpuFigures };
  struct Known {
    Process process = Process::kNpuStreams;
    int32_t device = 0;
    std::string host_pid;
    std::map<std::string, LineKind, std::less<>> threads;
  };
  // As it came: the tid is empty where a process was named.
  struct Told {
    std::string pid;
    std::string tid;
    std::string name;
  };

  std::map<std::string, Known, std::less<>> processes_;
  bool has_npu_ = false;  // else "Communication" is a name like any other
  std::vector<Told> told_;
};

// Whether names came behind events that they would have made others.
class LateNames {
 public:
  // An event of this process was taken for a plain one.
  void TakePlain(std::string_view pid);
  // Names came up.
  void Look(const LineNames& names);
  void Take(const LateNames& later);
  bool came() const { return came_; }

 private:
  SeededSet<std::string> plain_pids_;  // a bounded number
  bool has_more_ = false;
  bool came_ = false;
  std::string last_pid_;
};

// The category of a task on a stream of an Ascend device, by what the profiler calls its type and
// its name. Types: msprof's tables of tasks, by the hardware queue (AI_CORE, SDMA_SQE), by the
// runtime (KERNEL_AICORE) and of parts of a fused task (MIX_AIV, Notify Wait).
std::string_view NpuTaskCategory(std::string_view type, std::string_view name);

// Bytes of an element by HCCL's name of the type; -1: not known.
int64_t NpuTypeBytes(std::string_view type);

// The parts of hcom_allReduce__868_0_1: what is called in which group, and the call's number there.
struct HcclCall {
  std::string_view name;  // hcom_allReduce__868
  int64_t group = 0;
  int64_t number = 0;
};
std::optional<HcclCall> HcclCallIn(std::string_view name);

}  // namespace steptrace::import::kineto
