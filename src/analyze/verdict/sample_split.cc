// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/sample_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analyze/verdict/long_ways.h"
#include "analyze/verdict/sample_bins.h"

namespace steptrace::analyze {
namespace {

// Of the step: less of it outside torch is within what any loop does between its calls, and a
// call of torch's own C code from the script's own line looks the same.
constexpr double kWorthTaking = 0.10;
// Of what waits for another thread's word, that others are seen at work for.
constexpr double kLeastMade = 0.5;
// A package that the table knows needs less: no tensor code hides in it.
constexpr double kWorthAStage = 0.02;

// Shares out `ns` by the weights: each takes its part of what is left, and rounding loses nothing.
void ShareOut(const std::array<double, kSubStageCount>& weights, int64_t ns, StageTimes& times) {
  double left_weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  size_t last = kSubStageCount - 1;
  while (last > 0 && weights[last] <= 0) --last;
  if (weights[last] <= 0) last = static_cast<size_t>(SubStage::kGetitem);  // none has any
  for (size_t i = 0; i < last; ++i) {
    if (weights[i] <= 0) continue;
    const int64_t part = std::min(ns, PortionLeft(weights[i] / left_weight, ns));
    times[i] += part;
    ns -= part;
    left_weight -= weights[i];
  }
  times[last] += ns;
}

double Weight(const BatchBlock& block, size_t bin, bool storage) {
  double weight = block.ran[bin] + (storage ? 0 : block.blocked[bin]);
  if (storage && bin == static_cast<size_t>(WorkStage::kStorageRead)) {
    for (double blocked : block.blocked) weight += blocked;
  }
  return weight;
}

double Outside(const ThreadBlock& block, SubStage stage) {
  double weight = 0;
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    if (StageOutside(bin) == stage) weight += block.outside[bin];
  }
  return weight;
}

double WorthOf(double weight, double squares) {
  return squares > 0 ? weight * weight / squares : 0;
}

}  // namespace

SampleSplit::SampleSplit(const SampleSums& sums, const ReportInput& input,
                         const StepSelection& selection, bool storage)
    : sums_(sums), storage_(storage) {
  std::map<int32_t, ModelTime> times;
  const auto ns = [](int64_t value, const store::StepRow& row) {
    return static_cast<double>(std::clamp<int64_t>(value, 0, row.dur_ns));
  };
  for (uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    ModelTime& time = times[row.rank];
    time.whole += static_cast<double>(row.dur_ns);
    time.forward += ns(row.forward_ns, row);
    time.backward += ns(row.backward_ns, row);
    time.optimizer += ns(row.optimizer_ns, row);
    time.unknown += ns(row.other_phase_ns, row);
    time.receive += ns(row.receive_ns, row);
    for (const int64_t other : {row.gc_ns, row.checkpoint_ns, row.logging_ns, row.compile_ns,
                                row.capture_ns, row.communication_phase_ns}) {
      time.others += ns(other, row);
    }
    if (!row.operators_ns || !row.dispatch_ns) continue;
    ++time.windowed;
    time.operators += ns(*row.operators_ns, row);
    time.dispatch += ns(*row.dispatch_ns, row);
    time.phases += ns(row.forward_ns, row) + ns(row.backward_ns, row) + ns(row.optimizer_ns, row);
  }
  if (input.operators != nullptr) {
    for (const auto& [rank, of_step_ns] : LongWaysOfStep(*input.operators)) {
      const auto found = times.find(rank);
      if (found == times.end() || found->second.phases <= 0) continue;
      ModelTime& time = found->second;
      time.long_ways = std::min(time.dispatch, of_step_ns * static_cast<double>(time.windowed));
    }
  }
  FindBatch(sums);
  FindThread(sums, times);
}

SampleSplit::BatchShares SampleSplit::SharesOf(const RankSamples& rank) const {
  BatchShares shares;
  shares.samples = rank.batch_samples;
  shares.collate_samples = rank.collate_samples;
  for (const BatchBlock& block : rank.batch) {
    for (size_t bin = 0; bin < kBinCount; ++bin) {
      const auto stage = static_cast<size_t>(StageOfBatch(bin));
      shares.weights[stage] += Weight(block, bin, storage_);
      shares.collating += block.collating[bin];
      if (IsToldOfCollate(bin)) shares.of_collate[stage] += block.collating[bin];
    }
  }
  return shares;
}

void SampleSplit::FindBatch(const SampleSums& sums) {
  for (const auto& [number, rank] : sums.ranks()) {
    const BatchShares shares = SharesOf(rank);
    all_.samples += shares.samples;
    all_.collate_samples += shares.collate_samples;
    all_.collating += shares.collating;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      all_.weights[i] += shares.weights[i];
      all_.of_collate[i] += shares.of_collate[i];
    }
    batch_[number] = shares;
  }
}

void SampleSplit::FindThread(const SampleSums& sums, const std::map<int32_t, ModelTime>& times) {
  for (const auto& [number, rank] : sums.ranks()) {
    const auto time = times.find(number);
    if (rank.thread_samples < kLeastSamples || time == times.end()) continue;
    const ThreadShares& shares = thread_[number] = ThreadOf(rank, time->second);
    awaits_ = awaits_ || shares.awaited > 0;
  }
}

double SampleSplit::MadeWeight(const RankSamples& rank) const {
  double sum = 0;
  for (size_t bin = 0; bin < kBinCount; ++bin) sum += Weight(rank.made, bin, storage_);
  return sum;
}

// What others make is the dataset's user's own code where no sample shows who they are.
SampleSplit::StageWeights SampleSplit::MadeOf(const RankSamples& rank) const {
  StageWeights made{};
  double sum = 0;
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    const double weight = Weight(rank.made, bin, storage_);
    made[static_cast<size_t>(StageOfBatch(bin))] += weight;
    sum += weight;
  }
  if (rank.made_samples < kLeastSamples || sum <= 0) {
    made = {};
    made[static_cast<size_t>(SubStage::kDatasetCode)] = sum = 1;
  }
  for (double& weight : made) weight /= sum;
  return made;
}

struct SampleSplit::ThreadSums {
  double whole = 0, waiting = 0, awaiting = 0, evaluating = 0, named = 0, script = 0, sampler = 0;
  double on_signal = 0, asking = 0;
  double movable = 0;  // of script, what may be taken from forward
  double plain = 0;    // of script, in functions that never call torch
  double surely = 0;   // ... and is none of the model's: without gradients, or without tensors
  double forward = 0, backward = 0, optimizer = 0, leaves = 0;
  std::vector<ShareCell> forward_cells, backward_cells, optimizer_cells, leaves_cells;
  std::vector<ShareCell> waiting_cells, awaiting_cells, evaluating_cells, named_cells, script_cells,
      sampler_cells;
};

// How much of `ns` in forward may be the script's code where windows tell of operators. Those that
// compute are none, from whatever line they were called, but for `surely` of it; nor is the way
// between them, but for long ones where functions that never call torch were seen. What is apart
// from both lies in forward alone, and other code and waiting of the thread has its part of it.
double SampleSplit::MostOfForward(const ModelTime& time, const OfScript& script, double ns,
                                  double other_ns) {
  const double apart =
      std::max(0.0, 1 - time.operators / time.phases - time.dispatch / time.phases);
  const double phases_ns = time.forward + time.backward + time.optimizer;
  const double apart_ns = std::max(0.0, apart * phases_ns - other_ns);
  const double long_ns = std::min(time.long_ways / time.phases * phases_ns, script.plain * ns);
  return script.surely * ns + std::min((1 - script.surely) * ns, apart_ns + long_ns);
}

SampleSplit::ThreadShares SampleSplit::ThreadOf(const RankSamples& rank,
                                                const ModelTime& time) const {
  ThreadShares shares;
  ThreadSums sums;
  for (const ThreadBlock& block : rank.thread) {
    sums.whole += block.whole;
    sums.waiting += block.waiting;
    sums.waiting_cells.push_back({block.waiting, block.whole});
    sums.awaiting += block.awaiting;
    sums.awaiting_cells.push_back({block.awaiting, block.whole});
    sums.on_signal += block.on_signal;
    sums.asking += block.asking;
    sums.evaluating += block.evaluating;
    sums.evaluating_cells.push_back({block.evaluating, block.whole});
    sums.sampler += block.sampler;
    sums.sampler_cells.push_back({block.sampler, block.whole});
    sums.forward += block.forward;
    sums.forward_cells.push_back({block.forward, block.whole});
    sums.backward += block.backward;
    sums.backward_cells.push_back({block.backward, block.whole});
    sums.optimizer += block.optimizer;
    sums.optimizer_cells.push_back({block.optimizer, block.whole});
    sums.leaves += block.leaves;
    sums.leaves_cells.push_back({block.leaves, block.whole});
    double of_block = 0;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      const double weight = Outside(block, static_cast<SubStage>(i));
      shares.weights[i] += weight;
      of_block += weight;
    }
    const double in_script = Outside(block, SubStage::kLoopCode);
    sums.named += of_block - in_script;
    sums.script += in_script;
    sums.plain += block.outside[static_cast<size_t>(WorkStage::kUserCode)];
    sums.surely += block.outside[kGradless] + block.outside[kApart];
    const double movable =
        in_script - block.outside[kModuleLine] - (time.phases > 0 ? 0 : block.outside[kModelLine]);
    sums.movable += movable;
    sums.named_cells.push_back({of_block - in_script, block.whole});
    sums.script_cells.push_back({movable, block.whole});
  }
  if (sums.whole <= 0 || time.whole <= 0) return {};
  const double samples = WorthOf(sums.whole, rank.thread_squares);
  const auto low = [samples](const std::vector<ShareCell>& cells) {
    return SampleShareInterval(cells, samples).low;
  };
  double& of_script = shares.weights[static_cast<size_t>(SubStage::kLoopCode)];
  if (low(sums.named_cells) < kWorthAStage) {
    shares.weights.fill(0);
    of_script = sums.script;
    sums.named = 0;
  }
  // Until another thread says so: a sleep, unless others are at work meanwhile.
  const bool of_others =
      2 * sums.on_signal < sums.awaiting || MadeWeight(rank) >= kLeastMade * sums.on_signal;
  if (low(sums.awaiting_cells) >= kWorthAStage && of_others) {
    sums.awaiting += sums.asking;
    shares.made = MadeOf(rank);
    for (size_t i = 0; i < kSubStageCount; ++i) {
      shares.weights[i] += sums.awaiting * shares.made[i];
    }
    sums.named += sums.awaiting;
  } else {
    sums.waiting += sums.awaiting + sums.asking;
    sums.awaiting = 0;
  }
  if (low(sums.evaluating_cells) >= kWorthTaking) {
    shares.weights[static_cast<size_t>(SubStage::kEvaluation)] = sums.evaluating;
    sums.named += sums.evaluating;
  } else {
    sums.evaluating = 0;
  }
  if (low(sums.leaves_cells) >= kWorthAStage) {
    shares.weights[static_cast<size_t>(SubStage::kWorkerStart)] += sums.leaves;
    sums.named += sums.leaves;
  }
  // What runs outside torch is first time of no phase; there the thread may also have waited.
  const double to_ns = time.whole / sums.whole;
  if (time.receive > 0 && low(sums.sampler_cells) >= kWorthAStage) {
    shares.of_receive = std::min(1.0, sums.sampler * to_ns / time.receive);
  }
  // Between two calls of a closure an optimizer works, and gradients that the script asks for by
  // torch.autograd.grad are no phase of their own: all of that lies in forward.
  const auto beyond = [&](double seen, const std::vector<ShareCell>& cells, double phase_ns) {
    const double known_ns = phase_ns + time.others;
    if (low(cells) * time.whole - known_ns < kWorthTaking * time.whole) return 0.0;
    return std::min(1.0, (seen * to_ns - known_ns) / std::max(time.forward, 1.0));
  };
  shares.to_backward = beyond(sums.backward, sums.backward_cells, time.backward);
  shares.to_optimizer = beyond(sums.optimizer, sums.optimizer_cells, time.optimizer);
  // Without a backward nothing tells where the model ends: torch.func, a search without gradients.
  if (time.backward <= 0 &&
      low(sums.forward_cells) * time.whole - time.forward >= kWorthTaking * time.whole) {
    shares.forward_of_unknown =
        std::min(1.0, (sums.forward * to_ns - time.forward) / std::max(time.unknown, 1.0));
  }
  const double free_unknown =
      std::max(0.0, time.unknown * (1 - shares.forward_of_unknown) - sums.waiting * to_ns);
  const double named_ns = sums.named * to_ns;
  const bool moves = low(sums.script_cells) >= kWorthTaking;
  const double all_script_ns = std::max(0.0, sums.script * to_ns - time.others);
  const double script_unknown = std::min(all_script_ns, std::max(0.0, free_unknown - named_ns));
  double script_ns = script_unknown;  // renamed where it is, and the model keeps its own
  if (moves) script_ns = std::max(script_ns, sums.movable * to_ns - time.others);
  if (time.phases > 0 && sums.script > 0) {
    // An evaluation computes, and so may what augments.
    const double apart_ns = (sums.named - sums.evaluating -
                             shares.weights[static_cast<size_t>(SubStage::kAugmentation)]) *
                            to_ns;
    const double waited_ns = sums.waiting * to_ns - time.unknown * (1 - shares.forward_of_unknown);
    const double other_ns = std::max(0.0, apart_ns - free_unknown) + std::max(0.0, waited_ns);
    script_ns = std::min(
        script_ns,
        script_unknown + MostOfForward(time, {sums.surely / sums.script, sums.plain / sums.script},
                                       script_ns - script_unknown, other_ns));
  }
  of_script = script_ns / to_ns;
  shares.script = sums.script;
  shares.script_left = std::max(0.0, sums.script - time.others / to_ns - of_script);
  const double moved = named_ns + script_ns;
  const double from_unknown = std::min(moved, free_unknown);
  if (time.unknown > 0) shares.of_unknown = from_unknown / time.unknown;
  if (time.forward > 0) shares.of_forward = std::min(1.0, (moved - from_unknown) / time.forward);
  if (moved > 0) {
    shares.awaited = sums.awaiting * to_ns / moved;
    shares.evaluated = sums.evaluating * to_ns / moved;
  }
  const double waited_in_forward =
      time.others + time.unknown * (1 - shares.forward_of_unknown) - from_unknown;
  const double least_ns = low(sums.waiting_cells) * time.whole - waited_in_forward;
  if (time.forward > 0 && least_ns >= kWorthTaking * time.whole) {
    const double idle_ns = sums.waiting * to_ns - waited_in_forward;
    shares.idle_of_forward = std::clamp(idle_ns / time.forward, 0.0, 1 - shares.of_forward);
  }
  return shares;
}

void SampleSplit::SplitCollate(const BatchShares& shares, StageTimes& times) {
  const int64_t ns = At(times, SubStage::kCollate);
  for (size_t i = 0; i < kSubStageCount && shares.collating > 0; ++i) {
    const int64_t part = PortionLeft(shares.of_collate[i] / shares.collating, ns);
    Move(times, SubStage::kCollate, static_cast<SubStage>(i),
         std::min(part, At(times, SubStage::kCollate)));
  }
}

void SampleSplit::SplitBatch(int32_t rank, StageTimes& times, DatasetTime dataset) const {
  const auto own = batch_.find(rank);
  const auto of = [&](int64_t BatchShares::*samples) -> const BatchShares& {
    return own != batch_.end() && own->second.*samples >= kLeastSamples ? own->second : all_;
  };
  const BatchShares& collating = of(&BatchShares::collate_samples);
  const int64_t collate_ns = At(times, SubStage::kCollate);
  StageTimes of_collate{};
  At(of_collate, SubStage::kCollate) = collate_ns;
  if (collating.collate_samples >= kLeastSamples) SplitCollate(collating, of_collate);
  At(times, SubStage::kCollate) = 0;
  const BatchShares& shares = of(&BatchShares::samples);
  if (dataset == DatasetTime::kAsOne || shares.samples < kLeastSamples) {
    return AddTo(times, of_collate);
  }
  const int64_t ns = At(times, SubStage::kGetitem) + At(times, SubStage::kStorageRead);
  At(times, SubStage::kGetitem) = 0;
  At(times, SubStage::kStorageRead) = 0;
  ShareOut(shares.weights, ns, times);
  AddTo(times, of_collate);
}

std::pair<double, double> SampleSplit::InBatches(SubStage stage) const {
  double weight = std::accumulate(all_.weights.begin(), all_.weights.end(), 0.0);
  double of_stage = all_.weights[static_cast<size_t>(stage)];
  const double in_collate = all_.of_collate[static_cast<size_t>(stage)];
  if (all_.collate_samples >= kLeastSamples && in_collate > 0) {
    weight += all_.collating;
    of_stage += in_collate;
  }
  return {of_stage, weight};
}

double SampleSplit::IdleOfForward(int32_t rank) const {
  const auto found = thread_.find(rank);
  return found == thread_.end() ? 0 : found->second.idle_of_forward;
}

SampleSplit::TakenOfForward SampleSplit::SplitThread(int32_t rank, StageTimes& times) const {
  const auto found = thread_.find(rank);
  if (found == thread_.end()) return {};
  const ThreadShares& shares = found->second;
  Move(times, SubStage::kReceive, SubStage::kDatasetCode,
       PortionLeft(shares.of_receive, At(times, SubStage::kReceive)));
  const int64_t no_phase = At(times, SubStage::kUnknown);
  const int64_t unknown = PortionLeft(shares.of_unknown, no_phase);
  const int64_t had = At(times, SubStage::kForward);
  const int64_t computed =
      std::min(no_phase - unknown, PortionLeft(shares.forward_of_unknown, no_phase));
  const int64_t forward = PortionLeft(shares.of_forward, had);
  const int64_t backward = std::min(had - forward, PortionLeft(shares.to_backward, had));
  const int64_t optimizer =
      std::min(had - forward - backward, PortionLeft(shares.to_optimizer, had));
  Move(times, SubStage::kForward, SubStage::kBackward, backward);
  Move(times, SubStage::kForward, SubStage::kOptimizer, optimizer);
  if (unknown + forward == 0) return {0, 0, computed};
  At(times, SubStage::kUnknown) -= unknown;
  At(times, SubStage::kForward) -= forward;
  ShareOut(shares.weights, unknown + forward, times);
  return {PortionLeft(shares.awaited, forward), PortionLeft(shares.evaluated, forward), computed};
}

// What shows a stage on the training thread, wherever its time is taken from.
double SampleSplit::OnThread(int32_t rank, const ThreadBlock& block, SubStage stage) const {
  const double own = stage == SubStage::kDatasetCode ? block.sampler : Outside(block, stage);
  const auto shares = thread_.find(rank);
  if (shares == thread_.end()) return own;
  if (stage == SubStage::kEvaluation) return block.evaluating;
  const double others = block.awaiting + block.asking;
  return own + others * shares->second.made[static_cast<size_t>(stage)];
}

Interval SampleSplit::BatchInterval(SubStage stage) const {
  std::vector<ShareCell> cells;
  double weight = 0, squares = 0;
  const bool collates = InBatches(stage).first > all_.weights[static_cast<size_t>(stage)];
  for (const auto& [number, rank] : sums_.ranks()) {
    squares += rank.batch_squares + (collates ? rank.collate_squares : 0);
    for (const BatchBlock& block : rank.batch) {
      ShareCell& cell = cells.emplace_back();
      for (size_t bin = 0; bin < kBinCount; ++bin) {
        const double in_collate = collates ? block.collating[bin] : 0;
        const double one = Weight(block, bin, storage_) + in_collate;
        cell.whole += one;
        if (StageOfBatch(bin) == stage) cell.part += one;
      }
      weight += cell.whole;
    }
  }
  return SampleShareInterval(cells, WorthOf(weight, squares));
}

Interval SampleSplit::ThreadInterval(SubStage stage) const {
  std::vector<ShareCell> cells;
  double weight = 0, squares = 0;
  for (const auto& [number, rank] : sums_.ranks()) {
    squares += rank.thread_squares;
    for (const ThreadBlock& block : rank.thread) {
      cells.push_back({OnThread(number, block, stage), block.whole});
      weight += block.whole;
    }
  }
  return SampleShareInterval(cells, WorthOf(weight, squares));
}

std::optional<SampleSplit::Doubt> SampleSplit::DoubtOf(SubStage stage,
                                                       const StageTimes& totals) const {
  const auto [in_batch, weight] = InBatches(stage);
  const bool sampled =
      all_.samples >= kLeastSamples || in_batch > all_.weights[static_cast<size_t>(stage)];
  const bool of_batch = sampled && SuspectOf(stage) == SuspectId::kDataPipeline;
  double in_loop = 0;
  for (const auto& [number, shares] : thread_) {
    in_loop += shares.weights[static_cast<size_t>(stage)];
    if (stage != SubStage::kDatasetCode || shares.of_receive <= 0) continue;
    for (const ThreadBlock& block : sums_.ranks().at(number).thread) in_loop += block.sampler;
  }
  if (in_loop <= in_batch && (!of_batch || stage > SubStage::kGetitem)) return std::nullopt;
  const Interval interval = in_loop > in_batch ? ThreadInterval(stage) : BatchInterval(stage);
  Doubt doubt;
  if (in_loop <= in_batch && in_batch <= 0) {
    int64_t pool = 0;
    for (SubStage one : kSampledStages) pool += At(totals, one);
    const auto whole = static_cast<double>(std::max<int64_t>(Sum(totals), 1));
    doubt.unseen = interval.high * static_cast<double>(pool) / whole;
    return doubt;
  }
  double share = 0;
  if (in_loop > in_batch) {
    double whole = 0;
    double part = 0;
    for (const auto& [number, rank] : sums_.ranks()) {
      for (const ThreadBlock& block : rank.thread) {
        whole += block.whole;
        part += OnThread(number, block, stage);
      }
    }
    share = whole > 0 ? part / whole : 0;
  } else {
    share = weight > 0 ? in_batch / weight : 0;
  }
  if (share <= 0) return std::nullopt;
  doubt.below = std::clamp((share - interval.low) / share, 0.0, 1.0);
  doubt.above = std::max(0.0, (interval.high - share) / share);
  return doubt;
}

}  // namespace steptrace::analyze
