// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/sample_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace steptrace::analyze {
namespace {

// Of the step: less of it outside torch is within what any loop does between its calls, and a
// call of torch's own C code from the script's own line looks the same.
constexpr double kWorthTaking = 0.10;
// A package that the table knows needs less: no tensor code hides in it.
constexpr double kWorthAStage = 0.02;
constexpr size_t kMostFunctions = 10;
constexpr double kNearlyAll = 0.9;  // of what was seen of a stage

SubStage StageOfBatch(size_t bin) {
  constexpr std::array<SubStage, kBinCount> kStages = {
      SubStage::kStorageRead, SubStage::kDecode, SubStage::kAugmentation, SubStage::kTokenise,
      SubStage::kCollate,     SubStage::kCopy,   SubStage::kLock,         SubStage::kUserCode,
      SubStage::kUserCode,    SubStage::kGetitem};
  return kStages[bin];
}

// Where code of the training thread outside torch belongs; nothing: it stays where it is.
std::optional<SubStage> StageOutside(size_t bin) {
  if (bin == static_cast<size_t>(WorkStage::kModel) || bin == kUnnamed) return std::nullopt;
  if (bin == static_cast<size_t>(WorkStage::kUserCode) ||
      bin == static_cast<size_t>(WorkStage::kLock)) {
    return SubStage::kLoopCode;
  }
  return StageOfBatch(bin);
}

int64_t PortionLeft(double share, int64_t ns) {
  return std::llround(std::clamp(share, 0.0, 1.0) * static_cast<double>(std::max<int64_t>(ns, 0)));
}

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

// The part of these weights that waited.
double WaitingPart(double ran, double waited) {
  return ran + waited > 0 ? waited / (ran + waited) : 0;
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
    time.unknown += ns(row.other_phase_ns, row);
    time.receive += ns(row.receive_ns, row);
    for (const int64_t other : {row.gc_ns, row.checkpoint_ns, row.logging_ns, row.compile_ns,
                                row.capture_ns, row.communication_phase_ns}) {
      time.others += ns(other, row);
    }
    if (!row.operators_ns || !row.dispatch_ns) continue;
    time.operators += ns(*row.operators_ns, row);
    time.phases += ns(row.forward_ns, row) + ns(row.backward_ns, row) + ns(row.optimizer_ns, row);
  }
  FindBatch(sums);
  FindThread(sums, times);
}

SampleSplit::BatchShares SampleSplit::SharesOf(const RankSamples& rank) const {
  BatchShares shares;
  shares.samples = rank.batch_samples;
  for (const BatchBlock& block : rank.batch) {
    for (size_t bin = 0; bin < kBinCount; ++bin) {
      shares.weights[static_cast<size_t>(StageOfBatch(bin))] += Weight(block, bin, storage_);
    }
  }
  return shares;
}

void SampleSplit::FindBatch(const SampleSums& sums) {
  for (const auto& [number, rank] : sums.ranks()) {
    const BatchShares shares = SharesOf(rank);
    all_.samples += shares.samples;
    for (size_t i = 0; i < kSubStageCount; ++i) all_.weights[i] += shares.weights[i];
    if (shares.samples >= kLeastSamples) batch_[number] = shares;
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
    made[static_cast<size_t>(SubStage::kUserCode)] = sum = 1;
  }
  for (double& weight : made) weight /= sum;
  return made;
}

struct SampleSplit::ThreadSums {
  double whole = 0, waiting = 0, awaiting = 0, evaluating = 0, named = 0, script = 0, sampler = 0;
  std::vector<ShareCell> waiting_cells, awaiting_cells, evaluating_cells, named_cells, script_cells,
      sampler_cells;
};

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
    sums.evaluating += block.evaluating;
    sums.evaluating_cells.push_back({block.evaluating, block.whole});
    sums.sampler += block.sampler;
    sums.sampler_cells.push_back({block.sampler, block.whole});
    double of_block = 0;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      const double weight = Outside(block, static_cast<SubStage>(i));
      shares.weights[i] += weight;
      of_block += weight;
    }
    const double in_script = Outside(block, SubStage::kLoopCode);
    sums.named += of_block - in_script;
    sums.script += in_script;
    sums.named_cells.push_back({of_block - in_script, block.whole});
    sums.script_cells.push_back({in_script, block.whole});
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
  if (low(sums.awaiting_cells) >= kWorthAStage) {
    shares.made = MadeOf(rank);
    for (size_t i = 0; i < kSubStageCount; ++i) {
      shares.weights[i] += sums.awaiting * shares.made[i];
    }
    sums.named += sums.awaiting;
  } else {
    sums.waiting += sums.awaiting;
    sums.awaiting = 0;
  }
  if (low(sums.evaluating_cells) >= kWorthTaking) {
    shares.weights[static_cast<size_t>(SubStage::kEvaluation)] = sums.evaluating;
    sums.named += sums.evaluating;
  } else {
    sums.evaluating = 0;
  }
  // What runs outside torch is first time of no phase; there the thread may also have waited.
  const double to_ns = time.whole / sums.whole;
  if (time.receive > 0 && low(sums.sampler_cells) >= kWorthAStage) {
    shares.of_receive = std::min(1.0, sums.sampler * to_ns / time.receive);
  }
  const double free_unknown = std::max(0.0, time.unknown - sums.waiting * to_ns);
  const double named_ns = sums.named * to_ns;
  const bool moves = low(sums.script_cells) >= kWorthTaking;
  double script_ns = std::max(0.0, sums.script * to_ns - time.others);
  const double script_unknown = std::min(script_ns, std::max(0.0, free_unknown - named_ns));
  if (!moves) script_ns = script_unknown;  // renamed where it is, and the model keeps its own
  // Operators that compute are no code of the script's, from whatever line they were called.
  if (time.phases > 0) {
    const double idle = std::clamp(1 - time.operators / time.phases, 0.0, 1.0);
    script_ns = std::min(script_ns, script_unknown + idle * time.forward);
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
  const double waited_in_forward = time.others + time.unknown - from_unknown;
  const double least_ns = low(sums.waiting_cells) * time.whole - waited_in_forward;
  if (time.forward > 0 && least_ns >= kWorthTaking * time.whole) {
    const double idle_ns = sums.waiting * to_ns - waited_in_forward;
    shares.idle_of_forward = std::clamp(idle_ns / time.forward, 0.0, 1 - shares.of_forward);
  }
  return shares;
}

void SampleSplit::SplitBatch(int32_t rank, StageTimes& times) const {
  const auto own = batch_.find(rank);
  const BatchShares& shares = own != batch_.end() ? own->second : all_;
  if (shares.samples < kLeastSamples) return;
  const int64_t ns = At(times, SubStage::kGetitem) + At(times, SubStage::kStorageRead);
  At(times, SubStage::kGetitem) = 0;
  At(times, SubStage::kStorageRead) = 0;
  ShareOut(shares.weights, ns, times);
}

double SampleSplit::IdleOfForward(int32_t rank) const {
  const auto found = thread_.find(rank);
  return found == thread_.end() ? 0 : found->second.idle_of_forward;
}

SampleSplit::TakenOfForward SampleSplit::SplitThread(int32_t rank, StageTimes& times) const {
  const auto found = thread_.find(rank);
  if (found == thread_.end()) return {};
  const ThreadShares& shares = found->second;
  Move(times, SubStage::kReceive, SubStage::kUserCode,
       PortionLeft(shares.of_receive, At(times, SubStage::kReceive)));
  const int64_t unknown = PortionLeft(shares.of_unknown, At(times, SubStage::kUnknown));
  const int64_t forward = PortionLeft(shares.of_forward, At(times, SubStage::kForward));
  if (unknown + forward == 0) return {};
  At(times, SubStage::kUnknown) -= unknown;
  At(times, SubStage::kForward) -= forward;
  ShareOut(shares.weights, unknown + forward, times);
  return {PortionLeft(shares.awaited, forward), PortionLeft(shares.evaluated, forward)};
}

// What shows a stage on the training thread, wherever its time is taken from.
double SampleSplit::OnThread(int32_t rank, const ThreadBlock& block, SubStage stage) const {
  const double own = stage == SubStage::kUserCode ? block.sampler : Outside(block, stage);
  const auto shares = thread_.find(rank);
  if (shares == thread_.end()) return own;
  if (stage == SubStage::kEvaluation) return block.evaluating;
  return own + block.awaiting * shares->second.made[static_cast<size_t>(stage)];
}

Interval SampleSplit::BatchInterval(SubStage stage) const {
  std::vector<ShareCell> cells;
  double weight = 0, squares = 0;
  for (const auto& [number, rank] : sums_.ranks()) {
    squares += rank.batch_squares;
    for (const BatchBlock& block : rank.batch) {
      ShareCell& cell = cells.emplace_back();
      for (size_t bin = 0; bin < kBinCount; ++bin) {
        const double one = Weight(block, bin, storage_);
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
  const bool of_batch =
      all_.samples >= kLeastSamples && SuspectOf(stage) == SuspectId::kDataPipeline;
  const double in_batch = all_.weights[static_cast<size_t>(stage)];
  double in_loop = 0;
  for (const auto& [number, shares] : thread_) {
    in_loop += shares.weights[static_cast<size_t>(stage)];
    if (stage != SubStage::kUserCode || shares.of_receive <= 0) continue;
    for (const ThreadBlock& block : sums_.ranks().at(number).thread) in_loop += block.sampler;
  }
  if (in_loop <= in_batch && (!of_batch || stage > SubStage::kGetitem)) return std::nullopt;
  const Interval interval = in_loop > in_batch ? ThreadInterval(stage) : BatchInterval(stage);
  double weight = 0;
  for (double one : all_.weights) weight += one;
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

// The functions of those who make batches.
void SampleSplit::AddDataset(SubStage stage, std::vector<SampledFunctions>& found) const {
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    if (StageOfBatch(bin) != stage) continue;
    if (all_.samples >= kLeastSamples) found.push_back(sums_.BatchFunctions(bin, storage_));
    if (awaits_) found.push_back(sums_.MadeFunctions(bin, storage_));
  }
  const auto unseen = [](const auto& rank) { return rank.second.made_samples < kLeastSamples; };
  if (awaits_ && stage == SubStage::kUserCode &&
      std::any_of(sums_.ranks().begin(), sums_.ranks().end(), unseen)) {
    found.push_back(sums_.AwaitingFunctions());
  }
}

SampleSplit::Shown SampleSplit::ShownOf(SubStage stage, int64_t ns, int64_t whole_ns) const {
  Shown shown;
  if (ns <= 0) return shown;
  SampledFunctions all;
  const auto add = [&all](SampledFunctions more) {
    all.samples += more.samples;
    all.functions.insert(all.functions.end(), std::make_move_iterator(more.functions.begin()),
                         std::make_move_iterator(more.functions.end()));
  };
  std::vector<SampledFunctions> of_dataset;
  AddDataset(stage, of_dataset);
  for (SampledFunctions& one : of_dataset) add(std::move(one));
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    if (StageOutside(bin) == stage && !thread_.empty()) add(sums_.OutsideFunctions(bin));
  }
  if (!thread_.empty()) {
    if (stage == SubStage::kEvaluation) add(sums_.EvaluatingFunctions());
    if (stage == SubStage::kForward) add(sums_.RegionFunctions(StackRegion::kForward));
    if (stage == SubStage::kForward) add(ScriptInForward());
    if (stage == SubStage::kBackward) add(sums_.RegionFunctions(StackRegion::kBackward));
    if (stage == SubStage::kOptimizer) add(sums_.RegionFunctions(StackRegion::kOptimizer));
    if (stage == SubStage::kUnknown) add(sums_.WaitingFunctions());
    if (stage == SubStage::kUnknown) add(sums_.BetweenFunctions());
    if (stage == SubStage::kUnknown && !awaits_) add(sums_.AwaitingFunctions());
    if (stage == SubStage::kUserCode) add(sums_.RegionFunctions(StackRegion::kSampler));
  }
  if (stage == SubStage::kCollate) {
    SampledFunctions collating = sums_.CollateFunctions();
    if (collating.samples >= kLeastSamples) add(std::move(collating));
  }
  shown.samples = all.samples;
  std::stable_sort(all.functions.begin(), all.functions.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  double weight = 0;
  for (const SampledFunction& one : all.functions) weight += one.weight;
  // Forward: all of it is these functions' if they have half of the samples that it should have.
  // Unknown: only if, besides, one has nearly all of theirs. Else each has what its own come to.
  if ((stage == SubStage::kUnknown || stage == SubStage::kForward) && whole_ns > 0) {
    const double expected =
        ThreadWeight() * static_cast<double>(ns) / static_cast<double>(whole_ns);
    const bool in_one =
        !all.functions.empty() && all.functions.front().weight >= kNearlyAll * weight;
    const bool enough = 2 * weight >= expected && (stage == SubStage::kForward || in_one);
    if (!enough) weight = std::max(weight, expected);
  }
  int64_t left = ns;
  for (const SampledFunction& one : all.functions) {
    if (shown.functions.size() == kMostFunctions) break;
    const int64_t part = std::min(left, PortionLeft(one.weight / weight, ns));
    left -= part;
    shown.functions.push_back(
        {one.function, one.file, one.line, one.call, part,
         static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole_ns, 1)), one.in_c,
         one.call_module});
  }
  return shown;
}

// Tensor code of the script's own lines, as far as its time was left there.
SampledFunctions SampleSplit::ScriptInForward() const {
  double script = 0, left = 0;
  for (const auto& [number, shares] : thread_) script += shares.script;
  for (const auto& [number, shares] : thread_) left += shares.script_left;
  if (left <= 0) return {};
  SampledFunctions found = sums_.OutsideFunctions(static_cast<size_t>(WorkStage::kUserCode));
  found.samples = std::llround(left / script * static_cast<double>(found.samples));
  for (SampledFunction& one : found.functions) one.weight *= left / script;
  return found;
}

double SampleSplit::ThreadWeight() const {
  double whole = 0;
  for (const auto& [number, rank] : sums_.ranks()) {
    for (const ThreadBlock& block : rank.thread) whole += block.whole;
  }
  return whole;
}

// By the time that the training threads were seen for.
std::vector<StageFunction> SampleSplit::OfThread(const SampledFunctions& found,
                                                 int64_t whole_ns) const {
  const double whole = ThreadWeight();
  std::vector<StageFunction> functions;
  for (const SampledFunction& one : found.functions) {
    if (whole <= 0 || functions.size() == kMostFunctions) break;
    const double share = one.weight / whole;
    functions.push_back({one.function, one.file, one.line, one.call, PortionLeft(share, whole_ns),
                         share, one.in_c, one.call_module});
  }
  return functions;
}

SampledWaits SampleSplit::WaitsOf(int64_t whole_ns) const {
  SampledWaits waits;
  double ran = 0, waited = 0, makers_ran = 0, makers_waited = 0, awaited_ns = 0, loading_ns = 0;
  int64_t loading_samples = 0;
  for (const auto& [number, rank] : sums_.ranks()) {
    awaited_ns += rank.awaited_ns;
    loading_ns += rank.loading_ns;
    loading_samples += rank.loading_samples;
    for (size_t bin = 0; bin < kBinCount; ++bin) {
      for (const BatchBlock& block : rank.batch) {
        ran += block.ran[bin];
        waited += block.blocked[bin];
      }
      makers_ran += rank.made.ran[bin];
      makers_waited += rank.made.blocked[bin];
    }
  }
  if (all_.samples >= kLeastSamples) waits.of_dataset = WaitingPart(ran, waited);
  if (loading_samples >= kLeastSamples) waits.workers_at_work = loading_ns / awaited_ns;
  if (thread_.empty()) return waits;
  waits.between = OfThread(sums_.BetweenFunctions(), whole_ns);
  waits.beside = OfThread(sums_.BesideFunctions(), whole_ns);
  waits.sampler = OfThread(sums_.RegionFunctions(StackRegion::kSampler), whole_ns);
  if (!awaits_) return waits;
  waits.of_makers = WaitingPart(makers_ran, makers_waited);
  waits.awaited = OfThread(sums_.AwaitingFunctions(), whole_ns);
  return waits;
}

}  // namespace steptrace::analyze
