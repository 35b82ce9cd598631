// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/code/stack_class.h"
#include "analyze/code/stage_table.h"
#include "analyze/input/report_input.h"
#include "analyze/samples/lock_holders.h"
#include "analyze/samples/rank_samples.h"
#include "analyze/samples/running_moments.h"
#include "analyze/samples/sample_bins.h"
#include "analyze/samples/sample_share.h"
#include "analyze/samples/sample_threads.h"
#include "store/tables.h"

namespace steptrace::analyze {

// A function by its innermost frame of the user's: what it called of a library, and where.
struct SampledFunction {
  std::string function;  // qualified
  std::string file;
  int32_t line = 0;         // of the function's lines the one with most time
  std::string call;         // qualified; empty: the function itself
  double weight = 0;        // ns
  bool in_c = false;        // most of it is one call of C code, `call`, named as the source does
  std::string call_module;  // as of StageFunction
};

// What the samples of one kind come to: a region of the model, or a stage.
struct SampledFunctions {
  int64_t samples = 0;
  std::vector<SampledFunction> functions;  // the most first
};

// Sums samples as they are read, and keeps none: memory grows with the stacks and the steps alone.
//
// Of workers (and of a training thread that loads for itself) count samples within a fetch, in
// steady steps in which the training waited for the dataset. Where the step took one batch, that
// wait lies before its model phases begin: what was sampled after that does not count.
// Of collating, whose time is known, they tell the stages that its functions have by themselves.
// Of training threads count all samples in steady steps without an evaluation: the main thread of
// its process trains, or the one that was seen doing so. Of threads beside the training one counts
// what they do when no lock holds them: where the training awaits a batch of theirs, that is its
// making. One thread. What is given to the constructor outlives the object.
class SampleSums {
 public:
  // input: run, steps, strings, facts and options are read.
  SampleSums(const ReportInput& input, std::span<const store::TrackRow> tracks,
             std::span<const store::StackRow> stacks, const StageTable& table);

  SampleSums(const SampleSums&) = delete;  // it points into itself
  SampleSums& operator=(const SampleSums&) = delete;

  void Add(std::span<const store::SampleRow> samples);

  const std::map<int32_t, RankSamples>& ranks() const { return ranks_; }
  // Of the rank with most, of its training thread.
  int64_t MostOfAThread() const {
    int64_t most = 0;
    for (const auto& [number, rank] : ranks_) most = std::max(most, rank.thread_samples);
    return most;
  }

  // Functions of a batch's stage; storage: waiting, for no lock, is reading.
  SampledFunctions BatchFunctions(size_t bin, bool storage) const;
  // Functions of collating, while the training waited, of the bins that are wanted.
  SampledFunctions CollateFunctions(const std::function<bool(size_t bin)>& wants) const;
  // Functions by which other threads make what the training awaits, as of a batch.
  SampledFunctions MadeFunctions(size_t bin, bool storage) const;
  // Functions of the training thread outside torch, by stage; waiting there; awaiting what others
  // make; within torch.
  SampledFunctions OutsideFunctions(size_t bin) const;
  SampledFunctions WaitingFunctions() const;
  SampledFunctions AwaitingFunctions() const;
  SampledFunctions EvaluatingFunctions() const;
  // Functions that call a collective and wait for it.
  SampledFunctions ExchangingFunctions() const;
  // The script's functions that call torch between the phases of a step. Its row tells how long
  // that is, and not what of it lies before the batch and what after backward: that is taken as
  // the other phases' own samples fit best. Nothing where they fit badly.
  SampledFunctions BetweenFunctions() const;
  // Functions of Python's that other threads of the training's process run.
  SampledFunctions ConcurrentFunctions() const;
  // Functions that have garbage collected, whatever they were at.
  SampledFunctions CollectingFunctions() const;
  SampledFunctions RegionFunctions(StackRegion region) const;

  // Functions that wait for a lock, and who has it, of all samples.
  std::vector<HeldLock> Locks() const { return locks_.All(); }

  // Whether the training thread was seen in code that torch.compile made.
  bool runs_compiled() const { return runs_compiled_; }

 private:
  // How much of the time between phases lies behind backward: in quarters.
  static constexpr size_t kGuesses = 5;
  // What a step of one batch goes through, in that order but for what lies between.
  struct Phases {
    int64_t between_ns = 0, data_ns = 0, forward_ns = 0, backward_ns = 0, optimizer_ns = 0;
  };
  enum class PhaseAt : uint8_t { kBetween, kData, kForward, kBackward, kOptimizer };
  struct Step {  // small: a run may have millions
    int64_t from_ns = 0;
    int64_t to_ns = 0;
    uint32_t row = 0;  // its place in the input's steps
    uint32_t block = 0;
  };
  struct SampledRank {
    std::vector<Step> steps;  // by time
    size_t last = 0;          // the one that the last sample fell in
    RankSamples* samples = nullptr;
    RunningMoments running;
  };
  // By stack and by whether the thread waited: ns and number.
  struct Weight {
    int64_t ns = 0;
    int64_t samples = 0;

    void Add(int64_t more_ns) {
      ns = SaturatingAdd(ns, more_ns);
      ++samples;
    }
  };
  struct StackWeights {
    std::array<Weight, 2> batch{};                  // running, waiting
    std::array<std::array<Weight, 2>, 2> thread{};  // ... and in steps in which something is saved
    std::array<Weight, 2> made{};
    Weight beside;
    std::array<Weight, kGuesses> between{};
  };
  using NamedFrames = std::pair<int32_t, int32_t>;  // a function, and what it called; -1: none

  void FindSteps(const ReportInput& input);
  void FindRunning(std::span<const store::SampleRow> samples);
  static const Step* StepAt(SampledRank& rank, int64_t ts_ns);
  bool Waits(store::StringId state);
  void AddOne(const store::SampleRow& sample);
  void AddToBatch(const StackClass& of, bool waits, double ns, uint32_t block, RankSamples& rank);
  void AddToThread(const StackClass& of, bool waits, StepSaves saves, double ns, uint32_t block,
                   RankSamples& rank);
  StepSaves SavesOf(bool saves) const;
  static void AddToMade(const StackClass& of, bool waits, double ns, RankSamples& rank);
  // Nothing: of several batches their order is not known.
  static std::optional<Phases> PhasesOf(const store::StepRow& row);
  static PhaseAt At(const Phases& phases, int64_t since_ns, size_t guess);
  void AddBetween(const StackClass& of, int64_t since_ns, const Phases& phases, int64_t ns,
                  StackWeights& weights);
  static NamedFrames Innermost(const StackClass& of);
  template <class WeightOf, class FramesOf>
  SampledFunctions Gather(const WeightOf& weight_of, const FramesOf& frames_of) const;
  template <class WeightOf>
  SampledFunctions Gather(const WeightOf& weight_of) const {
    return Gather(weight_of, Innermost);
  }
  template <class Fits>  // of a class, of whether the thread waits, and of the step
  SampledFunctions GatherThread(const Fits& fits) const;
  // Of a stack's weights, running and waiting, what belongs to that bin of a batch.
  static Weight InBin(const StackClass& of, const std::array<Weight, 2>& weights, size_t bin,
                      bool storage);

  const store::StringTable& strings_;
  const store::PackedSteps rows_;
  std::span<const store::StackRow> stacks_;
  std::vector<StackClass> classes_;
  std::vector<StackWeights> weights_;  // by stack
  std::map<int32_t, SampledRank> steps_;
  std::vector<SampledRank*> by_place_;  // the same, as threads_ has its ranks
  SampleThreads threads_;
  LockHolders locks_;
  std::map<int32_t, RankSamples> ranks_;
  store::StringId last_state_ = store::StringId::kEmpty;
  bool last_waits_ = false;  // what last_state_ says
  bool runs_compiled_ = false;
  bool tells_saves_ = false;  // some step of the run has a checkpoint
  // Of samples that tell their phase by themselves: all, and those that fit each guess.
  int64_t reported_ns_ = 0;
  std::array<int64_t, kGuesses> fitting_ns_{};
};

}  // namespace steptrace::analyze
