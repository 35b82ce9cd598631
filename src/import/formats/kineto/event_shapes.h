// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/formats/kineto/kineto_event.h"

namespace steptrace::import::kineto {

// Reads events by how those before them were written. A writer repeats itself: the same keys in the
// same order with the same spaces. So what stands between two values is one text that is compared
// at once, and only values are looked at. The texts form a tree from an event's bracket to its
// closing one. Values of which there are few are part of them: phase, category, process and thread;
// and so are arguments that only describe, as long as events of one name repeat them (ArgRun). What
// is in no branch is read the long way (ReadEvent) and then learnt: both ways give the same event,
// and damage goes the long way.
//
//   {"ph": "X", "cat": "kernel", "name": " ─► ", "pid": 0, "tid": 7, "ts": ─► ... ─► }}
//   {"ph": "s", "id":  ─► , "pid": 7, "tid": 7, "ts": ─► }
class EventShapes {
 public:
  EventShapes();

  // Reads the event whose bracket is at p and returns what follows it. nullptr: it has no known
  // shape, or the window may end in it.
  const char* Read(const char* p, const json::Scan& window, RawEvent* event);

  // Keeps the shape of an event that ReadEvent read from p to `after`.
  void Learn(const char* p, const char* after, const RawEvent& event, const Trail& trail);

 private:
  static constexpr size_t kMostText = 128;
  static constexpr size_t kMostNodes = 1 << 13;
  static constexpr int kMostSiblings = 64;
  static constexpr int kMostConstants = 24;  // siblings, from which on all but the phase is a value
  static constexpr size_t kRuns = 64;

  // A value inside the text.
  struct Constant {
    json::Value RawEvent::*field = nullptr;
    json::Value::Kind kind = json::Value::Kind::kNone;
    uint8_t at = 0;
    uint8_t size = 0;
  };
  struct Node;
  struct Run : ArgRun {
    Node* last = nullptr;  // behind which the event goes on
  };
  // Runs behind a node, by the event's name.
  struct Runs {
    std::array<Run, kRuns> by_name;
    int64_t hits = 0;
    int64_t misses = 0;
    bool pays() const { return misses < 256 || misses < hits * 4; }
  };
  // A text and the value behind it.
  struct Node {
    alignas(16) std::array<char, kMostText> text{};
    uint8_t size = 0;
    uint8_t last_at = 0;  // of its last 16 bytes, of which some may be beyond it: their bits
    uint16_t beyond = 0;
    uint8_t begins = 0;    // with what a value of this kind may begin: bits of kBegins
    bool is_end = false;   // no value: the event ends with the text
    bool may_run = false;  // an argument that only describes
    bool varies = false;   // the value is one of those by which events have an origin
    json::Value::Kind kind = json::Value::Kind::kNone;
    Trail::Target target = Trail::Target::kNothing;
    ArgFate fate = ArgFate::kDetail;
    uint8_t key_at = 0;  // of an argument: where its key stands in the text
    uint8_t key_size = 0;
    uint8_t constant_count = 0;
    uint32_t number = 0;
    Node* child = nullptr;  // the last that fitted
    Node* sibling = nullptr;
    Node* successor = nullptr;  // of a first text: that of the event that came next
    json::Value RawEvent::*field = nullptr;
    std::array<Constant, 4> constants;
    std::string nested;  // the last value, if that is nested
    std::unique_ptr<Runs> runs;
  };
  // A text that is put together before it is known to fit into a node.
  struct Draft;
  // A run that is being read value by value, to be kept.
  struct NewRun {
    Node* before = nullptr;  // behind which it begins; nullptr: there is none
    const char* begin = nullptr;
    size_t first_arg = 0;
  };

  static bool IsText(const Node& node, const char* p);
  static bool Fits(const Node& node, const char* p, const char* end);
  static Node* Find(Node& parent, const char* p, const char* end);
  static Node* FindOther(Node& parent, const char* p, const char* end);
  Node* FindFirst(const char* p, const char* end);
  static const char* ReadValue(Node& node, const char* p, const json::Scan& window,
                               json::Value* value);
  static const char* NestedEnd(Node& node, const char* p, const json::Scan& window);
  static Run& RunOf(Runs& runs, std::string_view name);
  static bool TakeRun(Run& run, const char* p, const char* end, RawEvent* event);
  static Run* RunBehind(Node& before, const char* p, const char* end, RawEvent* event,
                        NewRun* begun);
  void KeepRun(const NewRun& read, const char* end, Node* last, const RawEvent& event);
  static bool TakesConstant(const Node& parent, const Draft& draft, const Trail::Value& value);
  Node* Add(Node& parent, const Draft& draft);

  std::deque<Node> nodes_;  // the first is the root; they stay where they are
  size_t run_count_ = 0;
  Node* last_first_;  // the first text of the event before
};

}  // namespace steptrace::import::kineto
