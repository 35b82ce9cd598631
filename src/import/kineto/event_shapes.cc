// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/event_shapes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace steptrace::import {
namespace {

using json::Scan;
using json::Value;

constexpr size_t kMostNestedKept = 1024;
constexpr ptrdiff_t kMostRunBytes = 1024;
constexpr size_t kMostRuns = 4096;
constexpr size_t kStride = 16;

constexpr uint8_t kBare = 1;
constexpr uint8_t kNested = 2;
constexpr uint8_t kAny = 4;

constexpr std::array<uint8_t, 256> Begins() {
  std::array<uint8_t, 256> begins{};
  for (size_t c = 0; c < begins.size(); ++c) {
    bool bare = json::IsBare(static_cast<char>(c));
    bool nested = c == '{' || c == '[';
    begins[c] = static_cast<uint8_t>(kAny | (bare ? kBare : 0) | (nested ? kNested : 0));
  }
  return begins;
}
constexpr std::array<uint8_t, 256> kBegins = Begins();

// Whether `size` bytes, at least one, are the same; up to kStride - 1 bytes beyond them are read.
inline bool Same(const char* p, const char* text, size_t size) {
#ifdef __SSE2__
  size_t i = 0;
  while (true) {
    __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    __m128i right = _mm_load_si128(reinterpret_cast<const __m128i*>(text + i));
    auto same = static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(left, right)));
    if (size - i <= kStride) return static_cast<size_t>(std::countr_one(same)) >= size - i;
    if (same != 0xFFFF) return false;
    i += kStride;
  }
#else
  return std::memcmp(p, text, size) == 0;
#endif
}

bool OnlyDescribes(ArgFate fate) {
  return fate == ArgFate::kDetail || fate == ArgFate::kDropIfZero ||
         fate == ArgFate::kDropOnDevice || fate == ArgFate::kDropOnHost;
}

}  // namespace

struct EventShapes::Draft {
  std::string_view text;
  std::array<Constant, 4> constants;
  size_t constant_count = 0;
  const Trail::Value* value = nullptr;  // none: the event's end
};

EventShapes::EventShapes() : nodes_(1) {}

inline bool EventShapes::Fits(const Node& node, const char* p, const char* end) {
  return end - p >= node.size && Same(p, node.text.data(), node.size) &&
         (kBegins[static_cast<unsigned char>(p[node.size])] & node.begins) != 0;
}

inline uint32_t EventShapes::Find(uint32_t parent, const char* p, const char* end) {
  uint32_t first = nodes_[parent].child;
  if (first == 0 || Fits(nodes_[first], p, end)) return first;
  for (uint32_t before = first, at = nodes_[first].sibling; at != 0;
       before = std::exchange(at, nodes_[at].sibling)) {
    if (!Fits(nodes_[at], p, end)) continue;
    nodes_[before].sibling = nodes_[at].sibling;
    nodes_[at].sibling = first;
    nodes_[parent].child = at;
    return at;
  }
  return 0;
}

// Kinds of events follow each other in patterns: an operator, its launch, its kernel.
uint32_t EventShapes::FindFirst(const char* p, const char* end) {
  uint32_t guess = nodes_[last_first_].successor;
  if (guess == 0 || !Fits(nodes_[guess], p, end)) {
    guess = Find(0, p, end);
    nodes_[last_first_].successor = guess;
  }
  last_first_ = guess;
  return guess;
}

inline const char* EventShapes::ReadValue(Node& node, const char* p, const Scan& window,
                                          Value* value) {
  const char* after = p;
  value->kind = node.kind;
  if (node.kind == Value::Kind::kBare) {
    after = json::BareEnd(p);
  } else if (node.kind == Value::Kind::kString) {
    Scan scan = window;
    after = json::StringEnd(p, scan, &value->escaped);
  } else if (static_cast<size_t>(window.end - p) > node.nested.size() && !node.nested.empty() &&
             std::memcmp(p, node.nested.data(), node.nested.size()) == 0) {
    // Balanced text that begins as the last value did is that value.
    after = p + node.nested.size();
  } else {
    Scan scan = window;
    after = json::SkipNested(p, scan);
    if (after != nullptr && static_cast<size_t>(after - p) <= kMostNestedKept) {
      node.nested.assign(p, after);
    }
  }
  if (after == nullptr || after >= window.end) return nullptr;
  value->text = {p, static_cast<size_t>(after - p)};
  return after;
}

ArgRun& EventShapes::RunOf(Runs& runs, std::string_view name) {
  uint64_t first = 0;
  uint64_t last = 0;
  size_t part = std::min<size_t>(name.size(), sizeof first);
  std::memcpy(&first, name.data(), part);
  std::memcpy(&last, name.data() + name.size() - part, part);
  constexpr uint64_t kSpread = 0x9E3779B97F4A7C15;
  uint64_t mixed = ((first ^ name.size()) * kSpread ^ last) * kSpread;
  return runs.by_name[mixed >> 58];
}

// The same bytes up to the character behind the last value are the same arguments.
bool EventShapes::TakeRun(ArgRun& run, const char* p, const char* end, RawEvent* event) {
  if (run.text.empty() || static_cast<size_t>(end - p) <= run.text.size() ||
      std::memcmp(p, run.text.data(), run.text.size()) != 0) {
    return false;
  }
  if (event->run_count < event->runs.size() && event->ph() == 'X') {
    event->runs[event->run_count++] = {&run, p, event->args.size()};
  } else {
    run.AddTo(p, event->args);
  }
  return true;
}

void EventShapes::KeepRun(uint32_t node, const char* begin, const char* end, uint32_t last,
                          std::span<const Arg> args, std::string_view name) {
  std::unique_ptr<Runs>& runs = nodes_[node].runs;
  if (!runs) runs = std::make_unique<Runs>();
  ++runs->misses;
  if (!runs->pays() || end - begin > kMostRunBytes) return;
  ArgRun& run = RunOf(*runs, name);
  if (run.text.empty() && run_count_++ >= kMostRuns) return;
  run.text.assign(begin, end + 1);
  run.args.clear();
  run.made = {};
  ++run.version;
  run.last = last;
  auto at = [begin](std::string_view text) { return static_cast<uint32_t>(text.data() - begin); };
  for (const Arg& arg : args) {
    run.args.push_back({at(arg.key), static_cast<uint32_t>(arg.key.size()), at(arg.value.text),
                        static_cast<uint32_t>(arg.value.text.size()), arg.value.kind,
                        arg.value.escaped, arg.fate});
  }
}

const char* EventShapes::Read(const char* p, const Scan& window, RawEvent* event) {
  event->Clear();
  uint32_t origin = 0;
  bool varies = false;
  uint32_t before_run = 0;  // the node behind which a run is being read value by value
  const char* run_begin = nullptr;
  size_t run_arg = 0;
  uint32_t before = 0;
  for (uint32_t at = FindFirst(p, window.end); at != 0;
       before = std::exchange(at, Find(at, p, window.end))) {
    Node& node = nodes_[at];
    if (before_run != 0 && !node.may_run) {
      KeepRun(before_run, run_begin, p, before, event->args.all().subspan(run_arg),
              event->name.text);
      before_run = 0;
    } else if (before_run == 0 && node.may_run && !event->name.text.empty()) {
      Runs* runs = nodes_[before].runs.get();
      if (runs != nullptr && runs->pays()) {
        ArgRun& run = RunOf(*runs, event->name.text);
        if (TakeRun(run, p, window.end, event)) {
          ++runs->hits;
          p += run.text.size() - 1;
          at = run.last;
          continue;
        }
      }
      if (runs == nullptr || runs->pays()) {
        before_run = before;
        run_begin = p;
        run_arg = event->args.size();
      }
    }
    if (node.constant_count > 0) {
      origin = at;
      for (size_t i = 0; i < node.constant_count; ++i) {
        const Constant& constant = node.constants[i];
        event->*constant.field = {constant.kind, false, {p + constant.at, constant.size}};
      }
    }
    const char* text = std::exchange(p, p + node.size);
    if (node.is_end) {
      // The way to a node holds all constants before it.
      event->origin = varies ? 0 : origin;
      return p;
    }
    Value value;
    p = ReadValue(node, p, window, &value);
    if (p == nullptr) return nullptr;
    if (node.target == Trail::Target::kArg) {
      event->args.push_back({{text + node.key_at, node.key_size}, value, node.fate});
    } else if (node.target == Trail::Target::kField) {
      event->*node.field = value;
      varies |= node.varies;
    }
  }
  return nullptr;
}

// Whether a value has few others in its place and room in the text.
bool EventShapes::TakesConstant(uint32_t parent, const Draft& draft,
                                const Trail::Value& value) const {
  constexpr size_t kMostBytes = 40;
  if (value.target != Trail::Target::kField || draft.constant_count == draft.constants.size() ||
      value.value.kind == Value::Kind::kNested || value.value.escaped ||
      value.value.text.size() > kMostBytes) {
    return false;
  }
  if (value.field == &RawEvent::phase) return true;
  if (value.field != &RawEvent::category && value.field != &RawEvent::pid &&
      value.field != &RawEvent::tid) {
    return false;
  }
  int siblings = 0;
  for (uint32_t at = nodes_[parent].child; at != 0; at = nodes_[at].sibling) ++siblings;
  return siblings < kMostConstants;
}

void EventShapes::Learn(const char* p, const char* after, const RawEvent& event,
                        const Trail& trail) {
  if (event.duplicate_keys > 0) return;  // rare, and counted only the long way
  uint32_t parent = 0;
  Draft draft;
  const char* begin = p;
  for (const Trail::Value& value : trail.values) {
    const char* at = value.value.text.data();
    auto offset = static_cast<size_t>(at - begin);
    if (offset >= kMostText) return;
    if (TakesConstant(parent, draft, value)) {
      draft.constants[draft.constant_count++] = {value.field, value.value.kind,
                                                 static_cast<uint8_t>(offset),
                                                 static_cast<uint8_t>(value.value.text.size())};
      continue;
    }
    draft.text = {begin, offset};
    draft.value = &value;
    parent = Add(parent, draft);
    if (parent == 0) return;
    begin = at + value.value.text.size();
    draft = {};
  }
  draft.text = {begin, static_cast<size_t>(after - begin)};
  Add(parent, draft);
}

// The node of a text below a parent, made if it is not there. 0: there is no room.
uint32_t EventShapes::Add(uint32_t parent, const Draft& draft) {
  if (draft.text.empty() || draft.text.size() > kMostText) return 0;
  int siblings = 0;
  for (uint32_t at = nodes_[parent].child; at != 0; at = nodes_[at].sibling) {
    ++siblings;
    const Node& node = nodes_[at];
    bool same_kind = node.is_end == (draft.value == nullptr) &&
                     node.constant_count == draft.constant_count &&
                     (draft.value == nullptr || node.kind == draft.value->value.kind);
    if (same_kind && std::string_view(node.text.data(), node.size) == draft.text) return at;
  }
  if (nodes_.size() >= kMostNodes || siblings >= kMostSiblings) return 0;
  Node node;
  std::copy(draft.text.begin(), draft.text.end(), node.text.begin());
  node.size = static_cast<uint8_t>(draft.text.size());
  node.constants = draft.constants;
  node.constant_count = static_cast<uint8_t>(draft.constant_count);
  node.is_end = draft.value == nullptr;
  node.begins = kAny;
  if (draft.value != nullptr) {
    node.kind = draft.value->value.kind;
    node.target = draft.value->target;
    node.field = draft.value->field;
    node.varies = node.field == &RawEvent::category || node.field == &RawEvent::pid ||
                  node.field == &RawEvent::tid;
    if (node.kind == Value::Kind::kBare) node.begins = kBare;
    if (node.kind == Value::Kind::kNested) node.begins = kNested;
  }
  if (draft.value != nullptr && node.target == Trail::Target::kArg) {
    const std::string_view key = draft.value->key;
    node.key_at = static_cast<uint8_t>(key.data() - draft.text.data());
    node.key_size = static_cast<uint8_t>(key.size());
    node.fate = FateOf(key);
    // A run is taken whole: what else is in the text of its first argument would be passed over.
    node.may_run = OnlyDescribes(node.fate) && node.constant_count == 0;
  }
  auto added = static_cast<uint32_t>(nodes_.size());
  node.sibling = nodes_[parent].child;
  nodes_[parent].child = added;
  nodes_.push_back(std::move(node));
  return added;
}

}  // namespace steptrace::import
