// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_functions.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

#include "analyze/attribution/portion.h"
#include "analyze/attribution/sample_weights.h"
#include "analyze/code/code_place.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostFunctions = 10;
constexpr double kNearlyAll = 0.9;  // of what was seen of a stage

void Scale(SampledFunctions& found, double part) {
  found.samples = std::llround(part * static_cast<double>(found.samples));
  for (SampledFunction& one : found.functions) one.weight *= part;
  std::erase_if(found.functions, [](const SampledFunction& one) { return one.weight <= 0; });
}

// The part of these weights that waited.
double WaitingPart(double ran, double waited) {
  return ran + waited > 0 ? waited / (ran + waited) : 0;
}

}  // namespace

// The functions of those who make batches.
void SampleFunctions::AddDataset(SubStage stage, std::vector<SampledFunctions>& found) const {
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    if (StageOfBatch(bin) != stage) continue;
    if (split_.saw_batches()) found.push_back(sums_.BatchFunctions(bin, split_.reads_storage()));
    if (split_.saw_collating() && IsSeparateFromCollate(bin)) {
      found.push_back(sums_.CollateFunctions([bin](size_t one) { return one == bin; }));
    }
    if (split_.awaits()) found.push_back(sums_.MadeFunctions(bin, split_.reads_storage()));
  }
  const auto unseen = [](const auto& rank) { return rank.second.made_samples < kLeastSamples; };
  if (split_.awaits() && stage == SubStage::kDatasetCode &&
      std::any_of(sums_.ranks().begin(), sums_.ranks().end(), unseen)) {
    found.push_back(sums_.AwaitingFunctions());
  }
}

SampleFunctions::Shown SampleFunctions::ShownOf(SubStage stage, int64_t ns,
                                                int64_t whole_ns) const {
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
    if (StageOutside(bin, IsFor()) != stage || split_.threads().empty()) continue;
    SampledFunctions outside = sums_.OutsideFunctions(bin);
    if (bin == kTensorCode || bin == kModelLine || bin == kModuleLine)
      Scale(outside, TensorCodeTaken());
    add(std::move(outside));
  }
  if (stage == SubStage::kEvaluation) add(sums_.EvaluatingFunctions());
  if (!split_.threads().empty()) {
    if (stage == SubStage::kExposed) add(sums_.ExchangingFunctions());
    if (stage == SubStage::kForward) add(sums_.RegionFunctions(StackRegion::kForward));
    if (stage == SubStage::kForward) add(ScriptInForward());
    if (stage == SubStage::kBackward) add(sums_.RegionFunctions(StackRegion::kBackward));
    if (stage == SubStage::kOptimizer) add(sums_.RegionFunctions(StackRegion::kOptimizer));
    if (stage == SubStage::kUnknown) add(sums_.WaitingFunctions());
    if (stage == SubStage::kUnknown) add(sums_.BetweenFunctions());
    if (stage == SubStage::kUnknown && !split_.awaits()) add(sums_.AwaitingFunctions());
    if (stage == SubStage::kDatasetCode) add(sums_.RegionFunctions(StackRegion::kSampler));
    if (stage == SubStage::kGarbageCollection) add(Collecting(ns, whole_ns));
  }
  if (stage == SubStage::kCollate) {
    SampledFunctions collating =
        sums_.CollateFunctions([](size_t bin) { return !IsSeparateFromCollate(bin); });
    // default_collate by itself is no news.
    const bool own = !collating.functions.empty() &&
                     PlaceOf(collating.functions.front().file).origin == CodeOrigin::kUser;
    if (own && collating.samples >= kLeastSamples) add(std::move(collating));
  }
  shown.samples = all.samples;
  std::stable_sort(all.functions.begin(), all.functions.end(),
                   [](const auto& a, const auto& b) { return a.weight > b.weight; });
  double weight = 0;
  for (const SampledFunction& one : all.functions) weight += one.weight;
  // An exchange may be one that the script calls, or one of torch's own that nothing names.
  // Forward: all of it is these functions' if they have half of the samples that it should have.
  // Unknown: only if, besides, one has nearly all of theirs. Else each has what its own come to.
  const bool in_part = stage == SubStage::kUnknown || stage == SubStage::kExposed;
  if ((in_part || stage == SubStage::kForward) && whole_ns > 0) {
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
    const int64_t part = std::min(left, Portion(one.weight / weight, ns));
    left -= part;
    shown.functions.push_back(
        {one.function, one.file, one.line, one.call, part,
         static_cast<double>(part) / static_cast<double>(std::max<int64_t>(whole_ns, 1)), one.in_c,
         one.call_module});
  }
  return shown;
}

// Only where most of it was asked for: else it came by itself, wherever the script was.
SampledFunctions SampleFunctions::Collecting(int64_t ns, int64_t whole_ns) const {
  SampledFunctions found = sums_.CollectingFunctions();
  double weight = 0;
  for (const SampledFunction& one : found.functions) weight += one.weight;
  const double expected = ThreadWeight() * static_cast<double>(ns) /
                          static_cast<double>(std::max<int64_t>(whole_ns, 1));
  if (found.samples < kLeastSamples || 2 * weight < expected) return {};
  return found;
}

// Tensor code of the script's own lines, as far as its time was left there.
SampledFunctions SampleFunctions::ScriptInForward() const {
  double script = 0, left = 0;
  for (const auto& [number, shares] : split_.threads()) script += shares.script;
  for (const auto& [number, shares] : split_.threads()) left += shares.script_left;
  if (left <= 0) return {};
  SampledFunctions found = sums_.OutsideFunctions(static_cast<size_t>(WorkStage::kUserCode));
  for (const size_t bin : {kTensorCode, kGradless, kModelLine, kModuleLine, kApart, kReading}) {
    SampledFunctions more = sums_.OutsideFunctions(bin);
    found.samples += more.samples;
    std::move(more.functions.begin(), more.functions.end(), std::back_inserter(found.functions));
  }
  Scale(found, left / script);
  return found;
}

// Of the script's time that was taken from the phases, code that calls torch has what is beyond the
// rest of the script.
double SampleFunctions::TensorCodeTaken() const {
  double taken = 0, tensors = 0, rest = 0;
  for (const auto& [number, shares] : split_.threads()) {
    taken += shares.script - shares.script_left;
    rest += shares.script;
    for (const ThreadBlock& block : sums_.ranks().at(number).thread) {
      tensors +=
          block.outside[kTensorCode] + block.outside[kModelLine] + block.outside[kModuleLine];
    }
  }
  rest -= tensors;
  return tensors > 0 ? std::clamp((taken - rest) / tensors, 0.0, 1.0) : 1;
}

// Of the ranks that were sampled: one is named for all.
OutsideIsFor SampleFunctions::IsFor() const {
  OutsideIsFor all;
  for (const auto& [number, rank] : sums_.ranks()) {
    all.data = all.data && rank.is_for_data();
    all.saving = all.saving && rank.is_for_saving();
  }
  return all;
}

double SampleFunctions::ThreadWeight() const {
  double whole = 0;
  for (const auto& [number, rank] : sums_.ranks()) {
    for (const ThreadBlock& block : rank.thread) whole += block.whole;
  }
  return whole;
}

// By the time that the training threads were seen for.
std::vector<StageFunction> SampleFunctions::OfThread(const SampledFunctions& found,
                                                     int64_t whole_ns) const {
  const double whole = ThreadWeight();
  std::vector<StageFunction> functions;
  for (const SampledFunction& one : found.functions) {
    if (whole <= 0 || functions.size() == kMostFunctions) break;
    const double share = one.weight / whole;
    functions.push_back({.function = one.function,
                         .file = one.file,
                         .line = one.line,
                         .call = one.call,
                         .ns = Portion(share, whole_ns),
                         .share = share,
                         .in_c = one.in_c,
                         .call_module = one.call_module});
  }
  return functions;
}

SampledWaits SampleFunctions::WaitsOf(int64_t whole_ns) const {
  SampledWaits waits;
  waits.locks = sums_.Locks();
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
  if (split_.saw_batches()) waits.of_dataset = WaitingPart(ran, waited);
  if (loading_samples >= kLeastSamples) waits.workers_at_work = loading_ns / awaited_ns;
  if (split_.threads().empty()) return waits;
  waits.between = OfThread(sums_.BetweenFunctions(), whole_ns);
  waits.beside = OfThread(sums_.ConcurrentFunctions(), whole_ns);
  waits.sampler = OfThread(sums_.RegionFunctions(StackRegion::kSampler), whole_ns);
  if (!split_.awaits()) return waits;
  waits.of_makers = WaitingPart(makers_ran, makers_waited);
  waits.awaited = OfThread(sums_.AwaitingFunctions(), whole_ns);
  return waits;
}

}  // namespace steptrace::analyze
