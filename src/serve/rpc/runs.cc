// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/runs.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>
#include <utility>
#include <vector>

#include "analyze/report/quantity.h"
#include "analyze/report/report_json.h"
#include "base/time.h"
#include "serve/rpc/report.h"
#include "serve/rpc/timeline_parts.h"
#include "store/row_stream.h"
#include "store/run_list.h"
#include "store/run_reader.h"
#include "timeline/format.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// A run with more slices than this is not analysed only to be listed: its report is, once it is
// opened.
constexpr int64_t kMaxListedSlices = 200'000;
constexpr int64_t kMaxReportBytes = 64 << 20;
constexpr std::chrono::milliseconds kPauseBetweenRows{2};
constexpr const char* kProgressTables[] = {"steps", "slices", "counters", "facts", "losses"};
constexpr const char* kListTables[] = {"steps", "facts"};

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

// The report as the run's end left it; null: there is none that can be read.
Json KeptReport(const fs::path& run) {
  std::error_code failed;
  const fs::path path = run / "report.json";
  if (fs::file_size(path, failed) > kMaxReportBytes || failed) return {};
  std::ifstream file(path, std::ios::binary);
  Json json = Json::parse(file, nullptr, false);
  const bool known = json.is_object() && json.contains("schema") && json["schema"].is_string() &&
                     json["schema"] == analyze::kReportSchema;
  return known ? json : Json();
}

Json ReportOf(store::RunReader& run) {
  if (run.state() == store::RunState::kClosed) {
    Json kept = KeptReport(run.run());
    if (!kept.is_null()) return kept;
  }
  if (store::SegmentRows(run, "slices", {}) > kMaxListedSlices) return {};
  const auto report = LoadReport(run.run(), {});
  return report.ok() ? Json::parse(analyze::ReportToJson(*report), nullptr, false) : Json();
}

Json VerdictOf(const Json& report) {
  const auto found = report.find("verdict");
  if (found == report.end() || !found->is_object()) return {};
  Json verdict;
  for (const char* key :
       {"status", "suspect", "sub_stage", "headline", "share", "at_most_speedup"}) {
    const auto value = found->find(key);
    verdict[key] = value == found->end() ? Json() : *value;
  }
  return verdict;
}

int64_t Number(const Json& report, const char* section, const char* key, int64_t otherwise) {
  const auto found = report.find(section);
  if (found == report.end() || !found->is_object()) return otherwise;
  const auto value = found->find(key);
  return value != found->end() && value->is_number_integer() ? value->get<int64_t>() : otherwise;
}

Json CostOf(const CostRequest& cost, const Json& duration_ns) {
  if (!cost.price_per_hour || !duration_ns.is_number()) return {};
  const double hours = duration_ns.get<double>() / (3600.0 * static_cast<double>(kNsPerSecond));
  return {{"amount", *cost.price_per_hour * hours}, {"currency", ""}};
}

// `report`: of the run; null: none is made. `pending`: one will be.
Json RunJson(const store::RunSummary& run, int64_t nodes, const Json& report,
             const CostRequest& cost, bool pending) {
  Json duration_ns = run.duration_ns ? Json(*run.duration_ns) : Json();
  if (duration_ns.is_null() && !report.is_null()) {
    duration_ns = Number(report, "run", "duration_ns", 0);
  }
  Json json;
  json["id"] = run.path.filename().string();
  json["name"] = run.name;
  json["status"] = run.status;
  json["command"] = run.command;
  json["started_utc"] = run.problem.empty() ? Json(IsoTime(run.started_utc_ns)) : Json();
  json["duration_ns"] = duration_ns;
  json["nodes"] = nodes;
  json["ranks"] = run.ranks;
  json["steps"] = Number(report, "steps", "count", run.steps);
  json["verdict"] = report.is_null() ? Json() : VerdictOf(report);
  json["cost"] = CostOf(cost, duration_ns);
  json["bytes"] = run.bytes;
  if (pending) json["pending"] = true;
  if (!run.problem.empty()) json["problem"] = run.problem;
  return json;
}

std::string FullRow(const store::RunSummary& run, const CostRequest& cost) {
  Json report;
  int64_t nodes = 1;
  try {
    if (auto reader = store::RunReader::Open(run.path); reader.ok()) {
      nodes = static_cast<int64_t>(reader->manifest().nodes.size());
      report = ReportOf(*reader);
    }
  } catch (const std::exception&) {
    // No memory for its report: the run is listed without a verdict.
  }
  return ToText(RunJson(run, nodes, report, cost, false));
}

bool IsRun(const fs::path& folder) {
  std::error_code failed;
  return fs::is_directory(folder, failed) &&
         (fs::exists(folder / "run.json", failed) || fs::exists(folder / "journal", failed));
}

uint64_t StampOf(const fs::path& run, const CostRequest& cost) {
  std::string text = StampText(run / "run.json") + StampText(run / "report.json");
  if (auto reader = store::RunReader::Open(run); reader.ok()) {
    text += reader->manifest().status + store::PartsText(*reader, kListTables);
  }
  return Hash(text + fmt::format(" {}", cost.price_per_hour.value_or(-1)));
}

uint64_t StampOf(const store::RunReader& run) {
  return Hash(run.manifest().status + store::PartsText(run, kProgressTables));
}

}  // namespace

std::string KeptVerdict(const fs::path& run) {
  const Json report = KeptReport(run);
  const Json verdict = report.is_null() ? Json() : VerdictOf(report);
  if (!verdict.is_object() || !verdict["suspect"].is_string() || !verdict["share"].is_number()) {
    return "";
  }
  std::string suspect = verdict["suspect"];
  std::replace(suspect.begin(), suspect.end(), '_', ' ');
  if (suspect.empty()) {
    std::string status = verdict["status"].is_string() ? std::string(verdict["status"]) : "";
    std::replace(status.begin(), status.end(), '_', ' ');
    return status;
  }
  // "other" is nobody: its largest part says more.
  if (suspect == "other" && verdict["sub_stage"].is_string() && verdict["sub_stage"] != "") {
    std::string stage = verdict["sub_stage"];
    std::replace(stage.begin(), stage.end(), '_', ' ');
    suspect += fmt::format(" ({})", stage);
  }
  return fmt::format("{} {}", suspect, analyze::FormatShare(verdict["share"].get<double>()));
}

RunCatalog::RunCatalog(fs::path folder, std::optional<std::string> only, TakeMemory take_memory)
    : folder_(std::move(folder)), only_(std::move(only)), take_memory_(std::move(take_memory)) {}

RunCatalog::~RunCatalog() {
  maker_.request_stop();
  changed_.notify_all();
}

std::optional<fs::path> RunCatalog::Find(const std::string& id) const {
  if (only_ && id != *only_) return std::nullopt;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (it->path().filename() == id && IsRun(it->path())) return it->path();
  }
  return std::nullopt;
}

void RunCatalog::MakeRows(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [&] { return !wanted_.empty(); }) && !stop.stop_requested()) {
    const Wanted wanted = wanted_.front();
    lock.unlock();
    std::string json;
    {
      const auto heavy = take_memory_ ? take_memory_() : std::unique_lock<std::mutex>();
      json = FullRow(wanted.run, wanted.cost);
    }
    lock.lock();
    made_ += Pending(wanted.run, wanted.stamp) ? 1 : 0;
    known_[wanted.run.path.filename()] = {wanted.stamp, std::move(json)};
    wanted_.pop_front();
    changed_.notify_all();
    // A mutex is not fair: who waits for the memory to open a run comes before the next row.
    changed_.wait_for(lock, stop, kPauseBetweenRows, [] { return false; });
  }
}

void RunCatalog::Want(const store::RunSummary& run, const CostRequest& cost, uint64_t stamp) {
  for (const Wanted& wanted : wanted_) {
    // One that changes while it is made is made again when it is listed again.
    if (wanted.run.path == run.path) return;
  }
  wanted_.push_back({run, cost, stamp});
  if (!maker_.joinable()) {
    maker_ = std::jthread([this](const std::stop_token& stop) { MakeRows(stop); });
  }
  changed_.notify_all();
}

// A run in progress grows all the time: what is known of it stands till the list is asked for
// again, and is not called pending, or each answer would ask for the next.
bool RunCatalog::Pending(const store::RunSummary& run, uint64_t stamp) const {
  const auto found = known_.find(run.path.filename());
  if (found == known_.end()) return true;
  return found->second.stamp != stamp && run.status != "in_progress";
}

std::string RunCatalog::RowOf(const store::RunSummary& run, const CostRequest& cost,
                              uint64_t stamp) const {
  const auto found = known_.find(run.path.filename());
  if (found == known_.end()) return ToText(RunJson(run, 1, {}, cost, true));
  if (!Pending(run, stamp)) return found->second.json;
  Json row = Json::parse(found->second.json);
  row["pending"] = true;
  return ToText(row);
}

Result<std::string> RunCatalog::ListJson(const CostRequest& cost, std::chrono::milliseconds wait) {
  STEPTRACE_ASSIGN_OR_RETURN(auto runs, store::ListRuns(folder_));
  std::erase_if(runs, [&](const auto& run) { return only_ && run.path.filename() != *only_; });
  std::vector<uint64_t> stamps;
  for (const store::RunSummary& run : runs) stamps.push_back(StampOf(run.path, cost));
  std::unique_lock lock(mutex_);
  for (size_t i = 0; i < runs.size(); ++i) {
    const auto found = known_.find(runs[i].path.filename());
    if (found == known_.end() || found->second.stamp != stamps[i]) Want(runs[i], cost, stamps[i]);
  }
  changed_.wait_for(lock, wait, [&] { return wanted_.empty(); });
  std::string list;
  for (size_t i = 0; i < runs.size(); ++i) {
    list += (list.empty() ? "" : ",") + RowOf(runs[i], cost, stamps[i]);
  }
  return "{\"folder\":" + ToText(Json(folder_.string())) + ",\"runs\":[" + list + "]}";
}

uint64_t RunCatalog::Stamp() const {
  std::string text;
  std::error_code failed;
  for (fs::directory_iterator it(folder_, failed), end; !failed && it != end;
       it.increment(failed)) {
    if (!IsRun(it->path()) || (only_ && it->path().filename() != *only_)) continue;
    text += it->path().filename().string() + StampText(it->path() / "run.json") +
            StampText(it->path() / "report.json") + "\n";
  }
  std::lock_guard lock(mutex_);
  return Hash(text + fmt::format("{}", made_));
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
