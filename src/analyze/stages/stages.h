// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "analyze/stages/stage_ids.h"

// The vocabulary of the verdict (schema/stages.toml): six suspects and their stages. Every
// nanosecond of a step belongs to exactly one stage, so all else is sums of these.
namespace steptrace::analyze {

static_assert(kSampledStages.back() == SubStage::kGetitem &&
                  static_cast<size_t>(SubStage::kGetitem) + 1 == kSampledStages.size(),
              "the dataset's stages come first, and getitem is the last of them");
// Those of the data pipeline but for what a device waits for: from kStorageRead to kWorkerStart.
inline constexpr size_t kHostDataStages = static_cast<size_t>(SubStage::kHostToDevice);
static_assert(kStageInfos[kHostDataStages].suspect == SuspectId::kDataPipeline,
              "what a device waits for is the last of the data pipeline");

// Whether the time that is waited for the dataset is shared out over what it does (kSampledStages),
// or is getitem as one: as of a run of which nothing tells more.
enum class DatasetTime : uint8_t { kByStage, kAsOne };

using StageTimes = std::array<int64_t, kSubStageCount>;   // ns by SubStage
using SuspectTimes = std::array<int64_t, kSuspectCount>;  // ns by SuspectId

constexpr const char* StageName(SubStage stage) {  // as stored: "getitem"
  return kStageInfos[static_cast<size_t>(stage)].name;
}
constexpr const StageInfo& InfoOf(SubStage stage) {
  return kStageInfos[static_cast<size_t>(stage)];
}
constexpr SuspectId SuspectOf(SubStage stage) {
  return kStageInfos[static_cast<size_t>(stage)].suspect;
}
constexpr const char* SuspectName(SuspectId suspect) {  // as stored: "data_pipeline"
  return kSuspectInfos[static_cast<size_t>(suspect)].name;
}
constexpr const char* SuspectTitle(SuspectId suspect) {  // in a sentence: "data pipeline"
  return kSuspectInfos[static_cast<size_t>(suspect)].title;
}
// Whether it can be to blame for a slow step.
constexpr bool IsBlamed(SuspectId suspect) {
  return kSuspectInfos[static_cast<size_t>(suspect)].blamed;
}
std::optional<SuspectId> SuspectNamed(std::string_view name);
// A stored name of a stage or suspect in a sentence: "dataset __getitem__"; of anything else with
// its words apart: "host work".
std::string TitleOf(std::string_view name);

// What makes a rank late: the data pipeline as a whole, or a stage of another suspect.
using StragglerCause = std::variant<SuspectId, SubStage>;
const char* NameOf(const StragglerCause& cause);   // as stored: "data_pipeline", "forward"
const char* TitleOf(const StragglerCause& cause);  // in a sentence

// Other work and unattributed time: a sentence names their largest stage in place of them.
constexpr bool IsNamedByStage(SuspectId suspect) {
  return kSuspectInfos[static_cast<size_t>(suspect)].by_stage;
}
inline bool IsNamedByStage(std::string_view suspect) {
  const auto known = SuspectNamed(suspect);
  return known && IsNamedByStage(*known);
}

inline int64_t& At(StageTimes& times, SubStage stage) {
  return times[static_cast<size_t>(stage)];
}
inline int64_t At(const StageTimes& times, SubStage stage) {
  return times[static_cast<size_t>(stage)];
}
inline int64_t At(const SuspectTimes& times, SuspectId suspect) {
  return times[static_cast<size_t>(suspect)];
}

void AddTo(StageTimes& sum, const StageTimes& times);
int64_t Sum(const StageTimes& times);
SuspectTimes BySuspect(const StageTimes& times);
// The stage of the suspect that has most; its first where all have nothing.
SubStage LargestStage(const StageTimes& times, SuspectId suspect);

// Makes the parts sum to `total` exactly, in proportion to what they are now; where they are all
// 0, `fallback` gets everything. Negative parts count as 0.
void FitParts(std::span<int64_t> parts, int64_t total, size_t fallback);

// Moves up to `ns` from one stage to another.
void Move(StageTimes& times, SubStage from, SubStage to, int64_t ns);

// Shares that sum to 1 without an error of rounding, in whatever order they are added: each is a
// multiple of 2^-40.
template <size_t N>
std::array<double, N> ExactShares(const std::array<int64_t, N>& parts);

extern template std::array<double, kSubStageCount> ExactShares(const StageTimes&);
extern template std::array<double, kSuspectCount> ExactShares(const SuspectTimes&);

}  // namespace steptrace::analyze
