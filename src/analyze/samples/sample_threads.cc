// SPDX-License-Identifier: Apache-2.0
// Of SampleSums: which thread is a rank's, and which of them trains.
#include "analyze/samples/sample_sums.h"

namespace steptrace::analyze {

void SampleSums::FindThreads(const ReportInput& input, std::span<const store::TrackRow> tracks) {
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
    if (number < 0 && steps_.size() == 1) number = steps_.begin()->first;
    const auto rank = steps_.find(number);
    if (rank != steps_.end()) {
      threads_.emplace(track.track, Thread{&rank->second, trains, beside, 0});
    }
  }
}

// A script may train in a thread of its own, beside which the main one waits: what is seen most in
// backward and in optimizers trains.
void SampleSums::FindTrainers(std::span<const store::SampleRow> samples) {
  std::map<const RankSteps*, const Thread*> trainers;
  for (const store::SampleRow& sample : samples) {
    if (sample.stack < 0 || static_cast<size_t>(sample.stack) >= classes_.size()) continue;
    const StackRegion region = classes_[static_cast<size_t>(sample.stack)].region;
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
