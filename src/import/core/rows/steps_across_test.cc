// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/steps_across.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "import/core/rows/part_rows.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

class StepsAcrossTest : public testing::Test {
 protected:
  StepsAcrossTest() {
    std::string pattern = (fs::temp_directory_path() / "steps_across_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    tracks_.resize(3);
    for (size_t i = 0; i < 3; ++i) tracks_[i].kind = strings_.Intern(i == 2 ? "stream" : "thread");
  }
  ~StepsAcrossTest() override { fs::remove_all(folder_); }

  // Launches are taken by several, by none, and by others than came first in the file; steps
  // overlap, leave gaps, and begin where slices do.
  std::vector<Slice> Made(int64_t rows, bool marks) {
    std::mt19937 random(11);
    const auto below = [&](int64_t most) { return static_cast<int64_t>(random() % most); };
    std::vector<Slice> slices;
    for (int64_t i = 0; i < rows; ++i) {
      Slice slice;
      slice.ts_ns = below(rows) * 2 - rows;
      slice.dur_ns = below(30);
      slice.track = static_cast<int32_t>(below(3));
      if (below(3) > 0) slice.correlation = below(rows / 2) - 20;
      if (below(20) == 0) slice.step = 1000 + i;
      if (below(50) == 0) {
        slice.category = strings_.Intern(marks ? "user_annotation" : "other");
        slice.name = strings_.Intern("ProfilerStep#" + std::to_string(below(90)));
        slice.dur_ns = below(60);
        slice.track = 0;
      }
      slices.push_back(slice);
    }
    return slices;
  }

  std::vector<uint64_t> OrderOf(const std::vector<Slice>& slices) {
    std::vector<uint64_t> order(slices.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](uint64_t a, uint64_t b) {
      const Slice &x = slices[a], &y = slices[b];
      return x.ts_ns != y.ts_ns ? x.ts_ns < y.ts_ns : x.dur_ns > y.dur_ns;
    });
    return order;
  }

  fs::path folder_;
  store::StringTable strings_;
  std::vector<store::TrackRow> tracks_;
};

SliceGroup GroupOf(const std::vector<Slice>& slices, size_t begin, size_t end) {
  PartRows rows;
  for (size_t i = begin; i < end; ++i) rows.Append(slices[i]);
  return *rows.TakeGroup();
}

TEST_F(StepsAcrossTest, AreThoseOfAllTogether) {
  constexpr size_t kRows = 20'000, kGroup = 3000;
  const std::vector<Slice> slices = Made(kRows, true);
  const std::vector<uint64_t> order = OrderOf(slices);
  const auto wanted = StepsOf(GroupOf(slices, 0, kRows), order, tracks_, strings_);
  ASSERT_EQ(wanted.size(), kRows);
  EXPECT_GT(std::count_if(wanted.begin(), wanted.end(), [](auto step) { return step >= 0; }), 5000);
  EXPECT_GT(std::count(wanted.begin(), wanted.end(), kNull), 1000);
  for (const size_t in_memory : {10u, 1000u, 1u << 20}) {
    SpillFile file(folder_ / std::to_string(in_memory));
    StepsAcross steps(file, tracks_, strings_, in_memory);
    for (size_t begin = 0; begin < kRows; begin += kGroup) {
      ASSERT_TRUE(steps.AddMarks(GroupOf(slices, begin, std::min(begin + kGroup, kRows))).ok());
    }
    ASSERT_TRUE(steps.Begin());
    std::vector<int64_t> found;
    for (size_t place = 0; place < kRows; ++place) {
      const Slice& slice = slices[order[place]];
      found.push_back(steps.Enter({slice.ts_ns, slice.correlation, slice.step, slice.track},
                                  {order[place] / kGroup, place}));
    }
    const auto assign = [&](const GroupPlace& at, int64_t step) -> Status {
      EXPECT_EQ(at.group, order[at.place] / kGroup);
      EXPECT_EQ(found[at.place], kNull);
      found[at.place] = step;
      return {};
    };
    ASSERT_TRUE(steps.End(assign).ok());
    EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(), wanted.end())) << in_memory;
    EXPECT_EQ(fs::exists(folder_ / std::to_string(in_memory)), in_memory < kRows);
  }
}

TEST_F(StepsAcrossTest, WithoutMarksNoStepIsFound) {
  const std::vector<Slice> slices = Made(2000, false);
  SpillFile file(folder_ / "rows");
  StepsAcross steps(file, tracks_, strings_);
  ASSERT_TRUE(steps.AddMarks(GroupOf(slices, 0, slices.size())).ok());
  EXPECT_FALSE(steps.Begin());
}

}  // namespace
}  // namespace steptrace::import
