// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/system_import.h"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>

#include "import/formats/sagemaker/detect.h"
#include "import/formats/sagemaker/read_source.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/metrics.h"
#include "store/stored_words.h"

namespace steptrace::import::sagemaker {
namespace {

// A file of Debugger's covers a minute: 25,000 lines on the largest machine.
constexpr size_t kMaxPending = 1 << 17;
constexpr size_t kMaxStrays = 1 << 20;
constexpr size_t kMaxStrayNodes = 1 << 12;  // each becomes a part of the run, with files of its own
// Samples that are remembered to find those that stand twice: 40 bytes each.
constexpr size_t kMaxSeen = 1 << 22;

uint64_t Mixed(uint64_t hash, uint64_t value) {  // splitmix64's finaliser
  hash += value + 0x9E3779B97F4A7C15;
  hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ hash >> 27) * 0x94D049BB133111EB;
  return hash ^ hash >> 31;
}

bool IsBlank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == std::string_view::npos;
}

}  // namespace

void SystemImport::AddFile(const Source& source) {
  int64_t lines_before = stored_;
  LineSplitter lines(
      static_cast<size_t>(context_.limits.max_event_bytes),
      [&](std::string_view line, bool complete) { AddLine(source, line, complete); });
  const ReadEnd end = ReadPieces(source, context_, [&](auto bytes) { lines.Push(bytes); });
  lines.Finish();
  Flush();
  sink_.Loss("counters", LossCause::kLineTooLong, lines.too_long(),
             InFile(source.path, LossCause::kLineTooLong));
  if (!end.damage.empty()) {
    sink_.Loss("counters", LossCause::kFileDamaged, 1,
               Make(model::finding::LossFileDamaged{
                   .whole = true, .file = source.path, .damage = end.damage}));
  }
  nlohmann::ordered_json fact{{"file", source.path},
                              {"format", NameOf(store::ProfileFormat::kSagemaker)},
                              {"dialect", NameOf(Dialect::kSystem)},
                              {"samples", stored_ - lines_before},
                              {"bytes", end.bytes}};
  sink_.Fact({}, NameOf(store::MetadataKind::kSource),
             fact.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void SystemImport::AddLine(const Source& source, std::string_view line, bool complete) {
  if (IsBlank(line)) return;
  SystemSample sample;
  const LineFault fault = ParseSystemLine(line, sample);
  if (fault != LineFault::kNone) {
    const bool cut = fault == LineFault::kNoObject && !complete;
    if (cut) {
      sink_.Loss("counters", LossCause::kFileCutOff, 1,
                 Make(model::finding::LossFileCutOff{
                     .packet = false, .line = true, .entry = false, .file = source.path}));
    } else {
      sink_.Loss("counters", CauseOf(fault), 1, InFile(source.path, CauseOf(fault)));
    }
    return;
  }
  if (sample.duplicate_key) {
    sink_.Loss("counters", LossCause::kDuplicateKey, 1,
               Make(model::finding::LossDuplicateKey{.line = true, .file = source.path}));
  }
  if (sample.node == node_) {
    pending_.push_back(std::move(sample));
    if (pending_.size() >= kMaxPending) Flush();
  } else if (stray_count_ < static_cast<int64_t>(kMaxStrays) &&
             (strays_.size() < kMaxStrayNodes || strays_.contains(sample.node))) {
    ++stray_count_;
    strays_[sample.node].push_back(std::move(sample));
  } else {
    sink_.Loss("counters", LossCause::kLineOfOtherNode, 1,
               InFile(source.path, LossCause::kLineOfOtherNode));
  }
}

void SystemImport::AddStrays() {
  const auto found = strays_.find(node_);
  if (found == strays_.end()) return;
  pending_ = std::move(found->second);
  strays_.erase(found);
  Flush();
}

// The order in a file is that of the writer's threads.
void SystemImport::Flush() {
  std::stable_sort(pending_.begin(), pending_.end(),
                   [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
  for (const SystemSample& sample : pending_) Store(sample);
  pending_.clear();
}

int32_t SystemImport::TrackOf(const MetricKey& key) {
  if (const auto found = tracks_.find(key); found != tracks_.end()) return found->second;
  store::TrackRow row;
  row.name = key.metric;
  row.device = key.device;
  const int32_t track = sink_.AddTrack(std::move(row), store::TrackKind::kCounter);
  if (track >= 0) tracks_.emplace(key, track);
  return track;
}

bool SystemImport::IsNew(int32_t track, const SystemSample& sample) {
  if (seen_.size() >= kMaxSeen) return true;
  const uint64_t key =
      Mixed(Mixed(static_cast<uint64_t>(track), static_cast<uint64_t>(sample.ts_ns)),
            std::bit_cast<uint64_t>(sample.value));
  return seen_.insert(key).second;
}

void SystemImport::Store(const SystemSample& sample) {
  const int32_t track = TrackOf(sample.key);
  if (track < 0) return;
  if (!IsNew(track, sample)) {
    sink_.Loss("counters", LossCause::kSampleTwice, 1);
    return;
  }
  if (sample.out_of_range) {
    sink_.Loss("counters", LossCause::kValueOutOfRange, 1);
  }
  if (!sink_.Append(store::CounterRow{sample.ts_ns, track, sample.value}).ok()) return;
  ++stored_;
  if (sample.key.metric == store::Metric::kCoreBusyShare && sample.key.device) {
    busy_.Add(sample.ts_ns, *sample.key.device, sample.value);
  } else if (sample.key.metric == store::Metric::kCoreIowaitShare && sample.key.device) {
    iowait_.Add(sample.ts_ns, *sample.key.device, sample.value);
  }
}

void SystemImport::StoreMeans(store::Metric metric, CoreMeans& means) {
  const auto rows = means.Take();
  if (rows.empty() || tracks_.count({NameOf(metric), {}}) > 0) return;  // the source has its own
  const int32_t track = TrackOf({NameOf(metric), {}});
  for (const auto& row : rows) {
    if (track >= 0) (void)sink_.Append(store::CounterRow{row.ts_ns, track, row.value}).ok();
  }
}

bool SystemImport::Finish() {
  StoreMeans(store::Metric::kCpuBusyShare, busy_);
  StoreMeans(store::Metric::kCpuIowaitShare, iowait_);
  return stored_ > 0;
}

}  // namespace steptrace::import::sagemaker
