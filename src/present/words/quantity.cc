// SPDX-License-Identifier: Apache-2.0
#include "present/words/quantity.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <limits>

#include "base/time.h"

namespace steptrace::present {
namespace {

constexpr int64_t kNsPerMinute = 60 * kNsPerSecond;

std::string Grouped(const std::string& digits) {
  std::string result;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string WithoutTrailingZeros(std::string digits) {
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

// "2 min 5 s": whole units below, rounded to the smaller one.
Duration TwoUnits(int64_t ns, int64_t large, const char* large_name, int64_t small,
                  const char* small_name) {
  const int64_t smalls = (ns + small / 2) / small;
  const int64_t ratio = large / small;
  std::string number = fmt::to_string(smalls / ratio);
  if (smalls % ratio == 0) return {std::move(number), large_name};
  return {std::move(number), fmt::format("{} {} {}", large_name, smalls % ratio, small_name)};
}

}  // namespace

std::string FormatNumber(double value) {
  if (!std::isfinite(value)) return "-";
  if (value == 0) return "0";
  const double size = std::fabs(value);
  // Which power of ten the rounded value has: 99.96 has three digits before the point.
  int exponent = static_cast<int>(std::floor(std::log10(size)));
  const double unit = std::pow(10.0, exponent - 2);
  const double rounded = std::round(size / unit) * unit;
  if (rounded >= std::pow(10.0, exponent + 1)) ++exponent;
  const double signed_rounded = value < 0 ? -rounded : rounded;
  if (exponent >= 2) return fmt::format("{:.0f}", signed_rounded);
  if (exponent < -6) return fmt::format("{:.2e}", value);
  return WithoutTrailingZeros(fmt::format("{:.{}f}", signed_rounded, 2 - exponent));
}

Duration DurationOf(int64_t ns) {
  if (ns == 0) return {"0", "s"};
  if (ns < kNsPerUs) return {fmt::to_string(ns), "ns"};
  const double value = static_cast<double>(ns);
  if (value < 999.5e3) return {FormatNumber(value / 1e3), "\u00b5s"};
  if (value < 999.5e6) return {FormatNumber(value / 1e6), "ms"};
  if (value < 99.95e9) return {FormatNumber(value / 1e9), "s"};
  if (ns < 60 * kNsPerMinute - kNsPerSecond / 2) {
    return TwoUnits(ns, kNsPerMinute, "min", kNsPerSecond, "s");
  }
  if (ns < 100 * kNsPerHour) return TwoUnits(ns, kNsPerHour, "h", kNsPerMinute, "min");
  return {FormatNumber(value / (24.0 * static_cast<double>(kNsPerHour))), "days"};
}

std::string FormatDuration(int64_t ns) {
  if (ns == std::numeric_limits<int64_t>::min()) ++ns;
  return ns < 0 ? "-" + FormatDuration(-ns) : DurationOf(ns).Text();
}

std::string FormatShareNumber(double share) {
  if (!std::isfinite(share)) return "-";
  const double percent = share * 100;
  if (percent == 0) return "0";
  if (std::fabs(percent) < 0.05) return "<0.1";
  if (std::fabs(percent) < 0.95) return fmt::format("{:.1f}", percent);
  return fmt::format("{:.0f}", percent);
}

std::string FormatShare(double share) {
  return FormatShareNumber(share) + " %";
}

std::string FormatFineShare(double share) {
  return std::isfinite(share) ? fmt::format("{:.3g} %", share * 100) : "-";
}

std::string FormatBytes(double bytes) {
  static constexpr std::array<const char*, 6> kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  size_t unit = 0;
  while (std::fabs(bytes) >= 999.5 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return FormatNumber(bytes) + " " + kUnits[unit];
}

std::string FormatScaled(double value, std::string_view unit) {
  static constexpr std::array<const char*, 7> kPrefixes = {"", "k", "M", "G", "T", "P", "E"};
  size_t prefix = 0;
  while (std::fabs(value) >= 999.5 && prefix + 1 < kPrefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return FormatNumber(value) + " " + kPrefixes[prefix] + std::string(unit);
}

std::string FormatCount(int64_t count) {
  const std::string digits = fmt::format("{}", count);
  return count < 0 ? "-" + Grouped(digits.substr(1)) : Grouped(digits);
}

std::string FormatRatio(double ratio) {
  if (!std::isfinite(ratio)) return "-";
  return (ratio < 9.95 ? fmt::format("{:.1f}", ratio) : FormatNumber(ratio)) + "\u00d7";
}

std::string FormatCounted(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(count), noun, count == 1 ? "" : "s");
}

std::string FormatCores(double cores) {
  return fmt::format("{} core{}", FormatNumber(cores), cores == 1 ? "" : "s");
}

std::string FormatMoney(double amount) {
  if (!std::isfinite(amount)) return "-";
  if (std::fabs(amount) < 0.01) return FormatNumber(amount);
  if (std::fabs(amount) < 10) return fmt::format("{:.2f}", amount);
  if (std::fabs(amount) < 100) return fmt::format("{:.1f}", amount);
  const double unit = std::pow(10.0, std::floor(std::log10(std::fabs(amount))) - 2);
  const double rounded = std::round(amount / unit) * unit;
  return std::fabs(rounded) < 1e15 ? FormatCount(std::llround(rounded)) : FormatNumber(rounded);
}

}  // namespace steptrace::present
