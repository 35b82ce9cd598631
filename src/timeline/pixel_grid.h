// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace steptrace::timeline {

// A time range cut into `width` pixels: pixel i is [Edge(i), Edge(i + 1)), with
// Edge(i) = from_ns + floor(i * (to_ns - from_ns) / width). Needs from_ns < to_ns,
// to_ns - from_ns <= INT64_MAX and 1 <= width <= 2^31.
class PixelGrid {
 public:
  PixelGrid(int64_t from_ns, int64_t to_ns, int64_t width)
      : from_ns_(from_ns),
        to_ns_(to_ns),
        span_(static_cast<uint64_t>(to_ns) - static_cast<uint64_t>(from_ns)),
        width_(static_cast<uint64_t>(width)),
        narrow_(span_ < (~uint64_t{0} >> 2) / width_) {}

  int64_t from_ns() const { return from_ns_; }
  int64_t to_ns() const { return to_ns_; }
  int64_t width() const { return static_cast<int64_t>(width_); }

  int64_t Edge(int64_t pixel) const {
    const auto i = static_cast<uint64_t>(pixel);
    const uint64_t offset =
        narrow_ ? i * span_ / width_ : static_cast<uint64_t>(Wide{i} * span_ / width_);
    return static_cast<int64_t>(static_cast<uint64_t>(from_ns_) + offset);
  }

  // The pixel that holds a moment of the time range: the last one whose edge is not after it.
  // floor(k s / w) <= x  iff  k s < (x + 1) w, so k = ceil((x + 1) w / s) - 1.
  int64_t PixelOf(int64_t ts_ns) const {
    const uint64_t x = static_cast<uint64_t>(ts_ns) - static_cast<uint64_t>(from_ns_);
    const uint64_t pixel =
        narrow_ ? ((x + 1) * width_ + span_ - 1) / span_ - 1
                : static_cast<uint64_t>((Wide{x + 1} * width_ + span_ - 1) / span_) - 1;
    return static_cast<int64_t>(pixel);
  }

  // The least duration that is a pixel's length or more: ceil(span / width), at least 1.
  int64_t LongFromNs() const {
    return static_cast<int64_t>(std::max<uint64_t>(1, (span_ - 1) / width_ + 1));
  }

 private:
  using Wide = unsigned __int128;

  int64_t from_ns_;
  int64_t to_ns_;
  uint64_t span_;
  uint64_t width_;
  bool narrow_;  // products fit 64 bits
};

}  // namespace steptrace::timeline
