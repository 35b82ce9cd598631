// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/trace/trace.h"
#include "base/text_hash.h"

namespace steptrace::analyze {

// How lanes are numbered: in the order in which events come to use them, or by the time of their
// first event, for rows that come part by part.
enum class LaneOrder : uint8_t { kAsGiven, kByTime };

// Makes a RankTrace from rows that come in batches: the rows themselves are never in memory
// together. One thread.
class RankTraceBuilder {
 public:
  // The tracks and the texts outlive it.
  RankTraceBuilder(int32_t rank, std::span<const store::TrackRow> tracks,
                   const store::StringTable& strings);
  ~RankTraceBuilder();

  // Rows as for BuildRankTrace, in any order, within a batch and over batches. The table of texts
  // may grow from one batch to the next.
  void Add(std::span<const store::SliceRow> slices);
  bool empty() const { return added_ == 0; }

  // Links what was added; the builder is spent.
  RankTrace Build(std::vector<store::MemoryRow> memory, LaneOrder order);

 private:
  // Events of one lane and side in the order in which they came, in pieces: nothing is copied as
  // they grow.
  class Pieces {
   public:
    void Add(const TraceEvent& event);
    size_t size() const { return size_; }
    // Appends them in order of time, of equal times the longer first where `parents_first`, and
    // gives their memory back.
    void MoveTo(std::vector<TraceEvent>& events, int32_t lane, bool parents_first);

   private:
    std::vector<std::vector<TraceEvent>> pieces_;
    size_t size_ = 0;
  };
  struct LaneRows {
    int32_t track = 0;
    bool on_device = false;
    // Of the first event by time, of equal times the first that came; so is on_device.
    int64_t first_ns = 0;
    size_t first_row = 0;
    Pieces host;
    Pieces device;
  };
  struct Class {
    store::StringId category{};
    EventKind kind = EventKind::kOtherHost;
    DeviceRole role = DeviceRole::kNone;
    bool known = false;
    bool left_out = false;
    bool in_collective = false;
    bool tells_sequence = false;
  };
  // What few rows tell.
  struct Numbers {
    DeviceNumbers of_device;
    int64_t flow_out = kNone;
    int64_t flow_in = kNone;
  };
  // Two events of one host: what a thread left to another, and where that took it up.
  struct Handover {
    int32_t left = kNone;
    int32_t taken = kNone;
  };
  struct HostIds;

  void CountRow(store::StringId category);
  const Class& ClassOf(const store::SliceRow& row);
  Class Classify(store::StringId category, store::StringId name) const;
  LaneRows& LaneOf(int32_t track, bool on_device, int64_t ts_ns);
  TraceEvent EventOf(const store::SliceRow& row, const Class& of);
  int32_t Held(int64_t id);
  int64_t IdOf(int32_t held) const;
  void MakeLanes(RankTrace& trace) const;
  void MoveDevice(std::vector<TraceEvent>& device);
  HostIds IndexHost(const std::vector<TraceEvent>& host) const;
  std::vector<Handover> FindHandovers(const std::vector<TraceEvent>& host) const;
  static void NumberHandedOver(std::vector<TraceEvent>& host,
                               const std::vector<Handover>& handovers);
  void TakeNumbers(RankTrace& trace) const;
  void LinkHost(RankTrace& trace, const HostIds& ids) const;
  void LinkDevice(RankTrace& trace, const HostIds& ids) const;

  int32_t rank_;
  std::span<const store::TrackRow> tracks_;
  const store::StringTable& strings_;
  size_t added_ = 0;  // rows
  std::map<store::StringId, int64_t> rows_by_category_;
  store::StringId last_category_{};
  int64_t* last_count_ = nullptr;  // of last_category_
  std::vector<Class> classes_;     // by name: its last category
  SeededMap<uint64_t, Class> other_classes_;
  std::vector<std::unique_ptr<LaneRows>> lanes_;
  std::unordered_map<int32_t, LaneRows*> lane_of_;
  // What links a row to others: of an event that is not linked yet `launch` holds its correlation,
  // `op` its external id, and `step` its place among the numbers. These ids are too great for that.
  std::vector<int64_t> great_ids_;
  std::vector<Numbers> numbers_;
  int32_t last_track_ = kNone;  // of last_lane_
  LaneRows* last_lane_ = nullptr;
};

}  // namespace steptrace::analyze
