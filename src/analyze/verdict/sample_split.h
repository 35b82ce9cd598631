// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "analyze/report/report.h"
#include "analyze/report/report_input.h"
#include "analyze/samples/sample_sums.h"
#include "analyze/verdict/stages.h"
#include "analyze/verdict/step_times.h"

namespace steptrace::analyze {

// What samples tell of waiting where the batches come from.
struct SampledWaits {
  // By shares of the steady steps: where the training thread awaits what others make.
  std::vector<StageFunction> awaited;
  // Of the time of those others, and of a DataLoader's fetches, the part in which they wait
  // themselves, and for no lock.
  double of_makers = 0;
  double of_dataset = 0;
  // How many workers of a rank make batches at a time while the training waits for one.
  std::optional<double> workers_at_work;
  // Functions of the script's in which torch works between the phases of a step.
  std::vector<StageFunction> between;
  // Code of Python's that other threads of the training's process run, by shares of the time.
  std::vector<StageFunction> beside;
  // Of a sampler of the user's, which the training thread asks itself, with workers or without.
  std::vector<StageFunction> sampler;
};

// What samples do to the stages of steps (docs/concepts/verdict.md, "With samples of stacks").
//
// Of a batch: the time that a step waited for its dataset (`getitem` and `storage_read`) is shared
// out over the stages in the proportion of the samples of fetches, by rank where it has enough of
// them. Of collating, whose time is known, the share of its samples that decode, tokenise or
// augment is those stages'. Of the training thread: the share of its samples in a sampler of the
// user's is that share of the step, taken from `receive`. The share that runs Python code outside
// torch is that share of the step. Of it comes first what no phase has (`unknown`), then `forward`,
// and this only where it is at least a tenth of the step beyond chance. The share that awaits what
// other threads or processes make is the dataset's, and shared out by what those do. Where the
// thread waits for anything else, outside torch, that is not forward.
class SampleSplit {
 public:
  // storage: the machine shows storage at work, so blocked samples of a fetch are reading.
  SampleSplit(const SampleSums& sums, const ReportInput& input, const StepSelection& selection,
              bool storage);

  // Moves time between the stages of a step of that rank; their sum stays to the nanosecond.
  void SplitBatch(int32_t rank, StageTimes& times,
                  DatasetTime dataset = DatasetTime::kByStage) const;
  struct TakenOfForward {   // ns
    int64_t awaited = 0;    // waiting for others
    int64_t evaluated = 0;  // the model at work all the same
    int64_t computed = 0;   // of time without a phase, not taken yet: forward, without operators
  };
  TakenOfForward SplitThread(int32_t rank, StageTimes& times) const;
  // Share of the rank's forward in which the training thread waited, for nothing that others make.
  double IdleOfForward(int32_t rank) const;

  // Of a stage that samples tell of: how far its share of the whole is off by sampling, as parts
  // of itself below and above it; of a stage with nothing the share that it may have all the same.
  struct Doubt {
    double below = 0;
    double above = 0;
    double unseen = 0;
  };
  std::optional<Doubt> DoubtOf(SubStage stage, const StageTimes& totals) const;

  // What the samples of a stage show: those with most time, their ns sum to no more than `ns`.
  struct Shown {
    int64_t samples = 0;
    std::vector<StageFunction> functions;
  };
  Shown ShownOf(SubStage stage, int64_t ns, int64_t whole_ns) const;

  // Whether samples tell what a training thread does in its steps.
  bool SeesThreads() const { return !thread_.empty(); }

  // How those who make the batches wait; `whole_ns`: the steady steps.
  SampledWaits WaitsOf(int64_t whole_ns) const;

 private:
  using StageWeights = std::array<double, kSubStageCount>;
  struct BatchShares {
    StageWeights weights{};  // of the stages that a batch's time goes to
    int64_t samples = 0;
    StageWeights of_collate{};  // of the stages that are told of collating
    double collating = 0;       // weight of all of that
    int64_t collate_samples = 0;
  };
  static void SplitCollate(const BatchShares& shares, StageTimes& times);
  // Its weight in all batches, and of all stages beside it: with collating where some of it is.
  std::pair<double, double> InBatches(SubStage stage) const;
  struct ThreadShares {
    // Of what the rows say, the part that is code outside torch; and of that, each stage's.
    double of_unknown = 0;
    double of_forward = 0;
    double forward_of_unknown = 0;  // torch was seen to compute there
    StageWeights weights{};
    double to_backward = 0, to_optimizer = 0;  // of forward, what torch was seen to do there
    double of_receive = 0;                     // the part that is a sampler's
    double awaited = 0;                        // of what is taken, the part that waits for others
    double evaluated = 0;                      // ... and that evaluates
    double idle_of_forward = 0;                // waits there, and for nothing that others make
    double script = 0, script_left = 0;  // weights: of the script's own code, and left in forward
    StageWeights made{};                 // each stage's part of what is awaited; all 0: nothing is
  };
  struct ModelTime {  // of a rank's steady steps, in ns
    double whole = 0, forward = 0, backward = 0, optimizer = 0, unknown = 0, receive = 0;
    double others = 0;     // in phases that the script's own lines may have begun: gc, saving, ...
    double phases = 0;     // of windowed steps: forward, backward and optimizer
    double operators = 0;  // ... and what of them operators compute
    double dispatch = 0;   // ... and the way from one to the next
    double long_ways = 0;  // ... and of that, long ones (long_ways.h)
    int64_t windowed = 0;  // so many steps
  };

  // Parts of the script's code: what is none of the model's, whatever windows tell; what lies in
  // functions that never call torch.
  struct OfScript {
    double surely = 0, plain = 0;
  };
  // `other_ns`: what else of forward is no operator.
  static double MostOfForward(const ModelTime& time, const OfScript& script, double ns,
                              double other_ns);

  // What a rank's training thread was seen doing, in weights of its samples.
  struct ThreadSums;

  BatchShares SharesOf(const RankSamples& rank) const;
  double MadeWeight(const RankSamples& rank) const;  // of others at work
  StageWeights MadeOf(const RankSamples& rank) const;
  double OnThread(int32_t rank, const ThreadBlock& block, SubStage stage) const;
  double ThreadWeight() const;  // of all that the training threads were seen doing
  SampledFunctions ScriptInForward() const;
  double TensorCodeTaken() const;
  void AddDataset(SubStage stage, std::vector<SampledFunctions>& found) const;
  std::vector<StageFunction> OfThread(const SampledFunctions& found, int64_t whole_ns) const;
  void FindBatch(const SampleSums& sums);
  void FindThread(const SampleSums& sums, const std::map<int32_t, ModelTime>& times);
  ThreadShares ThreadOf(const RankSamples& rank, const ModelTime& time) const;
  Interval BatchInterval(SubStage stage) const;
  Interval ThreadInterval(SubStage stage) const;

  const SampleSums& sums_;
  bool storage_;
  std::map<int32_t, BatchShares> batch_;  // of ranks with enough samples
  BatchShares all_;                       // of all ranks together
  std::map<int32_t, ThreadShares> thread_;
  bool awaits_ = false;  // some rank's training thread does
};

// Fewer samples than this say too little of a share to name a stage by.
inline constexpr int64_t kLeastSamples = 30;

}  // namespace steptrace::analyze
