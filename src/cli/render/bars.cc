// SPDX-License-Identifier: Apache-2.0
#include "cli/render/bars.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace steptrace::cli {
namespace {

constexpr std::array<const char*, 9> kEighthsWide = {
    "", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589", "\u2588"};
constexpr std::array<const char*, 8> kEighthsHigh = {"\u2581", "\u2582", "\u2583", "\u2584",
                                                     "\u2585", "\u2586", "\u2587", "\u2588"};
constexpr std::array<const char*, 8> kAsciiHigh = {"_", ".", ":", "-", "=", "+", "*", "#"};

std::string Repeat(const char* text, int64_t count) {
  std::string result;
  for (int64_t i = 0; i < count; ++i) result += text;
  return result;
}

std::vector<double> Averaged(std::span<const double> values, size_t cells) {
  const size_t used = std::min(values.size(), cells);
  std::vector<double> means;
  for (size_t i = 0; i < used; ++i) {
    const size_t from = i * values.size() / used;
    const size_t to = (i + 1) * values.size() / used;
    double sum = 0;
    for (size_t j = from; j < to; ++j) sum += values[j];
    means.push_back(sum / static_cast<double>(to - from));
  }
  return means;
}

}  // namespace

std::string Bar(double share, int cells, bool unicode) {
  if (!std::isfinite(share) || share <= 0 || cells <= 0) return "";
  share = std::min(share, 1.0);
  if (!unicode) return Repeat("#", std::max<int64_t>(1, std::llround(share * cells)));
  const int64_t eighths = std::max<int64_t>(1, std::llround(share * cells * 8));
  return Repeat(kEighthsWide[8], eighths / 8) + kEighthsWide[static_cast<size_t>(eighths % 8)];
}

std::string SparklineText(std::span<const double> values, double low, double high, int cells,
                          bool unicode) {
  const auto& levels = unicode ? kEighthsHigh : kAsciiHigh;
  std::string result;
  for (double value : Averaged(values, static_cast<size_t>(std::max(cells, 0)))) {
    const double height = high > low ? std::clamp((value - low) / (high - low), 0.0, 1.0) : 0;
    result += std::isfinite(height) ? levels[static_cast<size_t>(std::lround(height * 7))] : " ";
  }
  return result;
}

}  // namespace steptrace::cli
