// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_courses.h"

#include <algorithm>
#include <utility>

#include "analyze/tensors/tensor_figures.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kLossRole = "loss";

void Widen(std::optional<double>& low, std::optional<double>& high, std::optional<double> value) {
  if (!value) return;
  low = std::min(low.value_or(*value), *value);
  high = std::max(high.value_or(*value), *value);
}

// Of two looks of one step the one of the lower rank stands for it.
bool IsBefore(const store::TensorStatRow& a, const store::TensorStatRow& b) {
  return std::pair(a.step, a.rank) < std::pair(b.step, b.rank);
}

void NoteLoss(const store::TensorStatRow& row, LossCourse& course) {
  ++course.looks;
  const auto loss = NotFiniteOf(row) == 0 ? MeanOf(row) : std::nullopt;
  if (!loss) {
    ++course.not_finite;
    course.not_finite_step = std::min(course.not_finite_step.value_or(row.step), row.step);
    return;
  }
  const LossAt at{row.step, *loss};
  if (!course.first || at.step < course.first->step) course.first = at;
  if (!course.last || at.step >= course.last->step) course.last = at;
  if (!course.best || at.loss < course.best->loss) course.best = at;
}

}  // namespace

size_t TensorCourses::HashOfKey::operator()(const Key& key) const {
  const auto tensor = static_cast<uint64_t>(static_cast<uint32_t>(key.first));
  return std::hash<uint64_t>()(tensor << 32 | static_cast<uint32_t>(key.second));
}

void TensorCourses::Add(std::span<const store::TensorStatRow> rows) {
  for (const store::TensorStatRow& row : rows) {
    const bool loss = Text(row.role) == kLossRole;
    Steps& steps = steps_[{row.role, row.rank, row.node}];
    if (loss || row.step != steps.last) ++steps.count;
    steps.last = row.step;
    if (loss) {
      AddLoss(row);
    } else {
      AddCourse(row);
    }
  }
}

void TensorCourses::AddLoss(const store::TensorStatRow& row) {
  Loss& loss = losses_[{row.tensor, row.rank, row.node}];
  NoteLoss(row, loss.course);
  loss.curve.Add(row.step, NotFiniteOf(row) == 0 ? MeanOf(row) : std::nullopt);
}

void TensorCourses::AddCourse(const store::TensorStatRow& row) {
  Course& course = courses_[{row.tensor, row.role}];
  const auto norm = NormOf(row);
  if (course.looks++ == 0) {
    course.first = course.last = row;
    course.first_ns = row.ts_ns;
    course.norm_low = course.norm_high = norm;
  } else {
    course.first_ns = std::min(course.first_ns, row.ts_ns);
    if (IsBefore(row, course.first)) course.first = row;
    if (row.step > course.last.step) {
      course.last = row;
      course.norm_low = course.norm_high = norm;
    } else if (row.step == course.last.step) {
      if (row.rank <= course.last.rank) course.last = row;
      Widen(course.norm_low, course.norm_high, norm);
    }
  }
  if (norm && (!course.largest_norm || *norm > *course.largest_norm)) {
    course.largest_norm = norm;
    course.largest_step = row.step;
  }
  if (NotFiniteOf(row) == 0) return;
  ++course.not_finite;
  if (!course.not_finite_first || IsBefore(row, *course.not_finite_first)) {
    course.not_finite_first = row;
  }
}

TensorCourse TensorCourses::Made(const Course& course) const {
  const store::TensorStatRow& last = course.last;
  TensorCourse made{.tensor = Text(last.tensor),
                    .role = Text(last.role),
                    .type = Text(last.type),
                    .looks = course.looks,
                    .first_step = course.first.step,
                    .last_step = last.step,
                    .rank = last.rank,
                    .numel = last.numel,
                    .norm = NormOf(last),
                    .rms = RmsOf(last),
                    .min = last.min,
                    .max = last.max,
                    .zero_share = ZeroShareOf(last),
                    .norm_low = course.norm_low,
                    .norm_high = course.norm_high,
                    .first_norm = NormOf(course.first),
                    .largest_norm = course.largest_norm,
                    .largest_step = course.largest_step,
                    .not_finite = course.not_finite};
  if (course.not_finite_first) {
    made.not_finite_step = course.not_finite_first->step;
    made.not_finite_rank = course.not_finite_first->rank;
  }
  return made;
}

// What was not finite first, by when; then in the order in which they were first looked at.
std::vector<const TensorCourses::Course*> TensorCourses::InOrder() const {
  std::vector<const Course*> order;
  for (const auto& [key, course] : courses_) order.push_back(&course);
  const auto place = [](const Course* course) {
    const auto& bad = course->not_finite_first;
    return std::tuple(!bad, bad ? bad->step : 0, bad ? bad->ts_ns : 0, course->first_ns,
                      course->last.tensor, course->last.role);
  };
  std::ranges::sort(order, [&](const Course* a, const Course* b) { return place(a) < place(b); });
  return order;
}

void TensorCourses::Fill(TensorsSection& section) const {
  section.course_count = static_cast<int64_t>(courses_.size());
  for (const Course* course : InOrder()) {
    if (section.courses.size() == kMostCourses) break;
    section.courses.push_back(Made(*course));
  }
  for (const auto& [key, loss] : losses_) {
    LossCourse course = loss.course;
    course.name = Text(std::get<0>(key));
    course.rank = std::get<1>(key);
    section.losses.push_back(std::move(course));
    section.losses.back().curve = loss.curve.Parts();
  }
  std::ranges::stable_sort(section.losses, [](const LossCourse& a, const LossCourse& b) {
    return std::tie(a.name, a.rank) < std::tie(b.name, b.rank);
  });
  if (section.losses.size() > kMostLosses) section.losses.resize(kMostLosses);
}

std::map<std::string, int64_t> TensorCourses::Looks() const {
  std::map<std::string, int64_t> looks;
  for (const auto& [key, steps] : steps_) {
    for (const std::string& role : {Text(std::get<0>(key)), std::string()}) {
      looks[role] = std::max(looks[role], steps.count);
    }
  }
  return looks;
}

}  // namespace steptrace::analyze
