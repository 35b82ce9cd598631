// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

// The vocabulary of the verdict: five suspects and their stages, by the names of DESIGN section 7.
// Every nanosecond of a step belongs to exactly one stage, so all else is sums of these.
namespace steptrace::analyze {

enum class SubStage : uint8_t {
  kStorageRead,
  kDecode,
  kAugmentation,
  kTokenise,
  kUserCode,  // the dataset's own functions, where samples name them
  kLock,
  kCopy,
  kGetitem,  // the dataset, where no sample tells more
  kCollate,
  kReceive,
  kCpuShortage,
  kWorkerStart,
  kHostToDevice,  // a device waits for a copy to it, and does nothing else
  kForward,
  kBackward,
  kOptimizer,
  kCompute,     // a device computes; without device events: it was busy while the host waited
  kDeviceCopy,  // copies within and from a device, with nothing beside them
  kExposed,
  kStraggler,
  kGarbageCollection,
  kRecompilation,
  kDispatch,         // a device waits while the framework goes from operator to operator
  kLaunch,           // ... while it launches, or between the kernels that were launched
  kSynchronisation,  // ... while the host waits for it, or a stream for another
  kCheckpoint,
  kEvaluation,
  kLogging,
  kCapture,   // windows of ours begin and end
  kLoopCode,  // "user_code" too: functions of the script beside the model
  kUnknown,
};
inline constexpr size_t kSubStageCount = 31;

enum class SuspectId : uint8_t {
  kDataPipeline,
  kModel,
  kCommunication,
  kFrameworkOverhead,
  kOther
};
inline constexpr size_t kSuspectCount = 5;
inline constexpr std::array<SuspectId, kSuspectCount> kSuspects = {
    SuspectId::kDataPipeline, SuspectId::kModel, SuspectId::kCommunication,
    SuspectId::kFrameworkOverhead, SuspectId::kOther};

// Those that wait for the dataset, as far as samples share them out.
inline constexpr std::array<SubStage, 8> kSampledStages = {
    SubStage::kStorageRead, SubStage::kDecode, SubStage::kAugmentation, SubStage::kTokenise,
    SubStage::kUserCode,    SubStage::kLock,   SubStage::kCopy,         SubStage::kGetitem};
// Those of the data pipeline but for what a device waits for: from kStorageRead to kWorkerStart.
inline constexpr size_t kHostDataStages = 12;

// Whether the time that is waited for the dataset is shared out over what it does (kSampledStages),
// or is getitem as one: as of a run of which nothing tells more.
enum class DatasetTime : uint8_t { kByStage, kAsOne };

using StageTimes = std::array<int64_t, kSubStageCount>;   // ns by SubStage
using SuspectTimes = std::array<int64_t, kSuspectCount>;  // ns by SuspectId

const char* StageName(SubStage stage);        // as stored: "getitem"
const char* SuspectName(SuspectId suspect);   // as stored: "data_pipeline"
const char* SuspectTitle(SuspectId suspect);  // in a sentence: "data pipeline"
SuspectId SuspectOf(SubStage stage);

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
