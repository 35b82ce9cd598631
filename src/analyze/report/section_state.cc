// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/section_state.h"

#include <algorithm>
#include <utility>

#include "analyze/json/json_parts.h"
#include "analyze/memory/host_memory.h"
#include "analyze/report/make_run_card.h"
#include "analyze/report/shown_ranks.h"
#include "analyze/rules/profiling_report.h"
#include "analyze/tensors/tensors_section.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

using enum SectionStatus;

SectionState Because(SectionStatus status, SectionReason reason,
                     std::optional<model::Finding> said = std::nullopt) {
  return {status, reason, std::move(said)};
}

SectionState FoundIf(bool found, SectionStatus otherwise, SectionReason reason) {
  return found ? SectionState{} : Because(otherwise, reason);
}

// Lists, and what it means that there is nothing in one.
struct ListState {
  const char* name;
  SectionStatus when_empty;
  SectionReason reason;
};
constexpr ListState kLists[] = {
    {"breakdown", kNotFound, SectionReason::kNoSteps},
    {"roles", kNotApplicable, SectionReason::kNoDeviceActivity},
    {"devices", kNotApplicable, SectionReason::kNoDeviceActivity},
    {"device_phases", kNotApplicable, SectionReason::kNoDevicePhases},
    {"operators", kNotApplicable, SectionReason::kNoOperators},
    {"operator_totals", kNotApplicable, SectionReason::kNoOperators},
    {"kernels", kNotApplicable, SectionReason::kNoDeviceActivity},
    {"kernel_classes", kNotApplicable, SectionReason::kNoDeviceActivity},
    {"modules", kNotApplicable, SectionReason::kNoModules},
    {"system", kNotApplicable, SectionReason::kNoMetrics},
    {"memory_limits", kCannotTell, SectionReason::kNoMemoryLimits},
    {"findings", kNotFound, SectionReason::kNothingNoticed},
    {"data_loss", kNotFound, SectionReason::kNothingLost},
};

bool AnyTime(const Report& report) {
  return std::ranges::any_of(report.suspects, [](const SuspectRow& one) { return one.ns > 0; });
}

SectionState RulesState(const Report& report) {
  if (report.rules == nullptr || report.rules->empty()) {
    return Because(kNotApplicable, SectionReason::kNoRules);
  }
  return FoundIf(std::ranges::any_of(*report.rules,
                                     [](const RuleResult& rule) {
                                       return rule.status == RuleStatus::kIssuesFound;
                                     }),
                 kNotFound, SectionReason::kNoIssue);
}

SectionState RecommendationsState(const Report& report) {
  if (report.recommendations.empty()) {
    return Because(kNotApplicable, SectionReason::kNoDeviceActivity);
  }
  return FoundIf(std::ranges::any_of(report.recommendations,
                                     [](const Recommendation& one) {
                                       return one.status == RuleStatus::kIssuesFound;
                                     }),
                 kNotFound, SectionReason::kNoIssue);
}

SectionState DistributedState(const Report& report) {
  const ProfileDistributed* calls = report.profile ? &report.profile->distributed : nullptr;
  std::optional<model::Finding> note;
  if (calls != nullptr && !calls->notes.empty()) note = calls->notes.front();
  if (calls != nullptr && calls->tells_waiting() &&
      calls->status != DistributedStatus::kNoCollectives) {
    return {};
  }
  if (calls != nullptr && calls->status == DistributedStatus::kOneRank) {
    return Because(kCannotTell, SectionReason::kOneRank, note);
  }
  if (calls != nullptr && calls->status == DistributedStatus::kNothingMatched) {
    return Because(kCannotTell, SectionReason::kNothingMatched, note);
  }
  return FoundIf(report.distributed.applicable, kNotApplicable, SectionReason::kOneRank);
}

SectionState CriticalPathState(const Report& report) {
  if (!report.profile || report.profile->host_alone) {
    return Because(kNotApplicable, SectionReason::kNoDeviceActivity);
  }
  const CriticalPathSection& path = report.profile->critical_path;
  return FoundIf(path.applicable, kNotApplicable, SectionReason::kNoDeviceActivity);
}

SectionState ImportState(const Report& report) {
  if (report.card.imported_as.empty()) return Because(kNotApplicable, SectionReason::kNotImported);
  return FoundIf(!report.unrecognised.empty(), kNotFound, SectionReason::kAllRecognised);
}

// A section and how many rows it has: of several lists the main one.
struct Framed {
  const char* name;
  SectionState state;
  int64_t count;
  bool truncated = false;
};

template <class Rows>
int64_t CountOf(const Rows& rows) {
  return static_cast<int64_t>(rows.size());
}

int64_t RowsOf(const Json& section, const char* list) {
  const auto found = section.find(list);
  return found == section.end() ? 0 : CountOf(*found);
}

std::vector<Framed> ObjectsOf(const Report& report, const Json& json) {
  const bool steps = report.steps.count > 0;
  const auto phases =
      std::ranges::count_if(json["phases"], [](const Json& value) { return !value.is_null(); });
  const int64_t path_steps = RowsOf(json["critical_path"], "steps");
  const int64_t memory = RowsOf(json["memory"], "devices");
  const int64_t processes = report.host_memory ? report.host_memory->process_count : 0;
  const int64_t known = KnownParts(report.comparability);
  const bool card = !report.card.hosts.empty() || !report.card.frameworks.empty();
  return {
      {"failure",
       FoundIf(report.failure.what.has_value(), kNotApplicable, SectionReason::kNotFailed),
       report.failure.what ? 1 : 0},
      {"run_card", FoundIf(card, kCannotTell, SectionReason::kNoFacts), report.run.nodes,
       report.run.nodes > CountOf(report.card.hosts) && !report.card.hosts.empty()},
      {"comparability", FoundIf(known > 0, kCannotTell, SectionReason::kNoFacts), known},
      {"phases", FoundIf(phases > 0, kCannotTell, SectionReason::kNoSteps), phases},
      {"steps", FoundIf(steps, kNotFound, SectionReason::kNoSteps), report.steps.count,
       report.steps.outlier_count > CountOf(report.steps.outliers)},
      {"verdict", StateOf(report.verdict.status), CountOf(report.verdict.evidence)},
      {"throughput", FoundIf(report.throughput.any(), kCannotTell, SectionReason::kNoThroughput),
       CountOf(report.throughput.precisions)},
      {"data_pipeline",
       FoundIf(report.data_pipeline.applicable, kNotApplicable, SectionReason::kNoLoader),
       CountOf(report.data_pipeline.stages)},
      {"memory", FoundIf(memory > 0, kNotApplicable, SectionReason::kNoAllocations), memory},
      {"distributed", DistributedState(report), RowsOf(json["distributed"], "ranks")},
      {"critical_path", CriticalPathState(report), path_steps},
      {"tensors",
       FoundIf(report.tensors && report.tensors->any(), kNotApplicable, SectionReason::kNoTensors),
       report.tensors ? report.tensors->history_count : 0,
       report.tensors && report.tensors->history_count > CountOf(report.tensors->histories)},
      {"host_memory", FoundIf(processes > 0, kNotApplicable, SectionReason::kNoProcessMemory),
       processes, processes > RowsOf(json["host_memory"], "processes")},
      {"import", ImportState(report), CountOf(report.unrecognised), report.unrecognised_more},
  };
}

std::vector<Framed> ListsOf(const Report& report, const Json& json) {
  std::vector<Framed> lists = {
      {"suspects", FoundIf(AnyTime(report), kCannotTell, SectionReason::kNoSteps),
       CountOf(report.suspects)},
      {"stages", FoundIf(AnyTime(report), kCannotTell, SectionReason::kNoSteps),
       CountOf(report.stages)},
      {"recommendations", RecommendationsState(report), CountOf(report.recommendations)},
      {"rules", RulesState(report), CountOf(json["rules"])},
  };
  for (const ListState& list : kLists) {
    const int64_t count = CountOf(json[list.name]);
    lists.push_back({list.name, FoundIf(count > 0, list.when_empty, list.reason), count});
  }
  return lists;
}

// The agent's words are cut where they are read.
void CountFindings(const Report& report, Framed& one) {
  one.count = std::max(one.count, report.finding_count);
  one.truncated = one.count > CountOf(report.findings);
}

void Frame(const Framed& one, bool cut, Json& section) {
  Json framed = StateJson(one.state);
  framed["count"] = one.count;
  framed["truncated"] = one.truncated || cut;
  if (section.is_array()) {
    framed["rows"] = std::move(section);
  } else {
    for (auto& [name, value] : section.items()) framed[name] = std::move(value);
  }
  section = std::move(framed);
}

}  // namespace

Json StateJson(const SectionState& state) {
  Json json = {{"status", NameOf(state.status)}, {"reason", nullptr}};
  if (state.reason) {
    const SectionReasonInfo& info = InfoOf(*state.reason);
    json["reason"] = {
        {"id", info.id},
        {"text", state.said ? present::SentenceOf(*state.said).text : std::string(info.text)}};
  }
  return json;
}

SectionState StateOf(VerdictStatus status) {
  switch (status) {
    case VerdictStatus::kFound:
      return {};
    case VerdictStatus::kNoSingleSuspect:
      return Because(kNotFound, SectionReason::kNoSingleSuspect);
    case VerdictStatus::kTooFewSteps:
      return Because(kCannotTell, SectionReason::kTooFewSteps);
    case VerdictStatus::kNoTraining:
      return Because(kCannotTell, SectionReason::kNoTraining);
    case VerdictStatus::kNoSteps:
      break;
  }
  return Because(kCannotTell, SectionReason::kNoSteps);
}

void FrameSections(const Report& report, Json& json) {
  std::vector<Framed> sections = ObjectsOf(report, json);
  for (Framed& one : ListsOf(report, json)) sections.push_back(std::move(one));
  const ShownRanks shown(json);
  for (Framed& one : sections) {
    Json& section = json[one.name];
    if (std::string_view(one.name) == "findings") CountFindings(report, one);
    Frame(one, shown.Keep(one.name, section), section);
  }
}

}  // namespace steptrace::analyze
