// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.
#include "model/finding_kinds.h"

#include <string_view>
#include <utility>

namespace steptrace::model {
namespace {

template <typename V>
Value ValueOf(const std::optional<V>& known) {
  return known ? Value(*known) : Value();
}

// clang-format off
constexpr FigureInfo kDataBatchNotReadyFigures[] = {{"starved", Unit::kCount, false}, {"waits", Unit::kCount, false}};
constexpr FigureInfo kDataAwaitedFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kDataAwaitedTexts[] = {"function"};
constexpr FigureInfo kDataSamplesFigures[] = {{"samples", Unit::kCount, false}};
constexpr FigureInfo kStepStagesItemFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kStepStagesItemTexts[] = {"stage"};
constexpr FigureInfo kOperatorsStagesItemFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kOperatorsStagesItemTexts[] = {"stage"};
constexpr FigureInfo kCommunicationStagesItemFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kCommunicationStagesItemTexts[] = {"stage"};
constexpr FigureInfo kStepFasterWithoutFigures[] = {{"speedup", Unit::kTimes, false}};
constexpr std::string_view kStepFasterWithoutTexts[] = {"suspect", "stage"};
constexpr FigureInfo kStepProcessIdleFigures[] = {{"share", Unit::kShare, false}};
constexpr FigureInfo kStepCheckpointsFigures[] = {{"steps", Unit::kCount, false}};
constexpr FigureInfo kStepEvaluationsFigures[] = {{"steps", Unit::kCount, false}};
constexpr FigureInfo kStepGarbageCollectionsFigures[] = {{"steps", Unit::kCount, false}};
constexpr FigureInfo kStepUserRangeFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kStepUserRangeTexts[] = {"range"};
constexpr FigureInfo kStepRunsInFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kStepRunsInTexts[] = {"function"};
constexpr FigureInfo kStepWaitsInFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kStepWaitsInTexts[] = {"function"};
constexpr FigureInfo kStepThreadBesideFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kStepThreadBesideTexts[] = {"function"};
constexpr FigureInfo kCpuCoresBusyFigures[] = {{"cores", Unit::kCores, true}, {"share", Unit::kShare, false}};
constexpr FigureInfo kCpuUsedByJobFigures[] = {{"used", Unit::kNumber, false}, {"cores", Unit::kCores, false}};
constexpr FigureInfo kCpuQuotaRanOutFigures[] = {{"limit", Unit::kCores, true}, {"share", Unit::kShare, false}};
constexpr FigureInfo kCpuContentionFigures[] = {{"threads", Unit::kNumber, false}, {"cores", Unit::kCores, false}};
constexpr FigureInfo kCpuOtherWorkFigures[] = {{"cores", Unit::kCores, false}};
constexpr FigureInfo kCpuRunDelayFigures[] = {{"seconds", Unit::kNumber, false}};
constexpr FigureInfo kStorageIoWaitFigures[] = {{"share", Unit::kShare, false}};
constexpr FigureInfo kStorageReadFigures[] = {{"bytes", Unit::kBytes, false}};
constexpr FigureInfo kDeviceBusyFigures[] = {{"share", Unit::kShare, false}};
constexpr FigureInfo kDeviceInPhasesFigures[] = {{"busy", Unit::kShare, false}, {"data", Unit::kShare, false}};
constexpr FigureInfo kDeviceCaughtUpFigures[] = {{"share", Unit::kShare, false}};
constexpr FigureInfo kDeviceComputingFigures[] = {{"computing", Unit::kShare, false}, {"idle", Unit::kShare, false}};
constexpr FigureInfo kDeviceOneOfSeveralComputingFigures[] = {{"devices", Unit::kInteger, false}, {"computing", Unit::kShare, false}, {"idle", Unit::kShare, false}};
constexpr FigureInfo kDeviceSlowCallsFigures[] = {{"calls", Unit::kCount, false}, {"all", Unit::kNs, false}, {"longest", Unit::kNs, false}};
constexpr std::string_view kDeviceSlowCallsTexts[] = {"call"};
constexpr FigureInfo kGpuSharedWithOthersFigures[] = {{"others", Unit::kInteger, false}, {"gpu", Unit::kInteger, false}, {"node", Unit::kInteger, true}};
constexpr FigureInfo kGpuUnknownProcessesFigures[] = {{"processes", Unit::kInteger, false}, {"gpu", Unit::kInteger, false}, {"node", Unit::kInteger, true}, {"ranks", Unit::kInteger, false}};
constexpr std::string_view kGpuRanksTogetherTexts[] = {"name"};
constexpr FigureInfo kGpuRanksTogetherItemFigures[] = {{"rank", Unit::kInteger, false}};
constexpr FigureInfo kGpuManyRanksTogetherFigures[] = {{"more", Unit::kInteger, false}};
constexpr std::string_view kGpuManyRanksTogetherTexts[] = {"name"};
constexpr FigureInfo kGpuManyRanksTogetherItemFigures[] = {{"rank", Unit::kInteger, false}};
constexpr FigureInfo kCommunicationLastRankFigures[] = {{"rank", Unit::kInteger, false}, {"last", Unit::kCount, false}, {"steps", Unit::kCount, false}};
constexpr FigureInfo kCommunicationWaitedForRankFigures[] = {{"wait", Unit::kNs, false}};
constexpr FigureInfo kCommunicationCallsItemFigures[] = {{"calls", Unit::kNumber, false}, {"bytes", Unit::kBytes, true}};
constexpr std::string_view kCommunicationCallsItemTexts[] = {"call"};
constexpr std::string_view kModelNoStacksTexts[] = {"reason"};
constexpr FigureInfo kModelOperatorsShareFigures[] = {{"share", Unit::kShare, false}};
constexpr FigureInfo kModelBetweenOperatorsFigures[] = {{"share", Unit::kShare, false}, {"low", Unit::kShareNumber, false}, {"high", Unit::kShareNumber, false}, {"steps", Unit::kInteger, false}};
constexpr FigureInfo kVerdictFewStepsFigures[] = {{"steps", Unit::kInteger, false}, {"within", Unit::kNs, true}};
constexpr FigureInfo kVerdictAllWarmUpFigures[] = {{"steps", Unit::kInteger, false}};
constexpr FigureInfo kVerdictWarmUpFigures[] = {{"warm_up", Unit::kInteger, false}, {"steps", Unit::kInteger, false}};
constexpr FigureInfo kRunStepsLeftOutFigures[] = {{"steps", Unit::kCount, false}};
constexpr FigureInfo kRunDevicesLeftOutFigures[] = {{"steps", Unit::kCount, false}};
constexpr std::string_view kRunLostTexts[] = {"detail"};
constexpr std::string_view kRunHookFailedTexts[] = {"hook", "reason"};
constexpr FigureInfo kRunLastSeenFigures[] = {{"time", Unit::kNs, false}, {"waits", Unit::kFlag, false}, {"share", Unit::kShare, false}, {"samples", Unit::kCount, false}, {"worker_waits", Unit::kFlag, true}, {"worker_share", Unit::kShare, true}, {"worker_samples", Unit::kCount, true}};
constexpr std::string_view kRunLastSeenTexts[] = {"function", "worker_function"};
constexpr FigureInfo kProfileProcessesTogetherFigures[] = {{"rank", Unit::kInteger, false}, {"processes", Unit::kInteger, false}};
constexpr FigureInfo kProfileThreadsTogetherFigures[] = {{"threads", Unit::kInteger, false}, {"rank", Unit::kInteger, false}};
constexpr FigureInfo kProfileRunsInFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kProfileRunsInTexts[] = {"function"};
constexpr FigureInfo kProfileWaitsInFigures[] = {{"share", Unit::kShare, false}};
constexpr std::string_view kProfileWaitsInTexts[] = {"function"};

constexpr KindInfo kKinds[] = {
    {"data.batch_not_ready", Role::kEvidence, {kDataBatchNotReadyFigures, {}}, {{}, {}}, false},
    {"data.loaded_by_training", Role::kEvidence, {{}, {}}, {{}, {}}, false},
    {"data.awaited", Role::kEvidence, {kDataAwaitedFigures, kDataAwaitedTexts}, {{}, {}}, false},
    {"data.samples", Role::kEvidence, {kDataSamplesFigures, {}}, {{}, {}}, false},
    {"data.stages_of_profile", Role::kEvidence, {{}, {}}, {{}, {}}, false},
    {"step.stages", Role::kEvidence, {{}, {}}, {kStepStagesItemFigures, kStepStagesItemTexts}, true},
    {"operators.stages", Role::kEvidence, {{}, {}}, {kOperatorsStagesItemFigures, kOperatorsStagesItemTexts}, true},
    {"communication.stages", Role::kEvidence, {{}, {}}, {kCommunicationStagesItemFigures, kCommunicationStagesItemTexts}, true},
    {"step.faster_without", Role::kEvidence, {kStepFasterWithoutFigures, kStepFasterWithoutTexts}, {{}, {}}, false},
    {"step.process_idle", Role::kEvidence, {kStepProcessIdleFigures, {}}, {{}, {}}, false},
    {"step.checkpoints", Role::kEvidence, {kStepCheckpointsFigures, {}}, {{}, {}}, false},
    {"step.evaluations", Role::kEvidence, {kStepEvaluationsFigures, {}}, {{}, {}}, false},
    {"step.garbage_collections", Role::kEvidence, {kStepGarbageCollectionsFigures, {}}, {{}, {}}, false},
    {"step.user_range", Role::kEvidence, {kStepUserRangeFigures, kStepUserRangeTexts}, {{}, {}}, false},
    {"step.runs_in", Role::kEvidence, {kStepRunsInFigures, kStepRunsInTexts}, {{}, {}}, false},
    {"step.waits_in", Role::kEvidence, {kStepWaitsInFigures, kStepWaitsInTexts}, {{}, {}}, false},
    {"step.thread_beside", Role::kEvidence, {kStepThreadBesideFigures, kStepThreadBesideTexts}, {{}, {}}, false},
    {"cpu.cores_busy", Role::kEvidence, {kCpuCoresBusyFigures, {}}, {{}, {}}, false},
    {"cpu.used_by_job", Role::kEvidence, {kCpuUsedByJobFigures, {}}, {{}, {}}, false},
    {"cpu.quota_ran_out", Role::kEvidence, {kCpuQuotaRanOutFigures, {}}, {{}, {}}, false},
    {"cpu.contention", Role::kEvidence, {kCpuContentionFigures, {}}, {{}, {}}, false},
    {"cpu.other_work", Role::kEvidence, {kCpuOtherWorkFigures, {}}, {{}, {}}, false},
    {"cpu.run_delay", Role::kEvidence, {kCpuRunDelayFigures, {}}, {{}, {}}, false},
    {"storage.io_wait", Role::kEvidence, {kStorageIoWaitFigures, {}}, {{}, {}}, false},
    {"storage.read", Role::kEvidence, {kStorageReadFigures, {}}, {{}, {}}, false},
    {"device.busy", Role::kEvidence, {kDeviceBusyFigures, {}}, {{}, {}}, false},
    {"device.in_phases", Role::kEvidence, {kDeviceInPhasesFigures, {}}, {{}, {}}, false},
    {"device.caught_up", Role::kEvidence, {kDeviceCaughtUpFigures, {}}, {{}, {}}, false},
    {"device.computing", Role::kEvidence, {kDeviceComputingFigures, {}}, {{}, {}}, false},
    {"device.one_of_several_computing", Role::kEvidence, {kDeviceOneOfSeveralComputingFigures, {}}, {{}, {}}, false},
    {"device.slow_calls", Role::kEvidence, {kDeviceSlowCallsFigures, kDeviceSlowCallsTexts}, {{}, {}}, false},
    {"gpu.shared_with_others", Role::kEvidence, {kGpuSharedWithOthersFigures, {}}, {{}, {}}, false},
    {"gpu.unknown_processes", Role::kEvidence, {kGpuUnknownProcessesFigures, {}}, {{}, {}}, false},
    {"gpu.ranks_together", Role::kEvidence, {{}, kGpuRanksTogetherTexts}, {kGpuRanksTogetherItemFigures, {}}, true},
    {"gpu.many_ranks_together", Role::kEvidence, {kGpuManyRanksTogetherFigures, kGpuManyRanksTogetherTexts}, {kGpuManyRanksTogetherItemFigures, {}}, true},
    {"communication.last_rank", Role::kEvidence, {kCommunicationLastRankFigures, {}}, {{}, {}}, false},
    {"communication.waited_for_rank", Role::kEvidence, {kCommunicationWaitedForRankFigures, {}}, {{}, {}}, false},
    {"communication.calls", Role::kEvidence, {{}, {}}, {kCommunicationCallsItemFigures, kCommunicationCallsItemTexts}, true},
    {"model.no_stacks", Role::kEvidence, {{}, kModelNoStacksTexts}, {{}, {}}, false},
    {"model.few_samples", Role::kEvidence, {{}, {}}, {{}, {}}, false},
    {"model.operators_share", Role::kEvidence, {kModelOperatorsShareFigures, {}}, {{}, {}}, false},
    {"model.between_operators", Role::kEvidence, {kModelBetweenOperatorsFigures, {}}, {{}, {}}, false},
    {"verdict.few_steps", Role::kEvidence, {kVerdictFewStepsFigures, {}}, {{}, {}}, false},
    {"verdict.all_warm_up", Role::kEvidence, {kVerdictAllWarmUpFigures, {}}, {{}, {}}, false},
    {"verdict.warm_up", Role::kEvidence, {kVerdictWarmUpFigures, {}}, {{}, {}}, false},
    {"run.steps_left_out", Role::kEvidence, {kRunStepsLeftOutFigures, {}}, {{}, {}}, false},
    {"run.devices_left_out", Role::kEvidence, {kRunDevicesLeftOutFigures, {}}, {{}, {}}, false},
    {"run.lost", Role::kEvidence, {{}, kRunLostTexts}, {{}, {}}, false},
    {"run.hook_failed", Role::kEvidence, {{}, kRunHookFailedTexts}, {{}, {}}, false},
    {"run.last_seen", Role::kEvidence, {kRunLastSeenFigures, kRunLastSeenTexts}, {{}, {}}, false},
    {"profile.processes_together", Role::kEvidence, {kProfileProcessesTogetherFigures, {}}, {{}, {}}, false},
    {"profile.threads_together", Role::kEvidence, {kProfileThreadsTogetherFigures, {}}, {{}, {}}, false},
    {"profile.runs_in", Role::kEvidence, {kProfileRunsInFigures, kProfileRunsInTexts}, {{}, {}}, false},
    {"profile.waits_in", Role::kEvidence, {kProfileWaitsInFigures, kProfileWaitsInTexts}, {{}, {}}, false},
};
static_assert(std::size(kKinds) == kFindingKindCount);

}  // namespace

const KindInfo& InfoOf(FindingKind kind) {
  return kKinds[static_cast<size_t>(kind)];
}

namespace finding {
namespace {

Item Plain(StepStages::Item& one) { return {{one.share.value}, {one.stage.value}}; }

Item Plain(OperatorsStages::Item& one) { return {{one.share.value}, {one.stage.value}}; }

Item Plain(CommunicationStages::Item& one) { return {{one.share.value}, {one.stage.value}}; }

Item Plain(GpuRanksTogether::Item& one) { return {{one.rank.value}, {}}; }

Item Plain(GpuManyRanksTogether::Item& one) { return {{one.rank.value}, {}}; }

Item Plain(CommunicationCalls::Item& one) { return {{one.calls.value, ValueOf(one.bytes)}, {one.call.value}}; }

template <typename One>
std::vector<Item> PlainOf(std::vector<One>& items) {
  std::vector<Item> plain;
  for (One& one : items) plain.push_back(Plain(one));
  return plain;
}

}  // namespace

Finding Make(DataBatchNotReady one) {
  return {FindingKind::kDataBatchNotReady, {one.starved.value, one.waits.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(DataLoadedByTraining) {
  return {FindingKind::kDataLoadedByTraining, {}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(DataAwaited one) {
  return {FindingKind::kDataAwaited, {one.share.value}, {one.function.value}, {}, {"samples", ""}};
}

Finding Make(DataSamples one) {
  return {FindingKind::kDataSamples, {one.samples.value}, {}, {}, {"samples", ""}};
}

Finding Make(DataStagesOfProfile) {
  return {FindingKind::kDataStagesOfProfile, {}, {}, {}, {"slices", "category = 'python_function'"}};
}

Finding Make(StepStages one) {
  return {FindingKind::kStepStages, {}, {}, PlainOf(one.items.value), {"steps", "kind = 'train'"}};
}

Finding Make(OperatorsStages one) {
  return {FindingKind::kOperatorsStages, {}, {}, PlainOf(one.items.value), {"steps", "kind = 'train'"}};
}

Finding Make(CommunicationStages one) {
  return {FindingKind::kCommunicationStages, {}, {}, PlainOf(one.items.value), {"steps", "kind = 'train'"}};
}

Finding Make(StepFasterWithout one) {
  return {FindingKind::kStepFasterWithout, {one.speedup.value}, {one.suspect, one.stage.value}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(StepProcessIdle one) {
  return {FindingKind::kStepProcessIdle, {one.share.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(StepCheckpoints one) {
  return {FindingKind::kStepCheckpoints, {one.steps.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(StepEvaluations one) {
  return {FindingKind::kStepEvaluations, {one.steps.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(StepGarbageCollections one) {
  return {FindingKind::kStepGarbageCollections, {one.steps.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(StepUserRange one) {
  return {FindingKind::kStepUserRange, {one.share.value}, {one.range.value}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(StepRunsIn one) {
  return {FindingKind::kStepRunsIn, {one.share.value}, {one.function.value}, {}, {"samples", ""}};
}

Finding Make(StepWaitsIn one) {
  return {FindingKind::kStepWaitsIn, {one.share.value}, {one.function.value}, {}, {"samples", ""}};
}

Finding Make(StepThreadBeside one) {
  return {FindingKind::kStepThreadBeside, {one.share.value}, {one.function.value}, {}, {"samples", ""}};
}

Finding Make(CpuCoresBusy one) {
  return {FindingKind::kCpuCoresBusy, {ValueOf(one.cores), one.share.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(CpuUsedByJob one) {
  return {FindingKind::kCpuUsedByJob, {one.used.value, one.cores.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(CpuQuotaRanOut one) {
  return {FindingKind::kCpuQuotaRanOut, {ValueOf(one.limit), one.share.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(CpuContention one) {
  return {FindingKind::kCpuContention, {one.threads.value, one.cores.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(CpuOtherWork one) {
  return {FindingKind::kCpuOtherWork, {one.cores.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(CpuRunDelay one) {
  return {FindingKind::kCpuRunDelay, {one.seconds.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(StorageIoWait one) {
  return {FindingKind::kStorageIoWait, {one.share.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(StorageRead one) {
  return {FindingKind::kStorageRead, {one.bytes.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(DeviceBusy one) {
  return {FindingKind::kDeviceBusy, {one.share.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(DeviceInPhases one) {
  return {FindingKind::kDeviceInPhases, {one.busy.value, one.data.value}, {}, {}, {"slices", "category = 'device_phase'"}};
}

Finding Make(DeviceCaughtUp one) {
  return {FindingKind::kDeviceCaughtUp, {one.share.value}, {}, {}, {"slices", "category = 'device_phase'"}};
}

Finding Make(DeviceComputing one) {
  return {FindingKind::kDeviceComputing, {one.computing.value, one.idle.value}, {}, {}, {"slices", "category = 'kernel'"}};
}

Finding Make(DeviceOneOfSeveralComputing one) {
  return {FindingKind::kDeviceOneOfSeveralComputing, {one.devices.value, one.computing.value, one.idle.value}, {}, {}, {"slices", "category = 'kernel'"}};
}

Finding Make(DeviceSlowCalls one) {
  return {FindingKind::kDeviceSlowCalls, {one.calls.value, one.all.value, one.longest.value}, {one.call.value}, {}, {"slices", "category = 'cuda_runtime' and dur_ns >= 10000000"}};
}

Finding Make(GpuSharedWithOthers one) {
  return {FindingKind::kGpuSharedWithOthers, {one.others.value, one.gpu.value, ValueOf(one.node)}, {}, {}, {"facts", "kind = 'gpu'"}};
}

Finding Make(GpuUnknownProcesses one) {
  return {FindingKind::kGpuUnknownProcesses, {one.processes.value, one.gpu.value, ValueOf(one.node), one.ranks.value}, {}, {}, {"facts", "kind = 'gpu'"}};
}

Finding Make(GpuRanksTogether one) {
  return {FindingKind::kGpuRanksTogether, {}, {one.name}, PlainOf(one.items.value), {"facts", "kind = 'device'"}};
}

Finding Make(GpuManyRanksTogether one) {
  return {FindingKind::kGpuManyRanksTogether, {one.more.value}, {one.name}, PlainOf(one.items.value), {"facts", "kind = 'device'"}};
}

Finding Make(CommunicationLastRank one) {
  return {FindingKind::kCommunicationLastRank, {one.rank.value, one.last.value, one.steps.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(CommunicationWaitedForRank one) {
  return {FindingKind::kCommunicationWaitedForRank, {one.wait.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(CommunicationCalls one) {
  return {FindingKind::kCommunicationCalls, {}, {}, PlainOf(one.items.value), {"slices", "category = 'communication'"}};
}

Finding Make(ModelNoStacks one) {
  return {FindingKind::kModelNoStacks, {}, {one.reason.value}, {}, {"facts", "kind = 'source'"}};
}

Finding Make(ModelFewSamples) {
  return {FindingKind::kModelFewSamples, {}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(ModelOperatorsShare one) {
  return {FindingKind::kModelOperatorsShare, {one.share.value}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(ModelBetweenOperators one) {
  return {FindingKind::kModelBetweenOperators, {one.share.value, one.low.value, one.high.value, one.steps.value}, {}, {}, {"steps", "dispatch_ns IS NOT NULL"}};
}

Finding Make(VerdictFewSteps one) {
  return {FindingKind::kVerdictFewSteps, {one.steps.value, ValueOf(one.within)}, {}, {}, {"steps", "kind = 'train'"}};
}

Finding Make(VerdictAllWarmUp one) {
  return {FindingKind::kVerdictAllWarmUp, {one.steps.value}, {}, {}, {"steps", "kind = 'warm-up'"}};
}

Finding Make(VerdictWarmUp one) {
  return {FindingKind::kVerdictWarmUp, {one.warm_up.value, one.steps.value}, {}, {}, {"steps", "kind = 'warm-up'"}};
}

Finding Make(RunStepsLeftOut one) {
  return {FindingKind::kRunStepsLeftOut, {one.steps.value}, {}, {}, {"losses", "cause = 'segment_damaged'"}};
}

Finding Make(RunDevicesLeftOut one) {
  return {FindingKind::kRunDevicesLeftOut, {one.steps.value}, {}, {}, {"losses", "cause = 'segment_damaged'"}};
}

Finding Make(RunLost one) {
  return {FindingKind::kRunLost, {}, {one.detail.value}, {}, {"losses", one.where.value}};
}

Finding Make(RunHookFailed one) {
  return {FindingKind::kRunHookFailed, {}, {one.hook, one.reason}, {}, {"facts", "kind = 'hook'"}};
}

Finding Make(RunLastSeen one) {
  return {FindingKind::kRunLastSeen, {one.time.value, one.waits.value, one.share.value, one.samples.value, ValueOf(one.worker_waits), ValueOf(one.worker_share), ValueOf(one.worker_samples)}, {one.function.value, one.worker_function}, {}, {"samples", ""}};
}

Finding Make(ProfileProcessesTogether one) {
  return {FindingKind::kProfileProcessesTogether, {one.rank.value, one.processes.value}, {}, {}, {"tracks", one.where.value}};
}

Finding Make(ProfileThreadsTogether one) {
  return {FindingKind::kProfileThreadsTogether, {one.threads.value, one.rank.value}, {}, {}, {"steps", one.where.value}};
}

Finding Make(ProfileRunsIn one) {
  return {FindingKind::kProfileRunsIn, {one.share.value}, {one.function.value}, {}, {"slices", "category = 'python_function'"}};
}

Finding Make(ProfileWaitsIn one) {
  return {FindingKind::kProfileWaitsIn, {one.share.value}, {one.function.value}, {}, {"slices", "category = 'python_function'"}};
}

}  // namespace finding
// clang-format on
}  // namespace steptrace::model
