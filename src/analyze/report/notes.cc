// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/notes.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "analyze/input/advice_of_framework.h"
#include "analyze/input/unavailable_source.h"
#include "analyze/memory/copied_pages.h"
#include "analyze/memory/memory_limits.h"
#include "model/finding_kinds.h"
#include "store/loss_causes.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

using Notes = std::vector<model::Finding>;

bool HoldsModules(const Profile& profile) {
  return std::ranges::any_of(profile.modules.ranks,
                             [](const RankModules& rank) { return !rank.rows.empty(); });
}

// The parts that only a profile fills: windows may have filled some of them.
std::vector<finding::NoteNoDeviceActivity::Item> EmptyParts(const Report& report) {
  const Profile* windows = report.profile ? &*report.profile : nullptr;
  std::vector<finding::NoteNoDeviceActivity::Item> parts = {{.part = "roles"}, {.part = "devices"}};
  if (windows == nullptr || windows->operators.rows.empty()) {
    parts.push_back({.part = "operators"});
  }
  parts.push_back({.part = "kernels"});
  if (windows == nullptr || windows->memory.devices.empty()) parts.push_back({.part = "memory"});
  if (windows == nullptr || !HoldsModules(*windows)) parts.push_back({.part = "modules"});
  return parts;
}

// Sections of an imported profile that hold nothing, and what would fill them.
void NoteEmptySections(const Profile& profile, bool torch, Notes& notes) {
  if (profile.devices.devices.empty() && profile.kernels.rows.empty()) {
    notes.push_back(Make(finding::NoteProfileWithoutDevices{.torch = torch}));
  }
  if (profile.operators.rows.empty()) {
    notes.push_back(Make(finding::NoteProfileWithoutOperators{.torch = torch}));
  }
  if (profile.memory.devices.empty()) {
    notes.push_back(Make(finding::NoteProfileWithoutMemory{.torch = torch}));
  }
  if (!HoldsModules(profile)) {
    notes.push_back(Make(finding::NoteProfileWithoutModules{.torch = torch}));
  }
}

// Steps of which a damaged file held slices; `by_devices`: the verdict is of device activity still.
model::Finding LeftOutNote(const ReportInput& input, int64_t steps, bool by_devices) {
  // In a profile the lost time stands among the rest.
  const bool of_profile = input.profile && !input.profile_of_windows;
  return Make(finding::NoteStepsLeftOut{
      .steps = steps, .too_few = !by_devices, .counted_idle = of_profile});
}

// Of which steps device activity is known.
model::Finding WindowsNote(const ReportInput& input, bool by_devices) {
  size_t steps = 0;
  for (const RankTrace& rank : input.profile->ranks) steps += rank.steps.size();
  return Make(finding::NoteWindows{.steps = steps,
                                   .by_devices = by_devices,
                                   .newest = input.profile->newest != nullptr,
                                   // Lost time ranges part windows as well.
                                   .parted = input.steps_left_out > 0});
}

// A file that held rows of the table cannot be read: that there are none left says nothing of the
// run.
bool IsDamaged(const ReportInput& input, std::string_view table) {
  return std::ranges::any_of(input.losses, [&](const store::DataLossRow& loss) {
    return input.strings->Text(loss.table) == table &&
           input.strings->Text(loss.cause) == store::LossCause::kSegmentDamaged;
  });
}

void NoteUnavailable(const ReportInput& input, Notes& notes) {
  std::set<std::string_view> seen;
  for (const store::DataLossRow& row : input.losses) {
    if (input.strings->Text(row.cause) != store::LossCause::kUnavailable) continue;
    if (!seen.insert(row.detail).second) continue;
    const UnavailableSource what = UnavailableIn(row);
    notes.push_back(Make(finding::NoteNotMeasured{
        .source = what.source, .reason = what.reason, .remedy = what.remedy}));
  }
}

Notes NotesOfRun(const ReportInput& input, const Report& report, const NotesInput& found) {
  const bool torch = MayBeOf("pytorch", found.facts);
  Notes notes;
  const bool windows = input.profile && input.profile_of_windows;
  if (!input.profile && (input.steps_left_out > 0 || !IsDamaged(input, "slices"))) {
    notes.push_back(
        Make(finding::NoteNoDeviceActivity{.damaged = input.steps_left_out > 0,
                                           .listed = static_cast<bool>(input.collectives),
                                           .items = EmptyParts(report)}));
  }
  if (input.profile && !windows) NoteEmptySections(*report.profile, torch, notes);
  if (report.phases.finalization_unknown) notes.push_back(*report.phases.finalization_unknown);
  if (!input.steps_marked) notes.push_back(Make(finding::NoteNoStepMarks{.torch = torch}));
  if (windows) notes.push_back(WindowsNote(input, found.by_devices));
  if (input.collectives && input.collectives_from_ns) {
    notes.push_back(Make(finding::NoteCollectivesFrom{.time = *input.collectives_from_ns}));
  }
  if (input.counters.empty() && !IsDamaged(input, "counters")) {
    notes.push_back(Make(finding::NoteNoMetric{.outside = !input.metrics_outside.empty()}));
  }
  if (input.samples_within_ns) {
    notes.push_back(Make(finding::NoteSamplesAround{.time = *input.samples_within_ns}));
  }
  NoteUnavailable(input, notes);
  if (input.options.last_steps) {
    notes.push_back(Make(finding::NoteLastSteps{.steps = *input.options.last_steps}));
  }
  return notes;
}

void Append(const Notes& found, Notes& notes) {
  notes.insert(notes.end(), found.begin(), found.end());
}

}  // namespace

std::vector<model::Finding> MakeNotes(const ReportInput& input, const Report& report,
                                      const NotesInput& found) {
  Notes notes = NotesOfRun(input, report, found);
  if (found.left_out > 0) {
    notes.push_back(LeftOutNote(input, found.left_out, found.by_devices));
  }
  if (const auto& cost = found.window_cost) {
    notes.push_back(
        Make(finding::NoteWindowCost{.steps = cost->steps_ns, .before = cost->before_ns}));
  }
  if (MayUseDevice(found.facts)) {
    Append(found.facts.gpus.Others(), notes);
    Append(found.facts.gpus.RanksTogether(), notes);
  }
  Append(FindCopiedPages(input.counters, found.axes, input.run.rank_processes), notes);
  if (report.memory_limits) {
    for (const MemoryLimit& one : *report.memory_limits) {
      if (one.close()) notes.push_back(CloseLimitOf(one, input.run.nodes.size() > 1));
    }
  }
  for (const std::string& reason : found.facts.cupti_stays) {
    notes.push_back(Make(finding::NoteCuptiStays{.reason = reason}));
  }
  for (const std::string& reason : found.facts.cupti_taken) {
    notes.push_back(Make(finding::NoteCuptiTaken{.reason = reason}));
  }
  return notes;
}

}  // namespace steptrace::analyze
