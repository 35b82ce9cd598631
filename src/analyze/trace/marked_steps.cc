// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/marked_steps.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>

#include "base/shallow_json.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kProfilerStep = "ProfilerStep#";

struct Mark {
  TraceStep step;
  bool of_script = false;
};

// As a number or a text.
std::optional<int64_t> StepNumberIn(const std::string& details) {
  const auto json = ParseShallow<nlohmann::json>(details);
  if (!json.is_object() || !json.contains("step_num")) return std::nullopt;
  const auto& value = json["step_num"];
  if (value.is_number_integer()) return value.get<int64_t>();
  if (!value.is_string()) return std::nullopt;
  const auto& text = value.get_ref<const std::string&>();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<Mark> MarkOf(const TraceEvent& event, const store::StringTable& strings) {
  Mark mark{{0, event.ts_ns, event.dur_ns, event.lane}};
  std::string_view name = strings.Text(event.name);
  if (name.starts_with(kProfilerStep)) {
    name.remove_prefix(kProfilerStep.size());
    std::from_chars(name.data(), name.data() + name.size(), mark.step.number);
    return mark;
  }
  const auto number = StepNumberIn(strings.Text(event.details));
  if (!number) return std::nullopt;
  mark.step.number = *number;
  mark.of_script = true;
  return mark;
}

bool Follows(const Mark& later, const Mark& before) {
  return later.of_script && before.of_script && before.step.number < later.step.number &&
         before.step.number + 1 == later.step.number;
}

bool Encloses(const Mark& outer, const Mark& inner) {
  return outer.step.ts_ns <= inner.step.ts_ns && inner.step.end_ns() <= outer.step.end_ns();
}

// Of the marks of one thread, the outer before what is in it: those that are steps. What a script
// marks in a step is part of it, as micro-batches are; around the profiler's steps it is no step.
std::vector<Mark> Outermost(std::span<const Mark> marks) {
  std::vector<Mark> steps;
  for (const Mark& mark : marks) {
    const bool nested = !steps.empty() && Encloses(steps.back(), mark);
    if (nested && mark.of_script) continue;
    if (nested && steps.back().of_script) steps.pop_back();
    steps.push_back(mark);
  }
  return steps;
}

// One mark of the script's around all the others of its thread is an epoch's, or the run's: the
// steps are in it. Within the profiler's own step, others are micro-batches.
std::vector<Mark> StepsOfThread(std::span<const Mark> marks) {
  constexpr size_t kMostAround = 4;  // epochs of runs of sweeps: bounded, as a file may hold any
  std::vector<Mark> steps = Outermost(marks);
  for (size_t i = 0;
       i < kMostAround && steps.size() == 1 && steps.front().of_script && marks.size() > 2; ++i) {
    marks = marks.subspan(1);
    steps = Outermost(marks);
  }
  return steps;
}

}  // namespace

MarkedSteps StepsOf(const std::vector<TraceEvent>& host, const store::StringTable& strings) {
  std::map<int32_t, std::vector<Mark>> threads;
  size_t all = 0;
  for (const TraceEvent& event : host) {
    if (event.kind != EventKind::kStep) continue;
    const auto mark = MarkOf(event, strings);
    if (!mark) continue;
    threads[event.lane].push_back(*mark);
    ++all;
  }
  std::vector<Mark> marks;
  for (auto& [lane, own] : threads) {
    std::stable_sort(own.begin(), own.end(), [](const Mark& a, const Mark& b) {
      return std::tuple(a.step.ts_ns, -a.step.dur_ns, a.step.number) <
             std::tuple(b.step.ts_ns, -b.step.dur_ns, b.step.number);
    });
    std::ranges::move(StepsOfThread(own), std::back_inserter(marks));
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::tie(a.step.ts_ns, a.step.number) < std::tie(b.step.ts_ns, b.step.number);
  });
  MarkedSteps found{.steps = {}, .nested = static_cast<int64_t>(all - marks.size())};
  for (size_t i = 0; i < marks.size(); ++i) {
    TraceStep step = marks[i].step;
    if (i > 0 && Follows(marks[i], marks[i - 1])) {
      const int64_t between_ns = std::max<int64_t>(step.ts_ns - marks[i - 1].step.end_ns(), 0);
      step.ts_ns -= between_ns;
      step.dur_ns += between_ns;
    }
    found.steps.push_back(step);
  }
  return found;
}

}  // namespace steptrace::analyze
