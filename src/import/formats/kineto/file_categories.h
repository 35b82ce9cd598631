// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/part_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/kineto/event_texts.h"
#include "import/formats/kineto/kineto_event.h"

namespace steptrace::import::kineto {

// What the category of an event says of it.
struct FileCategory {
  std::string raw;
  store::StringId id{};
  bool on_device = false;
  bool is_operator = false, is_mark = false,
       is_step = false;       // marks of the profiler, of the script
  bool is_link = false;       // a flow that repeats what correlation ids tell
  bool is_launch = false;     // a flow that is all that joins a launch and what it launched
  bool tells_stream = false;  // among its arguments: the tid is a number of the profiler's own
};

// The categories of a file's events. Those of one origin (RawEvent) have the same, and one track.
class FileCategories {
 public:
  FileCategories(PartSink& sink, EventTexts& texts, WriterMarks& marks)
      : sink_(sink), texts_(texts), marks_(marks) {}

  const FileCategory& Of(const RawEvent& event) {
    const bool known = event.origin < origins_.size() && origins_[event.origin].category >= 0;
    return known ? categories_[static_cast<size_t>(origins_[event.origin].category)] : Learn(event);
  }
  // The track of complete events of this one's origin; -1: not known.
  int32_t TrackOf(const RawEvent& event) const {
    return HasOrigin(event) ? origins_[event.origin].track : -1;
  }
  void KeepTrack(const RawEvent& event, int32_t track) {
    if (HasOrigin(event) && origins_[event.origin].category >= 0) {
      origins_[event.origin].track = track;
    }
  }

  // Whether there were names that Kineto used in 2021 alone.
  bool of_2021() const { return of_2021_; }
  void Absorb(const FileCategories& piece) { of_2021_ = of_2021_ || piece.of_2021_; }

 private:
  // What events of one origin have in common. -1: not known.
  struct Origin {
    int32_t category = -1;
    int32_t track = -1;  // of a complete event
  };

  bool HasOrigin(const RawEvent& event) const {
    return event.origin != 0 && event.origin < origins_.size();
  }
  const FileCategory& Learn(const RawEvent& event);
  uint32_t PlaceOf(const json::Value& value, std::string_view event_name);
  FileCategory Made(const json::Value& value, std::string_view event_name);

  PartSink& sink_;
  EventTexts& texts_;
  WriterMarks& marks_;
  std::vector<FileCategory> categories_;
  SeededMap<std::string, uint32_t> numbers_;  // by the raw text
  std::array<uint32_t, 32> places_{};
  std::vector<Origin> origins_;  // by number
  bool of_2021_ = false;
};

}  // namespace steptrace::import::kineto
