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
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/report/build_report.h"
#include "analyze/report/report_json.h"
#include "analyze/verdict/trace_steps.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "serve/rpc/profile.h"
#include "store/metrics.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

analyze::RunInfo RunInfoOf(const store::RunReader& run) {
  const store::Manifest& manifest = run.manifest();
  analyze::RunInfo info;
  info.id = manifest.id;
  info.name = manifest.name;
  info.status = manifest.status;
  info.exit_code = manifest.exit_code;
  info.signal = manifest.signal;
  info.command = manifest.command;
  info.epoch_utc_ns = manifest.epoch_utc_ns;
  info.ranks = static_cast<int32_t>(manifest.ranks.size());
  for (const auto& node : manifest.nodes) {
    info.nodes.push_back({node.node, node.host, node.cpus, node.memory_bytes});
  }
  return info;
}

// Of a closed run its own length; of a live one what went by; of a dead one the last that it told.
int64_t DurationOf(const store::RunReader& run, const std::vector<store::StepRow>& steps,
                   const std::vector<store::CounterRow>& counters) {
  if (run.manifest().end_ns) return *run.manifest().end_ns;
  if (run.state() == store::RunState::kLive) {
    return std::max<int64_t>(0, UtcNowNs() - run.manifest().epoch_utc_ns);
  }
  int64_t last = counters.empty() ? 0 : counters.back().ts_ns;
  for (const auto& step : steps) last = std::max(last, step.ts_ns + step.dur_ns);
  return last;
}

// A run that nobody derived steps for (a profile from elsewhere) has those that it marks.
std::vector<store::StepRow> StepsOf(const analyze::Trace& profile, store::StringTable& strings) {
  std::vector<store::StepRow> steps;
  for (const analyze::RankTrace& rank : profile.ranks) {
    const auto rows = analyze::DeriveTraceSteps(rank, strings);
    steps.insert(steps.end(), rows.begin(), rows.end());
  }
  return steps;
}

// One series for each counter track, in the order of the tracks.
std::vector<analyze::CounterSeries> SeriesOf(const std::vector<store::TrackRow>& tracks,
                                             const std::vector<store::CounterRow>& counters) {
  std::vector<analyze::CounterSeries> series;
  std::unordered_map<int32_t, size_t> index;
  for (const auto& track : tracks) {
    if (!index.emplace(track.track, series.size()).second) continue;
    std::optional<store::Metric> metric = store::MetricNamed(track.name);
    analyze::CounterSeries one;
    one.metric = track.name;
    one.unit = metric ? store::NameOf(store::InfoOf(*metric).unit) : "";
    one.node = track.node;
    one.device = track.device;
    one.pid = track.pid;
    series.push_back(std::move(one));
  }
  for (const auto& counter : counters) {
    auto found = index.find(counter.track);
    if (found == index.end()) continue;
    series[found->second].times_ns.push_back(counter.ts_ns);
    series[found->second].values.push_back(counter.value);
  }
  std::erase_if(series, [](const auto& one) { return one.values.empty(); });
  return series;
}

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
  analyze::ReportInput input;
  input.run = RunInfoOf(run);
  input.run.duration_ns = DurationOf(run, steps, counters);
  input.steps = steps;
  input.strings = &run.strings();
  input.counters = SeriesOf(tracks, counters);
  input.facts = facts;
  input.losses = losses;
  input.options = {options.price_per_hour, options.last_steps};
  std::optional<analyze::Trace> profile;
  if (HoldsProfile(tracks, facts, run.strings())) {
    STEPTRACE_ASSIGN_OR_RETURN(profile, LoadTrace(run, tracks, facts));
    if (!profile->ranks.empty()) input.profile = &*profile;
    if (steps.empty()) steps = StepsOf(*profile, run.strings());
    input.steps = steps;
  }
  return analyze::BuildReport(input);
}

Status SaveReport(const fs::path& run, const analyze::Report& report) {
  if (!MayWrite(run)) return {};
  return WriteByRename(run / "report.json", analyze::ReportToJson(report));
}

}  // namespace steptrace::rpc
