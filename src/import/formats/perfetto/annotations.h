// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text_hash.h"
#include "import/core/bytes/byte_stream.h"
#include "import/formats/kineto/args.h"
#include "import/formats/perfetto/sequence.h"

namespace steptrace::import::perfetto {

// The arguments of one event as JSON: debug annotations and what stands for them. Filled by Add...,
// then given to the sorter that profiles of other formats go through too, so that the same
// argument ends in the same column whatever file it came in.
class Annotations {
 public:
  struct Counts {
    int64_t too_deep = 0;
    int64_t no_number = 0;    // NaN, infinity
    int64_t no_text = 0;      // invalid UTF-8
    int64_t no_interned = 0;  // the number of a text that the sequence has not reported
  };

  // Nesting is read by recursion: no setting makes it deeper than the stack bears.
  static constexpr int32_t kMostDepth = 2048;

  // Texts that are given by number may be as long together as what a file unpacks to: each of a few
  // bytes may stand for a megabyte.
  Annotations(const RunSink& sink, const Limits& limits)
      : sink_(sink),
        max_depth_(std::min(limits.max_depth, kMostDepth)),
        most_interned_(MostBytes(limits, 0)) {}

  void Clear();
  bool empty() const { return entries_.empty(); }
  // A DebugAnnotation message; throws what protozero throws.
  void Add(std::string_view message, const Sequence& sequence);
  void AddInteger(std::string_view name, int64_t value);
  void AddText(std::string_view name, std::string_view value);
  // A value that is JSON already.
  void AddJson(std::string_view name, std::string_view json);

  std::optional<int64_t> Integer(std::string_view name) const;
  // Of a text, without its escapes.
  std::optional<std::string> Text(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }
  // Of all arguments: those by which they can be found.
  SeededSet<std::string> PlainNames() const;
  void Remove(std::string_view name);
  void Rename(std::string_view name, std::string_view to);

  // Columns go to the slice; the rest becomes its details, a JSON object, where there is any.
  void Sort(bool on_device, PartSink& sink, Slice* slice);

  // The text of a number; beyond the limit none.
  std::string_view Interned(const Sequence::Texts& texts, uint64_t number);
  bool is_beyond_limit() const { return interned_ > most_interned_; }

  const Counts& counts() const { return counts_; }
  int64_t not_a_number() const { return counts_.no_number + sorter_.not_a_number(); }

 private:
  // Both in text_; a text without its quotes.
  struct Entry {
    size_t name_at, name_bytes, value_at, value_bytes;
    json::Value::Kind kind;
    bool plain_name;
  };

  const Entry* Find(std::string_view name) const;
  std::string_view NameOf(const Entry& entry) const;
  json::Value ValueOf(const Entry& entry) const;
  void AppendQuoted(std::string_view text);
  void AppendValue(std::string_view message, const Sequence& sequence, int32_t depth);
  void AppendNested(std::string_view message, int32_t depth);
  void AppendDouble(double value);
  std::string_view NameIn(std::string_view message, const Sequence& sequence);
  void Begin(std::string_view name);
  void End();

  const RunSink& sink_;
  int32_t max_depth_;
  int64_t most_interned_;
  int64_t interned_ = 0;  // bytes of texts by number so far
  std::string text_;
  std::vector<Entry> entries_;
  kineto::RawEvent event_;
  kineto::ArgsSorter sorter_;
  Counts counts_;
};

}  // namespace steptrace::import::perfetto
