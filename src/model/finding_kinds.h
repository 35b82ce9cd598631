// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/finding.h"

namespace steptrace::model {

// clang-format off
enum class FindingKind : uint8_t {
  kDataBatchNotReady,
  kDataLoadedByTraining,
  kDataAwaited,
  kDataSamples,
  kDataStagesOfProfile,
  kStepStages,
  kOperatorsStages,
  kCommunicationStages,
  kStepFasterWithout,
  kStepProcessIdle,
  kStepCheckpoints,
  kStepEvaluations,
  kStepGarbageCollections,
  kStepUserRange,
  kStepRunsIn,
  kStepWaitsIn,
  kStepThreadBeside,
  kCpuCoresBusy,
  kCpuUsedByJob,
  kCpuQuotaRanOut,
  kCpuContention,
  kCpuOtherWork,
  kCpuRunDelay,
  kStorageIoWait,
  kStorageRead,
  kDeviceBusy,
  kDeviceInPhases,
  kDeviceCaughtUp,
  kDeviceComputing,
  kDeviceOneOfSeveralComputing,
  kDeviceSlowCalls,
  kGpuSharedWithOthers,
  kGpuUnknownProcesses,
  kGpuRanksTogether,
  kGpuManyRanksTogether,
  kCommunicationLastRank,
  kCommunicationWaitedForRank,
  kCommunicationCalls,
  kModelNoStacks,
  kModelFewSamples,
  kModelOperatorsShare,
  kModelBetweenOperators,
  kVerdictFewSteps,
  kVerdictAllWarmUp,
  kVerdictWarmUp,
  kRunStepsLeftOut,
  kRunDevicesLeftOut,
  kRunLost,
  kRunHookFailed,
  kRunLastSeen,
  kProfileProcessesTogether,
  kProfileThreadsTogether,
  kProfileRunsIn,
  kProfileWaitsIn,
};

inline constexpr size_t kFindingKindCount = 54;

// What each kind holds: what need not be known is optional, all else is to be given.
namespace finding {

struct DataBatchNotReady {
  Given<int64_t> starved;  // count
  Given<int64_t> waits;  // count
};

struct DataLoadedByTraining {
};

struct DataAwaited {
  Given<double> share;  // share
  Text function;
};

struct DataSamples {
  Given<int64_t> samples;  // count
};

struct DataStagesOfProfile {
};

struct StepStages {
  struct Item {
    Given<double> share;  // share
    Text stage;
  };
  Given<std::vector<Item>> items;
};

struct OperatorsStages {
  struct Item {
    Given<double> share;  // share
    Text stage;
  };
  Given<std::vector<Item>> items;
};

struct CommunicationStages {
  struct Item {
    Given<double> share;  // share
    Text stage;
  };
  Given<std::vector<Item>> items;
};

struct StepFasterWithout {
  Given<double> speedup;  // times
  std::string suspect = {};
  Text stage;
};

struct StepProcessIdle {
  Given<double> share;  // share
  Text where;  // which rows of its table show it
};

struct StepCheckpoints {
  Given<int64_t> steps;  // count
};

struct StepEvaluations {
  Given<int64_t> steps;  // count
};

struct StepGarbageCollections {
  Given<int64_t> steps;  // count
};

struct StepUserRange {
  Given<double> share;  // share
  Text range;
};

struct StepRunsIn {
  Given<double> share;  // share
  Text function;
};

struct StepWaitsIn {
  Given<double> share;  // share
  Text function;
};

struct StepThreadBeside {
  Given<double> share;  // share
  Text function;
};

struct CpuCoresBusy {
  std::optional<double> cores = std::nullopt;  // cores
  Given<double> share;  // share
  Text where;  // which rows of its table show it
};

struct CpuUsedByJob {
  Given<double> used;  // number
  Given<double> cores;  // cores
  Text where;  // which rows of its table show it
};

struct CpuQuotaRanOut {
  std::optional<double> limit = std::nullopt;  // cores
  Given<double> share;  // share
  Text where;  // which rows of its table show it
};

struct CpuContention {
  Given<double> threads;  // number
  Given<double> cores;  // cores
  Text where;  // which rows of its table show it
};

struct CpuOtherWork {
  Given<double> cores;  // cores
  Text where;  // which rows of its table show it
};

struct CpuRunDelay {
  Given<double> seconds;  // number
  Text where;  // which rows of its table show it
};

struct StorageIoWait {
  Given<double> share;  // share
  Text where;  // which rows of its table show it
};

struct StorageRead {
  Given<double> bytes;  // bytes
  Text where;  // which rows of its table show it
};

struct DeviceBusy {
  Given<double> share;  // share
  Text where;  // which rows of its table show it
};

struct DeviceInPhases {
  Given<double> busy;  // share
  Given<double> data;  // share
};

struct DeviceCaughtUp {
  Given<double> share;  // share
};

struct DeviceComputing {
  Given<double> computing;  // share
  Given<double> idle;  // share
};

struct DeviceOneOfSeveralComputing {
  Given<int64_t> devices;  // integer
  Given<double> computing;  // share
  Given<double> idle;  // share
};

struct DeviceSlowCalls {
  Given<int64_t> calls;  // count
  Given<int64_t> all;  // ns
  Given<int64_t> longest;  // ns
  Text call;
};

struct GpuSharedWithOthers {
  Given<int64_t> others;  // integer
  Given<int64_t> gpu;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
};

struct GpuUnknownProcesses {
  Given<int64_t> processes;  // integer
  Given<int64_t> gpu;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<int64_t> ranks;  // integer
};

struct GpuRanksTogether {
  struct Item {
    Given<int64_t> rank;  // integer
  };
  std::string name = {};
  Given<std::vector<Item>> items;
};

struct GpuManyRanksTogether {
  struct Item {
    Given<int64_t> rank;  // integer
  };
  Given<int64_t> more;  // integer
  std::string name = {};
  Given<std::vector<Item>> items;
};

struct CommunicationLastRank {
  Given<int64_t> rank;  // integer
  Given<int64_t> last;  // count
  Given<int64_t> steps;  // count
};

struct CommunicationWaitedForRank {
  Given<int64_t> wait;  // ns
};

struct CommunicationCalls {
  struct Item {
    Given<double> calls;  // number
    std::optional<double> bytes = std::nullopt;  // bytes
    Text call;
  };
  Given<std::vector<Item>> items;
};

struct ModelNoStacks {
  Text reason;
};

struct ModelFewSamples {
};

struct ModelOperatorsShare {
  Given<double> share;  // share
};

struct ModelBetweenOperators {
  Given<double> share;  // share
  Given<double> low;  // share_number
  Given<double> high;  // share_number
  Given<int64_t> steps;  // integer
};

struct VerdictFewSteps {
  Given<int64_t> steps;  // integer
  std::optional<int64_t> within = std::nullopt;  // ns
};

struct VerdictAllWarmUp {
  Given<int64_t> steps;  // integer
};

struct VerdictWarmUp {
  Given<int64_t> warm_up;  // integer
  Given<int64_t> steps;  // integer
};

struct RunStepsLeftOut {
  Given<int64_t> steps;  // count
};

struct RunDevicesLeftOut {
  Given<int64_t> steps;  // count
};

struct RunLost {
  Text detail;
  Text where;  // which rows of its table show it
};

struct RunHookFailed {
  std::string hook = {};
  std::string reason = {};
};

struct RunLastSeen {
  Given<int64_t> time;  // ns
  Given<bool> waits;  // flag
  Given<double> share;  // share
  Given<int64_t> samples;  // count
  std::optional<bool> worker_waits = std::nullopt;  // flag
  std::optional<double> worker_share = std::nullopt;  // share
  std::optional<int64_t> worker_samples = std::nullopt;  // count
  Text function;
  std::string worker_function = {};
};

struct ProfileProcessesTogether {
  Given<int64_t> rank;  // integer
  Given<int64_t> processes;  // integer
  Text where;  // which rows of its table show it
};

struct ProfileThreadsTogether {
  Given<int64_t> threads;  // integer
  Given<int64_t> rank;  // integer
  Text where;  // which rows of its table show it
};

struct ProfileRunsIn {
  Given<double> share;  // share
  Text function;
};

struct ProfileWaitsIn {
  Given<double> share;  // share
  Text function;
};

Finding Make(DataBatchNotReady one);
Finding Make(DataLoadedByTraining one);
Finding Make(DataAwaited one);
Finding Make(DataSamples one);
Finding Make(DataStagesOfProfile one);
Finding Make(StepStages one);
Finding Make(OperatorsStages one);
Finding Make(CommunicationStages one);
Finding Make(StepFasterWithout one);
Finding Make(StepProcessIdle one);
Finding Make(StepCheckpoints one);
Finding Make(StepEvaluations one);
Finding Make(StepGarbageCollections one);
Finding Make(StepUserRange one);
Finding Make(StepRunsIn one);
Finding Make(StepWaitsIn one);
Finding Make(StepThreadBeside one);
Finding Make(CpuCoresBusy one);
Finding Make(CpuUsedByJob one);
Finding Make(CpuQuotaRanOut one);
Finding Make(CpuContention one);
Finding Make(CpuOtherWork one);
Finding Make(CpuRunDelay one);
Finding Make(StorageIoWait one);
Finding Make(StorageRead one);
Finding Make(DeviceBusy one);
Finding Make(DeviceInPhases one);
Finding Make(DeviceCaughtUp one);
Finding Make(DeviceComputing one);
Finding Make(DeviceOneOfSeveralComputing one);
Finding Make(DeviceSlowCalls one);
Finding Make(GpuSharedWithOthers one);
Finding Make(GpuUnknownProcesses one);
Finding Make(GpuRanksTogether one);
Finding Make(GpuManyRanksTogether one);
Finding Make(CommunicationLastRank one);
Finding Make(CommunicationWaitedForRank one);
Finding Make(CommunicationCalls one);
Finding Make(ModelNoStacks one);
Finding Make(ModelFewSamples one);
Finding Make(ModelOperatorsShare one);
Finding Make(ModelBetweenOperators one);
Finding Make(VerdictFewSteps one);
Finding Make(VerdictAllWarmUp one);
Finding Make(VerdictWarmUp one);
Finding Make(RunStepsLeftOut one);
Finding Make(RunDevicesLeftOut one);
Finding Make(RunLost one);
Finding Make(RunHookFailed one);
Finding Make(RunLastSeen one);
Finding Make(ProfileProcessesTogether one);
Finding Make(ProfileThreadsTogether one);
Finding Make(ProfileRunsIn one);
Finding Make(ProfileWaitsIn one);

}  // namespace finding
// clang-format on

}  // namespace steptrace::model
