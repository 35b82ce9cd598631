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
constexpr uint8_t kArray = 8;

constexpr std::array<uint8_t, 256> Begins() {
  std::array<uint8_t, 256> begins{};
  for (size_t c = 0; c < begins.size(); ++c) {
    bool bare = json::IsBare(static_cast<char>(c));
    bool nested = c == '{' || c == '[';
    begins[c] = static_cast<uint8_t>(kAny | (bare ? kBare : 0) | (nested ? kNested : 0) |
                                     (c == '[' ? kArray : 0));
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

// With what a value in the place of that one may begin. Of a value that is passed over an array is
// no object: in the place of `"args": []` another event has its arguments.
uint8_t BeginsOf(const Trail::Value& value) {
  if (value.value.kind == Value::Kind::kBare) return kBare;
  if (value.value.kind != Value::Kind::kNested) return kAny;
  const bool passed_over = value.target == Trail::Target::kNothing;
  return passed_over && value.value.text.starts_with('[') ? kArray : kNested;
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

EventShapes::EventShapes() : nodes_(1), last_first_(&nodes_.front()) {}

inline bool EventShapes::Fits(const Node& node, const char* p, const char* end) {
  return end - p >= node.size && Same(p, node.text.data(), node.size) &&
         (kBegins[static_cast<unsigned char>(p[node.size])] & node.begins) != 0;
}

inline EventShapes::Node* EventShapes::Find(Node& parent, const char* p, const char* end) {
  Node* first = parent.child;
  if (first == nullptr || Fits(*first, p, end)) return first;
  for (Node *before = first, *at = first->sibling; at != nullptr;
       before = std::exchange(at, at->sibling)) {
    if (!Fits(*at, p, end)) continue;
    before->sibling = at->sibling;
    at->sibling = first;
    parent.child = at;
    return at;
  }
  return nullptr;
}

// Kinds of events follow each other in patterns: an operator, its launch, its kernel.
inline EventShapes::Node* EventShapes::FindFirst(const char* p, const char* end) {
  Node* guess = last_first_->successor;
  if (guess == nullptr || !Fits(*guess, p, end)) {
    guess = Find(nodes_.front(), p, end);
    last_first_->successor = guess;
  }
  last_first_ = guess == nullptr ? &nodes_.front() : guess;
  return guess;
}

inline const char* EventShapes::ReadValue(Node& node, const char* p, const Scan& window,
                                          Value* value) {
  const char* after = p;
  value->kind = node.kind;
  value->escaped = false;
  if (node.kind == Value::Kind::kBare) {
    after = json::BareEnd(p);
  } else if (node.kind == Value::Kind::kString) {
    after = json::StringEnd(p, window.end, &value->escaped);
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

EventShapes::Run& EventShapes::RunOf(Runs& runs, std::string_view name) {
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
bool EventShapes::TakeRun(Run& run, const char* p, const char* end, RawEvent* event) {
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

void EventShapes::KeepRun(Node& node, const char* begin, const char* end, Node* last,
                          std::span<const Arg> args, std::string_view name) {
  std::unique_ptr<Runs>& runs = node.runs;
  if (!runs) runs = std::make_unique<Runs>();
  ++runs->misses;
  if (!runs->pays() || end - begin > kMostRunBytes) return;
  Run& run = RunOf(*runs, name);
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
  Node* before_run = nullptr;  // behind which a run is being read value by value
  const char* run_begin = nullptr;
  size_t run_arg = 0;
  Node* before = &nodes_.front();
  for (Node* node = FindFirst(p, window.end); node != nullptr;
       before = std::exchange(node, Find(*node, p, window.end))) {
    if (before_run != nullptr && !node->may_run) {
      KeepRun(*before_run, run_begin, p, before, event->args.all().subspan(run_arg),
              event->name.text);
      before_run = nullptr;
    } else if (before_run == nullptr && node->may_run && !event->name.text.empty()) {
      Runs* runs = before->runs.get();
      if (runs != nullptr && runs->pays()) {
        Run& run = RunOf(*runs, event->name.text);
        if (TakeRun(run, p, window.end, event)) {
          ++runs->hits;
          p += run.text.size() - 1;
          node = run.last;
          continue;
        }
      }
      if (runs == nullptr || runs->pays()) {
        before_run = before;
        run_begin = p;
        run_arg = event->args.size();
      }
    }
    if (node->constant_count > 0) {
      origin = node->number;
      for (size_t i = 0; i < node->constant_count; ++i) {
        const Constant& constant = node->constants[i];
        event->*constant.field = {constant.kind, false, {p + constant.at, constant.size}};
      }
    }
    const char* text = std::exchange(p, p + node->size);
    if (node->is_end) {
      // The way to a node holds all constants before it.
      event->origin = varies ? 0 : origin;
      return p;
    }
    Value unused;
    Value* value = &unused;
    if (node->target == Trail::Target::kArg) {
      Arg& arg = event->args.Add();
      arg.key = {text + node->key_at, node->key_size};
      arg.fate = node->fate;
      value = &arg.value;
    } else if (node->target == Trail::Target::kField) {
      value = &(event->*node->field);
      varies |= node->varies;
    }
    p = ReadValue(*node, p, window, value);
    if (p == nullptr) return nullptr;
  }
  return nullptr;
}

// Whether a value has few others in its place and room in the text.
bool EventShapes::TakesConstant(const Node& parent, const Draft& draft, const Trail::Value& value) {
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
  for (Node* at = parent.child; at != nullptr; at = at->sibling) ++siblings;
  return siblings < kMostConstants;
}

void EventShapes::Learn(const char* p, const char* after, const RawEvent& event,
                        const Trail& trail) {
  if (event.duplicate_keys > 0) return;  // rare, and counted only the long way
  Node* parent = &nodes_.front();
  Draft draft;
  const char* begin = p;
  for (const Trail::Value& value : trail.values) {
    const char* at = value.value.text.data();
    auto offset = static_cast<size_t>(at - begin);
    if (offset >= kMostText) return;
    if (TakesConstant(*parent, draft, value)) {
      draft.constants[draft.constant_count++] = {value.field, value.value.kind,
                                                 static_cast<uint8_t>(offset),
                                                 static_cast<uint8_t>(value.value.text.size())};
      continue;
    }
    draft.text = {begin, offset};
    draft.value = &value;
    parent = Add(*parent, draft);
    if (parent == nullptr) return;
    begin = at + value.value.text.size();
    draft = {};
  }
  draft.text = {begin, static_cast<size_t>(after - begin)};
  Add(*parent, draft);
}

// The node of a text below a parent, made if it is not there. nullptr: there is no room.
EventShapes::Node* EventShapes::Add(Node& parent, const Draft& draft) {
  if (draft.text.empty() || draft.text.size() > kMostText) return nullptr;
  const uint8_t begins = draft.value == nullptr ? kAny : BeginsOf(*draft.value);
  int siblings = 0;
  for (Node* at = parent.child; at != nullptr; at = at->sibling) {
    ++siblings;
    const Node& node = *at;
    bool same_kind = node.begins == begins && node.is_end == (draft.value == nullptr) &&
                     node.constant_count == draft.constant_count &&
                     (draft.value == nullptr || node.kind == draft.value->value.kind);
    if (same_kind && std::string_view(node.text.data(), node.size) == draft.text) return at;
  }
  if (nodes_.size() >= kMostNodes || siblings >= kMostSiblings) return nullptr;
  Node& node = nodes_.emplace_back();
  std::copy(draft.text.begin(), draft.text.end(), node.text.begin());
  node.size = static_cast<uint8_t>(draft.text.size());
  node.constants = draft.constants;
  node.constant_count = static_cast<uint8_t>(draft.constant_count);
  node.is_end = draft.value == nullptr;
  node.begins = begins;
  if (draft.value != nullptr) {
    node.kind = draft.value->value.kind;
    node.target = draft.value->target;
    node.field = draft.value->field;
    node.varies = node.field == &RawEvent::category || node.field == &RawEvent::pid ||
                  node.field == &RawEvent::tid;
  }
  if (draft.value != nullptr && node.target == Trail::Target::kArg) {
    const std::string_view key = draft.value->key;
    node.key_at = static_cast<uint8_t>(key.data() - draft.text.data());
    node.key_size = static_cast<uint8_t>(key.size());
    node.fate = FateOf(key);
    // A run is taken whole: what else is in the text of its first argument would be passed over.
    node.may_run = OnlyDescribes(node.fate) && node.constant_count == 0;
  }
  node.number = static_cast<uint32_t>(nodes_.size()) - 1;
  node.sibling = parent.child;
  parent.child = &node;
  return &node;
}

}  // namespace steptrace::import
