// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/event_shapes.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace steptrace::import::kineto {
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

// Whether the node's text stands at p. Up to kStride - 1 bytes beyond it are read.
inline bool EventShapes::IsText(const Node& node, const char* p) {
  const char* text = node.text.data();
#ifdef __SSE2__
  auto same_at = [p, text](size_t at) {
    __m128i left = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
    __m128i right = _mm_load_si128(reinterpret_cast<const __m128i*>(text + at));
    return static_cast<uint32_t>(_mm_movemask_epi8(_mm_cmpeq_epi8(left, right)));
  };
  size_t at = node.last_at;
  if ((same_at(at) | node.beyond) != 0xFFFF) return false;
  while (at > 0) {
    at -= kStride;
    if (same_at(at) != 0xFFFF) return false;
  }
  return true;
#else
  return std::memcmp(p, text, node.size) == 0;
#endif
}

inline bool EventShapes::Fits(const Node& node, const char* p, const char* end) {
  return end - p >= node.size && IsText(node, p) &&
         (kBegins[static_cast<unsigned char>(p[node.size])] & node.begins) != 0;
}

inline EventShapes::Node* EventShapes::Find(Node& parent, const char* p, const char* end) {
  Node* first = parent.child;
  return first == nullptr || Fits(*first, p, end) ? first : FindOther(parent, p, end);
}

EventShapes::Node* EventShapes::FindOther(Node& parent, const char* p, const char* end) {
  Node* first = parent.child;
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
  const char* after = nullptr;
  value->kind = node.kind;
  value->escaped = false;
  if (node.kind == Value::Kind::kBare) {
    after = json::BareEnd(p);
  } else if (node.kind == Value::Kind::kString) {
    after = json::StringEnd(p, window.end, &value->escaped);
    if (after == nullptr) return nullptr;
  } else {
    after = NestedEnd(node, p, window);
    if (after == nullptr) return nullptr;
  }
  value->text = {p, static_cast<size_t>(after - p)};
  return after < window.end ? after : nullptr;
}

const char* EventShapes::NestedEnd(Node& node, const char* p, const Scan& window) {
  const size_t size = node.nested.size();
  // Balanced text that begins as the last value did is that value.
  if (static_cast<size_t>(window.end - p) > size && size > 0 &&
      std::memcmp(p, node.nested.data(), size) == 0) {
    return p + size;
  }
  Scan scan = window;
  const char* after = json::SkipNested(p, scan);
  if (after != nullptr && static_cast<size_t>(after - p) <= kMostNestedKept) {
    node.nested.assign(p, after);
  }
  return after;
}

inline EventShapes::Run& EventShapes::RunOf(Runs& runs, std::string_view name) {
  static_assert(kRuns == 64);
  return runs.by_name[json::ShortHash(name) >> 58];
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

// The run that stands at p behind a node, taken. nullptr: none that is known; one may begin.
inline EventShapes::Run* EventShapes::RunBehind(Node& before, const char* p, const char* end,
                                                RawEvent* event, NewRun* begun) {
  if (event->name.text.empty()) return nullptr;
  Runs* runs = before.runs.get();
  if (runs != nullptr) {
    if (!runs->pays()) return nullptr;
    Run& run = RunOf(*runs, event->name.text);
    if (TakeRun(run, p, end, event)) {
      ++runs->hits;
      return &run;
    }
  }
  *begun = {&before, p, event->args.size()};
  return nullptr;
}

void EventShapes::KeepRun(const NewRun& read, const char* end, Node* last, const RawEvent& event) {
  const char* begin = read.begin;
  std::unique_ptr<Runs>& runs = read.before->runs;
  if (!runs) runs = std::make_unique<Runs>();
  ++runs->misses;
  if (!runs->pays() || end - begin > kMostRunBytes) return;
  Run& run = RunOf(*runs, event.name.text);
  if (run.text.empty() && run_count_++ >= kMostRuns) return;
  run.text.assign(begin, end + 1);
  run.args.clear();
  run.made = {};
  ++run.version;
  run.last = last;
  auto at = [begin](std::string_view text) { return static_cast<uint32_t>(text.data() - begin); };
  for (const Arg& arg : event.args.all().subspan(read.first_arg)) {
    run.args.push_back({at(arg.key), static_cast<uint32_t>(arg.key.size()), at(arg.value.text),
                        static_cast<uint32_t>(arg.value.text.size()), arg.value.kind,
                        arg.value.escaped, arg.fate});
  }
}

const char* EventShapes::Read(const char* p, const Scan& window, RawEvent* event) {
  event->Clear();
  uint32_t origin = 0;
  bool varies = false;
  NewRun new_run;
  Value unused;
  Node* before = &nodes_.front();
  for (Node* node = FindFirst(p, window.end); node != nullptr;
       before = std::exchange(node, Find(*node, p, window.end))) {
    if (const bool in_run = new_run.before != nullptr; node->may_run != in_run) {
      if (in_run) {
        KeepRun(new_run, p, before, *event);
        new_run = {};
      } else if (Run* run = RunBehind(*before, p, window.end, event, &new_run)) {
        p += run->text.size() - 1;
        node = run->last;
        continue;
      }
    }
    if (node->constant_count > 0) {
      origin = node->number;
      for (size_t i = 0; i < node->constant_count; ++i) {
        const Constant& constant = node->constants[i];
        Value& value = event->*constant.field;
        value.kind = constant.kind;
        value.escaped = false;
        value.text = {p + constant.at, constant.size};
      }
    }
    const char* text = std::exchange(p, p + node->size);
    if (node->is_end) {
      // The way to a node holds all constants before it.
      event->origin = varies ? 0 : origin;
      return p;
    }
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
  node.last_at = static_cast<uint8_t>((node.size - 1) / kStride * kStride);
  node.beyond = static_cast<uint16_t>(0xFFFFu << (node.size - node.last_at));
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

}  // namespace steptrace::import::kineto
