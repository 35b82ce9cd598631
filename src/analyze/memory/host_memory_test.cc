// SPDX-License-Identifier: Apache-2.0
#include "analyze/memory/host_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "analyze/input/report_input.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string GrowthText(const ProcessMemoryRow& process, const HostMemorySection& section) {
  return present::SentenceOf(GrowthOf(process, section)).text;
}

constexpr int64_t kSecond = 1'000'000'000;
constexpr double kMib = 1 << 20;
constexpr double kGib = 1024 * kMib;

// 100 s of 10 steps a second from second 10 on, a sample each half second from 0 to 120.
class HostMemoryTest : public ::testing::Test {
 protected:
  void Steps(int32_t rank) {
    store::StepRow row;
    row.rank = rank;
    for (int64_t i = 0; i < 1000; ++i) {
      row.ts_ns = 10 * kSecond + i * kSecond / 10;
      row.dur_ns = kSecond / 10;
      row.kind = strings_.Intern(i < 5 ? "warm-up" : "train");
      steps_.push_back(row);
    }
  }
  // `bytes`: by seconds.
  void Series(const char* metric, std::optional<int64_t> pid,
              const std::function<double(double)>& bytes,
              std::optional<int32_t> device = std::nullopt) {
    CounterSeries series;
    series.metric = metric;
    series.pid = pid;
    series.device = device;
    for (int64_t i = 0; i <= 240; ++i) {
      series.times_ns.push_back(i * kSecond / 2);
      series.values.push_back(bytes(static_cast<double>(i) / 2));
    }
    counters_.push_back(std::move(series));
  }
  // One at the begin of each of the first steps.
  void DeviceReadings(int steps, const std::function<double(int step)>& bytes) {
    CounterSeries series;
    series.metric = "torch_cuda.allocated_bytes";
    series.pid = 100;
    series.device = 0;
    for (int i = 0; i < steps; ++i) {
      series.times_ns.push_back(10 * kSecond + i * kSecond / 10);
      series.values.push_back(bytes(i));
    }
    counters_.push_back(std::move(series));
  }
  void Leak(int64_t pid) {
    Series("process.rss_anon_bytes", pid, [](double s) { return kGib + s * 10 * kMib; });
  }
  HostMemorySection Make() { return MakeHostMemory(counters_, AxesOf(steps_, strings_), ranks_); }

  store::StringTable strings_;
  std::vector<store::StepRow> steps_;
  std::vector<CounterSeries> counters_;
  std::vector<RankProcess> ranks_{{0, 0, 100}};
};

TEST_F(HostMemoryTest, ALeakHasItsBytesAStepAndASecond) {
  Steps(0);
  Leak(100);
  Series("process.rss_file_bytes", 100, [](double) { return 5.0; });
  const HostMemorySection section = Make();
  ASSERT_EQ(section.processes.size(), 1u);
  const ProcessMemoryRow& one = section.processes[0];
  EXPECT_EQ(one.rank, 0);
  EXPECT_EQ(one.growth.verdict, GrowthVerdict::kLeak);
  EXPECT_NEAR(one.growth.bytes_per_step, kMib, 0.02 * kMib);
  EXPECT_NEAR(one.bytes_per_s, 10 * kMib, 0.2 * kMib);
  EXPECT_EQ(one.file_bytes, 5.0);
  EXPECT_EQ(one.peak_bytes, kGib + 1200 * kMib);
  EXPECT_TRUE(section.outlooks.empty()) << "no limit is known";
  EXPECT_EQ(SubjectOf(one), "memory of rank 0");
  EXPECT_THAT(GrowthText(one, section),
              HasSubstr("grows by 1 MiB a step (1 MiB to 1 MiB): a leak"));
  EXPECT_EQ(one.compiled_steps, 0);
  EXPECT_THAT(GrowthText(one, section), Not(HasSubstr("compile")));
}

TEST_F(HostMemoryTest, OfManyProcessesThoseThatLeakStandThereAndAllAreCounted) {
  Steps(0);
  for (int64_t pid = 1000; pid < 1300; ++pid) {
    Series("process.rss_anon_bytes", pid, [](double) { return 2 * kGib; });
  }
  Leak(100);
  const HostMemorySection section = Make();
  EXPECT_EQ(section.process_count, 301);
  ASSERT_EQ(section.processes.size(), 256u);
  EXPECT_EQ(section.processes[0].pid, 100);
}

TEST_F(HostMemoryTest, ALeakOfATrainingThatCompilesAnewNamesIt) {
  Steps(0);
  for (size_t i = 3; i < steps_.size(); i += 4) steps_[i].compile_ns = kSecond / 20;
  Leak(100);
  Leak(101);  // a worker compiles nothing
  const HostMemorySection section = Make();
  ASSERT_EQ(section.processes.size(), 2u);
  const ProcessMemoryRow& one =
      section.processes[0].pid == 100 ? section.processes[0] : section.processes[1];
  const ProcessMemoryRow& worker =
      section.processes[0].pid == 100 ? section.processes[1] : section.processes[0];
  EXPECT_NEAR(static_cast<double>(one.compiled_steps), one.growth.steps / 4, 2);
  EXPECT_THAT(GrowthText(one, section),
              HasSubstr(": a leak, because torch.compile recompiles in 24"));
  EXPECT_EQ(worker.compiled_steps, 0);
  EXPECT_THAT(GrowthText(worker, section), Not(HasSubstr("compile")));
}

TEST_F(HostMemoryTest, FewCompilationsMakeNoMemoryGrowInEachBlock) {
  Steps(0);
  for (size_t i = 100; i < 600; i += 100) steps_[i].compile_ns = kSecond / 20;
  Leak(100);
  const HostMemorySection section = Make();
  EXPECT_EQ(section.processes.at(0).growth.verdict, GrowthVerdict::kLeak);
  EXPECT_EQ(section.processes[0].compiled_steps, 5);
  EXPECT_THAT(GrowthText(section.processes[0], section), Not(HasSubstr("compile")));
}

TEST_F(HostMemoryTest, WhatGrowsWhileTheTrainingIsSetUpIsNoLeak) {
  Steps(0);
  Series("process.rss_anon_bytes", 100,
         [](double s) { return kGib + std::min(s, 10.0) * 100 * kMib; });
  EXPECT_EQ(Make().processes.at(0).growth.verdict, GrowthVerdict::kPlateau);
}

TEST_F(HostMemoryTest, TheEndIsForetoldByTheTighterLimit) {
  Steps(0);
  Leak(100);
  Series("memory.total_bytes", std::nullopt, [](double) { return 64 * kGib; });
  Series("memory.available_bytes", std::nullopt, [](double) { return 30 * kGib; });
  EXPECT_EQ(Make().outlooks.at(0).limit, "machine");
  EXPECT_NEAR(static_cast<double>(Make().outlooks.at(0).exhausted_in_ns), 3072e9, 70e9);
  Series("cgroup.memory_limit_bytes", std::nullopt,
         [](double) { return kGib + 1200 * kMib + 600 * kMib; });
  const HostMemorySection section = Make();
  ASSERT_EQ(section.outlooks.size(), 1u);
  EXPECT_EQ(section.outlooks[0].limit, "cgroup");
  EXPECT_NEAR(static_cast<double>(section.outlooks[0].exhausted_in_ns), 60e9, 2e9);
  EXPECT_THAT(GrowthText(section.processes[0], section), HasSubstr("of the cgroup would last for"));
}

// A forked worker's anonymous memory is its parent's until one of them writes to it.
TEST_F(HostMemoryTest, PagesThatForkedProcessesShareCountOnceAgainstTheLimit) {
  Steps(0);
  Leak(100);
  for (int64_t worker = 200; worker < 208; ++worker) {
    Series("process.rss_anon_bytes", worker, [](double) { return 2 * kGib; });
  }
  Series("cgroup.memory_limit_bytes", std::nullopt, [](double) { return 4 * kGib; });
  Series("cgroup.memory_bytes", std::nullopt, [](double) { return 4 * kGib - 600 * kMib; });
  const HostMemorySection section = Make();
  ASSERT_EQ(section.outlooks.size(), 1u);
  EXPECT_NEAR(static_cast<double>(section.outlooks[0].exhausted_in_ns), 60e9, 2e9);
}

TEST_F(HostMemoryTest, EndedProcessHoldsNoMemory) {
  Steps(0);
  Leak(100);
  Series("process.rss_anon_bytes", 200, [](double) { return 2 * kGib; });
  counters_.back().times_ns.resize(200);
  counters_.back().values.resize(200);
  Series("cgroup.memory_limit_bytes", std::nullopt,
         [](double) { return kGib + 1200 * kMib + 600 * kMib; });
  HostMemorySection section = Make();
  EXPECT_TRUE(section.processes.at(1).ended);
  EXPECT_NEAR(static_cast<double>(section.outlooks.at(0).exhausted_in_ns), 60e9, 2e9);
  counters_[0].times_ns.resize(200);
  counters_[0].values.resize(200);
  Series("process.rss_anon_bytes", 300, [](double) { return kGib; });
  section = Make();
  EXPECT_EQ(section.processes.at(0).growth.verdict, GrowthVerdict::kLeak);
  EXPECT_TRUE(section.outlooks.empty());
}

// A minute apart, as on a machine with many processes.
TEST_F(HostMemoryTest, SamplesFarApartLeaveOneOutNowAndThen) {
  const auto at_minutes = [this](int64_t pid, const std::vector<int64_t>& minutes) {
    CounterSeries& series = counters_.emplace_back();
    series.metric = "process.rss_anon_bytes";
    series.pid = pid;
    for (int64_t minute : minutes) series.times_ns.push_back(minute * 60 * kSecond);
    series.values.assign(minutes.size(), kGib);
  };
  at_minutes(100, {0, 1, 2, 3, 4});
  at_minutes(200, {0, 1, 2, 3});
  at_minutes(300, {0, 1, 2});
  const HostMemorySection section = Make();
  ASSERT_EQ(section.processes.size(), 3u);
  for (const ProcessMemoryRow& one : section.processes) {
    EXPECT_EQ(one.ended, one.pid == 300) << one.pid;
  }
}

// Its rows come when a step ends, which has nothing to do with when memory is sampled.
TEST_F(HostMemoryTest, ADevicesMemoryEndsWithItsProcess) {
  Steps(0);
  Leak(100);
  Leak(200);
  counters_.back().times_ns.resize(200);
  counters_.back().values.resize(200);
  for (int64_t pid : {100, 200, 300}) {
    Series(
        "torch_cuda.allocated_bytes", pid, [](double) { return kGib; }, 1);
  }
  CounterSeries& of_a_long_step = counters_[2];
  of_a_long_step.times_ns.resize(100);
  of_a_long_step.values.resize(100);
  CounterSeries& late = counters_.back();
  for (int64_t& ts_ns : late.times_ns) ts_ns += 100 * kSecond;
  for (const ProcessMemoryRow& one : Make().processes) {
    EXPECT_EQ(one.ended, one.pid == 200) << one.pid << (one.device ? " on its device" : "");
  }
}

TEST_F(HostMemoryTest, OfManyProcessesTheOneThatLeaksIsKept) {
  Steps(0);
  for (int64_t worker = 200; worker < 500; ++worker) {
    Series("process.rss_anon_bytes", worker, [](double) { return kGib; });
    counters_.back().times_ns.resize(1);  // enough of it
    counters_.back().values.resize(1);
  }
  Leak(1000);
  const HostMemorySection section = Make();
  EXPECT_EQ(section.processes.size(), 256u);
  EXPECT_EQ(section.processes[0].pid, 1000);
}

TEST_F(HostMemoryTest, SlopesOfImpossibleStepsAreNumbers) {
  Steps(0);
  for (store::StepRow& step : steps_) step.dur_ns = 0;
  for (size_t i = 0; i < steps_.size(); ++i) steps_[i].ts_ns = 60 * kSecond + (i > 500 ? 1 : 0);
  Series("process.rss_anon_bytes", 100, [](double s) { return s * 8e15; });
  for (size_t i = 0; i < 241; ++i) {
    counters_[0].times_ns[i] = 60 * kSecond + static_cast<int64_t>(i / 121);
  }
  const auto json = HostMemoryJson(Make());
  EXPECT_LE(json["processes"][0]["growth"]["bytes_per_s"], int64_t{1'000'000'000'000'000'000});
}

TEST_F(HostMemoryTest, NothingIsForetoldWhereNothingLeaks) {
  Steps(0);
  Series("process.rss_anon_bytes", 100, [](double) { return kGib; });
  Series("memory.total_bytes", std::nullopt, [](double) { return 2 * kGib; });
  Series("memory.available_bytes", std::nullopt, [](double) { return kMib; });
  EXPECT_TRUE(Make().outlooks.empty());
}

TEST_F(HostMemoryTest, AWorkerIsJudgedByItsNodesSteps) {
  Steps(0);
  Series("process.rss_anon_bytes", 100, [](double) { return 5 * kGib; });
  Leak(200);
  const HostMemorySection section = Make();
  ASSERT_EQ(section.processes.size(), 2u);
  EXPECT_EQ(section.processes[0].pid, 200) << "what leaks comes first";
  EXPECT_FALSE(section.processes[0].rank);
  EXPECT_EQ(SubjectOf(section.processes[0]), "memory of process 200");
}

// It fills its allocator, and writes to what it was forked with: that looks like a leak at first.
TEST_F(HostMemoryTest, AWorkerOfLessThanAMinuteIsNotCalledALeak) {
  Steps(0);
  Leak(100);
  Leak(200);
  for (CounterSeries& series : counters_) {  // both from second 55 on
    series.times_ns.erase(series.times_ns.begin(), series.times_ns.begin() + 110);
    series.values.erase(series.values.begin(), series.values.begin() + 110);
  }
  const HostMemorySection section = Make();
  ASSERT_EQ(section.processes.size(), 2u);
  EXPECT_EQ(section.processes[0].pid, 100);
  EXPECT_EQ(section.processes[0].growth.verdict, GrowthVerdict::kLeak);
  EXPECT_EQ(section.processes[1].growth.verdict, GrowthVerdict::kNotEnough);
}

TEST_F(HostMemoryTest, DeviceMemoryLeaksToo) {
  Steps(0);
  Series(
      "torch_cuda.allocated_bytes", 100, [](double s) { return kGib + s * 10 * kMib; }, 1);
  Series(
      "torch_cuda.reserved_bytes", 100, [](double) { return 3 * kGib; }, 1);
  Series(
      "torch_cuda.inactive_split_bytes", 100, [](double) { return kGib; }, 1);
  Series(
      "torch_cuda.alloc_retries", 100, [](double) { return 7; }, 1);
  Series(
      "gpu.memory_total_bytes", std::nullopt, [](double) { return 4 * kGib; }, 1);
  const HostMemorySection section = Make();
  const ProcessMemoryRow& one = section.processes.at(0);
  EXPECT_EQ(one.growth.verdict, GrowthVerdict::kLeak);
  EXPECT_EQ(one.alloc_retries, 7);
  EXPECT_EQ(section.outlooks.at(0).limit, "device");
  EXPECT_EQ(SubjectOf(one), "memory of rank 0 on device 1");
  const auto json = HostMemoryJson(section);
  EXPECT_EQ(json["processes"][0]["device"], 1);
  EXPECT_EQ(json["processes"][0]["inactive_split_bytes"], int64_t{1} << 30);
  EXPECT_EQ(json["processes"][0]["growth"]["verdict"], "leak");
  EXPECT_EQ(json["outlooks"][0]["device"], 1);
}

TEST_F(HostMemoryTest, AReadingAStepShowsALeakBelowWhatEachBatchTakes) {
  Steps(0);
  DeviceReadings(1000, [](int step) {
    const int length = step % 7;  // of that step's batch
    return kGib + step * kMib / 4 + length * 100 * kMib;
  });
  const HostMemorySection section = Make();
  const ProcessMemoryRow& one = section.processes.at(0);
  EXPECT_EQ(one.growth.verdict, GrowthVerdict::kLeak);
  EXPECT_NEAR(one.growth.bytes_per_step, kMib / 4, kMib / 16);
  EXPECT_NEAR(one.bytes_per_s, 10 * kMib / 4, kMib);
}

TEST_F(HostMemoryTest, AFewSecondsOfBatchesThatGrowAreNoLeakOfADevice) {
  Steps(0);
  DeviceReadings(60, [](int step) { return kGib + step * 10 * kMib; });
  EXPECT_EQ(Make().processes.at(0).growth.verdict, GrowthVerdict::kNotEnough);
  counters_.clear();
  DeviceReadings(120, [](int step) { return kGib + step * 10 * kMib; });
  EXPECT_EQ(Make().processes.at(0).growth.verdict, GrowthVerdict::kLeak);
  counters_.clear();
  // Its last half and quarter grow, for three seconds and for six.
  DeviceReadings(120, [](int step) { return kGib + std::max(0, step - 60) * 10 * kMib; });
  EXPECT_EQ(Make().processes.at(0).growth.verdict, GrowthVerdict::kNotEnough);
}

TEST_F(HostMemoryTest, WithoutStepsNothingIsJudged) {
  Leak(100);
  EXPECT_EQ(Make().processes.at(0).growth.verdict, GrowthVerdict::kNotEnough);
}

TEST_F(HostMemoryTest, ImpossibleValuesAreLeftOut) {
  Steps(0);
  Series("process.rss_anon_bytes", 100,
         [](double s) { return s > 50 ? std::numeric_limits<double>::quiet_NaN() : s; });
  Series("process.rss_anon_bytes", 101, [](double) { return 1e300; });
  EXPECT_TRUE(Make().processes.empty());
}

TEST(StepAxis, ThinnedItSaysTheSame) {
  StepAxis axis;
  for (int i = 0; i <= 101; ++i) axis.Add(i * 1000, i);
  axis.Thin();
  EXPECT_EQ(axis.size(), 52u);
  EXPECT_EQ(axis.steps(), 101);
  EXPECT_DOUBLE_EQ(axis.At(-5), 0);
  EXPECT_DOUBLE_EQ(axis.At(50'500), 50.5);
  EXPECT_DOUBLE_EQ(axis.At(1'000'000), 101);
}

}  // namespace
}  // namespace steptrace::analyze
