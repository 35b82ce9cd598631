// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/code/stack_class.h"
#include "analyze/code/stage_table.h"
#include "analyze/stages/stage_row.h"
#include "base/time.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// Where threads of one kind were most, in the time that samples were given of.
struct SeenAt {
  StageFunction function;  // the script's nearest to the innermost frame, else the innermost
  int64_t samples = 0;     // of all these threads
  double share = 0;        // of their time in this line
  // Parts of the time in this line.
  double waiting = 0;   // neither running nor wanting a core
  double awaiting = 0;  // for what other threads or processes make
  double making = 0;    // in a DataLoader's fetch or collate: the dataset's code
};

// How far back is looked: some 200 samples of each thread, and start-up is soon left behind.
inline constexpr int64_t kLastSeenNs = 10 * kNsPerSecond;

// What a job was at when it had made no step: of the main threads of its ranks, and of those of
// their DataLoader workers. Sums samples as they are read. One thread; what is given to the
// constructor outlives the object.
class LastSeen {
 public:
  enum class Who : uint8_t { kRanks, kWorkers };

  LastSeen(std::span<const store::TrackRow> tracks, std::span<const store::StackRow> stacks,
           const store::StringTable& strings, const StageTable& table);

  void Add(std::span<const store::SampleRow> samples);

  // Nothing: no sample showed a function.
  std::optional<SeenAt> Of(Who who) const;

 private:
  struct Weight {
    int64_t ns = 0;
    int64_t waiting_ns = 0, awaiting_ns = 0, making_ns = 0;
    void Add(const Weight& more);
  };
  using NamedFrames = std::pair<int32_t, int32_t>;  // a function, and what it called; -1: nothing
  struct Group {
    std::map<NamedFrames, Weight> by_frames;
    int64_t ns = 0;
    int64_t samples = 0;
  };

  const store::StringTable& strings_;
  std::span<const store::StackRow> stacks_;
  std::vector<StackClass> classes_;
  std::unordered_map<int32_t, Who> threads_;  // by track
  std::array<Group, 2> groups_;
};

}  // namespace steptrace::analyze
