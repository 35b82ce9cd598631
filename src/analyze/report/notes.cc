// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/notes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "analyze/report/quantity.h"
#include "analyze/report/sections.h"
#include "present/words/finding_sentence.h"
#include "store/loss_causes.h"

namespace steptrace::analyze {
namespace {

// The parts that only a profile fills: windows may have filled some of them.
std::string EmptyParts(const Report& report) {
  const auto holds_rows = [](const RankModules& rank) { return !rank.rows.empty(); };
  const Profile* windows = report.profile ? &*report.profile : nullptr;
  std::vector<const char*> parts = {"roles", "devices"};
  if (windows == nullptr || windows->operators.rows.empty()) parts.push_back("operators");
  parts.push_back("kernels");
  if (windows == nullptr || windows->memory.devices.empty()) parts.push_back("memory");
  if (windows == nullptr || std::ranges::none_of(windows->modules.ranks, holds_rows)) {
    parts.push_back("modules");
  }
  const std::string last = parts.back();
  parts.pop_back();
  return fmt::format("{} and {}", fmt::join(parts, ", "), last);
}

// Sections of an imported profile that hold nothing, and what would fill them.
void NoteEmptySections(const Profile& profile, std::vector<std::string>& notes) {
  const auto holds_rows = [](const RankModules& rank) { return !rank.rows.empty(); };
  const auto note = [&notes](bool empty, const char* text) {
    if (empty) notes.push_back(text);
  };
  note(profile.devices.devices.empty() && profile.kernels.rows.empty(),
       "devices, kernels: not applicable: the profile holds no device activity "
       "(ProfilerActivity.CUDA records it)");
  note(profile.operators.rows.empty(),
       "operators: not applicable: the profile holds none (ProfilerActivity.CPU records them)");
  note(profile.memory.devices.empty(),
       "memory: not applicable: the profile holds no allocations (profile_memory=True records "
       "them)");
  note(std::ranges::none_of(profile.modules.ranks, holds_rows),
       "modules: not applicable: the profile tells none (with_stack=True or with_modules=True "
       "records them)");
}

// Steps of which a damaged file held slices; `by_devices`: the verdict is of device activity still.
std::string LeftOutNote(const ReportInput& input, int64_t steps, bool by_devices) {
  std::string note = fmt::format(
      "{} {} left out of what is told of devices: a damaged file held some of what happened in "
      "{} (losses: segment_damaged)",
      steps == 1 ? "1 step" : fmt::format("{} steps", FormatCount(steps)),
      steps == 1 ? "is" : "are", steps == 1 ? "it" : "them");
  if (!by_devices) note += "; too few are left for a verdict by devices, and it is one by phases";
  // There the lost time stands among the rest.
  if (input.profile != nullptr && !input.profile_of_windows) {
    note =
        fmt::format("{}; devices, their roles and the critical path take that time for idle", note);
  }
  return note;
}

// `newest`: what of them needs a time without gaps is of, null: all of them.
std::string WindowsNote(size_t steps, const char* newest, bool by_devices) {
  std::string what =
      newest != nullptr
          ? fmt::format("kernels{} are of these; roles, devices and the critical path of the {}",
                        by_devices ? " and the verdict" : "", newest)
          : fmt::format(
                "roles, devices, kernels{} are of these",
                by_devices ? ", the critical path and the verdict" : " and the critical path");
  if (!by_devices) what += "; for a verdict by devices they are too few";
  return fmt::format("device activity is known of {} step{}, in windows of kernels: {}", steps,
                     steps == 1 ? "" : "s", what);
}

// A file that held rows of the table cannot be read: that there are none left says nothing of the
// run.
bool IsDamaged(const ReportInput& input, std::string_view table) {
  return std::ranges::any_of(input.losses, [&](const store::LossRow& loss) {
    return input.strings->Text(loss.table) == table &&
           input.strings->Text(loss.cause) == store::LossCause::kSegmentDamaged;
  });
}

std::vector<std::string> NotesOfRun(const ReportInput& input, const Report& report,
                                    bool by_devices) {
  std::vector<std::string> notes;
  if (input.profile == nullptr && (input.steps_left_out > 0 || !IsDamaged(input, "slices"))) {
    notes.push_back(fmt::format(
        "{}: {} are empty{}",
        input.steps_left_out > 0 ? "what was recorded of devices is in a damaged file"
                                 : "no device activity was recorded",
        EmptyParts(report),
        input.collectives == nullptr ? ", and collectives are not listed one by one" : ""));
  }
  if (input.profile != nullptr && !input.profile_of_windows) {
    NoteEmptySections(*report.profile, notes);
  }
  if (!report.phases.finalization_unknown.empty()) {
    notes.push_back("finalization is not known: " + report.phases.finalization_unknown);
  }
  if (!input.steps_marked) {
    notes.push_back(
        "the profile marks no steps: all that it holds is taken as one; call profiler.step() at "
        "the end of each step to have them");
  }
  if (input.profile != nullptr && input.profile_of_windows) {
    size_t steps = 0;
    for (const RankTrace& rank : input.profile->ranks) steps += rank.steps.size();
    // Lost stretches part windows as well.
    const char* newest = input.steps_left_out > 0 ? "newest stretch without loss" : "newest window";
    notes.push_back(
        WindowsNote(steps, input.profile->newest != nullptr ? newest : nullptr, by_devices));
  }
  if (input.collectives != nullptr && input.collectives_from_ns) {
    notes.push_back(fmt::format(
        "distributed: collectives from {} of the run on; those before were too many to hold",
        FormatDuration(*input.collectives_from_ns)));
  }
  if (input.counters.empty() && !IsDamaged(input, "counters")) {
    notes.push_back(input.metrics_outside.empty()
                        ? "system: no metric was collected"
                        : "system: no metric was collected in this stretch, only outside of it");
  }
  if (input.samples_within_ns) {
    notes.push_back(fmt::format(
        "samples: too few fall into these steps; stages are split and functions named by those of "
        "all steps within {} of them",
        FormatDuration(*input.samples_within_ns)));
  }
  for (const std::string& text : UnavailableMetrics(input)) {
    notes.push_back("not measured: " + text);
  }
  if (input.options.last_steps) {
    notes.push_back(
        fmt::format("of each rank the last {} steady steps alone", *input.options.last_steps));
  }
  return notes;
}

std::string WindowCostNote(const WindowCost& cost) {
  return fmt::format(
      "steps in windows of kernels take {}, those before {}: what CUPTI adds is taken off going "
      "from operator to operator, launching and synchronisation",
      FormatDuration(cost.steps_ns), FormatDuration(cost.before_ns));
}

void NoteGpus(const std::vector<model::Finding>& found, std::vector<std::string>& notes) {
  for (const model::Finding& one : found) notes.push_back(present::SentenceOf(one).text);
}

}  // namespace

std::vector<std::string> MakeNotes(const ReportInput& input, const Report& report,
                                   const NotesInput& found) {
  std::vector<std::string> notes = NotesOfRun(input, report, found.by_devices);
  if (found.left_out > 0) {
    notes.push_back(LeftOutNote(input, found.left_out, found.by_devices));
  }
  if (found.window_cost) notes.push_back(WindowCostNote(*found.window_cost));
  if (MayUseDevice(found.facts)) {
    NoteGpus(found.facts.gpus.Others(), notes);
    NoteGpus(found.facts.gpus.RanksTogether(), notes);
  }
  for (const std::string& reason : found.facts.cupti_stays) {
    notes.push_back("after a window of kernels " + reason);
  }
  for (const std::string& reason : found.facts.cupti_taken) {
    notes.push_back("a window has no kernels: " + reason);
  }
  return notes;
}

}  // namespace steptrace::analyze
