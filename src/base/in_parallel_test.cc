// SPDX-License-Identifier: Apache-2.0
#include "base/in_parallel.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace steptrace {
namespace {

TEST(InParallelTest, EachTaskRunsOnceOnHoweverManyCores) {
  for (size_t cores : {0u, 1u, 2u, 7u, 100u}) {
    std::vector<std::atomic<int>> runs(50);
    std::vector<std::function<void()>> tasks;
    for (auto& count : runs) tasks.push_back([&count] { ++count; });
    InParallel(tasks, cores);
    for (const auto& count : runs) EXPECT_EQ(count.load(), 1);
  }
  InParallel({}, 4);
}

TEST(InParallelTest, WhatATaskThrowsArrivesAndTheOthersRun) {
  std::atomic<int> runs = 0;
  const std::vector<std::function<void()>> tasks = {
      [&] { ++runs; }, [] { throw std::runtime_error("the second"); },
      [] { throw std::runtime_error("the third"); }, [&] { ++runs; }};
  try {
    InParallel(tasks, 2);
    FAIL() << "nothing arrived";
  } catch (const std::runtime_error& failed) {
    EXPECT_STREQ(failed.what(), "the second");
  }
  EXPECT_EQ(runs.load(), 2);
}

}  // namespace
}  // namespace steptrace
