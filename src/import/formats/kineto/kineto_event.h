// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/formats/kineto/arg_fate.h"
#include "import/json/json_text.h"
#include "store/string_table.h"

namespace steptrace::import::kineto {

struct Arg {
  std::string_view key;
  json::Value value;
  ArgFate fate = ArgFate::kDetail;

  // From the quote before its key to the end of its value, as it stands in the text.
  const char* begin() const { return key.data() - 1; }
  const char* end() const {
    return value.text.data() + value.text.size() + (value.kind == json::Value::Kind::kString);
  }
};

// Arguments that only describe, in the text of an event: what follows others of the same name with
// the same text is the same.
struct ArgRun {
  struct Place {
    uint32_t key_at = 0;
    uint32_t key_size = 0;
    uint32_t value_at = 0;
    uint32_t value_size = 0;
    json::Value::Kind kind = json::Value::Kind::kNone;
    bool escaped = false;
    ArgFate fate = ArgFate::kDetail;
  };
  // What they became where they, and a run before them, were all that describes an event; of the
  // reader who keeps it.
  struct Made {
    const void* by = nullptr;        // nullptr: nothing
    const ArgRun* before = nullptr;  // nullptr: no run
    uint32_t before_version = 0;
    bool on_device = false;
    store::StringId details{};
    int64_t not_a_number = 0;
    bool is_utf8 = true;
    std::optional<int64_t> group;
  };

  std::string text;  // to the end of the last value, and the character behind it
  std::vector<Place> args;
  uint32_t version = 0;  // of the text
  Made made;

  // Appends them, as they stand in the text at p.
  template <class Args>
  void AddTo(const char* p, Args& to) const {
    for (const Place& arg : args) {
      to.push_back({{p + arg.key_at, arg.key_size},
                    {arg.kind, arg.escaped, {p + arg.value_at, arg.value_size}},
                    arg.fate});
    }
  }
};

// Arguments in their order. As a vector, but that it keeps its room and that adding one, which is
// done for nearly every event, is a few instructions.
class ArgList {
 public:
  void push_back(const Arg& arg) { Add() = arg; }
  // One to be filled: it holds what another did.
  Arg& Add() {
    if (size_ == capacity_) Grow();
    return begin()[size_++];
  }
  void clear() { size_ = 0; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Arg* begin() { return room_.data(); }
  Arg* end() { return room_.data() + size_; }
  const Arg* begin() const { return room_.data(); }
  const Arg* end() const { return room_.data() + size_; }
  std::span<const Arg> all() const { return {room_.data(), size_}; }
  Arg& operator[](size_t i) { return room_[i]; }
  const Arg& operator[](size_t i) const { return room_[i]; }

 private:
  void Grow() {
    capacity_ += 16;
    room_.resize(capacity_);
  }

  std::vector<Arg> room_;
  size_t capacity_ = 0;  // of room_; that divides to tell
  size_t size_ = 0;
};

// A trace event as it stands in the text; views into the window.
struct RawEvent {
  json::Value phase;
  json::Value name;
  json::Value category;
  json::Value pid;
  json::Value tid;
  json::Value ts;
  json::Value dur;
  json::Value id;
  json::Value id2;  // {"local": …}, of the process, or {"global": …}
  ArgList args;     // of a key that stands twice, the last
  // Of a complete event: arguments that are not in `args`, but stood before the one at `before`.
  // Nearly all events have such, and all that is wanted of them is one number.
  struct ArgRunPosition {
    ArgRun* run = nullptr;
    const char* text = nullptr;
    size_t before = 0;
  };
  std::array<ArgRunPosition, 2> runs;
  size_t run_count = 0;
  int duplicate_keys = 0;
  // Not 0: events of one reader with this number have the same category, pid and tid.
  uint32_t origin = 0;

  void Clear() {
    phase = name = category = pid = tid = ts = dur = id = id2 = {};
    args.clear();
    run_count = 0;
    duplicate_keys = 0;
    origin = 0;
  }
  // All arguments in their order.
  void AllArgs(std::vector<Arg>* all) const {
    all->clear();
    size_t next = 0;
    for (size_t i = 0; i <= args.size(); ++i) {
      for (; next < run_count && runs[next].before == i; ++next) {
        runs[next].run->AddTo(runs[next].text, *all);
      }
      if (i < args.size()) all->push_back(args[i]);
    }
  }
  char ph() const { return phase.text.size() == 1 ? phase.text[0] : '\0'; }
};

// Where the values of an event stand in its text, in their order.
struct Trail {
  enum class Target : uint8_t { kField, kArg, kNothing };
  struct Value {
    Target target = Target::kNothing;
    json::Value RawEvent::*field = nullptr;
    std::string_view key;
    json::Value value;
  };
  std::vector<Value> values;
};

// Reads the event whose bracket is at p; returns what follows it.
const char* ReadEvent(const char* p, json::Scan& scan, RawEvent* event, Trail* trail);

}  // namespace steptrace::import::kineto
