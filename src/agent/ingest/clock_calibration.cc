// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/clock_calibration.h"

#include <algorithm>
#include <limits>

#include "base/time.h"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace steptrace::agent {
namespace {

// One a pass of 1-32 ms: some seconds at full density, beyond which every second one is enough.
constexpr size_t kMaxAnchors = 4096;
// More tries do not come closer; one of three escapes an interrupt.
constexpr int kAnchorTries = 3;

uint64_t ReadTicks() {
#if defined(__x86_64__)
  return __rdtsc();
#else
  return static_cast<uint64_t>(MonotonicNowNs());
#endif
}

// The line through two anchors, at `tsc`, which may lie on either side of `from`.
int64_t OnLine(const ClockAnchor& from, const ClockAnchor& to, uint64_t tsc) {
  // Between anchors some ms apart, as nearly always: 64 bits hold the product.
  constexpr uint64_t kSmall = 1ull << 31;
  const uint64_t small_ns = static_cast<uint64_t>(to.monotonic_ns) - from.monotonic_ns;
  if (tsc >= from.tsc && tsc - from.tsc < kSmall && small_ns < kSmall) {
    return from.monotonic_ns +
           static_cast<int64_t>((tsc - from.tsc) * small_ns / (to.tsc - from.tsc));
  }
  const auto ticks = static_cast<__int128>(to.tsc - from.tsc);
  const auto ns = static_cast<__int128>(to.monotonic_ns - from.monotonic_ns);
  const __int128 distance = static_cast<__int128>(tsc) - static_cast<__int128>(from.tsc);
  __int128 scaled = distance * ns;
  // Towards minus infinity on both sides, so that the line never falls.
  __int128 quotient = scaled / ticks;
  if (scaled % ticks < 0) --quotient;
  const __int128 result = quotient + from.monotonic_ns;
  constexpr __int128 kMax = std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::clamp<__int128>(result, -kMax, kMax));
}

}  // namespace

ClockAnchor ReadClockAnchor() {
  ClockAnchor best;
  uint64_t best_width = std::numeric_limits<uint64_t>::max();
  for (int i = 0; i < kAnchorTries; ++i) {
    const uint64_t before = ReadTicks();
    const int64_t ns = MonotonicNowNs();
    const uint64_t width = ReadTicks() - before;
    if (width < best_width) {
      best_width = width;
      best = {before + width / 2, ns};
    }
  }
  return best;
}

void ClockCalibration::Add(ClockAnchor anchor) {
  const ClockAnchor& last = anchors_.back();
  if (anchor.tsc < last.tsc && anchor.monotonic_ns > last.monotonic_ns) {
    anchors_.assign(1, anchor);
    last_ = {};
    return;
  }
  if (anchor.tsc <= last.tsc || anchor.monotonic_ns <= last.monotonic_ns) return;
  anchors_.push_back(anchor);
  if (anchors_.size() > kMaxAnchors) Thin();
}

// Keeps the newer half dense, and of the older one every second anchor and always the first.
void ClockCalibration::Thin() {
  size_t kept = 0;
  const size_t half = anchors_.size() / 2;
  for (size_t i = 0; i < anchors_.size(); ++i) {
    if (i >= half || i % 2 == 0) anchors_[kept++] = anchors_[i];
  }
  anchors_.resize(kept);
  last_ = {};
}

int64_t ClockCalibration::ToMonotonicNs(uint64_t tsc) const {
  used_ = true;
  if (tsc - last_.from.tsc < last_.to.tsc - last_.from.tsc) {
    return OnLine(last_.from, last_.to, tsc);
  }
  const ClockAnchor& first = anchors_.front();
  const ClockAnchor& last = anchors_.back();
  if (anchors_.size() == 1) {
    return OnLine(first, {first.tsc + 1, first.monotonic_ns + 1}, tsc);
  }
  if (tsc <= first.tsc || tsc >= last.tsc) return OnLine(first, last, tsc);
  auto next = std::upper_bound(anchors_.begin(), anchors_.end(), tsc,
                               [](uint64_t t, const ClockAnchor& a) { return t < a.tsc; });
  last_ = {*(next - 1), *next};
  return OnLine(last_.from, last_.to, tsc);
}

int64_t ClockCalibration::TicksPerSecond() const {
  const ClockAnchor& first = anchors_.front();
  const ClockAnchor& last = anchors_.back();
  const int64_t ns = last.monotonic_ns - first.monotonic_ns;
  if (ns <= 0) return 0;
  return static_cast<int64_t>(static_cast<__int128>(last.tsc - first.tsc) * kNsPerSecond / ns);
}

int64_t RunClock::ToRunNs(uint64_t reading) const {
  const int64_t monotonic_ns =
      calibration != nullptr ? calibration->ToMonotonicNs(reading) : static_cast<int64_t>(reading);
  int64_t run_ns;
  if (__builtin_sub_overflow(monotonic_ns, epoch_monotonic_ns, &run_ns)) return INT64_MIN;
  return run_ns;
}

}  // namespace steptrace::agent
