// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/marked_steps.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
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

}  // namespace

std::vector<TraceStep> StepsOf(const std::vector<TraceEvent>& host,
                               const store::StringTable& strings) {
  std::vector<Mark> marks;
  for (const TraceEvent& event : host) {
    if (event.kind != EventKind::kStep) continue;
    if (const auto mark = MarkOf(event, strings)) marks.push_back(*mark);
  }
  std::sort(marks.begin(), marks.end(), [](const Mark& a, const Mark& b) {
    return std::tie(a.step.ts_ns, a.step.number) < std::tie(b.step.ts_ns, b.step.number);
  });
  std::vector<TraceStep> steps;
  for (size_t i = 0; i < marks.size(); ++i) {
    TraceStep step = marks[i].step;
    if (i > 0 && Follows(marks[i], marks[i - 1])) {
      const int64_t between_ns = std::max<int64_t>(step.ts_ns - marks[i - 1].step.end_ns(), 0);
      step.ts_ns -= between_ns;
      step.dur_ns += between_ns;
    }
    steps.push_back(step);
  }
  return steps;
}

}  // namespace steptrace::analyze
