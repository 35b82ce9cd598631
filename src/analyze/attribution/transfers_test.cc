// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/attribution/sample_split.h"
#include "analyze/attribution/transfer.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

const Transfer& Named(std::string_view name) {
  for (const Transfer* one : Transfers()) {
    if (one->name == name) return *one;
  }
  throw std::runtime_error(fmt::format("no transfer is called {}", name));
}

using Parts = std::vector<std::pair<SubStage, int64_t>>;

StageTimes TimesOf(const Parts& parts) {
  StageTimes times{};
  for (const auto& [stage, ns] : parts) At(times, stage) = ns;
  return times;
}

// A step of these stages, and what is known of it beside its row.
class TransferTest : public testing::Test {
 protected:
  // What one transfer alone makes of them.
  StageTimes After(std::string_view name, const Parts& parts) {
    StageTimes times = TimesOf(parts);
    StepEvidence step = EvidenceOf(row_, rules_, times);
    if (thread_.has_value()) {
      step.thread = &*thread_;
      step.taken = TakenOf(*thread_, At(times, SubStage::kUnknown), step.forward_ns);
    }
    Named(name).move(step, times);
    return times;
  }
  ThreadShares& Thread() { return thread_ ? *thread_ : thread_.emplace(); }

  store::StepRow row_;
  AttributionRules rules_;

 private:
  std::optional<ThreadShares> thread_;
};

TEST_F(TransferTest, StorageHasWhatAFetchWasBlockedWhereStorageIsAtWork) {
  row_.blocked_in_fetch_ns = 45;
  EXPECT_EQ(After("storage", {{SubStage::kGetitem, 50}}), TimesOf({{SubStage::kGetitem, 50}}));
  rules_.storage_evidence = true;
  EXPECT_EQ(After("storage", {{SubStage::kGetitem, 50}}),
            TimesOf({{SubStage::kGetitem, 5}, {SubStage::kStorageRead, 45}}));
}

TEST_F(TransferTest, NoStorageTakesBackWhatNothingShows) {
  EXPECT_EQ(After("no_storage", {{SubStage::kStorageRead, 9}}), TimesOf({{SubStage::kGetitem, 9}}));
  rules_.storage_evidence = true;
  EXPECT_EQ(After("no_storage", {{SubStage::kStorageRead, 9}}),
            TimesOf({{SubStage::kStorageRead, 9}}));
}

TEST_F(TransferTest, WorkerShortageCountsWhatTheRowKnows) {
  rules_.worker_shortage_share = 0.5;
  EXPECT_EQ(
      After("worker_shortage", {{SubStage::kGetitem, 50}, {SubStage::kCollate, 10}}),
      TimesOf({{SubStage::kGetitem, 25}, {SubStage::kCollate, 5}, {SubStage::kCpuShortage, 30}}));
  const Parts known = {{SubStage::kGetitem, 10}, {SubStage::kCpuShortage, 40}};
  EXPECT_EQ(After("worker_shortage", known), TimesOf(known));
}

TEST_F(TransferTest, TrainerShortageIsAShareOfReceiving) {
  rules_.parent_shortage_share = 0.25;
  EXPECT_EQ(
      After("trainer_shortage", {{SubStage::kReceive, 8}, {SubStage::kGetitem, 8}}),
      TimesOf({{SubStage::kReceive, 6}, {SubStage::kGetitem, 8}, {SubStage::kCpuShortage, 2}}));
}

// Half of its samples decode, in fetches and in its collate function.
class SampledTransferTest : public TransferTest {
 protected:
  void SetUp() override {
    auto run = ParseVerdictCase(
        "test",
        "run\n"
        "stack a m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:5 > "
        "f@/x/site-packages/PIL/Jpeg.py:1\n"
        "stack b m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:7\n"
        "stack c m@/j/t.py:1 > WORKER > FETCH > COLLATE > f@/x/site-packages/pyarrow/a.py:1\n"
        "stack d m@/j/t.py:1 > WORKER > FETCH > COLLATE\n"
        "samples 100 a\nsamples 100 b\nsamples 100 c\nsamples 100 d\n"
        "steps 50 data=50ms forward=50ms waits=1\n");
    ASSERT_TRUE(run.ok()) << run.error().text();
    run_.emplace(*std::move(run));
    split_.emplace(*run_->sums, run_->input, SelectSteps(run_->input), false);
    rules_.samples = &*split_;
  }

 private:
  std::optional<VerdictCase> run_;
  std::optional<SampleSplit> split_;
};

TEST_F(SampledTransferTest, SampledCollateMovesWhatItsFunctionDecodes) {
  const StageTimes times = After("sampled_collate", {{SubStage::kCollate, 1000}});
  EXPECT_NEAR(static_cast<double>(At(times, SubStage::kDecode)), 500, 100);
  EXPECT_EQ(At(times, SubStage::kDecode) + At(times, SubStage::kCollate), 1000);
}

TEST_F(SampledTransferTest, SampledFetchSharesOutWhatTheDatasetTook) {
  const Parts parts = {{SubStage::kGetitem, 900}, {SubStage::kStorageRead, 100}};
  const StageTimes times = After("sampled_fetch", parts);
  EXPECT_NEAR(static_cast<double>(At(times, SubStage::kDecode)), 500, 100);
  EXPECT_EQ(At(times, SubStage::kStorageRead), 0);
  EXPECT_EQ(Sum(times), 1000);
  rules_.dataset = DatasetTime::kAsOne;
  EXPECT_EQ(After("sampled_fetch", parts), TimesOf(parts));
}

TEST_F(TransferTest, ASamplerIsTheDatasetsOwnCode) {
  Thread().of_receive = 0.5;
  EXPECT_EQ(After("sampler", {{SubStage::kReceive, 10}}),
            TimesOf({{SubStage::kReceive, 5}, {SubStage::kDatasetCode, 5}}));
}

TEST_F(TransferTest, ASamplerThatMakesItsOrderIsNoStartOfWorkers) {
  Thread().of_worker_start = 0.75;
  Thread().of_getitem = 0.5;
  EXPECT_EQ(
      After("sampler_begin", {{SubStage::kWorkerStart, 40}, {SubStage::kGetitem, 10}}),
      TimesOf(
          {{SubStage::kWorkerStart, 10}, {SubStage::kGetitem, 5}, {SubStage::kDatasetCode, 35}}));
}

TEST_F(TransferTest, OutsideTorchIsSharedOutByWhatRunsThere) {
  Thread().of_unknown = 1;
  Thread().of_forward = 0.25;
  Thread().weights[static_cast<size_t>(SubStage::kLoopCode)] = 3;
  Thread().weights[static_cast<size_t>(SubStage::kLogging)] = 1;
  EXPECT_EQ(
      After("outside_torch", {{SubStage::kUnknown, 20}, {SubStage::kForward, 80}}),
      TimesOf({{SubStage::kForward, 60}, {SubStage::kLoopCode, 30}, {SubStage::kLogging, 10}}));
}

TEST_F(TransferTest, TorchBackwardBeyondItsPhaseIsNoForward) {
  Thread().to_backward = 0.3;
  EXPECT_EQ(After("torch_backward", {{SubStage::kForward, 100}}),
            TimesOf({{SubStage::kForward, 70}, {SubStage::kBackward, 30}}));
}

TEST_F(TransferTest, TorchOptimizerHasWhatCodeOutsideAndBackwardLeave) {
  Thread().of_forward = 0.5;
  Thread().to_backward = 0.3;
  Thread().to_optimizer = 0.3;
  EXPECT_EQ(After("torch_optimizer", {{SubStage::kForward, 100}}),
            TimesOf({{SubStage::kForward, 80}, {SubStage::kOptimizer, 20}}));
}

TEST_F(TransferTest, IdleForwardIsOfTheThreadOnAHostThatComputesOrOfTheProcess) {
  Thread().idle_of_forward = 0.4;
  const Parts parts = {{SubStage::kForward, 100}};
  EXPECT_EQ(After("idle_forward", parts), TimesOf(parts)) << "a device may compute meanwhile";
  rules_.on_host = true;
  EXPECT_EQ(After("idle_forward", parts),
            TimesOf({{SubStage::kForward, 60}, {SubStage::kUnknown, 40}}));
  rules_.idle_of_forward[0] = 0.9;
  EXPECT_EQ(After("idle_forward", parts),
            TimesOf({{SubStage::kForward, 10}, {SubStage::kUnknown, 90}}));
}

TEST_F(TransferTest, DispatchIsTheShareThatWindowsShow) {
  DispatchSplit split;
  split.share[0] = 0.2;
  split.apart[0] = 0;
  split.longest_ns[0] = 100;
  rules_.dispatch = &split;
  EXPECT_EQ(
      After("dispatch", {{SubStage::kForward, 50}, {SubStage::kBackward, 50}}),
      TimesOf({{SubStage::kForward, 40}, {SubStage::kBackward, 40}, {SubStage::kDispatch, 20}}));
}

TEST_F(TransferTest, WorkForTheExchangeOfGradientsIsCommunication) {
  row_.backwards = 2;
  const Parts parts = {{SubStage::kBackward, 50}, {SubStage::kExposed, 10}};
  EXPECT_EQ(After("exchange_work", parts), TimesOf(parts));
  rules_.exchange_of_backward = 8;
  EXPECT_EQ(After("exchange_work", parts),
            TimesOf({{SubStage::kBackward, 34}, {SubStage::kExposed, 26}}));
  rules_.exchange_of_backward = 100;
  EXPECT_EQ(After("exchange_work", parts), TimesOf({{SubStage::kExposed, 60}}));
  row_.backwards = 0;  // another model, or none
  EXPECT_EQ(After("exchange_work", parts), TimesOf(parts));
}

TEST_F(TransferTest, AForwardThatNothingShowsIsUnattributed) {
  const Parts parts = {{SubStage::kForward, 50}, {SubStage::kBackward, 50}};
  EXPECT_EQ(After("unseen_forward", parts), TimesOf(parts));
  rules_.forward_unseen = true;
  EXPECT_EQ(After("unseen_forward", parts),
            TimesOf({{SubStage::kUnknown, 50}, {SubStage::kBackward, 50}}));
  DispatchSplit split;  // operators show some of it
  split.apart[0] = 0.4;
  rules_.dispatch = &split;
  row_.backward_ns = 50;
  EXPECT_EQ(
      After("unseen_forward", parts),
      TimesOf({{SubStage::kForward, 10}, {SubStage::kUnknown, 40}, {SubStage::kBackward, 50}}));
}

TEST_F(TransferTest, AModelWithoutAPhaseIsForward) {
  Thread().forward_of_unknown = 0.8;
  EXPECT_EQ(After("model_without_phase", {{SubStage::kUnknown, 100}}),
            TimesOf({{SubStage::kUnknown, 20}, {SubStage::kForward, 80}}));
}

TEST_F(TransferTest, DevicePhasesTellHowFarAWaitWasTheDevicesToo) {
  row_.dur_ns = 100;
  StepsOnDevice phases;
  phases[{0, 0}].ns = {75, 0, 0, 15, 10};  // forward, …, data, other
  rules_.phases = &phases;
  EXPECT_EQ(
      After("device_phases", {{SubStage::kGetitem, 60}, {SubStage::kUnknown, 40}}),
      TimesOf({{SubStage::kGetitem, 15}, {SubStage::kUnknown, 10}, {SubStage::kCompute, 75}}));
}

TEST_F(TransferTest, DeviceBusyTellsHowLongItWasIdleWhereNoEventsDo) {
  row_.dur_ns = 100;
  CounterSeries series;
  series.metric = "gpu.utilization_share";
  series.device = 0;
  series.times_ns = {0, 1000, 2000};
  series.values = {0, 0.7, 0.7};
  const std::vector<CounterSeries> counters = {series};
  const DeviceUtilization busy(counters, {{0, {0}}});
  rules_.device = &busy;
  const Parts parts = {{SubStage::kGetitem, 60}, {SubStage::kForward, 40}};
  EXPECT_EQ(
      After("device_busy", parts),
      TimesOf({{SubStage::kGetitem, 30}, {SubStage::kForward, 40}, {SubStage::kCompute, 30}}));
  StepsOnDevice phases;
  phases[{0, 0}];
  rules_.phases = &phases;
  EXPECT_EQ(After("device_busy", parts), TimesOf(parts));
}

TEST_F(SampledTransferTest, EachTakesFromTheStagesThatItNamesAloneAndGivesToThoseAlone) {
  std::mt19937_64 random(5);
  const auto share = [&random] { return static_cast<double>(random() % 101) / 100; };
  const auto ns = [&random] { return static_cast<int64_t>(random() % 1000); };
  CounterSeries used;
  used.metric = "gpu.utilization_share";
  used.device = 0;
  for (int64_t at = 0; at < 100; ++at) {
    used.times_ns.push_back(at * 1000);
    used.values.push_back(share());
  }
  const std::vector<CounterSeries> counters = {used};
  const DeviceUtilization busy(counters, {{0, {0}}});
  rules_.device = &busy;
  const StageSet outside = Named("outside_torch").to;
  for (int round = 0; round < 300; ++round) {
    rules_.storage_evidence = random() % 2 == 0;
    rules_.worker_shortage_share = share();
    rules_.parent_shortage_share = share();
    rules_.on_host = random() % 2 == 0;
    Thread() = {.of_unknown = share(),
                .of_forward = share(),
                .forward_of_unknown = share(),
                .to_backward = share(),
                .to_optimizer = share(),
                .of_receive = share(),
                .idle_of_forward = share()};
    for (size_t i = 0; i < kSubStageCount; ++i) {
      if (outside.Has(static_cast<SubStage>(i))) Thread().weights[i] = share();
    }
    Thread().weights[static_cast<size_t>(SubStage::kLoopCode)] = 1;
    rules_.idle_of_forward[0] = share();
    rules_.exchange_of_backward = static_cast<double>(ns());
    row_.backwards = static_cast<int32_t>(random() % 3);
    DispatchSplit split;
    split.share[0] = share();
    split.apart[0] = 0;
    split.longest_ns[0] = 3000;
    rules_.dispatch = &split;
    StepsOnDevice phases;
    phases[{0, 0}].ns = {ns(), ns(), ns(), ns(), ns()};
    rules_.phases = random() % 2 == 0 ? &phases : nullptr;
    row_.blocked_in_fetch_ns = ns();
    Parts parts;
    for (size_t i = 0; i < kSubStageCount; ++i) {
      parts.emplace_back(static_cast<SubStage>(i), ns());
      row_.dur_ns += parts.back().second;
    }
    const StageTimes before = TimesOf(parts);
    for (const Transfer* transfer : Transfers()) {
      SCOPED_TRACE(transfer->name);
      const StageTimes after = After(transfer->name, parts);
      EXPECT_EQ(Sum(after), Sum(before));
      for (size_t i = 0; i < kSubStageCount; ++i) {
        const auto stage = static_cast<SubStage>(i);
        // What is scaled down is rounded: the largest part has what that leaves.
        const int64_t rounding = transfer->from.Has(stage) ? kSubStageCount : 0;
        const int64_t most = transfer->to.Has(stage) ? Sum(before) : before[i] + rounding;
        EXPECT_GE(after[i], transfer->from.Has(stage) ? 0 : before[i]) << StageName(stage);
        EXPECT_LE(after[i], most) << StageName(stage);
      }
    }
    row_.dur_ns = 0;
  }
}

bool HasAll(const StageSet& set, std::span<const SubStage> stages) {
  return std::all_of(stages.begin(), stages.end(), [&](SubStage one) { return set.Has(one); });
}

// A list of the schema's goes by its name: the page need not know its members.
std::string NamesOf(const StageSet& set) {
  std::vector<std::string> names;
  std::span<const SubStage> listed;
  if (HasAll(set, kSampledStages)) {
    listed = kSampledStages;
    names.push_back("those of the dataset");
  } else if (HasAll(set, kPreparedStages)) {
    listed = kPreparedStages;
    names.push_back("those that prepare samples");
  }
  for (SubStage stage : kSubStages) {
    if (!set.Has(stage) || std::find(listed.begin(), listed.end(), stage) != listed.end()) continue;
    names.push_back(fmt::format("`{}`", StageName(stage)));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::string TableOfTransfers() {
  std::string rows;
  for (const Transfer* one : Transfers()) {
    rows += fmt::format("| {} | {} | {} | {} |\n", one->name, NamesOf(one->from), NamesOf(one->to),
                        one->reason);
  }
  return rows;
}

TEST(TransfersTest, TheConceptsPageHasThemAsATable) {
  const std::string head = "| transfer | from | to | because |\n| --- | --- | --- | --- |\n";
  std::ostringstream file;
  file << std::ifstream(STEPTRACE_VERDICT_PAGE).rdbuf();
  std::string page = file.str();
  ASSERT_NE(page.find(head), std::string::npos);
  const size_t begin = page.find(head) + head.size();
  const size_t size = page.find("\n\n", begin) + 1 - begin;
  const std::string rows = TableOfTransfers();
  if (std::getenv("STEPTRACE_UPDATE_PAGES") != nullptr) {
    page.replace(begin, size, rows);
    std::ofstream(STEPTRACE_VERDICT_PAGE, std::ios::trunc) << page;
    return;
  }
  EXPECT_EQ(page.substr(begin, size), rows)
      << "write " << STEPTRACE_VERDICT_PAGE
      << " anew: STEPTRACE_UPDATE_PAGES=1 steptrace_attribution_test";
}

}  // namespace
}  // namespace steptrace::analyze
