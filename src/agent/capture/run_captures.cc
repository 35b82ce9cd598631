// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/run_captures.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "agent/capture/capture_findings.h"
#include "base/time.h"
#include "store/metadata_keys.h"
#include "store/stored_words.h"

namespace steptrace::agent {

using Key = store::MetadataKey;
using store::NameOf;
namespace {

using Source = CaptureOutcome::Source;
using wire::WindowEnd;

constexpr size_t kMaxDemands = 64;  // remembered; each has somebody who waits for it

const char* SourceText(Source source) {
  switch (source) {
    case Source::kPlan:
      return "window";
    case Source::kAutomatic:
      return "automatic";
    case Source::kDemand:
      return "demand";
  }
  return "";
}

const char* EndText(WindowEnd end) {
  switch (end) {
    case WindowEnd::kDone:
      return "done";
    case WindowEnd::kAside:
      return "aside";
    case WindowEnd::kReplaced:
      return "replaced";
    case WindowEnd::kFull:
      return "full";
    case WindowEnd::kMissed:
      return "missed";
    case WindowEnd::kUnavailable:
      return "unavailable";
    case WindowEnd::kFailed:
      return "failed";
  }
  return "failed";
}

// A step that none of the processes has reached when the word is there: records are on their way
// for a while, and a process looks at the end of each step. Nothing: each begins with its next, for
// they have no step in common: another training is in one of them, or its steps are not known.
std::optional<int64_t> StepAhead(const std::vector<CapturedProcess*>& processes) {
  constexpr int64_t kOnItsWayNs = kNsPerSecond;
  constexpr int64_t kAhead = 3;
  int64_t least = INT64_MAX;
  int64_t most = 0;
  int64_t step_ns = INT64_MAX;
  for (CapturedProcess* process : processes) {
    const HookBoundaries& boundaries = process->captures().boundaries();
    if (!boundaries.ended() || boundaries.StepNs() <= 0) return std::nullopt;
    least = std::min(least, *boundaries.ended());
    most = std::max(most, *boundaries.ended());
    step_ns = std::min(step_ns, boundaries.StepNs());
  }
  const int64_t lead = kAhead + kOnItsWayNs / step_ns;
  if (most - least > lead) return std::nullopt;
  return most + lead;
}

}  // namespace

RunCaptures::RunCaptures(store::RunWriter& writer, LossBook& losses, int32_t node,
                         int64_t epoch_monotonic_ns)
    : writer_(writer),
      losses_(losses),
      node_(node),
      epoch_monotonic_ns_(epoch_monotonic_ns),
      train_kind_(writer.strings().Intern(store::NameOf(store::StepKind::kTrain))),
      eval_kind_(writer.strings().Intern(store::NameOf(store::StepKind::kEval))),
      operator_category_(writer.strings().Intern(CategoryText(wire::Category::kOperator))),
      primitive_category_(writer.strings().Intern(CategoryText(wire::Category::kPrimitive))) {}

void RunCaptures::SetPlan(const WindowPlan& plan, int64_t epoch_utc_ns) {
  plan_ = plan;
  epoch_utc_ns_ = epoch_utc_ns;
  bytes_left_.left = plan.budget.bytes;
  is_planned_ = true;
}

void RunCaptures::ChangePlan(const WindowPlan& plan) {
  bytes_left_.left += plan.budget.bytes - plan_.budget.bytes;
  plan_ = plan;
  for (CapturedProcess* process : processes_) process->captures().SetPlan(plan);
}

CaptureSchedule RunCaptures::NewSchedule() {
  return CaptureSchedule(plan_, epoch_monotonic_ns_, epoch_utc_ns_,
                         is_planned_ ? &bytes_left_ : nullptr);
}

void RunCaptures::Suggest(const char* why) {
  for (CapturedProcess* process : processes_) process->captures().Suggest(why);
}

bool RunCaptures::Has(int32_t pid) const {
  return std::ranges::any_of(
      processes_, [pid](const CapturedProcess* process) { return process->pid() == pid; });
}

void RunCaptures::Send(int64_t now_ns) {
  bytes_left_.processes = std::ranges::count_if(
      processes_, [](const CapturedProcess* process) { return process->trains(); });
  for (CapturedProcess* process : processes_) process->SendCapture(now_ns);
  rows_.Check([this](int32_t pid) { return Has(pid); }, now_ns);
}

// Before the batch's marks are looked at: its last operators come with the mark of the end.
void RunCaptures::CountOperators(CapturedProcess& process, const RowBatch& batch) const {
  if (!process.captures().in_automatic()) return;
  int64_t operators = 0, of_devices = 0;
  for (const store::SliceRow& row : batch.slices) {
    const bool is_operator =
        row.category == operator_category_ || row.category == primitive_category_;
    operators += is_operator ? 1 : 0;
    of_devices += !is_operator && row.correlation.has_value() ? 1 : 0;
  }
  process.captures().OnOperators(operators, of_devices);
}

void RunCaptures::OnBatch(CapturedProcess& process, const RowBatch& batch) const {
  CountOperators(process, batch);
  process.captures().boundaries().OnEvents(batch.events);
  for (const WindowMark& mark : batch.windows) process.captures().OnMark(mark);
}

void RunCaptures::OnStep(const store::StepRow& row) {
  if (row.kind != eval_kind_) rows_.OnStep(row);
  if (row.kind != train_kind_) return;
  for (CapturedProcess* process : processes_) {
    if (process->trains() && process->rank() == row.rank) {
      process->captures().OnSteadyStep(row.ts_ns);
    }
  }
}

// What one who waits for a demand is told of it.
void RunCaptures::NoteDemand(const CapturedProcess& process, const CaptureOutcome& outcome,
                             int64_t now_ns) {
  const auto found = demands_.find(outcome.demand);
  if (found == demands_.end()) return;
  CaptureProgress& progress = found->second;
  // What another has taken the place of is not what was asked for.
  const bool captured = outcome.to_ns > 0 && outcome.end != WindowEnd::kReplaced;
  ++(captured ? progress.ended : progress.refused);
  if (!captured) {
    progress.why = outcome.end;
    return;
  }
  progress.steps = std::max(progress.steps, outcome.steps);
  const bool first = progress.to_ns == 0;
  progress.from_ns = first ? outcome.from_ns : std::min(progress.from_ns, outcome.from_ns);
  progress.to_ns = std::max(progress.to_ns, outcome.to_ns);
  rows_.OnCaptured(outcome.demand,
                   {.rank = process.rank(),
                    .pid = process.pid(),
                    .from_ns = outcome.from_ns,
                    .to_ns = outcome.to_ns,
                    .steps = outcome.steps},
                   now_ns);
}

void RunCaptures::WriteOutcomes(int64_t now_ns) {
  for (CapturedProcess* process : processes_) WriteOutcomes(*process, now_ns);
}

void RunCaptures::WriteOutcomes(CapturedProcess& process, int64_t now_ns) {
  for (const CaptureOutcome& outcome : process.captures().TakeOutcomes(now_ns)) {
    if (outcome.source == Source::kDemand) NoteDemand(process, outcome, now_ns);
    for (const CaptureLack& lack : LacksOf(outcome)) {
      losses_.Once({process.rank(), process.pid()}, lack.cause, lack.count, now_ns, lack.what);
    }
    WriteOutcome(process, outcome, now_ns);
  }
}

// {"source": "window", "window": "1000:500", "kinds": "operators", "end": "done", "steps": 500,
// "from_ns": …, "to_ns": …}. Of several time ranges those too; a row for each that differ in what
// was on.
void RunCaptures::WriteOutcome(const CapturedProcess& process, const CaptureOutcome& outcome,
                               int64_t now_ns) {
  std::vector<CaptureOutcome> alike;
  for (const CapturedRange& on : outcome.captured_ranges) {
    auto same = std::ranges::find(alike, on.kinds, &CaptureOutcome::kinds);
    if (same == alike.end()) {
      same = alike.insert(same, outcome);
      same->kinds = on.kinds;
      same->captured_ranges.clear();
      same->steps = 0;
    }
    same->captured_ranges.push_back(on);
    same->steps += on.steps;
  }
  if (alike.empty()) alike.push_back(outcome);
  for (const CaptureOutcome& one : alike) WriteWindow(process, one, now_ns);
}

void RunCaptures::WriteWindow(const CapturedProcess& process, const CaptureOutcome& outcome,
                              int64_t now_ns) {
  store::RunMetadataRow fact;
  fact.ts_ns = now_ns;
  fact.node = node_;
  fact.rank = process.rank();
  fact.pid = process.pid();
  fact.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kWindow));
  nlohmann::ordered_json json;
  json["source"] = SourceText(outcome.source);
  if (!outcome.window.empty()) json["window"] = outcome.window;
  if (!outcome.why.empty()) json["why"] = outcome.why;
  json[NameOf(Key::kKinds)] = KindsText(outcome.kinds);
  json[NameOf(Key::kEnd)] = EndText(outcome.end);
  json[NameOf(Key::kSteps)] = outcome.steps;
  if (!outcome.captured_ranges.empty()) {
    json[NameOf(Key::kFromNs)] = outcome.captured_ranges.front().from_ns;
    json[NameOf(Key::kToNs)] = outcome.captured_ranges.back().to_ns;
  }
  if (outcome.captured_ranges.size() > 1) {
    for (const CapturedRange& on : outcome.captured_ranges) {
      json[NameOf(Key::kStretches)].push_back({on.from_ns, on.to_ns});
    }
  }
  fact.json = json.dump();
  writer_.Append(fact);
}

CaptureProgress RunCaptures::Request(const CaptureDemand& demand, const std::set<int32_t>& ranks) {
  CaptureProgress progress;
  if (demands_.size() >= kMaxDemands) {
    rows_.Forget(demands_.begin()->first);
    demands_.erase(demands_.begin());
  }
  rows_.Begin(demand.id);
  std::vector<CapturedProcess*> asked;
  for (CapturedProcess* process : processes_) {
    if (!process->trains() || (!ranks.empty() && ranks.count(process->rank()) == 0)) continue;
    asked.push_back(process);
  }
  CaptureDemand begun_together = demand;
  if (asked.size() > 1) begun_together.first_step = StepAhead(asked).value_or(0);
  for (CapturedProcess* process : asked) process->captures().Request(begun_together);
  progress.asked = static_cast<int>(asked.size());
  demands_[demand.id] = progress;
  return progress;
}

CaptureProgress RunCaptures::ProgressOf(uint64_t demand) const {
  const auto found = demands_.find(demand);
  if (found == demands_.end()) return {};
  CaptureProgress progress = found->second;
  progress.begun = progress.ended;
  progress.rows_until_ns = rows_.WaitUntilNs(demand);
  for (CapturedProcess* process : processes_) {
    if (process->captures().HasBegun(demand)) ++progress.begun;
  }
  return progress;
}

void RunCaptures::Withdraw(uint64_t demand) {
  for (CapturedProcess* process : processes_) process->captures().Withdraw(demand);
  demands_.erase(demand);
  rows_.Forget(demand);
}

}  // namespace steptrace::agent
