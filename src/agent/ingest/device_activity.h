// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "agent/ingest/clock_calibration.h"
#include "agent/ingest/demangle.h"
#include "agent/ingest/occupancy.h"
#include "agent/rows/row_batch.h"
#include "agent/rows/track_registry.h"
#include "store/string_table.h"
#include "wire/record.h"

namespace steptrace::agent {

// What a ring's device_clock records said: two moments by the run's clock and the device's. A batch
// of device work stands after them and lies between them, but for what is still under way.
struct DeviceClocks {
  struct Pair {
    int64_t run_ns = 0;
    uint64_t device_ns = 0;
  };
  std::optional<Pair> before, after;
  std::optional<int64_t> bytes;  // of the next activity

  void Add(const Pair& pair);
  // By the line through both; by the later one alone where that line cannot be (the clock was set).
  // Nothing: no moment of this run.
  std::optional<int64_t> ToRunNs(uint64_t device_ns) const;
};

// Where in the nesting of its thread a moment lies: the depths of the last ranges, as they change.
class DepthLog {
 public:
  void Note(int64_t ts_ns, size_t depth_after);
  int32_t At(int64_t ts_ns) const;

 private:
  static constexpr size_t kMostChanges = 1 << 16;  // 1 MiB; older ones are forgotten
  std::deque<std::pair<int64_t, int32_t>> changes_;
};

// Turns what devices did, as one process tells it (wire/vocabulary.h, device work), into rows as
// those of a profile that was imported: kernels, copies and fills on tracks of streams, calls on
// those of their threads. Nothing in a record is trusted. Passive, one thread.
class DeviceActivity {
 public:
  struct Host {
    std::function<std::optional<std::string>(uint32_t id)> text_of;
    std::function<int32_t(int32_t tid)> thread_track;
    std::function<int32_t(int32_t tid, int64_t ts_ns)> depth_at;
  };
  enum class LossKind { kLibrary, kNoBuffer, kIncomplete, kNoName, kTaken, kCount };
  using Losses = std::array<int64_t, static_cast<size_t>(LossKind::kCount)>;

  DeviceActivity(Host host, store::StringTable& strings, TrackRegistry& tracks);

  // Finds the texts of a batch's names, so that they are looked up together.
  void Prepare(std::span<const wire::Record> records);
  // A record of kActivity. False: it makes no sense.
  bool Take(DeviceClocks& clocks, const wire::Record& record, const RunClock& clock, int32_t rank,
            RowBatch& out);
  // {"device": 0, "multiprocessors": 132, …}: a fact of that kind.
  void NoteDevice(const nlohmann::json& fact);

  const Losses& losses() const { return losses_; }

 private:
  struct Place {
    int32_t track = -1;
    int32_t thread = -1;  // of a call
    store::StringId details{};
  };

  bool TakeOwn(DeviceClocks& clocks, const wire::Record& record, const RunClock& clock);
  const Place* PlaceOf(uint32_t id, int32_t rank);
  std::optional<Place> MakePlace(const nlohmann::json& reported, int32_t rank);
  int32_t StreamOf(int32_t device, int64_t stream, int32_t rank);
  std::string DetailsOf(const nlohmann::json& reported, int32_t device) const;
  store::StringId NameOf(const wire::Record& record);
  store::StringId CategoryOf(const wire::Record& record, store::StringId name);

  Host host_;
  store::StringTable& strings_;
  TrackRegistry& tracks_;
  BoundedDemangler demangler_;
  std::unordered_map<uint32_t, store::StringId> names_;
  std::unordered_map<uint32_t, std::optional<Place>> places_;  // nothing: it makes no sense
  std::map<int32_t, int32_t> devices_;                         // tracks
  std::map<std::pair<int32_t, int64_t>, int32_t> streams_;     // tracks, by device and stream
  std::map<int32_t, MultiprocessorLimits> limits_;             // by device
  Losses losses_{};
};

}  // namespace steptrace::agent
