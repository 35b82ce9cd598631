// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/sample_sums.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

// Steps of 100 ms, the first 40 of them waiting for the dataset; two stacks, and tracks for both.
const char* const kRun =
    "run\n"
    "stack decode main@/job/t.py:1 > WORKER > FETCH > Rows.decode@/job/d.py:5\n"
    "stack model main@/job/t.py:1 > MODULE > Net.forward@/job/n.py:5\n"
    "stack fill fill@/job/t.py:9\n"
    "samples 1 decode\n"
    "samples 1 model thread=training\n"
    "samples 1 fill thread=beside\n"
    "steps 2 kind=warm-up data=40ms forward=60ms jitter=0\n"
    "steps 10 data=40ms forward=60ms jitter=0 waits=1 starved=1\n";
constexpr int64_t kMs = 1'000'000;
constexpr int32_t kWorkerTrack = 0;
constexpr int32_t kMainTrack = 1;
constexpr int32_t kBesideTrack = 2;

class SampleSumsTest : public ::testing::Test {
 protected:
  SampleSumsTest() {
    auto parsed = ParseVerdictCase("test", kRun);
    EXPECT_TRUE(parsed.ok()) << parsed.error().text();
    run_ = *std::move(parsed);
    for (const store::StackRow& row : run_.stacks) {
      const std::string& function = run_.strings->Text(row.function);
      if (function == "Rows.decode") decode_ = row.stack;
      if (function == "Net.forward") model_ = row.stack;
      if (function == "fill") fill_ = row.stack;
    }
    SumAgain();
  }
  void SumAgain() {
    run_.input.steps = run_.steps;
    sums_ = std::make_unique<SampleSums>(run_.input, run_.tracks, run_.stacks, StageTable());
  }
  void Add(int64_t ts_ns, int32_t track, int32_t stack, int64_t interval_ns = 10 * kMs) {
    store::SampleRow row;
    row.ts_ns = ts_ns;
    row.track = track;
    row.stack = stack;
    row.state = run_.strings->Intern("running");
    row.interval_ns = interval_ns;
    sums_->Add(std::span(&row, 1));
  }
  // A stack in which decode_ calls a function; made before sums_ is made anew.
  int32_t CallOf(const char* function, const char* file) {
    store::StackRow row;
    row.stack = static_cast<int32_t>(run_.stacks.size());
    row.parent = decode_;
    row.function = run_.strings->Intern(function);
    row.file = run_.strings->Intern(file);
    row.line = 5;
    run_.stacks.push_back(row);
    return row.stack;
  }
  const RankSamples& rank() const { return sums_->ranks().at(0); }

  VerdictCase run_;
  std::unique_ptr<SampleSums> sums_;
  int32_t decode_ = -1;
  int32_t model_ = -1;
  int32_t fill_ = -1;
};

TEST_F(SampleSumsTest, CountsABatchWhileTheTrainingWaitsForIt) {
  Add(210 * kMs, kWorkerTrack, decode_);  // the third step waits from 200 to 240 ms
  EXPECT_EQ(rank().batch_samples, 1);
  Add(250 * kMs, kWorkerTrack, decode_);  // it computes: the worker reads ahead
  Add(110 * kMs, kWorkerTrack, decode_);  // of a warm-up step
  Add(-5, kWorkerTrack, decode_);         // before and after the steps
  Add(1200 * kMs, kWorkerTrack, decode_);
  EXPECT_EQ(rank().batch_samples, 1);
  Add(300 * kMs, kWorkerTrack, decode_);  // a step's begin is its own
  Add(211 * kMs, kWorkerTrack, decode_);  // not in order
  EXPECT_EQ(rank().batch_samples, 3);
  const SampledFunctions functions =
      sums_->BatchFunctions(static_cast<size_t>(WorkStage::kDecode), false);
  ASSERT_EQ(functions.functions.size(), 1u);
  EXPECT_EQ(functions.samples, 3);
  EXPECT_EQ(functions.functions[0].weight, 30.0 * kMs);
}

// Where another thread of the process runs in the same round, one that waits in its own Python
// waits for the interpreter; in a file it waits for that.
TEST_F(SampleSumsTest, GilContentionIsNoWork) {
  const auto add = [this](int32_t stack, int64_t main_ns, const char* main_state) {
    std::vector<store::SampleRow> round(2);
    round[0].ts_ns = 250 * kMs;
    round[0].track = kBesideTrack;
    round[0].stack = stack;
    round[0].state = run_.strings->Intern("waiting");
    round[1].ts_ns = main_ns;
    round[1].track = kMainTrack;
    round[1].stack = model_;
    round[1].state = run_.strings->Intern(main_state);
    for (store::SampleRow& row : round) row.interval_ns = 10 * kMs;
    sums_->Add(round);
    return rank().made_samples;
  };
  store::StackRow read;
  read.stack = static_cast<int32_t>(run_.stacks.size());
  read.parent = fill_;
  read.function = run_.strings->Intern("self.file.read");
  read.file = run_.strings->Intern("<built-in>");
  run_.stacks.push_back(read);
  SumAgain();
  EXPECT_EQ(add(fill_, 250 * kMs + 100'000, "running"), 0);
  EXPECT_EQ(add(fill_, 250 * kMs - 100'000, "running"), 0);
  EXPECT_EQ(add(fill_, 250 * kMs, "waiting"), 1);  // nobody has it
  EXPECT_EQ(add(fill_, 252 * kMs, "running"), 2);  // of another round
  EXPECT_EQ(add(read.stack, 250 * kMs, "running"), 3);
}

// A function is one, whatever it calls in C; what is most of it names it.
TEST_F(SampleSumsTest, ACallOfCThatIsMostOfAFunctionNamesIt) {
  const int32_t inflate = CallOf("zlib.decompress", "<built-in zlib>");
  const int32_t sum = CallOf("zlib.adler32", "<built-in zlib>");
  SumAgain();
  const auto only = [this] {
    const auto found = sums_->BatchFunctions(static_cast<size_t>(WorkStage::kDecode), false);
    EXPECT_EQ(found.functions.size(), 1u);
    return found.functions.at(0);
  };
  Add(210 * kMs, kWorkerTrack, inflate);
  EXPECT_EQ(only().function, "Rows.decode");
  EXPECT_EQ(only().call, "zlib.decompress");
  EXPECT_TRUE(only().in_c);
  Add(211 * kMs, kWorkerTrack, sum);
  Add(212 * kMs, kWorkerTrack, inflate);
  EXPECT_EQ(only().call, "zlib.decompress");
  Add(213 * kMs, kWorkerTrack, decode_);
  EXPECT_EQ(only().call, "") << "half is not most";
  EXPECT_FALSE(only().in_c);
  EXPECT_EQ(only().weight, 40.0 * kMs);
}

TEST_F(SampleSumsTest, FunctionsOfOneNameInTwoModulesAreTwo) {
  const int32_t toml = CallOf("loads", "/usr/lib/python3.11/tomllib/_parser.py");
  const int32_t plist = CallOf("loads", "/usr/lib/python3.11/plistlib.py");
  SumAgain();
  Add(210 * kMs, kWorkerTrack, toml);
  Add(211 * kMs, kWorkerTrack, plist);
  Add(212 * kMs, kWorkerTrack, plist);
  const auto found = sums_->BatchFunctions(static_cast<size_t>(WorkStage::kDecode), false);
  ASSERT_EQ(found.functions.size(), 2u);
  EXPECT_EQ(found.functions[0].call_module, "plistlib");
  EXPECT_EQ(found.functions[0].call, "loads");
  EXPECT_EQ(found.functions[0].weight, 20.0 * kMs);
  EXPECT_EQ(found.functions[1].call_module, "tomllib");
  EXPECT_EQ(found.functions[1].call, "loads");
}

TEST_F(SampleSumsTest, CountsTheTrainingThreadInWholeSteps) {
  Add(210 * kMs, kMainTrack, model_);
  Add(290 * kMs, kMainTrack, model_);
  Add(290 * kMs, kWorkerTrack, model_);  // another thread's is not the training's
  EXPECT_EQ(rank().thread_samples, 2);
  EXPECT_EQ(rank().batch_samples, 0);
  EXPECT_EQ(sums_->RegionFunctions(StackRegion::kForward).samples, 2);
  EXPECT_EQ(sums_->RegionFunctions(StackRegion::kBackward).samples, 0);
}

TEST_F(SampleSumsTest, InvalidSamplesAreLeftOut) {
  Add(210 * kMs, kWorkerTrack, -1);
  Add(210 * kMs, kWorkerTrack, 1 << 20);
  Add(210 * kMs, 77, decode_);
  Add(210 * kMs, kWorkerTrack, decode_, 0);
  Add(210 * kMs, kWorkerTrack, decode_, -5);
  Add(std::numeric_limits<int64_t>::min(), kWorkerTrack, decode_);
  Add(std::numeric_limits<int64_t>::max(), kWorkerTrack, decode_);
  EXPECT_EQ(rank().batch_samples, 0);
  // An interval that no sampler has counts as the longest that one can have.
  Add(210 * kMs, kWorkerTrack, decode_, std::numeric_limits<int64_t>::max());
  const auto functions = sums_->BatchFunctions(static_cast<size_t>(WorkStage::kDecode), false);
  EXPECT_EQ(functions.functions.at(0).weight, 1e10);
}

TEST_F(SampleSumsTest, AWaitWithoutStarvingIsNoEvidence) {
  for (store::StepRow& row : run_.steps) row.getitem_ns = row.collate_ns = 0;
  SumAgain();
  Add(210 * kMs, kWorkerTrack, decode_);
  EXPECT_EQ(rank().batch_samples, 0);
}

TEST_F(SampleSumsTest, FindsNothingBetweenPhasesOfHostileRows) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  for (store::StepRow& row : run_.steps) {
    row.data_ns = row.forward_ns = row.backward_ns = row.optimizer_ns = kMost;
  }
  SumAgain();
  Add(260 * kMs, kMainTrack, model_);
  EXPECT_EQ(rank().thread_samples, 1);
  EXPECT_TRUE(sums_->BetweenFunctions().functions.empty());
  for (store::StepRow& row : run_.steps) {
    row.data_ns = row.forward_ns = row.backward_ns = row.optimizer_ns = -kMost;
  }
  SumAgain();
  Add(260 * kMs, kMainTrack, model_);
  EXPECT_EQ(rank().thread_samples, 1);
  EXPECT_EQ(sums_->BetweenFunctions().samples, 1);  // all of such a row is between
}

TEST_F(SampleSumsTest, KnowsNoOrderOfSeveralBatches) {
  for (store::StepRow& row : run_.steps) {
    row.forward_ns = 0;
    row.batches = 2;
  }
  SumAgain();
  Add(260 * kMs, kMainTrack, model_);
  EXPECT_TRUE(sums_->BetweenFunctions().functions.empty());
  for (store::StepRow& row : run_.steps) row.batches = 1;
  SumAgain();
  Add(210 * kMs, kMainTrack, model_);
  ASSERT_EQ(sums_->BetweenFunctions().functions.size(), 1u);
  EXPECT_EQ(sums_->BetweenFunctions().functions[0].function, "main");
}

// Where in a step a collective lies its row does not tell: nor then what lies between the phases.
TEST_F(SampleSumsTest, KnowsNoOrderBesideAnotherPhase) {
  for (store::StepRow& row : run_.steps) {
    row.forward_ns = 0;
    row.communication_phase_ns = row.dur_ns / 10;
  }
  SumAgain();
  Add(210 * kMs, kMainTrack, model_);
  EXPECT_EQ(rank().thread_samples, 1);
  EXPECT_TRUE(sums_->BetweenFunctions().functions.empty());
  for (store::StepRow& row : run_.steps) row.communication_phase_ns = row.dur_ns / 100;
  SumAgain();
  Add(210 * kMs, kMainTrack, model_);
  EXPECT_EQ(sums_->BetweenFunctions().functions.size(), 1u);
}

TEST_F(SampleSumsTest, AnEvaluationIsNoTraining) {
  for (store::StepRow& row : run_.steps) row.evaluation_ns = 1;
  SumAgain();
  Add(210 * kMs, kMainTrack, model_);
  EXPECT_EQ(rank().thread_samples, 0);
}

}  // namespace
}  // namespace steptrace::analyze
