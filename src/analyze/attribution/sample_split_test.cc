// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/sample_split.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "analyze/report/build_report.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

// Stacks of every kind, on workers and on the training thread.
const char* const kStacks =
    "stack a m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:5 > f@/x/site-packages/pyarrow/a.py:1\n"
    "stack b m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:6 > augment@/j/d.py:9\n"
    "stack c m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:7\n"
    "stack d m@/j/t.py:1 > WORKER > FETCH\n"
    "stack e m@/j/t.py:1 > WORKER > FETCH > R.get@/j/d.py:8 > wait@/lib/python3.11/threading.py:3\n"
    "stack f m@/j/t.py:2 > MODULE > N.forward@/j/n.py:5\n"
    "stack g m@/j/t.py:3 > burn@/j/t.py:9\n"
    "stack h m@/j/t.py:3 > run@/x/site-packages/kornia/a.py:9\n"
    "stack i m@/j/t.py:4 > BACKWARD\n";

std::string RandomRun(std::mt19937_64& random) {
  const auto ms = [&random] { return static_cast<int>(random() % 100); };
  std::string text = "run cpus=4\n" + std::string(kStacks);
  if (random() % 2 == 0) text += "counter job.read_bytes_per_s 9e7\ncounter cpu.iowait_share 0.3\n";
  for (char name = 'a'; name <= 'i'; ++name) {
    for (const char* thread : {"worker", "training"}) {
      text += fmt::format("samples {} {} rank={} thread={} state={} interval={}ms\n", random() % 60,
                          name, random() % 2, thread, random() % 2 == 0 ? "running" : "waiting",
                          1 + random() % 90);
    }
  }
  for (int part = 0; part < 4; ++part) {
    text += fmt::format(
        "steps {} rank={} data={}ms collate={}ms blocked_in_fetch={}ms forward={}ms backward={}ms "
        "other={}ms evaluation={}ms waits=1 starved=0.7 jitter=40\n",
        10 + random() % 30, part % 2, 1 + ms(), 0, ms(), 1 + ms(), ms(), ms(), ms() % 5);
  }
  return text;
}

TEST(SampleSplitTest, EveryNanosecondHasOneStageWhateverWasSampled) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 100; ++run) {
    const std::string text = RandomRun(random);
    SCOPED_TRACE(text);
    auto sampled = ParseVerdictCase("test", text);
    ASSERT_TRUE(sampled.ok()) << sampled.error().text();
    const Report with = BuildReport(sampled->input);
    sampled->input.samples = nullptr;
    const Report without = BuildReport(sampled->input);
    int64_t sum = 0, sum_without = 0;
    for (size_t i = 0; i < with.stages.size(); ++i) {
      const StageRow& row = with.stages[i];
      ASSERT_GE(row.ns, 0) << row.name;
      EXPECT_LE(row.share_low, row.share) << row.name;
      EXPECT_GE(row.share_high, row.share) << row.name;
      sum += row.ns;
      sum_without += without.stages[i].ns;
      int64_t functions_ns = 0;
      for (const StageFunction& one : row.functions) functions_ns += one.ns;
      EXPECT_LE(functions_ns, row.ns) << row.name;
    }
    EXPECT_EQ(sum, sum_without);
    int64_t data = 0;
    for (const StageRow& row : with.data_pipeline.stages) data += row.ns;
    EXPECT_EQ(data, with.suspects[0].ns);
    // Samples may take from the model and from what has no name, and give to no other.
    const auto suspect = [](const Report& report, size_t i) { return report.suspects[i].ns; };
    EXPECT_LE(suspect(with, 1), suspect(without, 1));
    EXPECT_EQ(suspect(with, 2), suspect(without, 2));
    EXPECT_EQ(suspect(with, 3), suspect(without, 3));
  }
}

TEST(SampleSplitTest, TheOrderOfSamplesDoesNotMatter) {
  std::mt19937_64 random(8);
  auto run = ParseVerdictCase("test", RandomRun(random));
  ASSERT_TRUE(run.ok());
  const Report report = BuildReport(run->input);
  std::shuffle(run->samples.begin(), run->samples.end(), random);
  SampleSums shuffled(run->input, run->tracks, run->stacks, run->stage_table);
  for (const store::SampleRow& row : run->samples) shuffled.Add(std::span(&row, 1));
  run->input.samples = &shuffled;
  const Report again = BuildReport(run->input);
  for (size_t i = 0; i < report.stages.size(); ++i) {
    EXPECT_EQ(report.stages[i].ns, again.stages[i].ns) << report.stages[i].name;
    EXPECT_EQ(report.stages[i].functions.size(), again.stages[i].functions.size());
  }
}

TEST(SampleSplitTest, ARankWithItsOwnSamplesIsSharedOutByThem) {
  const std::string text = "run\n" + std::string(kStacks) +
                           "samples 100 a rank=0\nsamples 100 b rank=1\n"
                           "steps 50 rank=0 data=50ms forward=50ms waits=1\n"
                           "steps 50 rank=1 data=50ms forward=50ms waits=1\n";
  auto run = ParseVerdictCase("test", text);
  ASSERT_TRUE(run.ok());
  const StepSelection selection = SelectSteps(run->input);
  const SampleSplit split(*run->sums, run->input, selection, false);
  for (int32_t rank : {0, 1}) {
    StageTimes times{};
    At(times, SubStage::kGetitem) = 101;
    split.ShareOutFetch(rank, times);
    EXPECT_EQ(At(times, SubStage::kDecode), rank == 0 ? 101 : 0);
    EXPECT_EQ(At(times, SubStage::kAugmentation), rank == 0 ? 0 : 101);
  }
  // One that was not sampled is taken to do as the others.
  StageTimes times{};
  At(times, SubStage::kGetitem) = 1000;
  split.ShareOutFetch(5, times);
  EXPECT_NEAR(static_cast<double>(At(times, SubStage::kDecode)), 500, 100);
  EXPECT_EQ(Sum(times), 1000);
}

}  // namespace
}  // namespace steptrace::analyze
