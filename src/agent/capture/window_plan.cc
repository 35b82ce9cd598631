// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/window_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

#include "base/time.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using From = CaptureWindow::From;

constexpr const char* kForms =
    "write START:STEPS (1000:500) or TIME:DURATION (90s:10s; ms, s, m or h)";
// Ten years: longer is a slip of the keyboard.
constexpr int64_t kMaxTimeNs = int64_t{10} * 365 * 24 * 3600 * kNsPerSecond;
// The year 2200: as nanoseconds, with ten years behind it, that is no overflow.
constexpr int64_t kMaxUnixTimeS = 7'258'118'400;
// Which optimizer ends a step shows when they repeat (docs/concepts/windows.md).
constexpr int64_t kFirstStepToHave = 2;
constexpr auto kMaxSteps = static_cast<int64_t>(wire::kMaxCaptureSteps);

Error Wrong(std::string_view text, std::string_view why) {
  return Error{fmt::format("window '{}': {}", text, why), kForms};
}

template <class Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "90s", "1.5m": ns; nothing for what has no unit.
std::optional<int64_t> ParseTime(std::string_view text) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}};
  for (const auto& [unit, ns] : kUnits) {
    if (!text.ends_with(unit)) continue;
    const auto number = ParseNumber<double>(text.substr(0, text.size() - unit.size()));
    if (number && std::isfinite(*number) && *number >= 0 &&
        *number * ns <= static_cast<double>(kMaxTimeNs)) {
      return std::llround(*number * ns);
    }
  }
  return std::nullopt;
}

// "1790000000.25": ns since 1970, to the last digit.
std::optional<int64_t> ParseUnixTime(std::string_view text) {
  const size_t point = std::min(text.find('.'), text.size());
  const auto seconds = ParseNumber<int64_t>(text.substr(0, point));
  if (!seconds || *seconds < 0 || *seconds > kMaxUnixTimeS) return std::nullopt;
  int64_t ns = *seconds * kNsPerSecond;
  if (point == text.size()) return ns;
  const std::string_view digits = text.substr(point + 1);
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  int64_t unit = kNsPerSecond;
  for (const char digit : digits) {
    if (digit < '0' || digit > '9') return std::nullopt;
    unit /= 10;
    ns += (digit - '0') * unit;
  }
  return ns;
}

std::optional<int64_t> ParseCount(std::string_view text) {
  const auto number = ParseNumber<int64_t>(text);
  return number && *number >= 0 && *number <= kMaxSteps ? number : std::nullopt;
}

// The half behind the colon: a number of steps, a duration, or nothing.
Status ReadLength(std::string_view text, std::string_view length, CaptureWindow& window) {
  if (length.empty()) {
    window.steps = 1;  // "only a start": one step
  } else if (const auto steps = ParseCount(length)) {
    if (*steps == 0) return Wrong(text, "it has no steps");
    window.steps = steps;
  } else if (const auto ns = ParseTime(length)) {
    if (*ns == 0) return Wrong(text, "it has no length");
    window.dur_ns = ns;
  } else {
    return Wrong(text, "what follows the colon is neither steps nor a duration");
  }
  return {};
}

std::string TimeText(int64_t ns) {
  return ns % kNsPerSecond == 0 ? fmt::format("{}s", ns / kNsPerSecond)
                                : fmt::format("{}ms", static_cast<double>(ns) / 1e6);
}

std::string UnixTimeText(int64_t ns) {
  std::string text = fmt::format("{}", ns / kNsPerSecond);
  if (ns % kNsPerSecond == 0) return text;
  text += fmt::format(".{:09}", ns % kNsPerSecond);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

// "operators+stacks": with commas they would be windows.
std::string KindsSuffix(const CaptureWindow& window) {
  if (window.kinds == 0) return {};
  std::string text = "=" + KindsText(window.kinds);
  std::replace(text.begin(), text.end(), ',', '+');
  return text;
}

std::string ToText(const CaptureWindow& window) {
  // From a time on, "until the next step" is said by no length.
  const bool until_next_step = window.from != From::kStep && window.steps.has_value();
  const std::string length = until_next_step ? ""
                             : window.steps  ? fmt::format("{}", *window.steps)
                                             : TimeText(*window.dur_ns);
  switch (window.from) {
    case From::kStep:
      return fmt::format("{}:{}{}",
                         window.first_step == 0 ? "" : fmt::format("{}", window.first_step), length,
                         KindsSuffix(window));
    case From::kRunTime:
      return fmt::format("{}:{}{}", TimeText(window.start_ns), length, KindsSuffix(window));
    case From::kUnixTime:
      return fmt::format("@{}:{}{}", UnixTimeText(window.start_ns), length, KindsSuffix(window));
    case From::kNow:
      return fmt::format(":{}{}", length, KindsSuffix(window));
  }
  return {};
}

bool IsTimed(const CaptureWindow& window) {
  return window.from != From::kStep || window.dur_ns.has_value();
}

bool ComesFirst(const CaptureWindow& a, const CaptureWindow& b) {
  if ((a.from == From::kNow) != (b.from == From::kNow)) return a.from == From::kNow;
  if (IsTimed(a) != IsTimed(b)) return !IsTimed(a);
  return std::pair(a.first_step, a.start_ns) < std::pair(b.first_step, b.start_ns);
}

// First and last (not in it) of a window: steps, or ns.
std::pair<int64_t, int64_t> BoundsOf(const CaptureWindow& window) {
  if (!IsTimed(window)) {
    const int64_t first = window.first_step == 0 ? kFirstStepToHave : window.first_step;
    return {first, first + *window.steps};
  }
  return {window.start_ns, window.start_ns + window.dur_ns.value_or(1)};
}

// Of two neighbours in order: whether something belongs to both.
bool Overlap(const CaptureWindow& a, const CaptureWindow& b) {
  if (a.from != b.from || IsTimed(a) != IsTimed(b)) return false;
  return BoundsOf(a).second > BoundsOf(b).first;
}

// Windows of which each overlaps one before it, as windows that do not.
std::vector<CaptureWindow> Segments(std::span<const CaptureWindow> windows) {
  std::vector<int64_t> boundaries;
  for (const CaptureWindow& window : windows) {
    const auto [begin, end] = BoundsOf(window);
    boundaries.insert(boundaries.end(), {begin, end});
  }
  std::ranges::sort(boundaries);
  std::vector<CaptureWindow> segments;
  int64_t end_of_last = 0;
  for (size_t i = 1; i < boundaries.size(); ++i) {
    const int64_t begin = boundaries[i - 1], end = boundaries[i];
    CaptureWindow segment = windows.front();
    segment.kinds = 0;
    for (const CaptureWindow& window : windows) {
      const auto [from, to] = BoundsOf(window);
      if (from <= begin && end <= to) segment.kinds |= window.kinds;
    }
    if (begin == end || segment.kinds == 0) continue;
    if (!segments.empty() && end_of_last == begin && segments.back().kinds == segment.kinds) {
      std::optional<int64_t>& length =
          IsTimed(segment) ? segments.back().dur_ns : segments.back().steps;
      *length += end - begin;
    } else {
      (IsTimed(segment) ? segment.start_ns : segment.first_step) = begin;
      (IsTimed(segment) ? segment.dur_ns : segment.steps) = end - begin;
      segments.push_back(segment);
    }
    end_of_last = end;
  }
  // From the first that can be had on, whichever it is, where no other follows.
  if (segments.size() == 1 && !IsTimed(segments[0]) && windows.front().first_step == 0) {
    segments[0].first_step = 0;
  }
  return segments;
}

// Windows in order; an error where some overlap that do not say what they capture.
Result<std::vector<CaptureWindow>> WithoutOverlap(std::span<const CaptureWindow> windows) {
  std::vector<CaptureWindow> apart;
  for (size_t begin = 0; begin < windows.size();) {
    size_t last = begin;  // which reaches farthest
    size_t end = begin + 1;
    for (; end < windows.size() && Overlap(windows[last], windows[end]); ++end) {
      const bool reported = windows[last].kinds != 0 && windows[end].kinds != 0;
      if (windows[last].from == From::kNow) {
        return Error{fmt::format("window: {} and {} both begin now", ToText(windows[last]),
                                 ToText(windows[end])),
                     "make them one"};
      }
      const bool until_next_step = IsTimed(windows[last]) && !windows[last].dur_ns;
      if (!reported || until_next_step || (IsTimed(windows[end]) && !windows[end].dur_ns)) {
        return Error{
            fmt::format("window: {} and {} overlap", ToText(windows[last]), ToText(windows[end])),
            "make them one, move one, or say what each captures (5:10=operators)"};
      }
      if (BoundsOf(windows[end]).second > BoundsOf(windows[last]).second) last = end;
    }
    if (end == begin + 1) {
      apart.push_back(windows[begin]);
    } else {
      const auto segments = Segments(windows.subspan(begin, end - begin));
      apart.insert(apart.end(), segments.begin(), segments.end());
    }
    begin = end;
  }
  return apart;
}

std::vector<std::string_view> SplitAtCommas(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t comma = text.find(',');
    std::string_view part = text.substr(0, comma);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    parts.push_back(part);
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

Result<CaptureWindow> ParseWindow(std::string_view text) {
  const std::string_view place = text.substr(0, text.find('='));
  const size_t colon = place.find(':');
  if (colon == std::string_view::npos) return Wrong(text, "it has no colon");
  const std::string_view start = place.substr(0, colon);
  const std::string_view length = place.substr(colon + 1);
  if (start.empty() && length.empty()) return Wrong(text, "it says nothing");
  CaptureWindow window;
  if (start.starts_with('@')) {
    const auto ns = ParseUnixTime(start.substr(1));
    if (!ns) {
      return Wrong(text, "what follows @ is not a time in seconds since 1970");
    }
    window.from = From::kUnixTime;
    window.start_ns = *ns;
  } else if (const auto step = ParseCount(start); step || start.empty()) {
    window.first_step = step.value_or(0);
    if (step == 0) {
      return Error{fmt::format("window '{}': the first two steps cannot be captured", text),
                   fmt::format("write :{} for the first that can be, or begin with step {}",
                               length.empty() ? "1" : length, kFirstStepToHave)};
    }
  } else if (const auto ns = ParseTime(start)) {
    window.from = From::kRunTime;
    window.start_ns = *ns;
  } else {
    return Wrong(text, "what precedes the colon is neither a step nor a time");
  }
  STEPTRACE_RETURN_IF_ERROR(ReadLength(text, length, window));
  const bool mixed = window.from == From::kStep ? !start.empty() && window.dur_ns.has_value()
                                                : !length.empty() && window.steps.has_value();
  if (mixed) return Wrong(text, "it mixes steps and times");
  if (start.empty() && window.dur_ns) window.from = From::kNow;
  if (place.size() == text.size()) return window;
  std::string kinds(text.substr(place.size() + 1));
  std::replace(kinds.begin(), kinds.end(), '+', ',');
  STEPTRACE_ASSIGN_OR_RETURN(window.kinds, ParseKinds(kinds));
  return window;
}

Result<std::optional<CaptureWindow>> WindowOf(const WindowFields& fields) {
  const bool of_steps = fields.start_step || fields.num_steps;
  const bool of_time = fields.start_unix_time || fields.duration;
  if (!of_steps && !of_time) return std::optional<CaptureWindow>();
  if (of_steps && of_time) {
    return Error{"window: start_step and num_steps cannot go with start_unix_time and duration",
                 "leave out one pair"};
  }
  CaptureWindow window;
  if (of_steps) {
    window.first_step = fields.start_step.value_or(0);
    window.steps = fields.num_steps.value_or(1);
    if (window.first_step < 0 || window.first_step > kMaxSteps) {
      return Error{
          fmt::format("window: start_step {} is not from 0 to {}", window.first_step, kMaxSteps),
          "choose a step in that range"};
    }
    if (*window.steps < 1 || *window.steps > kMaxSteps) {
      return Error{
          fmt::format("window: num_steps {} is not from 1 to {}", *window.steps, kMaxSteps),
          "choose a number in that range"};
    }
    return std::optional(window);
  }
  window.from = fields.start_unix_time ? From::kUnixTime : From::kNow;
  const int64_t start_s = fields.start_unix_time.value_or(0);
  if (start_s < 0 || start_s > kMaxUnixTimeS) {
    return Error{
        fmt::format("window: start_unix_time {} is not a time in seconds since 1970", start_s),
        "give the seconds that `date +%s` prints"};
  }
  window.start_ns = start_s * kNsPerSecond;
  if (!fields.duration) {
    window.steps = 1;
    return std::optional(window);
  }
  const double dur_ns = *fields.duration * 1e9;
  if (!(dur_ns >= 1) || dur_ns > static_cast<double>(kMaxTimeNs)) {
    return Error{
        fmt::format("window: duration {} is not a number of seconds over 0", *fields.duration),
        "give a positive number of seconds"};
  }
  window.dur_ns = std::llround(dur_ns);
  return std::optional(window);
}

Result<WindowPlan> ParsePlan(const std::vector<std::string>& windows, const WindowFields& fields) {
  WindowPlan plan;
  STEPTRACE_ASSIGN_OR_RETURN(const auto of_fields, WindowOf(fields));
  if (of_fields) plan.windows.push_back(*of_fields);
  bool none = false, automatic = false;
  for (const std::string& text : windows) {
    if (text.empty()) continue;
    for (const std::string_view part : SplitAtCommas(text)) {
      none |= part == "none";
      automatic |= part == "auto";
      if (part == "none" || part == "auto") continue;
      STEPTRACE_ASSIGN_OR_RETURN(CaptureWindow window, ParseWindow(part));
      plan.windows.push_back(window);
    }
  }
  const int said = (none ? 1 : 0) + (automatic ? 1 : 0) + (plan.windows.empty() ? 0 : 1);
  if (said > 1) {
    return Error{"window: none, auto and other windows cannot be combined", "choose one"};
  }
  plan.automatic = plan.windows.empty() && !none;
  std::stable_sort(plan.windows.begin(), plan.windows.end(), ComesFirst);
  STEPTRACE_ASSIGN_OR_RETURN(plan.windows, WithoutOverlap(plan.windows));
  return plan;
}

std::string ToText(const WindowPlan& plan) {
  if (plan.automatic) return "auto";
  if (plan.windows.empty()) return "none";
  std::string text;
  for (const CaptureWindow& window : plan.windows)
    text += (text.empty() ? "" : ",") + ToText(window);
  return text;
}

namespace {

using wire::CaptureKind;

constexpr uint32_t Bit(CaptureKind kind) {
  return static_cast<uint32_t>(kind);
}

constexpr std::pair<std::string_view, uint32_t> kKindWords[] = {
    {"operators", Bit(CaptureKind::kOperators)},
    {"kernels", Bit(CaptureKind::kKernels)},
    {"profile", Bit(CaptureKind::kProfile)},
    {"stacks", Bit(CaptureKind::kProfile) | Bit(CaptureKind::kProfileStacks)},
    {"shapes", Bit(CaptureKind::kProfile) | Bit(CaptureKind::kProfileShapes)},
    {"memory", Bit(CaptureKind::kProfile) | Bit(CaptureKind::kProfileMemory)},
};

}  // namespace

Result<uint32_t> ParseKinds(std::string_view text) {
  uint32_t kinds = 0;
  for (const std::string_view part : SplitAtCommas(text)) {
    const auto* word =
        std::ranges::find(kKindWords, part, [](const auto& entry) { return entry.first; });
    if (word == std::end(kKindWords)) {
      std::string known;
      for (const auto& entry : kKindWords) {
        known += (known.empty() ? "" : ", ") + std::string(entry.first);
      }
      return Error{fmt::format("capture: '{}' cannot be captured", part),
                   fmt::format("there is: {}", known)};
    }
    kinds |= word->second;
  }
  return kinds;
}

std::string KindsText(uint32_t kinds) {
  std::string text;
  for (const auto& [word, bits] : kKindWords) {
    // The profile itself is said by what it holds.
    const bool said = bits == Bit(CaptureKind::kProfile) && (kinds & wire::kProfileOptions) != 0;
    if ((kinds & bits) == bits && !said) text += (text.empty() ? "" : ",") + std::string(word);
  }
  return text;
}

}  // namespace steptrace::agent
