// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace steptrace::probe {

// While it lives the thread computes as IEEE 754 has it: denormals are numbers, nothing traps.
// Afterwards all is as before, what has been raised meanwhile included.
class FloatSettings {
 public:
#if defined(__x86_64__)
  FloatSettings() : before_(__builtin_ia32_stmxcsr()) {
    __builtin_ia32_ldmxcsr(kUsual);
  }
  ~FloatSettings() {
    __builtin_ia32_ldmxcsr(before_);
  }
#elif defined(__aarch64__)
  FloatSettings() {
    asm volatile("mrs %0, fpcr\n mrs %1, fpsr" : "=r"(before_), "=r"(raised_));
    asm volatile("msr fpcr, %0" : : "r"(uint64_t{0}) : "memory");
  }
  ~FloatSettings() {
    asm volatile("msr fpcr, %0\n msr fpsr, %1" : : "r"(before_), "r"(raised_) : "memory");
  }
#endif
  FloatSettings(const FloatSettings&) = delete;
  FloatSettings& operator=(const FloatSettings&) = delete;

 private:
#if defined(__x86_64__)
  static constexpr uint32_t kUsual = 0x1f80;
  uint32_t before_;
#elif defined(__aarch64__)
  uint64_t before_ = 0;
  uint64_t raised_ = 0;
#endif
};

}  // namespace steptrace::probe
