// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/lock_holders.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "analyze/samples/running_moments.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostLocks = 64;  // that wait, and that hold one's lock
constexpr int kMostLockFrames = 128;
constexpr size_t kMostCompared = 256;      // of others, for one that waits: a round has fewer
constexpr size_t kMostRemembered = 65536;  // of pairs of stacks

// "Store" of "Store.get"; empty: no method.
std::string_view MethodClass(std::string_view function) {
  const size_t dot = function.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return "";
  const std::string_view of = function.substr(0, dot);
  return of.ends_with("<locals>") ? "" : of;
}

// A lock that is taken to have it, not to learn of another thread's work.
bool WaitsForLock(const StackClass& of) {
  return of.wait.in_lock && !of.wait.takes_over && !of.wait.on_signal && !of.wait.asks &&
         !of.wait.own_threads;
}

}  // namespace

void LockHolders::Note(const store::SampleRow& sample, const SampleThreads::Thread& thread,
                       bool waits) {
  if (sample.stack < 0 || static_cast<size_t>(sample.stack) >= classes_.size()) return;
  const StackClass& of = classes_[static_cast<size_t>(sample.stack)];
  if (of.frames.user < 0) return;
  const bool in_lock = WaitsForLock(of) && (waits || of.wait.on_lock);
  if (of.wait.in_lock && !in_lock) return;
  moments_.push_back({.rank = thread.rank,
                      .node = thread.node,
                      .pid = thread.pid,
                      .ts_ns = sample.ts_ns,
                      .track = sample.track,
                      .user = of.frames.user,
                      .in_lock = in_lock,
                      .across = of.wait.across});
}

void LockHolders::Match() {
  std::ranges::sort(moments_, [](const Moment& a, const Moment& b) {
    return std::tie(a.rank, a.ts_ns, a.track) < std::tie(b.rank, b.ts_ns, b.track);
  });
  size_t from = 0;
  for (const Moment& one : moments_) {
    if (!one.in_lock) continue;
    const auto before = [&one](const Moment& other) {
      return std::pair(other.rank, SaturatingAdd(other.ts_ns, RunningMoments::kOneRoundNs)) <
             std::pair(one.rank, one.ts_ns);
    };
    while (before(moments_[from])) ++from;
    MatchOne(one, from);
  }
}

// from: the first of its round.
void LockHolders::MatchOne(const Moment& one, size_t from) {
  const store::StackRow& waiter = Row(one.user);
  const Function function = {waiter.file, waiter.function};
  if (waiting_.size() >= kMostLocks && !waiting_.contains(function)) return;
  Waiting& waiting = waiting_[function];
  ++waiting.samples;
  const size_t end = std::min(moments_.size(), from + kMostCompared);
  for (size_t i = from; i < end; ++i) {
    const Moment& other = moments_[i];
    if (other.rank != one.rank ||
        other.ts_ns > SaturatingAdd(one.ts_ns, RunningMoments::kOneRoundNs)) {
      return;
    }
    if (other.in_lock || other.track == one.track || !one.MayShareLockWith(other) ||
        !IsWithin(one.user, other.user)) {
      continue;
    }
    const store::StackRow& held = Row(other.user);
    const Line line = {held.file, held.function, held.line};
    if (waiting.holders.size() < kMostLocks || waiting.holders.contains(line)) {
      ++waiting.holders[line];
    }
    return;  // a lock has one holder
  }
}

bool LockHolders::IsWithin(int32_t waiter, int32_t at) {
  const uint64_t key =
      static_cast<uint64_t>(static_cast<uint32_t>(waiter)) << 32 | static_cast<uint32_t>(at);
  const auto known = within_.find(key);
  if (known != within_.end()) return known->second;
  if (within_.size() >= kMostRemembered) within_.clear();
  return within_[key] = IsWithin(Row(waiter), at);
}

// Whether a stack's frame, or one around it, is behind that line of the waiting function, or in
// another method of its class.
bool LockHolders::IsWithin(const store::StackRow& waiter, int32_t at) const {
  const std::string_view of_class = MethodClass(strings_.Text(waiter.function));
  for (int depth = 0; at >= 0 && depth < kMostLockFrames; ++depth) {
    const store::StackRow& frame = Row(at);
    if (frame.file == waiter.file) {
      if (frame.function == waiter.function) {
        if (frame.line > waiter.line) return true;
      } else if (!of_class.empty() && MethodClass(strings_.Text(frame.function)) == of_class) {
        return true;
      }
    }
    const int32_t parent = frame.parent.value_or(-1);
    if (parent >= at) return false;  // damaged
    at = parent;
  }
  return false;
}

std::vector<HeldLock> LockHolders::All() const {
  std::vector<HeldLock> all;
  for (const auto& [function, waiting] : waiting_) {
    HeldLock one{.function = strings_.Text(std::get<1>(function)),
                 .file = strings_.Text(std::get<0>(function)),
                 .samples = waiting.samples};
    std::map<Function, std::pair<int64_t, std::pair<int64_t, int32_t>>> holders;  // all; most, line
    for (const auto& [line, samples] : waiting.holders) {
      auto& [sum, most] = holders[{std::get<0>(line), std::get<1>(line)}];
      sum += samples;
      if (samples > most.first) most = {samples, std::get<2>(line)};
    }
    for (const auto& [holder, sums] : holders) {
      if (sums.first <= one.holder_samples) continue;
      one.holder = strings_.Text(std::get<1>(holder));
      one.holder_file = strings_.Text(std::get<0>(holder));
      one.holder_line = sums.second.second;
      one.holder_samples = sums.first;
    }
    all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, std::greater(), &HeldLock::samples);
  return all;
}

}  // namespace steptrace::analyze
