// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/report_json.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "analyze/json/cut_texts.h"
#include "analyze/json/json_parts.h"
#include "analyze/json/sentence_json.h"
#include "analyze/memory/host_memory.h"
#include "analyze/memory/memory_limits.h"
#include "analyze/report/run_json.h"
#include "analyze/report/section_state.h"
#include "analyze/report/sections.h"
#include "analyze/rules/profiling_report.h"
#include "analyze/tensors/tensors_json.h"
#include "base/inert_text.h"
#include "base/shallow_json.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

Json PhasesJson(const PhasesSection& phases) {
  return {{"initialization_ns", OrNull(phases.initialization_ns)},
          {"training_ns", OrNull(phases.training_ns)},
          {"finalization_ns", OrNull(phases.finalization_ns)}};
}

Json OutlierJson(const Outlier& outlier) {
  return {{"rank", outlier.rank},     {"step", outlier.step},   {"ts_ns", outlier.ts_ns},
          {"dur_ns", outlier.dur_ns}, {"cause", outlier.cause}, {"excess_ns", outlier.excess_ns}};
}

Json StepsJson(const StepsSection& steps) {
  Json duration = nullptr;
  if (const auto& d = steps.duration_ns) {
    duration = {{"mean", d->mean}, {"min", d->min}, {"p50", d->p50}, {"p90", d->p90},
                {"p95", d->p95},   {"p99", d->p99}, {"max", d->max}};
  }
  return {{"count", steps.count},
          {"steady", steps.steady},
          {"warm_up", steps.warm_up},
          {"eval", steps.eval},
          {"marked", steps.marked},
          {"duration_ns", std::move(duration)},
          {"steps_per_s", OrNull(steps.steps_per_s)},
          {"outlier_count", steps.outlier_count},
          {"outliers", Each(steps.outliers, OutlierJson)}};
}

Json SavingJson(const Verdict& verdict) {
  if (!verdict.at_most_saving_ns) return nullptr;
  Json saving = {{"ns", *verdict.at_most_saving_ns}};
  if (verdict.at_most_saving_money) saving["money"] = *verdict.at_most_saving_money;
  return saving;
}

Json FunctionJson(const StageFunction& one) {
  return {{"function", one.function},
          {"file", one.file},
          {"line", one.line > 0 ? Json(one.line) : Json()},
          {"call", TextOrNull(one.call)},
          {"ns", one.ns},
          {"share", one.share}};
}

Json WholeRunJson(const std::optional<RunVerdict>& run) {
  if (!run) return nullptr;
  const Json said = FindingOrNullJson(run->headline);
  Json json = {{"steady", run->steady}};
  json.update(StateJson(StateOf(run->status)));
  json.update(Json({{"suspect", run->suspect},
                    {"headline", said["text"]},
                    {"figures", said["figures"]},
                    {"kind", said["kind"]},
                    {"values", said["values"]},
                    {"share", run->share},
                    {"share_low", run->share_low},
                    {"share_high", run->share_high}}));
  return json;
}

Json VerdictJson(const Verdict& verdict) {
  const Json said = FindingOrNullJson(verdict.headline);
  return {{"suspect", verdict.suspect},
          {"sub_stage", verdict.sub_stage},
          {"headline", said["text"]},
          {"figures", said["figures"]},
          {"id", said["id"]},
          {"kind", said["kind"]},
          {"subject", said["subject"]},
          {"values", said["values"]},
          {"healthy", verdict.healthy},
          {"share", verdict.share},
          {"share_low", verdict.share_low},
          {"share_high", verdict.share_high},
          {"at_most_speedup", OrNull(verdict.at_most_speedup)},
          {"at_most_saving", SavingJson(verdict)},
          {"straggler_rank", OrNull(verdict.straggler_rank)},
          {"straggler_cause", verdict.straggler_cause ? NameOf(*verdict.straggler_cause) : ""},
          {"function", verdict.function ? FunctionJson(*verdict.function) : Json()},
          {"evidence", Each(verdict.evidence, EvidenceJson)},
          {"rules", Each(verdict.rules,
                         [](const AgreeingRule& rule) -> Json {
                           Json json = {{"name", rule.name}};
                           json.update(FindingJson(rule.first));
                           return json;
                         })},
          {"advice", Each(verdict.advice,
                          [](const Advice& advice) -> Json {
                            Json json = FindingJson(advice.what);
                            json["setting"] = advice.setting;
                            json["current"] = advice.current;
                            json["proposed"] = advice.proposed;
                            return json;
                          })},
          {"whole_run", WholeRunJson(verdict.whole_run)}};
}

Json SuspectJson(const SuspectRow& suspect) {
  return {{"name", suspect.name}, {"ns", suspect.ns}, {"share", suspect.share}};
}

Json SuspectOfStepsJson(const SuspectRow& suspect) {
  Json json = SuspectJson(suspect);
  json["share_low"] = suspect.share_low.value_or(suspect.share);
  json["share_high"] = suspect.share_high.value_or(suspect.share);
  return json;
}

Json StageJson(const StageRow& row) {
  return {{"suspect", row.suspect},
          {"name", row.name},
          {"ns", row.ns},
          {"share", row.share},
          {"share_low", row.share_low},
          {"share_high", row.share_high},
          {"samples", row.samples},
          {"functions", Each(row.functions, FunctionJson)}};
}

Json DataStageJson(const StageRow& row) {
  Json json = StageJson(row);
  json.erase("suspect");
  return json;
}

Json BreakdownJson(const BreakdownRow& row) {
  return {{"rank", row.rank},
          {"step_kind", row.step_kind},
          {"phase", row.phase},
          {"ns", row.ns},
          {"share", row.share}};
}

// The fact is JSON that a watched process made: what does not parse is shown as text.
Json LoaderJson(const LoaderSection& loader) {
  Json fact = ParseShallow<Json>(loader.json);
  if (fact.is_discarded()) fact = loader.json;
  return {{"rank", loader.rank}, {"pid", loader.pid}, {"fact", std::move(fact)}};
}

Json DataPipelineJson(const DataPipelineSection& section) {
  return {{"workers", OrNull(section.workers)},
          {"waits", section.waits},
          {"starved_waits", section.starved_waits},
          {"stages", Each(section.stages, DataStageJson)},
          {"loaders", Each(section.loaders, LoaderJson)}};
}

Json RankJson(const RankSection& rank) {
  return {{"rank", rank.rank},
          {"steps", rank.steps},
          {"mean_step_ns", rank.mean_step_ns},
          {"suspects", Each(rank.suspects, SuspectJson)},
          {"computation_ns", rank.computation_ns},
          {"overlap_ns", rank.overlap_ns},
          {"exposed_ns", rank.exposed_ns},
          {"transfer_ns", rank.transfer_ns},
          {"wait_ns", rank.wait_ns}};
}

// Of all ranks, whether or not they stand in the list.
Json WaitJson(const DistributedSection& section) {
  if (!section.applicable) return nullptr;
  return std::accumulate(section.ranks.begin(), section.ranks.end(), int64_t{0},
                         [](int64_t sum, const RankSection& rank) { return sum + rank.wait_ns; });
}

Json DistributedJson(const DistributedSection& section) {
  return {
      {"ranks", Each(section.ranks, RankJson)},
      {"wait_ns", WaitJson(section)},
      {"collectives", Json::array()},
      {"blame", Each(section.blame, [](const BlameRow& row) -> Json {
         return {{"rank", row.rank}, {"caused_wait_ns", row.caused_wait_ns}, {"cause", row.cause}};
       })}};
}

Json RecommendationJson(const Recommendation& one) {
  const Json said = FindingOrNullJson(one.text), advice = FindingOrNullJson(one.advice);
  return {{"name", one.name},
          {"source", one.source},
          {"status", NameOf(one.status)},
          {"value", OrNull(one.value)},
          {"threshold", one.threshold},
          {"at_most_share", OrNull(one.at_most_share)},
          {"at_most_ns", OrNull(one.at_most_ns)},
          {"text", said["text"]},
          {"figures", said["figures"]},
          {"id", said["id"]},
          {"kind", said["kind"]},
          {"subject", said["subject"]},
          {"values", said["values"]},
          {"evidence", Each(one.evidence, [](const auto& shown) { return FindingJson(shown); })},
          {"advice", advice["text"]},
          {"advice_kind", advice["kind"]}};
}

Json SystemJson(const SystemRow& row) {
  return {{"node", row.node},       {"device", OrNull(row.device)},
          {"metric", row.metric},   {"unit", row.unit},
          {"max", row.max},         {"p99", row.p99},
          {"p95", row.p95},         {"p50", row.p50},
          {"min", row.min},         {"mean", row.mean},
          {"samples", row.samples}, {"sparkline", row.sparkline}};
}

Json MemoryJson(const Report& report) {
  const HostMemorySection none;
  const HostMemorySection& section = report.host_memory ? *report.host_memory : none;
  Json json = HostMemoryJson(section);
  json["kinds"] = MemoryKindsJson(section.kinds);
  return json;
}

Json LimitsJson(const Report& report) {
  return report.memory_limits ? MemoryLimitsJson(*report.memory_limits) : Json::array();
}

Json DevicePhaseJson(const DevicePhaseRow& row) {
  Json phases = Json::array();
  for (size_t i = 0; i < kDevicePhaseCount; ++i) {
    phases.push_back({{"name", kDevicePhaseNames[i]}, {"ns", row.ns[i]}, {"share", row.share[i]}});
  }
  return {{"rank", row.rank},
          {"steps", row.steps},
          {"step_ns", row.step_ns},
          {"phases", phases},
          {"unknown_ns", row.unknown_ns},
          {"idle_at_end_share", OrNull(row.caught_up_share)}};
}

Json LossJson(const LossLine& loss) {
  const Json said = FindingOrNullJson(loss.said);
  return {{"table", loss.table},         {"cause", loss.cause},
          {"count", loss.count},         {"from_ns", OrNull(loss.from_ns)},
          {"to_ns", OrNull(loss.to_ns)}, {"detail", loss.said ? said["text"] : Json(loss.detail)},
          {"finding", said["kind"]},     {"values", said["values"]}};
}

Json TopicJson(model::Topic topic) {
  if (topic == model::Topic::kNone) return nullptr;
  return model::kTopics[static_cast<size_t>(topic)].name;
}

Json LineJson(const FindingLine& finding, bool standing) {
  const Json said = FindingJson(finding.said);
  return {{"ts_ns", finding.ts_ns},     {"severity", store::NameOf(finding.severity)},
          {"kind", finding.kind},       {"topic", TopicJson(TopicOf(finding))},
          {"about", finding.subject},   {"text", said["text"]},
          {"figures", said["figures"]}, {"id", said["id"]},
          {"finding", said["kind"]},    {"subject", said["subject"]},
          {"values", said["values"]},   {"standing", standing}};
}

// With what the rules about them found: lines of `findings`.
Json TensorsWithFindings(const Report& report) {
  Json json = TensorsJson(report.tensors ? *report.tensors : TensorsSection());
  const std::vector<bool> standing = StandingFindings(report.findings);
  Json found = Json::array();
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const FindingLine& one = report.findings[i];
    if (TopicOf(one) == model::Topic::kTensor) found.push_back(LineJson(one, standing[i]));
  }
  json["findings"] = std::move(found);
  return json;
}

Json RulesJson(const Report& report) {
  return report.rules == nullptr ? Json::array() : Each(*report.rules, RuleJson);
}

constexpr std::array kDevices = {"devices", "device_phases", "roles"};
constexpr std::array kOperators = {"operators", "operator_totals"};
constexpr std::array kKernels = {"kernels", "kernel_classes", "operator_totals"};
constexpr std::array kMemory = {"memory", "host_memory", "memory_limits"};
constexpr std::array kModules = {"modules"};
constexpr std::array kDistributed = {"distributed"};
constexpr std::array kCriticalPath = {"critical_path"};
constexpr std::array kTensors = {"tensors"};
constexpr std::array kRules = {"rules"};
constexpr std::array kRecommendations = {"recommendations"};
constexpr std::array<SectionName, 10> kSections = {{
    {"devices", kDevices},
    {"operators", kOperators},
    {"kernels", kKernels},
    {"memory", kMemory},
    {"modules", kModules},
    {"distributed", kDistributed},
    {"critical-path", kCriticalPath},
    {"tensors", kTensors},
    {"rules", kRules},
    {"recommendations", kRecommendations},
}};

std::string Dump(Json json, size_t most_text_bytes) {
  if (most_text_bytes != kWholeTexts) CutTexts(json, most_text_bytes);
  return InertJson(json.dump(2, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace)) +
         "\n";
}

// What a row is about: the rows of one rank or device are a table of their own.
Json OwnerOf(const Json& row) {
  const auto member = [&row](const char* name) {
    return row.is_object() && row.contains(name) ? row[name] : Json();
  };
  return Json::array({member("rank"), member("device")});
}

bool KeepTop(Json& member, std::string_view name, size_t top);

// A list of ranks or devices keeps its first ones; any other list the first rows of each. Whether
// any was left out.
bool KeepFirstRows(Json& rows, std::string_view name, size_t top) {
  constexpr std::array kListsOfOwners = {"devices", "ranks", "blame", "operator_totals"};
  const bool of_owners =
      std::find(kListsOfOwners.begin(), kListsOfOwners.end(), name) != kListsOfOwners.end();
  std::map<Json, size_t> kept;
  bool cut = std::erase_if(rows.get_ref<Json::array_t&>(), [&](const Json& row) {
               return kept[of_owners ? Json() : OwnerOf(row)]++ >= top;
             }) > 0;
  for (Json& row : rows) {
    if (row.is_object()) cut = KeepTop(row, name, top) || cut;
  }
  return cut;
}

// Half of a curve misleads, a sentence has all of its figures, and a spread is of all ranks.
bool StaysWhole(std::string_view list) {
  return list == "curve" || list == "figures" || list == "spread";
}

// Lists of rows: those of the section, or members of a row.
bool KeepTop(Json& member, std::string_view name, size_t top) {
  bool cut = false;
  for (auto& [part_name, part] : member.items()) {
    const bool rows = part.is_array() && !part.empty() && part.front().is_object();
    const std::string_view list = part_name == "rows" ? name : std::string_view(part_name);
    if (rows && !StaysWhole(part_name)) cut = KeepFirstRows(part, list, top) || cut;
    if (part_name == "leaks") cut = KeepTop(part, part_name, top) || cut;
  }
  return cut;
}

Json WholeJson(const Report& report) {
  const auto kind = [](const UnrecognisedKind& one) -> Json {
    return {{"kind", one.category}, {"count", one.events}};
  };
  Json json = {{"schema", kReportSchema},
               {"run", RunJson(report.run)},
               {"failure", FailureJson(report.failure)},
               {"run_card", CardJson(report.run, report.card)},
               {"comparability", ComparabilityJson(report.comparability)},
               {"phases", PhasesJson(report.phases)},
               {"steps", StepsJson(report.steps)},
               {"verdict", VerdictJson(report.verdict)},
               {"throughput", ThroughputJson(report.throughput)},
               {"suspects", Each(report.suspects, SuspectOfStepsJson)},
               {"stages", Each(report.stages, StageJson)},
               {"breakdown", Each(report.breakdown, BreakdownJson)},
               {"data_pipeline", DataPipelineJson(report.data_pipeline)},
               {"roles", Json::array()},
               {"devices", Json::array()},
               {"device_phases", Each(report.device_phases, DevicePhaseJson)},
               {"operators", Json::array()},
               {"operator_totals", Json::array()},
               {"kernels", Json::array()},
               {"kernel_classes", Json::array()},
               {"memory", Json::object()},
               {"modules", Json::array()},
               {"distributed", DistributedJson(report.distributed)},
               {"critical_path", Json::object()},
               {"tensors", TensorsWithFindings(report)},
               {"recommendations", Each(report.recommendations, RecommendationJson)},
               {"system", Each(report.system, SystemJson)},
               {"host_memory", MemoryJson(report)},
               {"memory_limits", LimitsJson(report)},
               {"rules", RulesJson(report)},
               {"findings", FindingsJson(report.findings)},
               {"data_loss", Each(report.data_loss, LossJson)},
               {"import", {{"unrecognised", Each(report.unrecognised, kind)}}},
               {"notes", Each(report.notes, FindingJson)}};
  if (report.profile) AddProfileJson(*report.profile, json);
  FrameSections(report, json);
  return json;
}

}  // namespace

nlohmann::ordered_json ComparabilityJson(const Comparability& one) {
  const Json hardware = {
      {"hosts", one.hosts}, {"cpus", OrNull(one.cpus)}, {"devices", one.devices}};
  return {{"hardware", hardware},
          {"world_size", OrNull(one.world_size)},
          {"batch_size", OrNull(one.batch_size)},
          {"precision", TextOrNull(one.precision)},
          {"versions", SettingsJson(one.versions, "version")},
          {"throttling", {{"cpu", OrNull(one.cpu_throttled)}, {"gpu", OrNull(one.gpu_throttled)}}},
          {"settings", SettingsJson(one.settings, "value")}};
}

nlohmann::ordered_json FindingsJson(const std::vector<FindingLine>& findings) {
  const std::vector<bool> standing = StandingFindings(findings);
  Json list = Json::array();
  for (size_t i = 0; i < findings.size(); ++i) list.push_back(LineJson(findings[i], standing[i]));
  return list;
}

std::string ReportToJson(const Report& report, size_t most_text_bytes) {
  return Dump(WholeJson(report), most_text_bytes);
}

std::optional<std::string> FindText(const Report& report, uint64_t id) {
  return FindText(WholeJson(report), id);
}

std::span<const SectionName> SectionNames() {
  return kSections;
}

const SectionName* FindSection(std::string_view name) {
  const auto found = std::find_if(kSections.begin(), kSections.end(),
                                  [name](const SectionName& one) { return one.name == name; });
  return found == kSections.end() ? nullptr : &*found;
}

std::string SectionToJson(const Report& report, const SectionName& section,
                          std::optional<int64_t> top, size_t most_text_bytes) {
  Json whole = WholeJson(report);
  Json json = {{"schema", whole["schema"]}, {"run", whole["run"]}};
  for (const char* name : section.members) {
    json[name] = std::move(whole[name]);
    if (top && KeepTop(json[name], name, static_cast<size_t>(*top))) json[name]["truncated"] = true;
  }
  json["notes"] = std::move(whole["notes"]);
  return Dump(std::move(json), most_text_bytes);
}

}  // namespace steptrace::analyze
