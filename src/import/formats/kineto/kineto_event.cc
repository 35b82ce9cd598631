// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/kineto_event.h"

#include <cstdint>
#include <string_view>

#include "base/text_hash.h"

namespace steptrace::import::kineto {
namespace {

using json::Fail;
using json::Scan;
using json::SkipSpace;
using json::Value;

// The key at p, its colon and the space behind that.
const char* ReadKey(const char* p, Scan& scan, std::string_view* key) {
  if (*p != '"') return Fail(p, scan);
  bool escaped = false;
  const char* close = json::StringEnd(p + 1, scan, &escaped);
  if (close == nullptr) return nullptr;
  *key = {p + 1, static_cast<size_t>(close - p - 1)};
  p = SkipSpace(close + 1);
  if (*p != ':') return Fail(p, scan);
  return SkipSpace(p + 1);
}

// Calls on(key, p), which reads the value and returns what follows it, for each member.
template <class F>
const char* ReadMembers(const char* p, Scan& scan, F&& on) {
  p = SkipSpace(p + 1);
  if (*p == '}') return p + 1;
  while (true) {
    std::string_view key;
    p = ReadKey(p, scan, &key);
    if (p == nullptr) return nullptr;
    p = on(key, p);
    if (p == nullptr) return nullptr;
    p = SkipSpace(p);
    if (*p == '}') return p + 1;
    if (*p != ',') return Fail(p, scan);
    p = SkipSpace(p + 1);
  }
}

// The arguments of an event by their keys, while they are read. Nearly all events have a few, where
// comparing is quickest; of many a table tells whether a key stood before.
class ArgsByKey {
 public:
  explicit ArgsByKey(ArgList& args) : args_(args) {}

  // The argument of that key that stands there already; nullptr: there is none.
  Arg* Find(std::string_view key) {
    const uint64_t bit = BitOf(key);
    if ((seen_ & bit) == 0) {
      seen_ |= bit;
      return nullptr;
    }
    if (args_.size() > kFew) return FindAmongMany(key);
    for (Arg& arg : args_) {
      if (arg.key == key) return &arg;
    }
    return nullptr;
  }

 private:
  static constexpr size_t kFew = 64;

  Arg* FindAmongMany(std::string_view key) {
    for (; known_ < args_.size(); ++known_) places_.emplace(args_[known_].key, known_);
    const auto found = places_.find(key);
    return found == places_.end() ? nullptr : &args_[found->second];
  }

  // A bit for a key: two keys of one bit are compared.
  static uint64_t BitOf(std::string_view key);

  ArgList& args_;
  uint64_t seen_ = 0;
  SeededMap<std::string_view, size_t> places_;  // of the first `known_`
  size_t known_ = 0;
};

uint64_t ArgsByKey::BitOf(std::string_view key) {
  if (key.empty()) return 1;
  auto hash = static_cast<uint64_t>(key.size()) * 31 + static_cast<unsigned char>(key.front()) * 7 +
              static_cast<unsigned char>(key.back()) * 13 +
              static_cast<unsigned char>(key[key.size() / 2]);
  return uint64_t{1} << (hash & 63);
}

void KeepArg(std::string_view key, const Value& value, ArgsByKey& by_key, RawEvent* event) {
  if (Arg* before = by_key.Find(key); before != nullptr) {
    before->value = value;
    ++event->duplicate_keys;
    return;
  }
  event->args.push_back({key, value, FateOf(key)});
}

const char* ReadArgs(const char* p, Scan& scan, RawEvent* event, Trail* trail) {
  if (*p != '{') {  // null, or nothing that could be named
    Value value;
    p = json::ReadValue(p, scan, &value);
    trail->values.push_back({Trail::Target::kNothing, nullptr, {}, value});
    return p;
  }
  ArgsByKey by_key(event->args);
  return ReadMembers(p, scan, [&](std::string_view key, const char* at) {
    Value value;
    const char* after = json::ReadValue(at, scan, &value);
    if (after != nullptr) KeepArg(key, value, by_key, event);
    trail->values.push_back({Trail::Target::kArg, nullptr, key, value});
    return after;
  });
}

Value RawEvent::*FieldOf(std::string_view key) {
  switch (key.size()) {
    case 2:
      if (key == "ph") return &RawEvent::phase;
      if (key == "ts") return &RawEvent::ts;
      if (key == "id") return &RawEvent::id;
      return nullptr;
    case 3:
      if (key == "cat") return &RawEvent::category;
      if (key == "pid") return &RawEvent::pid;
      if (key == "tid") return &RawEvent::tid;
      if (key == "dur") return &RawEvent::dur;
      if (key == "id2") return &RawEvent::id2;
      return nullptr;
    case 4:
      return key == "name" ? &RawEvent::name : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace

const char* ReadEvent(const char* p, json::Scan& scan, RawEvent* event, Trail* trail) {
  event->Clear();
  trail->values.clear();
  bool had_args = false;
  return ReadMembers(p, scan, [&](std::string_view key, const char* at) -> const char* {
    if (key == "args") {
      if (had_args) {
        ++event->duplicate_keys;
        event->args.clear();
      }
      had_args = true;
      return ReadArgs(at, scan, event, trail);
    }
    Value unused;
    Value RawEvent::*field = FieldOf(key);
    Value* value = field == nullptr ? &unused : &(event->*field);
    if (*value) ++event->duplicate_keys;
    const char* after = json::ReadValue(at, scan, value);
    auto target = field == nullptr ? Trail::Target::kNothing : Trail::Target::kField;
    trail->values.push_back({target, field, key, *value});
    return after;
  });
}

}  // namespace steptrace::import::kineto
