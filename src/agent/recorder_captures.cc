// SPDX-License-Identifier: Apache-2.0
// The half of the Recorder that asks processes for captures and writes down what became of them.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "agent/recorder.h"
#include "base/time.h"
#include "store/metadata_keys.h"

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

// Nothing of what the user asked for by name; one that a run takes on top of its first is no loss.
bool CapturedNothingAsked(const CaptureOutcome& outcome) {
  if (outcome.to_ns > 0) return false;
  if (outcome.source == Source::kPlan) return true;
  return outcome.source == Source::kAutomatic && outcome.only &&
         outcome.end == WindowEnd::kMissed &&
         (outcome.asked & static_cast<uint32_t>(wire::CaptureKind::kKernels)) != 0;
}

// As a user writes a window from the second step on; of the first, which cannot be had either, none
// can be written.
bool BeginsTooEarly(const CaptureOutcome& outcome) {
  return outcome.window.starts_with("1:");
}

constexpr const char* kTooEarly = "the first two steps cannot be captured";

std::string LossText(const CaptureOutcome& outcome) {
  if (outcome.source == Source::kAutomatic) {
    return "the window of --capture kernels captured nothing: the training ended before its steps "
           "had been steady for long enough; train longer, or choose an earlier window with "
           "--window START:STEPS";
  }
  const std::string what = fmt::format("the window {} captured nothing: ", outcome.window);
  if (outcome.interrupted) return what + "another capture took its place; choose another window";
  switch (outcome.end) {
    case WindowEnd::kMissed:
      if (BeginsTooEarly(outcome) && outcome.asked_steps == 1) {
        return what + kTooEarly + "; begin with step 2";
      }
      return what + "the steps or the time were over before, or never came; choose another window";
    case WindowEnd::kUnavailable:
      return what + "what it asks for cannot be had here; the table `facts` says why (kind hook)";
    default:
      return what + "its hook failed; the table `facts` says why (kind hook)";
  }
}

// Who asked for what, as a user wrote it: "the window 60:1000", "the capture of 5 steps".
std::string WhatWas(const CaptureOutcome& outcome) {
  if (outcome.source == Source::kAutomatic) return "the window that the run took by itself";
  if (!outcome.window.empty()) return "the window " + outcome.window;
  return fmt::format("the capture of {} step{}", outcome.asked_steps,
                     outcome.asked_steps == 1 ? "" : "s");
}

// Of one that has fewer whole steps than it asked for: why.
std::string CutText(const CaptureOutcome& outcome) {
  std::string why;
  const auto add = [&why](const char* one) {
    why += (why.empty() ? "" : ", and ") + std::string(one);
  };
  const bool too_early = BeginsTooEarly(outcome) && outcome.steps < outcome.asked_steps;
  if (too_early) add(kTooEarly);
  const bool lacks_more = !too_early || outcome.asked_steps - outcome.steps > 1;
  if (outcome.aside) add("the script's own profiler ran in between");
  if (outcome.interrupted) add("another capture interrupted it");
  const bool replaced = outcome.end == WindowEnd::kReplaced && !outcome.interrupted;
  if (replaced) add("another capture took its place");
  if (outcome.end == WindowEnd::kFull) {
    add("what it may hold was full; ask for fewer steps, or for less in them");
  } else if (why.empty() || (too_early && lacks_more && !outcome.aside && !replaced) ||
             (outcome.interrupted && outcome.short_of_end)) {
    add("the training or the capture ended before");
  }
  if (outcome.asked_steps == 0) return fmt::format("{} lacks steps: {}", WhatWas(outcome), why);
  if (outcome.steps == 0)
    return fmt::format("{} did not come to its end: {}", WhatWas(outcome), why);
  return fmt::format("{} holds {} of its {} steps: {}", WhatWas(outcome), outcome.steps,
                     outcome.asked_steps, why);
}

// A step that none of the processes has reached when the word is there: records are on their way
// for a while, and a process looks at the end of each step. Nothing: each begins with its next, for
// they have no step in common: another training is in one of them, or its steps are not known.
std::optional<int64_t> StepAhead(const std::vector<ProcessSession*>& processes) {
  constexpr int64_t kOnItsWayNs = kNsPerSecond;
  constexpr int64_t kAhead = 3;
  int64_t least = INT64_MAX;
  int64_t most = 0;
  int64_t step_ns = INT64_MAX;
  for (ProcessSession* process : processes) {
    const HookBorders& borders = process->captures().borders();
    if (!borders.ended() || borders.StepNs() <= 0) return std::nullopt;
    least = std::min(least, *borders.ended());
    most = std::max(most, *borders.ended());
    step_ns = std::min(step_ns, borders.StepNs());
  }
  const int64_t lead = kAhead + kOnItsWayNs / step_ns;
  if (most - least > lead) return std::nullopt;
  return most + lead;
}

}  // namespace

// What a window that the user asked for lacks is told: a report of less looks like the whole.
void Recorder::TellMissing(const ProcessSession& session, const CaptureOutcome& outcome,
                           int64_t now_ns) {
  if (outcome.to_ns == 0 || outcome.unwanted) return;
  const LossSubject subject{session.rank(), session.pid()};
  const bool automatic = outcome.source == Source::kAutomatic;
  const int64_t missing = outcome.asked_steps - outcome.steps;
  // A process that is gone has told no number. Of a time it is not known how many there were.
  const int64_t count = outcome.counted && missing > 0 ? missing : -1;
  const bool of_time = outcome.asked_steps == 0 && outcome.interrupted;
  if (!automatic && (missing > 0 || of_time)) {
    losses_.Once(subject, LossCause::kWindowCut, count, now_ns, CutText(outcome));
  }
  uint32_t ever = 0;
  uint32_t absent = 0;  // in some stretch
  for (const CapturedStretch& on : outcome.stretches) {
    ever |= KindsWithin(on.kinds);
    absent |= outcome.asked & ~KindsWithin(on.kinds);
  }
  // Of what a run captures by itself the user asks for kernels alone.
  if (automatic) absent &= static_cast<uint32_t>(wire::CaptureKind::kKernels);
  const auto tell = [&](uint32_t kinds, const char* where) {
    if (kinds == 0) return;
    losses_.Once(subject, LossCause::kWindow, -1, now_ns,
                 fmt::format("{} captured no {}{}: it cannot be had here; the table `facts` says "
                             "why (kind hook)",
                             WhatWas(outcome), KindsText(kinds), where));
  };
  tell(absent & ~ever, "");
  tell(absent & ever, " in some of its stretches");
}

void Recorder::ChangeWindows(const WindowPlan& plan) {
  window_bytes_.left += plan.budget.bytes - context_.windows.budget.bytes;
  context_.windows = plan;
  for (const auto& session : sessions_) session->captures().SetPlan(plan);
}

void Recorder::SetWindows(const WindowPlan& plan, int64_t epoch_utc_ns) {
  context_.windows = plan;
  context_.epoch_utc_ns = epoch_utc_ns;
  window_bytes_.left = plan.budget.bytes;
  context_.window_bytes = &window_bytes_;
}

void Recorder::SuggestWindow(const char* why) {
  for (const auto& session : sessions_) session->captures().Suggest(why);
}

void Recorder::SendCaptures(int64_t now_ns) {
  window_bytes_.processes = std::count_if(sessions_.begin(), sessions_.end(),
                                          [](const auto& session) { return session->trains(); });
  for (const auto& session : sessions_) session->SendCapture(now_ns);
  capture_rows_.Look([this](int32_t pid) { return HasProcess(pid); }, now_ns);
}

// Before the batch's marks are looked at: its last operators come with the mark of the end.
void Recorder::CountOperators(ProcessSession& session, const RowBatch& batch) const {
  if (!session.captures().in_automatic()) return;
  int64_t operators = 0, of_devices = 0;
  for (const store::SliceRow& row : batch.slices) {
    const bool is_operator =
        row.category == operator_category_ || row.category == primitive_category_;
    operators += is_operator ? 1 : 0;
    of_devices += !is_operator && row.correlation.has_value() ? 1 : 0;
  }
  session.captures().OnOperators(operators, of_devices);
}

void Recorder::NoteWindows(ProcessSession& session, const RowBatch& batch) {
  CountOperators(session, batch);
  session.captures().borders().OnEvents(batch.events);
  for (const WindowMark& mark : batch.windows) session.captures().OnMark(mark);
}

void Recorder::NoteStep(const store::StepRow& row) {
  if (row.kind != eval_kind_) capture_rows_.OnStep(row);
  if (row.kind != train_kind_) return;
  for (const auto& session : sessions_) {
    if (session->trains() && session->rank() == row.rank) {
      session->captures().OnSteadyStep(row.ts_ns);
    }
  }
}

// What one who waits for a demand is told of it.
void Recorder::NoteDemand(const ProcessSession& session, const CaptureOutcome& outcome,
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
  capture_rows_.OnCaptured(outcome.demand,
                           {.rank = session.rank(),
                            .pid = session.pid(),
                            .from_ns = outcome.from_ns,
                            .to_ns = outcome.to_ns,
                            .steps = outcome.steps},
                           now_ns);
}

// {"source": "window", "window": "1000:500", "kinds": "operators", "end": "done", "steps": 500,
// "from_ns": …, "to_ns": …}. Of several stretches those too; a row for each that differ in what was
// on.
void Recorder::WriteOutcomes(ProcessSession& session, int64_t now_ns) {
  for (const CaptureOutcome& outcome : session.captures().TakeOutcomes(now_ns)) {
    if (outcome.source == Source::kDemand) NoteDemand(session, outcome, now_ns);
    if (CapturedNothingAsked(outcome)) {
      losses_.Once({session.rank(), session.pid()}, LossCause::kWindow, -1, now_ns,
                   LossText(outcome));
    }
    TellMissing(session, outcome, now_ns);
    std::vector<CaptureOutcome> alike;
    for (const CapturedStretch& on : outcome.stretches) {
      auto same = std::ranges::find(alike, on.kinds, &CaptureOutcome::kinds);
      if (same == alike.end()) {
        same = alike.insert(same, outcome);
        same->kinds = on.kinds;
        same->stretches.clear();
        same->steps = 0;
      }
      same->stretches.push_back(on);
      same->steps += on.steps;
    }
    if (alike.empty()) alike.push_back(outcome);
    for (const CaptureOutcome& one : alike) WriteWindow(session, one, now_ns);
  }
}

void Recorder::WriteWindow(const ProcessSession& session, const CaptureOutcome& outcome,
                           int64_t now_ns) {
  store::FactRow fact;
  fact.ts_ns = now_ns;
  fact.node = context_.node;
  fact.rank = session.rank();
  fact.pid = session.pid();
  fact.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kWindow));
  nlohmann::ordered_json json;
  json["source"] = SourceText(outcome.source);
  if (!outcome.window.empty()) json["window"] = outcome.window;
  if (!outcome.why.empty()) json["why"] = outcome.why;
  json[NameOf(Key::kKinds)] = KindsText(outcome.kinds);
  json[NameOf(Key::kEnd)] = EndText(outcome.end);
  json[NameOf(Key::kSteps)] = outcome.steps;
  if (!outcome.stretches.empty()) {
    json[NameOf(Key::kFromNs)] = outcome.stretches.front().from_ns;
    json[NameOf(Key::kToNs)] = outcome.stretches.back().to_ns;
  }
  if (outcome.stretches.size() > 1) {
    for (const CapturedStretch& on : outcome.stretches) {
      json[NameOf(Key::kStretches)].push_back({on.from_ns, on.to_ns});
    }
  }
  fact.json = json.dump();
  writer_.Append(fact);
}

CaptureProgress Recorder::Ask(const CaptureDemand& demand, const std::set<int32_t>& ranks) {
  CaptureProgress progress;
  if (demands_.size() >= kMaxDemands) {
    capture_rows_.Forget(demands_.begin()->first);
    demands_.erase(demands_.begin());
  }
  capture_rows_.Begin(demand.id);
  std::vector<ProcessSession*> asked;
  for (const auto& session : sessions_) {
    if (!session->trains() || (!ranks.empty() && ranks.count(session->rank()) == 0)) continue;
    asked.push_back(session.get());
  }
  CaptureDemand begun_together = demand;
  if (asked.size() > 1) begun_together.first_step = StepAhead(asked).value_or(0);
  for (ProcessSession* session : asked) session->captures().Ask(begun_together);
  progress.asked = static_cast<int>(asked.size());
  demands_[demand.id] = progress;
  return progress;
}

CaptureProgress Recorder::ProgressOf(uint64_t demand) const {
  const auto found = demands_.find(demand);
  if (found == demands_.end()) return {};
  CaptureProgress progress = found->second;
  progress.begun = progress.ended;
  progress.rows_until_ns = capture_rows_.WaitUntilNs(demand);
  for (const auto& session : sessions_) {
    if (session->captures().HasBegun(demand)) ++progress.begun;
  }
  return progress;
}

void Recorder::Withdraw(uint64_t demand) {
  for (const auto& session : sessions_) session->captures().Withdraw(demand);
  demands_.erase(demand);
  capture_rows_.Forget(demand);
}

}  // namespace steptrace::agent
