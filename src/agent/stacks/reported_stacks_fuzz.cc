// SPDX-License-Identifier: Apache-2.0
// What a process tells of its stacks, on any bytes. Lines are the texts of its arena, by id from 1;
// each byte of the first line asks for one of them, twice, in that order.

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "agent/stacks/reported_stacks.h"

namespace steptrace::agent {
namespace {

void RequireStack(bool holds) {
  if (!holds) std::abort();
}

std::vector<std::string> LinesOf(const std::string& bytes) {
  std::vector<std::string> lines(1);
  for (const char c : bytes) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// A stack's row comes before those of what it calls, and no chain is deeper than the bound.
void CheckRows(const std::vector<NewStack>& rows, std::map<int32_t, uint32_t>& depth_of) {
  for (const NewStack& row : rows) {
    uint32_t depth = 1;
    if (row.parent) {
      RequireStack(*row.parent < row.stack && depth_of.contains(*row.parent));
      depth += depth_of[*row.parent];
    }
    RequireStack(depth <= ReportedStacks::kMaxFrames && row.line >= 0);
    RequireStack(depth_of.emplace(row.stack, depth).second);
  }
}

void FuzzReportedStacks(const std::string& bytes) {
  const std::vector<std::string> lines = LinesOf(bytes);
  int asked = 0;
  const auto text_of = [&](uint32_t id) -> std::optional<std::string> {
    ++asked;
    return id > 0 && id < lines.size() ? std::optional(lines[id]) : std::nullopt;
  };
  CodeTexts texts;
  StackTable stacks(texts);
  ReportedStacks reported(texts, stacks);
  std::map<int32_t, uint32_t> depth_of;
  int64_t now_ns = 0;
  int missing = 0;
  for (const char c : lines[0]) {
    const auto id = static_cast<uint8_t>(c);
    const auto stack = reported.StackOf(id, text_of);
    CheckRows(stacks.TakeNew(), depth_of);
    RequireStack(!stack || depth_of.contains(*stack));
    RequireStack(reported.StackOf(id, text_of) == stack);
    RequireStack(stacks.TakeNew().empty());
    const auto pace = reported.PaceOf(id, text_of);
    if (pace) {
      RequireStack(pace->period_ns > 0 && pace->cpu_ns >= 0 && pace->wall_ns >= 0);
      reported.SetPeriod(pace->period_ns);
    }
    now_ns += c;  // back, too
    const int64_t interval_ns = reported.IntervalOf(id % 3, now_ns);
    RequireStack(interval_ns >= 0 && interval_ns <= 2 * reported.period_ns());
    missing += id == 0 || id >= lines.size() ? 3 : 0;
  }
  // Each text as a frame, as code and as a pace, whatever is asked for how often.
  RequireStack(asked <= 3 * static_cast<int>(lines.size()) + missing);
}

}  // namespace
}  // namespace steptrace::agent

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  steptrace::agent::FuzzReportedStacks(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
