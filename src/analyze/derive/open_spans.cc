// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/open_spans.h"

#include <initializer_list>

#include "wire/vocabulary.h"

namespace steptrace::analyze {
namespace {

static_assert(kHookNames <= 32);  // a bit each

constexpr uint32_t Bit(HookName name) {
  return 1u << static_cast<uint32_t>(name);
}

constexpr uint32_t Bits(std::initializer_list<HookName> names) {
  uint32_t bits = 0;
  for (HookName name : names) bits |= Bit(name);
  return bits;
}

// Ranges inside which a range of the given name never begins. What merely is unusual is not here.
constexpr uint32_t CannotContain(HookName child) {
  using enum HookName;
  constexpr uint32_t kLeaves = Bits({kGc});
  constexpr uint32_t kNeverTrain =
      kLeaves | Bits({kData, kLoaderIter, kCheckpoint, kCollective, kLogging, kCollate, kFetch});
  switch (child) {
    case kData:
      return kLeaves | Bits({kBackward, kLoaderIter, kCheckpoint, kCollective, kCompile});
    case kLoaderIter:
      return kLeaves | Bits({kBackward, kOptimizer, kCheckpoint, kCollective, kCompile});
    case kBackward:
      return kNeverTrain;
    case kOptimizer:
      return kNeverTrain | Bits({kEvaluation, kCompile});
    case kEvaluation:
      return kLeaves | Bits({kData, kBackward, kOptimizer, kForward, kCollective, kCheckpoint});
    case kForward:
      return kLeaves | Bits({kData, kCheckpoint, kCollective});
    case kFetch:
      return kLeaves | Bits({kBackward, kCheckpoint, kCollective});
    case kUser:
      return 0;
    default:
      return kLeaves;
  }
}

// Ranges that nest in one of the same name only as a stale one shows it (see IsStale).
constexpr uint32_t kSelfStale =
    Bits({HookName::kData, HookName::kOptimizer, HookName::kForward, HookName::kFetch});

// kUser has no phase; neither have instants.
std::optional<Phase> PhaseOf(HookName name) {
  switch (name) {
    case HookName::kData:
    case HookName::kLoaderIter:
    case HookName::kFetch:
    case HookName::kCollate:
      return Phase::kData;
    case HookName::kBackward:
      return Phase::kBackward;
    case HookName::kOptimizer:
      return Phase::kOptimizer;
    case HookName::kCheckpoint:
      return Phase::kCheckpoint;
    case HookName::kForward:
      return Phase::kForward;
    case HookName::kEvaluation:
      return Phase::kEvaluation;
    case HookName::kLogging:
      return Phase::kLogging;
    case HookName::kGc:
      return Phase::kGc;
    case HookName::kCompile:
      return Phase::kCompile;
    case HookName::kCapture:
      return Phase::kCapture;
    case HookName::kCollective:
      return Phase::kCommunication;
    default:
      return std::nullopt;
  }
}

}  // namespace

uint64_t IteratorOf(uint64_t a) {
  return a & 0xFFFFFFFFu;
}

int32_t QueueDepthOf(uint64_t a) {
  const auto depth = static_cast<uint32_t>(a >> 32);
  return depth == wire::kUnknownQueueDepth ? -1 : static_cast<int32_t>(depth & 0x7FFFFFFFu);
}

bool WaitPieces::Add(TimeSpan piece) {
  if (count > 0 && pieces[count - 1].end_ns == piece.begin_ns) {
    pieces[count - 1].end_ns = piece.end_ns;
    return true;
  }
  if (count == kMax) return false;
  pieces[count++] = piece;
  return true;
}

OpenSpan* OpenSpans::Push(const Event& event) {
  const OpenSpan* parent = stack_.empty() ? nullptr : &stack_.top();
  OpenSpan span{.name = event.name,
                .phase = parent != nullptr ? parent->phase : Phase::kOther,
                .owner = parent != nullptr ? parent->owner : -1,
                .text = event.text,
                .begin_ns = event.ts_ns,
                .a = event.a,
                .b = event.b};
  // A dataset that reads its samples by torch.load is at data, not at a checkpoint; and collections
  // that unpickling or decoding sets off are part of what the data costs.
  const bool belongs_to_data =
      (event.name == HookName::kCheckpoint || event.name == HookName::kGc) && InData();
  if (const auto phase = PhaseOf(event.name); phase && !belongs_to_data) {
    span.phase = *phase;
    span.bears_phase = true;
    span.owner = static_cast<int32_t>(stack_.size());
  }
  OpenSpan* held = stack_.Push(span);
  if (held == nullptr) return nullptr;
  ++open_[static_cast<size_t>(event.name)];
  open_mask_ |= Bit(event.name);
  return held;
}

void OpenSpans::Pop() {
  const HookName name = stack_.top().name;
  if (--open_[static_cast<size_t>(name)] == 0) open_mask_ &= ~Bit(name);
  stack_.Pop();
}

bool OpenSpans::IsStale(size_t index, const Event& child) const {
  const OpenSpan& span = stack_.spans()[index];
  if ((CannotContain(child.name) & Bit(span.name)) != 0) return true;
  if (span.name != child.name) return false;
  switch (child.name) {
    case HookName::kData:  // an iterator does not ask itself; the depth of its queue may differ
      return IteratorOf(span.a) == IteratorOf(child.a);
    case HookName::kOptimizer:  // a subclass that calls its base announces itself twice
      return span.a == child.a && span.worked;
    case HookName::kForward:
      return span.worked;
    case HookName::kFetch:
      return index + 1 == stack_.size() || !IsOpen(HookName::kData);
    default:
      return false;
  }
}

size_t OpenSpans::FirstStale(const Event& event) const {
  const uint32_t suspects = CannotContain(event.name) | (Bit(event.name) & kSelfStale);
  if ((open_mask_ & suspects) == 0) return stack_.size();
  // A checkpoint inside data is the dataset's own (see Push): it says nothing.
  size_t first = stack_.size();
  for (size_t i = stack_.size(); i-- > 0;) {
    if (IsStale(i, event)) first = i;
  }
  return first;
}

}  // namespace steptrace::analyze
