// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/system_feed.h"

#include <nlohmann/json.hpp>
#include <string>

#include "agent/system/process.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/metrics.h"

namespace steptrace::agent {

using Key = store::MetadataKey;
using store::NameOf;
namespace {

// A sample takes under a millisecond; a driver that hangs must not hold the run's end up.
constexpr int64_t kLastSampleMs = 200;
constexpr int32_t kMostGpus = 64;  // of a node, as the reader has them

}  // namespace

SystemFeed::SystemFeed(store::RunWriter& writer, TrackRegistry& tracks, LossBook& losses,
                       int64_t interval_ns, int64_t epoch_monotonic_ns)
    : writer_(writer),
      tracks_(tracks),
      losses_(losses),
      interval_ns_(interval_ns),
      epoch_monotonic_ns_(epoch_monotonic_ns),
      thread_(interval_ns) {}

void SystemFeed::Poll(int64_t now_ns) {
  if (now_ns >= next_ns_) {
    next_ns_ = now_ns + interval_ns_;
    thread_.Request();
  }
  WriteReadings();
}

void SystemFeed::Finish() {
  thread_.RequestAndWait(kLastSampleMs);
  WriteReadings();
}

void SystemFeed::WriteReadings() {
  for (SystemReadings& readings : thread_.Take()) {
    const int64_t ts_ns = readings.monotonic_ns - epoch_monotonic_ns_;
    for (const MetricSample& sample : readings.samples) WriteSample(sample, ts_ns);
    for (const MissingSource& source : readings.unavailable) RecordUnavailable(source, ts_ns);
    for (const GpuUse& use : readings.gpus) WriteGpu(use, ts_ns);
    for (const ProcessCores& cores : readings.allowed_cores) WriteAllowedCores(cores, ts_ns);
    first_readings_ = false;
    driver_bytes_ = readings.driver_bytes;
    job_ = std::move(readings.job);
    ForgetGone(readings);
  }
}

// A job may start processes without end. One that is only left out this time keeps its tracks.
void SystemFeed::ForgetGone(const SystemReadings& readings) {
  std::set<int32_t> reported;
  for (const MetricSample& sample : readings.samples) {
    if (sample.pid > 0) reported.insert(sample.pid);
  }
  std::erase_if(processes_, [&](int32_t pid) {
    if (reported.count(pid) != 0 || IsAlive(pid, 0)) return false;
    tracks_.Forget(pid);
    return true;
  });
  processes_.merge(reported);
}

// What this machine never had is a fact about it; what could be there, or was, is a loss.
void SystemFeed::RecordUnavailable(const MissingSource& source, int64_t ts_ns) {
  if (first_readings_ && source.remedy.empty()) {
    store::RunMetadataRow row;
    row.ts_ns = ts_ns;
    row.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kSource));
    row.json = nlohmann::json{{NameOf(Key::kSource), CleanUtf8(source.source)},
                              {NameOf(Key::kReason), CleanUtf8(source.reason)}}
                   .dump();
    writer_.Append(row);
    return;
  }
  losses_.Once({}, LossCause::kUnavailable, -1, ts_ns,
               Make(model::finding::LossUnavailable{.source = CleanUtf8(source.source),
                                                    .reason = CleanUtf8(source.reason),
                                                    .remedy = CleanUtf8(source.remedy)}));
}

std::vector<std::string> ByDevice(const std::map<int32_t, std::string>& uuids) {
  std::vector<std::string> list;
  for (const auto& [device, uuid] : uuids) {
    list.resize(static_cast<size_t>(device));
    list.push_back(uuid);
  }
  return list;
}

// {"device": 0, "name": "NVIDIA H200", "uuid": "GPU-…", "processes": 2, "ours": 1, "others": 1}:
// the most at a moment, so that the last row holds all. analyze/input/gpu_sharing reads it.
void SystemFeed::WriteGpu(const GpuUse& use, int64_t ts_ns) {
  const bool reported = use.device >= 0 && use.device < kMostGpus && !use.uuid.empty();
  if (reported) gpu_uuids_[use.device] = CleanUtf8(use.uuid);
  store::RunMetadataRow row;
  row.ts_ns = ts_ns;
  row.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kGpu));
  row.json = nlohmann::ordered_json{{NameOf(Key::kDevice), use.device},
                                    {NameOf(Key::kName), CleanUtf8(use.name)},
                                    {NameOf(Key::kUuid), CleanUtf8(use.uuid)},
                                    {NameOf(Key::kProcesses), use.processes},
                                    {NameOf(Key::kOurs), use.ours},
                                    {NameOf(Key::kOthers), use.others}}
                 .dump();
  writer_.Append(row);
}

// {"cores": "0-3"}, of the row's process. analyze/input/allowed_cores reads it.
void SystemFeed::WriteAllowedCores(const ProcessCores& cores, int64_t ts_ns) {
  store::RunMetadataRow row;
  row.ts_ns = ts_ns;
  row.pid = cores.pid;
  row.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kAllowedCores));
  row.json = nlohmann::json{{NameOf(Key::kCores), cores.list}}.dump();
  writer_.Append(row);
}

void SystemFeed::WriteSample(const MetricSample& sample, int64_t ts_ns) {
  store::CounterRow row;
  row.ts_ns = ts_ns;
  row.track = tracks_.Counter(std::string(store::InfoOf(sample.metric).name), -1, sample.device,
                              sample.pid);
  row.value = sample.value;
  writer_.Append(row);
  if (observer_) observer_(sample, ts_ns);
}

void SystemFeed::Write(store::Metric metric, int64_t ts_ns, double value) {
  WriteSample({metric, -1, 0, value}, ts_ns);
}

}  // namespace steptrace::agent
