// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/open_ranges.h"

#include <utility>

namespace steptrace::import::kineto {

bool OpenRanges::HasRoomOnThreads() {
  if (begun_open_ < kMostOpen) return true;
  ++lost_[LossCause::kBeginWithoutEnd];
  return false;
}

void OpenRanges::Begin(const Slice& slice) {
  begun_[slice.track].push_back(slice);
  ++begun_open_;
}

Slice OpenRanges::Ended(std::vector<Slice>& open, int64_t end_ns) {
  Slice slice = open.back();
  open.pop_back();
  slice.dur_ns = end_ns - slice.ts_ns;
  if (slice.dur_ns < 0) {
    ++lost_[LossCause::kNegativeDuration];
    slice.dur_ns = 0;
  }
  return slice;
}

std::optional<Slice> OpenRanges::End(int32_t track, int64_t end_ns) {
  const auto found = begun_.find(track);
  if (found == begun_.end() || found->second.empty()) {
    ++lost_[LossCause::kEndWithoutBegin];
    return std::nullopt;
  }
  --begun_open_;
  return Ended(found->second, end_ns);
}

void OpenRanges::BeginAsync(std::string key, const Slice& slice) {
  if (async_open_ >= kMostOpen) {
    ++lost_[LossCause::kBeginWithoutEnd];
    return;
  }
  async_[std::move(key)].push_back(slice);
  ++async_open_;
}

std::optional<Slice> OpenRanges::EndAsync(const std::string& key, int64_t end_ns) {
  const auto found = async_.find(key);
  if (found == async_.end()) {
    ++lost_[LossCause::kEndWithoutBegin];
    return std::nullopt;
  }
  --async_open_;
  const Slice slice = Ended(found->second, end_ns);
  if (found->second.empty()) async_.erase(found);
  return slice;
}

void OpenRanges::Finish() {
  lost_[LossCause::kBeginWithoutEnd] += begun_open_ + async_open_;
}

}  // namespace steptrace::import::kineto
