// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "base/text_hash.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/part_sink.h"
#include "import/core/writer_marks.h"
#include "import/formats/kineto/args.h"
#include "import/formats/kineto/kineto_event.h"

namespace steptrace::import::kineto {

// What a thread learns of a file's texts, whichever piece of it they stand in.
struct TextCache {
  // A name of before and its number; nearly all events have one of those.
  struct Name {
    std::string text;
    store::StringId id{};
  };

  ArgsSorter args;
  std::unordered_set<store::StringId> not_utf8;
  std::array<Name, 256> names;  // by a few of their bytes
};

// The texts of a file's events as the run has them, and the count of what was replaced in them.
class EventTexts {
 public:
  EventTexts(PartSink& sink, TextCache& learnt, WriterMarks& marks, LossCounts& lost)
      : sink_(sink),
        learnt_(learnt),
        marks_(marks),
        lost_(lost),
        not_a_number_(learnt.args.not_a_number()) {}

  // The name of an event, nearly all of which come again and again.
  store::StringId NameOf(const json::Value& value);
  std::string TextOf(const json::Value& value);
  // Notes a text of which something was replaced, and replaces what is no UTF-8.
  std::string Cleaned(const std::string& text, bool replaced);
  // The arguments become columns and details of the slice.
  void Describe(const RawEvent& event, bool on_device, Slice* slice) {
    if (!learnt_.args.Sort(event, on_device, sink_, slice)) not_utf8_.insert(slice->details);
  }

  // Of a piece: nothing follows; another thread may have what it learnt.
  void EndPiece() { not_a_number_ = learnt_.args.not_a_number() - not_a_number_; }
  void Absorb(const EventTexts& piece);
  // What came before is all.
  void Finish();

 private:
  void NoteBadText(uint64_t hash);

  PartSink& sink_;
  TextCache& learnt_;
  WriterMarks& marks_;
  LossCounts& lost_;
  std::string scratch_;
  std::unordered_set<store::StringId> not_utf8_;
  SeededSet<uint64_t> bad_texts_;  // hashes of others that are no UTF-8, in no row
  int64_t not_a_number_;           // at the begin; of a piece that ended: in it
};

}  // namespace steptrace::import::kineto
