// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace::probe {

// Device work that had not ended when it was told, by the correlations of its launches, which only
// grow. What was launched behind the window, when calls of the host were no longer told and the
// device still was, is nobody's loss. One thread at a time.
class UnendedWork {
 public:
  void Add(uint32_t correlation) {
    if (count_ < kKnown) known_[count_] = correlation;
    ++count_;
  }
  // A call of the host's that was told.
  void NoteCall(uint32_t correlation) {
    if (correlation > last_call_) last_call_ = correlation;
  }
  // A kernel, copy or fill that was reported with its end. A wait of a stream's is none: its times
  // are those of the host's call.
  void NoteEnded(uint32_t correlation) {
    if (correlation > last_ended_) last_ended_ = correlation;
  }
  // Whether the device has ended what was launched behind the window.
  bool IsPastWindow() const { return last_ended_ > last_call_; }
  // How many of the window's own launches, once; of more than are known each counts.
  uint64_t TakeOfWindow() {
    uint64_t count = count_ > kKnown ? count_ - kKnown : 0;
    for (uint64_t i = 0; i < count_ && i < kKnown; ++i) {
      if (last_call_ == 0 || known_[i] <= last_call_) ++count;
    }
    count_ = 0;
    return count;
  }
  void Reset() { count_ = last_call_ = last_ended_ = 0; }

 private:
  static constexpr uint32_t kKnown = 1024;  // as much as a queue of launches holds
  uint64_t count_ = 0;
  uint32_t last_call_ = 0;
  uint32_t last_ended_ = 0;
  uint32_t known_[kKnown]{};
};

}  // namespace steptrace::probe
