// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/last_seen.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "analyze/code/called_function.h"
#include "analyze/code/code_place.h"
#include "analyze/stats/distribution.h"
#include "store/stored_words.h"

namespace steptrace::analyze {
namespace {

// No sample stands for longer, whatever a damaged row says.
constexpr int64_t kMostOfSampleNs = 10 * kNsPerSecond;

}  // namespace

LastSeen::LastSeen(std::span<const store::TrackRow> tracks, std::span<const store::StackRow> stacks,
                   const store::StringTable& strings, const StageTable& table)
    : strings_(strings), stacks_(stacks), classes_(ClassifyStacks(stacks, strings, table, {})) {
  std::unordered_map<int32_t, std::optional<store::TrackKind>> kinds;
  for (const store::TrackRow& track : tracks) {
    kinds[track.track] = store::TrackKindOf(strings.Text(track.kind));
  }
  for (const store::TrackRow& track : tracks) {
    if (track.rank < 0 || !track.pid || !track.tid || *track.pid != *track.tid) continue;
    const auto parent = track.parent ? kinds.find(*track.parent) : kinds.end();
    const bool worker = parent != kinds.end() && parent->second == store::TrackKind::kWorker;
    threads_.emplace(track.track, worker ? Who::kWorkers : Who::kRanks);
  }
}

void LastSeen::Weight::Add(const Weight& more) {
  for (int64_t Weight::*const part :
       {&Weight::ns, &Weight::waiting_ns, &Weight::awaiting_ns, &Weight::making_ns}) {
    this->*part = SaturatingAdd(this->*part, more.*part);
  }
}

void LastSeen::Add(std::span<const store::SampleRow> samples) {
  for (const store::SampleRow& sample : samples) {
    const auto thread = threads_.find(sample.track);
    if (thread == threads_.end() || sample.interval_ns <= 0) continue;
    if (sample.stack < 0 || static_cast<size_t>(sample.stack) >= classes_.size()) continue;
    const StackClass& of = classes_[static_cast<size_t>(sample.stack)];
    const int32_t named = of.frames.user >= 0 ? of.frames.user : of.frames.leaf;
    if (named < 0) continue;
    const int64_t ns = std::min(sample.interval_ns, kMostOfSampleNs);
    Group& group = groups_[static_cast<size_t>(thread->second)];
    const bool waits = of.leaf.only_waits || store::SampleStateOf(strings_.Text(sample.state)) ==
                                                 store::SampleState::kWaiting;
    const bool makes = of.region == StackRegion::kFetch || of.region == StackRegion::kCollate;
    group.by_frames[{named, of.frames.user >= 0 ? of.frames.call : -1}].Add(
        {ns, waits ? ns : 0, of.wait.takes_over ? ns : 0, makes ? ns : 0});
    group.ns = SaturatingAdd(group.ns, ns);
    ++group.samples;
  }
}

std::optional<SeenAt> LastSeen::Of(Who who) const {
  const Group& group = groups_[static_cast<size_t>(who)];
  // Of a line, by what it calls: whatever called the function, and in C code whatever of it.
  using Key = std::tuple<store::StringId, store::StringId, int32_t, store::StringId>;
  struct Sum {
    Weight weight;
    NamedFrames frames;
  };
  std::map<Key, Sum> lines;
  for (const auto& [frames, weight] : group.by_frames) {
    const auto [named, call] = frames;
    const store::StackRow& row = stacks_[static_cast<size_t>(named)];
    const store::StringId called =
        call < 0 ? store::StringId::kEmpty : stacks_[static_cast<size_t>(call)].function;
    Sum& sum = lines.try_emplace({row.file, row.function, row.line, called}, Sum{{}, frames})
                   .first->second;
    sum.weight.Add(weight);
  }
  const auto most = std::max_element(lines.begin(), lines.end(), [](const auto& a, const auto& b) {
    return a.second.weight.ns < b.second.weight.ns;
  });
  if (most == lines.end()) return std::nullopt;
  const auto& [weight, frames] = most->second;
  const store::StackRow& row = stacks_[static_cast<size_t>(frames.first)];
  const Called called = CalledAt(frames.second, stacks_, strings_);
  SeenAt seen;
  seen.function.function = EnclosingFunction(strings_.Text(row.function));
  seen.function.file = strings_.Text(row.file);
  seen.function.line = row.line;
  seen.function.call = strings_.Text(called.function);
  seen.function.in_c = called.in_c;
  seen.function.call_module = called.module;
  seen.function.ns = weight.ns;
  seen.samples = group.samples;
  seen.share = static_cast<double>(weight.ns) / static_cast<double>(group.ns);
  seen.function.share = seen.share;
  const auto whole = static_cast<double>(weight.ns);
  seen.waiting = static_cast<double>(weight.waiting_ns) / whole;
  seen.awaiting = static_cast<double>(weight.awaiting_ns) / whole;
  seen.making = static_cast<double>(weight.making_ns) / whole;
  return seen;
}

}  // namespace steptrace::analyze
