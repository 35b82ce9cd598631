// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/step_marks.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analyze/derive/warm_up.h"

namespace steptrace::import::sagemaker {
namespace {

using analyze::Intervals;
using analyze::TimeRange;

bool Trains(const std::string& mode) {
  return mode.find("EVAL") == std::string::npos && mode.find("PREDICT") == std::string::npos;
}

}  // namespace

void StepMarks::Add(const TraceFileEvent& event, EventRole role) {
  const TimeRange time{event.ts_ns, event.ts_ns + event.dur_ns};
  if (role == EventRole::kStep) {
    marks_.push_back({time, event.step.value_or(unnumbered_), event.name, event.pid});
    if (!event.step) ++unnumbered_;
  } else if (role == EventRole::kDataWait || role == EventRole::kForward ||
             role == EventRole::kBackward) {
    work_.push_back({time, role, event.pid});
  }
}

void StepMarks::SortMarks() {
  const auto key = [](const Mark& mark) {
    return std::tie(mark.time.begin_ns, mark.time.end_ns, mark.mode, mark.number);
  };
  std::sort(marks_.begin(), marks_.end(),
            [&](const Mark& a, const Mark& b) { return key(a) < key(b); });
  const auto end = std::unique(marks_.begin(), marks_.end(),
                               [&](const Mark& a, const Mark& b) { return key(a) == key(b); });
  doubles_ = marks_.end() - end;
  marks_.erase(end, marks_.end());
}

// Of the process that marks its steps; events without one are taken for its own.
StepMarks::Sets StepMarks::MakeSets(std::optional<int64_t> pid) const {
  const auto set_of = [&](EventRole role) {
    std::vector<TimeRange> time_ranges;
    for (const Work& work : work_) {
      const bool own = !work.pid || !pid || *work.pid == *pid;
      if (work.role == role && own) time_ranges.push_back(work.time);
    }
    return analyze::Union(std::move(time_ranges));
  };
  Intervals data = set_of(EventRole::kDataWait);
  Intervals backward = analyze::Difference(set_of(EventRole::kBackward), data);
  Intervals forward =
      analyze::Difference(analyze::Difference(set_of(EventRole::kForward), data), backward);
  Sets sets;
  sets.data = analyze::MeasuredIntervals(std::move(data));
  sets.forward = analyze::MeasuredIntervals(std::move(forward));
  sets.backward = analyze::MeasuredIntervals(std::move(backward));
  return sets;
}

TimeRange StepMarks::StepOf(size_t i) const {
  const Mark& mark = marks_[i];
  TimeRange step = mark.time;
  if (i == 0) return step;
  const Mark& before = marks_[i - 1];
  const bool follows = before.mode == mark.mode && before.number < mark.number &&
                       before.number + 1 == mark.number && before.time.end_ns <= mark.time.begin_ns;
  if (follows) step.begin_ns = before.time.end_ns;
  return step;
}

void StepMarks::Fill(const Mark& mark, const Sets& sets, store::StepRow& row) {
  const TimeRange step{row.ts_ns, row.ts_ns + row.dur_ns};
  row.data_ns = row.data_pipeline_ns = sets.data.LengthWithin(step);
  row.getitem_ns = row.data_ns;  // nothing tells the pipeline's stages apart
  row.batches = row.data_ns > 0 ? 1 : 0;
  if (!Trains(mark.mode)) {
    row.evaluation_ns = row.other_ns = row.dur_ns - row.data_ns;
    return;
  }
  row.forward_ns = sets.forward.LengthWithin(step);
  row.backward_ns = sets.backward.LengthWithin(step);
  // A mark without phases inside, as TensorFlow's, holds all of them; its operators are compiled to
  // one call, and forward is where the columns have room for it.
  if (row.forward_ns + row.backward_ns == 0) {
    row.forward_ns = mark.time.length_ns() - sets.data.LengthWithin(mark.time);
  }
  row.backwards = row.backward_ns > 0 ? 1 : 0;
  row.model_ns = row.forward_ns + row.backward_ns;
  row.other_phase_ns = row.other_ns = row.dur_ns - row.data_ns - row.model_ns;
}

std::vector<store::StepRow> StepMarks::Take(const Kinds& kinds) {
  SortMarks();
  const Sets sets = MakeSets(marks_.empty() ? std::nullopt : marks_.front().pid);
  analyze::WarmUp warm_up({kinds.train, kinds.warm_up});
  for (size_t i = 0; i < marks_.size(); ++i) {
    store::StepRow row;
    const TimeRange step = StepOf(i);
    row.step = marks_[i].number;
    row.ts_ns = step.begin_ns;
    row.dur_ns = step.length_ns();
    row.kind = Trains(marks_[i].mode) ? kinds.train : kinds.eval;
    Fill(marks_[i], sets, row);
    warm_up.Push(row);
  }
  warm_up.Finish();
  marks_.clear();
  work_.clear();
  return warm_up.Take();
}

}  // namespace steptrace::import::sagemaker
