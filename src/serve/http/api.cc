// SPDX-License-Identifier: Apache-2.0
#include "serve/http/api.h"

#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

#include "analyze/cost/cost.h"
#include "analyze/json/cut_texts.h"
#include "analyze/report/report_json.h"
#include "analyze/rules/profiling_report.h"
#include "base/inert_text.h"
#include "base/time.h"
#include "serve/http/downloads.h"
#include "serve/http/row_answers.h"
#include "serve/rpc/compare.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/run_size.h"

namespace steptrace::http {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMaxTop = 1'000'000;
constexpr int64_t kMaxCapturedSteps = 10'000;
constexpr int64_t kCapturedSteps = 10;
constexpr size_t kMaxTracks = 65'536;  // of a search or a sum; a view has a limit of its own
constexpr size_t kMaxReports = 4;      // each as large as what a profile tells
constexpr size_t kMaxTimelines = 8;
constexpr uint64_t kMaxListedReportBytes = 64 << 20;
// A mapped index that is read counts as memory until it is let go of. It has a budget of its own
// (timeline/page_budget.h); beyond this a report or a table has the room.
constexpr int64_t kMostResidentBytes = int64_t{384} << 20;
constexpr int64_t kMemoryCheckNs = 50 * kNsPerMs;
// Whether a run grew is asked once a second; making its index anew may take a twentieth of the
// time.
constexpr int64_t kCheckNs = kNsPerSecond;
constexpr int64_t kRestPerBuild = 20;
// A run that adds nothing for so long is said to have stopped.
constexpr int64_t kStoppedNs = 10 * kNsPerSecond;

constexpr std::string_view kJsonType = "application/json";

Answer Ok(std::string body, std::string_view type = kJsonType) {
  Answer answer;
  answer.body = type == kJsonType ? InertJson(std::move(body)) : std::move(body);
  answer.type = type;
  return answer;
}

Answer FromResult(Result<std::string> result, std::string_view type = kJsonType) {
  if (!result.ok()) return Refuse(500, result.error());
  return Ok(*std::move(result), type);
}

Answer NoSuchSection() {
  std::string names;
  for (const analyze::SectionName& section : analyze::SectionNames()) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", section.name);
  }
  return Refuse(404, {"section: no section has this name", fmt::format("they are {}", names)});
}

Answer NoSuchText() {
  return Refuse(404,
                {"text: no text has this number", "the marks of cut texts in a report hold it"});
}

Answer NoSuchSlice() {
  return Refuse(404, {"slice: no slice has this number", "timeline/view and search give them"});
}

Answer NoSuchPath() {
  return Refuse(404, {"path: no such", "docs/reference/http.md lists them"});
}

int64_t ResidentBytes() {
  long pages = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%*s %ld", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return pages * ::sysconf(_SC_PAGESIZE);
}

rpc::TimelineRange RangeOf(Parameters& parameters, size_t most_tracks) {
  const auto [from_ns, to_ns] = parameters.TimeRange();
  return {from_ns, to_ns, parameters.Numbers("tracks", most_tracks)};
}

}  // namespace

Api::Api(ApiOptions options)
    : options_(std::move(options)),
      catalog_(
          options_.folder, options_.only, [this] { return TakeMemory(); }, rpc::kMostUntold,
          [this](const Run& run) { return ReportText(run); }) {}

void Api::Stop() {
  if (options_.helper) options_.helper->Stop();
}

bool Api::IsHeavy(const Request& request) {
  const auto endpoint = EndpointOf(SplitPath(request.path));
  return endpoint && InfoOf(*endpoint).heavy;
}

bool Api::IsForHelper(Endpoint endpoint, const Run& run, const std::string& part) const {
  if (!options_.helper || !InfoOf(endpoint).heavy || InfoOf(endpoint).changes) return false;
  if (rpc::IsLargeRun(run)) return true;
  if (endpoint != Endpoint::kCompare) return false;
  const auto other = catalog_.Find(part);
  return other && rpc::IsLargeRun(*other);
}

Result<std::string> Api::ReportText(const Run& run) {
  const bool large = rpc::IsLargeRun(run);
  if (!options_.helper || !large) {
    // For a small one the list has taken it.
    const auto heavy = large ? TakeMemory() : std::unique_lock<std::mutex>();
    STEPTRACE_ASSIGN_OR_RETURN(const analyze::Report report, rpc::LoadReport(run, {}));
    return analyze::ReportToJson(report);
  }
  Request request;
  const std::string id = run.filename();
  if (!ParseTarget("/api/runs/" + Encode(id) + "/report", &request)) return Error{id};
  Answer answer = options_.helper->Forward(request);
  // It passes: the list asks again.
  if (answer.status == 503) throw std::runtime_error(id + ": its report had to wait");
  if (answer.status != 200) return Error{id + ": its report cannot be made", "open the run"};
  if (answer.file && (answer.file->bytes > kMaxListedReportBytes ||
                      !ReadFileAt(*answer.file, 0, answer.file->bytes, &answer.body))) {
    return Error{id + ": its report is too large for a list", "open the run"};
  }
  return std::move(answer.body);
}

Answer Api::Handle(const Request& request) {
  const std::vector<std::string> parts = SplitPath(request.path);
  const auto endpoint = EndpointOf(parts);
  if (!endpoint || InfoOf(*endpoint).answer == AnswerKind::kEvents) return NoSuchPath();
  if (*endpoint == Endpoint::kServer) return About();
  if (*endpoint == Endpoint::kRuns) return FromResult(catalog_.ListJson(options_.cost));
  const auto run = catalog_.Find(parts[2]);
  if (!run) return NoSuchRun();
  if (IsForHelper(*endpoint, *run, parts.back())) return options_.helper->Forward(request);
  Parameters parameters(request);
  if (*endpoint == Endpoint::kCapture) return Capture(*run, parameters, request.gone);
  Answer answer = ForRun(*endpoint, *run, parts.back(), parameters);
  if (InfoOf(*endpoint).heavy) ::malloc_trim(0);  // what it took is not kept for the next one
  return answer;
}

Answer Api::About() const {
  const Json json = {{"version", options_.version},
                     {"folder", options_.folder.string()},
                     {"run", options_.only ? Json(*options_.only) : Json()},
                     {"editor_url", options_.editor_url}};
  return Ok(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Answer Api::ForRun(Endpoint endpoint, const Run& run, const std::string& part,
                   Parameters& parameters) {
  switch (endpoint) {
    case Endpoint::kReport:
      return Report(run, parameters);
    case Endpoint::kSection:
      return Section(run, part, parameters);
    case Endpoint::kText:
      return WholeText(run, part);
    case Endpoint::kRules:
      return Rules(run, parameters);
    case Endpoint::kCompare:
      return Compare(run, part);
    case Endpoint::kTable:
      return Alone([&] { return TableAnswer(run, part, parameters); });
    case Endpoint::kSeries:
      return Series(run, parameters);
    case Endpoint::kSamples:
      return Alone([&] { return SamplesAnswer(run, parameters); });
    case Endpoint::kTensors:
      return Alone([&] { return TensorsAnswer(run, parameters); });
    case Endpoint::kTensorsHistogram:
      return Alone([&] { return TensorHistogramAnswer(run, parameters); });
    case Endpoint::kHtml:
      return Html(run);
    case Endpoint::kExport:
      return Alone([&] { return ExportAs(part, run, parameters); });
    case Endpoint::kTimelineTree:
    case Endpoint::kTimelineView:
    case Endpoint::kTimelineSlice:
    case Endpoint::kTimelineFlows:
    case Endpoint::kTimelineSearch:
    case Endpoint::kTimelineStatistics:
      return Timeline(endpoint, run, part, parameters);
    case Endpoint::kServer:
    case Endpoint::kRuns:
    case Endpoint::kEvents:
    case Endpoint::kRunEvents:
    case Endpoint::kCapture:
      break;  // of no run, a stream that its connection tells, or answered before
  }
  return NoSuchPath();
}

Result<std::shared_ptr<const analyze::Report>> Api::ReportOf(const Run& run,
                                                             std::optional<int64_t> from_ns,
                                                             std::optional<int64_t> to_ns) {
  STEPTRACE_ASSIGN_OR_RETURN(const auto stamp, rpc::ProgressStamp(run));
  const std::string key = fmt::format("{} {} {}", run.filename().string(),
                                      from_ns.value_or(INT64_MIN), to_ns.value_or(INT64_MAX));
  // Under `heavy_`, so that of several who ask at once one makes it and the others find it.
  const auto heavy = TakeMemory();
  {
    std::lock_guard lock(mutex_);
    const auto found = reports_.find(key);
    if (found != reports_.end() && found->second.stamp == stamp) return found->second.report;
  }
  rpc::ReportRequest options;
  options.price_per_hour = options_.cost.price_per_hour;
  options.tensor_cores = options_.tensor_cores;
  options.stages = options_.stages;
  options.from_ns = from_ns;
  options.to_ns = to_ns;
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report, rpc::LoadReport(run, options));
  auto kept = std::make_shared<const analyze::Report>(std::move(report));
  std::lock_guard lock(mutex_);
  if (reports_.size() >= kMaxReports) reports_.clear();
  reports_[key] = {stamp, kept};
  return kept;
}

Answer Api::Report(const Run& run, Parameters& parameters) {
  const auto [from_ns, to_ns] = parameters.TimeRange();
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  const auto report = ReportOf(run, from_ns, to_ns);
  if (!report.ok()) return Refuse(500, report.error());
  return Ok(analyze::ReportToJson(**report, analyze::kMaxPageTextBytes));
}

Answer Api::Html(const Run& run) {
  const auto report = ReportOf(run, std::nullopt, std::nullopt);
  if (!report.ok()) return Refuse(500, report.error());
  const auto heavy = TakeMemory();
  return HtmlReport(run, **report, options_.pages);
}

Answer Api::Capture(const Run& run, Parameters& parameters, const std::stop_token& gone) const {
  const auto steps = parameters.Integer("steps", 1, kMaxCapturedSteps);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (!options_.capture) return NoSuchPath();
  const auto captured = options_.capture({run, steps.value_or(kCapturedSteps),
                                          parameters.Text("capture").value_or("operators"), gone});
  if (!captured.ok()) return Refuse(409, captured.error());
  const Json json = {
      {"from_ns", captured->from_ns}, {"to_ns", captured->to_ns}, {"steps", captured->steps}};
  return Ok(json.dump());
}

Answer Api::Section(const Run& run, const std::string& name, Parameters& parameters) {
  if (name == "rules") return Rules(run, parameters);
  const analyze::SectionName* section = analyze::FindSection(name);
  if (section == nullptr) return NoSuchSection();
  const auto top = parameters.Integer("top", 1, kMaxTop);
  const auto [from_ns, to_ns] = parameters.TimeRange();
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  const auto report = ReportOf(run, from_ns, to_ns);
  if (!report.ok()) return Refuse(500, report.error());
  return Ok(analyze::SectionToJson(**report, *section, top, analyze::kMaxPageTextBytes));
}

Answer Api::WholeText(const Run& run, const std::string& number) {
  uint64_t id = 0;
  const char* end = number.data() + number.size();
  const auto [stop, failed] = std::from_chars(number.data(), end, id, 16);
  if (failed != std::errc() || stop != end) return NoSuchText();
  const auto report = ReportOf(run, std::nullopt, std::nullopt);
  if (!report.ok()) return Refuse(500, report.error());
  auto text = analyze::FindText(**report, id);
  if (!text) return NoSuchText();
  return Ok(Json{{"text", *std::move(text)}}.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Answer Api::Rules(const Run& run, Parameters& parameters) {
  const auto mode = analyze::ParseRuleMode(parameters.Text("mode").value_or("modern"));
  if (!mode.ok()) return Refuse(400, mode.error());
  analyze::RuleSettings settings(*mode);
  for (const std::string& set : parameters.Texts("set")) {
    const Status status = settings.Set(set);
    if (!status.ok()) return Refuse(400, status.error());
  }
  const auto [from_ns, to_ns] = parameters.TimeRange();
  const rpc::TimeBounds time_range = {from_ns, to_ns};
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  rpc::CostRequest cost = options_.cost;
  std::shared_ptr<const analyze::Report> billed;  // as /report has it, which is kept
  if (cost.has_price()) {
    if (auto report = ReportOf(run, from_ns, to_ns); report.ok()) billed = *std::move(report);
  }
  cost.tensor_cores = options_.tensor_cores;
  cost.stages = options_.stages;
  const auto heavy = TakeMemory();
  const auto answer = rpc::LoadRules(run, settings, cost, time_range, billed.get());
  if (!answer.ok()) return Refuse(500, answer.error());
  Json json = analyze::ProfilingReportJson(answer->report);
  json["cost"] = analyze::CostJson(answer->cost);
  analyze::CutTexts(json, analyze::kMaxPageTextBytes);
  return Ok(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

Answer Api::Compare(const Run& run, const std::string& other) {
  const auto second = catalog_.Find(other);
  if (!second) return NoSuchRun();
  const auto heavy = TakeMemory();
  rpc::ReportRequest options;
  options.stages = options_.stages;
  return FromResult(rpc::CompareJson(run, *second, options));
}

Answer Api::Series(const Run& run, Parameters& parameters) {
  rpc::SeriesQuery query;
  query.metrics = parameters.Texts("metric");
  const auto node = parameters.Integer("node", INT32_MIN, INT32_MAX);
  if (node) query.node = static_cast<int32_t>(*node);
  std::tie(query.from_ns, query.to_ns) = parameters.TimeRange();
  query.points = parameters.Integer("points", 1, rpc::kMaxPoints).value_or(query.points);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  const auto timeline = TimelineOf(run);
  if (!timeline.ok()) return Refuse(500, timeline.error());
  auto series = rpc::SeriesArrow(**timeline, query);
  if (!series.ok()) {
    const bool too_large = series.error().kind == Error::Kind::kTooLarge;
    return Refuse(too_large ? 413 : 500, series.error());
  }
  return Ok(*std::move(series), kArrowType);
}

Answer Api::Timeline(Endpoint endpoint, const Run& run, const std::string& part,
                     Parameters& parameters) {
  const rpc::TimelineRange range =
      RangeOf(parameters, endpoint == Endpoint::kTimelineView ? rpc::kMaxViewTracks : kMaxTracks);
  const auto width = parameters.Integer("width", 1, rpc::kMaxPixels);
  const bool searches = endpoint == Endpoint::kTimelineSearch;
  const auto limit = parameters.Integer("limit", 0, searches ? rpc::kMaxMatches : rpc::kMaxFlows);
  const auto slice = parameters.Integer("slice", 0, INT64_MAX);
  const std::string sought = parameters.Text("q").value_or("");
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (searches && sought.empty()) {
    return Refuse(400, {"q: is absent or empty", "give a part of a name"});
  }
  const auto opened = TimelineOf(run);
  if (!opened.ok()) return Refuse(500, opened.error());
  const rpc::RunTimeline& timeline = **opened;
  if (endpoint == Endpoint::kTimelineSlice) {
    Request one;
    one.query = {{"slice", part}};
    Parameters number(one);
    const auto id = number.Integer("slice", 0, INT64_MAX);
    if (!id) return NoSuchSlice();
    auto json = rpc::SliceJson(timeline, static_cast<timeline::SliceId>(*id));
    if (!json.ok()) return Refuse(500, json.error());
    return *json ? Ok(**std::move(json)) : NoSuchSlice();
  }
  if (endpoint == Endpoint::kTimelineTree) {
    Answer answer = Ok("");
    answer.shared = timeline.Tree();
    return answer;
  }
  if (searches) return Ok(rpc::SearchJson(timeline, range, sought, limit.value_or(100)));
  if (endpoint == Endpoint::kTimelineStatistics) {
    return FromResult(rpc::StatisticsArrow(timeline, range), kArrowType);
  }
  if (endpoint == Endpoint::kTimelineFlows) {
    const auto id = slice ? std::optional(static_cast<timeline::SliceId>(*slice)) : std::nullopt;
    return FromResult(rpc::FlowsArrow(timeline, range, id, limit.value_or(1000)), kArrowType);
  }
  if (endpoint != Endpoint::kTimelineView) return NoSuchPath();
  auto view = rpc::ViewArrow(timeline, range, width.value_or(1000));
  if (!view.ok()) {
    const bool too_large = view.error().kind == Error::Kind::kTooLarge;
    return Refuse(too_large ? 413 : 400, view.error());
  }
  return Ok(*std::move(view), kArrowType);
}

std::shared_ptr<Api::Kept> Api::KeptOf(const Run& run) {
  std::lock_guard lock(mutex_);
  auto& kept = kept_[run.filename()];
  if (!kept) kept = std::make_shared<Kept>();
  kept->used_ns = MonotonicNowNs();
  auto found = kept;
  if (kept_.size() > kMaxTimelines) {
    kept_.erase(std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
      return a.second->used_ns < b.second->used_ns;
    }));
  }
  return found;
}

Result<std::shared_ptr<const rpc::RunTimeline>> Api::TimelineOf(const Run& run) {
  BoundMemory();
  const std::shared_ptr<Kept> kept = KeptOf(run);
  std::unique_lock building(kept->building, std::defer_lock);
  {
    // Who finds an index that is being made anew takes the one that is there.
    std::unique_lock lock(mutex_);
    if (kept->timeline && !building.try_lock()) return kept->timeline;
  }
  if (!building.owns_lock()) building.lock();
  const int64_t now_ns = MonotonicNowNs();
  const bool rests = now_ns - kept->checked_ns < kCheckNs ||
                     now_ns - kept->built_ns < kRestPerBuild * kept->cost_ns;
  if (kept->timeline && rests) return kept->timeline;
  if (kept->timeline && rpc::TimelineStamp(run) == kept->timeline->fingerprint()) {
    kept->checked_ns = now_ns;
    return kept->timeline;
  }
  auto opened = rpc::RunTimeline::Open(run, &kept->live);
  ::malloc_trim(0);
  kept->checked_ns = kept->built_ns = MonotonicNowNs();
  kept->cost_ns = kept->built_ns - now_ns;
  if (!opened.ok()) {
    if (kept->timeline) return kept->timeline;
    return opened;
  }
  std::lock_guard lock(mutex_);
  kept->timeline = *opened;
  return opened;
}

void Api::BoundMemory() {
  std::lock_guard lock(mutex_);
  const int64_t now_ns = MonotonicNowNs();
  if (now_ns - memory_checked_ns_ < kMemoryCheckNs) return;
  memory_checked_ns_ = now_ns;
  if (ResidentBytes() >= kMostResidentBytes) DropPages();
}

void Api::DropPages() {
  for (const auto& [id, kept] : kept_) {
    if (kept->timeline) kept->timeline->index().DropPages();
  }
}

std::unique_lock<std::mutex> Api::TakeMemory() {
  std::unique_lock heavy(heavy_);
  std::lock_guard lock(mutex_);
  DropPages();
  return heavy;
}

Answer Api::NoSuchRun() {
  return Refuse(404, {"run: no run has this id",
                      "look at the list of all runs: it may have been moved or removed"});
}

std::optional<std::string> Api::RunsEvent(EventState& last) {
  const uint64_t stamp = catalog_.Stamp();
  if (stamp == last.stamp) return std::nullopt;
  last.stamp = stamp;
  return "event: runs\ndata: {}\n\n";
}

std::optional<std::string> Api::RunEvent(const std::string& id, EventState& last) {
  const auto run = catalog_.Find(id);
  if (!run) return std::nullopt;
  const auto progress = rpc::ProgressOf(*run, last.stamp);
  if (!progress.ok()) return std::nullopt;
  const int64_t now_ns = UtcNowNs();
  const bool grew = progress->stamp != last.stamp;
  if (grew) {
    last.stamp = progress->stamp;
    last.changed_utc_ns = now_ns;
    last.reported_stop = false;
    last.steps = progress->steps;
    last.to_ns = progress->to_ns;
    ++last.generation;
  }
  const bool live = progress->status == "in_progress";
  const bool stopped = live && now_ns - last.changed_utc_ns >= kStoppedNs;
  if (!grew && (!stopped || last.reported_stop)) return std::nullopt;
  last.reported_stop = stopped;
  const Json json = {{"status", progress->status},
                     {"generation", last.generation},
                     {"steps", last.steps},
                     {"to_ns", last.to_ns},
                     {"stopped_since_ns", stopped ? Json(last.to_ns) : Json()}};
  return "event: run\ndata: " + InertJson(json.dump()) + "\n\n";
}

}  // namespace steptrace::http
