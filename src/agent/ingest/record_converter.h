// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/ingest/clock_calibration.h"
#include "agent/ingest/device_activity.h"
#include "agent/ingest/hook_names.h"
#include "agent/ingest/range_pairs.h"
#include "agent/ingest/side_tracks.h"
#include "agent/ingest/tensor_parts.h"
#include "agent/rows/row_batch.h"
#include "agent/rows/track_registry.h"
#include "store/stored_words.h"
#include "store/string_table.h"
#include "wire/record.h"

namespace steptrace::agent {

// A thread of a process, as far as its records go.
struct ThreadState {
  int32_t tid = 0;
  int32_t track = -1;
  RangePairs stack;
  DeviceClocks device;
  std::optional<wire::Record> detail;  // of the record right behind it
  TensorParts tensor;
};

// Turns the records of one process into rows and events. Nothing in a record is trusted: unknown
// names and odd arguments are counted and left out.
//
// Passive, one thread: it takes records and returns rows in a batch. It does not decide ranks,
// it asks once, with the first record that needs one.
class RecordConverter {
 public:
  struct Name {
    std::string text;
    uint16_t category = 0;
  };
  struct Settings {
    int32_t node = 0;
    int32_t pid = 0;
    std::string process_name;
    std::function<std::optional<Name>(uint32_t id)> name_of;
    int32_t rank = -1;  // as the environment told it; -1: it did not
    int32_t world_size = -1;
    // Asked with the rank that was told, and whether this record says that the process trains.
    std::function<int32_t(int32_t reported_rank, bool trains)> rank_of;
    std::function<std::string(int32_t tid)> thread_name_of;
  };

  RecordConverter(Settings settings, store::StringTable& strings, TrackRegistry& tracks);

  void Convert(ThreadState& thread, std::span<const wire::Record> records, const RunClock& clock,
               RowBatch& out);
  // The thread is gone: what is open in it ends.
  void EndThread(ThreadState& thread, int64_t end_ns, RowBatch& out);
  // The track of a thread, which may have sent no record.
  int32_t TrackOf(int32_t tid);
  // -1 before the first record; a guess until settled().
  int32_t rank() const { return rank_; }
  int32_t world_size() const { return settings_.world_size; }
  // Known to train, or to work for one that does.
  bool settled() const { return trains_ || is_worker_; }
  bool trains() const { return trains_; }
  bool is_worker() const { return is_worker_; }
  int64_t invalid_records() const { return invalid_records_; }
  int64_t invalid_facts() const { return invalid_facts_; }
  // How often the hooks have stepped aside.
  int64_t asides() const { return asides_; }
  const DeviceActivity::Losses& device_losses() const { return device_.losses(); }
  int64_t too_deep_ranges() const { return too_deep_ranges_; }

 private:
  const ResolvedName* Resolve(uint32_t id);
  int64_t TimeOf(const ThreadState& thread, uint64_t reading, const RunClock& clock);
  void ConvertOne(ThreadState& thread, const wire::Record& record, const RunClock& clock,
                  RowBatch& out);
  void OnBegin(ThreadState&, const wire::Record&, const ResolvedName&, int64_t ts, RowBatch&);
  void OnEnd(ThreadState&, const wire::Record&, int64_t ts, RowBatch&);
  void OnInstant(ThreadState&, const wire::Record&, const ResolvedName&, int64_t ts, RowBatch&);
  void OnCounter(const wire::Record&, const ResolvedName&, int64_t ts, RowBatch&);
  struct CounterTrack {
    int32_t track = 0;
    int32_t device = -1;  // of kDeviceMemory
    store::StringId metric{};
  };
  const CounterTrack* TrackOfCounter(const ResolvedName& name);
  void OnFlow(ThreadState&, const wire::Record&, const ResolvedName&, int64_t ts, RowBatch&);
  void OnComplete(ThreadState&, const wire::Record&, const ResolvedName&, const RunClock&,
                  RowBatch&);
  void OnPayload(const wire::Record&, const ResolvedName&, int64_t ts, RowBatch&);
  void OnStack(const wire::Record&, int64_t ts, RowBatch&);
  void OnTensor(ThreadState&, const wire::Record&, const ResolvedName&, const RunClock&, RowBatch&);
  void AddLoss(const ThreadState&, int64_t ts, RowBatch&);
  void OnWindow(const wire::Record&, const ResolvedName&, int64_t ts, RowBatch&);
  void OnDeviceDone(const wire::Record&, int64_t ts, RowBatch&);
  void AddSlice(ThreadState&, const ClosedRange&, RowBatch&);
  void OnDetail(ThreadState&, const wire::Record&, const ResolvedName&);
  // Which call of which group the slice is.
  void SetCall(store::SliceRow& row, uint32_t details, uint64_t number);
  void AddEvent(const ThreadState&, analyze::MarkKind, const ResolvedName&, int64_t ts, uint64_t a,
                uint64_t b, RowBatch&);
  DeviceActivity::Host DeviceHost();
  void NoteDepth(const ThreadState&, int64_t ts);
  void NoteRole(const ResolvedName& name);
  void NoteJob(const nlohmann::json& fact);
  int32_t TrackOf(ThreadState& thread);
  store::TrackKind KindOfProcess() const {
    return is_worker_ ? store::TrackKind::kWorker : store::TrackKind::kProcess;
  }
  int32_t ProcessTrack();
  int32_t SideTrackOf(const store::SliceRow& row, wire::Category category,
                      const ResolvedName* details);

  Settings settings_;
  store::StringTable& strings_;
  TrackRegistry& tracks_;
  std::vector<std::optional<ResolvedName>> names_;  // by id; at most as long as the arena has names
  std::map<int32_t, int32_t> thread_tracks_;        // by thread id
  std::map<std::pair<wire::Category, store::StringId>, CounterTrack> counter_tracks_;  // by name
  DeviceActivity device_;
  SideTracks side_tracks_;
  bool operators_on_ = false;           // in a window of operators
  bool devices_on_ = false;             // in a window of kernels: depths are kept
  std::map<int32_t, DepthLog> depths_;  // by thread id, of that window
  int32_t rank_ = -1;
  int32_t process_track_ = -1;
  bool trains_ = false;
  bool is_worker_ = false;
  int64_t invalid_records_ = 0;
  int64_t invalid_facts_ = 0;
  int64_t asides_ = 0;
  int64_t too_deep_ranges_ = 0;
};

}  // namespace steptrace::agent
