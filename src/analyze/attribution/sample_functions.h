// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analyze/attribution/sample_split.h"
#include "analyze/samples/sample_sums.h"
#include "analyze/stages/stage_row.h"
#include "analyze/stages/stages.h"

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
  std::vector<HeldLock> locks;
};

// The functions that samples show, by stage and by what they wait for. The split outlives it.
class SampleFunctions {
 public:
  explicit SampleFunctions(const SampleSplit& split) : split_(split), sums_(split.sums()) {}

  // What the samples of a stage show: those with most time, their ns sum to no more than `ns`.
  struct Shown {
    int64_t samples = 0;
    std::vector<StageFunction> functions;
  };
  Shown ShownOf(SubStage stage, int64_t ns, int64_t whole_ns) const;

  // How those who make the batches wait; `whole_ns`: the steady steps.
  SampledWaits WaitsOf(int64_t whole_ns) const;

 private:
  OutsideIsFor IsFor() const;   // of all ranks
  double ThreadWeight() const;  // of all that the training threads were seen doing
  SampledFunctions ScriptInForward() const;
  SampledFunctions Collecting(int64_t ns, int64_t whole_ns) const;
  double TensorCodeTaken() const;
  void AddDataset(SubStage stage, std::vector<SampledFunctions>& found) const;
  std::vector<StageFunction> OfThread(const SampledFunctions& found, int64_t whole_ns) const;

  const SampleSplit& split_;
  const SampleSums& sums_;
};

}  // namespace steptrace::analyze
