// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/sample_sums.h"

#include <algorithm>
#include <tuple>

#include "analyze/code/called_function.h"
#include "analyze/code/code_place.h"
#include "analyze/input/job_facts.h"
#include "analyze/input/step_selection.h"
#include "analyze/samples/batch_wait.h"
#include "analyze/samples/collate_calls.h"
#include "analyze/samples/phase_order.h"
#include "analyze/stats/distribution.h"
#include "store/stored_words.h"

namespace steptrace::analyze {
namespace {

// Blocks of neighbouring steps, from which intervals are found: enough for a variance.
constexpr size_t kMostBlocks = 200;
// A sampler that takes one a second and missed every other: longer is a damaged row.
constexpr int64_t kLongestIntervalNs = 10'000'000'000;

// Of the samples that tell their phase, a clear majority: where fewer lie in it, its place is not
// known well enough.
constexpr double kFits = 0.6;
// Of a step, in phases that are not in its order: more of them, and no place in it is known.
constexpr double kMostOfOthers = 0.05;

// A call of C code that is more of a function than all else names it.
constexpr double kMostOfFunction = 0.5;

// A function's time by its lines, and by what it calls in C.
struct FunctionWeight {
  using Lines = std::map<int32_t, double>;
  Lines by_line;
  std::map<store::StringId, Lines> by_c_call;
};

// All of it, and the line with most.
std::pair<double, int32_t> SumOf(const FunctionWeight::Lines& lines) {
  double sum = 0, most = 0;
  int32_t line = 0;
  for (const auto& [number, weight] : lines) {
    sum += weight;
    if (weight > most) line = number;
    most = std::max(most, weight);
  }
  return {sum, line};
}

}  // namespace

SampleSums::SampleSums(const ReportInput& input, std::span<const store::TrackRow> tracks,
                       std::span<const store::StackRow> stacks, const StageTable& table)
    : strings_(*input.strings),
      rows_(input.steps),
      stacks_(stacks),
      classes_(ClassifyStacks(stacks, *input.strings, table,
                              CollateCallsOf(ReadJobFacts(input.facts, *input.strings)))),
      weights_(stacks.size()),
      locks_(stacks_, strings_, classes_) {
  FindSteps(input);
  std::vector<int32_t> ranks;
  for (auto& [number, rank] : steps_) {
    ranks.push_back(number);
    by_place_.push_back(&rank);
  }
  threads_ = SampleThreads(input, tracks, ranks);
}

void SampleSums::FindSteps(const ReportInput& input) {
  for (size_t i = 0; i < rows_.size() && !tells_saves_; ++i) {
    tells_saves_ = rows_[i].checkpoint_ns > 0;
  }
  for (uint32_t i : SelectSteps(input).steady) {
    const store::StepRow& row = rows_[i];
    steps_[row.rank].steps.push_back({row.ts_ns, row.ts_ns + row.dur_ns, i, 0});
  }
  for (auto& [number, rank] : steps_) {
    std::vector<Step>& steps = rank.steps;
    std::sort(steps.begin(), steps.end(),
              [](const Step& a, const Step& b) { return a.from_ns < b.from_ns; });
    const size_t blocks = std::min(steps.size(), kMostBlocks);
    for (size_t i = 0; i < steps.size(); ++i) {
      steps[i].block = static_cast<uint32_t>(i * blocks / steps.size());
    }
    rank.samples = &ranks_[number];
    for (const Step& step : steps) {
      const store::StepRow& row = rows_[step.row];
      if (!AwaitsDataset(row)) continue;
      rank.samples->awaited_ns += static_cast<double>(WaitEnd(row) - row.ts_ns);
    }
    rank.samples->batch.resize(blocks);
    rank.samples->thread.resize(blocks);
  }
}

// The steady step of that moment. Samples come nearly in order: looks where the last one was.
const SampleSums::Step* SampleSums::StepAt(SampledRank& rank, int64_t ts_ns) {
  const std::vector<Step>& steps = rank.steps;
  const auto holds = [&](size_t i) { return ts_ns >= steps[i].from_ns && ts_ns < steps[i].to_ns; };
  if (!holds(rank.last)) {
    const auto after = std::upper_bound(steps.begin(), steps.end(), ts_ns,
                                        [](int64_t ts, const Step& s) { return ts < s.from_ns; });
    if (after == steps.begin()) return nullptr;
    rank.last = static_cast<size_t>(after - steps.begin()) - 1;
  }
  return holds(rank.last) ? &steps[rank.last] : nullptr;
}

bool SampleSums::Waits(store::StringId state) {
  if (state != last_state_) {
    last_state_ = state;
    last_waits_ = store::SampleStateOf(strings_.Text(state)) == store::SampleState::kWaiting;
  }
  return last_waits_;
}

void SampleSums::Add(std::span<const store::SampleRow> samples) {
  threads_.FindTrainers(samples, classes_);
  FindRunning(samples);
  locks_.Add(samples, threads_, [this](store::StringId state) { return Waits(state); });
  for (const store::SampleRow& sample : samples) AddOne(sample);
}

// Of processes in which several threads run Python.
void SampleSums::FindRunning(std::span<const store::SampleRow> samples) {
  for (auto& [number, rank] : steps_) rank.running.Begin();
  for (const store::SampleRow& sample : samples) {
    const SampleThreads::Thread* of = threads_.Of(sample.track);
    if (of == nullptr || Waits(sample.state)) continue;
    if (of->beside || of->trains) by_place_[of->rank]->running.Note(sample.ts_ns);
  }
  for (auto& [number, rank] : steps_) rank.running.Sort();
}

void SampleSums::AddOne(const store::SampleRow& sample) {
  if (sample.stack < 0 || static_cast<size_t>(sample.stack) >= classes_.size()) return;
  if (sample.interval_ns <= 0) return;
  const SampleThreads::Thread* thread = threads_.Of(sample.track);
  if (thread == nullptr) return;
  const bool trains = thread->trains;
  const bool beside = thread->beside;
  SampledRank* steps = by_place_[thread->rank];
  const Step* step = StepAt(*steps, sample.ts_ns);
  if (step == nullptr) return;
  const store::StepRow& row = rows_[step->row];
  const StackClass& of = classes_[static_cast<size_t>(sample.stack)];
  StackWeights& weights = weights_[static_cast<size_t>(sample.stack)];
  const int64_t ns = std::min(sample.interval_ns, kLongestIntervalNs);
  // One that has slept, or has its lock, and finds no core does nothing yet either.
  const bool waits = Waits(sample.state) || of.leaf.only_waits || of.wait.on_lock;
  const bool fetches = of.region == StackRegion::kFetch;
  if ((fetches || of.region == StackRegion::kCollate) && sample.ts_ns < WaitEnd(row)) {
    AddToBatch(of, waits, static_cast<double>(ns), step->block, *steps->samples);
    weights.batch[waits].Add(ns);
    if (!trains && !beside && AwaitsDataset(row)) {
      steps->samples->loading_ns += static_cast<double>(ns);
      ++steps->samples->loading_samples;
    }
  }
  // What an evaluation takes its loader tells: samples only name it.
  const bool evaluates = trains && of.frames.evaluator >= 0;
  const bool saves = row.checkpoint_ns > 0;
  if (row.evaluation_ns > 0 && evaluates) weights.thread[waits][saves].Add(ns);
  if (row.evaluation_ns > 0) return;
  if (trains) {
    AddToThread(of, waits, SavesOf(saves), static_cast<double>(ns), step->block, *steps->samples);
    weights.thread[waits][saves].Add(ns);
    if (const auto phases = PhasesOf(row)) {
      AddBetween(of, sample.ts_ns - row.ts_ns, *phases, ns, weights);
    }
  } else if (beside && waits && of.leaf.needs_interpreter && steps->running.AnyAt(sample.ts_ns)) {
    // Another thread has the interpreter: what this one waits with is no work of its line's.
  } else if (MayMake(of)) {
    AddToMade(of, waits, static_cast<double>(ns), *steps->samples);
    weights.made[waits].Add(ns);
    if (beside && !waits && of.region == StackRegion::kElsewhere) weights.beside.Add(ns);
  }
}

void SampleSums::AddToBatch(const StackClass& of, bool waits, double ns, uint32_t block,
                            RankSamples& rank) {
  const auto [bin, blocked] = BatchBin(of, waits);
  BatchBlock& sums = rank.batch[block];
  if (of.region == StackRegion::kCollate) {
    sums.collating[bin] += ns;
    rank.collate_squares += ns * ns;
    ++rank.collate_samples;
    return;
  }
  (blocked ? sums.blocked : sums.ran)[bin] += ns;
  rank.batch_squares += ns * ns;
  ++rank.batch_samples;
}

StepSaves SampleSums::SavesOf(bool saves) const {
  if (saves) return StepSaves::kYes;
  return tells_saves_ ? StepSaves::kNo : StepSaves::kUntold;
}

void SampleSums::AddToThread(const StackClass& of, bool waits, StepSaves saves, double ns,
                             uint32_t block, RankSamples& rank) {
  ThreadBlock& sums = rank.thread[block];
  if (of.frames.evaluator >= 0) {
    sums.evaluating += ns;
  } else if (Awaits(of)) {
    (of.wait.asks ? sums.asking : sums.awaiting) += ns;
    if (of.wait.on_signal) sums.on_signal += ns;
  } else if (of.region == StackRegion::kElsewhere) {
    const size_t bin = OutsideBin(of, saves);
    (WaitsOutside(of, waits, saves) ? sums.waiting : sums.outside[bin]) += ns;
    rank.NoteOutside(bin, of.takes_numbers(), ns);
  }
  runs_compiled_ = runs_compiled_ || of.around.compiled;
  if (of.region == StackRegion::kSampler) sums.sampler += ns;
  if (of.region == StackRegion::kSampler && of.around.begins_epoch) sums.sampler_begin += ns;
  if (of.region == StackRegion::kForward && of.frames.evaluator < 0) sums.forward += ns;
  if (of.region == StackRegion::kBackward) sums.backward += ns;
  if (of.region == StackRegion::kOptimizer) sums.optimizer += ns;
  if (of.region == StackRegion::kAround && of.around.leaves) sums.leaves += ns;
  if (of.region == StackRegion::kAround && of.around.saving) sums.saving += ns;
  if (of.around.saving) rank.saved += ns;
  sums.whole += ns;
  rank.thread_squares += ns * ns;
  ++rank.thread_samples;
}

void SampleSums::AddToMade(const StackClass& of, bool waits, double ns, RankSamples& rank) {
  const auto [bin, blocked] = BatchBin(of, waits);
  (blocked ? rank.made.blocked : rank.made.ran)[bin] += ns;
  ++rank.made_samples;
}

std::optional<SampleSums::Phases> SampleSums::PhasesOf(const store::StepRow& row) {
  if (row.waits > 1 || row.batches > 1) return std::nullopt;
  int64_t left = std::max<int64_t>(row.dur_ns, 0);
  // Where in the step these lie is not known, and all behind them with it.
  double others_ns = 0;
  for (const store::StepColumn& phase : store::kStepPhases) {
    if (!LiesAnywhere(phase)) continue;
    others_ns += static_cast<double>(std::clamp<int64_t>(row.*phase.ns, 0, left));
  }
  if (others_ns > kMostOfOthers * static_cast<double>(left)) return std::nullopt;
  const auto take = [&left](int64_t ns) {
    const int64_t part = std::clamp<int64_t>(ns, 0, left);
    left -= part;
    return part;
  };
  Phases phases;
  phases.data_ns = take(row.data_ns);
  phases.forward_ns = take(row.forward_ns);
  phases.backward_ns = take(row.backward_ns);
  phases.optimizer_ns = take(row.optimizer_ns);
  phases.between_ns = left;
  return phases;
}

SampleSums::PhaseAt SampleSums::At(const Phases& phases, int64_t since_ns, size_t guess) {
  const int64_t after_ns =
      phases.between_ns / static_cast<int64_t>(kGuesses - 1) * static_cast<int64_t>(guess);
  const std::array<std::pair<int64_t, PhaseAt>, 5> order = {
      {{phases.between_ns - after_ns, PhaseAt::kBetween},
       {phases.data_ns, PhaseAt::kData},
       {phases.forward_ns, PhaseAt::kForward},
       {phases.backward_ns, PhaseAt::kBackward},
       {after_ns, PhaseAt::kBetween}}};
  for (const auto& [ns, phase] : order) {
    if (since_ns < ns) return phase;
    since_ns -= ns;
  }
  return PhaseAt::kOptimizer;
}

void SampleSums::AddBetween(const StackClass& of, int64_t since_ns, const Phases& phases,
                            int64_t ns, StackWeights& weights) {
  std::optional<PhaseAt> reported;
  if (of.region == StackRegion::kBackward) reported = PhaseAt::kBackward;
  if (of.region == StackRegion::kFetch || of.region == StackRegion::kCollate) {
    reported = PhaseAt::kData;
  }
  const bool calls = of.region == StackRegion::kForward && of.frames.evaluator < 0;
  if (reported) reported_ns_ = SaturatingAdd(reported_ns_, ns);
  for (size_t guess = 0; guess < kGuesses && (reported || calls); ++guess) {
    const PhaseAt at = At(phases, since_ns, guess);
    if (reported == at) fitting_ns_[guess] = SaturatingAdd(fitting_ns_[guess], ns);
    if (!calls || at != PhaseAt::kBetween) continue;
    weights.between[guess].Add(ns);
  }
}

SampledFunctions SampleSums::BetweenFunctions() const {
  const auto best = std::max_element(fitting_ns_.begin(), fitting_ns_.end());
  if (static_cast<double>(*best) < kFits * static_cast<double>(reported_ns_)) return {};
  const auto guess = static_cast<size_t>(best - fitting_ns_.begin());
  return Gather([guess](const StackClass&, const StackWeights& w) { return w.between[guess]; },
                [](const StackClass& of) {
                  return NamedFrames{of.frames.boundary, of.frames.boundary_call};
                });
}

SampleSums::NamedFrames SampleSums::Innermost(const StackClass& of) {
  if (of.frames.evaluator >= 0) return {of.frames.evaluator, -1};
  if (of.frames.user >= 0) return {of.frames.user, of.frames.call};
  return {of.frames.leaf, -1};
}

// weight_of: of a stack, what counts.
template <class WeightOf, class FramesOf>
SampledFunctions SampleSums::Gather(const WeightOf& weight_of, const FramesOf& frames_of) const {
  // File, function, call with its module: a function is one whatever expression of it is innermost,
  // and one whatever it calls in C.
  using Key = std::tuple<store::StringId, std::string_view, store::StringId, std::string>;
  std::map<Key, FunctionWeight> functions;
  SampledFunctions result;
  for (size_t i = 0; i < weights_.size(); ++i) {
    const StackClass& of = classes_[i];
    const Weight weight = weight_of(of, weights_[i]);
    if (weight.ns <= 0) continue;
    result.samples += weight.samples;
    const auto [named, called] = frames_of(of);
    if (named < 0) continue;
    const store::StackRow& row = stacks_[static_cast<size_t>(named)];
    const Called call = CalledAt(called, stacks_, strings_);
    FunctionWeight& function =
        functions[{row.file, EnclosingFunction(strings_.Text(row.function)),
                   call.in_c ? store::StringId::kEmpty : call.function, call.module}];
    function.by_line[row.line] += static_cast<double>(weight.ns);
    if (call.in_c) function.by_c_call[call.function][row.line] += static_cast<double>(weight.ns);
  }
  for (const auto& [key, function] : functions) {
    SampledFunction one;
    one.file = strings_.Text(std::get<0>(key));
    one.function = std::get<1>(key);
    one.call = strings_.Text(std::get<2>(key));
    one.call_module = std::get<3>(key);
    std::tie(one.weight, one.line) = SumOf(function.by_line);
    for (const auto& [call, lines] : function.by_c_call) {
      const auto [weight, line] = SumOf(lines);
      if (weight <= kMostOfFunction * one.weight) continue;
      one.line = line;
      one.call = strings_.Text(call);
      one.in_c = true;
    }
    result.functions.push_back(std::move(one));
  }
  std::sort(result.functions.begin(), result.functions.end(), [](const auto& a, const auto& b) {
    return std::tie(b.weight, a.file, a.function, a.call, a.call_module) <
           std::tie(a.weight, b.file, b.function, b.call, b.call_module);
  });
  return result;
}

SampleSums::Weight SampleSums::InBin(const StackClass& of, const std::array<Weight, 2>& weights,
                                     size_t bin, bool storage) {
  Weight sum;
  for (bool waits : {false, true}) {
    auto [own, blocked] = BatchBin(of, waits);
    if (blocked && storage) own = static_cast<size_t>(WorkStage::kStorageRead);
    if (own != bin) continue;
    sum.ns += weights[waits].ns;
    sum.samples += weights[waits].samples;
  }
  return sum;
}

SampledFunctions SampleSums::BatchFunctions(size_t bin, bool storage) const {
  return Gather([bin, storage](const StackClass& of, const StackWeights& weights) {
    return of.region == StackRegion::kFetch ? InBin(of, weights.batch, bin, storage) : Weight{};
  });
}

SampledFunctions SampleSums::MadeFunctions(size_t bin, bool storage) const {
  return Gather([bin, storage](const StackClass& of, const StackWeights& weights) {
    return MayMake(of) ? InBin(of, weights.made, bin, storage) : Weight{};
  });
}

SampledFunctions SampleSums::CollateFunctions(const std::function<bool(size_t)>& wants) const {
  return Gather([&wants](const StackClass& of, const StackWeights& weights) {
    Weight sum;
    for (bool waits : {false, true}) {
      if (of.region != StackRegion::kCollate || !wants(BatchBin(of, waits).first)) continue;
      sum.ns += weights.batch[waits].ns;
      sum.samples += weights.batch[waits].samples;
    }
    return sum;
  });
}

SampledFunctions SampleSums::EvaluatingFunctions() const {
  return GatherThread(
      [](const StackClass& of, bool, StepSaves) { return of.frames.evaluator >= 0; });
}

SampledFunctions SampleSums::ExchangingFunctions() const {
  return GatherThread([](const StackClass& of, bool, StepSaves) { return of.around.exchanges; });
}

SampledFunctions SampleSums::ConcurrentFunctions() const {
  return Gather([](const StackClass&, const StackWeights& weights) { return weights.beside; });
}

template <class Fits>
SampledFunctions SampleSums::GatherThread(const Fits& fits) const {
  return Gather([this, &fits](const StackClass& of, const StackWeights& weights) {
    Weight sum;
    for (bool waits : {false, true}) {
      for (bool saves : {false, true}) {
        if (!fits(of, waits, SavesOf(saves))) continue;
        sum.ns += weights.thread[waits][saves].ns;
        sum.samples += weights.thread[waits][saves].samples;
      }
    }
    return sum;
  });
}

SampledFunctions SampleSums::OutsideFunctions(size_t bin) const {
  return GatherThread([bin](const StackClass& of, bool waits, StepSaves saves) {
    return RunsOutside(of, waits, saves) && OutsideBin(of, saves) == bin;
  });
}

SampledFunctions SampleSums::WaitingFunctions() const {
  return GatherThread(WaitsOutside);
}

SampledFunctions SampleSums::AwaitingFunctions() const {
  return GatherThread([](const StackClass& of, bool, StepSaves) { return Awaits(of); });
}

// The function that calls it, and not the call: each has the same.
SampledFunctions SampleSums::CollectingFunctions() const {
  SampledFunctions found =
      GatherThread([](const StackClass& of, bool, StepSaves) { return of.leaf.collects; });
  for (SampledFunction& one : found.functions) {
    if (one.in_c) one.call.clear();
    one.in_c = false;
  }
  return found;
}

SampledFunctions SampleSums::RegionFunctions(StackRegion region) const {
  return GatherThread([region](const StackClass& of, bool, StepSaves) {
    return of.region == region && of.frames.evaluator < 0;
  });
}

}  // namespace steptrace::analyze
