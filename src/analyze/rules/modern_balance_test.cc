// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "analyze/rules/modern_data.h"
#include "analyze/stats/quantile.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

// GPUs and what LoadBalancing finds in them.
class BalanceTest : public ::testing::Test {
 protected:
  // Per cent of each of its steps.
  void Active(int32_t rank, int32_t device, std::span<const double> busy) {
    DeviceUse& use = active_.emplace_back();
    use.rank = rank;
    use.device = device;
    use.by_step = true;
    for (const double value : busy) {
      const auto number = static_cast<int64_t>(use.parts.size());
      use.parts.push_back({number * 10'000, 10'000, std::llround(value * 100), 0});
    }
  }
  void Sampled(int32_t device, size_t count, double value) {
    CounterSeries& series = sampled_.emplace_back();
    series.metric = "GPUUtilization";
    series.device = device;
    for (size_t i = 0; i < count; ++i) {
      series.times_ns.push_back(static_cast<int64_t>(i) * 500'000'000);
      series.values.push_back(value);
    }
  }
  RuleResult Result(const char* threshold) {
    RulesInput input;
    input.strings = &strings_;
    input.counters = sampled_;
    input.device_use = active_;
    RuleSettings settings(RuleMode::kModern);
    EXPECT_TRUE(settings.Set(std::string("LoadBalancing.threshold=") + threshold).ok());
    EXPECT_TRUE(settings.Set("LoadBalancing.patience=1").ok());
    return ModernLoadBalancing(ModernData(input, settings));
  }

  store::StringTable strings_;
  std::vector<DeviceUse> active_;
  std::vector<CounterSeries> sampled_;
};

struct PairsFound {
  int64_t pairs = 0;
  std::vector<std::string> first;
};

std::string Name(const DeviceUse& use) {
  return "device " + std::to_string(use.device) + " of rank " + std::to_string(use.rank) + " (";
}

// Pair by pair.
PairsFound Pairs(const std::vector<DeviceUse>& uses, double threshold) {
  std::vector<double> means;
  for (const DeviceUse& use : uses) {
    std::vector<double> values;
    for (const DeviceUse::Part& part : use.parts) {
      values.push_back(100 * static_cast<double>(part.busy_ns) / static_cast<double>(part.dur_ns));
    }
    means.push_back(Mean(values));
  }
  PairsFound found;
  for (size_t i = 0; i < uses.size(); ++i) {
    for (size_t j = i + 1; j < uses.size(); ++j) {
      if (!(std::abs(means[i] - means[j]) / 100 > threshold)) continue;
      ++found.pairs;
      if (found.first.size() < kMostEvidence) found.first.push_back(Name(uses[i]) + Name(uses[j]));
    }
  }
  return found;
}

std::string NamesIn(const model::Finding& evidence) {
  const std::string text = present::SentenceOf(evidence).text;
  const size_t second = text.find("device", text.find(") and") + 1);
  return text.substr(0, text.find('(') + 1) +
         text.substr(second, text.find('(', second) + 1 - second);
}

TEST_F(BalanceTest, ActiveDevicesAreFoundAsPairByPair) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    active_.clear();
    const auto devices = 2 + random() % 60;
    const auto values = 1 + random() % 40;  // few: many are equal, or at the threshold
    for (size_t device = 0; device < devices; ++device) {
      const double busy = std::round(100.0 * static_cast<double>(random() % values) / 40);
      Active(static_cast<int32_t>(device / 8), static_cast<int32_t>(device % 8),
             std::vector(3, busy));
    }
    for (const char* threshold : {"0", "0.1", "0.2", "0.55", "0.83"}) {
      const RuleResult result = Result(threshold);
      const PairsFound expected = Pairs(active_, std::stod(threshold));
      EXPECT_EQ(result.triggered, expected.pairs);
      std::vector<std::string> names;
      for (const model::Finding& one : result.evidence) names.push_back(NamesIn(one));
      ASSERT_EQ(names, expected.first) << threshold;
    }
  }
}

TEST_F(BalanceTest, OfManyActiveDevicesEveryPairCounts) {
  constexpr int32_t kDevices = 200'000;
  for (int32_t device = 0; device < kDevices; ++device) {
    Active(0, device, std::vector(3, device + 1 == kDevices ? 90.0 : 10.0));
  }
  const RuleResult result = Result("0.2");
  EXPECT_EQ(result.triggered, kDevices - 1);
  EXPECT_EQ(result.evidence.size(), kMostEvidence);
}

TEST_F(BalanceTest, OfManySampledGpusTheFirstAreCompared) {
  constexpr auto kGpus = static_cast<int32_t>(kMostCompared) + 10;
  for (int32_t gpu = 0; gpu < kGpus; ++gpu) Sampled(gpu, 40, gpu % 2 == 0 ? 10.0 : 90.0);
  const RuleResult result = Result("0.2");
  EXPECT_EQ(result.triggered, kMostCompared / 2 * (kMostCompared / 2));
  EXPECT_EQ(present::SentenceOf(result.reason).text,
            "of 1034 sampled GPUs the first 1024 are compared");
  sampled_.resize(kMostCompared);
  EXPECT_FALSE(Result("0.2").reason.has_value());
}

}  // namespace
}  // namespace steptrace::analyze
