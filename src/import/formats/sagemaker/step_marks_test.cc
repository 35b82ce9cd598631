// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/step_marks.h"

#include <gmock/gmock.h>

#include "analyze/derive/phase_sums.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr StepMarks::Kinds kKinds{store::StringId{1}, store::StringId{2}, store::StringId{3}};

TraceFileEvent Event(int64_t from, int64_t to, const char* name = "",
                     std::optional<int64_t> step = {}, std::optional<int64_t> pid = {}) {
  TraceFileEvent event;
  event.ts_ns = from;
  event.dur_ns = to - from;
  event.name = name;
  event.step = step;
  event.pid = pid;
  return event;
}

constexpr const char* kTrainMark = "Step:ModeKeys.TRAIN";
constexpr const char* kEval = "Step:ModeKeys.EVAL";

std::vector<store::StepRow> Rows(StepMarks& marks) {
  auto rows = marks.Take(kKinds);
  for (const auto& row : rows) EXPECT_TRUE(analyze::SumsExactly(row)) << row.step;
  return rows;
}

//   mark     |0 fwd bwd|       |1 fwd  bwd |
//   time     100       200     250        400
//   data                  210-240
TEST(StepMarks, AStepBeginsWhereTheMarkBeforeEnded) {
  StepMarks marks;
  marks.Add(Event(250, 400, kTrainMark, 1), EventRole::kStep);
  marks.Add(Event(100, 200, kTrainMark, 0), EventRole::kStep);
  marks.Add(Event(210, 240), EventRole::kDataWait);
  marks.Add(Event(100, 150), EventRole::kForward);
  marks.Add(Event(110, 120), EventRole::kForward);  // a module inside
  marks.Add(Event(150, 190), EventRole::kBackward);
  marks.Add(Event(250, 300), EventRole::kForward);
  marks.Add(Event(310, 400), EventRole::kBackward);
  const auto rows = Rows(marks);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].ts_ns, 100);
  EXPECT_EQ(rows[0].dur_ns, 100);
  EXPECT_EQ(rows[0].forward_ns, 50);
  EXPECT_EQ(rows[0].backward_ns, 40);
  EXPECT_EQ(rows[0].other_ns, 10);
  EXPECT_EQ(rows[1].ts_ns, 200);
  EXPECT_EQ(rows[1].dur_ns, 200);
  EXPECT_EQ(rows[1].data_ns, 30);
  EXPECT_EQ(rows[1].model_ns, 140);
  EXPECT_EQ(rows[1].other_ns, 30);
}

TEST(StepMarks, GapsOfModesAndNumbersBelongToNoStep) {
  StepMarks marks;
  marks.Add(Event(0, 10, kTrainMark, 0), EventRole::kStep);
  marks.Add(Event(20, 30, kTrainMark, 5), EventRole::kStep);
  marks.Add(Event(40, 50, kEval, 6), EventRole::kStep);
  marks.Add(Event(60, 75, kEval, 7), EventRole::kStep);
  const auto rows = Rows(marks);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1].ts_ns, 20);
  EXPECT_EQ(rows[1].model_ns, 10);  // the mark is all that is known
  EXPECT_EQ(rows[2].ts_ns, 40);
  EXPECT_EQ(rows[2].kind, kKinds.eval);
  EXPECT_EQ(rows[3].ts_ns, 50);
  EXPECT_EQ(rows[3].evaluation_ns, 25);
}

TEST(StepMarks, WaitsOfOtherProcessesAreNotItsOwn) {
  StepMarks marks;
  marks.Add(Event(0, 10, kTrainMark, 0, 7), EventRole::kStep);
  marks.Add(Event(10, 20, kTrainMark, 1, 7), EventRole::kStep);
  marks.Add(Event(12, 14, "", {}, 8), EventRole::kDataWait);
  marks.Add(Event(12, 13, "", {}, 7), EventRole::kDataWait);
  EXPECT_EQ(Rows(marks)[1].data_ns, 1);
}

TEST(StepMarks, DropsMarksThatStandTwice) {
  StepMarks marks;
  for (int i = 0; i < 2; ++i) marks.Add(Event(0, 10, kTrainMark, 0), EventRole::kStep);
  EXPECT_EQ(Rows(marks).size(), 1u);
  EXPECT_EQ(marks.doubles(), 1);
}

TEST(StepMarks, TellsWarmUp) {
  StepMarks marks;
  int64_t at = 0;
  for (int64_t i = 0; i < 20; ++i) {
    const int64_t dur = i == 0 ? 9'000'000'000 : 80'000'000 + i * 1000;
    marks.Add(Event(at, at + dur, kTrainMark, i), EventRole::kStep);
    at += dur;
  }
  const auto rows = Rows(marks);
  EXPECT_EQ(rows[0].kind, kKinds.warm_up);
  EXPECT_EQ(rows[1].kind, kKinds.train);
}

}  // namespace
}  // namespace steptrace::import::sagemaker
