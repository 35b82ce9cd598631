// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "analyze/report/build_report.h"
#include "analyze/report/profile_analysis.h"
#include "analyze/report/report_json.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "serve/rpc/profile.h"
#include "serve/rpc/run_rows.h"
#include "serve/rpc/steps.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

Error OsError(const fs::path& thing) {
  return Error{fmt::format("{}: {}; make room and run `steptrace report` again", thing.string(),
                           std::strerror(errno))};
}

Status WriteAll(int fd, std::string_view text, const fs::path& path) {
  while (!text.empty()) {
    ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return OsError(path);
    text.remove_prefix(static_cast<size_t>(wrote));
  }
  return {};
}

Status WriteByRename(const fs::path& path, std::string_view text) {
  fs::path pending = path;
  pending += fmt::format(".{}.partial", getpid());
  UniqueFd fd(::open(pending.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
  if (!fd.valid()) return OsError(path);
  Status status = WriteAll(fd.get(), text, path);
  bool closed = ::close(fd.release()) == 0;
  if (status.ok() && closed && ::rename(pending.c_str(), path.c_str()) == 0) return {};
  if (status.ok()) status = OsError(path);
  ::unlink(pending.c_str());
  return status;
}

// A run that is live, or dead and not recovered, stays as its writer left it.
bool MayWrite(const fs::path& run) {
  auto manifest = store::ReadManifest(run);
  return manifest.ok() && manifest->status != store::kStatusInProgress &&
         ::access(run.c_str(), W_OK) == 0;
}

}  // namespace

Result<analyze::Report> LoadReport(const fs::path& path, const ReportOptions& options) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  STEPTRACE_ASSIGN_OR_RETURN(auto tracks, run.Read<store::TrackRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto counters, run.Read<store::CounterRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto steps, run.Read<store::StepRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto facts, run.Read<store::FactRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto losses, run.Read<store::LossRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto findings, run.Read<store::FindingRow>());
  analyze::ReportInput input;
  input.run = RunInfoOf(run);
  input.run.duration_ns = DurationOf(run, steps, counters);
  input.steps = steps;
  input.strings = &run.strings();
  input.counters = SeriesOf(tracks, counters);
  input.facts = facts;
  input.losses = losses;
  input.findings = findings;
  input.options = {options.price_per_hour, options.last_steps, options.tensor_cores};
  std::optional<analyze::Trace> profile;
  if (HoldsProfile(tracks, facts, run.strings())) {
    STEPTRACE_ASSIGN_OR_RETURN(profile, LoadTrace(run, tracks, facts));
    if (!profile->ranks.empty()) input.profile = &*profile;
  }
  if (input.profile == nullptr) return analyze::BuildReport(input);
  analyze::ProfileAnalysis analysis = analyze::AnalyseProfile(*profile, options.tensor_cores);
  if (steps.empty()) {
    ProfileSteps derived = StepsOf(*profile, analysis, run.strings());
    steps = std::move(derived.rows);
    input.steps_marked = derived.marked || steps.empty();
  }
  input.steps = steps;
  return analyze::BuildReport(input, std::move(analysis));
}

Status SaveReport(const fs::path& run, const analyze::Report& report) {
  if (!MayWrite(run)) return {};
  return WriteByRename(run / "report.json", analyze::ReportToJson(report));
}

}  // namespace steptrace::rpc
