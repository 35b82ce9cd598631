// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/losses.h"
#include "import/core/rows/slice.h"

namespace steptrace::import::kineto {

// Ranges of a file that were begun and have not ended: of a thread, which nest, and those that an
// id joins, which may overlap.
class OpenRanges {
 public:
  explicit OpenRanges(LossCounts& lost) : lost_(lost) {}

  // False: there are too many, and one more is lost.
  bool HasRoomOnThreads();
  void Begin(const Slice& slice);
  // The innermost of the track, as long as it was; none: none was begun.
  std::optional<Slice> End(int32_t track, int64_t end_ns);

  void BeginAsync(std::string key, const Slice& slice);
  std::optional<Slice> EndAsync(const std::string& key, int64_t end_ns);

  // What came before is all: those that are open are lost.
  void Finish();

 private:
  static constexpr int64_t kMostOpen = 1 << 20;  // on threads and async ones apart

  Slice Ended(std::vector<Slice>& open, int64_t end_ns);

  LossCounts& lost_;
  std::unordered_map<int32_t, std::vector<Slice>> begun_;  // by track
  SeededMap<std::string, std::vector<Slice>> async_;       // no entry is empty
  int64_t begun_open_ = 0;
  int64_t async_open_ = 0;
};

}  // namespace steptrace::import::kineto
