// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/thread_shares.h"

#include <algorithm>
#include <vector>

#include "analyze/attribution/portion.h"
#include "analyze/samples/sample_share.h"

namespace steptrace::analyze {
namespace {

// Of the step: less of it outside torch is within what any loop does between its calls, and a
// call of torch's own C code from the script's own line looks the same.
constexpr double kWorthTaking = 0.10;
// Of what waits for another thread's word, that others are seen at work for.
constexpr double kLeastMade = 0.5;
// A package that the table knows needs less: no tensor code hides in it.
constexpr double kWorthAStage = 0.02;

// What the thread was seen at: a weight of its samples, and how that lies in blocks of steps.
struct SeenDoing {
  double weight = 0;
  std::vector<ShareCell> cells;

  void Add(double one, double whole) {
    weight += one;
    cells.push_back({one, whole});
  }
};

// Parts of the script's code: what is none of the model's, whatever windows tell; what lies in
// functions that never call torch.
struct OfScript {
  double surely = 0, plain = 0;
};

// How much of `ns` in forward may be the script's code where windows tell of operators. Those that
// compute are none, from whatever line they were called, but for `surely` of it; nor is the way
// between them, but for long ones where functions that never call torch were seen. What is apart
// from both lies in forward alone, and other code and waiting of the thread has its part of it:
// `other_ns`.
double MostOfForward(const ModelTime& time, const OfScript& script, double ns, double other_ns) {
  const double apart =
      std::max(0.0, 1 - time.operators / time.phases - time.dispatch / time.phases);
  const double phases_ns = time.forward + time.backward + time.optimizer;
  const double apart_ns = std::max(0.0, apart * phases_ns - other_ns);
  const double long_ns = std::min(time.long_gaps / time.phases * phases_ns, script.plain * ns);
  return script.surely * ns + std::min((1 - script.surely) * ns, apart_ns + long_ns);
}

// Finds the shares one after the other; what one leaves in the sums the next ones go on with.
class ThreadReader {
 public:
  ThreadReader(const RankSamples& rank, const ModelTime& time, bool storage)
      : rank_(rank), time_(time), storage_(storage) {
    for (const ThreadBlock& block : rank.thread) Add(block);
  }

  ThreadShares Read() {
    if (whole_ <= 0 || time_.whole <= 0) return {};
    worth_ = WorthOf(whole_, rank_.thread_squares);
    to_ns_ = time_.whole / whole_;
    LeaveOutRareStages();
    // torch.save's own time is none of these weights'.
    explained_ns_ = std::min(time_.checkpoint, saving_ * to_ns_);
    LeaveOutTimed(SubStage::kCheckpoint, time_.checkpoint - explained_ns_);
    LeaveOutTimed(SubStage::kLogging, time_.logging);
    ReadAwaited();
    ReadEvaluated();
    ReadLeaves();
    ReadSampler();
    shares_.to_backward = BeyondItsPhase(backward_, time_.backward);
    shares_.to_optimizer = BeyondItsPhase(optimizer_, time_.optimizer);
    ReadModelWithoutPhase();
    ReadOutside();
    ReadIdle();
    return shares_;
  }

 private:
  void Add(const ThreadBlock& block) {
    whole_ += block.whole;
    waiting_.Add(block.waiting, block.whole);
    awaiting_.Add(block.awaiting, block.whole);
    on_signal_ += block.on_signal;
    asking_ += block.asking;
    evaluating_.Add(block.evaluating, block.whole);
    sampler_.Add(block.sampler, block.whole);
    sampler_begin_ += block.sampler_begin;
    saving_ += block.saving;
    forward_.Add(block.forward, block.whole);
    backward_.Add(block.backward, block.whole);
    optimizer_.Add(block.optimizer, block.whole);
    leaves_.Add(block.leaves, block.whole);
    double of_block = 0;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      const double weight = OutsideWeight(rank_, block, static_cast<SubStage>(i));
      shares_.weights[i] += weight;
      of_block += weight;
    }
    const double in_script = OutsideWeight(rank_, block, SubStage::kLoopCode);
    named_.Add(of_block - in_script, block.whole);
    script_ += in_script;
    plain_ += block.outside[static_cast<size_t>(WorkStage::kUserCode)];
    surely_ += block.outside[kGradless] + block.outside[kApart];
    if (rank_.is_for_numbers()) surely_ += block.outside[kReading];
    movable_.Add(
        in_script - block.outside[kModuleLine] - (time_.phases > 0 ? 0 : block.outside[kModelLine]),
        block.whole);
  }

  // The least that its share of the step is, beyond chance.
  double Low(const SeenDoing& seen) const { return SampleShareInterval(seen.cells, worth_).low; }
  double& WeightOf(SubStage stage) { return shares_.weights[static_cast<size_t>(stage)]; }

  void LeaveOutRareStages() {
    if (Low(named_) >= kWorthAStage) return;
    shares_.weights.fill(0);
    WeightOf(SubStage::kLoopCode) = script_;
    named_.weight = 0;
  }

  // What was sampled in a phase that has its stage's time is in that already.
  void LeaveOutTimed(SubStage stage, double ns) {
    const double timed = std::clamp(ns / to_ns_, 0.0, WeightOf(stage));
    WeightOf(stage) -= timed;
    named_.weight = std::max(0.0, named_.weight - timed);
    explained_ns_ += timed * to_ns_;
  }

  void ReadAwaited() {
    // Until another thread says so: a sleep, unless others are at work meanwhile.
    const bool of_others =
        2 * on_signal_ < awaiting_.weight || MadeWeight(rank_, storage_) >= kLeastMade * on_signal_;
    if (Low(awaiting_) < kWorthAStage || !of_others) {
      waiting_.weight += awaiting_.weight + asking_;
      awaiting_.weight = 0;
      return;
    }
    awaiting_.weight += asking_;
    shares_.made = MadeOf(rank_, storage_);
    for (size_t i = 0; i < kSubStageCount; ++i) {
      shares_.weights[i] += awaiting_.weight * shares_.made[i];
    }
    named_.weight += awaiting_.weight;
  }

  void ReadEvaluated() {
    if (Low(evaluating_) < kWorthTaking) {
      evaluating_.weight = 0;
      return;
    }
    WeightOf(SubStage::kEvaluation) = evaluating_.weight;
    named_.weight += evaluating_.weight;
  }

  void ReadLeaves() {
    if (Low(leaves_) < kWorthAStage) return;
    WeightOf(SubStage::kWorkerStart) += leaves_.weight;
    named_.weight += leaves_.weight;
  }

  void ReadSampler() {
    if (Low(sampler_) < kWorthAStage) return;
    // Without workers nothing starts: to make the iterator is to load.
    const double begin_ns = sampler_begin_ * to_ns_;
    if (time_.worker_start > 0) {
      shares_.of_worker_start = std::min(1.0, begin_ns / time_.worker_start);
    } else if (time_.getitem > 0) {
      shares_.of_getitem = std::min(1.0, begin_ns / time_.getitem);
    }
    if (time_.receive <= 0) return;
    shares_.of_receive = std::min(1.0, (sampler_.weight * to_ns_ - begin_ns) / time_.receive);
  }

  // Between two calls of a closure an optimizer works, and gradients that the script asks for by
  // torch.autograd.grad are no phase of their own: all of that lies in forward.
  double BeyondItsPhase(const SeenDoing& seen, double phase_ns) const {
    const double known_ns = phase_ns + time_.others;
    if (Low(seen) * time_.whole - known_ns < kWorthTaking * time_.whole) return 0.0;
    return std::min(1.0, (seen.weight * to_ns_ - known_ns) / std::max(time_.forward, 1.0));
  }

  // Without a backward nothing tells where the model ends: torch.func, a search without gradients.
  void ReadModelWithoutPhase() {
    if (time_.backward > 0 ||
        Low(forward_) * time_.whole - time_.forward < kWorthTaking * time_.whole) {
      return;
    }
    shares_.forward_of_unknown =
        std::min(1.0, (forward_.weight * to_ns_ - time_.forward) / std::max(time_.unknown, 1.0));
  }

  // In phases that the script's own lines may have begun, and no other samples lie in it.
  double OthersNs() const { return std::max(0.0, time_.others - explained_ns_); }

  // The script's own code, in ns, of which `in_unknown` lies in time of no phase.
  double ScriptNs(double in_unknown, double free_unknown) const {
    double ns = in_unknown;  // renamed where it is, and the model keeps its own
    if (Low(movable_) >= kWorthTaking) {
      ns = std::max(ns, movable_.weight * to_ns_ - OthersNs());
    }
    if (time_.phases <= 0 || script_ <= 0) return ns;
    // An evaluation computes, and so may what augments.
    const double apart_ns = (named_.weight - evaluating_.weight -
                             shares_.weights[static_cast<size_t>(SubStage::kAugmentation)]) *
                            to_ns_;
    const double waited_ns =
        waiting_.weight * to_ns_ - time_.unknown * (1 - shares_.forward_of_unknown);
    const double other_ns = std::max(0.0, apart_ns - free_unknown) + std::max(0.0, waited_ns);
    return std::min(ns, in_unknown + MostOfForward(time_, {surely_ / script_, plain_ / script_},
                                                   ns - in_unknown, other_ns));
  }

  // What runs outside torch is first time of no phase; there the thread may also have waited.
  void ReadOutside() {
    const double free_unknown =
        std::max(0.0, time_.unknown * (1 - shares_.forward_of_unknown) - waiting_.weight * to_ns_);
    const double named_ns = named_.weight * to_ns_;
    const double all_script_ns = std::max(0.0, script_ * to_ns_ - OthersNs());
    const double in_unknown = std::min(all_script_ns, std::max(0.0, free_unknown - named_ns));
    const double script_ns = ScriptNs(in_unknown, free_unknown);
    double& of_script = WeightOf(SubStage::kLoopCode);
    of_script = script_ns / to_ns_;
    shares_.script = script_;
    shares_.script_left = std::max(0.0, script_ - OthersNs() / to_ns_ - of_script);
    const double moved = named_ns + script_ns;
    from_unknown_ = std::min(moved, free_unknown);
    if (time_.unknown > 0) shares_.of_unknown = from_unknown_ / time_.unknown;
    if (time_.forward > 0) {
      shares_.of_forward = std::min(1.0, (moved - from_unknown_) / time_.forward);
    }
    if (moved <= 0) return;
    shares_.awaited = awaiting_.weight * to_ns_ / moved;
    shares_.evaluated = evaluating_.weight * to_ns_ / moved;
  }

  void ReadIdle() {
    const double elsewhere =
        time_.others + time_.unknown * (1 - shares_.forward_of_unknown) - from_unknown_;
    const double least_ns = Low(waiting_) * time_.whole - elsewhere;
    if (time_.forward <= 0 || least_ns < kWorthTaking * time_.whole) return;
    const double idle_ns = waiting_.weight * to_ns_ - elsewhere;
    shares_.idle_of_forward = std::clamp(idle_ns / time_.forward, 0.0, 1 - shares_.of_forward);
  }

  const RankSamples& rank_;
  const ModelTime& time_;
  const bool storage_;
  ThreadShares shares_;
  double worth_ = 0;  // samples of one weight that say as much
  double to_ns_ = 0;  // of a weight
  double whole_ = 0;
  double on_signal_ = 0, asking_ = 0, sampler_begin_ = 0, saving_ = 0;
  SeenDoing waiting_, awaiting_, evaluating_, sampler_, forward_, backward_, optimizer_, leaves_;
  SeenDoing named_;    // outside torch, in code that the table knows
  SeenDoing movable_;  // of the script's own, what may be taken from forward
  double script_ = 0, plain_ = 0;
  double surely_ = 0;  // of script_, none of the model's: without gradients, or without tensors
  double from_unknown_ = 0;
  double explained_ns_ = 0;  // of time_.others, what samples of saving and logging are
};

}  // namespace

ThreadShares FindThreadShares(const RankSamples& rank, const ModelTime& time, bool storage) {
  return ThreadReader(rank, time, storage).Read();
}

ThreadTaken TakenOf(const ThreadShares& shares, int64_t unknown_ns, int64_t forward_ns) {
  ThreadTaken taken;
  taken.unknown = Portion(shares.of_unknown, unknown_ns);
  taken.computed =
      std::min(unknown_ns - taken.unknown, Portion(shares.forward_of_unknown, unknown_ns));
  taken.forward = Portion(shares.of_forward, forward_ns);
  taken.backward = std::min(forward_ns - taken.forward, Portion(shares.to_backward, forward_ns));
  taken.optimizer = std::min(forward_ns - taken.forward - taken.backward,
                             Portion(shares.to_optimizer, forward_ns));
  taken.awaited = Portion(shares.awaited, taken.forward);
  taken.evaluated = Portion(shares.evaluated, taken.forward);
  return taken;
}

}  // namespace steptrace::analyze
