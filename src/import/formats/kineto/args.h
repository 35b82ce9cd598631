// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/core/rows/part_sink.h"
#include "import/formats/kineto/kineto_event.h"

namespace steptrace::import::kineto {

// Sorts an event's arguments: those with a column of their own go to the slice, those that are
// unique to each event and mean nothing to analysis are left out, all others become `details`, one
// JSON object with the source's keys in their order. docs/reference/import.md lists them.
//
// Details repeat: the object is made once for each text that they have in the source, and found by
// that text afterwards, or at once by the run of arguments that it is (ArgRun).
class ArgsSorter {
 public:
  ArgsSorter();

  // The event's texts lie in a window. False: what became details was no sound UTF-8.
  bool Sort(const RawEvent& event, bool on_device, PartSink& sink, Slice* slice);

  int64_t not_a_number() const { return not_a_number_; }  // values replaced by null so far

 private:
  // What became of a text of the source: an object with a hash, 0 where there is none.
  struct Made {
    uint64_t hash = 0;
    size_t at = 0;  // in texts_
    size_t size = 0;
    store::StringId id{};
    int64_t not_a_number = 0;
    bool is_utf8 = true;
    std::optional<int64_t> group;  // of the process group that they tell
  };

  void Gather(std::span<const Arg> args, bool on_device, Slice* slice);
  void Keep(const Made& made, Slice* slice);
  Made OfDetails(const RawEvent& event, PartSink& sink);
  std::string_view TextOfDetails();
  Made Make(PartSink& sink);
  Made& Place(uint64_t hash, std::string_view text);
  void Grow();
  json::Replaced AppendDetail(const Arg& arg);

  std::vector<Arg> all_;             // of this event, where it has runs
  std::vector<const Arg*> details_;  // of this event
  bool adjacent_ = true;             // and nothing else stands between them
  bool of_autograd_ = false;         // the sequence of this event numbers no collective
  std::string text_;
  std::string object_;
  std::string texts_;
  std::vector<Made> made_;
  size_t made_count_ = 0;
  uint64_t seed_;
  int64_t not_a_number_ = 0;
};

}  // namespace steptrace::import::kineto
