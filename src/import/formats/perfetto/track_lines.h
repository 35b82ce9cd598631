// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/run_sink.h"
#include "import/formats/perfetto/trace_layout.h"

namespace steptrace::import::perfetto {

// The lines of the run that tracks of a trace become, and the parts that they belong to. Several
// tracks may be one line: those of one thread, siblings of one name (Perfetto shows them as one,
// and its exporters split a stream whose kernels overlap), all that name a device and its stream.
class TrackLines {
 public:
  struct DeviceLine {
    std::optional<int64_t> device;
    std::optional<int64_t> stream;
    std::string name;
  };

  TrackLines(TraceLayout& layout, RunSink& sink) : layout_(layout), sink_(sink) {}

  // Opens the parts: one, or those of the ranks of a trace that Steptrace wrote.
  void Begin();
  // The facts of the one part of a foreign trace; those of Steptrace's own know theirs.
  void End(const PartFacts& foreign);
  void Drop();
  void SelectFirst();

  // The line, with its part the one that rows go to; -1: there are too many.
  int32_t Host(uint64_t uuid);
  int32_t Device(uint64_t uuid, const DeviceLine& device);
  int32_t Counter(uint64_t uuid);
  // Rows that follow belong to the rank of the track.
  void SelectPartOf(uint64_t uuid);

  int64_t first_pid() const { return first_pid_; }
  int64_t undescribed() const { return undescribed_; }  // tracks that no descriptor tells of

 private:
  TrackInfo& InfoOf(uint64_t uuid);
  // What tells one line from another, with those that enclose it.
  std::string KeyOf(uint64_t uuid, int depth);
  int32_t Add(uint64_t uuid, const TrackInfo& info);
  int32_t ProcessLine(int64_t pid, store::StringId name);
  int32_t ProcessAbove(uint64_t uuid);

  TraceLayout& layout_;
  RunSink& sink_;
  std::vector<size_t> parts_;       // of the sink, by rank of the layout
  std::vector<int32_t> own_lines_;  // by track of the layout
  SeededMap<std::string, int32_t> lines_;
  std::map<int64_t, int32_t> processes_;
  std::map<int64_t, int32_t> devices_;
  size_t selected_ = 0;
  int64_t first_pid_ = 0;
  int64_t undescribed_ = 0;
};

}  // namespace steptrace::import::perfetto
