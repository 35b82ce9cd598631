// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/slice_steps.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <numeric>

#include "import/core/rows/part_rows.h"

namespace steptrace::import {
namespace {

using testing::ElementsAre;

// The slices of a rank: track 0 is a thread, 1 a stream.
class Rank {
 public:
  Rank() {
    tracks_.resize(2);
    tracks_[0].kind = strings_.Intern("thread");
    tracks_[1].kind = strings_.Intern("stream");
  }

  Slice& Add(int32_t track, int64_t ts_ns, int64_t dur_ns, int64_t correlation = kNull) {
    Slice& slice = slices_.emplace_back();
    slice.track = track;
    slice.ts_ns = ts_ns;
    slice.dur_ns = dur_ns;
    slice.correlation = correlation;
    return slice;
  }
  void Mark(int64_t ts_ns, int64_t dur_ns, const char* name, int32_t track = 0) {
    Slice& slice = Add(track, ts_ns, dur_ns);
    slice.name = strings_.Intern(name);
    slice.category = strings_.Intern(track == 0 ? "user_annotation" : "gpu_user_annotation");
  }

  Slice& Last() { return slices_.back(); }
  store::StringId Intern(const char* text) { return strings_.Intern(text); }

  // Of those that were added and are no marks, in their order: -1: none.
  std::vector<int64_t> Steps() {
    PartRows rows;
    for (const Slice& slice : slices_) rows.Append(slice);
    SliceGroup group = *rows.TakeGroup();
    std::vector<uint64_t> order(slices_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [this](uint64_t a, uint64_t b) {
      return slices_[a].ts_ns < slices_[b].ts_ns;
    });
    auto steps = StepsOf(group, order, tracks_, strings_);
    for (size_t i = 0; i < steps.size(); ++i) slices_[order[i]].step = steps[i];
    std::vector<int64_t> found;
    for (const Slice& slice : slices_) {
      if (slice.category == store::StringId{}) {
        found.push_back(slice.step == kNull ? -1 : slice.step);
      }
    }
    return found;
  }

 private:
  store::StringTable strings_;
  std::vector<store::TrackRow> tracks_;
  std::deque<Slice> slices_;
};

TEST(SliceSteps, BetweenTwoMarksOfTheScriptIsTheLater) {
  Rank rank;
  const auto mark = [&rank](int64_t ts_ns, int64_t dur_ns, int64_t step) {
    rank.Mark(ts_ns, dur_ns, "train");
    rank.Last().category = rank.Intern("step_annotation");
    rank.Last().step = step;
  };
  mark(10, 10, 7);
  mark(30, 10, 8);
  mark(60, 10, 10);  // one in between was not marked
  rank.Add(0, 5, 1);
  rank.Add(0, 12, 1);
  rank.Add(0, 25, 1);
  rank.Add(0, 35, 1);
  rank.Add(0, 50, 1);
  rank.Add(0, 65, 1);
  rank.Add(0, 75, 1);
  EXPECT_THAT(rank.Steps(), ElementsAre(-1, 7, 8, 8, -1, 10, -1));
}

TEST(SliceSteps, AHostsSliceBelongsToTheStepInWhichItBegins) {
  Rank rank;
  rank.Mark(100, 100, "ProfilerStep#7");
  rank.Mark(210, 90, "ProfilerStep#8");
  for (int64_t ts_ns : {99, 100, 199, 200, 209, 210, 299, 300}) rank.Add(0, ts_ns, 500);
  EXPECT_THAT(rank.Steps(), ElementsAre(-1, 7, 7, -1, -1, 8, 8, -1));
}

TEST(SliceSteps, OfTwoThatOverlapTheLaterCounts) {
  Rank rank;
  rank.Mark(0, 100, "ProfilerStep#1");
  rank.Mark(50, 20, "ProfilerStep#2");
  for (int64_t ts_ns : {40, 60, 80}) rank.Add(0, ts_ns, 1);
  EXPECT_THAT(rank.Steps(), ElementsAre(1, 2, -1));  // as StepFinder has it
}

TEST(SliceSteps, ADevicesSliceBelongsToTheStepThatLaunchedIt) {
  for (int64_t far : {int64_t{0}, int64_t{1} << 60}) {  // ids close together, and far apart
    Rank rank;
    rank.Mark(0, 100, "ProfilerStep#1");
    rank.Mark(100, 100, "ProfilerStep#2");
    rank.Mark(0, 300, "ProfilerStep#9", 1);  // a device's annotation marks no step
    rank.Add(0, 90, 5, 11);
    rank.Add(0, 110, 5, far + 12);
    rank.Add(0, 250, 5, 13);
    rank.Add(1, 150, 5, 11);        // begins in the next step
    rank.Add(1, 400, 5, far + 12);  // begins after all
    rank.Add(1, 160, 5, 13);        // launched in none
    rank.Add(1, 170, 5, 99);        // by nothing that is here
    rank.Add(1, 180, 5);            // nothing says by what
    EXPECT_THAT(rank.Steps(), ElementsAre(1, 2, -1, 1, 2, -1, -1, -1)) << far;
  }
}

TEST(SliceSteps, RecordedStepsStay) {
  Rank rank;
  rank.Mark(0, 100, "ProfilerStep#1");
  rank.Add(0, 10, 5, 3).step = 40;
  rank.Add(1, 20, 5, 3);
  rank.Add(1, 30, 5, 3).step = 41;
  EXPECT_THAT(rank.Steps(), ElementsAre(40, 40, 41));
}

TEST(SliceSteps, WithoutMarksThereIsNone) {
  Rank rank;
  rank.Mark(0, 100, "ProfilerStep#");
  rank.Mark(0, 100, "ProfilerStep#1x");
  rank.Mark(0, 0, "ProfilerStep#3");
  rank.Mark(0, 100, "step 4");
  rank.Add(0, 10, 5);
  EXPECT_THAT(rank.Steps(), ElementsAre(-1));
}

}  // namespace
}  // namespace steptrace::import
