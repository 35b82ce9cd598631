// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/places.h"

#include <algorithm>
#include <array>

#include "import/core/bounded_name.h"

namespace steptrace::import::nsight {
namespace {

constexpr size_t kMostRanks = 1024;  // of one recording: processes of one machine
constexpr size_t kMostNames = 1 << 18;

enum TrackKind : uint8_t { kOfProcess, kOfThread, kNextToThread, kOfDevice, kOfStream, kOfCounter };

// Tables of what devices did for a process.
constexpr std::array kDeviceTables = {"CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_MEMCPY",
                                      "CUPTI_ACTIVITY_KIND_MEMSET",
                                      "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"};

}  // namespace

Status Places::Begin() {
  STEPTRACE_RETURN_IF_ERROR(ReadRanks());
  STEPTRACE_RETURN_IF_ERROR(ReadProcessNames());
  return ReadThreadNames();
}

// In the order of their devices, as launchers number ranks; of one device in that of their pids.
Status Places::ReadRanks() {
  std::map<int64_t, int64_t> device_of;
  for (const char* table : kDeviceTables) {
    constexpr std::array kColumns = {"globalPid", "deviceId"};
    STEPTRACE_ASSIGN_OR_RETURN(
        auto rows, database_.Select(table, kColumns, kColumns.size(),
                                    " GROUP BY \"globalPid\", \"deviceId\" ORDER BY \"deviceId\""));
    while (rows) {
      const auto more = rows->Next();
      if (!more.ok() || !*more) break;  // what is damaged is counted when its rows are read
      const auto pid = rows->Integer(0);
      const int64_t device = rows->Integer(1).value_or(0);
      if (!pid) continue;
      // The first table counts: a process that computes on one device may copy on others.
      if (device_of.size() < kMostRanks) device_of.emplace(*pid, device);
    }
  }
  std::vector<std::pair<int64_t, int64_t>> order;
  for (const auto& [pid, device] : device_of) order.emplace_back(device, pid);
  std::sort(order.begin(), order.end());
  for (const auto& [device, pid] : order) {
    parts_.push_back(&sink_.AddPart());
    pids_.push_back(PidOf(pid));
    ranks_.emplace(pid, parts_.back());
  }
  return {};
}

Status Places::ReadProcessNames() {
  constexpr std::array kColumns = {"globalPid", "name"};
  STEPTRACE_ASSIGN_OR_RETURN(auto rows, database_.Select("PROCESSES", kColumns, kColumns.size()));
  while (rows && process_names_.size() < kMostNames) {
    const auto more = rows->Next();
    if (!more.ok() || !*more) break;
    if (const auto pid = rows->Integer(0))
      process_names_.emplace(*pid, ShortName(rows->Text(1), &cut_));
  }
  return {};
}

Status Places::ReadThreadNames() {
  constexpr std::array kColumns = {"globalTid", "nameId"};
  STEPTRACE_ASSIGN_OR_RETURN(auto rows, database_.Select("ThreadNames", kColumns, kColumns.size()));
  while (rows && thread_names_.size() < kMostNames) {
    const auto more = rows->Next();
    if (!more.ok() || !*more) break;
    const auto tid = rows->Integer(0);
    const auto name = rows->Integer(1);
    if (tid && name) thread_names_.insert_or_assign(*tid, texts_.Of(*name));
  }
  return {};
}

PartSink* Places::PartOfNone() {
  if (none_ == nullptr) none_ = &sink_.AddPart();
  return none_;
}

PartSink* Places::PartOf(int64_t process) {
  const auto found = ranks_.find(process);
  if (found != ranks_.end()) return found->second;
  return parts_.size() == 1 ? parts_.front() : PartOfNone();
}

RowPlace Places::Found(PartSink* part, const Key& key, store::TrackRow row, store::TrackKind kind,
                       std::optional<int32_t> parent) {
  const auto [found, is_new] = tracks_.emplace(std::pair(part, key), -1);
  if (is_new) {
    row.parent = parent;
    found->second = part->AddTrack(std::move(row), kind);
  }
  return {part, found->second};
}

std::optional<int32_t> Places::Process(PartSink* part, int64_t process) {
  store::TrackRow row;
  row.pid = PidOf(process);
  const auto name = process_names_.find(process);
  if (name != process_names_.end()) row.name = name->second;
  const int32_t track =
      Found(part, {kOfProcess, process, 0, {}}, std::move(row), store::TrackKind::kProcess, {})
          .track;
  return track < 0 ? std::nullopt : std::optional(track);
}

std::optional<int32_t> Places::Device(PartSink* part, int64_t device) {
  store::TrackRow row;
  row.device = static_cast<int32_t>(device);
  const int32_t track =
      Found(part, {kOfDevice, 0, device, {}}, std::move(row), store::TrackKind::kDevice, {}).track;
  return track < 0 ? std::nullopt : std::optional(track);
}

RowPlace Places::Thread(int64_t global_tid) {
  if (global_tid == last_thread_) return last_thread_place_;
  const int64_t process = ProcessOf(global_tid);
  PartSink* part = PartOf(process);
  store::TrackRow row;
  row.pid = PidOf(global_tid);
  row.tid = TidOf(global_tid);
  const auto name = thread_names_.find(global_tid);
  if (name != thread_names_.end()) row.name = name->second;
  last_thread_ = global_tid;
  last_thread_place_ = Found(part, {kOfThread, process, *row.tid, {}}, std::move(row),
                             store::TrackKind::kThread, Process(part, process));
  return last_thread_place_;
}

RowPlace Places::NextToThread(int64_t global_tid) {
  const int64_t process = ProcessOf(global_tid);
  PartSink* part = PartOf(process);
  store::TrackRow row;
  row.pid = PidOf(global_tid);
  row.name = "ranges from start to end";
  return Found(part, {kNextToThread, process, TidOf(global_tid), {}}, std::move(row),
               store::TrackKind::kThread, Process(part, process));
}

RowPlace Places::Stream(int64_t global_pid, int64_t device, std::optional<int64_t> stream) {
  const int64_t number = stream.value_or(-1);
  LastStream& last = last_stream_;
  if (last.process == global_pid && last.device == device && last.stream == number) {
    return last.place;
  }
  PartSink* part = PartOf(global_pid);
  store::TrackRow row;
  row.device = static_cast<int32_t>(device);
  row.stream = stream;
  last = {global_pid, device, number, {}};
  last.place = Found(part, {kOfStream, device, number, {}}, std::move(row),
                     store::TrackKind::kStream, Device(part, device));
  return last.place;
}

RowPlace Places::DeviceCounter(int64_t device, std::string_view metric) {
  PartSink* part = parts_.size() == 1 ? parts_.front() : PartOfNone();
  store::TrackRow row;
  row.device = static_cast<int32_t>(device);
  row.name = metric;
  return Found(part, {kOfCounter, device, 0, std::string(metric)}, std::move(row),
               store::TrackKind::kCounter, {});
}

std::vector<PartSink*> Places::all() const {
  std::vector<PartSink*> all = parts_;
  if (none_ != nullptr) all.push_back(none_);
  return all;
}

void Places::End(const PartFacts& facts) {
  for (size_t i = 0; i < parts_.size(); ++i) {
    PartFacts own = facts;
    own.pid = pids_[i];
    if (parts_.size() > 1) own.rank.reset();  // the file's name tells that of one process
    parts_[i]->End(std::move(own));
  }
  if (none_ == nullptr) return;
  PartFacts own = facts;
  own.rank = parts_.empty() ? facts.rank : std::optional(-1);
  none_->End(std::move(own));
}

void Places::Drop() {
  for (PartSink* part : parts_) part->Drop();
  if (none_ != nullptr) none_->Drop();
}

}  // namespace steptrace::import::nsight
