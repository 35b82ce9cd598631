// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyze/attribution/sample_weights.h"
#include "analyze/attribution/thread_shares.h"
#include "analyze/input/report_input.h"
#include "analyze/input/step_selection.h"
#include "analyze/samples/sample_sums.h"
#include "analyze/stages/stages.h"
#include "analyze/stats/bootstrap.h"

namespace steptrace::analyze {

// What samples do to the stages of steps (docs/concepts/verdict.md, "With samples of stacks").
//
// Of a batch: the time that a step waited for its dataset (`getitem` and `storage_read`) is shared
// out over the stages in the proportion of the samples of fetches, by rank where it has enough of
// them. Of collating, whose time is known, the share of its samples that decode, tokenise or
// augment is those stages'. Of the training thread it tells the shares (thread_shares.h), which
// transfers take.
class SampleSplit {
 public:
  // storage: the machine shows storage at work, so blocked samples of a fetch are reading.
  SampleSplit(const SampleSums& sums, const ReportInput& input, const StepSelection& selection,
              bool storage);

  // Share out what a step of that rank collated, and what it waited for its dataset; the sum of its
  // stages stays to the nanosecond.
  void ShareOutCollate(int32_t rank, StageTimes& times) const;
  void ShareOutFetch(int32_t rank, StageTimes& times) const;
  // What is taken from its training thread; null: nothing is known of that.
  const ThreadShares* ThreadOf(int32_t rank) const;

  // Of a stage that samples tell of: how far its share of the whole is off by sampling, as parts
  // of itself below and above it; of a stage with nothing the share that it may have all the same.
  struct Doubt {
    double below = 0;
    double above = 0;
    double unseen = 0;
  };
  std::optional<Doubt> DoubtOf(SubStage stage, const StageTimes& totals) const;

  // Whether samples tell what a training thread does in its steps.
  bool SeesThreads() const { return !thread_.empty(); }

  // By rank: what is taken from its training thread. Whether one of them awaits what others make.
  const std::map<int32_t, ThreadShares>& threads() const { return thread_; }
  bool awaits() const { return awaits_; }
  // Whether there are enough samples of fetches, and of collating, over all ranks.
  bool saw_batches() const { return all_.samples >= kLeastSamples; }
  bool saw_collating() const { return all_.collate_samples >= kLeastSamples; }
  bool reads_storage() const { return storage_; }
  const SampleSums& sums() const { return sums_; }

 private:
  struct BatchShares {
    StageWeights weights{};  // of the stages that a batch's time goes to
    int64_t samples = 0;
    StageWeights of_collate{};  // of the stages that are told of collating
    double collating = 0;       // weight of all of that
    int64_t collate_samples = 0;
  };
  // The rank's own, if it has enough of those samples; else all ranks'.
  const BatchShares& BatchesOf(int32_t rank, int64_t BatchShares::*samples) const;
  // Its weight in all batches, and of all stages beside it: with collating where some of it is.
  std::pair<double, double> InBatches(SubStage stage) const;
  // Of the waits for a rank's dataset, as the hooks know them: all, and what of it a fetch was
  // blocked; whether they know it apart from waiting for a core.
  struct FetchTime {
    double whole = 0, blocked = 0;
    bool tells_cores = false;
  };
  struct FetchScale {  // of samples' weights
    double ran = 1, waited = 1;
  };
  static FetchScale ScaleOf(const RankSamples& rank, const FetchTime& time);
  BatchBlock Scaled(int32_t rank, const BatchBlock& block) const;
  BatchShares SharesOf(int32_t number, const RankSamples& rank) const;
  double OnThread(int32_t rank, const ThreadBlock& block, SubStage stage) const;
  void FindBatch(const SampleSums& sums, const std::map<int32_t, FetchTime>& times);
  void FindThread(const SampleSums& sums, const std::map<int32_t, ModelTime>& times);
  Interval BatchInterval(SubStage stage) const;
  Interval ThreadInterval(SubStage stage) const;

  const SampleSums& sums_;
  bool storage_;
  std::map<int32_t, FetchScale> scales_;
  std::map<int32_t, BatchShares> batch_;  // of ranks with enough samples
  BatchShares all_;                       // of all ranks together
  std::map<int32_t, ThreadShares> thread_;
  bool awaits_ = false;  // some rank's training thread does
};

}  // namespace steptrace::analyze
