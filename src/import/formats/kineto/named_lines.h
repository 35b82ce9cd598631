// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
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
  kNpuFigures,      // what Ascend's profiler computes from the other lines
  kXlaStream,       // XLA, by JAX or TensorFlow: work of a device's stream
  kXlaOps,          // operations of a device without streams (TPU): its work
  kXlaDerived,      // what the profiler tells again of a device: modules, steps, operations
  kXlaHost          // threads of the process
};

struct Line {
  LineKind kind = LineKind::kPlain;
  int32_t device = -1;
  std::string_view host_pid = {};  // of kNpuHost: the process whose threads make the calls
  int64_t stream = -1;             // of kXlaStream
};

// Names of processes, and of the threads of those whose lines they tell apart. Few: profilers name
// some lines a device.
class LineNames {
 public:
  // Of a process the first name counts, of a thread the first too.
  void NameProcess(std::string_view pid, std::string_view name);
  void NameThread(std::string_view pid, std::string_view tid, std::string_view name);

  Line Of(std::string_view pid, std::string_view tid) const;
  // Of a line of a process that has an Ascend device, by its number alone: the process. Its calls
  // into CANN have no name where only their flows were recorded. Empty: it is none.
  std::string_view NpuHostOf(std::string_view pid) const;
  // Grows with each name that tells something.
  size_t version() const { return reported_.size(); }
  // Takes the names that `later` has beyond its first `from`.
  void Take(const LineNames& later, size_t from);

 private:
  enum class Process : uint8_t {
    kNpuStreams,
    kNpuCollectives,
    kNpuHost,
    kNpuFigures,
    kXlaDevice,
    kXlaHost
  };
  struct Thread {
    LineKind kind = LineKind::kPlain;
    int64_t stream = -1;
  };
  struct Known {
    Process process = Process::kNpuStreams;
    int32_t device = 0;
    std::string host_pid;
    std::map<std::string, Thread, std::less<>> threads;
    bool has_streams = false;  // of kXlaDevice
  };
  static std::optional<Known> KnownBy(std::string_view pid, std::string_view name);

  // As it came: the tid is empty where a process was named.
  struct ReportedName {
    std::string pid;
    std::string tid;
    std::string name;
  };

  std::map<std::string, Known, std::less<>> processes_;
  bool has_npu_ = false;  // else "Communication" is a name like any other
  std::set<std::string, std::less<>> npu_hosts_;
  std::vector<ReportedName> reported_;
};

// Whether names came behind events that they would have made others.
class LateNames {
 public:
  // An event of this line was taken for one of that kind.
  void TakeLine(std::string_view pid, std::string_view tid, LineKind kind);
  // Names came up.
  void Update(const LineNames& names);
  void Take(const LateNames& later);
  bool came() const { return came_; }

 private:
  struct Taken {
    std::string pid;
    std::string tid;
    LineKind kind = LineKind::kPlain;
  };

  SeededMap<std::string, Taken> taken_;  // a bounded number, by pid and tid
  bool has_more_ = false;
  bool came_ = false;
};

// What an Ascend profile holds of its device's streams: another file with the same holds the same
// profile. PyTorch's and msprof's lie in one folder.
struct NpuWork {
  std::string pid;  // of the line
  int64_t first_ns = INT64_MAX;
  int64_t tasks = 0;

  void Take(std::string_view of_pid, int64_t ts_ns) {
    if (tasks++ == 0) pid = of_pid;
    first_ns = std::min(first_ns, ts_ns);
  }
  void Take(const NpuWork& later) {
    if (tasks == 0) pid = later.pid;
    tasks += later.tasks;
    first_ns = std::min(first_ns, later.first_ns);
  }
  auto operator<=>(const NpuWork&) const = default;
};

// The line of each event of a reader, which are few and take turns.
class LineCache {
 public:
  // Of a line that is not kept, `find` tells it.
  template <class Find>
  const Line& Of(std::string_view pid, std::string_view tid, size_t version, Find&& find) {
    const auto last = [](std::string_view text) {
      return text.empty() ? 0u : static_cast<unsigned char>(text.back());
    };
    Kept& kept = kept_[(last(pid) * 7 + last(tid) + tid.size() * 3) % kept_.size()];
    if (!kept.is_kept || kept.version != version || kept.tid != tid || kept.pid != pid) {
      kept = {true, version, std::string(pid), std::string(tid), find()};
    }
    return kept.line;
  }

 private:
  struct Kept {
    bool is_kept = false;
    size_t version = 0;
    std::string pid;
    std::string tid;
    Line line;
  };
  std::array<Kept, 64> kept_;
};

}  // namespace steptrace::import::kineto
