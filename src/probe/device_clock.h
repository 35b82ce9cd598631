// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace::probe {

// How far the host's clock is ahead of a device's, from what cannot be otherwise: the device
// reaches an event no earlier than the host recorded it, and no later than a query said that it
// had. The largest of the lower bounds is taken; it is close wherever the device had nothing else
// to do. Both bounds loosen with time, for the clocks drift apart.
//
// Passive. Both clocks in ns; the device's from its first event on.
class DeviceClock {
 public:
  // The device was at `device_ns` when the host had at least `host_ns`.
  void AtLeast(int64_t host_ns, int64_t device_ns) {
    Loosen(device_ns);
    const int64_t bound = host_ns - device_ns;
    if (!has_low_ || bound > low_ns_) low_ns_ = bound;
    has_low_ = true;
    if (has_high_ && high_ns_ < low_ns_) high_ns_ = low_ns_;  // drifted more, or a clock was set
  }
  // ... and no more than that.
  void AtMost(int64_t host_ns, int64_t device_ns) {
    Loosen(device_ns);
    const int64_t bound = host_ns - device_ns;
    if (!has_high_ || bound < high_ns_) high_ns_ = bound;
    has_high_ = true;
    if (has_low_ && low_ns_ > high_ns_) low_ns_ = high_ns_;
  }

  int64_t ToHost(int64_t device_ns) const { return device_ns + low_ns_; }
  // The moment is later than ToHost() says by at most so much.
  int64_t UncertaintyNs() const { return has_high_ ? high_ns_ - low_ns_ : INT64_MAX; }

 private:
  // Crystals of computers are off by some 20 parts in a million each.
  static constexpr int64_t kDriftPerMillion = 50;

  void Loosen(int64_t device_ns) {
    if (device_ns <= loosened_to_ns_) return;
    const int64_t drift_ns = (device_ns - loosened_to_ns_) * kDriftPerMillion / 1'000'000;
    if (drift_ns == 0) return;  // not yet: it would be lost
    loosened_to_ns_ = device_ns;
    low_ns_ -= drift_ns;
    high_ns_ += drift_ns;
  }

  int64_t low_ns_ = 0;
  int64_t high_ns_ = 0;
  int64_t loosened_to_ns_ = 0;
  bool has_low_ = false;
  bool has_high_ = false;
};

}  // namespace steptrace::probe
