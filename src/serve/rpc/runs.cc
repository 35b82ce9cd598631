// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/runs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "analyze/report/report_json.h"
#include "analyze/stages/stages.h"
#include "base/shallow_json.h"
#include "base/time.h"
#include "present/words/quantity.h"
#include "serve/rpc/json_out.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/run_size.h"
#include "store/manifest.h"
#include "store/row_stream.h"
#include "store/run_files.h"
#include "store/run_list.h"
#include "store/run_reader.h"
#include "store/written_manifests.h"
#include "timeline/format.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A run with more slices than this is not analysed only to be listed: its report is, once it is
// opened.
constexpr int64_t kMaxListedSlices = 200'000;
constexpr int64_t kMaxReportBytes = 64 << 20;
constexpr int kMostReportDepth = 2 * kMostJsonDepth;  // facts in it may have all of theirs
constexpr std::chrono::milliseconds kPauseBetweenRows{2};
constexpr const char* kProgressTables[] = {"steps", "slices", "counters", "run_metadata",
                                           "data_loss"};
constexpr std::string_view kListedMembers[] = {"schema", "run", "steps", "verdict"};
constexpr const char* kListTables[] = {"steps", "run_metadata"};

uint64_t Hash(const std::string& text) {
  return timeline::HashBytes(text.data(), text.size());
}

std::string StampText(const fs::path& path) {
  struct stat facts {};
  if (::stat(path.c_str(), &facts) != 0) return "-";
  return fmt::format("{}.{} {}", facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec, facts.st_size);
}

std::string IsoTime(int64_t utc_ns) {
  const auto seconds = static_cast<std::time_t>(utc_ns / kNsPerSecond);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(seconds));
}

// Of a report's JSON what a list tells. The rest may be ten times its text once it is parsed, so it
// is left out as it is read.
Json ListedOf(const std::string& text) {
  if (!IsShallowJson(text, kMostReportDepth)) return {};
  const auto keep = [](int depth, Json::parse_event_t event, Json& parsed) {
    if (event != Json::parse_event_t::key || depth != 1) return true;
    return std::find(std::begin(kListedMembers), std::end(kListedMembers),
                     parsed.get_ref<const std::string&>()) != std::end(kListedMembers);
  };
  Json json = Json::parse(text, keep, /*allow_exceptions=*/false);
  return json.is_object() ? json : Json();
}

// The report as the run's end left it; null: there is none that can be read.
Json KeptReport(const fs::path& run) {
  const auto text = store::ReadFile(run / "report.json", kMaxReportBytes);
  if (!text.ok()) return {};
  Json json = ListedOf(*text);
  const bool known = json.contains("schema") && json["schema"].is_string() &&
                     json["schema"] == analyze::kReportSchema;
  return known ? json : Json();
}

Result<std::string> MakeReportHere(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::Report report, LoadReport(run, {}));
  return analyze::ReportToJson(report);
}

Json ReportOf(store::RunReader& run, const RunCatalog::MakeReport& make) {
  if (run.state() == store::RunState::kClosed) {
    Json kept = KeptReport(run.run());
    if (!kept.is_null()) return kept;
  }
  if (store::SegmentRows(run, "slices", {}) > kMaxListedSlices) return {};
  const auto text = make ? make(run.run()) : MakeReportHere(run.run());
  return text.ok() ? ListedOf(*text) : Json();
}

Json VerdictOf(const Json& report) {
  const auto found = report.find("verdict");
  if (found == report.end() || !found->is_object()) return {};
  Json verdict;
  for (const char* key :
       {"status", "suspect", "sub_stage", "headline", "share", "at_most_speedup"}) {
    const auto value = found->find(key);
    const bool plain = value != found->end() && (value->is_string() || value->is_number());
    verdict[key] = plain ? *value : Json();
  }
  const auto reason = found->find("reason");
  const bool known = reason != found->end() && reason->is_object() && reason->contains("id") &&
                     (*reason)["id"].is_string();
  verdict["reason"] = known ? (*reason)["id"] : Json();
  return verdict;
}

std::string ShortVerdict(const Json& verdict) {
  if (!verdict.is_object() || !verdict["suspect"].is_string() || !verdict["share"].is_number()) {
    return "";
  }
  const std::string suspect = verdict["suspect"];
  if (suspect.empty()) {
    std::string reason = verdict["reason"].is_string() ? std::string(verdict["reason"]) : "";
    std::replace(reason.begin(), reason.end(), '_', ' ');
    return reason;
  }
  std::string text = analyze::TitleOf(suspect);
  // Other work is nobody: its largest stage says more.
  if (suspect == SuspectName(analyze::SuspectId::kOtherWork) && verdict["sub_stage"].is_string() &&
      verdict["sub_stage"] != "") {
    text += fmt::format(" ({})", analyze::TitleOf(std::string(verdict["sub_stage"])));
  }
  return fmt::format("{} {}", text, present::FormatShare(verdict["share"].get<double>()));
}

std::optional<int64_t> Number(const Json& report, const char* section, const char* key) {
  const auto found = report.find(section);
  if (found == report.end() || !found->is_object()) return std::nullopt;
  const auto value = found->find(key);
  if (value == found->end() || !value->is_number_integer()) return std::nullopt;
  return value->get<int64_t>();
}

Json CostOf(const CostRequest& cost, const Json& duration_ns) {
  if (!cost.price_per_hour || !duration_ns.is_number()) return {};
  const double hours = duration_ns.get<double>() / (3600.0 * static_cast<double>(kNsPerSecond));
  return {{"amount", *cost.price_per_hour * hours}, {"currency", ""}};
}

// Of what its writers said last; each of theirs changes its folder.
std::string ManifestStamp(const fs::path& run) {
  std::string text = StampText(run / "run.json");
  std::vector<fs::path> writers = store::Entries(run / store::kManifestFolder);
  std::sort(writers.begin(), writers.end());
  for (const fs::path& writer : writers) text += StampText(writer);
  return text;
}

uint64_t StampOf(const fs::path& run) {
  std::string text = ManifestStamp(run) + StampText(run / "report.json");
  if (auto reader = store::RunReader::Open(run); reader.ok()) {
    text += reader->manifest().status + store::PartsText(*reader, kListTables);
  }
  return Hash(text);
}

uint64_t StampOf(const store::RunReader& run) {
  return Hash(run.manifest().status + store::PartsText(run, kProgressTables));
}

}  // namespace

ListedFigures FiguresOf(const fs::path& path, ReportSource source) {
  Json report = KeptReport(path);
  if (source == ReportSource::kMade) {
    auto run = store::RunReader::Open(path);
    if (run.ok()) report = ReportOf(*run, {});
  }
  if (report.is_null()) return {};
  const Json verdict = VerdictOf(report);
  const bool found = verdict.is_object() && verdict["suspect"].is_string();
  return {ShortVerdict(verdict), Number(report, "steps", "count"),
          Number(report, "run", "duration_ns"), found ? std::string(verdict["suspect"]) : ""};
}

RunCatalog::RunCatalog(fs::path folder, std::optional<std::string> only, TakeMemory take_memory,
                       std::chrono::milliseconds most_unreported, MakeReport make_report)
    : folder_(std::move(folder)),
      only_(std::move(only)),
      take_memory_(std::move(take_memory)),
      make_report_(std::move(make_report)),
      most_unreported_(most_unreported) {}

RunCatalog::~RunCatalog() {
  maker_.request_stop();
  changed_.notify_all();
}

std::optional<fs::path> RunCatalog::Find(const std::string& id) const {
  if (only_ && id != *only_) return std::nullopt;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (it->path().filename() == id && store::IsRunFolder(it->path())) return it->path();
  }
  return std::nullopt;
}

RunCatalog::RunFigures RunCatalog::Read(const fs::path& run) const {
  RunFigures figures;
  auto reader = store::RunReader::Open(run);
  if (!reader.ok()) return figures;
  figures.nodes = static_cast<int64_t>(reader->manifest().nodes.size());
  const Json report = ReportOf(*reader, make_report_);
  if (report.is_null()) return figures;
  figures.steps = Number(report, "steps", "count");
  figures.duration_ns = Number(report, "run", "duration_ns");
  figures.verdict = ToText(VerdictOf(report));
  return figures;
}

std::optional<RunCatalog::RunFigures> RunCatalog::TryRead(const fs::path& run) const {
  try {
    // The report of a large one is made elsewhere, or by who takes the memory for it then.
    const bool here = take_memory_ && !IsLargeRun(run);
    const auto heavy = here ? take_memory_() : std::unique_lock<std::mutex>();
    return Read(run);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

void RunCatalog::MakeRows(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !wanted_.empty(); }) && !stop.stop_requested()) {
    const QueuedRun& wanted = wanted_.front();  // stays where it is while others are added
    lock.unlock();
    std::optional<RunFigures> figures = TryRead(wanted.run.path);
    lock.lock();
    try {
      NoteMade(wanted, std::move(figures));
    } catch (const std::exception&) {
      // It stays as it was listed, and is wanted again with the next list.
    }
    wanted_.pop_front();
    const auto now = std::chrono::steady_clock::now();
    if (unreported_ && (wanted_.empty() || now - reported_at_ >= most_unreported_)) {
      ++tellings_;
      unreported_ = false;
      reported_at_ = now;
    }
    changed_.notify_all();
    // A mutex is not fair: who waits for the memory to open a run comes before the next row.
    changed_.wait_for(lock, stop, kPauseBetweenRows, [] { return false; });
  }
}

void RunCatalog::NoteMade(const QueuedRun& wanted, std::optional<RunFigures> figures) {
  const bool pending = Pending(wanted.run, wanted.stamp);
  Known& known = known_[wanted.run.path.filename()];
  // One that fails again and again is reported once, or each answer would ask for the next.
  unreported_ = unreported_ || pending || (known.failed && figures);
  known.failed = !figures;
  if (!figures) return;
  known.stamp = wanted.stamp;
  known.figures = *std::move(figures);
}

// Where no thread can be had the next list or the next look at the stamp tries again.
void RunCatalog::StartMaker() {
  if (maker_.joinable()) return;
  try {
    maker_ = std::jthread([this](const std::stop_token& stop) { MakeRows(stop); });
  } catch (const std::exception&) {
  }
}

void RunCatalog::Enqueue(const store::RunSummary& run, uint64_t stamp) {
  for (const QueuedRun& wanted : wanted_) {
    // One that changes while it is made is made again when it is listed again.
    if (wanted.run.path == run.path) return;
  }
  if (wanted_.empty()) reported_at_ = std::chrono::steady_clock::now();
  wanted_.push_back({run, stamp});
  changed_.notify_all();
}

// A run in progress grows all the time: what is known of it stands till the list is asked for
// again, and is not called pending, or each answer would ask for the next.
bool RunCatalog::Pending(const store::RunSummary& run, uint64_t stamp) const {
  const auto found = known_.find(run.path.filename());
  if (found == known_.end()) return true;
  const Known& known = found->second;
  return known.stamp != stamp && !known.failed && run.status != store::kStatusInProgress;
}

std::string RunCatalog::RowOf(const store::RunSummary& run, const CostRequest& cost,
                              uint64_t stamp) const {
  const auto found = known_.find(run.path.filename());
  const RunFigures figures = found == known_.end() ? RunFigures() : found->second.figures;
  const auto duration_ns = run.duration_ns ? run.duration_ns : figures.duration_ns;
  Json json;
  json["id"] = run.path.filename().string();
  json["name"] = run.name;
  json["status"] = run.status;
  json["command"] = run.command;
  json["imported_as"] = run.imported_as.empty() ? Json() : Json(run.imported_as);
  const bool dated = run.problem.empty() && run.started_utc_ns > 0;
  json["started_utc"] = dated ? IsoTime(run.started_utc_ns) : "";
  json["duration_ns"] = duration_ns ? Json(*duration_ns) : Json();
  json["nodes"] = figures.nodes;
  json["ranks"] = run.ranks;
  json["steps"] = figures.steps.value_or(run.steps);
  json["verdict"] = Json::parse(figures.verdict);
  json["cost"] = CostOf(cost, json["duration_ns"]);
  json["bytes"] = run.bytes;
  if (Pending(run, stamp)) json["pending"] = true;
  if (!run.problem.empty()) json["problem"] = run.problem;
  return ToText(json);
}

Result<std::string> RunCatalog::ListJson(const CostRequest& cost, std::chrono::milliseconds wait) {
  STEPTRACE_ASSIGN_OR_RETURN(auto runs, store::ListRuns(folder_));
  std::erase_if(runs, [&](const auto& run) { return only_ && run.path.filename() != *only_; });
  std::vector<uint64_t> stamps;
  for (const store::RunSummary& run : runs) stamps.push_back(StampOf(run.path));
  std::unique_lock lock(mutex_);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto found = known_.find(runs[i].path.filename());
    if (found == known_.end() || found->second.stamp != stamps[i]) Enqueue(runs[i], stamps[i]);
  }
  if (!wanted_.empty()) StartMaker();
  changed_.wait_for(lock, wait, [&] { return wanted_.empty(); });
  std::string list;
  for (size_t i = 0; i < runs.size(); ++i) {
    list += (list.empty() ? "" : ",") + RowOf(runs[i], cost, stamps[i]);
  }
  return "{\"folder\":" + ToText(Json(folder_.string())) + ",\"runs\":[" + list + "]}";
}

uint64_t RunCatalog::Stamp() {
  std::string text;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (!store::IsRunFolder(it->path()) || (only_ && it->path().filename() != *only_)) continue;
    text += it->path().filename().string() + ManifestStamp(it->path()) +
            StampText(it->path() / "report.json") + "\n";
  }
  std::lock_guard lock(mutex_);
  if (!wanted_.empty()) StartMaker();
  return Hash(text + fmt::format("{}", tellings_));
}

Result<uint64_t> ProgressStamp(const fs::path& path) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  return StampOf(run);
}

Result<RunProgress> ProgressOf(const fs::path& path, uint64_t known_stamp) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  RunProgress progress;
  progress.status = run.manifest().status;
  progress.stamp = StampOf(run);
  if (progress.stamp == known_stamp) return progress;
  STEPTRACE_RETURN_IF_ERROR(store::StreamRows<store::StepRow>(
      run,
      {.columns = {"dur_ns"}, .rank = std::nullopt, .from_ns = std::nullopt, .to_ns = std::nullopt},
      [&](std::vector<store::StepRow>&& steps) -> Status {
        progress.steps += static_cast<int64_t>(steps.size());
        for (const auto& step : steps)
          progress.to_ns = std::max(progress.to_ns, step.ts_ns + step.dur_ns);
        return {};
      }));
  if (run.manifest().end_ns) progress.to_ns = *run.manifest().end_ns;
  return progress;
}

}  // namespace steptrace::rpc
