// SPDX-License-Identifier: Apache-2.0
#include "analyze/stages/stages.h"

#include <algorithm>

#include "analyze/stats/distribution.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kShareUnits = int64_t{1} << 40;

}  // namespace

std::optional<SuspectId> SuspectNamed(std::string_view name) {
  for (SuspectId suspect : kSuspects) {
    if (name == SuspectName(suspect)) return suspect;
  }
  return std::nullopt;
}

std::string TitleOf(std::string_view name) {
  for (const StageInfo& stage : kStageInfos) {
    if (name == stage.name) return stage.title;
  }
  if (const auto suspect = SuspectNamed(name)) return SuspectTitle(*suspect);
  std::string title(name);
  std::replace(title.begin(), title.end(), '_', ' ');
  return title;
}

const char* NameOf(const StragglerCause& cause) {
  const auto* stage = std::get_if<SubStage>(&cause);
  return stage != nullptr ? StageName(*stage) : SuspectName(std::get<SuspectId>(cause));
}

const char* TitleOf(const StragglerCause& cause) {
  const auto* stage = std::get_if<SubStage>(&cause);
  return stage != nullptr ? InfoOf(*stage).title : SuspectTitle(std::get<SuspectId>(cause));
}

void AddTo(StageTimes& sum, const StageTimes& times) {
  for (size_t i = 0; i < kSubStageCount; ++i) sum[i] = SaturatingAdd(sum[i], times[i]);
}

int64_t Sum(const StageTimes& times) {
  int64_t sum = 0;
  for (int64_t ns : times) sum = SaturatingAdd(sum, ns);
  return sum;
}

SuspectTimes BySuspect(const StageTimes& times) {
  SuspectTimes result{};
  for (size_t i = 0; i < kSubStageCount; ++i) {
    int64_t& sum = result[static_cast<size_t>(kStageInfos[i].suspect)];
    sum = SaturatingAdd(sum, times[i]);
  }
  return result;
}

SubStage LargestStage(const StageTimes& times, SuspectId suspect) {
  size_t best = kSubStageCount;
  for (size_t i = 0; i < kSubStageCount; ++i) {
    if (kStageInfos[i].suspect != suspect) continue;
    if (best == kSubStageCount || times[i] > times[best]) best = i;
  }
  return static_cast<SubStage>(best);
}

void FitParts(std::span<int64_t> parts, int64_t total, size_t fallback) {
  total = std::max<int64_t>(total, 0);
  __int128 sum = 0;  // of parts of a damaged row, which need not fit
  for (int64_t& part : parts) {
    part = std::max<int64_t>(part, 0);
    sum += part;
  }
  if (sum == total) return;
  if (sum == 0) {
    parts[fallback] = total;
    return;
  }
  int64_t left = total;
  size_t largest = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    parts[i] = static_cast<int64_t>(static_cast<__int128>(parts[i]) * total / sum);
    left -= parts[i];
    if (parts[i] > parts[largest]) largest = i;
  }
  parts[largest] += left;
}

void Move(StageTimes& times, SubStage from, SubStage to, int64_t ns) {
  ns = std::clamp<int64_t>(ns, 0, std::max<int64_t>(At(times, from), 0));
  At(times, from) -= ns;
  At(times, to) += ns;
}

template <size_t N>
std::array<double, N> ExactShares(const std::array<int64_t, N>& parts) {
  std::array<int64_t, N> units = parts;
  std::array<double, N> shares{};
  if (std::all_of(parts.begin(), parts.end(), [](int64_t part) { return part <= 0; })) {
    return shares;
  }
  FitParts(units, kShareUnits, 0);
  for (size_t i = 0; i < N; ++i) {
    shares[i] = static_cast<double>(units[i]) / static_cast<double>(kShareUnits);
  }
  return shares;
}

template std::array<double, kSubStageCount> ExactShares(const StageTimes&);
template std::array<double, kSuspectCount> ExactShares(const SuspectTimes&);

}  // namespace steptrace::analyze
