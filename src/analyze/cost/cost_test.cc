// SPDX-License-Identifier: Apache-2.0
#include "analyze/cost/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using model::FindingKind;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Not;

constexpr int64_t kSecond = 1'000'000'000;

std::vector<InstanceType> P3() {
  return {{"p3.2xlarge", 8, 61, 1, 16, "V100", 3.825},
          {"p3.8xlarge", 32, 244, 4, 16, "V100", 14.688},
          {"p3.16xlarge", 64, 488, 8, 16, "V100", 28.152}};
}

CounterSeries Series(const char* metric, int32_t node, int32_t device, double value) {
  CounterSeries series;
  series.metric = metric;
  series.node = node;
  series.device = device;
  for (int64_t i = 0; i < 100; ++i) {
    series.times_ns.push_back(i * kSecond / 2);
    series.values.push_back(value);
  }
  return series;
}

// Three machines of 4 GPUs and 32 cores, used evenly.
std::vector<CounterSeries> ThreeMachines(double gpu, double cpu) {
  std::vector<CounterSeries> counters;
  for (int32_t node = 0; node < 3; ++node) {
    for (int32_t i = 0; i < 4; ++i) {
      counters.push_back(Series("gpu.utilization_share", node, i, gpu));
    }
    for (int32_t i = 0; i < 32; ++i) {
      counters.push_back(Series("core.busy_share", node, i, cpu));
    }
  }
  return counters;
}

CostInput Input(const std::vector<CounterSeries>& counters, int64_t seconds, int32_t nodes) {
  CostInput input;
  input.duration_ns = seconds * kSecond;
  input.nodes = nodes;
  input.use = MeasureUse(counters, {}, {});
  input.types = P3();
  return input;
}

std::vector<FindingKind> KindsOf(const std::vector<model::Finding>& findings) {
  std::vector<FindingKind> kinds;
  for (const model::Finding& one : findings) kinds.push_back(one.kind);
  return kinds;
}

double Cents(double money) {
  return std::round(money * 100) / 100;
}

const Alternative* Find(const CostSection& section, AlternativeKind kind) {
  for (const Alternative& one : section.alternatives) {
    if (one.kind == kind) return &one;
  }
  return nullptr;
}

// 3 p3.8xlarge at 13.5 % GPU and 24.4 % CPU for 503 s at $6.16, then two
// p3.2xlarge for 502 s at $1.07, 82.6 % less.
TEST(Cost, ThreeLargeMachinesBecomeTwoSmallOnes) {
  const auto counters = ThreeMachines(0.135, 0.244);
  const CostSection section = BuildCostSection(Input(counters, 503, 3));
  ASSERT_TRUE(section.applicable);
  EXPECT_EQ(section.instance, "p3.8xlarge");  // by its 32 cores and 4 GPUs
  EXPECT_NEAR(section.price_per_hour, 3 * 14.688, 1e-9);
  EXPECT_EQ(Cents(section.money), 6.16);
  EXPECT_NEAR(*section.use[0].gpus_p95, 0.54, 1e-9);
  EXPECT_NEAR(*section.use[0].cores_p95, 7.808, 1e-9);

  const Alternative* fewest = Find(section, AlternativeKind::kFewest);
  ASSERT_NE(fewest, nullptr);
  EXPECT_EQ(fewest->instance, "p3.2xlarge");
  EXPECT_EQ(fewest->count, 2);
  EXPECT_EQ(Cents(fewest->money), 1.07);
  EXPECT_NEAR(*fewest->saving_share, 0.826, 0.0005);
  // It rests on an assumption, which is said.
  EXPECT_THAT(KindsOf(fewest->reasons), Contains(FindingKind::kCostCoresMustShrink));

  // What holds without it.
  const Alternative* same = Find(section, AlternativeKind::kSameNodes);
  ASSERT_NE(same, nullptr);
  EXPECT_EQ(same->instance, "p3.2xlarge");
  EXPECT_EQ(same->count, 3);
  EXPECT_EQ(Cents(same->money), 1.60);
  EXPECT_THAT(KindsOf(same->reasons), Contains(FindingKind::kCostMemoryUnmeasured));
}

TEST(Cost, SecondExampleRunOfTheDocument) {
  std::vector<CounterSeries> counters;
  for (int32_t node = 0; node < 2; ++node) {
    counters.push_back(Series("gpu.utilization_share", node, 0, 0.46));
    for (int32_t i = 0; i < 8; ++i) counters.push_back(Series("core.busy_share", node, i, 0.61));
  }
  const CostSection section = BuildCostSection(Input(counters, 502, 2));
  EXPECT_EQ(section.instance, "p3.2xlarge");
  EXPECT_EQ(Cents(section.money), 1.07);
  EXPECT_EQ(Find(section, AlternativeKind::kSameNodes), nullptr);
  EXPECT_THAT(KindsOf(section.notes), ElementsAre(FindingKind::kCostNoneCheaper));
  // One GPU would be busy to 92 %: there is room yet, as the document says.
  const Alternative* fewest = Find(section, AlternativeKind::kFewest);
  ASSERT_NE(fewest, nullptr);
  EXPECT_EQ(fewest->count, 1);
}

TEST(Cost, MoreUseNeedsMore) {
  // Half of 4 GPUs is 2: neither the small machine nor two of the three will do.
  auto section = BuildCostSection(Input(ThreeMachines(0.5, 0.244), 503, 3));
  EXPECT_EQ(Find(section, AlternativeKind::kSameNodes), nullptr);
  EXPECT_EQ(Find(section, AlternativeKind::kFewest)->count, 2);  // 6 GPUs: two machines of 4
  EXPECT_EQ(Find(section, AlternativeKind::kFewest)->instance, "p3.8xlarge");
  // A little more CPU than 8 cores.
  section = BuildCostSection(Input(ThreeMachines(0.135, 0.26), 503, 3));
  EXPECT_EQ(Find(section, AlternativeKind::kSameNodes), nullptr);
}

TEST(Cost, HoldsMemory) {
  auto counters = ThreeMachines(0.135, 0.2);
  for (int32_t node = 0; node < 3; ++node) {
    CounterSeries memory = Series("memory.used_share", node, 0, 0.3);
    memory.device.reset();
    counters.push_back(memory);
  }
  // 30 % of 244 GiB are 73: more than the 61 of the small machine.
  const CostSection section = BuildCostSection(Input(counters, 503, 3));
  EXPECT_EQ(Find(section, AlternativeKind::kSameNodes), nullptr);
}

TEST(Cost, HoldsGpuMemoryOnAnotherGpu) {
  auto counters = ThreeMachines(0.135, 0.2);
  counters.push_back(Series("gpu.memory_used_share", 0, 0, 0.9));
  CostInput input = Input(counters, 503, 3);
  input.types[0].gpu_memory_gib = 12;  // 14.4 are needed
  EXPECT_EQ(Find(BuildCostSection(input), AlternativeKind::kSameNodes), nullptr);
  input.types[0].gpu_memory_gib = 16;
  EXPECT_NE(Find(BuildCostSection(input), AlternativeKind::kSameNodes), nullptr);
  input.types[0].gpu = "T4";  // slower by an unknown factor
  EXPECT_EQ(Find(BuildCostSection(input), AlternativeKind::kSameNodes), nullptr);
}

TEST(Cost, SuspectsAndPhasesHaveTheirShare) {
  CostInput input;
  input.duration_ns = 3600 * kSecond;
  input.price_per_hour = 10;
  input.phases.initialization_ns = 900 * kSecond;
  input.phases.training_ns = 1800 * kSecond;
  input.steps_ns = 900 * kSecond;  // evaluations lie between them
  input.phases.finalization_ns = 900 * kSecond;
  input.suspects = {{"data_pipeline", 0, 0.6}, {"model", 0, 0.4}};
  const CostSection section = BuildCostSection(input);
  ASSERT_TRUE(section.applicable);
  EXPECT_DOUBLE_EQ(section.money, 10);
  ASSERT_EQ(section.phases.size(), 3u);
  EXPECT_DOUBLE_EQ(section.phases[1].money, 5);
  ASSERT_EQ(section.suspects.size(), 2u);
  EXPECT_DOUBLE_EQ(section.suspects[0].money, 1.5);
  EXPECT_DOUBLE_EQ(section.suspects[1].money, 1);
  EXPECT_TRUE(section.alternatives.empty());
  const auto json = CostJson(section);
  EXPECT_EQ(json["suspects"][0]["name"], "data_pipeline");
  EXPECT_EQ(json["applicable"], true);
  input.steps_ns = 0;  // nothing to share
  EXPECT_TRUE(BuildCostSection(input).suspects.empty());
}

TEST(Cost, SaysWhatIsMissing) {
  CostInput input;
  input.duration_ns = kSecond;
  EXPECT_EQ(BuildCostSection(input).reason->kind, FindingKind::kReasonNoPrice);
  input.types = P3();
  EXPECT_EQ(BuildCostSection(input).reason->kind, FindingKind::kReasonTypeUnclear);
  input.instance = "p4d.24xlarge";
  EXPECT_EQ(CostJson(BuildCostSection(input))["reason"]["text"],
            "the type p4d.24xlarge is not listed");
  input.instance = "p3.2xlarge";
  const CostSection section = BuildCostSection(input);
  EXPECT_TRUE(section.applicable);
  EXPECT_THAT(KindsOf(section.notes), ElementsAre(FindingKind::kCostUseUnmeasured));
}

TEST(Cost, ATypeThatIsSmallerThanANodeIsNoted) {
  CostInput input = Input(ThreeMachines(0.135, 0.244), 503, 3);
  input.instance = "p3.2xlarge";
  EXPECT_THAT(KindsOf(BuildCostSection(input).notes), Contains(FindingKind::kCostOtherSize));
  input.instance = "p3.8xlarge";
  EXPECT_THAT(KindsOf(BuildCostSection(input).notes), Not(Contains(FindingKind::kCostOtherSize)));
}

TEST(Cost, DoesNotGuessBetweenTypesOfOneSize) {
  CostInput input = Input(ThreeMachines(0.135, 0.244), 503, 3);
  input.types.push_back({"other", 32, 100, 4, 0, "", 1.0});
  EXPECT_EQ(BuildCostSection(input).reason->kind, FindingKind::kReasonTypeUnclear);
}

}  // namespace
}  // namespace steptrace::analyze
