// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/spike_window.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace steptrace::agent {
namespace {

// How many of so many values are spikes.
int Spikes(int count, const std::function<double(int)>& value_at) {
  SpikeWindow window;
  int spikes = 0;
  for (int i = 0; i < count; ++i) spikes += window.Add(value_at(i)).has_value() ? 1 : 0;
  return spikes;
}

TEST(SpikeWindow, CleanNoiseIsNone) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    std::exponential_distribution<double> exponential;
    std::lognormal_distribution<double> lognormal(0, 1);
    std::bernoulli_distribution rarely(0.1);
    EXPECT_EQ(Spikes(2000, [&](int) { return 2.3 + 0.3 * normal(random); }), 0);
    EXPECT_EQ(Spikes(2000, [&](int) { return normal(random); }), 0);
    EXPECT_EQ(Spikes(2000, [&](int) { return exponential(random); }), 0);
    EXPECT_EQ(Spikes(2000, [&](int) { return lognormal(random); }), 0);
    EXPECT_EQ(
        Spikes(2000, [&](int i) { return 5 * std::exp(-i / 100.0) + 0.1 + 0.02 * normal(random); }),
        0);
    EXPECT_EQ(Spikes(2000, [&](int i) { return i * (1 + 0.1 * normal(random)); }), 0);
    EXPECT_EQ(Spikes(2000, [&](int) { return rarely(random) ? exponential(random) : 0; }), 0);
  }
}

TEST(SpikeWindow, AJumpIsOneWithItsSize) {
  SpikeWindow window;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(window.Add(2 + 0.1 * (i % 3)).has_value());
  const auto spike = window.Add(8);
  ASSERT_TRUE(spike.has_value());
  EXPECT_DOUBLE_EQ(spike->usual, 2.1);
  EXPECT_EQ(spike->deviations, 39);  // 5.9 / (1.4826 * 0.1)
}

TEST(SpikeWindow, AfterAConstantAHundredthIsADeviation) {
  SpikeWindow window;
  for (int i = 0; i < 100; ++i) window.Add(2);
  EXPECT_FALSE(window.Add(2.15).has_value());
  EXPECT_TRUE(window.Add(3).has_value());
}

TEST(SpikeWindow, TooFewValuesAreNotJudged) {
  SpikeWindow window;
  for (int i = 0; i < 31; ++i) window.Add(2);
  EXPECT_FALSE(window.Add(50).has_value());
  EXPECT_FALSE(window.has_judged());
}

TEST(SpikeWindow, ALevelThatStaysIsTheUsualOne) {
  EXPECT_EQ(Spikes(1000, [](int i) { return i < 500 ? 1 + 0.1 * (i % 3) : 9 + 0.1 * (i % 3); }), 1);
}

}  // namespace
}  // namespace steptrace::agent
