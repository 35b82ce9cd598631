// SPDX-License-Identifier: Apache-2.0
#include "store/step_finder.h"

#include <algorithm>
#include <string>

#include "store/journal_reader.h"
#include "store/run_parts.h"
#include "store/segment.h"

namespace steptrace::store {

StepFinder StepFinder::OfRun(const std::filesystem::path& run, const Manifest& manifest) {
  static const std::vector<std::string> kColumns = {"rank", "step", "ts_ns", "dur_ns"};
  StepFinder finder;
  StringTable strings;
  const PartsOfTable parts = FindParts(run, manifest, TableOf<StepRow>::kName);
  for (const SegmentInfo& segment : parts.segments) {
    std::vector<StepRow> rows;
    if (!ReadSegment(run, segment, kColumns, strings, &rows).ok()) continue;
    for (const StepRow& row : rows) finder.Add(row);
  }
  for (const JournalFile& file : parts.journals) {
    auto read =
        ReadJournal<StepRow>(file, strings, kColumns, [&](std::vector<StepRow>&& rows) -> Status {
          for (const StepRow& row : rows) finder.Add(row);
          return {};
        });
    if (!read.ok()) continue;  // those slices stay without a step
  }
  return finder;
}

void StepFinder::Add(const StepRow& step) {
  if (step.dur_ns <= 0) return;
  RankSpans& steps = ranks_[step.rank];
  // Of a damaged file: an end beyond all time.
  int64_t end_ns;
  if (__builtin_add_overflow(step.ts_ns, step.dur_ns, &end_ns)) end_ns = INT64_MAX;
  if (!steps.spans.empty() && step.ts_ns < steps.spans.back().begin_ns) steps.sorted = false;
  steps.spans.push_back({step.ts_ns, end_ns, step.step});
}

// The span that began last at or before `ts_ns`; their number if none did.
size_t StepFinder::Locate(RankSpans* steps, int64_t ts_ns) {
  const auto& spans = steps->spans;
  const auto holds = [&](size_t at) {
    return spans[at].begin_ns <= ts_ns &&
           (at + 1 == spans.size() || ts_ns < spans[at + 1].begin_ns);
  };
  if (holds(steps->last)) return steps->last;
  if (steps->last + 1 < spans.size() && holds(steps->last + 1)) return ++steps->last;
  const auto next =
      std::upper_bound(spans.begin(), spans.end(), ts_ns,
                       [](int64_t ts, const Span& span) { return ts < span.begin_ns; });
  if (next == spans.begin()) return spans.size();
  return steps->last = static_cast<size_t>(next - spans.begin()) - 1;
}

std::optional<int64_t> StepFinder::StepAt(int32_t rank, int64_t ts_ns) {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return std::nullopt;
  RankSpans& steps = found->second;
  if (!steps.sorted) {
    std::stable_sort(steps.spans.begin(), steps.spans.end(),
                     [](const Span& a, const Span& b) { return a.begin_ns < b.begin_ns; });
    steps.sorted = true;
  }
  const size_t at = Locate(&steps, ts_ns);
  if (at == steps.spans.size() || ts_ns >= steps.spans[at].end_ns) return std::nullopt;
  return steps.spans[at].step;
}

}  // namespace steptrace::store
