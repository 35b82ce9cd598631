// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/run_sink.h"
#include "import/formats/nsight/database.h"
#include "import/formats/nsight/texts.h"

namespace steptrace::import::nsight {

// Where a row belongs. Without a part its track is one too many.
struct RowPlace {
  PartSink* part = nullptr;
  int32_t track = -1;
};

// The processes of a recording, and their threads and streams. A process whose work a device ran is
// a rank. Processes without are the only rank's where there is one alone (its loader's workers, its
// launcher); of several nothing tells whose they are, and they belong to none.
class Places {
 public:
  Places(const Database& database, Texts& texts, RunSink& sink)
      : database_(database), texts_(texts), sink_(sink) {}

  // Before any row: which processes there are, and their names.
  Status Begin();

  // Threads are numbered by Nsight: the process in the upper bits.
  RowPlace Thread(int64_t global_tid);
  // Ranges of a thread that need not nest in its others.
  RowPlace NextToThread(int64_t global_tid);
  RowPlace Stream(int64_t global_pid, int64_t device, std::optional<int64_t> stream);
  // A figure of a device, of no process.
  RowPlace DeviceCounter(int64_t device, std::string_view metric);

  // Whether the process of a thread is one whose work a device ran.
  bool IsRank(int64_t global_tid) const { return ranks_.contains(ProcessOf(global_tid)); }
  // Ranks in their order, then what is of none; empty: there was no row.
  std::vector<PartSink*> all() const;
  // No rows follow.
  void End(const PartFacts& facts);
  void Drop();

  static int64_t PidOf(int64_t global) { return global >> kTidBits & kIdMask; }
  static int64_t TidOf(int64_t global) { return global & kIdMask; }
  // The process as its own tables number it.
  static int64_t ProcessOf(int64_t global) { return global & ~kIdMask; }

 private:
  static constexpr int kTidBits = 24;
  static constexpr int64_t kIdMask = (int64_t{1} << kTidBits) - 1;

  // What a track is of.
  struct Key {
    uint8_t kind;
    int64_t process;
    int64_t number;
    std::string name;
    bool operator<(const Key& other) const {
      return std::tie(kind, process, number, name) <
             std::tie(other.kind, other.process, other.number, other.name);
    }
  };

  Status ReadRanks();
  Status ReadProcessNames();
  Status ReadThreadNames();
  PartSink* PartOf(int64_t process);
  PartSink* PartOfNone();
  RowPlace Found(PartSink* part, const Key& key, store::TrackRow row, store::TrackKind kind,
                 std::optional<int32_t> parent);
  std::optional<int32_t> Process(PartSink* part, int64_t process);
  std::optional<int32_t> Device(PartSink* part, int64_t device);

  const Database& database_;
  Texts& texts_;
  RunSink& sink_;
  SeededMap<int64_t, PartSink*> ranks_;  // by process
  std::vector<PartSink*> parts_;         // in the order of their ranks
  std::vector<int64_t> pids_;            // of each
  PartSink* none_ = nullptr;             // of processes that are no rank
  SeededMap<int64_t, std::string> process_names_;
  int64_t cut_ = 0;  // names
  SeededMap<int64_t, std::string> thread_names_;
  std::map<std::pair<PartSink*, Key>, int32_t> tracks_;
  // The last ones that were asked for.
  int64_t last_thread_ = -1;
  RowPlace last_thread_place_;
  struct LastStream {
    int64_t process = -1, device = -1, stream = -1;
    RowPlace place;
  } last_stream_;
};

}  // namespace steptrace::import::nsight
