// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/load_report.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input/holds_training.h"
#include "analyze/input/step_selection.h"
#include "analyze/report/build_report.h"
#include "analyze/report/profile_analysis.h"
#include "analyze/report/report_json.h"
#include "analyze/samples/last_seen.h"
#include "analyze/samples/sample_sums.h"
#include "analyze/stats/distribution.h"
#include "analyze/tensors/tensor_histories.h"
#include "base/inherited_mode.h"
#include "base/time.h"
#include "base/unique_fd.h"
#include "base/write_all.h"
#include "serve/rpc/device_windows.h"
#include "serve/rpc/load_device_phases.h"
#include "serve/rpc/read_profile.h"
#include "serve/rpc/run_rows.h"
#include "serve/rpc/steps.h"
#include "serve/rpc/time_bounds.h"
#include "store/row_stream.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

TimeBounds BoundsOf(const ReportRequest& options) {
  return {options.from_ns, options.to_ns};
}

// Drops the values that were not taken in it.
void KeepCounters(const ReportRequest& options, std::vector<store::CounterRow>& counters) {
  const int64_t from_ns = options.from_ns.value_or(std::numeric_limits<int64_t>::min());
  const int64_t to_ns = options.to_ns.value_or(std::numeric_limits<int64_t>::max());
  std::erase_if(counters, [=](const store::CounterRow& counter) {
    return counter.ts_ns < from_ns || counter.ts_ns >= to_ns;
  });
}

Error OsError(const fs::path& thing) {
  return Error{fmt::format("{}: {}", thing.string(), std::strerror(errno)),
               "make room and run `steptrace report` again"};
}

Status WriteByRename(const fs::path& path, std::string_view text) {
  fs::path pending = path;
  pending += fmt::format(".{}.partial", getpid());
  UniqueFd fd(::open(pending.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, FileModeAt(path)));
  if (!fd.valid()) return OsError(path);
  Status status = WriteAll(fd.get(), text) ? Status() : OsError(path);
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

// What is made of a run's rows while they are in memory; of a profile with its analysis.
using Make =
    std::function<void(const analyze::ReportInput&, std::optional<analyze::ProfileAnalysis>)>;

// Which rows these were.
template <class Sums>
Result<model::Rows> AddSamples(store::RunReader& run, std::optional<int64_t> from_ns,
                               std::optional<int64_t> to_ns, Sums& sums) {
  const store::ReadOptions time_range{
      .columns = {}, .rank = {}, .from_ns = from_ns, .to_ns = to_ns};
  int64_t count = 0;
  const store::RunReader::TakeRows<store::SampleRow> take =
      [&](std::span<const store::SampleRow> rows) -> Status {
    sums.Add(rows);
    count += static_cast<int64_t>(rows.size());
    return {};
  };
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SampleRow>(time_range, take));
  model::Rows read{.table = store::TableOf<store::SampleRow>::kName, .count = count};
  if (from_ns) read.where.push_back({"ts_ns", model::Compare::kAtLeast, *from_ns});
  if (to_ns) read.where.push_back({"ts_ns", model::Compare::kLess, *to_ns});
  return read;
}

template <class Sums>
struct SumsOfRows {
  std::unique_ptr<Sums> sums;  // null: there is nothing to sum
  std::optional<model::Rows> rows;
};

// What the stacks of the run's threads say of its steps; null: none were sampled. The samples are
// summed as they are read.
Result<SumsOfRows<analyze::SampleSums>> SumSamples(store::RunReader& run,
                                                   const std::vector<store::TrackRow>& tracks,
                                                   const std::vector<store::StackRow>& stacks,
                                                   const analyze::ReportInput& input,
                                                   const ReportRequest& options) {
  SumsOfRows<analyze::SampleSums> summed;
  if (stacks.empty() || input.steps.empty()) return summed;
  summed.sums = std::make_unique<analyze::SampleSums>(input, tracks, stacks, options.stages);
  STEPTRACE_ASSIGN_OR_RETURN(summed.rows,
                             AddSamples(run, options.from_ns, options.to_ns, *summed.sums));
  return summed;
}

// Of a run that made no step, where its threads are or ended; null: it made some, or nothing tells.
Result<SumsOfRows<analyze::LastSeen>> SeeLast(store::RunReader& run,
                                              const std::vector<store::TrackRow>& tracks,
                                              const std::vector<store::StackRow>& stacks,
                                              const analyze::ReportInput& input,
                                              const ReportRequest& options) {
  SumsOfRows<analyze::LastSeen> seen;
  if (stacks.empty() || !input.steps.empty() || input.options.of_time_range) return seen;
  seen.sums = std::make_unique<analyze::LastSeen>(tracks, stacks, run.strings(), options.stages);
  const int64_t from_ns = input.run.duration_ns - analyze::kLastSeenNs;
  STEPTRACE_ASSIGN_OR_RETURN(seen.rows, AddSamples(run, from_ns, std::nullopt, *seen.sums));
  return seen;
}

// Around a time range of few steps, whose own samples tell no shares.
constexpr int64_t kAroundNs = 10 * kNsPerSecond;

bool HasEnough(const analyze::SampleSums* samples) {
  return samples != nullptr && samples->MostOfAThread() >= analyze::kLeastSamples;
}

ReportRequest Widened(ReportRequest options) {
  if (options.from_ns) options.from_ns = SaturatingAdd(*options.from_ns, -kAroundNs);
  if (options.to_ns) options.to_ns = SaturatingAdd(*options.to_ns, kAroundNs);
  return options;
}

// Null: no tensors were looked at. Their rows are summed as they are read.
Result<std::optional<analyze::TensorHistories>> SumTensors(store::RunReader& run,
                                                           const TimeBounds& bounds) {
  std::optional<analyze::TensorHistories> histories;
  STEPTRACE_RETURN_IF_ERROR(store::StreamTable<store::TensorStatRow>(
      run, {.columns = {}, .rank = {}, .from_ns = bounds.from_ns, .to_ns = bounds.to_ns},
      [&] { histories.emplace(run.strings()); },
      [&](std::span<const store::TensorStatRow> rows) { histories->Add(rows); }));
  if (histories && !histories->any()) histories.reset();
  return histories;
}

// Gathers what a report is made of, and makes of it what is asked for. False, and nothing is made:
// on the way a file turned out to be damaged, which the losses that were read before do not have.
Result<bool> WithInput(store::RunReader& run, const ReportRequest& options, const Make& make) {
  const size_t damaged = run.damaged().size();
  STEPTRACE_ASSIGN_OR_RETURN(auto tracks, run.Read<store::TrackRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto counters, run.Read<store::CounterRow>());
  const TimeBounds bounds = BoundsOf(options);
  STEPTRACE_ASSIGN_OR_RETURN(StoredSteps stored, ReadSteps(run, {}, bounds));
  const store::PackedSteps& steps = stored.rows;
  STEPTRACE_ASSIGN_OR_RETURN(auto facts, run.Read<store::RunMetadataRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto losses, run.Read<store::DataLossRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto findings, run.Read<store::FindingRow>());
  KeepCounters(options, counters);
  analyze::ReportInput input;
  input.run = RunInfoOf(run);
  input.run.duration_ns = DurationOf(run, steps, counters);
  input.run.workers = WorkersOf(tracks, run.strings());
  input.steps = steps;
  STEPTRACE_ASSIGN_OR_RETURN(input.step_stages, ReadStepStages(run, bounds));
  input.strings = &run.strings();
  input.counters = SeriesOf(tracks, counters);
  if (bounds.any()) {
    input.metrics_outside = MetricsWithoutValues(tracks, input.counters);
  }
  input.facts = facts;
  input.losses = losses;
  input.findings = findings;
  input.options = {.price_per_hour = options.price_per_hour,
                   .last_steps = options.last_steps,
                   .tensor_cores = options.tensor_cores,
                   .of_time_range = bounds.any()};
  STEPTRACE_ASSIGN_OR_RETURN(auto stacks, run.Read<store::StackRow>());
  stacks = analyze::StacksByNumber(stacks);
  STEPTRACE_ASSIGN_OR_RETURN(auto samples, SumSamples(run, tracks, stacks, input, options));
  STEPTRACE_ASSIGN_OR_RETURN(auto last_seen, SeeLast(run, tracks, stacks, input, options));
  input.last_seen = last_seen.sums.get();
  STEPTRACE_ASSIGN_OR_RETURN(const auto tensors, SumTensors(run, bounds));
  input.tensors = tensors ? &*tensors : nullptr;
  StoredSteps around;  // outlives what is summed of it
  if (input.options.of_time_range && stored.any && !HasEnough(samples.sums.get())) {
    const ReportRequest wide = Widened(options);
    analyze::ReportInput near = input;
    STEPTRACE_ASSIGN_OR_RETURN(around, ReadSteps(run, {}, BoundsOf(wide)));
    near.steps = around.rows;
    STEPTRACE_ASSIGN_OR_RETURN(auto more, SumSamples(run, tracks, stacks, near, wide));
    if (HasEnough(more.sums.get())) {
      samples = std::move(more);
      input.samples_within_ns = kAroundNs;
    }
  }
  input.samples = samples.sums.get();
  input.tables = TableRowsOf(bounds, stored.cut);
  input.tables.has_tracks = HasAllTracks(run, tracks, counters);
  input.tables.samples = samples.rows ? samples.rows : last_seen.rows;
  std::optional<analyze::Trace> profile;
  if (HoldsProfile(tracks, facts, run.strings())) {
    input.profile_of_windows = !WasImported(facts, run.strings());
    STEPTRACE_ASSIGN_OR_RETURN(profile,
                               input.profile_of_windows
                                   ? LoadDeviceWindows(run, tracks, facts, losses, steps, bounds)
                                   : LoadTrace(run, tracks, facts, bounds));
    input.profile = *profile;
    input.steps_left_out = profile->steps_left_out;
    ::malloc_trim(0);  // what reading took is more than the analysis needs at its peak
  }
  analyze::Trace operators;
  if (!input.profile) {
    STEPTRACE_ASSIGN_OR_RETURN(operators, LoadOperators(run, tracks, facts, steps, bounds));
    input.operators = operators;
  }
  STEPTRACE_ASSIGN_OR_RETURN(const LiveCollectives collectives,
                             LoadCollectives(run, tracks, facts, steps, bounds));
  input.collectives = collectives.trace;
  input.collectives_from_ns = collectives.from_ns;
  for (const analyze::RankTrace& rank : collectives.trace.ranks) input.calls.Add(rank.calls);
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::StepsOnDevice device_phases,
                             LoadDevicePhases(run, tracks, steps, bounds));
  if (!device_phases.empty()) input.device_phases = &device_phases;
  std::optional<analyze::ProfileAnalysis> analysis;
  if (input.profile) {
    analysis =
        analyze::AnalyseProfile(*profile, options.tensor_cores, options.stages, options.last_steps);
    // A run that holds steps, none of them in the time range, has none there.
    if (!stored.any) {
      ProfileSteps derived = StepsOf(*profile, *analysis, run.strings());
      // Without steps and events of a framework it is no step, either.
      input.holds_training =
          derived.marked || input.profile_of_windows ||
          analyze::HoldsTraining(*profile, analyze::ReadJobFacts(facts, run.strings()));
      if (!input.holds_training) derived.rows.clear();
      input.steps_marked = derived.marked || derived.rows.empty();
      // A mark that begins in the time range may end behind it.
      if (derived.marked) KeepTimeRange(bounds, derived.rows, stored.cut);
      input.steps = derived.rows;
      input.tables.cut_steps = stored.cut;
    }
  }
  if (input.profile && !input.profile_of_windows && input.holds_training) {
    input.unrecognised = analyze::FindUnrecognised(*profile);
  }
  if (run.damaged().size() > damaged) return false;
  make(input, std::move(analysis));
  return true;
}

Status WithInput(const fs::path& path, const ReportRequest& options, const Make& make) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  for (;;) {  // each time without more of the run's files
    STEPTRACE_ASSIGN_OR_RETURN(const bool made, WithInput(run, options, make));
    if (made) return {};
  }
}

// So few steps that how sure their shares are cannot be told: all of the run's say it.
Status AddWholeRun(const fs::path& path, ReportRequest options, analyze::Report& report) {
  if (report.steps.steady >= analyze::kMinSteadySteps) return {};
  options.from_ns.reset();
  options.to_ns.reset();
  options.beside_run = false;
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::Report run, LoadReport(path, options));
  const analyze::Verdict& verdict = run.verdict;
  report.verdict.whole_run = {.steady = run.steps.steady,
                              .status = verdict.status,
                              .suspect = verdict.suspect,
                              .headline = verdict.headline,
                              .share = verdict.share,
                              .share_low = verdict.share_low,
                              .share_high = verdict.share_high};
  return {};
}

}  // namespace

Result<analyze::Report> LoadReport(const fs::path& path, const ReportRequest& options) {
  analyze::Report report;
  const Make make = [&report](const analyze::ReportInput& input, auto analysis) {
    report =
        analysis ? analyze::BuildReport(input, *std::move(analysis)) : analyze::BuildReport(input);
  };
  STEPTRACE_RETURN_IF_ERROR(WithInput(path, options, make));
  const bool of_time_range = BoundsOf(options).any();
  if (options.beside_run && of_time_range) {
    STEPTRACE_RETURN_IF_ERROR(AddWholeRun(path, options, report));
  }
  return report;
}

Result<analyze::RunParts> LoadStepParts(const fs::path& path, const ReportRequest& options) {
  analyze::RunParts parts;
  const Make make = [&parts](const analyze::ReportInput& input, const auto& analysis) {
    parts = analyze::MeasureStepParts(input, analysis ? &*analysis : nullptr);
  };
  STEPTRACE_RETURN_IF_ERROR(WithInput(path, options, make));
  return parts;
}

Status SaveReport(const fs::path& run, const analyze::Report& report) {
  if (!MayWrite(run)) return {};
  return WriteByRename(run / "report.json", analyze::ReportToJson(report));
}

}  // namespace steptrace::rpc
