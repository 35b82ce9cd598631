// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/finding.h"

namespace steptrace::model {

// clang-format off
enum class FindingKind : uint16_t {
  kDataBatchNotReady,
  kDataLoadedByTraining,
  kDataAwaited,
  kDataTakesCores,
  kCpuCoresWereShort,
  kDataSamples,
  kDataStagesOfProfile,
  kStepStages,
  kStepDrift,
  kOperatorsStages,
  kCommunicationStages,
  kStepFasterWithout,
  kStepBoundIncludes,
  kStepBoundOfStraggler,
  kStepLittleRemains,
  kStepFewerOperators,
  kStepUnrecognised,
  kStepProcessIdle,
  kStepCheckpoints,
  kStepEvaluations,
  kStepCollectionThresholds,
  kFrameworkRecompiled,
  kFrameworkRecompileLimit,
  kStepLockHeld,
  kStepGarbageCollections,
  kStepUserRange,
  kStepRunsIn,
  kStepWaitsIn,
  kStepThreadBeside,
  kCpuCoresBusy,
  kCpuAllowedCores,
  kCpuUsedByJob,
  kCpuQuotaRanOut,
  kCpuContention,
  kCpuOtherWork,
  kCpuRunDelay,
  kStorageIoWait,
  kStorageRead,
  kDeviceBusy,
  kDeviceInPhases,
  kDeviceIdleAtPhaseEnd,
  kDeviceComputing,
  kDeviceOneOfSeveralComputing,
  kDeviceSlowCalls,
  kGpuSharedWithOthers,
  kGpuUnknownProcesses,
  kGpuRanksTogether,
  kGpuManyRanksTogether,
  kCommunicationStraggler,
  kCommunicationWaitedForRank,
  kCommunicationRanksAbsent,
  kCommunicationOnTheHost,
  kCommunicationCalls,
  kCommunicationGradientExchange,
  kCommunicationExchangeEachBackward,
  kModelDeterministicFill,
  kModelSlowerThanInOtherSteps,
  kModelSlowerThanAlike,
  kModelNoStacks,
  kModelFewSamples,
  kModelOperatorsShare,
  kModelBetweenOperators,
  kModelKernelClasses,
  kVerdictFewSteps,
  kVerdictAllWarmUp,
  kVerdictWarmUp,
  kRunStepsLeftOut,
  kRunDevicesLeftOut,
  kRunDataLoss,
  kRunDiskRefused,
  kRunHookFailed,
  kRunLastSeen,
  kProfileProcessesTogether,
  kProfileWorkNotRecorded,
  kProfileStepsOverlap,
  kProfileStepsNested,
  kProfileThreadsTogether,
  kProfileRunsIn,
  kProfileBusiest,
  kProfileWaitsIn,
  kDataTakeWholeBatches,
  kDataCheaperGetitem,
  kDataCheaperCollate,
  kDataCheaperSampler,
  kDataHandOverLess,
  kDataShareByFileSystem,
  kDataLocalCopy,
  kDataFewerWorkers,
  kDataWorkersOfCores,
  kDataCheaperWorkerStart,
  kDataOneIterator,
  kDataPersistentWorkers,
  kDataCopyAhead,
  kDataPrefetchMore,
  kDataLoadAhead,
  kDataPinMemory,
  kDataQueryLess,
  kDataDecodeLess,
  kDataAugmentOnDevice,
  kDataAugmentVectorised,
  kDataTokeniseAhead,
  kDataAskEarlier,
  kDataCheaperAwaited,
  kDataCheaperSamplerCode,
  kDataCheaperCode,
  kDataCheaperHelpers,
  kDataHoldLockLess,
  kDataShareLess,
  kDataCopyLess,
  kDataKeepWorkers,
  kDataEvenParts,
  kDataMoreWaitingWorkers,
  kDataCoresTaken,
  kDataCoresFilled,
  kDataFirstWorkers,
  kDataMoreWorkers,
  kDataLookAtWorkers,
  kDataLoadBeside,
  kStepStopGrowth,
  kCpuRaiseQuota,
  kCpuAllowMoreCores,
  kCpuMoreCores,
  kCpuFreeForTraining,
  kCpuFreeForWorkers,
  kCpuFreeForOperators,
  kCpuFreeForModel,
  kCpuFewerThreads,
  kStepOwnProcess,
  kStepComputeLess,
  kStepFewerCheckpoints,
  kStepFewerEvaluations,
  kStepLogLess,
  kStepFewerWindows,
  kStepLookAtRange,
  kStepLookAtWork,
  kStepLookAtWait,
  kStepAnnotate,
  kProfileRecordHost,
  kProfileRecordStacks,
  kProfileAfterWarmUp,
  kModelMoreSteps,
  kModelSampleStacks,
  kModelKernels,
  kModelFuseKernels,
  kModelFuseAnyKernels,
  kModelLowerPrecision,
  kModelLowerAnyPrecision,
  kModelProfileOperators,
  kModelOperators,
  kModelNoDeterministicFill,
  kModelFlushDenormals,
  kModelCaptureKernels,
  kModelCaptureOperators,
  kFrameworkNoAnomalyDetection,
  kFrameworkMoreInALaunch,
  kFrameworkFixGraphBreaks,
  kFrameworkFuseOperators,
  kFrameworkCollectSeldom,
  kFrameworkFixedShapes,
  kFrameworkSteadyShapes,
  kFrameworkSteadyTensors,
  kFrameworkValuesAsTensors,
  kFrameworkTextsOutside,
  kFrameworkSteadyLengths,
  kFrameworkOneState,
  kFrameworkOneObject,
  kFrameworkLookAtGuard,
  kFrameworkLookAtUnbegunWork,
  kFrameworkRunAhead,
  kCommunicationAllRanks,
  kCommunicationAccumulateWithoutSync,
  kCommunicationAccumulate,
  kCommunicationNoSync,
  kCommunicationCallLess,
  kCommunicationTensorsForObjects,
  kCommunicationNoBarrier,
  kCommunicationMicroBatches,
  kCommunicationJoinCalls,
  kCommunicationWaitLater,
  kCommunicationStartAsynchronously,
  kCommunicationHoldParameters,
  kCommunicationMoreLayersAUnit,
  kCommunicationShardGradients,
  kCommunicationLargerUnits,
  kCommunicationLargerBuckets,
  kCommunicationNccl,
  kCommunicationNoUnusedParameters,
  kCommunicationEvenWork,
  kCommunicationLookAtData,
  kCommunicationLookAtRank,
  kCommunicationLookAtCause,
  kRunCallStep,
  kRunCallStepIfItTrains,
  kRunCallStepIfItTrained,
  kRunCallStepIfItTrainsAlready,
  kRunLetHooksIn,
  kRunNameRanges,
  kRunLongerRange,
  kRunWithoutTool,
  kRunFreeSpace,
  kRunFixFailure,
  kRunLookWhereItIs,
  kRunLookWhereItWas,
  kRunWithOptimizerHook,
  kRunWithHooks,
  kRunCaptureAgain,
  kRunLookBehindWarmUp,
  kRunMoreSteps,
  kRunAskAgain,
  kRunLonger,
  kImportAllFiles,
  kImportRecordHost,
  kImportMarkStepsJax,
  kImportMarkStepsTensorflow,
  kImportRunTraining,
  kProfileNameRangesJax,
  kProfileNameRangesTensorflow,
  kRecommendationRaiseWorkers,
  kRecommendationDistributedDataParallel,
  kRecommendationUseNccl,
  kRecommendationCommunicateLess,
  kRecommendationGiveDeviceMore,
  kRecommendationMixedPrecision,
  kRecommendationUseLessMemory,
  kRecommendationLaunchLess,
  kRecommendationOverlapCommunication,
  kRecommendationLookAtLateRank,
  kRecommendationSynchroniseLess,
  kRecommendationGatherCopies,
  kRecommendationUseTensorCores,
  kRecommendationKeepBlocks,
  kRuleGpuUnderUtilised,
  kRuleGpuUnderUtilisedOverSteps,
  kRuleGpuUnderUtilisedOverProfile,
  kRuleGpuUnderUtilisedLately,
  kRuleGpuFluctuates,
  kRuleGpuFluctuatesOverSteps,
  kRuleGpuFluctuatesOverProfile,
  kRuleGpuFluctuatesLately,
  kRuleGpuNotUsed,
  kRuleBatchTooSmall,
  kRuleMemoryGrew,
  kRuleMemoryMeanGrew,
  kRuleStepsStarveGpu,
  kRuleCpuBottleneck,
  kRuleIoBottleneck,
  kRuleBottlenecks,
  kRuleGpusDifferInUse,
  kRuleGpusTakeTurns,
  kRuleLastGpusDiffer,
  kRuleLoadersOnCores,
  kRuleWorkersOnCores,
  kRuleWaitsForData,
  kRuleLongSteps,
  kRuleSlowSteps,
  kRuleNoFirstStep,
  kRuleLongInitialization,
  kRuleFound,
  kRecommendationLoader,
  kRecommendationLoaderTime,
  kRecommendationDataParallel,
  kRecommendationGradientExchange,
  kRecommendationCommunication,
  kRecommendationLeastUsedDevice,
  kRecommendationLittleUsedDevice,
  kRecommendationTensorCoresUsed,
  kRecommendationNoTensorCoresUsed,
  kRecommendationTensorCoreOperators,
  kRecommendationMemoryPeak,
  kRecommendationLaunches,
  kRecommendationShortLaunches,
  kRecommendationExposedCommunication,
  kRecommendationCommunicationOverlapped,
  kRecommendationStraggler,
  kRecommendationLateRank,
  kRecommendationSynchronisation,
  kRecommendationSynchronisingCalls,
  kRecommendationSmallCopies,
  kRecommendationSmallCopiesOfAll,
  kRecommendationTensorCoreShare,
  kRecommendationTensorCoreSharePossible,
  kRecommendationAllocator,
  kRecommendationAllocatorCalls,
  kVerdictStraggler,
  kVerdictExchangeOrWaiting,
  kVerdictSuspect,
  kVerdictTrainingWithoutCore,
  kVerdictNoSingleSuspect,
  kVerdictModelIfItComputes,
  kVerdictModelAndNext,
  kVerdictModelAndRest,
  kVerdictModelWithOverhead,
  kVerdictModelWaitsForHost,
  kVerdictModelUnrecognised,
  kVerdictModelHealthy,
  kVerdictModelSlowed,
  kVerdictNoHooks,
  kVerdictNoStepInRange,
  kVerdictCannotRecord,
  kVerdictSharedMemoryFull,
  kVerdictUnrecordedProcess,
  kVerdictScriptProfiler,
  kVerdictStepsDamaged,
  kVerdictStepsRefused,
  kVerdictNoPython,
  kVerdictNoTorch,
  kVerdictNoOptimizer,
  kVerdictOptimizerLeftOut,
  kVerdictImportWithoutSteps,
  kVerdictNoTraining,
  kVerdictHooksOff,
  kVerdictNoStepYet,
  kVerdictOnlyWarmUp,
  kVerdictTooFewSteps,
  kUsageFluctuates,
  kUsageSmallerWithoutGpu,
  kUsageSmaller,
  kUsageHeldUpByCpu,
  kUsageWellUsed,
  kNoteNoDeviceActivity,
  kNoteProfileWithoutDevices,
  kNoteProfileWithoutOperators,
  kNoteProfileWithoutMemory,
  kNoteProfileWithoutModules,
  kNoteStepsLeftOut,
  kNoteAgentEndedFirst,
  kNoteLostAfterLastStep,
  kNoteNoStepMarks,
  kNoteWindows,
  kNoteCollectivesFrom,
  kNoteNoMetric,
  kNoteSamplesAround,
  kNoteNotMeasured,
  kNoteLastSteps,
  kMemoryCopyOnWrite,
  kMemoryDeviceNearlyFull,
  kMemoryCgroupNearlyFull,
  kMemoryMachineNearlyFull,
  kNoteWindowCost,
  kNoteCuptiStays,
  kNoteCuptiTaken,
  kNoteNoGroupReported,
  kNoteNoCollectives,
  kNoteOneRank,
  kNoteNothingMatched,
  kNoteSharedGroupName,
  kNoteCollectivesLackRanks,
  kNoteCallsUnplaced,
  kNoteCallsAmbiguous,
  kComparisonNoSteps,
  kComparisonNoStepsInOne,
  kComparisonMayBeChance,
  kComparisonSame,
  kComparisonFaster,
  kComparisonDatasetStagesOfOne,
  kLegacyText,
  kReasonNoGpuMetric,
  kReasonNoSystemMetric,
  kReasonNoGpuMemoryOrCpu,
  kReasonNoGpuMemory,
  kReasonNoCpu,
  kReasonNoIoWait,
  kReasonGpuMemorySizeUnknown,
  kReasonMemoryInNoStep,
  kReasonNoMemoryRecords,
  kReasonOneGpu,
  kReasonFewSamples,
  kReasonFewSamplesOfTwo,
  kReasonNoTrainingStep,
  kReasonNoStep,
  kReasonFrameworkSilent,
  kReasonNoStepOrOperator,
  kReasonNoLoader,
  kReasonFewSteadySteps,
  kReasonFewStepsOfAKind,
  kReasonFewSnapshots,
  kReasonFewRecordedSteps,
  kReasonNoRuleApplies,
  kReasonBeginLeftOut,
  kReasonNoData,
  kReasonImpossibleTimes,
  kReasonFirstGpusAlone,
  kRuleAdviceLowGpuUtilization,
  kRuleAdviceBatchSize,
  kRuleAdviceCpuBottleneck,
  kRuleAdviceIoBottleneck,
  kRuleAdviceGpuMemoryIncrease,
  kRuleAdviceLoadBalancing,
  kRuleAdviceDataloader,
  kRuleAdviceStepOutlier,
  kRuleAdviceMaxInitializationTime,
  kRuleAdviceProfilerReport,
  kLiveRuleFound,
  kLiveRulePassed,
  kLiveSamplingSlowed,
  kLiveSamplingRestored,
  kLiveSamplingAnew,
  kLiveOwnStacksPace,
  kLiveAgentMemoryOver,
  kLiveAgentMemoryOk,
  kLiveMemoryLeak,
  kLiveMemoryPlateau,
  kLiveMemoryUnknown,
  kLiveStepTimeRisen,
  kLiveStepTimeBack,
  kLiveHang,
  kLiveHangOver,
  kLiveNoHang,
  kLiveTensorNonfinite,
  kLiveGradientVanishing,
  kLiveGradientExploding,
  kLiveLossNotFalling,
  kLiveTensorFiniteAgain,
  kLiveLossSpike,
  kLiveGradientSpike,
  kLiveDeadUnits,
  kLiveCastRange,
  kLiveParameterUnchanged,
  kLiveTensorUnjudged,
  kLossCaptureNothing,
  kLossCaptureCut,
  kLossCaptureWithout,
  kLossKinetoFailed,
  kLossKinetoNoMemory,
  kLossProfileUnread,
  kLossProfilesLeft,
  kLossOfProfile,
  kLossNoRoomForRing,
  kLossRingUnreadable,
  kLossDisarmed,
  kLossStillRan,
  kLossOtherUser,
  kLossNoSitePackages,
  kLossPythonPathIgnored,
  kLossHooksRefused,
  kLossNoHooksLoaded,
  kLossToolOfTheScript,
  kLossNothingToRecord,
  kLossRecordedElsewhere,
  kLossUnavailable,
  kLossImpossibleTimes,
  kLossUnrecognisedEvent,
  kLossRanksMissing,
  kLossHookFailed,
  kLossInFile,
  kLossFileRefused,
  kLossFileCutOff,
  kLossFileDamaged,
  kLossSkippedBytes,
  kLossTooLarge,
  kLossTablesLeftOut,
  kLossProfilerWarned,
  kLossBeyond,
  kLossDuplicateKey,
  kLossMissingMetadata,
  kLossSameProfile,
  kLossSameRank,
  kLossNoDate,
  kLossNotProfiles,
  kLossCutDurations,
  kCostGpusOfNode,
  kCostCoresOfNode,
  kCostMemoryOfNode,
  kCostMemoryUnmeasured,
  kCostGpuMemory,
  kCostGpuMemoryNotCompared,
  kCostGpusOfAll,
  kCostCoresOfProcesses,
  kCostCoresMustShrink,
  kCostBatchGrows,
  kCostOtherSize,
  kCostNoTypes,
  kCostUseUnmeasured,
  kCostNoTypeHolds,
  kCostNoneCheaper,
  kReasonNoPrice,
  kReasonTypeUnclear,
  kReasonTypeNotListed,
  kRunException,
  kRunInterrupted,
  kRunSignal,
  kRunExitCode,
};

inline constexpr size_t kFindingKindCount = 482;

enum class Topic : uint8_t {
  kNone,  // of all that was not noticed while a run went on
  kHang,  // the job makes no steps
  kRule,  // a rule
  kMemory,  // memory of a process or device
  kStepTime,  // how long steps take
  kTensor,  // the numbers in the model
  kAgent,  // the agent's own limits
};

struct TopicInfo {
  std::string_view name;
  std::string_view former;  // with what the subject of its rows began, before findings had kinds
};
inline constexpr TopicInfo kTopics[] = {
    {"", ""},
    {"hang", "hang"},
    {"rule", ""},
    {"memory", "memory"},
    {"step_time", "step time"},
    {"tensor", "tensor"},
    {"agent", "agent"},
};

// What each kind holds: what need not be known is optional, all else is to be given.
namespace finding {
namespace part {  // that several kinds hold

struct Share {
  Given<double> share;  // share
  std::optional<double> low = std::nullopt;  // share_number
  std::optional<double> high = std::nullopt;  // share_number
};

struct ShareOfStep {
  Given<double> share;  // share
  std::optional<double> low = std::nullopt;  // share_number
  std::optional<double> high = std::nullopt;  // share_number
};

struct Ranks {
  std::optional<int64_t> seen = std::nullopt;  // count
  std::optional<int64_t> all = std::nullopt;  // count
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<double> least = std::nullopt;  // share
  std::optional<int64_t> least_rank = std::nullopt;  // integer
  std::optional<double> most = std::nullopt;  // share
  std::optional<int64_t> most_rank = std::nullopt;  // integer
};

struct Suspect {
  std::optional<double> share = std::nullopt;  // share
  Given<bool> mostly;  // flag
  Given<bool> waits;  // flag
  Given<bool> comma;  // flag
  Text name;
  PlacedText function = {};
  PlacedText place = {};
};

struct Slowed {
  Given<bool> quota;  // flag
  Given<bool> others;  // flag
  std::optional<int64_t> threads = std::nullopt;  // integer
  std::optional<int64_t> ranks = std::nullopt;  // integer
  std::optional<double> cores = std::nullopt;  // cores
  Given<bool> anomalies;  // flag
  PlacedText beside = {};
};

struct Seen {
  Given<bool> unmarked;  // flag
  std::optional<int64_t> steps = std::nullopt;  // integer
};

struct Capture {
  std::optional<int64_t> asked = std::nullopt;  // integer
  std::string window = {};
};

struct Elsewhere {
  Given<bool> around;  // flag
  Given<bool> outside;  // flag
};

}  // namespace part

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

struct DataTakesCores {
};

struct CpuCoresWereShort {
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

struct StepDrift {
  Given<int64_t> from;  // ns
  Given<int64_t> to;  // ns
  std::optional<int64_t> stage_from = std::nullopt;  // ns
  std::optional<int64_t> stage_to = std::nullopt;  // ns
  std::string stage = {};
  PlacedText function = {};
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

struct StepBoundIncludes {
  struct Item {
    Given<double> share;  // share
    Given<bool> apart;  // flag
    Given<bool> warm;  // flag
    std::string stage = {};
  };
  Given<std::vector<Item>> items;
};

struct StepBoundOfStraggler {
  Given<double> gain;  // share
};

struct StepLittleRemains {
  Given<int64_t> rest;  // ns
};

struct StepFewerOperators {
};

struct StepUnrecognised {
  Given<double> share;  // share
};

struct StepProcessIdle {
  Given<double> share;  // share
};

struct StepCheckpoints {
  Given<int64_t> steps;  // count
};

struct StepEvaluations {
  Given<int64_t> steps;  // count
};

struct StepCollectionThresholds {
  Given<bool> off;  // flag
  Text now;
  Text before;
};

struct FrameworkRecompiled {
  Given<int64_t> count;  // count
  Text function;
  Text guard;
};

struct FrameworkRecompileLimit {
  Given<int64_t> limit;  // integer
  Text function;
  Text guard;
};

struct StepLockHeld {
  Given<double> share;  // share
  Text function;
  PlacedText holder = {};
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
  Given<Conditions> where;  // which rows of its table show it
};

struct CpuAllowedCores {
  Given<double> allowed;  // number
  Given<double> cores;  // cores
  Given<bool> workers;  // flag
};

struct CpuUsedByJob {
  Given<double> used;  // number
  Given<double> cores;  // cores
  Given<Conditions> where;  // which rows of its table show it
};

struct CpuQuotaRanOut {
  std::optional<double> limit = std::nullopt;  // cores
  Given<double> share;  // share
  Given<Conditions> where;  // which rows of its table show it
};

struct CpuContention {
  Given<double> threads;  // number
  Given<double> cores;  // cores
  Given<Conditions> where;  // which rows of its table show it
};

struct CpuOtherWork {
  Given<double> cores;  // cores
  Given<Conditions> where;  // which rows of its table show it
};

struct CpuRunDelay {
  Given<double> seconds;  // number
  Given<Conditions> where;  // which rows of its table show it
};

struct StorageIoWait {
  Given<double> share;  // share
  Given<Conditions> where;  // which rows of its table show it
};

struct StorageRead {
  Given<double> bytes;  // bytes
  Given<Conditions> where;  // which rows of its table show it
};

struct DeviceBusy {
  Given<double> share;  // share
  Given<Conditions> where;  // which rows of its table show it
};

struct DeviceInPhases {
  Given<double> busy;  // share
  Given<double> data;  // share
};

struct DeviceIdleAtPhaseEnd {
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

struct CommunicationStraggler {
  Given<int64_t> rank;  // integer
  Given<int64_t> last;  // count
  Given<int64_t> steps;  // count
};

struct CommunicationWaitedForRank {
  Given<int64_t> rank;  // integer
  Given<int64_t> wait;  // ns
};

struct CommunicationRanksAbsent {
  Given<int64_t> missing;  // integer
  Given<int64_t> all;  // integer
  Given<bool> imported;  // flag
};

struct CommunicationOnTheHost {
  Text backend;
};

struct CommunicationCalls {
  struct Item {
    Given<double> calls;  // number
    std::optional<double> bytes = std::nullopt;  // bytes
    Text call;
  };
  Given<std::vector<Item>> items;
};

struct CommunicationGradientExchange {
  Given<double> bytes;  // bytes
  Given<int64_t> buckets;  // count
};

struct CommunicationExchangeEachBackward {
  Given<double> backwards;  // number
};

struct ModelDeterministicFill {
  Given<double> share;  // share
  Text call;
};

struct ModelSlowerThanInOtherSteps {
  Given<double> times;  // times
  Given<double> share;  // share
  Given<int64_t> first;  // integer
  Given<int64_t> last;  // integer
  Text call;
};

struct ModelSlowerThanAlike {
  Given<double> times;  // times
  Given<double> share;  // share
  Text call;
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

struct ModelKernelClasses {
  struct Item {
    Given<double> share;  // share
    Text class_name;
  };
  Given<std::vector<Item>> items;
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

struct RunDataLoss {
  Text detail;
  Given<Conditions> where;  // which rows of its table show it
};

struct RunDiskRefused {
  Given<int64_t> rows;  // integer
  Text of;
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
  PlacedText worker_function = {};
};

struct ProfileProcessesTogether {
  Given<int64_t> rank;  // integer
  Given<int64_t> processes;  // integer
};

struct ProfileWorkNotRecorded {
  Given<int64_t> rank;  // integer
  Given<int64_t> time;  // ns
};

struct ProfileStepsOverlap {
  Given<int64_t> rank;  // integer
  Given<int64_t> steps;  // count
};

struct ProfileStepsNested {
  Given<int64_t> rank;  // integer
  Given<int64_t> marks;  // count
};

struct ProfileThreadsTogether {
  Given<int64_t> threads;  // integer
  Given<int64_t> rank;  // integer
  Given<Conditions> where;  // which rows of its table show it
};

struct ProfileRunsIn {
  Given<double> share;  // share
  Text function;
};

struct ProfileBusiest {
  Given<double> share;  // share
  Given<int64_t> time;  // ns
  Given<int64_t> calls;  // count
  Text function;
};

struct ProfileWaitsIn {
  Given<double> share;  // share
  Text function;
};

struct DataTakeWholeBatches {
};

struct DataCheaperGetitem {
  std::string dataset = {};
};

struct DataCheaperCollate {
  PlacedText collate = {};
  PlacedText function = {};
};

struct DataCheaperSampler {
};

struct DataHandOverLess {
};

struct DataShareByFileSystem {
};

struct DataLocalCopy {
  std::string dataset = {};
};

struct DataFewerWorkers {
  Given<int64_t> proposed;  // integer
  Given<int64_t> workers;  // integer
};

struct DataWorkersOfCores {
  Given<int64_t> cores;  // integer
  Given<int64_t> workers;  // integer
};

struct DataCheaperWorkerStart {
};

struct DataOneIterator {
};

struct DataPersistentWorkers {
};

struct DataCopyAhead {
};

struct DataPrefetchMore {
  Given<int64_t> proposed;  // integer
  Given<int64_t> prefetched;  // integer
};

struct DataLoadAhead {
  Text function;
};

struct DataPinMemory {
};

struct DataQueryLess {
  PlacedText function = {};
};

struct DataDecodeLess {
  PlacedText function = {};
};

struct DataAugmentOnDevice {
  PlacedText function = {};
};

struct DataAugmentVectorised {
  PlacedText function = {};
};

struct DataTokeniseAhead {
  PlacedText function = {};
};

struct DataAskEarlier {
  PlacedText function = {};
};

struct DataCheaperAwaited {
  Text function;
};

struct DataCheaperSamplerCode {
  PlacedText function = {};
};

struct DataCheaperCode {
  PlacedText function = {};
};

struct DataCheaperHelpers {
  PlacedText function = {};
};

struct DataHoldLockLess {
  PlacedText function = {};
};

struct DataShareLess {
  PlacedText function = {};
};

struct DataCopyLess {
  PlacedText function = {};
};

struct DataKeepWorkers {
  Given<int64_t> workers;  // integer
};

struct DataEvenParts {
  Given<double> at_work;  // tenths
  Given<int64_t> workers;  // integer
};

struct DataMoreWaitingWorkers {
  Given<int64_t> proposed;  // integer
  Given<int64_t> workers;  // integer
};

struct DataCoresTaken {
  Given<double> others;  // number
  Given<double> cores;  // cores
  Given<int64_t> workers;  // integer
};

struct DataCoresFilled {
  Given<int64_t> workers;  // integer
  Given<double> cores;  // cores
  Given<bool> quota;  // flag
  std::optional<double> machine = std::nullopt;  // cores
};

struct DataFirstWorkers {
  Given<int64_t> proposed;  // integer
  Given<double> free;  // number
};

struct DataMoreWorkers {
  Given<int64_t> proposed;  // integer
  Given<int64_t> workers;  // integer
  Given<double> free;  // number
  Given<double> cores;  // cores
  Given<bool> quota;  // flag
  std::optional<double> machine = std::nullopt;  // cores
};

struct DataLookAtWorkers {
};

struct DataLoadBeside {
  Given<int64_t> low;  // integer
  std::optional<int64_t> high = std::nullopt;  // integer
  std::optional<double> cores = std::nullopt;  // cores
};

struct StepStopGrowth {
  PlacedText function = {};
};

struct CpuRaiseQuota {
};

struct CpuAllowMoreCores {
  Given<double> allowed;  // number
  Given<double> cores;  // cores
  Given<bool> workers;  // flag
};

struct CpuMoreCores {
};

struct CpuFreeForTraining {
};

struct CpuFreeForWorkers {
};

struct CpuFreeForOperators {
};

struct CpuFreeForModel {
};

struct CpuFewerThreads {
  Given<int64_t> proposed;  // integer
  Given<int64_t> threads;  // integer
};

struct StepOwnProcess {
  Text function;
};

struct StepComputeLess {
  PlacedText function = {};
};

struct StepFewerCheckpoints {
};

struct StepFewerEvaluations {
};

struct StepLogLess {
  PlacedText function = {};
};

struct StepFewerWindows {
};

struct StepLookAtRange {
  Text range;
};

struct StepLookAtWork {
  Text function;
};

struct StepLookAtWait {
  Text function;
};

struct StepAnnotate {
};

struct ProfileRecordHost {
};

struct ProfileRecordStacks {
};

struct ProfileAfterWarmUp {
};

struct ModelMoreSteps {
};

struct ModelSampleStacks {
  Given<bool> knows_cpu;  // flag
  Text how;
};

struct ModelKernels {
};

struct ModelFuseKernels {
  Given<double> share;  // share
  Given<bool> compiled;  // flag
  Text class_name;
};

struct ModelFuseAnyKernels {
  Given<double> share;  // share
  Text class_name;
};

struct ModelLowerPrecision {
  Given<double> share;  // share
  Given<bool> tf32;  // flag
  Text precision;
  Text lower;
};

struct ModelLowerAnyPrecision {
  Given<double> share;  // share
  Text precision;
  Text lower;
};

struct ModelProfileOperators {
};

struct ModelOperators {
};

struct ModelNoDeterministicFill {
};

struct ModelFlushDenormals {
};

struct ModelCaptureKernels {
};

struct ModelCaptureOperators {
};

struct FrameworkNoAnomalyDetection {
};

struct FrameworkMoreInALaunch {
};

struct FrameworkFixGraphBreaks {
};

struct FrameworkFuseOperators {
};

struct FrameworkCollectSeldom {
  PlacedText function = {};
};

struct FrameworkFixedShapes {
};

struct FrameworkSteadyShapes {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkSteadyTensors {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkValuesAsTensors {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkTextsOutside {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkSteadyLengths {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkOneState {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkOneObject {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkLookAtGuard {
  Given<bool> at_limit;  // flag
  Text function;
  Text guard;
};

struct FrameworkLookAtUnbegunWork {
};

struct FrameworkRunAhead {
};

struct CommunicationAllRanks {
  Given<bool> imported;  // flag
  Given<bool> recorded;  // flag
};

struct CommunicationAccumulateWithoutSync {
};

struct CommunicationAccumulate {
};

struct CommunicationNoSync {
  Given<double> backwards;  // number
  Given<double> left_out;  // number
};

struct CommunicationCallLess {
};

struct CommunicationTensorsForObjects {
  Text call;
};

struct CommunicationNoBarrier {
  Text call;
};

struct CommunicationMicroBatches {
};

struct CommunicationJoinCalls {
};

struct CommunicationWaitLater {
};

struct CommunicationStartAsynchronously {
};

struct CommunicationHoldParameters {
};

struct CommunicationMoreLayersAUnit {
};

struct CommunicationShardGradients {
};

struct CommunicationLargerUnits {
};

struct CommunicationLargerBuckets {
  std::optional<int64_t> bucket_mb = std::nullopt;  // integer
  Given<bool> views;  // flag
  Given<bool> hook;  // flag
};

struct CommunicationNccl {
};

struct CommunicationNoUnusedParameters {
};

struct CommunicationEvenWork {
};

struct CommunicationLookAtData {
  Given<int64_t> rank;  // integer
  Given<bool> loader;  // flag
  PlacedText function = {};
};

struct CommunicationLookAtRank {
  Given<int64_t> rank;  // integer
  Text stage;
};

struct CommunicationLookAtCause {
  Given<int64_t> rank;  // integer
  PlacedText function = {};
  Text stage;
};

struct RunCallStep {
};

struct RunCallStepIfItTrains {
};

struct RunCallStepIfItTrained {
};

struct RunCallStepIfItTrainsAlready {
};

struct RunLetHooksIn {
};

struct RunNameRanges {
};

struct RunLongerRange {
  Given<int64_t> steps;  // integer
};

struct RunWithoutTool {
};

struct RunFreeSpace {
};

struct RunFixFailure {
};

struct RunLookWhereItIs {
  Text function;
};

struct RunLookWhereItWas {
  Text function;
};

struct RunWithOptimizerHook {
};

struct RunWithHooks {
};

struct RunCaptureAgain {
};

struct RunLookBehindWarmUp {
};

struct RunMoreSteps {
};

struct RunAskAgain {
};

struct RunLonger {
};

struct ImportAllFiles {
};

struct ImportRecordHost {
};

struct ImportMarkStepsJax {
};

struct ImportMarkStepsTensorflow {
};

struct ImportRunTraining {
};

struct ProfileNameRangesJax {
};

struct ProfileNameRangesTensorflow {
};

struct RecommendationRaiseWorkers {
};

struct RecommendationDistributedDataParallel {
};

struct RecommendationUseNccl {
};

struct RecommendationCommunicateLess {
};

struct RecommendationGiveDeviceMore {
};

struct RecommendationMixedPrecision {
};

struct RecommendationUseLessMemory {
};

struct RecommendationLaunchLess {
};

struct RecommendationOverlapCommunication {
};

struct RecommendationLookAtLateRank {
};

struct RecommendationSynchroniseLess {
};

struct RecommendationGatherCopies {
};

struct RecommendationUseTensorCores {
};

struct RecommendationKeepBlocks {
};

struct RuleGpuUnderUtilised {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<int64_t> found;  // integer
  Given<int64_t> windows;  // count
  Given<double> p95;  // number
  Given<double> p5;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpuUnderUtilisedOverSteps {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<int64_t> steps;  // count
  Given<double> p95;  // number
  Given<double> p5;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpuUnderUtilisedOverProfile {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<double> busy;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpuUnderUtilisedLately {
  Given<int64_t> device;  // integer
  Given<int64_t> node;  // integer
  Given<double> p95;  // number
  Given<double> p5;  // number
  Given<int64_t> samples;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleGpuFluctuates {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<int64_t> found;  // integer
  Given<int64_t> windows;  // count
  Given<double> p95;  // number
  Given<double> p5;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpuFluctuatesOverSteps {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<int64_t> steps;  // count
  Given<double> p95;  // number
  Given<double> p5;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpuFluctuatesOverProfile {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<double> busy;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpuFluctuatesLately {
  Given<int64_t> device;  // integer
  Given<int64_t> node;  // integer
  Given<double> p95;  // number
  Given<double> p5;  // number
  Given<int64_t> samples;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleGpuNotUsed {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<Rows> rows;  // that show it
};

struct RuleBatchTooSmall {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<double> cpu;  // number
  Given<double> busy;  // number
  Given<double> memory;  // number
  Given<Rows> rows;  // that show it
};

struct RuleMemoryGrew {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<double> points;  // number
  std::optional<int64_t> steps = std::nullopt;  // count
  std::optional<int64_t> time = std::nullopt;  // ns
  Given<double> memory;  // number
  Given<bool> above_begin;  // flag
  Given<Rows> rows;  // that show it
};

struct RuleMemoryMeanGrew {
  Given<int64_t> device;  // integer
  Given<int64_t> node;  // integer
  Given<int64_t> samples;  // integer
  Given<double> points;  // number
  Given<Rows> rows;  // that show it
};

struct RuleStepsStarveGpu {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<int64_t> idle;  // integer
  Given<int64_t> steps;  // count
  Given<int64_t> found;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleCpuBottleneck {
  Given<int64_t> node;  // integer
  Given<int64_t> idle;  // integer
  Given<int64_t> snapshots;  // count
  Given<int64_t> found;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleIoBottleneck {
  Given<int64_t> node;  // integer
  Given<int64_t> idle;  // integer
  Given<int64_t> snapshots;  // count
  Given<int64_t> found;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleBottlenecks {
  Given<int64_t> found;  // count
  Given<int64_t> idle;  // count
  Given<double> limit;  // number
  Given<int64_t> snapshots;  // count
  Given<double> percent;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpusDifferInUse {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<double> mean;  // number
  Given<int64_t> other_device;  // integer
  std::optional<int64_t> other_rank = std::nullopt;  // integer
  std::optional<int64_t> other_node = std::nullopt;  // integer
  Given<bool> other_allocations;  // flag
  Given<double> other_mean;  // number
  Given<double> distance;  // number
  Given<Rows> rows;  // that show it
};

struct RuleGpusTakeTurns {
  Given<int64_t> device;  // integer
  std::optional<int64_t> rank = std::nullopt;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<bool> allocations;  // flag
  Given<double> mean;  // number
  Given<int64_t> other_device;  // integer
  std::optional<int64_t> other_rank = std::nullopt;  // integer
  std::optional<int64_t> other_node = std::nullopt;  // integer
  Given<bool> other_allocations;  // flag
  Given<double> other_mean;  // number
  Given<double> distance;  // number
  Given<Rows> rows;  // that show it
};

struct RuleLastGpusDiffer {
  Given<int64_t> node;  // integer
  Given<int64_t> other_node;  // integer
  Given<double> distance;  // number
  Given<Rows> rows;  // that show it
};

struct RuleLoadersOnCores {
  Given<int64_t> loaders;  // count
  Given<int64_t> cores;  // count
  Given<Rows> rows;  // that show it
};

struct RuleWorkersOnCores {
  Given<int64_t> workers;  // integer
  Given<int64_t> cores;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleWaitsForData {
  Given<int64_t> rank;  // integer
  Given<int64_t> from;  // integer
  Given<int64_t> to;  // integer
  Given<double> share;  // share
  std::optional<int64_t> starved = std::nullopt;  // integer
  std::optional<int64_t> waits = std::nullopt;  // integer
  Given<Rows> rows;  // that show it
};

struct RuleLongSteps {
  Given<int64_t> rank;  // integer
  Given<int64_t> found;  // count
  Given<int64_t> steps;  // count
  Given<bool> evaluations;  // flag
  Given<int64_t> limit;  // ns
  Given<Rows> rows;  // that show it
};

struct RuleSlowSteps {
  Given<int64_t> rank;  // integer
  Given<int64_t> found;  // count
  Given<int64_t> steps;  // count
  Given<bool> evaluations;  // flag
  Given<int64_t> limit;  // ns
  Given<int64_t> median;  // ns
  Given<int64_t> cost;  // ns
  Given<Rows> rows;  // that show it
};

struct RuleNoFirstStep {
  Given<int64_t> time;  // ns
  Given<Rows> rows;  // that show it
};

struct RuleLongInitialization {
  Given<int64_t> time;  // ns
  Given<bool> begun;  // flag
  Given<Rows> rows;  // that show it
};

struct RuleFound {
  Given<int64_t> times;  // count
  Text rule;
  Given<Rows> rows;  // that show it
};

struct RecommendationLoader {
  Given<double> share;  // share
};

struct RecommendationLoaderTime {
  Given<int64_t> time;  // ns
  Given<int64_t> steps;  // count
};

struct RecommendationDataParallel {
  Given<int64_t> devices;  // integer
};

struct RecommendationGradientExchange {
  Given<bool> nccl;  // flag
};

struct RecommendationCommunication {
  Given<double> share;  // share
  Given<bool> on_host;  // flag
};

struct RecommendationLeastUsedDevice {
  Given<double> share;  // share
  Given<bool> low;  // flag
};

struct RecommendationLittleUsedDevice {
  Given<int64_t> device;  // integer
  Given<int64_t> rank;  // integer
  Given<double> share;  // share
};

struct RecommendationTensorCoresUsed {
  Given<double> share;  // share
};

struct RecommendationNoTensorCoresUsed {
  Given<bool> could;  // flag
};

struct RecommendationTensorCoreOperators {
  Given<double> share;  // share
};

struct RecommendationMemoryPeak {
  Given<double> share;  // share
};

struct RecommendationLaunches {
  Given<double> share;  // share
};

struct RecommendationShortLaunches {
  Given<int64_t> launches;  // count
  Given<int64_t> mean;  // ns
  Given<double> shorter;  // share
};

struct RecommendationExposedCommunication {
  Given<double> share;  // share
};

struct RecommendationCommunicationOverlapped {
  Given<double> share;  // share
  Given<int64_t> communication;  // ns
};

struct RecommendationStraggler {
  Given<double> share;  // share
};

struct RecommendationLateRank {
  Given<int64_t> wait;  // ns
  Given<int64_t> rank;  // integer
  Text cause;
};

struct RecommendationSynchronisation {
  Given<double> share;  // share
  Given<bool> unbegun_work;  // flag
};

struct RecommendationSynchronisingCalls {
  Given<int64_t> calls;  // count
  Given<int64_t> time;  // ns
};

struct RecommendationSmallCopies {
  Given<double> share;  // share
};

struct RecommendationSmallCopiesOfAll {
  Given<int64_t> small;  // count
  Given<int64_t> copies;  // count
  Given<int64_t> time;  // ns
};

struct RecommendationTensorCoreShare {
  Given<double> share;  // share
};

struct RecommendationTensorCoreSharePossible {
  Given<double> share;  // share
};

struct RecommendationAllocator {
  Given<double> share;  // share
};

struct RecommendationAllocatorCalls {
  Given<int64_t> calls;  // count
  Given<int64_t> time;  // ns
};

struct VerdictStraggler {
  Given<int64_t> rank;  // integer
  Given<bool> waits;  // flag
  Given<bool> code;  // flag
  Text name;
  PlacedText function = {};
  PlacedText place = {};
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictExchangeOrWaiting {
  Given<int64_t> missing;  // integer
  Given<bool> imported;  // flag
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictSuspect {
  Given<bool> by_others;  // flag
  Given<part::Suspect> who;
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictTrainingWithoutCore {
  Given<int64_t> ready;  // count
  Given<int64_t> waits;  // count
  Given<part::ShareOfStep> share;
};

struct VerdictNoSingleSuspect {
  std::optional<double> model = std::nullopt;  // share
  Given<part::Suspect> first;
  Given<part::Share> first_part;
  std::optional<part::Suspect> second = std::nullopt;
  std::optional<part::Share> second_part = std::nullopt;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictModelIfItComputes {
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Slowed> slowed;
  Given<part::Seen> seen;
};

struct VerdictModelAndNext {
  Given<bool> unsplit;  // flag
  Given<double> of_step;  // share
  std::optional<int64_t> rank = std::nullopt;  // integer
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Slowed> slowed;
  Given<part::Seen> seen;
  Given<part::Suspect> next;
};

struct VerdictModelAndRest {
  Given<bool> unsplit;  // flag
  Given<double> rest;  // share
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Slowed> slowed;
  Given<part::Seen> seen;
};

struct VerdictModelWithOverhead {
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Slowed> slowed;
  Given<part::Seen> seen;
};

struct VerdictModelWaitsForHost {
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictModelUnrecognised {
  Given<double> unrecognised;  // share
  Given<part::Share> share;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictModelHealthy {
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Seen> seen;
};

struct VerdictModelSlowed {
  Given<part::ShareOfStep> share;
  Given<part::Ranks> ranks;
  Given<part::Slowed> slowed;
  Given<part::Seen> seen;
};

struct VerdictNoHooks {
};

struct VerdictNoStepInRange {
};

struct VerdictCannotRecord {
};

struct VerdictSharedMemoryFull {
};

struct VerdictUnrecordedProcess {
};

struct VerdictScriptProfiler {
};

struct VerdictStepsDamaged {
};

struct VerdictStepsRefused {
};

struct VerdictNoPython {
};

struct VerdictNoTorch {
  Given<bool> failed;  // flag
  Given<bool> stopped;  // flag
};

struct VerdictNoOptimizer {
  Given<bool> failed;  // flag
  Given<bool> stopped;  // flag
};

struct VerdictOptimizerLeftOut {
};

struct VerdictImportWithoutSteps {
};

struct VerdictNoTraining {
  std::string writer = {};
};

struct VerdictHooksOff {
};

struct VerdictNoStepYet {
};

struct VerdictOnlyWarmUp {
  Given<int64_t> steps;  // integer
};

struct VerdictTooFewSteps {
  Given<int64_t> steady;  // integer
  Given<int64_t> seen;  // integer
  Given<int64_t> more;  // integer
};

struct UsageFluctuates {
  Given<int64_t> node;  // integer
  Given<double> low;  // number
  Given<double> high;  // number
  Text metric;
};

struct UsageSmallerWithoutGpu {
  Given<int64_t> node;  // integer
  Given<double> cpu;  // number
};

struct UsageSmaller {
  Given<int64_t> node;  // integer
  Given<double> gpu;  // number
  Given<double> cpu;  // number
};

struct UsageHeldUpByCpu {
  Given<int64_t> node;  // integer
  Given<double> gpu;  // number
  Given<double> cpu;  // number
};

struct UsageWellUsed {
  Given<int64_t> node;  // integer
  Given<double> gpu;  // number
};

struct NoteNoDeviceActivity {
  struct Item {
    Text part;
  };
  Given<bool> damaged;  // flag
  Given<bool> listed;  // flag
  Given<std::vector<Item>> items;
};

struct NoteProfileWithoutDevices {
  Given<bool> torch;  // flag
};

struct NoteProfileWithoutOperators {
  Given<bool> torch;  // flag
};

struct NoteProfileWithoutMemory {
  Given<bool> torch;  // flag
};

struct NoteProfileWithoutModules {
  Given<bool> torch;  // flag
};

struct NoteStepsLeftOut {
  Given<int64_t> steps;  // count
  Given<bool> too_few;  // flag
  Given<bool> counted_idle;  // flag
};

struct NoteAgentEndedFirst {
};

struct NoteLostAfterLastStep {
  Text cause;
};

struct NoteNoStepMarks {
  Given<bool> torch;  // flag
};

struct NoteWindows {
  Given<int64_t> steps;  // integer
  Given<bool> by_devices;  // flag
  Given<bool> newest;  // flag
  Given<bool> parted;  // flag
};

struct NoteCollectivesFrom {
  Given<int64_t> time;  // ns
};

struct NoteNoMetric {
  Given<bool> outside;  // flag
};

struct NoteSamplesAround {
  Given<int64_t> time;  // ns
};

struct NoteNotMeasured {
  std::string source = {};
  Text reason;
  std::string remedy = {};
};

struct NoteLastSteps {
  Given<int64_t> steps;  // integer
};

struct MemoryCopyOnWrite {
  Given<int64_t> workers;  // integer
  std::optional<int64_t> node = std::nullopt;  // integer
  std::optional<double> rate = std::nullopt;  // bytes
  Given<double> from;  // bytes
  Given<double> to;  // bytes
  std::optional<double> mean = std::nullopt;  // bytes
  std::optional<int64_t> steps = std::nullopt;  // integer
};

struct MemoryDeviceNearlyFull {
  Given<int64_t> device;  // integer
  Given<int64_t> rank;  // integer
  Given<double> peak;  // bytes
  Given<double> limit;  // bytes
  Given<double> share;  // share
  Given<double> left;  // bytes
  std::optional<int64_t> retries = std::nullopt;  // integer
};

struct MemoryCgroupNearlyFull {
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<double> peak;  // bytes
  Given<double> limit;  // bytes
  Given<double> share;  // share
  Given<double> left;  // bytes
};

struct MemoryMachineNearlyFull {
  std::optional<int64_t> node = std::nullopt;  // integer
  Given<double> peak;  // bytes
  Given<double> limit;  // bytes
  Given<double> share;  // share
  Given<double> left;  // bytes
};

struct NoteWindowCost {
  Given<int64_t> steps;  // ns
  Given<int64_t> before;  // ns
};

struct NoteCuptiStays {
  Text reason;
};

struct NoteCuptiTaken {
  Text reason;
};

struct NoteNoGroupReported {
};

struct NoteNoCollectives {
  Given<bool> groups;  // flag
};

struct NoteOneRank {
  std::optional<int64_t> world_size = std::nullopt;  // integer
  Given<bool> live;  // flag
};

struct NoteNothingMatched {
  Given<bool> profiles;  // flag
};

struct NoteSharedGroupName {
  Text group;
};

struct NoteCollectivesLackRanks {
  Given<int64_t> incomplete;  // integer
  Given<int64_t> collectives;  // integer
};

struct NoteCallsUnplaced {
  struct Item {
    Given<int64_t> rank;  // integer
  };
  Given<bool> several;  // flag
  std::optional<int64_t> more = std::nullopt;  // integer
  Given<std::vector<Item>> items;
};

struct NoteCallsAmbiguous {
  struct Item {
    Given<int64_t> rank;  // integer
  };
  Given<bool> several;  // flag
  std::optional<int64_t> more = std::nullopt;  // integer
  Given<std::vector<Item>> items;
};

struct ComparisonNoSteps {
};

struct ComparisonNoStepsInOne {
  Text run;
};

struct ComparisonMayBeChance {
};

struct ComparisonSame {
  Given<int64_t> time;  // ns
};

struct ComparisonFaster {
  std::optional<double> ratio = std::nullopt;  // times
  std::optional<double> share = std::nullopt;  // share
  Given<int64_t> fast;  // ns
  Given<int64_t> slow;  // ns
  Given<bool> few;  // flag
  Given<bool> first;  // flag
  Given<bool> second;  // flag
  Text run;
};

struct ComparisonDatasetStagesOfOne {
  struct Item {
    Given<int64_t> time;  // ns
    Text stage;
  };
  Given<bool> first;  // flag
  Given<bool> second;  // flag
  Text run;
  Given<std::vector<Item>> items;
};

struct LegacyText {
  Text text;
};

struct ReasonNoGpuMetric {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonNoSystemMetric {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonNoGpuMemoryOrCpu {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonNoGpuMemory {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonNoCpu {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonNoIoWait {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonGpuMemorySizeUnknown {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonMemoryInNoStep {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonNoMemoryRecords {
  Given<part::Elsewhere> elsewhere;
};

struct ReasonOneGpu {
};

struct ReasonFewSamples {
};

struct ReasonFewSamplesOfTwo {
};

struct ReasonNoTrainingStep {
  Given<bool> in_range;  // flag
};

struct ReasonNoStep {
  Given<bool> in_range;  // flag
};

struct ReasonFrameworkSilent {
  Given<bool> in_range;  // flag
};

struct ReasonNoStepOrOperator {
};

struct ReasonNoLoader {
};

struct ReasonFewSteadySteps {
};

struct ReasonFewStepsOfAKind {
  Given<int64_t> least;  // integer
};

struct ReasonFewSnapshots {
};

struct ReasonFewRecordedSteps {
  Given<int64_t> least;  // integer
};

struct ReasonNoRuleApplies {
};

struct ReasonBeginLeftOut {
};

struct ReasonNoData {
};

struct ReasonImpossibleTimes {
  Given<int64_t> time;  // ns
};

struct ReasonFirstGpusAlone {
  Given<int64_t> all;  // integer
  Given<int64_t> compared;  // integer
};

struct RuleAdviceLowGpuUtilization {
};

struct RuleAdviceBatchSize {
};

struct RuleAdviceCpuBottleneck {
};

struct RuleAdviceIoBottleneck {
};

struct RuleAdviceGpuMemoryIncrease {
};

struct RuleAdviceLoadBalancing {
};

struct RuleAdviceDataloader {
};

struct RuleAdviceStepOutlier {
};

struct RuleAdviceMaxInitializationTime {
};

struct RuleAdviceProfilerReport {
};

struct LiveRuleFound {
};

struct LiveRulePassed {
};

struct LiveSamplingSlowed {
  Given<double> used;  // fine_share
  Given<double> budget;  // fine_share
  Given<int64_t> interval;  // ns
  Given<bool> stacks;  // flag
};

struct LiveSamplingRestored {
  Given<double> used;  // fine_share
  Given<double> budget;  // fine_share
  Given<int64_t> interval;  // ns
  Given<bool> stacks;  // flag
};

struct LiveSamplingAnew {
  Given<int64_t> interval;  // ns
  Given<bool> stacks;  // flag
};

struct LiveOwnStacksPace {
  Given<double> used;  // share
  Given<int64_t> pid;  // integer
  Given<int64_t> interval;  // ns
};

struct LiveAgentMemoryOver {
  Given<double> held;  // bytes
  Given<double> limit;  // bytes
};

struct LiveAgentMemoryOk {
  Given<double> held;  // bytes
  Given<double> limit;  // bytes
};

struct LiveMemoryLeak {
  struct Item {
    Given<double> bytes;  // bytes
    Given<int64_t> time;  // ns
    Text limit;
  };
  Given<double> rate;  // bytes
  Given<double> low;  // bytes
  Given<double> high;  // bytes
  std::optional<int64_t> compiled = std::nullopt;  // integer
  std::optional<int64_t> steps = std::nullopt;  // integer
  Given<std::vector<Item>> items;
};

struct LiveMemoryPlateau {
};

struct LiveMemoryUnknown {
};

struct LiveStepTimeRisen {
  Given<int64_t> to;  // ns
  Given<int64_t> step;  // integer
  Given<int64_t> from;  // ns
  Given<double> more;  // share
};

struct LiveStepTimeBack {
  Given<int64_t> to;  // ns
  Given<int64_t> step;  // integer
  Given<int64_t> from;  // ns
};

struct LiveHang {
  struct Item {
    std::optional<int64_t> rank = std::nullopt;  // integer
    std::optional<int64_t> count = std::nullopt;  // integer
    std::optional<double> bytes = std::nullopt;  // bytes
    std::optional<int64_t> worker = std::nullopt;  // integer
    Given<bool> missing;  // flag
    Given<bool> data;  // flag
    Given<bool> gone;  // flag
    Given<bool> stopped;  // flag
    std::string ranks = {};
    std::string phase = {};
    PlacedText place = {};
    std::string reason = {};
  };
  Given<int64_t> time;  // ns
  Given<int64_t> usual;  // ns
  Given<int64_t> step;  // integer
  std::optional<int64_t> more = std::nullopt;  // integer
  Given<bool> together;  // flag
  Given<bool> elsewhere;  // flag
  PlacedText place = {};
  std::string reason = {};
  Given<std::vector<Item>> items;
};

struct LiveHangOver {
  Given<int64_t> time;  // ns
};

struct LiveNoHang {
};

struct LiveTensorNonfinite {
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  Given<int64_t> bad;  // integer
  Given<int64_t> numel;  // integer
  std::optional<int64_t> alike = std::nullopt;  // integer
  std::optional<int64_t> more = std::nullopt;  // integer
  Given<bool> loss;  // flag
  Given<bool> gradient;  // flag
  Given<bool> weight;  // flag
  Text tensor;
};

struct LiveGradientVanishing {
  Given<int64_t> orders;  // integer
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  Text tensor;
  Text last;
};

struct LiveGradientExploding {
  Given<double> times;  // times
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  Text tensor;
};

struct LiveLossNotFalling {
  Given<int64_t> steps;  // integer
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  std::optional<double> risen = std::nullopt;  // share
};

struct LiveTensorFiniteAgain {
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  Given<int64_t> steps;  // integer
};

struct LiveLossSpike {
  Given<double> value;  // number
  Given<double> usual;  // number
  Given<int64_t> deviations;  // integer
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
};

struct LiveGradientSpike {
  Given<double> value;  // number
  Given<double> usual;  // number
  Given<int64_t> deviations;  // integer
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  Text tensor;
};

struct LiveDeadUnits {
  Given<double> share;  // share
  Given<int64_t> readings;  // integer
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  std::optional<int64_t> more = std::nullopt;  // integer
  Text module;
};

struct LiveCastRange {
  struct Item {
    std::optional<double> zero = std::nullopt;  // fine_share
    std::optional<int64_t> over = std::nullopt;  // count
    Given<bool> scaled;  // flag
    Text type;
    std::string tensor = {};
  };
  Given<bool> weights;  // flag
  Given<std::vector<Item>> items;
};

struct LiveParameterUnchanged {
  Given<int64_t> readings;  // integer
  Given<int64_t> step;  // integer
  Given<int64_t> rank;  // integer
  std::optional<int64_t> more = std::nullopt;  // integer
  Given<bool> all;  // flag
  Text tensor;
};

struct LiveTensorUnjudged {
  struct Item {
    Given<bool> no_loss;  // flag
    Given<bool> no_gradient;  // flag
    Given<bool> no_weight;  // flag
    Given<bool> no_module;  // flag
    Given<bool> no_wide;  // flag
    Given<bool> few_weights;  // flag
    Given<bool> no_replica;  // flag
    std::optional<int64_t> seen = std::nullopt;  // integer
    std::optional<int64_t> needed = std::nullopt;  // integer
    Text rule;
  };
  Given<std::vector<Item>> items;
};

struct LossCaptureNothing {
  Given<bool> unsteady;  // flag
  Given<bool> interrupted;  // flag
  Given<bool> first_steps;  // flag
  Given<bool> missed;  // flag
  Given<bool> unavailable;  // flag
  std::string window = {};
};

struct LossCaptureCut {
  struct Item {
    Given<bool> first_steps;  // flag
    Given<bool> aside;  // flag
    Given<bool> interrupted;  // flag
    Given<bool> replaced;  // flag
    Given<bool> full;  // flag
  };
  Given<bool> timed;  // flag
  std::optional<int64_t> held = std::nullopt;  // integer
  std::optional<int64_t> wanted = std::nullopt;  // integer
  Given<part::Capture> capture;
  Given<std::vector<Item>> items;
};

struct LossCaptureWithout {
  Given<bool> partly;  // flag
  Text kinds;
  Given<part::Capture> capture;
};

struct LossKinetoFailed {
  Text reason;
};

struct LossKinetoNoMemory {
};

struct LossProfileUnread {
  Given<int64_t> pid;  // integer
  Text reason;
};

struct LossProfilesLeft {
};

struct LossOfProfile {
  Text cause;
  Text detail;
};

struct LossNoRoomForRing {
  Given<int64_t> pid;  // integer
};

struct LossRingUnreadable {
  Given<int64_t> pid;  // integer
  Text reason;
};

struct LossDisarmed {
  Given<int64_t> pid;  // integer
  Text reason;
};

struct LossStillRan {
  Given<int64_t> count;  // integer
  Text processes;
};

struct LossOtherUser {
  Given<int64_t> pid;  // integer
  Given<int64_t> user;  // integer
  Given<int64_t> own;  // integer
  Text process;
};

struct LossNoSitePackages {
  Given<int64_t> pid;  // integer
  Text process;
};

struct LossPythonPathIgnored {
  Given<int64_t> pid;  // integer
  Text process;
  Text option;
};

struct LossHooksRefused {
  std::optional<int64_t> pid = std::nullopt;  // integer
  Given<bool> other_build;  // flag
  Given<bool> no_probe;  // flag
  std::string process = {};
};

struct LossNoHooksLoaded {
  Given<int64_t> pid;  // integer
  Text process;
};

struct LossToolOfTheScript {
};

struct LossNothingToRecord {
};

struct LossRecordedElsewhere {
  Given<bool> itself;  // flag
};

struct LossUnavailable {
  Text source;
  Text reason;
  std::string remedy = {};
};

struct LossImpossibleTimes {
};

struct LossUnrecognisedEvent {
  struct Item {
    Given<int64_t> events;  // count
    Text category;
  };
  std::optional<int64_t> more = std::nullopt;  // integer
  std::optional<double> share = std::nullopt;  // share
  Given<std::vector<Item>> items;
};

struct LossRanksMissing {
  Given<int64_t> missing;  // integer
  Given<int64_t> ranks;  // integer
  Given<bool> imported;  // flag
  Given<bool> recorded;  // flag
};

struct LossHookFailed {
  Text hook;
  Text reason;
};

struct LossInFile {
  Text file;
  Text what;
};

struct LossFileRefused {
  Text reason;
};

struct LossFileCutOff {
  std::optional<int64_t> at = std::nullopt;  // integer
  Given<bool> packet;  // flag
  Given<bool> line;  // flag
  Given<bool> entry;  // flag
  Text file;
  std::string damage = {};
};

struct LossFileDamaged {
  std::optional<int64_t> at = std::nullopt;  // integer
  Given<bool> whole;  // flag
  Text file;
  std::string damage = {};
};

struct LossSkippedBytes {
  Given<int64_t> bytes;  // integer
  Given<bool> packets;  // flag
  Given<bool> foreign;  // flag
  Given<bool> too_long;  // flag
  Given<bool> too_deep;  // flag
  Text file;
};

struct LossTooLarge {
  Given<int64_t> most;  // integer
  Given<bool> packets;  // flag
  Text file;
};

struct LossTablesLeftOut {
  Text file;
  Text tables;
};

struct LossProfilerWarned {
  Text file;
  Text said;
};

struct LossBeyond {
  Given<int64_t> most;  // integer
  Given<bool> descriptors;  // flag
  Given<bool> snapshots;  // flag
  Given<bool> texts;  // flag
  std::string file = {};
};

struct LossDuplicateKey {
  Given<bool> line;  // flag
  Text file;
};

struct LossMissingMetadata {
  Given<bool> devices;  // flag
  Text file;
};

struct LossSameProfile {
  Given<bool> work;  // flag
  std::optional<int64_t> rank = std::nullopt;  // integer
  Text file;
  Text other;
};

struct LossSameRank {
  Given<int64_t> rank;  // integer
  Given<int64_t> stored;  // integer
  Text file;
  Text other;
};

struct LossNoDate {
  Text file;
};

struct LossNotProfiles {
  struct Item {
    Text reason;
  };
  Given<int64_t> count;  // integer
  Given<bool> others;  // flag
  Given<std::vector<Item>> items;
};

struct LossCutDurations {
  Given<bool> two;  // flag
  std::optional<int64_t> late = std::nullopt;  // integer
  Given<int64_t> works;  // integer
  Given<int64_t> most_late;  // ns
  Given<int64_t> late_time;  // ns
  std::optional<int64_t> too_long = std::nullopt;  // integer
  Given<int64_t> recorded;  // ns
  Given<int64_t> long_time;  // ns
  Text file;
};

struct CostGpusOfNode {
  Given<double> used;  // number
  Given<int64_t> has;  // integer
};

struct CostCoresOfNode {
  Given<double> used;  // number
  Given<int64_t> has;  // integer
};

struct CostMemoryOfNode {
  Given<double> used;  // number
  Given<double> has;  // number
};

struct CostMemoryUnmeasured {
};

struct CostGpuMemory {
  Given<double> used;  // number
  Given<double> has;  // number
};

struct CostGpuMemoryNotCompared {
};

struct CostGpusOfAll {
  Given<double> used;  // number
  Given<int64_t> machines;  // integer
  Given<int64_t> has;  // integer
  Text instance;
};

struct CostCoresOfProcesses {
  Given<int64_t> processes;  // integer
  Given<double> used;  // number
  Given<double> each;  // number
  Given<double> needed;  // number
  Given<int64_t> has;  // integer
};

struct CostCoresMustShrink {
  Given<int64_t> cores;  // integer
};

struct CostBatchGrows {
};

struct CostOtherSize {
  Given<int64_t> node;  // integer
  Given<double> cores;  // number
  Given<int64_t> gpus;  // integer
  Given<int64_t> type_cores;  // integer
  Given<int64_t> type_gpus;  // integer
  Text instance;
};

struct CostNoTypes {
};

struct CostUseUnmeasured {
};

struct CostNoTypeHolds {
};

struct CostNoneCheaper {
  Text instance;
};

struct ReasonNoPrice {
};

struct ReasonTypeUnclear {
};

struct ReasonTypeNotListed {
  Text instance;
};

struct RunException {
  Given<int64_t> steps;  // count
  std::optional<int64_t> rank = std::nullopt;  // integer
  Text type;
  std::string message = {};
  PlacedText place = {};
};

struct RunInterrupted {
  Given<int64_t> steps;  // count
  PlacedText place = {};
};

struct RunSignal {
  Given<int64_t> steps;  // count
  std::optional<int64_t> rank = std::nullopt;  // integer
  Given<bool> stopped;  // flag
  Given<bool> kill;  // flag
  Given<bool> fault;  // flag
  Text signal;
};

struct RunExitCode {
  Given<int64_t> steps;  // count
  Given<int64_t> code;  // integer
  std::string signal = {};
};

Finding Make(DataBatchNotReady one);
Finding Make(DataLoadedByTraining one);
Finding Make(DataAwaited one);
Finding Make(DataTakesCores one);
Finding Make(CpuCoresWereShort one);
Finding Make(DataSamples one);
Finding Make(DataStagesOfProfile one);
Finding Make(StepStages one);
Finding Make(StepDrift one);
Finding Make(OperatorsStages one);
Finding Make(CommunicationStages one);
Finding Make(StepFasterWithout one);
Finding Make(StepBoundIncludes one);
Finding Make(StepBoundOfStraggler one);
Finding Make(StepLittleRemains one);
Finding Make(StepFewerOperators one);
Finding Make(StepUnrecognised one);
Finding Make(StepProcessIdle one);
Finding Make(StepCheckpoints one);
Finding Make(StepEvaluations one);
Finding Make(StepCollectionThresholds one);
Finding Make(FrameworkRecompiled one);
Finding Make(FrameworkRecompileLimit one);
Finding Make(StepLockHeld one);
Finding Make(StepGarbageCollections one);
Finding Make(StepUserRange one);
Finding Make(StepRunsIn one);
Finding Make(StepWaitsIn one);
Finding Make(StepThreadBeside one);
Finding Make(CpuCoresBusy one);
Finding Make(CpuAllowedCores one);
Finding Make(CpuUsedByJob one);
Finding Make(CpuQuotaRanOut one);
Finding Make(CpuContention one);
Finding Make(CpuOtherWork one);
Finding Make(CpuRunDelay one);
Finding Make(StorageIoWait one);
Finding Make(StorageRead one);
Finding Make(DeviceBusy one);
Finding Make(DeviceInPhases one);
Finding Make(DeviceIdleAtPhaseEnd one);
Finding Make(DeviceComputing one);
Finding Make(DeviceOneOfSeveralComputing one);
Finding Make(DeviceSlowCalls one);
Finding Make(GpuSharedWithOthers one);
Finding Make(GpuUnknownProcesses one);
Finding Make(GpuRanksTogether one);
Finding Make(GpuManyRanksTogether one);
Finding Make(CommunicationStraggler one);
Finding Make(CommunicationWaitedForRank one);
Finding Make(CommunicationRanksAbsent one);
Finding Make(CommunicationOnTheHost one);
Finding Make(CommunicationCalls one);
Finding Make(CommunicationGradientExchange one);
Finding Make(CommunicationExchangeEachBackward one);
Finding Make(ModelDeterministicFill one);
Finding Make(ModelSlowerThanInOtherSteps one);
Finding Make(ModelSlowerThanAlike one);
Finding Make(ModelNoStacks one);
Finding Make(ModelFewSamples one);
Finding Make(ModelOperatorsShare one);
Finding Make(ModelBetweenOperators one);
Finding Make(ModelKernelClasses one);
Finding Make(VerdictFewSteps one);
Finding Make(VerdictAllWarmUp one);
Finding Make(VerdictWarmUp one);
Finding Make(RunStepsLeftOut one);
Finding Make(RunDevicesLeftOut one);
Finding Make(RunDataLoss one);
Finding Make(RunDiskRefused one);
Finding Make(RunHookFailed one);
Finding Make(RunLastSeen one);
Finding Make(ProfileProcessesTogether one);
Finding Make(ProfileWorkNotRecorded one);
Finding Make(ProfileStepsOverlap one);
Finding Make(ProfileStepsNested one);
Finding Make(ProfileThreadsTogether one);
Finding Make(ProfileRunsIn one);
Finding Make(ProfileBusiest one);
Finding Make(ProfileWaitsIn one);
Finding Make(DataTakeWholeBatches one);
Finding Make(DataCheaperGetitem one);
Finding Make(DataCheaperCollate one);
Finding Make(DataCheaperSampler one);
Finding Make(DataHandOverLess one);
Finding Make(DataShareByFileSystem one);
Finding Make(DataLocalCopy one);
Finding Make(DataFewerWorkers one);
Finding Make(DataWorkersOfCores one);
Finding Make(DataCheaperWorkerStart one);
Finding Make(DataOneIterator one);
Finding Make(DataPersistentWorkers one);
Finding Make(DataCopyAhead one);
Finding Make(DataPrefetchMore one);
Finding Make(DataLoadAhead one);
Finding Make(DataPinMemory one);
Finding Make(DataQueryLess one);
Finding Make(DataDecodeLess one);
Finding Make(DataAugmentOnDevice one);
Finding Make(DataAugmentVectorised one);
Finding Make(DataTokeniseAhead one);
Finding Make(DataAskEarlier one);
Finding Make(DataCheaperAwaited one);
Finding Make(DataCheaperSamplerCode one);
Finding Make(DataCheaperCode one);
Finding Make(DataCheaperHelpers one);
Finding Make(DataHoldLockLess one);
Finding Make(DataShareLess one);
Finding Make(DataCopyLess one);
Finding Make(DataKeepWorkers one);
Finding Make(DataEvenParts one);
Finding Make(DataMoreWaitingWorkers one);
Finding Make(DataCoresTaken one);
Finding Make(DataCoresFilled one);
Finding Make(DataFirstWorkers one);
Finding Make(DataMoreWorkers one);
Finding Make(DataLookAtWorkers one);
Finding Make(DataLoadBeside one);
Finding Make(StepStopGrowth one);
Finding Make(CpuRaiseQuota one);
Finding Make(CpuAllowMoreCores one);
Finding Make(CpuMoreCores one);
Finding Make(CpuFreeForTraining one);
Finding Make(CpuFreeForWorkers one);
Finding Make(CpuFreeForOperators one);
Finding Make(CpuFreeForModel one);
Finding Make(CpuFewerThreads one);
Finding Make(StepOwnProcess one);
Finding Make(StepComputeLess one);
Finding Make(StepFewerCheckpoints one);
Finding Make(StepFewerEvaluations one);
Finding Make(StepLogLess one);
Finding Make(StepFewerWindows one);
Finding Make(StepLookAtRange one);
Finding Make(StepLookAtWork one);
Finding Make(StepLookAtWait one);
Finding Make(StepAnnotate one);
Finding Make(ProfileRecordHost one);
Finding Make(ProfileRecordStacks one);
Finding Make(ProfileAfterWarmUp one);
Finding Make(ModelMoreSteps one);
Finding Make(ModelSampleStacks one);
Finding Make(ModelKernels one);
Finding Make(ModelFuseKernels one);
Finding Make(ModelFuseAnyKernels one);
Finding Make(ModelLowerPrecision one);
Finding Make(ModelLowerAnyPrecision one);
Finding Make(ModelProfileOperators one);
Finding Make(ModelOperators one);
Finding Make(ModelNoDeterministicFill one);
Finding Make(ModelFlushDenormals one);
Finding Make(ModelCaptureKernels one);
Finding Make(ModelCaptureOperators one);
Finding Make(FrameworkNoAnomalyDetection one);
Finding Make(FrameworkMoreInALaunch one);
Finding Make(FrameworkFixGraphBreaks one);
Finding Make(FrameworkFuseOperators one);
Finding Make(FrameworkCollectSeldom one);
Finding Make(FrameworkFixedShapes one);
Finding Make(FrameworkSteadyShapes one);
Finding Make(FrameworkSteadyTensors one);
Finding Make(FrameworkValuesAsTensors one);
Finding Make(FrameworkTextsOutside one);
Finding Make(FrameworkSteadyLengths one);
Finding Make(FrameworkOneState one);
Finding Make(FrameworkOneObject one);
Finding Make(FrameworkLookAtGuard one);
Finding Make(FrameworkLookAtUnbegunWork one);
Finding Make(FrameworkRunAhead one);
Finding Make(CommunicationAllRanks one);
Finding Make(CommunicationAccumulateWithoutSync one);
Finding Make(CommunicationAccumulate one);
Finding Make(CommunicationNoSync one);
Finding Make(CommunicationCallLess one);
Finding Make(CommunicationTensorsForObjects one);
Finding Make(CommunicationNoBarrier one);
Finding Make(CommunicationMicroBatches one);
Finding Make(CommunicationJoinCalls one);
Finding Make(CommunicationWaitLater one);
Finding Make(CommunicationStartAsynchronously one);
Finding Make(CommunicationHoldParameters one);
Finding Make(CommunicationMoreLayersAUnit one);
Finding Make(CommunicationShardGradients one);
Finding Make(CommunicationLargerUnits one);
Finding Make(CommunicationLargerBuckets one);
Finding Make(CommunicationNccl one);
Finding Make(CommunicationNoUnusedParameters one);
Finding Make(CommunicationEvenWork one);
Finding Make(CommunicationLookAtData one);
Finding Make(CommunicationLookAtRank one);
Finding Make(CommunicationLookAtCause one);
Finding Make(RunCallStep one);
Finding Make(RunCallStepIfItTrains one);
Finding Make(RunCallStepIfItTrained one);
Finding Make(RunCallStepIfItTrainsAlready one);
Finding Make(RunLetHooksIn one);
Finding Make(RunNameRanges one);
Finding Make(RunLongerRange one);
Finding Make(RunWithoutTool one);
Finding Make(RunFreeSpace one);
Finding Make(RunFixFailure one);
Finding Make(RunLookWhereItIs one);
Finding Make(RunLookWhereItWas one);
Finding Make(RunWithOptimizerHook one);
Finding Make(RunWithHooks one);
Finding Make(RunCaptureAgain one);
Finding Make(RunLookBehindWarmUp one);
Finding Make(RunMoreSteps one);
Finding Make(RunAskAgain one);
Finding Make(RunLonger one);
Finding Make(ImportAllFiles one);
Finding Make(ImportRecordHost one);
Finding Make(ImportMarkStepsJax one);
Finding Make(ImportMarkStepsTensorflow one);
Finding Make(ImportRunTraining one);
Finding Make(ProfileNameRangesJax one);
Finding Make(ProfileNameRangesTensorflow one);
Finding Make(RecommendationRaiseWorkers one);
Finding Make(RecommendationDistributedDataParallel one);
Finding Make(RecommendationUseNccl one);
Finding Make(RecommendationCommunicateLess one);
Finding Make(RecommendationGiveDeviceMore one);
Finding Make(RecommendationMixedPrecision one);
Finding Make(RecommendationUseLessMemory one);
Finding Make(RecommendationLaunchLess one);
Finding Make(RecommendationOverlapCommunication one);
Finding Make(RecommendationLookAtLateRank one);
Finding Make(RecommendationSynchroniseLess one);
Finding Make(RecommendationGatherCopies one);
Finding Make(RecommendationUseTensorCores one);
Finding Make(RecommendationKeepBlocks one);
Finding Make(RuleGpuUnderUtilised one);
Finding Make(RuleGpuUnderUtilisedOverSteps one);
Finding Make(RuleGpuUnderUtilisedOverProfile one);
Finding Make(RuleGpuUnderUtilisedLately one);
Finding Make(RuleGpuFluctuates one);
Finding Make(RuleGpuFluctuatesOverSteps one);
Finding Make(RuleGpuFluctuatesOverProfile one);
Finding Make(RuleGpuFluctuatesLately one);
Finding Make(RuleGpuNotUsed one);
Finding Make(RuleBatchTooSmall one);
Finding Make(RuleMemoryGrew one);
Finding Make(RuleMemoryMeanGrew one);
Finding Make(RuleStepsStarveGpu one);
Finding Make(RuleCpuBottleneck one);
Finding Make(RuleIoBottleneck one);
Finding Make(RuleBottlenecks one);
Finding Make(RuleGpusDifferInUse one);
Finding Make(RuleGpusTakeTurns one);
Finding Make(RuleLastGpusDiffer one);
Finding Make(RuleLoadersOnCores one);
Finding Make(RuleWorkersOnCores one);
Finding Make(RuleWaitsForData one);
Finding Make(RuleLongSteps one);
Finding Make(RuleSlowSteps one);
Finding Make(RuleNoFirstStep one);
Finding Make(RuleLongInitialization one);
Finding Make(RuleFound one);
Finding Make(RecommendationLoader one);
Finding Make(RecommendationLoaderTime one);
Finding Make(RecommendationDataParallel one);
Finding Make(RecommendationGradientExchange one);
Finding Make(RecommendationCommunication one);
Finding Make(RecommendationLeastUsedDevice one);
Finding Make(RecommendationLittleUsedDevice one);
Finding Make(RecommendationTensorCoresUsed one);
Finding Make(RecommendationNoTensorCoresUsed one);
Finding Make(RecommendationTensorCoreOperators one);
Finding Make(RecommendationMemoryPeak one);
Finding Make(RecommendationLaunches one);
Finding Make(RecommendationShortLaunches one);
Finding Make(RecommendationExposedCommunication one);
Finding Make(RecommendationCommunicationOverlapped one);
Finding Make(RecommendationStraggler one);
Finding Make(RecommendationLateRank one);
Finding Make(RecommendationSynchronisation one);
Finding Make(RecommendationSynchronisingCalls one);
Finding Make(RecommendationSmallCopies one);
Finding Make(RecommendationSmallCopiesOfAll one);
Finding Make(RecommendationTensorCoreShare one);
Finding Make(RecommendationTensorCoreSharePossible one);
Finding Make(RecommendationAllocator one);
Finding Make(RecommendationAllocatorCalls one);
Finding Make(VerdictStraggler one);
Finding Make(VerdictExchangeOrWaiting one);
Finding Make(VerdictSuspect one);
Finding Make(VerdictTrainingWithoutCore one);
Finding Make(VerdictNoSingleSuspect one);
Finding Make(VerdictModelIfItComputes one);
Finding Make(VerdictModelAndNext one);
Finding Make(VerdictModelAndRest one);
Finding Make(VerdictModelWithOverhead one);
Finding Make(VerdictModelWaitsForHost one);
Finding Make(VerdictModelUnrecognised one);
Finding Make(VerdictModelHealthy one);
Finding Make(VerdictModelSlowed one);
Finding Make(VerdictNoHooks one);
Finding Make(VerdictNoStepInRange one);
Finding Make(VerdictCannotRecord one);
Finding Make(VerdictSharedMemoryFull one);
Finding Make(VerdictUnrecordedProcess one);
Finding Make(VerdictScriptProfiler one);
Finding Make(VerdictStepsDamaged one);
Finding Make(VerdictStepsRefused one);
Finding Make(VerdictNoPython one);
Finding Make(VerdictNoTorch one);
Finding Make(VerdictNoOptimizer one);
Finding Make(VerdictOptimizerLeftOut one);
Finding Make(VerdictImportWithoutSteps one);
Finding Make(VerdictNoTraining one);
Finding Make(VerdictHooksOff one);
Finding Make(VerdictNoStepYet one);
Finding Make(VerdictOnlyWarmUp one);
Finding Make(VerdictTooFewSteps one);
Finding Make(UsageFluctuates one);
Finding Make(UsageSmallerWithoutGpu one);
Finding Make(UsageSmaller one);
Finding Make(UsageHeldUpByCpu one);
Finding Make(UsageWellUsed one);
Finding Make(NoteNoDeviceActivity one);
Finding Make(NoteProfileWithoutDevices one);
Finding Make(NoteProfileWithoutOperators one);
Finding Make(NoteProfileWithoutMemory one);
Finding Make(NoteProfileWithoutModules one);
Finding Make(NoteStepsLeftOut one);
Finding Make(NoteAgentEndedFirst one);
Finding Make(NoteLostAfterLastStep one);
Finding Make(NoteNoStepMarks one);
Finding Make(NoteWindows one);
Finding Make(NoteCollectivesFrom one);
Finding Make(NoteNoMetric one);
Finding Make(NoteSamplesAround one);
Finding Make(NoteNotMeasured one);
Finding Make(NoteLastSteps one);
Finding Make(MemoryCopyOnWrite one);
Finding Make(MemoryDeviceNearlyFull one);
Finding Make(MemoryCgroupNearlyFull one);
Finding Make(MemoryMachineNearlyFull one);
Finding Make(NoteWindowCost one);
Finding Make(NoteCuptiStays one);
Finding Make(NoteCuptiTaken one);
Finding Make(NoteNoGroupReported one);
Finding Make(NoteNoCollectives one);
Finding Make(NoteOneRank one);
Finding Make(NoteNothingMatched one);
Finding Make(NoteSharedGroupName one);
Finding Make(NoteCollectivesLackRanks one);
Finding Make(NoteCallsUnplaced one);
Finding Make(NoteCallsAmbiguous one);
Finding Make(ComparisonNoSteps one);
Finding Make(ComparisonNoStepsInOne one);
Finding Make(ComparisonMayBeChance one);
Finding Make(ComparisonSame one);
Finding Make(ComparisonFaster one);
Finding Make(ComparisonDatasetStagesOfOne one);
Finding Make(LegacyText one);
Finding Make(ReasonNoGpuMetric one);
Finding Make(ReasonNoSystemMetric one);
Finding Make(ReasonNoGpuMemoryOrCpu one);
Finding Make(ReasonNoGpuMemory one);
Finding Make(ReasonNoCpu one);
Finding Make(ReasonNoIoWait one);
Finding Make(ReasonGpuMemorySizeUnknown one);
Finding Make(ReasonMemoryInNoStep one);
Finding Make(ReasonNoMemoryRecords one);
Finding Make(ReasonOneGpu one);
Finding Make(ReasonFewSamples one);
Finding Make(ReasonFewSamplesOfTwo one);
Finding Make(ReasonNoTrainingStep one);
Finding Make(ReasonNoStep one);
Finding Make(ReasonFrameworkSilent one);
Finding Make(ReasonNoStepOrOperator one);
Finding Make(ReasonNoLoader one);
Finding Make(ReasonFewSteadySteps one);
Finding Make(ReasonFewStepsOfAKind one);
Finding Make(ReasonFewSnapshots one);
Finding Make(ReasonFewRecordedSteps one);
Finding Make(ReasonNoRuleApplies one);
Finding Make(ReasonBeginLeftOut one);
Finding Make(ReasonNoData one);
Finding Make(ReasonImpossibleTimes one);
Finding Make(ReasonFirstGpusAlone one);
Finding Make(RuleAdviceLowGpuUtilization one);
Finding Make(RuleAdviceBatchSize one);
Finding Make(RuleAdviceCpuBottleneck one);
Finding Make(RuleAdviceIoBottleneck one);
Finding Make(RuleAdviceGpuMemoryIncrease one);
Finding Make(RuleAdviceLoadBalancing one);
Finding Make(RuleAdviceDataloader one);
Finding Make(RuleAdviceStepOutlier one);
Finding Make(RuleAdviceMaxInitializationTime one);
Finding Make(RuleAdviceProfilerReport one);
Finding Make(LiveRuleFound one);
Finding Make(LiveRulePassed one);
Finding Make(LiveSamplingSlowed one);
Finding Make(LiveSamplingRestored one);
Finding Make(LiveSamplingAnew one);
Finding Make(LiveOwnStacksPace one);
Finding Make(LiveAgentMemoryOver one);
Finding Make(LiveAgentMemoryOk one);
Finding Make(LiveMemoryLeak one);
Finding Make(LiveMemoryPlateau one);
Finding Make(LiveMemoryUnknown one);
Finding Make(LiveStepTimeRisen one);
Finding Make(LiveStepTimeBack one);
Finding Make(LiveHang one);
Finding Make(LiveHangOver one);
Finding Make(LiveNoHang one);
Finding Make(LiveTensorNonfinite one);
Finding Make(LiveGradientVanishing one);
Finding Make(LiveGradientExploding one);
Finding Make(LiveLossNotFalling one);
Finding Make(LiveTensorFiniteAgain one);
Finding Make(LiveLossSpike one);
Finding Make(LiveGradientSpike one);
Finding Make(LiveDeadUnits one);
Finding Make(LiveCastRange one);
Finding Make(LiveParameterUnchanged one);
Finding Make(LiveTensorUnjudged one);
Finding Make(LossCaptureNothing one);
Finding Make(LossCaptureCut one);
Finding Make(LossCaptureWithout one);
Finding Make(LossKinetoFailed one);
Finding Make(LossKinetoNoMemory one);
Finding Make(LossProfileUnread one);
Finding Make(LossProfilesLeft one);
Finding Make(LossOfProfile one);
Finding Make(LossNoRoomForRing one);
Finding Make(LossRingUnreadable one);
Finding Make(LossDisarmed one);
Finding Make(LossStillRan one);
Finding Make(LossOtherUser one);
Finding Make(LossNoSitePackages one);
Finding Make(LossPythonPathIgnored one);
Finding Make(LossHooksRefused one);
Finding Make(LossNoHooksLoaded one);
Finding Make(LossToolOfTheScript one);
Finding Make(LossNothingToRecord one);
Finding Make(LossRecordedElsewhere one);
Finding Make(LossUnavailable one);
Finding Make(LossImpossibleTimes one);
Finding Make(LossUnrecognisedEvent one);
Finding Make(LossRanksMissing one);
Finding Make(LossHookFailed one);
Finding Make(LossInFile one);
Finding Make(LossFileRefused one);
Finding Make(LossFileCutOff one);
Finding Make(LossFileDamaged one);
Finding Make(LossSkippedBytes one);
Finding Make(LossTooLarge one);
Finding Make(LossTablesLeftOut one);
Finding Make(LossProfilerWarned one);
Finding Make(LossBeyond one);
Finding Make(LossDuplicateKey one);
Finding Make(LossMissingMetadata one);
Finding Make(LossSameProfile one);
Finding Make(LossSameRank one);
Finding Make(LossNoDate one);
Finding Make(LossNotProfiles one);
Finding Make(LossCutDurations one);
Finding Make(CostGpusOfNode one);
Finding Make(CostCoresOfNode one);
Finding Make(CostMemoryOfNode one);
Finding Make(CostMemoryUnmeasured one);
Finding Make(CostGpuMemory one);
Finding Make(CostGpuMemoryNotCompared one);
Finding Make(CostGpusOfAll one);
Finding Make(CostCoresOfProcesses one);
Finding Make(CostCoresMustShrink one);
Finding Make(CostBatchGrows one);
Finding Make(CostOtherSize one);
Finding Make(CostNoTypes one);
Finding Make(CostUseUnmeasured one);
Finding Make(CostNoTypeHolds one);
Finding Make(CostNoneCheaper one);
Finding Make(ReasonNoPrice one);
Finding Make(ReasonTypeUnclear one);
Finding Make(ReasonTypeNotListed one);
Finding Make(RunException one);
Finding Make(RunInterrupted one);
Finding Make(RunSignal one);
Finding Make(RunExitCode one);

}  // namespace finding
// clang-format on

}  // namespace steptrace::model
