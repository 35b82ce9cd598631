// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers as people read them: a unit, and at most three significant digits. Terminals without
// Unicode spell its signs: "us", "2.9x" (cli/render/page.cc).
namespace steptrace::present {

std::string FormatNumber(double value);  // 0.123  12.3  123  12345 -> 12300
struct Duration {
  std::string number, unit;  // of two units: the first one's number, and the rest

  std::string Text() const { return number + " " + unit; }
};
Duration DurationOf(int64_t ns);  // not negative

std::string FormatDuration(int64_t ns);       // 62.1 ms  33.8 s  2 min 5 s  3 h 12 min
std::string FormatShare(double share);        // 65 %  0.4 %  <0.1 %
std::string FormatShareNumber(double share);  // the same without the sign
std::string FormatFineShare(double share);    // to three digits: 3.04 %
std::string FormatBytes(double bytes);        // 2.1 GiB
// By thousands, as the unit's field does: 312 TFLOP/s  1.01 GB/s
std::string FormatScaled(double value, std::string_view unit);
std::string FormatCount(int64_t count);  // 1 234 567 stays exact: 1,234,567
std::string FormatCounted(int64_t count, std::string_view noun);  // 1 step  1,234 steps
std::string FormatCores(double cores);                            // 2 cores  1 core  0.985 cores
std::string FormatRatio(double ratio);                            // 2.9×
std::string FormatMoney(double amount);  // 3240.12 -> 3,240  0.0123 -> 0.0123

}  // namespace steptrace::present
