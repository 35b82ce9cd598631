// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_split.h"

#include <algorithm>
#include <numeric>

#include "analyze/attribution/long_operator_gaps.h"
#include "analyze/attribution/portion.h"
#include "analyze/samples/phase_order.h"

namespace steptrace::analyze {

SampleSplit::SampleSplit(const SampleSums& sums, const ReportInput& input,
                         const StepSelection& selection, bool storage)
    : sums_(sums), storage_(storage) {
  std::map<int32_t, ModelTime> times;
  std::map<int32_t, FetchTime> fetches;
  const auto ns = [](int64_t value, const store::StepRow& row) {
    return static_cast<double>(std::clamp<int64_t>(value, 0, row.dur_ns));
  };
  for (uint32_t i : selection.steady) {
    const store::StepRow& row = input.steps[i];
    ModelTime& time = times[row.rank];
    FetchTime& fetch = fetches[row.rank];
    fetch.whole += ns(row.getitem_ns, row) + ns(row.storage_read_ns, row);
    fetch.blocked += ns(row.blocked_in_fetch_ns, row);
    fetch.tells_cores = fetch.tells_cores || row.cpu_shortage_ns > 0;
    time.whole += static_cast<double>(row.dur_ns);
    time.forward += ns(row.forward_ns, row);
    time.backward += ns(row.backward_ns, row);
    time.optimizer += ns(row.optimizer_ns, row);
    time.unknown += ns(row.other_phase_ns, row);
    time.receive += ns(row.receive_ns, row);
    time.worker_start += ns(row.worker_start_ns, row);
    time.getitem += ns(row.getitem_ns, row);
    time.checkpoint += ns(row.checkpoint_ns, row);
    time.logging += ns(row.logging_ns, row);
    for (const store::StepColumn& phase : store::kStepPhases) {
      if (LiesAnywhere(phase)) time.others += ns(row.*phase.ns, row);
    }
    if (!row.operators_ns || !row.dispatch_ns) continue;
    ++time.windowed;
    time.operators += ns(*row.operators_ns, row);
    time.dispatch += ns(*row.dispatch_ns, row);
    time.phases += ns(row.forward_ns, row) + ns(row.backward_ns, row) + ns(row.optimizer_ns, row);
  }
  if (input.operators) {
    for (const auto& [rank, of_step_ns] : LongOperatorGaps(*input.operators)) {
      const auto found = times.find(rank);
      if (found == times.end() || found->second.phases <= 0) continue;
      ModelTime& time = found->second;
      time.long_gaps = std::min(time.dispatch, of_step_ns * static_cast<double>(time.windowed));
    }
  }
  FindBatch(sums, fetches);
  FindThread(sums, times);
}

namespace {

// Of all: where fewer samples run, or wait, nothing tells what the rest of that time would be.
constexpr double kLeastOfBoth = 0.05;

bool IsLock(size_t bin) {
  return bin == static_cast<size_t>(WorkStage::kLock);
}

}  // namespace

// A thread that could run and has no core looks as if it ran, and that time is known by itself
// (`cpu_shortage`). So how much of the rest ran and how much was blocked is the hooks' to tell, and
// samples tell of each what it was.
SampleSplit::FetchScale SampleSplit::ScaleOf(const RankSamples& rank, const FetchTime& time) {
  double ran = 0, waited = 0;
  for (const BatchBlock& block : rank.batch) {
    for (size_t bin = 0; bin < kBinCount; ++bin) {
      (IsLock(bin) ? waited : ran) += block.ran[bin];
      waited += block.blocked[bin];
    }
  }
  const double all = ran + waited, least = kLeastOfBoth * all;
  if (!time.tells_cores || time.whole <= 0 || ran <= least || waited <= least) return {};
  const double blocked = std::min(1.0, time.blocked / time.whole);
  return {.ran = (1 - blocked) * all / ran, .waited = blocked * all / waited};
}

BatchBlock SampleSplit::Scaled(int32_t rank, const BatchBlock& block) const {
  const auto scale = scales_.find(rank);
  if (scale == scales_.end()) return block;
  BatchBlock scaled = block;
  for (size_t bin = 0; bin < kBinCount; ++bin) {
    scaled.ran[bin] *= IsLock(bin) ? scale->second.waited : scale->second.ran;
    scaled.blocked[bin] *= scale->second.waited;
  }
  return scaled;
}

SampleSplit::BatchShares SampleSplit::SharesOf(int32_t number, const RankSamples& rank) const {
  BatchShares shares;
  shares.samples = rank.batch_samples;
  shares.collate_samples = rank.collate_samples;
  for (const BatchBlock& sampled : rank.batch) {
    const BatchBlock block = Scaled(number, sampled);
    for (size_t bin = 0; bin < kBinCount; ++bin) {
      const auto stage = static_cast<size_t>(StageOfBatch(bin));
      shares.weights[stage] += BatchWeight(block, bin, storage_);
      shares.collating += block.collating[bin];
      if (IsSeparateFromCollate(bin)) shares.of_collate[stage] += block.collating[bin];
    }
  }
  return shares;
}

void SampleSplit::FindBatch(const SampleSums& sums, const std::map<int32_t, FetchTime>& times) {
  for (const auto& [number, rank] : sums.ranks()) {
    if (const auto time = times.find(number); time != times.end()) {
      scales_[number] = ScaleOf(rank, time->second);
    }
    const BatchShares shares = SharesOf(number, rank);
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
    const ThreadShares& shares = thread_[number] = FindThreadShares(rank, time->second, storage_);
    awaits_ = awaits_ || shares.awaited > 0;
  }
}

const SampleSplit::BatchShares& SampleSplit::BatchesOf(int32_t rank,
                                                       int64_t BatchShares::*samples) const {
  const auto own = batch_.find(rank);
  return own != batch_.end() && own->second.*samples >= kLeastSamples ? own->second : all_;
}

void SampleSplit::ShareOutCollate(int32_t rank, StageTimes& times) const {
  const BatchShares& shares = BatchesOf(rank, &BatchShares::collate_samples);
  if (shares.collate_samples < kLeastSamples || shares.collating <= 0) return;
  const int64_t ns = At(times, SubStage::kCollate);
  for (size_t i = 0; i < kSubStageCount; ++i) {
    const int64_t part = Portion(shares.of_collate[i] / shares.collating, ns);
    Move(times, SubStage::kCollate, static_cast<SubStage>(i),
         std::min(part, At(times, SubStage::kCollate)));
  }
}

void SampleSplit::ShareOutFetch(int32_t rank, StageTimes& times) const {
  const BatchShares& shares = BatchesOf(rank, &BatchShares::samples);
  if (shares.samples < kLeastSamples) return;
  const int64_t ns = At(times, SubStage::kGetitem) + At(times, SubStage::kStorageRead);
  At(times, SubStage::kGetitem) = 0;
  At(times, SubStage::kStorageRead) = 0;
  ShareOut(shares.weights, ns, times);
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

const ThreadShares* SampleSplit::ThreadOf(int32_t rank) const {
  const auto found = thread_.find(rank);
  return found == thread_.end() ? nullptr : &found->second;
}

// What shows a stage on the training thread, wherever its time is taken from.
double SampleSplit::OnThread(int32_t rank, const ThreadBlock& block, SubStage stage) const {
  double own = OutsideWeight(sums_.ranks().at(rank), block, stage);
  if (stage == SubStage::kDatasetCode) own += block.sampler;
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
    for (const BatchBlock& sampled : rank.batch) {
      const BatchBlock block = Scaled(number, sampled);
      ShareCell& cell = cells.emplace_back();
      for (size_t bin = 0; bin < kBinCount; ++bin) {
        const double in_collate = collates ? block.collating[bin] : 0;
        const double one = BatchWeight(block, bin, storage_) + in_collate;
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
