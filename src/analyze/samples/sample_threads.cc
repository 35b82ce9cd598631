// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/sample_threads.h"

#include <algorithm>
#include <map>

namespace steptrace::analyze {

SampleThreads::SampleThreads(const ReportInput& input, std::span<const store::TrackRow> tracks,
                             std::span<const int32_t> ranks) {
  for (const store::TrackRow& track : tracks) {
    if (!track.pid || !track.tid) continue;
    int32_t number = track.rank;
    bool trains = false;
    bool beside = false;
    for (const RankProcess& process : input.run.rank_processes) {
      if (process.node != track.node || process.pid != *track.pid) continue;
      number = process.rank;
      trains = *track.tid == *track.pid;
      beside = !trains;
    }
    if (number < 0 && ranks.size() == 1) number = ranks.front();
    const auto rank = std::ranges::lower_bound(ranks, number);
    if (rank == ranks.end() || *rank != number) continue;
    const auto place = static_cast<size_t>(rank - ranks.begin());
    threads_.emplace(track.track, Thread{place, trains, beside, 0, track.node, *track.pid});
  }
}

const SampleThreads::Thread* SampleThreads::Of(int32_t track) const {
  const auto found = threads_.find(track);
  return found == threads_.end() ? nullptr : &found->second;
}

void SampleThreads::FindTrainers(std::span<const store::SampleRow> samples,
                                 std::span<const StackClass> classes) {
  std::map<size_t, const Thread*> trainers;  // by rank
  for (const store::SampleRow& sample : samples) {
    if (sample.stack < 0 || static_cast<size_t>(sample.stack) >= classes.size()) continue;
    const StackRegion region = classes[static_cast<size_t>(sample.stack)].region;
    if (region != StackRegion::kBackward && region != StackRegion::kOptimizer) continue;
    const auto thread = threads_.find(sample.track);
    if (thread != threads_.end()) ++thread->second.training_seen;
  }
  for (const auto& [track, thread] : threads_) {
    if (thread.training_seen == 0 || (!thread.trains && !thread.beside)) continue;
    const Thread*& most = trainers.try_emplace(thread.rank, &thread).first->second;
    if (thread.training_seen > most->training_seen) most = &thread;
  }
  for (auto& [track, thread] : threads_) {
    const auto trainer = trainers.find(thread.rank);
    if (trainer == trainers.end() || (!thread.trains && !thread.beside)) continue;
    thread.trains = trainer->second == &thread;
    thread.beside = !thread.trains;
  }
}

}  // namespace steptrace::analyze
