// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/part_sink.h"
#include "import/json/json_text.h"
#include "store/stored_words.h"

namespace steptrace::import::kineto {

// Of a line of a device, where its pid and tid do not tell it.
struct DevicePlace {
  std::optional<int64_t> device = {};
  std::optional<int64_t> stream = {};
  bool is_stream = true;  // else a line of another kind
};

// The threads and streams of one trace file, by pid and tid as they stand in the text: a number and
// the same number as a text are one. Names come as metadata, before or after the events.
class TraceTracks {
 public:
  explicit TraceTracks(PartSink& sink) : sink_(sink) {}

  // The track; on a device the pid is its number and the tid a stream, unless a new one's place is
  // told. -1: there are too many.
  int32_t Of(std::string_view pid, std::string_view tid, bool on_device,
             const DevicePlace& place = {});
  // The device of a pid, whatever rank's mark stands before it; none: it is no number.
  static std::optional<int64_t> DeviceIn(std::string_view pid);
  // 7 of "7" and of "stream 7", as the dialect of 2021 writes it.
  static std::optional<int64_t> StreamIn(std::string_view tid);

  // A track of a kind of its own in a process: a counter, or what runs over threads.
  int32_t Named(std::string_view pid, std::string_view name, store::TrackKind kind);

  void NameProcess(std::string_view pid, std::string name);
  void LabelProcess(std::string_view pid, std::string labels);
  void NameThread(std::string_view pid, std::string_view tid, std::string name);

  // Tracks and names of a range of the file that came up behind what this one has seen: the track
  // of each, by its number there.
  std::vector<int32_t> Absorb(const TraceTracks& piece);
  size_t size() const { return made_.size(); }

  // Gives all tracks the names that came up. Call once, at the end.
  void SetNames();
  int64_t first_pid() const { return first_pid_; }

  // The ranks that a merged file holds, by the marks of its pids.
  struct MarkedRanks {
    struct Rank {
      std::string mark;
      int64_t first_pid = 0;  // 0: none is told
    };
    std::vector<Rank> ranks;     // by mark
    std::vector<size_t> places;  // of each track: its rank's; one beyond them: it has no mark
  };
  // Empty: all that pids tell is one rank.
  MarkedRanks Ranks() const;
  bool has_devices() const { return !devices_.empty(); }

 private:
  struct Cached {
    std::string pid;
    std::string tid;
    bool on_device = false;
    int32_t track = -1;  // -1: nothing is kept here
  };

  enum class Kind : uint8_t { kProcess, kDevice, kThread, kStream, kNamed };
  // What a track was made of.
  struct Made {
    Kind kind = Kind::kProcess;
    int32_t track = 0;
    std::string pid;   // of a device: its rank's mark
    std::string name;  // or the tid
    store::TrackKind named_kind{};
    int32_t device = 0;
    DevicePlace place = {};
  };

  int32_t Keep(Made made, store::TrackRow row, store::TrackKind kind);
  int32_t Find(std::string_view pid, std::string_view tid, bool on_device,
               const DevicePlace& place);
  int32_t Add(std::string_view pid, std::string_view tid, bool on_device, const DevicePlace& place);
  int32_t Process(std::string_view pid);
  int32_t Device(std::string_view mark, int32_t number);

  PartSink& sink_;
  std::array<Cached, 64> cache_;
  SeededMap<std::string, int32_t> tracks_;
  std::map<std::string, int32_t> processes_;
  std::map<std::pair<std::string, int32_t>, int32_t> devices_;  // by mark and number
  std::map<std::string, std::string> process_names_;
  std::map<std::string, std::string> process_labels_;
  std::map<std::string, std::string> thread_names_;  // by pid, a line break, tid
  std::vector<Made> made_;                           // in the order of their numbers
  int64_t first_pid_ = 0;
};

}  // namespace steptrace::import::kineto
