// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.
#include "model/finding_kinds.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace steptrace::model {
namespace {

template <typename V>
Value ValueOf(const std::optional<V>& known) {
  return known ? Value(*known) : Value();
}

std::vector<PlaceOfText> PlacesOf(
    std::initializer_list<std::pair<size_t, const PlacedText*>> texts) {
  std::vector<PlaceOfText> places;
  for (const auto& [at, text] : texts) {
    if (text == nullptr) continue;
    for (const PlaceInText& one : text->places) places.push_back({one, at});
  }
  return places;
}

// clang-format off
constexpr FigureInfo kDataBatchNotReadyFigures[] = {{"starved", FigureUnit::kCount, false}, {"waits", FigureUnit::kCount, false}};
constexpr FigureInfo kDataAwaitedFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kDataAwaitedTexts[] = {"function"};
constexpr FigureInfo kDataSamplesFigures[] = {{"samples", FigureUnit::kCount, false}};
constexpr FigureInfo kStepStagesItemFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kStepStagesItemTexts[] = {"stage"};
constexpr FigureInfo kStepDriftFigures[] = {{"from", FigureUnit::kNs, false}, {"to", FigureUnit::kNs, false}, {"stage_from", FigureUnit::kNs, true}, {"stage_to", FigureUnit::kNs, true}};
constexpr std::string_view kStepDriftTexts[] = {"stage", "function"};
constexpr FigureInfo kOperatorsStagesItemFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kOperatorsStagesItemTexts[] = {"stage"};
constexpr FigureInfo kCommunicationStagesItemFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kCommunicationStagesItemTexts[] = {"stage"};
constexpr FigureInfo kStepFasterWithoutFigures[] = {{"speedup", FigureUnit::kTimes, false}};
constexpr std::string_view kStepFasterWithoutTexts[] = {"suspect", "stage"};
constexpr FigureInfo kStepBoundIncludesItemFigures[] = {{"share", FigureUnit::kShare, false}, {"apart", FigureUnit::kFlag, false}, {"warm", FigureUnit::kFlag, false}};
constexpr std::string_view kStepBoundIncludesItemTexts[] = {"stage"};
constexpr FigureInfo kStepBoundOfStragglerFigures[] = {{"gain", FigureUnit::kShare, false}};
constexpr FigureInfo kStepLittleRemainsFigures[] = {{"rest", FigureUnit::kNs, false}};
constexpr FigureInfo kStepUnrecognisedFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kStepProcessIdleFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kStepCheckpointsFigures[] = {{"steps", FigureUnit::kCount, false}};
constexpr FigureInfo kStepEvaluationsFigures[] = {{"steps", FigureUnit::kCount, false}};
constexpr FigureInfo kStepCollectionThresholdsFigures[] = {{"off", FigureUnit::kFlag, false}};
constexpr std::string_view kStepCollectionThresholdsTexts[] = {"now", "before"};
constexpr FigureInfo kFrameworkRecompiledFigures[] = {{"count", FigureUnit::kCount, false}};
constexpr std::string_view kFrameworkRecompiledTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkRecompileLimitFigures[] = {{"limit", FigureUnit::kInteger, false}};
constexpr std::string_view kFrameworkRecompileLimitTexts[] = {"function", "guard"};
constexpr FigureInfo kStepLockHeldFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kStepLockHeldTexts[] = {"function", "holder"};
constexpr FigureInfo kStepGarbageCollectionsFigures[] = {{"steps", FigureUnit::kCount, false}};
constexpr FigureInfo kStepUserRangeFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kStepUserRangeTexts[] = {"range"};
constexpr FigureInfo kStepRunsInFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kStepRunsInTexts[] = {"function"};
constexpr FigureInfo kStepWaitsInFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kStepWaitsInTexts[] = {"function"};
constexpr FigureInfo kStepThreadBesideFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kStepThreadBesideTexts[] = {"function"};
constexpr FigureInfo kCpuCoresBusyFigures[] = {{"cores", FigureUnit::kCores, true}, {"share", FigureUnit::kShare, false}};
constexpr FigureInfo kCpuAllowedCoresFigures[] = {{"allowed", FigureUnit::kNumber, false}, {"cores", FigureUnit::kCores, false}, {"workers", FigureUnit::kFlag, false}};
constexpr FigureInfo kCpuUsedByJobFigures[] = {{"used", FigureUnit::kNumber, false}, {"cores", FigureUnit::kCores, false}};
constexpr FigureInfo kCpuQuotaRanOutFigures[] = {{"limit", FigureUnit::kCores, true}, {"share", FigureUnit::kShare, false}};
constexpr FigureInfo kCpuContentionFigures[] = {{"threads", FigureUnit::kNumber, false}, {"cores", FigureUnit::kCores, false}};
constexpr FigureInfo kCpuOtherWorkFigures[] = {{"cores", FigureUnit::kCores, false}};
constexpr FigureInfo kCpuRunDelayFigures[] = {{"seconds", FigureUnit::kNumber, false}};
constexpr FigureInfo kStorageIoWaitFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kStorageReadFigures[] = {{"bytes", FigureUnit::kBytes, false}};
constexpr FigureInfo kDeviceBusyFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kDeviceInPhasesFigures[] = {{"busy", FigureUnit::kShare, false}, {"data", FigureUnit::kShare, false}};
constexpr FigureInfo kDeviceIdleAtPhaseEndFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kDeviceComputingFigures[] = {{"computing", FigureUnit::kShare, false}, {"idle", FigureUnit::kShare, false}};
constexpr FigureInfo kDeviceOneOfSeveralComputingFigures[] = {{"devices", FigureUnit::kInteger, false}, {"computing", FigureUnit::kShare, false}, {"idle", FigureUnit::kShare, false}};
constexpr FigureInfo kDeviceSlowCallsFigures[] = {{"calls", FigureUnit::kCount, false}, {"all", FigureUnit::kNs, false}, {"longest", FigureUnit::kNs, false}};
constexpr std::string_view kDeviceSlowCallsTexts[] = {"call"};
constexpr SubjectInfo kDeviceSlowCallsSubject[] = {{SubjectMember::kFunction, true, false, 0}};
constexpr FigureInfo kGpuSharedWithOthersFigures[] = {{"others", FigureUnit::kInteger, false}, {"gpu", FigureUnit::kInteger, false}, {"node", FigureUnit::kInteger, true}};
constexpr SubjectInfo kGpuSharedWithOthersSubject[] = {{SubjectMember::kDevice, false, false, 1}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kGpuUnknownProcessesFigures[] = {{"processes", FigureUnit::kInteger, false}, {"gpu", FigureUnit::kInteger, false}, {"node", FigureUnit::kInteger, true}, {"ranks", FigureUnit::kInteger, false}};
constexpr SubjectInfo kGpuUnknownProcessesSubject[] = {{SubjectMember::kDevice, false, false, 1}, {SubjectMember::kNode, false, false, 2}};
constexpr std::string_view kGpuRanksTogetherTexts[] = {"name"};
constexpr FigureInfo kGpuRanksTogetherItemFigures[] = {{"rank", FigureUnit::kInteger, false}};
constexpr SubjectInfo kGpuRanksTogetherSubject[] = {{SubjectMember::kRank, false, true, 0}};
constexpr FigureInfo kGpuManyRanksTogetherFigures[] = {{"more", FigureUnit::kInteger, false}};
constexpr std::string_view kGpuManyRanksTogetherTexts[] = {"name"};
constexpr FigureInfo kGpuManyRanksTogetherItemFigures[] = {{"rank", FigureUnit::kInteger, false}};
constexpr SubjectInfo kGpuManyRanksTogetherSubject[] = {{SubjectMember::kRank, false, true, 0}};
constexpr FigureInfo kCommunicationStragglerFigures[] = {{"rank", FigureUnit::kInteger, false}, {"last", FigureUnit::kCount, false}, {"steps", FigureUnit::kCount, false}};
constexpr SubjectInfo kCommunicationStragglerSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kCommunicationWaitedForRankFigures[] = {{"rank", FigureUnit::kInteger, false}, {"wait", FigureUnit::kNs, false}};
constexpr SubjectInfo kCommunicationWaitedForRankSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kCommunicationRanksAbsentFigures[] = {{"missing", FigureUnit::kInteger, false}, {"all", FigureUnit::kInteger, false}, {"imported", FigureUnit::kFlag, false}};
constexpr std::string_view kCommunicationOnTheHostTexts[] = {"backend"};
constexpr FigureInfo kCommunicationCallsItemFigures[] = {{"calls", FigureUnit::kNumber, false}, {"bytes", FigureUnit::kBytes, true}};
constexpr std::string_view kCommunicationCallsItemTexts[] = {"call"};
constexpr FigureInfo kCommunicationGradientExchangeFigures[] = {{"bytes", FigureUnit::kBytes, false}, {"buckets", FigureUnit::kCount, false}};
constexpr FigureInfo kCommunicationExchangeEachBackwardFigures[] = {{"backwards", FigureUnit::kNumber, false}};
constexpr FigureInfo kModelDeterministicFillFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kModelDeterministicFillTexts[] = {"call"};
constexpr FigureInfo kModelSlowerThanInOtherStepsFigures[] = {{"times", FigureUnit::kTimes, false}, {"share", FigureUnit::kShare, false}, {"first", FigureUnit::kInteger, false}, {"last", FigureUnit::kInteger, false}};
constexpr std::string_view kModelSlowerThanInOtherStepsTexts[] = {"call"};
constexpr FigureInfo kModelSlowerThanAlikeFigures[] = {{"times", FigureUnit::kTimes, false}, {"share", FigureUnit::kShare, false}};
constexpr std::string_view kModelSlowerThanAlikeTexts[] = {"call"};
constexpr std::string_view kModelNoStacksTexts[] = {"reason"};
constexpr FigureInfo kModelOperatorsShareFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kModelBetweenOperatorsFigures[] = {{"share", FigureUnit::kShare, false}, {"low", FigureUnit::kShareNumber, false}, {"high", FigureUnit::kShareNumber, false}, {"steps", FigureUnit::kInteger, false}};
constexpr FigureInfo kModelKernelClassesItemFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kModelKernelClassesItemTexts[] = {"class_name"};
constexpr FigureInfo kVerdictFewStepsFigures[] = {{"steps", FigureUnit::kInteger, false}, {"within", FigureUnit::kNs, true}};
constexpr FigureInfo kVerdictAllWarmUpFigures[] = {{"steps", FigureUnit::kInteger, false}};
constexpr FigureInfo kVerdictWarmUpFigures[] = {{"warm_up", FigureUnit::kInteger, false}, {"steps", FigureUnit::kInteger, false}};
constexpr FigureInfo kRunStepsLeftOutFigures[] = {{"steps", FigureUnit::kCount, false}};
constexpr FigureInfo kRunDevicesLeftOutFigures[] = {{"steps", FigureUnit::kCount, false}};
constexpr std::string_view kRunDataLossTexts[] = {"detail"};
constexpr FigureInfo kRunDiskRefusedFigures[] = {{"rows", FigureUnit::kInteger, false}};
constexpr std::string_view kRunDiskRefusedTexts[] = {"of"};
constexpr std::string_view kRunHookFailedTexts[] = {"hook", "reason"};
constexpr SubjectInfo kRunHookFailedSubject[] = {{SubjectMember::kHook, true, false, 0}};
constexpr FigureInfo kRunLastSeenFigures[] = {{"time", FigureUnit::kNs, false}, {"waits", FigureUnit::kFlag, false}, {"share", FigureUnit::kShare, false}, {"samples", FigureUnit::kCount, false}, {"worker_waits", FigureUnit::kFlag, true}, {"worker_share", FigureUnit::kShare, true}, {"worker_samples", FigureUnit::kCount, true}};
constexpr std::string_view kRunLastSeenTexts[] = {"function", "worker_function"};
constexpr FigureInfo kProfileProcessesTogetherFigures[] = {{"rank", FigureUnit::kInteger, false}, {"processes", FigureUnit::kInteger, false}};
constexpr SubjectInfo kProfileProcessesTogetherSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kProfileWorkNotRecordedFigures[] = {{"rank", FigureUnit::kInteger, false}, {"time", FigureUnit::kNs, false}};
constexpr SubjectInfo kProfileWorkNotRecordedSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kProfileStepsOverlapFigures[] = {{"rank", FigureUnit::kInteger, false}, {"steps", FigureUnit::kCount, false}};
constexpr SubjectInfo kProfileStepsOverlapSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kProfileStepsNestedFigures[] = {{"rank", FigureUnit::kInteger, false}, {"marks", FigureUnit::kCount, false}};
constexpr SubjectInfo kProfileStepsNestedSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kProfileThreadsTogetherFigures[] = {{"threads", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}};
constexpr SubjectInfo kProfileThreadsTogetherSubject[] = {{SubjectMember::kRank, false, false, 1}};
constexpr FigureInfo kProfileRunsInFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kProfileRunsInTexts[] = {"function"};
constexpr FigureInfo kProfileBusiestFigures[] = {{"share", FigureUnit::kShare, false}, {"time", FigureUnit::kNs, false}, {"calls", FigureUnit::kCount, false}};
constexpr std::string_view kProfileBusiestTexts[] = {"function"};
constexpr SubjectInfo kProfileBusiestSubject[] = {{SubjectMember::kFunction, true, false, 0}};
constexpr FigureInfo kProfileWaitsInFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kProfileWaitsInTexts[] = {"function"};
constexpr std::string_view kDataCheaperGetitemTexts[] = {"dataset"};
constexpr std::string_view kDataCheaperCollateTexts[] = {"collate", "function"};
constexpr std::string_view kDataLocalCopyTexts[] = {"dataset"};
constexpr FigureInfo kDataFewerWorkersFigures[] = {{"proposed", FigureUnit::kInteger, false}, {"workers", FigureUnit::kInteger, false}};
constexpr FigureInfo kDataWorkersOfCoresFigures[] = {{"cores", FigureUnit::kInteger, false}, {"workers", FigureUnit::kInteger, false}};
constexpr FigureInfo kDataPrefetchMoreFigures[] = {{"proposed", FigureUnit::kInteger, false}, {"prefetched", FigureUnit::kInteger, false}};
constexpr std::string_view kDataLoadAheadTexts[] = {"function"};
constexpr std::string_view kDataQueryLessTexts[] = {"function"};
constexpr std::string_view kDataDecodeLessTexts[] = {"function"};
constexpr std::string_view kDataAugmentOnDeviceTexts[] = {"function"};
constexpr std::string_view kDataAugmentVectorisedTexts[] = {"function"};
constexpr std::string_view kDataTokeniseAheadTexts[] = {"function"};
constexpr std::string_view kDataAskEarlierTexts[] = {"function"};
constexpr std::string_view kDataCheaperAwaitedTexts[] = {"function"};
constexpr std::string_view kDataCheaperSamplerCodeTexts[] = {"function"};
constexpr std::string_view kDataCheaperCodeTexts[] = {"function"};
constexpr std::string_view kDataCheaperHelpersTexts[] = {"function"};
constexpr std::string_view kDataHoldLockLessTexts[] = {"function"};
constexpr std::string_view kDataShareLessTexts[] = {"function"};
constexpr std::string_view kDataCopyLessTexts[] = {"function"};
constexpr FigureInfo kDataKeepWorkersFigures[] = {{"workers", FigureUnit::kInteger, false}};
constexpr FigureInfo kDataEvenPartsFigures[] = {{"at_work", FigureUnit::kTenths, false}, {"workers", FigureUnit::kInteger, false}};
constexpr FigureInfo kDataMoreWaitingWorkersFigures[] = {{"proposed", FigureUnit::kInteger, false}, {"workers", FigureUnit::kInteger, false}};
constexpr FigureInfo kDataCoresTakenFigures[] = {{"others", FigureUnit::kNumber, false}, {"cores", FigureUnit::kCores, false}, {"workers", FigureUnit::kInteger, false}};
constexpr FigureInfo kDataCoresFilledFigures[] = {{"workers", FigureUnit::kInteger, false}, {"cores", FigureUnit::kCores, false}, {"quota", FigureUnit::kFlag, false}, {"machine", FigureUnit::kCores, true}};
constexpr FigureInfo kDataFirstWorkersFigures[] = {{"proposed", FigureUnit::kInteger, false}, {"free", FigureUnit::kNumber, false}};
constexpr FigureInfo kDataMoreWorkersFigures[] = {{"proposed", FigureUnit::kInteger, false}, {"workers", FigureUnit::kInteger, false}, {"free", FigureUnit::kNumber, false}, {"cores", FigureUnit::kCores, false}, {"quota", FigureUnit::kFlag, false}, {"machine", FigureUnit::kCores, true}};
constexpr FigureInfo kDataLoadBesideFigures[] = {{"low", FigureUnit::kInteger, false}, {"high", FigureUnit::kInteger, true}, {"cores", FigureUnit::kCores, true}};
constexpr std::string_view kStepStopGrowthTexts[] = {"function"};
constexpr FigureInfo kCpuAllowMoreCoresFigures[] = {{"allowed", FigureUnit::kNumber, false}, {"cores", FigureUnit::kCores, false}, {"workers", FigureUnit::kFlag, false}};
constexpr FigureInfo kCpuFewerThreadsFigures[] = {{"proposed", FigureUnit::kInteger, false}, {"threads", FigureUnit::kInteger, false}};
constexpr std::string_view kStepOwnProcessTexts[] = {"function"};
constexpr std::string_view kStepComputeLessTexts[] = {"function"};
constexpr std::string_view kStepLogLessTexts[] = {"function"};
constexpr std::string_view kStepLookAtRangeTexts[] = {"range"};
constexpr std::string_view kStepLookAtWorkTexts[] = {"function"};
constexpr std::string_view kStepLookAtWaitTexts[] = {"function"};
constexpr FigureInfo kModelSampleStacksFigures[] = {{"knows_cpu", FigureUnit::kFlag, false}};
constexpr std::string_view kModelSampleStacksTexts[] = {"how"};
constexpr FigureInfo kModelFuseKernelsFigures[] = {{"share", FigureUnit::kShare, false}, {"compiled", FigureUnit::kFlag, false}};
constexpr std::string_view kModelFuseKernelsTexts[] = {"class_name"};
constexpr FigureInfo kModelFuseAnyKernelsFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kModelFuseAnyKernelsTexts[] = {"class_name"};
constexpr FigureInfo kModelLowerPrecisionFigures[] = {{"share", FigureUnit::kShare, false}, {"tf32", FigureUnit::kFlag, false}};
constexpr std::string_view kModelLowerPrecisionTexts[] = {"precision", "lower"};
constexpr FigureInfo kModelLowerAnyPrecisionFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr std::string_view kModelLowerAnyPrecisionTexts[] = {"precision", "lower"};
constexpr std::string_view kFrameworkCollectSeldomTexts[] = {"function"};
constexpr FigureInfo kFrameworkSteadyShapesFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkSteadyShapesTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkSteadyTensorsFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkSteadyTensorsTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkValuesAsTensorsFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkValuesAsTensorsTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkTextsOutsideFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkTextsOutsideTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkSteadyLengthsFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkSteadyLengthsTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkOneStateFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkOneStateTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkOneObjectFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkOneObjectTexts[] = {"function", "guard"};
constexpr FigureInfo kFrameworkLookAtGuardFigures[] = {{"at_limit", FigureUnit::kFlag, false}};
constexpr std::string_view kFrameworkLookAtGuardTexts[] = {"function", "guard"};
constexpr FigureInfo kCommunicationAllRanksFigures[] = {{"imported", FigureUnit::kFlag, false}, {"recorded", FigureUnit::kFlag, false}};
constexpr FigureInfo kCommunicationNoSyncFigures[] = {{"backwards", FigureUnit::kNumber, false}, {"left_out", FigureUnit::kNumber, false}};
constexpr std::string_view kCommunicationTensorsForObjectsTexts[] = {"call"};
constexpr std::string_view kCommunicationNoBarrierTexts[] = {"call"};
constexpr FigureInfo kCommunicationLargerBucketsFigures[] = {{"bucket_mb", FigureUnit::kInteger, true}, {"views", FigureUnit::kFlag, false}, {"hook", FigureUnit::kFlag, false}};
constexpr FigureInfo kCommunicationLookAtDataFigures[] = {{"rank", FigureUnit::kInteger, false}, {"loader", FigureUnit::kFlag, false}};
constexpr std::string_view kCommunicationLookAtDataTexts[] = {"function"};
constexpr FigureInfo kCommunicationLookAtRankFigures[] = {{"rank", FigureUnit::kInteger, false}};
constexpr std::string_view kCommunicationLookAtRankTexts[] = {"stage"};
constexpr FigureInfo kCommunicationLookAtCauseFigures[] = {{"rank", FigureUnit::kInteger, false}};
constexpr std::string_view kCommunicationLookAtCauseTexts[] = {"function", "stage"};
constexpr FigureInfo kRunLongerRangeFigures[] = {{"steps", FigureUnit::kInteger, false}};
constexpr std::string_view kRunLookWhereItIsTexts[] = {"function"};
constexpr std::string_view kRunLookWhereItWasTexts[] = {"function"};
constexpr FigureInfo kRuleGpuUnderUtilisedFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"found", FigureUnit::kInteger, false}, {"windows", FigureUnit::kCount, false}, {"p95", FigureUnit::kNumber, false}, {"p5", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpuUnderUtilisedSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleGpuUnderUtilisedOverStepsFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"steps", FigureUnit::kCount, false}, {"p95", FigureUnit::kNumber, false}, {"p5", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpuUnderUtilisedOverStepsSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleGpuUnderUtilisedOverProfileFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"busy", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpuUnderUtilisedOverProfileSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleGpuUnderUtilisedLatelyFigures[] = {{"device", FigureUnit::kInteger, false}, {"node", FigureUnit::kInteger, false}, {"p95", FigureUnit::kNumber, false}, {"p5", FigureUnit::kNumber, false}, {"samples", FigureUnit::kInteger, false}};
constexpr SubjectInfo kRuleGpuUnderUtilisedLatelySubject[] = {{SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 1}};
constexpr FigureInfo kRuleGpuFluctuatesFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"found", FigureUnit::kInteger, false}, {"windows", FigureUnit::kCount, false}, {"p95", FigureUnit::kNumber, false}, {"p5", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpuFluctuatesSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleGpuFluctuatesOverStepsFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"steps", FigureUnit::kCount, false}, {"p95", FigureUnit::kNumber, false}, {"p5", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpuFluctuatesOverStepsSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleGpuFluctuatesOverProfileFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"busy", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpuFluctuatesOverProfileSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleGpuFluctuatesLatelyFigures[] = {{"device", FigureUnit::kInteger, false}, {"node", FigureUnit::kInteger, false}, {"p95", FigureUnit::kNumber, false}, {"p5", FigureUnit::kNumber, false}, {"samples", FigureUnit::kInteger, false}};
constexpr SubjectInfo kRuleGpuFluctuatesLatelySubject[] = {{SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 1}};
constexpr FigureInfo kRuleGpuNotUsedFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}};
constexpr SubjectInfo kRuleGpuNotUsedSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleBatchTooSmallFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"cpu", FigureUnit::kNumber, false}, {"busy", FigureUnit::kNumber, false}, {"memory", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleBatchTooSmallSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleMemoryGrewFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"points", FigureUnit::kNumber, false}, {"steps", FigureUnit::kCount, true}, {"time", FigureUnit::kNs, true}, {"memory", FigureUnit::kNumber, false}, {"above_begin", FigureUnit::kFlag, false}};
constexpr SubjectInfo kRuleMemoryGrewSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleMemoryMeanGrewFigures[] = {{"device", FigureUnit::kInteger, false}, {"node", FigureUnit::kInteger, false}, {"samples", FigureUnit::kInteger, false}, {"points", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleMemoryMeanGrewSubject[] = {{SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 1}};
constexpr FigureInfo kRuleStepsStarveGpuFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"idle", FigureUnit::kInteger, false}, {"steps", FigureUnit::kCount, false}, {"found", FigureUnit::kInteger, false}};
constexpr SubjectInfo kRuleStepsStarveGpuSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kNode, false, false, 2}};
constexpr FigureInfo kRuleCpuBottleneckFigures[] = {{"node", FigureUnit::kInteger, false}, {"idle", FigureUnit::kInteger, false}, {"snapshots", FigureUnit::kCount, false}, {"found", FigureUnit::kInteger, false}};
constexpr SubjectInfo kRuleCpuBottleneckSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kRuleIoBottleneckFigures[] = {{"node", FigureUnit::kInteger, false}, {"idle", FigureUnit::kInteger, false}, {"snapshots", FigureUnit::kCount, false}, {"found", FigureUnit::kInteger, false}};
constexpr SubjectInfo kRuleIoBottleneckSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kRuleBottlenecksFigures[] = {{"found", FigureUnit::kCount, false}, {"idle", FigureUnit::kCount, false}, {"limit", FigureUnit::kNumber, false}, {"snapshots", FigureUnit::kCount, false}, {"percent", FigureUnit::kNumber, false}};
constexpr FigureInfo kRuleGpusDifferInUseFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"mean", FigureUnit::kNumber, false}, {"other_device", FigureUnit::kInteger, false}, {"other_rank", FigureUnit::kInteger, true}, {"other_node", FigureUnit::kInteger, true}, {"other_allocations", FigureUnit::kFlag, false}, {"other_mean", FigureUnit::kNumber, false}, {"distance", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpusDifferInUseSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kRank, false, false, 6}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kDevice, false, false, 5}, {SubjectMember::kNode, false, false, 2}, {SubjectMember::kNode, false, false, 7}};
constexpr FigureInfo kRuleGpusTakeTurnsFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, true}, {"node", FigureUnit::kInteger, true}, {"allocations", FigureUnit::kFlag, false}, {"mean", FigureUnit::kNumber, false}, {"other_device", FigureUnit::kInteger, false}, {"other_rank", FigureUnit::kInteger, true}, {"other_node", FigureUnit::kInteger, true}, {"other_allocations", FigureUnit::kFlag, false}, {"other_mean", FigureUnit::kNumber, false}, {"distance", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleGpusTakeTurnsSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kRank, false, false, 6}, {SubjectMember::kDevice, false, false, 0}, {SubjectMember::kDevice, false, false, 5}, {SubjectMember::kNode, false, false, 2}, {SubjectMember::kNode, false, false, 7}};
constexpr FigureInfo kRuleLastGpusDifferFigures[] = {{"node", FigureUnit::kInteger, false}, {"other_node", FigureUnit::kInteger, false}, {"distance", FigureUnit::kNumber, false}};
constexpr SubjectInfo kRuleLastGpusDifferSubject[] = {{SubjectMember::kNode, false, false, 0}, {SubjectMember::kNode, false, false, 1}};
constexpr FigureInfo kRuleLoadersOnCoresFigures[] = {{"loaders", FigureUnit::kCount, false}, {"cores", FigureUnit::kCount, false}};
constexpr FigureInfo kRuleWorkersOnCoresFigures[] = {{"workers", FigureUnit::kInteger, false}, {"cores", FigureUnit::kInteger, false}};
constexpr FigureInfo kRuleWaitsForDataFigures[] = {{"rank", FigureUnit::kInteger, false}, {"from", FigureUnit::kInteger, false}, {"to", FigureUnit::kInteger, false}, {"share", FigureUnit::kShare, false}, {"starved", FigureUnit::kInteger, true}, {"waits", FigureUnit::kInteger, true}};
constexpr SubjectInfo kRuleWaitsForDataSubject[] = {{SubjectMember::kRank, false, false, 0}, {SubjectMember::kFirstStep, false, false, 1}, {SubjectMember::kLastStep, false, false, 2}};
constexpr FigureInfo kRuleLongStepsFigures[] = {{"rank", FigureUnit::kInteger, false}, {"found", FigureUnit::kCount, false}, {"steps", FigureUnit::kCount, false}, {"evaluations", FigureUnit::kFlag, false}, {"limit", FigureUnit::kNs, false}};
constexpr SubjectInfo kRuleLongStepsSubject[] = {{SubjectMember::kRank, false, false, 0}, {SubjectMember::kStepKind, false, false, 3}};
constexpr FigureInfo kRuleSlowStepsFigures[] = {{"rank", FigureUnit::kInteger, false}, {"found", FigureUnit::kCount, false}, {"steps", FigureUnit::kCount, false}, {"evaluations", FigureUnit::kFlag, false}, {"limit", FigureUnit::kNs, false}, {"median", FigureUnit::kNs, false}, {"cost", FigureUnit::kNs, false}};
constexpr SubjectInfo kRuleSlowStepsSubject[] = {{SubjectMember::kRank, false, false, 0}, {SubjectMember::kStepKind, false, false, 3}};
constexpr FigureInfo kRuleNoFirstStepFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr FigureInfo kRuleLongInitializationFigures[] = {{"time", FigureUnit::kNs, false}, {"begun", FigureUnit::kFlag, false}};
constexpr FigureInfo kRuleFoundFigures[] = {{"times", FigureUnit::kCount, false}};
constexpr std::string_view kRuleFoundTexts[] = {"rule"};
constexpr SubjectInfo kRuleFoundSubject[] = {{SubjectMember::kRule, true, false, 0}};
constexpr FigureInfo kRecommendationLoaderFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationLoaderTimeFigures[] = {{"time", FigureUnit::kNs, false}, {"steps", FigureUnit::kCount, false}};
constexpr FigureInfo kRecommendationDataParallelFigures[] = {{"devices", FigureUnit::kInteger, false}};
constexpr FigureInfo kRecommendationGradientExchangeFigures[] = {{"nccl", FigureUnit::kFlag, false}};
constexpr FigureInfo kRecommendationCommunicationFigures[] = {{"share", FigureUnit::kShare, false}, {"on_host", FigureUnit::kFlag, false}};
constexpr FigureInfo kRecommendationLeastUsedDeviceFigures[] = {{"share", FigureUnit::kShare, false}, {"low", FigureUnit::kFlag, false}};
constexpr FigureInfo kRecommendationLittleUsedDeviceFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"share", FigureUnit::kShare, false}};
constexpr SubjectInfo kRecommendationLittleUsedDeviceSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}};
constexpr FigureInfo kRecommendationTensorCoresUsedFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationNoTensorCoresUsedFigures[] = {{"could", FigureUnit::kFlag, false}};
constexpr FigureInfo kRecommendationTensorCoreOperatorsFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationMemoryPeakFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationLaunchesFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationShortLaunchesFigures[] = {{"launches", FigureUnit::kCount, false}, {"mean", FigureUnit::kNs, false}, {"shorter", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationExposedCommunicationFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationCommunicationOverlappedFigures[] = {{"share", FigureUnit::kShare, false}, {"communication", FigureUnit::kNs, false}};
constexpr FigureInfo kRecommendationStragglerFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationLateRankFigures[] = {{"wait", FigureUnit::kNs, false}, {"rank", FigureUnit::kInteger, false}};
constexpr std::string_view kRecommendationLateRankTexts[] = {"cause"};
constexpr SubjectInfo kRecommendationLateRankSubject[] = {{SubjectMember::kRank, false, false, 1}};
constexpr FigureInfo kRecommendationSynchronisationFigures[] = {{"share", FigureUnit::kShare, false}, {"unbegun_work", FigureUnit::kFlag, false}};
constexpr FigureInfo kRecommendationSynchronisingCallsFigures[] = {{"calls", FigureUnit::kCount, false}, {"time", FigureUnit::kNs, false}};
constexpr FigureInfo kRecommendationSmallCopiesFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationSmallCopiesOfAllFigures[] = {{"small", FigureUnit::kCount, false}, {"copies", FigureUnit::kCount, false}, {"time", FigureUnit::kNs, false}};
constexpr FigureInfo kRecommendationTensorCoreShareFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationTensorCoreSharePossibleFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationAllocatorFigures[] = {{"share", FigureUnit::kShare, false}};
constexpr FigureInfo kRecommendationAllocatorCallsFigures[] = {{"calls", FigureUnit::kCount, false}, {"time", FigureUnit::kNs, false}};
constexpr FigureInfo kVerdictStragglerFigures[] = {{"rank", FigureUnit::kInteger, false}, {"waits", FigureUnit::kFlag, false}, {"code", FigureUnit::kFlag, false}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictStragglerTexts[] = {"name", "function", "place"};
constexpr SubjectInfo kVerdictStragglerSubject[] = {{SubjectMember::kRank, false, false, 0}};
constexpr FigureInfo kVerdictExchangeOrWaitingFigures[] = {{"missing", FigureUnit::kInteger, false}, {"imported", FigureUnit::kFlag, false}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr FigureInfo kVerdictSuspectFigures[] = {{"by_others", FigureUnit::kFlag, false}, {"who_share", FigureUnit::kShare, true}, {"who_mostly", FigureUnit::kFlag, false}, {"who_waits", FigureUnit::kFlag, false}, {"who_comma", FigureUnit::kFlag, false}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictSuspectTexts[] = {"who_name", "who_function", "who_place"};
constexpr FigureInfo kVerdictTrainingWithoutCoreFigures[] = {{"ready", FigureUnit::kCount, false}, {"waits", FigureUnit::kCount, false}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}};
constexpr FigureInfo kVerdictNoSingleSuspectFigures[] = {{"model", FigureUnit::kShare, true}, {"first_share", FigureUnit::kShare, true}, {"first_mostly", FigureUnit::kFlag, false}, {"first_waits", FigureUnit::kFlag, false}, {"first_comma", FigureUnit::kFlag, false}, {"first_part_share", FigureUnit::kShare, false}, {"first_part_low", FigureUnit::kShareNumber, true}, {"first_part_high", FigureUnit::kShareNumber, true}, {"second_share", FigureUnit::kShare, true}, {"second_mostly", FigureUnit::kFlag, true}, {"second_waits", FigureUnit::kFlag, true}, {"second_comma", FigureUnit::kFlag, true}, {"second_part_share", FigureUnit::kShare, true}, {"second_part_low", FigureUnit::kShareNumber, true}, {"second_part_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictNoSingleSuspectTexts[] = {"first_name", "first_function", "first_place", "second_name", "second_function", "second_place"};
constexpr FigureInfo kVerdictModelIfItComputesFigures[] = {{"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"slowed_quota", FigureUnit::kFlag, false}, {"slowed_others", FigureUnit::kFlag, false}, {"slowed_threads", FigureUnit::kInteger, true}, {"slowed_ranks", FigureUnit::kInteger, true}, {"slowed_cores", FigureUnit::kCores, true}, {"slowed_anomalies", FigureUnit::kFlag, false}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictModelIfItComputesTexts[] = {"slowed_beside"};
constexpr FigureInfo kVerdictModelAndNextFigures[] = {{"unsplit", FigureUnit::kFlag, false}, {"of_step", FigureUnit::kShare, false}, {"rank", FigureUnit::kInteger, true}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"slowed_quota", FigureUnit::kFlag, false}, {"slowed_others", FigureUnit::kFlag, false}, {"slowed_threads", FigureUnit::kInteger, true}, {"slowed_ranks", FigureUnit::kInteger, true}, {"slowed_cores", FigureUnit::kCores, true}, {"slowed_anomalies", FigureUnit::kFlag, false}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}, {"next_share", FigureUnit::kShare, true}, {"next_mostly", FigureUnit::kFlag, false}, {"next_waits", FigureUnit::kFlag, false}, {"next_comma", FigureUnit::kFlag, false}};
constexpr std::string_view kVerdictModelAndNextTexts[] = {"slowed_beside", "next_name", "next_function", "next_place"};
constexpr FigureInfo kVerdictModelAndRestFigures[] = {{"unsplit", FigureUnit::kFlag, false}, {"rest", FigureUnit::kShare, false}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"slowed_quota", FigureUnit::kFlag, false}, {"slowed_others", FigureUnit::kFlag, false}, {"slowed_threads", FigureUnit::kInteger, true}, {"slowed_ranks", FigureUnit::kInteger, true}, {"slowed_cores", FigureUnit::kCores, true}, {"slowed_anomalies", FigureUnit::kFlag, false}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictModelAndRestTexts[] = {"slowed_beside"};
constexpr FigureInfo kVerdictModelWithOverheadFigures[] = {{"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"slowed_quota", FigureUnit::kFlag, false}, {"slowed_others", FigureUnit::kFlag, false}, {"slowed_threads", FigureUnit::kInteger, true}, {"slowed_ranks", FigureUnit::kInteger, true}, {"slowed_cores", FigureUnit::kCores, true}, {"slowed_anomalies", FigureUnit::kFlag, false}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictModelWithOverheadTexts[] = {"slowed_beside"};
constexpr FigureInfo kVerdictModelWaitsForHostFigures[] = {{"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr FigureInfo kVerdictModelUnrecognisedFigures[] = {{"unrecognised", FigureUnit::kShare, false}, {"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr FigureInfo kVerdictModelHealthyFigures[] = {{"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr FigureInfo kVerdictModelSlowedFigures[] = {{"share_share", FigureUnit::kShare, false}, {"share_low", FigureUnit::kShareNumber, true}, {"share_high", FigureUnit::kShareNumber, true}, {"ranks_seen", FigureUnit::kCount, true}, {"ranks_all", FigureUnit::kCount, true}, {"ranks_rank", FigureUnit::kInteger, true}, {"ranks_least", FigureUnit::kShare, true}, {"ranks_least_rank", FigureUnit::kInteger, true}, {"ranks_most", FigureUnit::kShare, true}, {"ranks_most_rank", FigureUnit::kInteger, true}, {"slowed_quota", FigureUnit::kFlag, false}, {"slowed_others", FigureUnit::kFlag, false}, {"slowed_threads", FigureUnit::kInteger, true}, {"slowed_ranks", FigureUnit::kInteger, true}, {"slowed_cores", FigureUnit::kCores, true}, {"slowed_anomalies", FigureUnit::kFlag, false}, {"seen_unmarked", FigureUnit::kFlag, false}, {"seen_steps", FigureUnit::kInteger, true}};
constexpr std::string_view kVerdictModelSlowedTexts[] = {"slowed_beside"};
constexpr FigureInfo kVerdictNoTorchFigures[] = {{"failed", FigureUnit::kFlag, false}, {"stopped", FigureUnit::kFlag, false}};
constexpr FigureInfo kVerdictNoOptimizerFigures[] = {{"failed", FigureUnit::kFlag, false}, {"stopped", FigureUnit::kFlag, false}};
constexpr std::string_view kVerdictNoTrainingTexts[] = {"writer"};
constexpr FigureInfo kVerdictOnlyWarmUpFigures[] = {{"steps", FigureUnit::kInteger, false}};
constexpr FigureInfo kVerdictTooFewStepsFigures[] = {{"steady", FigureUnit::kInteger, false}, {"seen", FigureUnit::kInteger, false}, {"more", FigureUnit::kInteger, false}};
constexpr FigureInfo kUsageFluctuatesFigures[] = {{"node", FigureUnit::kInteger, false}, {"low", FigureUnit::kNumber, false}, {"high", FigureUnit::kNumber, false}};
constexpr std::string_view kUsageFluctuatesTexts[] = {"metric"};
constexpr SubjectInfo kUsageFluctuatesSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kUsageSmallerWithoutGpuFigures[] = {{"node", FigureUnit::kInteger, false}, {"cpu", FigureUnit::kNumber, false}};
constexpr SubjectInfo kUsageSmallerWithoutGpuSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kUsageSmallerFigures[] = {{"node", FigureUnit::kInteger, false}, {"gpu", FigureUnit::kNumber, false}, {"cpu", FigureUnit::kNumber, false}};
constexpr SubjectInfo kUsageSmallerSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kUsageHeldUpByCpuFigures[] = {{"node", FigureUnit::kInteger, false}, {"gpu", FigureUnit::kNumber, false}, {"cpu", FigureUnit::kNumber, false}};
constexpr SubjectInfo kUsageHeldUpByCpuSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kUsageWellUsedFigures[] = {{"node", FigureUnit::kInteger, false}, {"gpu", FigureUnit::kNumber, false}};
constexpr SubjectInfo kUsageWellUsedSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kNoteNoDeviceActivityFigures[] = {{"damaged", FigureUnit::kFlag, false}, {"listed", FigureUnit::kFlag, false}};
constexpr std::string_view kNoteNoDeviceActivityItemTexts[] = {"part"};
constexpr FigureInfo kNoteProfileWithoutDevicesFigures[] = {{"torch", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteProfileWithoutOperatorsFigures[] = {{"torch", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteProfileWithoutMemoryFigures[] = {{"torch", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteProfileWithoutModulesFigures[] = {{"torch", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteStepsLeftOutFigures[] = {{"steps", FigureUnit::kCount, false}, {"too_few", FigureUnit::kFlag, false}, {"counted_idle", FigureUnit::kFlag, false}};
constexpr std::string_view kNoteLostAfterLastStepTexts[] = {"cause"};
constexpr FigureInfo kNoteNoStepMarksFigures[] = {{"torch", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteWindowsFigures[] = {{"steps", FigureUnit::kInteger, false}, {"by_devices", FigureUnit::kFlag, false}, {"newest", FigureUnit::kFlag, false}, {"parted", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteCollectivesFromFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr FigureInfo kNoteNoMetricFigures[] = {{"outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteSamplesAroundFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr std::string_view kNoteNotMeasuredTexts[] = {"source", "reason", "remedy"};
constexpr SubjectInfo kNoteNotMeasuredSubject[] = {{SubjectMember::kDataSource, true, false, 0}};
constexpr FigureInfo kNoteLastStepsFigures[] = {{"steps", FigureUnit::kInteger, false}};
constexpr FigureInfo kMemoryCopyOnWriteFigures[] = {{"workers", FigureUnit::kInteger, false}, {"node", FigureUnit::kInteger, true}, {"rate", FigureUnit::kBytes, true}, {"from", FigureUnit::kBytes, false}, {"to", FigureUnit::kBytes, false}, {"mean", FigureUnit::kBytes, true}, {"steps", FigureUnit::kInteger, true}};
constexpr SubjectInfo kMemoryCopyOnWriteSubject[] = {{SubjectMember::kNode, false, false, 1}};
constexpr FigureInfo kMemoryDeviceNearlyFullFigures[] = {{"device", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"peak", FigureUnit::kBytes, false}, {"limit", FigureUnit::kBytes, false}, {"share", FigureUnit::kShare, false}, {"left", FigureUnit::kBytes, false}, {"retries", FigureUnit::kInteger, true}};
constexpr SubjectInfo kMemoryDeviceNearlyFullSubject[] = {{SubjectMember::kRank, false, false, 1}, {SubjectMember::kDevice, false, false, 0}};
constexpr FigureInfo kMemoryCgroupNearlyFullFigures[] = {{"node", FigureUnit::kInteger, true}, {"peak", FigureUnit::kBytes, false}, {"limit", FigureUnit::kBytes, false}, {"share", FigureUnit::kShare, false}, {"left", FigureUnit::kBytes, false}};
constexpr SubjectInfo kMemoryCgroupNearlyFullSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kMemoryMachineNearlyFullFigures[] = {{"node", FigureUnit::kInteger, true}, {"peak", FigureUnit::kBytes, false}, {"limit", FigureUnit::kBytes, false}, {"share", FigureUnit::kShare, false}, {"left", FigureUnit::kBytes, false}};
constexpr SubjectInfo kMemoryMachineNearlyFullSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr FigureInfo kNoteWindowCostFigures[] = {{"steps", FigureUnit::kNs, false}, {"before", FigureUnit::kNs, false}};
constexpr std::string_view kNoteCuptiStaysTexts[] = {"reason"};
constexpr std::string_view kNoteCuptiTakenTexts[] = {"reason"};
constexpr FigureInfo kNoteNoCollectivesFigures[] = {{"groups", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteOneRankFigures[] = {{"world_size", FigureUnit::kInteger, true}, {"live", FigureUnit::kFlag, false}};
constexpr FigureInfo kNoteNothingMatchedFigures[] = {{"profiles", FigureUnit::kFlag, false}};
constexpr std::string_view kNoteSharedGroupNameTexts[] = {"group"};
constexpr FigureInfo kNoteCollectivesLackRanksFigures[] = {{"incomplete", FigureUnit::kInteger, false}, {"collectives", FigureUnit::kInteger, false}};
constexpr FigureInfo kNoteCallsUnplacedFigures[] = {{"several", FigureUnit::kFlag, false}, {"more", FigureUnit::kInteger, true}};
constexpr FigureInfo kNoteCallsUnplacedItemFigures[] = {{"rank", FigureUnit::kInteger, false}};
constexpr SubjectInfo kNoteCallsUnplacedSubject[] = {{SubjectMember::kRank, false, true, 0}};
constexpr FigureInfo kNoteCallsAmbiguousFigures[] = {{"several", FigureUnit::kFlag, false}, {"more", FigureUnit::kInteger, true}};
constexpr FigureInfo kNoteCallsAmbiguousItemFigures[] = {{"rank", FigureUnit::kInteger, false}};
constexpr SubjectInfo kNoteCallsAmbiguousSubject[] = {{SubjectMember::kRank, false, true, 0}};
constexpr std::string_view kComparisonNoStepsInOneTexts[] = {"run"};
constexpr FigureInfo kComparisonSameFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr FigureInfo kComparisonFasterFigures[] = {{"ratio", FigureUnit::kTimes, true}, {"share", FigureUnit::kShare, true}, {"fast", FigureUnit::kNs, false}, {"slow", FigureUnit::kNs, false}, {"few", FigureUnit::kFlag, false}, {"first", FigureUnit::kFlag, false}, {"second", FigureUnit::kFlag, false}};
constexpr std::string_view kComparisonFasterTexts[] = {"run"};
constexpr FigureInfo kComparisonDatasetStagesOfOneFigures[] = {{"first", FigureUnit::kFlag, false}, {"second", FigureUnit::kFlag, false}};
constexpr std::string_view kComparisonDatasetStagesOfOneTexts[] = {"run"};
constexpr FigureInfo kComparisonDatasetStagesOfOneItemFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr std::string_view kComparisonDatasetStagesOfOneItemTexts[] = {"stage"};
constexpr std::string_view kLegacyTextTexts[] = {"text"};
constexpr SubjectInfo kLegacyTextSubject[] = {{SubjectMember::kText, true, false, 0}};
constexpr FigureInfo kReasonNoGpuMetricFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoSystemMetricFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoGpuMemoryOrCpuFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoGpuMemoryFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoCpuFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoIoWaitFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonGpuMemorySizeUnknownFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonMemoryInNoStepFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoMemoryRecordsFigures[] = {{"elsewhere_around", FigureUnit::kFlag, false}, {"elsewhere_outside", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoTrainingStepFigures[] = {{"in_range", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonNoStepFigures[] = {{"in_range", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonFrameworkSilentFigures[] = {{"in_range", FigureUnit::kFlag, false}};
constexpr FigureInfo kReasonFewStepsOfAKindFigures[] = {{"least", FigureUnit::kInteger, false}};
constexpr FigureInfo kReasonFewRecordedStepsFigures[] = {{"least", FigureUnit::kInteger, false}};
constexpr FigureInfo kReasonImpossibleTimesFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr FigureInfo kReasonFirstGpusAloneFigures[] = {{"all", FigureUnit::kInteger, false}, {"compared", FigureUnit::kInteger, false}};
constexpr FigureInfo kLiveSamplingSlowedFigures[] = {{"used", FigureUnit::kFineShare, false}, {"budget", FigureUnit::kFineShare, false}, {"interval", FigureUnit::kNs, false}, {"stacks", FigureUnit::kFlag, false}};
constexpr FigureInfo kLiveSamplingRestoredFigures[] = {{"used", FigureUnit::kFineShare, false}, {"budget", FigureUnit::kFineShare, false}, {"interval", FigureUnit::kNs, false}, {"stacks", FigureUnit::kFlag, false}};
constexpr FigureInfo kLiveSamplingAnewFigures[] = {{"interval", FigureUnit::kNs, false}, {"stacks", FigureUnit::kFlag, false}};
constexpr FigureInfo kLiveOwnStacksPaceFigures[] = {{"used", FigureUnit::kShare, false}, {"pid", FigureUnit::kInteger, false}, {"interval", FigureUnit::kNs, false}};
constexpr FigureInfo kLiveAgentMemoryOverFigures[] = {{"held", FigureUnit::kBytes, false}, {"limit", FigureUnit::kBytes, false}};
constexpr FigureInfo kLiveAgentMemoryOkFigures[] = {{"held", FigureUnit::kBytes, false}, {"limit", FigureUnit::kBytes, false}};
constexpr FigureInfo kLiveMemoryLeakFigures[] = {{"rate", FigureUnit::kBytes, false}, {"low", FigureUnit::kBytes, false}, {"high", FigureUnit::kBytes, false}, {"compiled", FigureUnit::kInteger, true}, {"steps", FigureUnit::kInteger, true}};
constexpr FigureInfo kLiveMemoryLeakItemFigures[] = {{"bytes", FigureUnit::kBytes, false}, {"time", FigureUnit::kNs, false}};
constexpr std::string_view kLiveMemoryLeakItemTexts[] = {"limit"};
constexpr FigureInfo kLiveStepTimeRisenFigures[] = {{"to", FigureUnit::kNs, false}, {"step", FigureUnit::kInteger, false}, {"from", FigureUnit::kNs, false}, {"more", FigureUnit::kShare, false}};
constexpr FigureInfo kLiveStepTimeBackFigures[] = {{"to", FigureUnit::kNs, false}, {"step", FigureUnit::kInteger, false}, {"from", FigureUnit::kNs, false}};
constexpr FigureInfo kLiveHangFigures[] = {{"time", FigureUnit::kNs, false}, {"usual", FigureUnit::kNs, false}, {"step", FigureUnit::kInteger, false}, {"more", FigureUnit::kInteger, true}, {"together", FigureUnit::kFlag, false}, {"elsewhere", FigureUnit::kFlag, false}};
constexpr std::string_view kLiveHangTexts[] = {"place", "reason"};
constexpr FigureInfo kLiveHangItemFigures[] = {{"rank", FigureUnit::kInteger, true}, {"count", FigureUnit::kInteger, true}, {"bytes", FigureUnit::kBytes, true}, {"worker", FigureUnit::kInteger, true}, {"missing", FigureUnit::kFlag, false}, {"data", FigureUnit::kFlag, false}, {"gone", FigureUnit::kFlag, false}, {"stopped", FigureUnit::kFlag, false}};
constexpr std::string_view kLiveHangItemTexts[] = {"ranks", "phase", "place", "reason"};
constexpr FigureInfo kLiveHangOverFigures[] = {{"time", FigureUnit::kNs, false}};
constexpr FigureInfo kLiveTensorNonfiniteFigures[] = {{"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"bad", FigureUnit::kInteger, false}, {"numel", FigureUnit::kInteger, false}, {"alike", FigureUnit::kInteger, true}, {"more", FigureUnit::kInteger, true}, {"loss", FigureUnit::kFlag, false}, {"gradient", FigureUnit::kFlag, false}, {"weight", FigureUnit::kFlag, false}};
constexpr std::string_view kLiveTensorNonfiniteTexts[] = {"tensor"};
constexpr SubjectInfo kLiveTensorNonfiniteSubject[] = {{SubjectMember::kRank, false, false, 1}};
constexpr FigureInfo kLiveGradientVanishingFigures[] = {{"orders", FigureUnit::kInteger, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}};
constexpr std::string_view kLiveGradientVanishingTexts[] = {"tensor", "last"};
constexpr SubjectInfo kLiveGradientVanishingSubject[] = {{SubjectMember::kRank, false, false, 2}};
constexpr FigureInfo kLiveGradientExplodingFigures[] = {{"times", FigureUnit::kTimes, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}};
constexpr std::string_view kLiveGradientExplodingTexts[] = {"tensor"};
constexpr SubjectInfo kLiveGradientExplodingSubject[] = {{SubjectMember::kRank, false, false, 2}};
constexpr FigureInfo kLiveLossNotFallingFigures[] = {{"steps", FigureUnit::kInteger, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"risen", FigureUnit::kShare, true}};
constexpr SubjectInfo kLiveLossNotFallingSubject[] = {{SubjectMember::kRank, false, false, 2}};
constexpr FigureInfo kLiveTensorFiniteAgainFigures[] = {{"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"steps", FigureUnit::kInteger, false}};
constexpr SubjectInfo kLiveTensorFiniteAgainSubject[] = {{SubjectMember::kRank, false, false, 1}};
constexpr FigureInfo kLiveLossSpikeFigures[] = {{"value", FigureUnit::kNumber, false}, {"usual", FigureUnit::kNumber, false}, {"deviations", FigureUnit::kInteger, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}};
constexpr SubjectInfo kLiveLossSpikeSubject[] = {{SubjectMember::kRank, false, false, 4}};
constexpr FigureInfo kLiveGradientSpikeFigures[] = {{"value", FigureUnit::kNumber, false}, {"usual", FigureUnit::kNumber, false}, {"deviations", FigureUnit::kInteger, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}};
constexpr std::string_view kLiveGradientSpikeTexts[] = {"tensor"};
constexpr SubjectInfo kLiveGradientSpikeSubject[] = {{SubjectMember::kRank, false, false, 4}};
constexpr FigureInfo kLiveDeadUnitsFigures[] = {{"share", FigureUnit::kShare, false}, {"readings", FigureUnit::kInteger, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"more", FigureUnit::kInteger, true}};
constexpr std::string_view kLiveDeadUnitsTexts[] = {"module"};
constexpr SubjectInfo kLiveDeadUnitsSubject[] = {{SubjectMember::kRank, false, false, 3}};
constexpr FigureInfo kLiveCastRangeFigures[] = {{"weights", FigureUnit::kFlag, false}};
constexpr FigureInfo kLiveCastRangeItemFigures[] = {{"zero", FigureUnit::kFineShare, true}, {"over", FigureUnit::kCount, true}, {"scaled", FigureUnit::kFlag, false}};
constexpr std::string_view kLiveCastRangeItemTexts[] = {"type", "tensor"};
constexpr FigureInfo kLiveParameterUnchangedFigures[] = {{"readings", FigureUnit::kInteger, false}, {"step", FigureUnit::kInteger, false}, {"rank", FigureUnit::kInteger, false}, {"more", FigureUnit::kInteger, true}, {"all", FigureUnit::kFlag, false}};
constexpr std::string_view kLiveParameterUnchangedTexts[] = {"tensor"};
constexpr SubjectInfo kLiveParameterUnchangedSubject[] = {{SubjectMember::kRank, false, false, 2}};
constexpr FigureInfo kLiveTensorUnjudgedItemFigures[] = {{"no_loss", FigureUnit::kFlag, false}, {"no_gradient", FigureUnit::kFlag, false}, {"no_weight", FigureUnit::kFlag, false}, {"no_module", FigureUnit::kFlag, false}, {"no_wide", FigureUnit::kFlag, false}, {"few_weights", FigureUnit::kFlag, false}, {"no_replica", FigureUnit::kFlag, false}, {"seen", FigureUnit::kInteger, true}, {"needed", FigureUnit::kInteger, true}};
constexpr std::string_view kLiveTensorUnjudgedItemTexts[] = {"rule"};
constexpr FigureInfo kLossCaptureNothingFigures[] = {{"unsteady", FigureUnit::kFlag, false}, {"interrupted", FigureUnit::kFlag, false}, {"first_steps", FigureUnit::kFlag, false}, {"missed", FigureUnit::kFlag, false}, {"unavailable", FigureUnit::kFlag, false}};
constexpr std::string_view kLossCaptureNothingTexts[] = {"window"};
constexpr FigureInfo kLossCaptureCutFigures[] = {{"timed", FigureUnit::kFlag, false}, {"held", FigureUnit::kInteger, true}, {"wanted", FigureUnit::kInteger, true}, {"capture_asked", FigureUnit::kInteger, true}};
constexpr std::string_view kLossCaptureCutTexts[] = {"capture_window"};
constexpr FigureInfo kLossCaptureCutItemFigures[] = {{"first_steps", FigureUnit::kFlag, false}, {"aside", FigureUnit::kFlag, false}, {"interrupted", FigureUnit::kFlag, false}, {"replaced", FigureUnit::kFlag, false}, {"full", FigureUnit::kFlag, false}};
constexpr FigureInfo kLossCaptureWithoutFigures[] = {{"partly", FigureUnit::kFlag, false}, {"capture_asked", FigureUnit::kInteger, true}};
constexpr std::string_view kLossCaptureWithoutTexts[] = {"kinds", "capture_window"};
constexpr std::string_view kLossKinetoFailedTexts[] = {"reason"};
constexpr FigureInfo kLossProfileUnreadFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr std::string_view kLossProfileUnreadTexts[] = {"reason"};
constexpr std::string_view kLossOfProfileTexts[] = {"cause", "detail"};
constexpr FigureInfo kLossNoRoomForRingFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr FigureInfo kLossRingUnreadableFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr std::string_view kLossRingUnreadableTexts[] = {"reason"};
constexpr FigureInfo kLossDisarmedFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr std::string_view kLossDisarmedTexts[] = {"reason"};
constexpr FigureInfo kLossStillRanFigures[] = {{"count", FigureUnit::kInteger, false}};
constexpr std::string_view kLossStillRanTexts[] = {"processes"};
constexpr FigureInfo kLossOtherUserFigures[] = {{"pid", FigureUnit::kInteger, false}, {"user", FigureUnit::kInteger, false}, {"own", FigureUnit::kInteger, false}};
constexpr std::string_view kLossOtherUserTexts[] = {"process"};
constexpr FigureInfo kLossNoSitePackagesFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr std::string_view kLossNoSitePackagesTexts[] = {"process"};
constexpr FigureInfo kLossPythonPathIgnoredFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr std::string_view kLossPythonPathIgnoredTexts[] = {"process", "option"};
constexpr FigureInfo kLossHooksRefusedFigures[] = {{"pid", FigureUnit::kInteger, true}, {"other_build", FigureUnit::kFlag, false}, {"no_probe", FigureUnit::kFlag, false}};
constexpr std::string_view kLossHooksRefusedTexts[] = {"process"};
constexpr FigureInfo kLossNoHooksLoadedFigures[] = {{"pid", FigureUnit::kInteger, false}};
constexpr std::string_view kLossNoHooksLoadedTexts[] = {"process"};
constexpr FigureInfo kLossRecordedElsewhereFigures[] = {{"itself", FigureUnit::kFlag, false}};
constexpr std::string_view kLossUnavailableTexts[] = {"source", "reason", "remedy"};
constexpr FigureInfo kLossUnrecognisedEventFigures[] = {{"more", FigureUnit::kInteger, true}, {"share", FigureUnit::kShare, true}};
constexpr FigureInfo kLossUnrecognisedEventItemFigures[] = {{"events", FigureUnit::kCount, false}};
constexpr std::string_view kLossUnrecognisedEventItemTexts[] = {"category"};
constexpr FigureInfo kLossRanksMissingFigures[] = {{"missing", FigureUnit::kInteger, false}, {"ranks", FigureUnit::kInteger, false}, {"imported", FigureUnit::kFlag, false}, {"recorded", FigureUnit::kFlag, false}};
constexpr std::string_view kLossHookFailedTexts[] = {"hook", "reason"};
constexpr std::string_view kLossInFileTexts[] = {"file", "what"};
constexpr std::string_view kLossFileRefusedTexts[] = {"reason"};
constexpr FigureInfo kLossFileCutOffFigures[] = {{"at", FigureUnit::kInteger, true}, {"packet", FigureUnit::kFlag, false}, {"line", FigureUnit::kFlag, false}, {"entry", FigureUnit::kFlag, false}};
constexpr std::string_view kLossFileCutOffTexts[] = {"file", "damage"};
constexpr FigureInfo kLossFileDamagedFigures[] = {{"at", FigureUnit::kInteger, true}, {"whole", FigureUnit::kFlag, false}};
constexpr std::string_view kLossFileDamagedTexts[] = {"file", "damage"};
constexpr FigureInfo kLossSkippedBytesFigures[] = {{"bytes", FigureUnit::kInteger, false}, {"packets", FigureUnit::kFlag, false}, {"foreign", FigureUnit::kFlag, false}, {"too_long", FigureUnit::kFlag, false}, {"too_deep", FigureUnit::kFlag, false}};
constexpr std::string_view kLossSkippedBytesTexts[] = {"file"};
constexpr FigureInfo kLossTooLargeFigures[] = {{"most", FigureUnit::kInteger, false}, {"packets", FigureUnit::kFlag, false}};
constexpr std::string_view kLossTooLargeTexts[] = {"file"};
constexpr std::string_view kLossTablesLeftOutTexts[] = {"file", "tables"};
constexpr std::string_view kLossProfilerWarnedTexts[] = {"file", "said"};
constexpr FigureInfo kLossBeyondFigures[] = {{"most", FigureUnit::kInteger, false}, {"descriptors", FigureUnit::kFlag, false}, {"snapshots", FigureUnit::kFlag, false}, {"texts", FigureUnit::kFlag, false}};
constexpr std::string_view kLossBeyondTexts[] = {"file"};
constexpr FigureInfo kLossDuplicateKeyFigures[] = {{"line", FigureUnit::kFlag, false}};
constexpr std::string_view kLossDuplicateKeyTexts[] = {"file"};
constexpr FigureInfo kLossMissingMetadataFigures[] = {{"devices", FigureUnit::kFlag, false}};
constexpr std::string_view kLossMissingMetadataTexts[] = {"file"};
constexpr FigureInfo kLossSameProfileFigures[] = {{"work", FigureUnit::kFlag, false}, {"rank", FigureUnit::kInteger, true}};
constexpr std::string_view kLossSameProfileTexts[] = {"file", "other"};
constexpr FigureInfo kLossSameRankFigures[] = {{"rank", FigureUnit::kInteger, false}, {"stored", FigureUnit::kInteger, false}};
constexpr std::string_view kLossSameRankTexts[] = {"file", "other"};
constexpr std::string_view kLossNoDateTexts[] = {"file"};
constexpr FigureInfo kLossNotProfilesFigures[] = {{"count", FigureUnit::kInteger, false}, {"others", FigureUnit::kFlag, false}};
constexpr std::string_view kLossNotProfilesItemTexts[] = {"reason"};
constexpr FigureInfo kLossCutDurationsFigures[] = {{"two", FigureUnit::kFlag, false}, {"late", FigureUnit::kInteger, true}, {"works", FigureUnit::kInteger, false}, {"most_late", FigureUnit::kNs, false}, {"late_time", FigureUnit::kNs, false}, {"too_long", FigureUnit::kInteger, true}, {"recorded", FigureUnit::kNs, false}, {"long_time", FigureUnit::kNs, false}};
constexpr std::string_view kLossCutDurationsTexts[] = {"file"};
constexpr FigureInfo kCostGpusOfNodeFigures[] = {{"used", FigureUnit::kNumber, false}, {"has", FigureUnit::kInteger, false}};
constexpr FigureInfo kCostCoresOfNodeFigures[] = {{"used", FigureUnit::kNumber, false}, {"has", FigureUnit::kInteger, false}};
constexpr FigureInfo kCostMemoryOfNodeFigures[] = {{"used", FigureUnit::kNumber, false}, {"has", FigureUnit::kNumber, false}};
constexpr FigureInfo kCostGpuMemoryFigures[] = {{"used", FigureUnit::kNumber, false}, {"has", FigureUnit::kNumber, false}};
constexpr FigureInfo kCostGpusOfAllFigures[] = {{"used", FigureUnit::kNumber, false}, {"machines", FigureUnit::kInteger, false}, {"has", FigureUnit::kInteger, false}};
constexpr std::string_view kCostGpusOfAllTexts[] = {"instance"};
constexpr FigureInfo kCostCoresOfProcessesFigures[] = {{"processes", FigureUnit::kInteger, false}, {"used", FigureUnit::kNumber, false}, {"each", FigureUnit::kNumber, false}, {"needed", FigureUnit::kNumber, false}, {"has", FigureUnit::kInteger, false}};
constexpr FigureInfo kCostCoresMustShrinkFigures[] = {{"cores", FigureUnit::kInteger, false}};
constexpr FigureInfo kCostOtherSizeFigures[] = {{"node", FigureUnit::kInteger, false}, {"cores", FigureUnit::kNumber, false}, {"gpus", FigureUnit::kInteger, false}, {"type_cores", FigureUnit::kInteger, false}, {"type_gpus", FigureUnit::kInteger, false}};
constexpr std::string_view kCostOtherSizeTexts[] = {"instance"};
constexpr SubjectInfo kCostOtherSizeSubject[] = {{SubjectMember::kNode, false, false, 0}};
constexpr std::string_view kCostNoneCheaperTexts[] = {"instance"};
constexpr std::string_view kReasonTypeNotListedTexts[] = {"instance"};
constexpr FigureInfo kRunExceptionFigures[] = {{"steps", FigureUnit::kCount, false}, {"rank", FigureUnit::kInteger, true}};
constexpr std::string_view kRunExceptionTexts[] = {"type", "message", "place"};
constexpr FigureInfo kRunInterruptedFigures[] = {{"steps", FigureUnit::kCount, false}};
constexpr std::string_view kRunInterruptedTexts[] = {"place"};
constexpr FigureInfo kRunSignalFigures[] = {{"steps", FigureUnit::kCount, false}, {"rank", FigureUnit::kInteger, true}, {"stopped", FigureUnit::kFlag, false}, {"kill", FigureUnit::kFlag, false}, {"fault", FigureUnit::kFlag, false}};
constexpr std::string_view kRunSignalTexts[] = {"signal"};
constexpr SubjectInfo kRunSignalSubject[] = {{SubjectMember::kRank, false, false, 1}};
constexpr FigureInfo kRunExitCodeFigures[] = {{"steps", FigureUnit::kCount, false}, {"code", FigureUnit::kInteger, false}};
constexpr std::string_view kRunExitCodeTexts[] = {"signal"};

constexpr KindInfo kKinds[] = {
    {"data.batch_not_ready", Role::kEvidence, {kDataBatchNotReadyFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"data.loaded_by_training", Role::kEvidence, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"data.awaited", Role::kEvidence, {kDataAwaitedFigures, kDataAwaitedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.takes_cores", Role::kEvidence, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.cores_were_short", Role::kEvidence, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"data.samples", Role::kEvidence, {kDataSamplesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"data.stages_of_profile", Role::kEvidence, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.stages", Role::kEvidence, {{}, {}}, {kStepStagesItemFigures, kStepStagesItemTexts}, true, {}, Topic::kNone},
    {"step.drift", Role::kEvidence, {kStepDriftFigures, kStepDriftTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"operators.stages", Role::kEvidence, {{}, {}}, {kOperatorsStagesItemFigures, kOperatorsStagesItemTexts}, true, {}, Topic::kNone},
    {"communication.stages", Role::kEvidence, {{}, {}}, {kCommunicationStagesItemFigures, kCommunicationStagesItemTexts}, true, {}, Topic::kNone},
    {"step.faster_without", Role::kEvidence, {kStepFasterWithoutFigures, kStepFasterWithoutTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.bound_includes", Role::kEvidence, {{}, {}}, {kStepBoundIncludesItemFigures, kStepBoundIncludesItemTexts}, true, {}, Topic::kNone},
    {"step.bound_of_straggler", Role::kEvidence, {kStepBoundOfStragglerFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.little_remains", Role::kEvidence, {kStepLittleRemainsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.fewer_operators", Role::kEvidence, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.unrecognised", Role::kEvidence, {kStepUnrecognisedFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.process_idle", Role::kEvidence, {kStepProcessIdleFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.checkpoints", Role::kEvidence, {kStepCheckpointsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.evaluations", Role::kEvidence, {kStepEvaluationsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.collection_thresholds", Role::kEvidence, {kStepCollectionThresholdsFigures, kStepCollectionThresholdsTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"framework.recompiled", Role::kEvidence, {kFrameworkRecompiledFigures, kFrameworkRecompiledTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"framework.recompile_limit", Role::kEvidence, {kFrameworkRecompileLimitFigures, kFrameworkRecompileLimitTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.lock_held", Role::kEvidence, {kStepLockHeldFigures, kStepLockHeldTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.garbage_collections", Role::kEvidence, {kStepGarbageCollectionsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.user_range", Role::kEvidence, {kStepUserRangeFigures, kStepUserRangeTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.runs_in", Role::kEvidence, {kStepRunsInFigures, kStepRunsInTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.waits_in", Role::kEvidence, {kStepWaitsInFigures, kStepWaitsInTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.thread_beside", Role::kEvidence, {kStepThreadBesideFigures, kStepThreadBesideTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.cores_busy", Role::kEvidence, {kCpuCoresBusyFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.allowed_cores", Role::kEvidence, {kCpuAllowedCoresFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.used_by_job", Role::kEvidence, {kCpuUsedByJobFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.quota_ran_out", Role::kEvidence, {kCpuQuotaRanOutFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.contention", Role::kEvidence, {kCpuContentionFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.other_work", Role::kEvidence, {kCpuOtherWorkFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.run_delay", Role::kEvidence, {kCpuRunDelayFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"storage.io_wait", Role::kEvidence, {kStorageIoWaitFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"storage.read", Role::kEvidence, {kStorageReadFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"device.busy", Role::kEvidence, {kDeviceBusyFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"device.in_phases", Role::kEvidence, {kDeviceInPhasesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"device.idle_at_phase_end", Role::kEvidence, {kDeviceIdleAtPhaseEndFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"device.computing", Role::kEvidence, {kDeviceComputingFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"device.one_of_several_computing", Role::kEvidence, {kDeviceOneOfSeveralComputingFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"device.slow_calls", Role::kEvidence, {kDeviceSlowCallsFigures, kDeviceSlowCallsTexts}, {{}, {}}, false, kDeviceSlowCallsSubject, Topic::kNone},
    {"gpu.shared_with_others", Role::kEvidence, {kGpuSharedWithOthersFigures, {}}, {{}, {}}, false, kGpuSharedWithOthersSubject, Topic::kNone},
    {"gpu.unknown_processes", Role::kEvidence, {kGpuUnknownProcessesFigures, {}}, {{}, {}}, false, kGpuUnknownProcessesSubject, Topic::kNone},
    {"gpu.ranks_together", Role::kEvidence, {{}, kGpuRanksTogetherTexts}, {kGpuRanksTogetherItemFigures, {}}, true, kGpuRanksTogetherSubject, Topic::kNone},
    {"gpu.many_ranks_together", Role::kEvidence, {kGpuManyRanksTogetherFigures, kGpuManyRanksTogetherTexts}, {kGpuManyRanksTogetherItemFigures, {}}, true, kGpuManyRanksTogetherSubject, Topic::kNone},
    {"communication.straggler", Role::kEvidence, {kCommunicationStragglerFigures, {}}, {{}, {}}, false, kCommunicationStragglerSubject, Topic::kNone},
    {"communication.waited_for_rank", Role::kEvidence, {kCommunicationWaitedForRankFigures, {}}, {{}, {}}, false, kCommunicationWaitedForRankSubject, Topic::kNone},
    {"communication.ranks_absent", Role::kEvidence, {kCommunicationRanksAbsentFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.on_the_host", Role::kEvidence, {{}, kCommunicationOnTheHostTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.calls", Role::kEvidence, {{}, {}}, {kCommunicationCallsItemFigures, kCommunicationCallsItemTexts}, true, {}, Topic::kNone},
    {"communication.gradient_exchange", Role::kEvidence, {kCommunicationGradientExchangeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.exchange_each_backward", Role::kEvidence, {kCommunicationExchangeEachBackwardFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.deterministic_fill", Role::kEvidence, {kModelDeterministicFillFigures, kModelDeterministicFillTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.slower_than_in_other_steps", Role::kEvidence, {kModelSlowerThanInOtherStepsFigures, kModelSlowerThanInOtherStepsTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.slower_than_alike", Role::kEvidence, {kModelSlowerThanAlikeFigures, kModelSlowerThanAlikeTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.no_stacks", Role::kEvidence, {{}, kModelNoStacksTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.few_samples", Role::kEvidence, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.operators_share", Role::kEvidence, {kModelOperatorsShareFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.between_operators", Role::kEvidence, {kModelBetweenOperatorsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.kernel_classes", Role::kEvidence, {{}, {}}, {kModelKernelClassesItemFigures, kModelKernelClassesItemTexts}, true, {}, Topic::kNone},
    {"verdict.few_steps", Role::kEvidence, {kVerdictFewStepsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.all_warm_up", Role::kEvidence, {kVerdictAllWarmUpFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.warm_up", Role::kEvidence, {kVerdictWarmUpFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.steps_left_out", Role::kEvidence, {kRunStepsLeftOutFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.devices_left_out", Role::kEvidence, {kRunDevicesLeftOutFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.data_loss", Role::kEvidence, {{}, kRunDataLossTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.disk_refused", Role::kEvidence, {kRunDiskRefusedFigures, kRunDiskRefusedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.hook_failed", Role::kEvidence, {{}, kRunHookFailedTexts}, {{}, {}}, false, kRunHookFailedSubject, Topic::kNone},
    {"run.last_seen", Role::kEvidence, {kRunLastSeenFigures, kRunLastSeenTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"profile.processes_together", Role::kEvidence, {kProfileProcessesTogetherFigures, {}}, {{}, {}}, false, kProfileProcessesTogetherSubject, Topic::kNone},
    {"profile.work_not_recorded", Role::kEvidence, {kProfileWorkNotRecordedFigures, {}}, {{}, {}}, false, kProfileWorkNotRecordedSubject, Topic::kNone},
    {"profile.steps_overlap", Role::kEvidence, {kProfileStepsOverlapFigures, {}}, {{}, {}}, false, kProfileStepsOverlapSubject, Topic::kNone},
    {"profile.steps_nested", Role::kEvidence, {kProfileStepsNestedFigures, {}}, {{}, {}}, false, kProfileStepsNestedSubject, Topic::kNone},
    {"profile.threads_together", Role::kEvidence, {kProfileThreadsTogetherFigures, {}}, {{}, {}}, false, kProfileThreadsTogetherSubject, Topic::kNone},
    {"profile.runs_in", Role::kEvidence, {kProfileRunsInFigures, kProfileRunsInTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"profile.busiest", Role::kEvidence, {kProfileBusiestFigures, kProfileBusiestTexts}, {{}, {}}, false, kProfileBusiestSubject, Topic::kNone},
    {"profile.waits_in", Role::kEvidence, {kProfileWaitsInFigures, kProfileWaitsInTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.take_whole_batches", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.cheaper_getitem", Role::kAdvice, {{}, kDataCheaperGetitemTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.cheaper_collate", Role::kAdvice, {{}, kDataCheaperCollateTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.cheaper_sampler", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.hand_over_less", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"data.share_by_file_system", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.local_copy", Role::kAdvice, {{}, kDataLocalCopyTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.fewer_workers", Role::kAdvice, {kDataFewerWorkersFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.workers_of_cores", Role::kAdvice, {kDataWorkersOfCoresFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.cheaper_worker_start", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"data.one_iterator", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.persistent_workers", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.copy_ahead", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.prefetch_more", Role::kAdvice, {kDataPrefetchMoreFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.load_ahead", Role::kAdvice, {{}, kDataLoadAheadTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.pin_memory", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.query_less", Role::kAdvice, {{}, kDataQueryLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.decode_less", Role::kAdvice, {{}, kDataDecodeLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.augment_on_device", Role::kAdvice, {{}, kDataAugmentOnDeviceTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.augment_vectorised", Role::kAdvice, {{}, kDataAugmentVectorisedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.tokenise_ahead", Role::kAdvice, {{}, kDataTokeniseAheadTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.ask_earlier", Role::kAdvice, {{}, kDataAskEarlierTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.cheaper_awaited", Role::kAdvice, {{}, kDataCheaperAwaitedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.cheaper_sampler_code", Role::kAdvice, {{}, kDataCheaperSamplerCodeTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.cheaper_code", Role::kAdvice, {{}, kDataCheaperCodeTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.cheaper_helpers", Role::kAdvice, {{}, kDataCheaperHelpersTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.hold_lock_less", Role::kAdvice, {{}, kDataHoldLockLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.share_less", Role::kAdvice, {{}, kDataShareLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.copy_less", Role::kAdvice, {{}, kDataCopyLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"data.keep_workers", Role::kAdvice, {kDataKeepWorkersFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.even_parts", Role::kAdvice, {kDataEvenPartsFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.more_waiting_workers", Role::kAdvice, {kDataMoreWaitingWorkersFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.cores_taken", Role::kAdvice, {kDataCoresTakenFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.cores_filled", Role::kAdvice, {kDataCoresFilledFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.first_workers", Role::kAdvice, {kDataFirstWorkersFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.more_workers", Role::kAdvice, {kDataMoreWorkersFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.look_at_workers", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"data.load_beside", Role::kAdvice, {kDataLoadBesideFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"step.stop_growth", Role::kAdvice, {{}, kStepStopGrowthTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.raise_quota", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.allow_more_cores", Role::kAdvice, {kCpuAllowMoreCoresFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.more_cores", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.free_for_training", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.free_for_workers", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.free_for_operators", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.free_for_model", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cpu.fewer_threads", Role::kAdvice, {kCpuFewerThreadsFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"step.own_process", Role::kAdvice, {{}, kStepOwnProcessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.compute_less", Role::kAdvice, {{}, kStepComputeLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.fewer_checkpoints", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"step.fewer_evaluations", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.log_less", Role::kAdvice, {{}, kStepLogLessTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.fewer_windows", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"step.look_at_range", Role::kAdvice, {{}, kStepLookAtRangeTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.look_at_work", Role::kAdvice, {{}, kStepLookAtWorkTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.look_at_wait", Role::kAdvice, {{}, kStepLookAtWaitTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"step.annotate", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"profile.record_host", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"profile.record_stacks", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"profile.after_warm_up", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"model.more_steps", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.sample_stacks", Role::kAdvice, {kModelSampleStacksFigures, kModelSampleStacksTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.kernels", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.fuse_kernels", Role::kAdvice, {kModelFuseKernelsFigures, kModelFuseKernelsTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"model.fuse_any_kernels", Role::kAdvice, {kModelFuseAnyKernelsFigures, kModelFuseAnyKernelsTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.lower_precision", Role::kAdvice, {kModelLowerPrecisionFigures, kModelLowerPrecisionTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"model.lower_any_precision", Role::kAdvice, {kModelLowerAnyPrecisionFigures, kModelLowerAnyPrecisionTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"model.profile_operators", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"model.operators", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.no_deterministic_fill", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"model.flush_denormals", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"model.capture_kernels", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"model.capture_operators", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"framework.no_anomaly_detection", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.more_in_a_launch", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.fix_graph_breaks", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.fuse_operators", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.collect_seldom", Role::kAdvice, {{}, kFrameworkCollectSeldomTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"framework.fixed_shapes", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.steady_shapes", Role::kAdvice, {kFrameworkSteadyShapesFigures, kFrameworkSteadyShapesTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.steady_tensors", Role::kAdvice, {kFrameworkSteadyTensorsFigures, kFrameworkSteadyTensorsTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.values_as_tensors", Role::kAdvice, {kFrameworkValuesAsTensorsFigures, kFrameworkValuesAsTensorsTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.texts_outside", Role::kAdvice, {kFrameworkTextsOutsideFigures, kFrameworkTextsOutsideTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.steady_lengths", Role::kAdvice, {kFrameworkSteadyLengthsFigures, kFrameworkSteadyLengthsTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.one_state", Role::kAdvice, {kFrameworkOneStateFigures, kFrameworkOneStateTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.one_object", Role::kAdvice, {kFrameworkOneObjectFigures, kFrameworkOneObjectTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.look_at_guard", Role::kAdvice, {kFrameworkLookAtGuardFigures, kFrameworkLookAtGuardTexts}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"framework.look_at_unbegun_work", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"framework.run_ahead", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.all_ranks", Role::kAdvice, {kCommunicationAllRanksFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.accumulate_without_sync", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.accumulate", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.no_sync", Role::kAdvice, {kCommunicationNoSyncFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.call_less", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.tensors_for_objects", Role::kAdvice, {{}, kCommunicationTensorsForObjectsTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.no_barrier", Role::kAdvice, {{}, kCommunicationNoBarrierTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.micro_batches", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.join_calls", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.wait_later", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.start_asynchronously", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.hold_parameters", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.more_layers_a_unit", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.shard_gradients", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.larger_units", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.larger_buckets", Role::kAdvice, {kCommunicationLargerBucketsFigures, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.nccl", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.no_unused_parameters", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"communication.even_work", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.look_at_data", Role::kAdvice, {kCommunicationLookAtDataFigures, kCommunicationLookAtDataTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.look_at_rank", Role::kAdvice, {kCommunicationLookAtRankFigures, kCommunicationLookAtRankTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"communication.look_at_cause", Role::kAdvice, {kCommunicationLookAtCauseFigures, kCommunicationLookAtCauseTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.call_step", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.call_step_if_it_trains", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.call_step_if_it_trained", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.call_step_if_it_trains_already", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.let_hooks_in", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.name_ranges", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.longer_range", Role::kAdvice, {kRunLongerRangeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.without_tool", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.free_space", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.fix_failure", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.look_where_it_is", Role::kAdvice, {{}, kRunLookWhereItIsTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.look_where_it_was", Role::kAdvice, {{}, kRunLookWhereItWasTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.with_optimizer_hook", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.with_hooks", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.capture_again", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.look_behind_warm_up", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.more_steps", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.ask_again", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"run.longer", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"import.all_files", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"import.record_host", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"import.mark_steps_jax", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "jax"},
    {"import.mark_steps_tensorflow", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "tensorflow"},
    {"import.run_training", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"profile.name_ranges_jax", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "jax"},
    {"profile.name_ranges_tensorflow", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "tensorflow"},
    {"recommendation.raise_workers", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.distributed_data_parallel", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.use_nccl", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.communicate_less", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.give_device_more", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.mixed_precision", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.use_less_memory", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.launch_less", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.overlap_communication", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.look_at_late_rank", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.synchronise_less", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.gather_copies", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.use_tensor_cores", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"recommendation.keep_blocks", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"rule.gpu_under_utilised", Role::kRule, {kRuleGpuUnderUtilisedFigures, {}}, {{}, {}}, false, kRuleGpuUnderUtilisedSubject, Topic::kRule},
    {"rule.gpu_under_utilised_over_steps", Role::kRule, {kRuleGpuUnderUtilisedOverStepsFigures, {}}, {{}, {}}, false, kRuleGpuUnderUtilisedOverStepsSubject, Topic::kRule},
    {"rule.gpu_under_utilised_over_profile", Role::kRule, {kRuleGpuUnderUtilisedOverProfileFigures, {}}, {{}, {}}, false, kRuleGpuUnderUtilisedOverProfileSubject, Topic::kRule},
    {"rule.gpu_under_utilised_lately", Role::kRule, {kRuleGpuUnderUtilisedLatelyFigures, {}}, {{}, {}}, false, kRuleGpuUnderUtilisedLatelySubject, Topic::kRule},
    {"rule.gpu_fluctuates", Role::kRule, {kRuleGpuFluctuatesFigures, {}}, {{}, {}}, false, kRuleGpuFluctuatesSubject, Topic::kRule},
    {"rule.gpu_fluctuates_over_steps", Role::kRule, {kRuleGpuFluctuatesOverStepsFigures, {}}, {{}, {}}, false, kRuleGpuFluctuatesOverStepsSubject, Topic::kRule},
    {"rule.gpu_fluctuates_over_profile", Role::kRule, {kRuleGpuFluctuatesOverProfileFigures, {}}, {{}, {}}, false, kRuleGpuFluctuatesOverProfileSubject, Topic::kRule},
    {"rule.gpu_fluctuates_lately", Role::kRule, {kRuleGpuFluctuatesLatelyFigures, {}}, {{}, {}}, false, kRuleGpuFluctuatesLatelySubject, Topic::kRule},
    {"rule.gpu_not_used", Role::kRule, {kRuleGpuNotUsedFigures, {}}, {{}, {}}, false, kRuleGpuNotUsedSubject, Topic::kRule},
    {"rule.batch_too_small", Role::kRule, {kRuleBatchTooSmallFigures, {}}, {{}, {}}, false, kRuleBatchTooSmallSubject, Topic::kRule},
    {"rule.memory_grew", Role::kRule, {kRuleMemoryGrewFigures, {}}, {{}, {}}, false, kRuleMemoryGrewSubject, Topic::kRule},
    {"rule.memory_mean_grew", Role::kRule, {kRuleMemoryMeanGrewFigures, {}}, {{}, {}}, false, kRuleMemoryMeanGrewSubject, Topic::kRule},
    {"rule.steps_starve_gpu", Role::kRule, {kRuleStepsStarveGpuFigures, {}}, {{}, {}}, false, kRuleStepsStarveGpuSubject, Topic::kRule},
    {"rule.cpu_bottleneck", Role::kRule, {kRuleCpuBottleneckFigures, {}}, {{}, {}}, false, kRuleCpuBottleneckSubject, Topic::kRule},
    {"rule.io_bottleneck", Role::kRule, {kRuleIoBottleneckFigures, {}}, {{}, {}}, false, kRuleIoBottleneckSubject, Topic::kRule},
    {"rule.bottlenecks", Role::kRule, {kRuleBottlenecksFigures, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"rule.gpus_differ_in_use", Role::kRule, {kRuleGpusDifferInUseFigures, {}}, {{}, {}}, false, kRuleGpusDifferInUseSubject, Topic::kRule},
    {"rule.gpus_take_turns", Role::kRule, {kRuleGpusTakeTurnsFigures, {}}, {{}, {}}, false, kRuleGpusTakeTurnsSubject, Topic::kRule},
    {"rule.last_gpus_differ", Role::kRule, {kRuleLastGpusDifferFigures, {}}, {{}, {}}, false, kRuleLastGpusDifferSubject, Topic::kRule},
    {"rule.loaders_on_cores", Role::kRule, {kRuleLoadersOnCoresFigures, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"rule.workers_on_cores", Role::kRule, {kRuleWorkersOnCoresFigures, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"rule.waits_for_data", Role::kRule, {kRuleWaitsForDataFigures, {}}, {{}, {}}, false, kRuleWaitsForDataSubject, Topic::kRule},
    {"rule.long_steps", Role::kRule, {kRuleLongStepsFigures, {}}, {{}, {}}, false, kRuleLongStepsSubject, Topic::kRule},
    {"rule.slow_steps", Role::kRule, {kRuleSlowStepsFigures, {}}, {{}, {}}, false, kRuleSlowStepsSubject, Topic::kRule},
    {"rule.no_first_step", Role::kRule, {kRuleNoFirstStepFigures, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"rule.long_initialization", Role::kRule, {kRuleLongInitializationFigures, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"rule.found", Role::kRule, {kRuleFoundFigures, kRuleFoundTexts}, {{}, {}}, false, kRuleFoundSubject, Topic::kRule},
    {"recommendation.loader", Role::kRecommendation, {kRecommendationLoaderFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.loader_time", Role::kRecommendation, {kRecommendationLoaderTimeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.data_parallel", Role::kRecommendation, {kRecommendationDataParallelFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.gradient_exchange", Role::kRecommendation, {kRecommendationGradientExchangeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.communication", Role::kRecommendation, {kRecommendationCommunicationFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.least_used_device", Role::kRecommendation, {kRecommendationLeastUsedDeviceFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.little_used_device", Role::kRecommendation, {kRecommendationLittleUsedDeviceFigures, {}}, {{}, {}}, false, kRecommendationLittleUsedDeviceSubject, Topic::kNone},
    {"recommendation.tensor_cores_used", Role::kRecommendation, {kRecommendationTensorCoresUsedFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.no_tensor_cores_used", Role::kRecommendation, {kRecommendationNoTensorCoresUsedFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.tensor_core_operators", Role::kRecommendation, {kRecommendationTensorCoreOperatorsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.memory_peak", Role::kRecommendation, {kRecommendationMemoryPeakFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.launches", Role::kRecommendation, {kRecommendationLaunchesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.short_launches", Role::kRecommendation, {kRecommendationShortLaunchesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.exposed_communication", Role::kRecommendation, {kRecommendationExposedCommunicationFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.communication_overlapped", Role::kRecommendation, {kRecommendationCommunicationOverlappedFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.straggler", Role::kRecommendation, {kRecommendationStragglerFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.late_rank", Role::kRecommendation, {kRecommendationLateRankFigures, kRecommendationLateRankTexts}, {{}, {}}, false, kRecommendationLateRankSubject, Topic::kNone},
    {"recommendation.synchronisation", Role::kRecommendation, {kRecommendationSynchronisationFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.synchronising_calls", Role::kRecommendation, {kRecommendationSynchronisingCallsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.small_copies", Role::kRecommendation, {kRecommendationSmallCopiesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.small_copies_of_all", Role::kRecommendation, {kRecommendationSmallCopiesOfAllFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.tensor_core_share", Role::kRecommendation, {kRecommendationTensorCoreShareFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.tensor_core_share_possible", Role::kRecommendation, {kRecommendationTensorCoreSharePossibleFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.allocator", Role::kRecommendation, {kRecommendationAllocatorFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"recommendation.allocator_calls", Role::kRecommendation, {kRecommendationAllocatorCallsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.straggler", Role::kHeadline, {kVerdictStragglerFigures, kVerdictStragglerTexts}, {{}, {}}, false, kVerdictStragglerSubject, Topic::kNone},
    {"verdict.exchange_or_waiting", Role::kHeadline, {kVerdictExchangeOrWaitingFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.suspect", Role::kHeadline, {kVerdictSuspectFigures, kVerdictSuspectTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.training_without_core", Role::kHeadline, {kVerdictTrainingWithoutCoreFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_single_suspect", Role::kHeadline, {kVerdictNoSingleSuspectFigures, kVerdictNoSingleSuspectTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_if_it_computes", Role::kHeadline, {kVerdictModelIfItComputesFigures, kVerdictModelIfItComputesTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_and_next", Role::kHeadline, {kVerdictModelAndNextFigures, kVerdictModelAndNextTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_and_rest", Role::kHeadline, {kVerdictModelAndRestFigures, kVerdictModelAndRestTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_with_overhead", Role::kHeadline, {kVerdictModelWithOverheadFigures, kVerdictModelWithOverheadTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_waits_for_host", Role::kHeadline, {kVerdictModelWaitsForHostFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_unrecognised", Role::kHeadline, {kVerdictModelUnrecognisedFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_healthy", Role::kHeadline, {kVerdictModelHealthyFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.model_slowed", Role::kHeadline, {kVerdictModelSlowedFigures, kVerdictModelSlowedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_hooks", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_step_in_range", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.cannot_record", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.shared_memory_full", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.unrecorded_process", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.script_profiler", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.steps_damaged", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.steps_refused", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_python", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_torch", Role::kHeadline, {kVerdictNoTorchFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_optimizer", Role::kHeadline, {kVerdictNoOptimizerFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.optimizer_left_out", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.import_without_steps", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_training", Role::kHeadline, {{}, kVerdictNoTrainingTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.hooks_off", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.no_step_yet", Role::kHeadline, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.only_warm_up", Role::kHeadline, {kVerdictOnlyWarmUpFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"verdict.too_few_steps", Role::kHeadline, {kVerdictTooFewStepsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"usage.fluctuates", Role::kNote, {kUsageFluctuatesFigures, kUsageFluctuatesTexts}, {{}, {}}, false, kUsageFluctuatesSubject, Topic::kNone},
    {"usage.smaller_without_gpu", Role::kNote, {kUsageSmallerWithoutGpuFigures, {}}, {{}, {}}, false, kUsageSmallerWithoutGpuSubject, Topic::kNone},
    {"usage.smaller", Role::kNote, {kUsageSmallerFigures, {}}, {{}, {}}, false, kUsageSmallerSubject, Topic::kNone},
    {"usage.held_up_by_cpu", Role::kNote, {kUsageHeldUpByCpuFigures, {}}, {{}, {}}, false, kUsageHeldUpByCpuSubject, Topic::kNone},
    {"usage.well_used", Role::kNote, {kUsageWellUsedFigures, {}}, {{}, {}}, false, kUsageWellUsedSubject, Topic::kNone},
    {"note.no_device_activity", Role::kNote, {kNoteNoDeviceActivityFigures, {}}, {{}, kNoteNoDeviceActivityItemTexts}, true, {}, Topic::kNone},
    {"note.profile_without_devices", Role::kNote, {kNoteProfileWithoutDevicesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.profile_without_operators", Role::kNote, {kNoteProfileWithoutOperatorsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.profile_without_memory", Role::kNote, {kNoteProfileWithoutMemoryFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.profile_without_modules", Role::kNote, {kNoteProfileWithoutModulesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.steps_left_out", Role::kNote, {kNoteStepsLeftOutFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.agent_ended_first", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.lost_after_last_step", Role::kNote, {{}, kNoteLostAfterLastStepTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"note.no_step_marks", Role::kNote, {kNoteNoStepMarksFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.windows", Role::kNote, {kNoteWindowsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.collectives_from", Role::kNote, {kNoteCollectivesFromFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.no_metric", Role::kNote, {kNoteNoMetricFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.samples_around", Role::kNote, {kNoteSamplesAroundFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.not_measured", Role::kNote, {{}, kNoteNotMeasuredTexts}, {{}, {}}, false, kNoteNotMeasuredSubject, Topic::kNone},
    {"note.last_steps", Role::kNote, {kNoteLastStepsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"memory.copy_on_write", Role::kNote, {kMemoryCopyOnWriteFigures, {}}, {{}, {}}, false, kMemoryCopyOnWriteSubject, Topic::kNone},
    {"memory.device_nearly_full", Role::kNote, {kMemoryDeviceNearlyFullFigures, {}}, {{}, {}}, false, kMemoryDeviceNearlyFullSubject, Topic::kNone},
    {"memory.cgroup_nearly_full", Role::kNote, {kMemoryCgroupNearlyFullFigures, {}}, {{}, {}}, false, kMemoryCgroupNearlyFullSubject, Topic::kNone},
    {"memory.machine_nearly_full", Role::kNote, {kMemoryMachineNearlyFullFigures, {}}, {{}, {}}, false, kMemoryMachineNearlyFullSubject, Topic::kNone},
    {"note.window_cost", Role::kNote, {kNoteWindowCostFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.cupti_stays", Role::kNote, {{}, kNoteCuptiStaysTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"note.cupti_taken", Role::kNote, {{}, kNoteCuptiTakenTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"note.no_group_reported", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.no_collectives", Role::kNote, {kNoteNoCollectivesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.one_rank", Role::kNote, {kNoteOneRankFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.nothing_matched", Role::kNote, {kNoteNothingMatchedFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.shared_group_name", Role::kNote, {{}, kNoteSharedGroupNameTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"note.collectives_lack_ranks", Role::kNote, {kNoteCollectivesLackRanksFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"note.calls_unplaced", Role::kNote, {kNoteCallsUnplacedFigures, {}}, {kNoteCallsUnplacedItemFigures, {}}, true, kNoteCallsUnplacedSubject, Topic::kNone},
    {"note.calls_ambiguous", Role::kNote, {kNoteCallsAmbiguousFigures, {}}, {kNoteCallsAmbiguousItemFigures, {}}, true, kNoteCallsAmbiguousSubject, Topic::kNone},
    {"comparison.no_steps", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"comparison.no_steps_in_one", Role::kNote, {{}, kComparisonNoStepsInOneTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"comparison.may_be_chance", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"comparison.same", Role::kNote, {kComparisonSameFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"comparison.faster", Role::kNote, {kComparisonFasterFigures, kComparisonFasterTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"comparison.dataset_stages_of_one", Role::kNote, {kComparisonDatasetStagesOfOneFigures, kComparisonDatasetStagesOfOneTexts}, {kComparisonDatasetStagesOfOneItemFigures, kComparisonDatasetStagesOfOneItemTexts}, true, {}, Topic::kNone},
    {"legacy.text", Role::kNote, {{}, kLegacyTextTexts}, {{}, {}}, false, kLegacyTextSubject, Topic::kNone},
    {"reason.no_gpu_metric", Role::kReason, {kReasonNoGpuMetricFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_system_metric", Role::kReason, {kReasonNoSystemMetricFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_gpu_memory_or_cpu", Role::kReason, {kReasonNoGpuMemoryOrCpuFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_gpu_memory", Role::kReason, {kReasonNoGpuMemoryFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_cpu", Role::kReason, {kReasonNoCpuFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_io_wait", Role::kReason, {kReasonNoIoWaitFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.gpu_memory_size_unknown", Role::kReason, {kReasonGpuMemorySizeUnknownFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.memory_in_no_step", Role::kReason, {kReasonMemoryInNoStepFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_memory_records", Role::kReason, {kReasonNoMemoryRecordsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.one_gpu", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.few_samples", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.few_samples_of_two", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_training_step", Role::kReason, {kReasonNoTrainingStepFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_step", Role::kReason, {kReasonNoStepFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.framework_silent", Role::kReason, {kReasonFrameworkSilentFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_step_or_operator", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_loader", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.few_steady_steps", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.few_steps_of_a_kind", Role::kReason, {kReasonFewStepsOfAKindFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.few_snapshots", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.few_recorded_steps", Role::kReason, {kReasonFewRecordedStepsFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_rule_applies", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.begin_left_out", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_data", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.impossible_times", Role::kReason, {kReasonImpossibleTimesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.first_gpus_alone", Role::kReason, {kReasonFirstGpusAloneFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.low_gpu_utilization", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.batch_size", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.cpu_bottleneck", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.io_bottleneck", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.gpu_memory_increase", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.load_balancing", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.dataloader", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone, "pytorch"},
    {"rule_advice.step_outlier", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.max_initialization_time", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"rule_advice.profiler_report", Role::kAdvice, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"live.rule_found", Role::kLive, {{}, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"live.rule_passed", Role::kLive, {{}, {}}, {{}, {}}, false, {}, Topic::kRule},
    {"live.sampling_slowed", Role::kLive, {kLiveSamplingSlowedFigures, {}}, {{}, {}}, false, {}, Topic::kAgent},
    {"live.sampling_restored", Role::kLive, {kLiveSamplingRestoredFigures, {}}, {{}, {}}, false, {}, Topic::kAgent},
    {"live.sampling_anew", Role::kLive, {kLiveSamplingAnewFigures, {}}, {{}, {}}, false, {}, Topic::kAgent},
    {"live.own_stacks_pace", Role::kLive, {kLiveOwnStacksPaceFigures, {}}, {{}, {}}, false, {}, Topic::kAgent},
    {"live.agent_memory_over", Role::kLive, {kLiveAgentMemoryOverFigures, {}}, {{}, {}}, false, {}, Topic::kAgent},
    {"live.agent_memory_ok", Role::kLive, {kLiveAgentMemoryOkFigures, {}}, {{}, {}}, false, {}, Topic::kAgent},
    {"live.memory_leak", Role::kLive, {kLiveMemoryLeakFigures, {}}, {kLiveMemoryLeakItemFigures, kLiveMemoryLeakItemTexts}, true, {}, Topic::kMemory},
    {"live.memory_plateau", Role::kLive, {{}, {}}, {{}, {}}, false, {}, Topic::kMemory},
    {"live.memory_unknown", Role::kLive, {{}, {}}, {{}, {}}, false, {}, Topic::kMemory},
    {"live.step_time_risen", Role::kLive, {kLiveStepTimeRisenFigures, {}}, {{}, {}}, false, {}, Topic::kStepTime},
    {"live.step_time_back", Role::kLive, {kLiveStepTimeBackFigures, {}}, {{}, {}}, false, {}, Topic::kStepTime},
    {"live.hang", Role::kLive, {kLiveHangFigures, kLiveHangTexts}, {kLiveHangItemFigures, kLiveHangItemTexts}, true, {}, Topic::kHang},
    {"live.hang_over", Role::kLive, {kLiveHangOverFigures, {}}, {{}, {}}, false, {}, Topic::kHang},
    {"live.no_hang", Role::kLive, {{}, {}}, {{}, {}}, false, {}, Topic::kHang},
    {"live.tensor_nonfinite", Role::kLive, {kLiveTensorNonfiniteFigures, kLiveTensorNonfiniteTexts}, {{}, {}}, false, kLiveTensorNonfiniteSubject, Topic::kTensor},
    {"live.gradient_vanishing", Role::kLive, {kLiveGradientVanishingFigures, kLiveGradientVanishingTexts}, {{}, {}}, false, kLiveGradientVanishingSubject, Topic::kTensor},
    {"live.gradient_exploding", Role::kLive, {kLiveGradientExplodingFigures, kLiveGradientExplodingTexts}, {{}, {}}, false, kLiveGradientExplodingSubject, Topic::kTensor},
    {"live.loss_not_falling", Role::kLive, {kLiveLossNotFallingFigures, {}}, {{}, {}}, false, kLiveLossNotFallingSubject, Topic::kTensor},
    {"live.tensor_finite_again", Role::kLive, {kLiveTensorFiniteAgainFigures, {}}, {{}, {}}, false, kLiveTensorFiniteAgainSubject, Topic::kTensor},
    {"live.loss_spike", Role::kLive, {kLiveLossSpikeFigures, {}}, {{}, {}}, false, kLiveLossSpikeSubject, Topic::kTensor},
    {"live.gradient_spike", Role::kLive, {kLiveGradientSpikeFigures, kLiveGradientSpikeTexts}, {{}, {}}, false, kLiveGradientSpikeSubject, Topic::kTensor},
    {"live.dead_units", Role::kLive, {kLiveDeadUnitsFigures, kLiveDeadUnitsTexts}, {{}, {}}, false, kLiveDeadUnitsSubject, Topic::kTensor},
    {"live.cast_range", Role::kLive, {kLiveCastRangeFigures, {}}, {kLiveCastRangeItemFigures, kLiveCastRangeItemTexts}, true, {}, Topic::kTensor},
    {"live.parameter_unchanged", Role::kLive, {kLiveParameterUnchangedFigures, kLiveParameterUnchangedTexts}, {{}, {}}, false, kLiveParameterUnchangedSubject, Topic::kTensor},
    {"live.tensor_unjudged", Role::kLive, {{}, {}}, {kLiveTensorUnjudgedItemFigures, kLiveTensorUnjudgedItemTexts}, true, {}, Topic::kTensor},
    {"loss.capture_nothing", Role::kLoss, {kLossCaptureNothingFigures, kLossCaptureNothingTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.capture_cut", Role::kLoss, {kLossCaptureCutFigures, kLossCaptureCutTexts}, {kLossCaptureCutItemFigures, {}}, true, {}, Topic::kNone},
    {"loss.capture_without", Role::kLoss, {kLossCaptureWithoutFigures, kLossCaptureWithoutTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.kineto_failed", Role::kLoss, {{}, kLossKinetoFailedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.kineto_no_memory", Role::kLoss, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.profile_unread", Role::kLoss, {kLossProfileUnreadFigures, kLossProfileUnreadTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.profiles_left", Role::kLoss, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.of_profile", Role::kLoss, {{}, kLossOfProfileTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.no_room_for_ring", Role::kLoss, {kLossNoRoomForRingFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.ring_unreadable", Role::kLoss, {kLossRingUnreadableFigures, kLossRingUnreadableTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.disarmed", Role::kLoss, {kLossDisarmedFigures, kLossDisarmedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.still_ran", Role::kLoss, {kLossStillRanFigures, kLossStillRanTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.other_user", Role::kLoss, {kLossOtherUserFigures, kLossOtherUserTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.no_site_packages", Role::kLoss, {kLossNoSitePackagesFigures, kLossNoSitePackagesTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.python_path_ignored", Role::kLoss, {kLossPythonPathIgnoredFigures, kLossPythonPathIgnoredTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.hooks_refused", Role::kLoss, {kLossHooksRefusedFigures, kLossHooksRefusedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.no_hooks_loaded", Role::kLoss, {kLossNoHooksLoadedFigures, kLossNoHooksLoadedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.tool_of_the_script", Role::kLoss, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.nothing_to_record", Role::kLoss, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.recorded_elsewhere", Role::kLoss, {kLossRecordedElsewhereFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.unavailable", Role::kLoss, {{}, kLossUnavailableTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.impossible_times", Role::kLoss, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.unrecognised_event", Role::kLoss, {kLossUnrecognisedEventFigures, {}}, {kLossUnrecognisedEventItemFigures, kLossUnrecognisedEventItemTexts}, true, {}, Topic::kNone},
    {"loss.ranks_missing", Role::kLoss, {kLossRanksMissingFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.hook_failed", Role::kLoss, {{}, kLossHookFailedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.in_file", Role::kLoss, {{}, kLossInFileTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.file_refused", Role::kLoss, {{}, kLossFileRefusedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.file_cut_off", Role::kLoss, {kLossFileCutOffFigures, kLossFileCutOffTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.file_damaged", Role::kLoss, {kLossFileDamagedFigures, kLossFileDamagedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.skipped_bytes", Role::kLoss, {kLossSkippedBytesFigures, kLossSkippedBytesTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.too_large", Role::kLoss, {kLossTooLargeFigures, kLossTooLargeTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.tables_left_out", Role::kLoss, {{}, kLossTablesLeftOutTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.profiler_warned", Role::kLoss, {{}, kLossProfilerWarnedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.beyond", Role::kLoss, {kLossBeyondFigures, kLossBeyondTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.duplicate_key", Role::kLoss, {kLossDuplicateKeyFigures, kLossDuplicateKeyTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.missing_metadata", Role::kLoss, {kLossMissingMetadataFigures, kLossMissingMetadataTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.same_profile", Role::kLoss, {kLossSameProfileFigures, kLossSameProfileTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.same_rank", Role::kLoss, {kLossSameRankFigures, kLossSameRankTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.no_date", Role::kLoss, {{}, kLossNoDateTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"loss.not_profiles", Role::kLoss, {kLossNotProfilesFigures, {}}, {{}, kLossNotProfilesItemTexts}, true, {}, Topic::kNone},
    {"loss.cut_durations", Role::kLoss, {kLossCutDurationsFigures, kLossCutDurationsTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.gpus_of_node", Role::kNote, {kCostGpusOfNodeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.cores_of_node", Role::kNote, {kCostCoresOfNodeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.memory_of_node", Role::kNote, {kCostMemoryOfNodeFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.memory_unmeasured", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.gpu_memory", Role::kNote, {kCostGpuMemoryFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.gpu_memory_not_compared", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.gpus_of_all", Role::kNote, {kCostGpusOfAllFigures, kCostGpusOfAllTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.cores_of_processes", Role::kNote, {kCostCoresOfProcessesFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.cores_must_shrink", Role::kNote, {kCostCoresMustShrinkFigures, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.batch_grows", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.other_size", Role::kNote, {kCostOtherSizeFigures, kCostOtherSizeTexts}, {{}, {}}, false, kCostOtherSizeSubject, Topic::kNone},
    {"cost.no_types", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.use_unmeasured", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.no_type_holds", Role::kNote, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"cost.none_cheaper", Role::kNote, {{}, kCostNoneCheaperTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.no_price", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.type_unclear", Role::kReason, {{}, {}}, {{}, {}}, false, {}, Topic::kNone},
    {"reason.type_not_listed", Role::kReason, {{}, kReasonTypeNotListedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.exception", Role::kNote, {kRunExceptionFigures, kRunExceptionTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.interrupted", Role::kNote, {kRunInterruptedFigures, kRunInterruptedTexts}, {{}, {}}, false, {}, Topic::kNone},
    {"run.signal", Role::kNote, {kRunSignalFigures, kRunSignalTexts}, {{}, {}}, false, kRunSignalSubject, Topic::kNone},
    {"run.exit_code", Role::kNote, {kRunExitCodeFigures, kRunExitCodeTexts}, {{}, {}}, false, {}, Topic::kNone},
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

Item Plain(StepBoundIncludes::Item& one) { return {{one.share.value, one.apart.value, one.warm.value}, {one.stage}}; }

Item Plain(GpuRanksTogether::Item& one) { return {{one.rank.value}, {}}; }

Item Plain(GpuManyRanksTogether::Item& one) { return {{one.rank.value}, {}}; }

Item Plain(CommunicationCalls::Item& one) { return {{one.calls.value, ValueOf(one.bytes)}, {one.call.value}}; }

Item Plain(ModelKernelClasses::Item& one) { return {{one.share.value}, {one.class_name.value}}; }

Item Plain(NoteNoDeviceActivity::Item& one) { return {{}, {one.part.value}}; }

Item Plain(NoteCallsUnplaced::Item& one) { return {{one.rank.value}, {}}; }

Item Plain(NoteCallsAmbiguous::Item& one) { return {{one.rank.value}, {}}; }

Item Plain(ComparisonDatasetStagesOfOne::Item& one) { return {{one.time.value}, {one.stage.value}}; }

Item Plain(LiveMemoryLeak::Item& one) { return {{one.bytes.value, one.time.value}, {one.limit.value}}; }

Item Plain(LiveHang::Item& one) { return {{ValueOf(one.rank), ValueOf(one.count), ValueOf(one.bytes), ValueOf(one.worker), one.missing.value, one.data.value, one.gone.value, one.stopped.value}, {one.ranks, one.phase, one.place.value, one.reason}, PlacesOf({{2, &one.place}})}; }

Item Plain(LiveCastRange::Item& one) { return {{ValueOf(one.zero), ValueOf(one.over), one.scaled.value}, {one.type.value, one.tensor}}; }

Item Plain(LiveTensorUnjudged::Item& one) { return {{one.no_loss.value, one.no_gradient.value, one.no_weight.value, one.no_module.value, one.no_wide.value, one.few_weights.value, one.no_replica.value, ValueOf(one.seen), ValueOf(one.needed)}, {one.rule.value}}; }

Item Plain(LossCaptureCut::Item& one) { return {{one.first_steps.value, one.aside.value, one.interrupted.value, one.replaced.value, one.full.value}, {}}; }

Item Plain(LossUnrecognisedEvent::Item& one) { return {{one.events.value}, {one.category.value}}; }

Item Plain(LossNotProfiles::Item& one) { return {{}, {one.reason.value}}; }

template <typename One>
std::vector<Item> PlainOf(std::vector<One>& items) {
  std::vector<Item> plain;
  for (One& one : items) plain.push_back(Plain(one));
  return plain;
}

}  // namespace

Finding Make(DataBatchNotReady one) {
  return {FindingKind::kDataBatchNotReady, {one.starved.value, one.waits.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(DataLoadedByTraining) {
  return {FindingKind::kDataLoadedByTraining, {}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(DataAwaited one) {
  return {FindingKind::kDataAwaited, {one.share.value}, {one.function.value}, {}, {"samples", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataTakesCores) {
  return {FindingKind::kDataTakesCores, {}, {}, {}, {"", {}}};
}

Finding Make(CpuCoresWereShort) {
  return {FindingKind::kCpuCoresWereShort, {}, {}, {}, {"", {}}};
}

Finding Make(DataSamples one) {
  return {FindingKind::kDataSamples, {one.samples.value}, {}, {}, {"samples", {}}};
}

Finding Make(DataStagesOfProfile) {
  return {FindingKind::kDataStagesOfProfile, {}, {}, {}, {"slices", {{"category", Compare::kEqual, "python_function"}}}};
}

Finding Make(StepStages one) {
  return {FindingKind::kStepStages, {}, {}, PlainOf(one.items.value), {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepDrift one) {
  return {FindingKind::kStepDrift, {one.from.value, one.to.value, ValueOf(one.stage_from), ValueOf(one.stage_to)}, {one.stage, one.function.value}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}, {}, PlacesOf({{1, &one.function}})};
}

Finding Make(OperatorsStages one) {
  return {FindingKind::kOperatorsStages, {}, {}, PlainOf(one.items.value), {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(CommunicationStages one) {
  return {FindingKind::kCommunicationStages, {}, {}, PlainOf(one.items.value), {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepFasterWithout one) {
  return {FindingKind::kStepFasterWithout, {one.speedup.value}, {one.suspect, one.stage.value}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepBoundIncludes one) {
  return {FindingKind::kStepBoundIncludes, {}, {}, PlainOf(one.items.value), {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepBoundOfStraggler one) {
  return {FindingKind::kStepBoundOfStraggler, {one.gain.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepLittleRemains one) {
  return {FindingKind::kStepLittleRemains, {one.rest.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepFewerOperators) {
  return {FindingKind::kStepFewerOperators, {}, {}, {}, {"", {}}};
}

Finding Make(StepUnrecognised one) {
  return {FindingKind::kStepUnrecognised, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(StepProcessIdle one) {
  return {FindingKind::kStepProcessIdle, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(StepCheckpoints one) {
  return {FindingKind::kStepCheckpoints, {one.steps.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepEvaluations one) {
  return {FindingKind::kStepEvaluations, {one.steps.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepCollectionThresholds one) {
  return {FindingKind::kStepCollectionThresholds, {one.off.value}, {one.now.value, one.before.value}, {}, {"run_metadata", {{"kind", Compare::kEqual, "collector"}}}};
}

Finding Make(FrameworkRecompiled one) {
  return {FindingKind::kFrameworkRecompiled, {one.count.value}, {one.function.value, one.guard.value}, {}, {"run_metadata", {{"kind", Compare::kEqual, "recompilation"}}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkRecompileLimit one) {
  return {FindingKind::kFrameworkRecompileLimit, {one.limit.value}, {one.function.value, one.guard.value}, {}, {"run_metadata", {{"kind", Compare::kEqual, "recompilation"}}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepLockHeld one) {
  return {FindingKind::kStepLockHeld, {one.share.value}, {one.function.value, one.holder.value}, {}, {"samples", {}}, {}, PlacesOf({{0, &one.function}, {1, &one.holder}})};
}

Finding Make(StepGarbageCollections one) {
  return {FindingKind::kStepGarbageCollections, {one.steps.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepUserRange one) {
  return {FindingKind::kStepUserRange, {one.share.value}, {one.range.value}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(StepRunsIn one) {
  return {FindingKind::kStepRunsIn, {one.share.value}, {one.function.value}, {}, {"samples", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepWaitsIn one) {
  return {FindingKind::kStepWaitsIn, {one.share.value}, {one.function.value}, {}, {"samples", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepThreadBeside one) {
  return {FindingKind::kStepThreadBeside, {one.share.value}, {one.function.value}, {}, {"samples", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(CpuCoresBusy one) {
  return {FindingKind::kCpuCoresBusy, {ValueOf(one.cores), one.share.value}, {}, {}, {"counters", one.where.value}};
}

Finding Make(CpuAllowedCores one) {
  return {FindingKind::kCpuAllowedCores, {one.allowed.value, one.cores.value, one.workers.value}, {}, {}, {"run_metadata", {{"kind", Compare::kEqual, "allowed_cores"}}}};
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
  return {FindingKind::kDeviceInPhases, {one.busy.value, one.data.value}, {}, {}, {"", {}}};
}

Finding Make(DeviceIdleAtPhaseEnd one) {
  return {FindingKind::kDeviceIdleAtPhaseEnd, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(DeviceComputing one) {
  return {FindingKind::kDeviceComputing, {one.computing.value, one.idle.value}, {}, {}, {"slices", {{"category", Compare::kEqual, "kernel"}}}};
}

Finding Make(DeviceOneOfSeveralComputing one) {
  return {FindingKind::kDeviceOneOfSeveralComputing, {one.devices.value, one.computing.value, one.idle.value}, {}, {}, {"slices", {{"category", Compare::kEqual, "kernel"}}}};
}

Finding Make(DeviceSlowCalls one) {
  return {FindingKind::kDeviceSlowCalls, {one.calls.value, one.all.value, one.longest.value}, {one.call.value}, {}, {"", {}}};
}

Finding Make(GpuSharedWithOthers one) {
  return {FindingKind::kGpuSharedWithOthers, {one.others.value, one.gpu.value, ValueOf(one.node)}, {}, {}, {"run_metadata", {{"kind", Compare::kEqual, "gpu"}}}};
}

Finding Make(GpuUnknownProcesses one) {
  return {FindingKind::kGpuUnknownProcesses, {one.processes.value, one.gpu.value, ValueOf(one.node), one.ranks.value}, {}, {}, {"run_metadata", {{"kind", Compare::kEqual, "gpu"}}}};
}

Finding Make(GpuRanksTogether one) {
  return {FindingKind::kGpuRanksTogether, {}, {one.name}, PlainOf(one.items.value), {"run_metadata", {{"kind", Compare::kEqual, "device"}}}};
}

Finding Make(GpuManyRanksTogether one) {
  return {FindingKind::kGpuManyRanksTogether, {one.more.value}, {one.name}, PlainOf(one.items.value), {"run_metadata", {{"kind", Compare::kEqual, "device"}}}};
}

Finding Make(CommunicationStraggler one) {
  return {FindingKind::kCommunicationStraggler, {one.rank.value, one.last.value, one.steps.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(CommunicationWaitedForRank one) {
  return {FindingKind::kCommunicationWaitedForRank, {one.rank.value, one.wait.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(CommunicationRanksAbsent one) {
  return {FindingKind::kCommunicationRanksAbsent, {one.missing.value, one.all.value, one.imported.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(CommunicationOnTheHost one) {
  return {FindingKind::kCommunicationOnTheHost, {}, {one.backend.value}, {}, {"", {}}};
}

Finding Make(CommunicationCalls one) {
  return {FindingKind::kCommunicationCalls, {}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(CommunicationGradientExchange one) {
  return {FindingKind::kCommunicationGradientExchange, {one.bytes.value, one.buckets.value}, {}, {}, {"run_metadata", {{"kind", Compare::kEqual, "gradient_exchange"}}}};
}

Finding Make(CommunicationExchangeEachBackward one) {
  return {FindingKind::kCommunicationExchangeEachBackward, {one.backwards.value}, {}, {}, {"run_metadata", {{"kind", Compare::kEqual, "gradient_exchange"}}}};
}

Finding Make(ModelDeterministicFill one) {
  return {FindingKind::kModelDeterministicFill, {one.share.value}, {one.call.value}, {}, {"", {}}};
}

Finding Make(ModelSlowerThanInOtherSteps one) {
  return {FindingKind::kModelSlowerThanInOtherSteps, {one.times.value, one.share.value, one.first.value, one.last.value}, {one.call.value}, {}, {"", {}}};
}

Finding Make(ModelSlowerThanAlike one) {
  return {FindingKind::kModelSlowerThanAlike, {one.times.value, one.share.value}, {one.call.value}, {}, {"", {}}};
}

Finding Make(ModelNoStacks one) {
  return {FindingKind::kModelNoStacks, {}, {one.reason.value}, {}, {"run_metadata", {{"kind", Compare::kEqual, "source"}}}};
}

Finding Make(ModelFewSamples) {
  return {FindingKind::kModelFewSamples, {}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(ModelOperatorsShare one) {
  return {FindingKind::kModelOperatorsShare, {one.share.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(ModelBetweenOperators one) {
  return {FindingKind::kModelBetweenOperators, {one.share.value, one.low.value, one.high.value, one.steps.value}, {}, {}, {"steps", {{"dispatch_ns", Compare::kAtLeast, int64_t{0}}}}};
}

Finding Make(ModelKernelClasses one) {
  return {FindingKind::kModelKernelClasses, {}, {}, PlainOf(one.items.value), {"slices", {{"category", Compare::kEqual, "kernel"}}}};
}

Finding Make(VerdictFewSteps one) {
  return {FindingKind::kVerdictFewSteps, {one.steps.value, ValueOf(one.within)}, {}, {}, {"steps", {{"kind", Compare::kEqual, "train"}}}};
}

Finding Make(VerdictAllWarmUp one) {
  return {FindingKind::kVerdictAllWarmUp, {one.steps.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "warm-up"}}}};
}

Finding Make(VerdictWarmUp one) {
  return {FindingKind::kVerdictWarmUp, {one.warm_up.value, one.steps.value}, {}, {}, {"steps", {{"kind", Compare::kEqual, "warm-up"}}}};
}

Finding Make(RunStepsLeftOut one) {
  return {FindingKind::kRunStepsLeftOut, {one.steps.value}, {}, {}, {"data_loss", {{"cause", Compare::kEqual, "segment_damaged"}}}};
}

Finding Make(RunDevicesLeftOut one) {
  return {FindingKind::kRunDevicesLeftOut, {one.steps.value}, {}, {}, {"data_loss", {{"cause", Compare::kEqual, "segment_damaged"}}}};
}

Finding Make(RunDataLoss one) {
  return {FindingKind::kRunDataLoss, {}, {one.detail.value}, {}, {"data_loss", one.where.value}};
}

Finding Make(RunDiskRefused one) {
  return {FindingKind::kRunDiskRefused, {one.rows.value}, {one.of.value}, {}, {"data_loss", {{"cause", Compare::kEqual, "disk_refused"}}}};
}

Finding Make(RunHookFailed one) {
  return {FindingKind::kRunHookFailed, {}, {one.hook, one.reason}, {}, {"run_metadata", {{"kind", Compare::kEqual, "hook"}}}};
}

Finding Make(RunLastSeen one) {
  return {FindingKind::kRunLastSeen, {one.time.value, one.waits.value, one.share.value, one.samples.value, ValueOf(one.worker_waits), ValueOf(one.worker_share), ValueOf(one.worker_samples)}, {one.function.value, one.worker_function.value}, {}, {"samples", {}}, {}, PlacesOf({{0, &one.function}, {1, &one.worker_function}})};
}

Finding Make(ProfileProcessesTogether one) {
  return {FindingKind::kProfileProcessesTogether, {one.rank.value, one.processes.value}, {}, {}, {"", {}}};
}

Finding Make(ProfileWorkNotRecorded one) {
  return {FindingKind::kProfileWorkNotRecorded, {one.rank.value, one.time.value}, {}, {}, {"", {}}};
}

Finding Make(ProfileStepsOverlap one) {
  return {FindingKind::kProfileStepsOverlap, {one.rank.value, one.steps.value}, {}, {}, {"", {}}};
}

Finding Make(ProfileStepsNested one) {
  return {FindingKind::kProfileStepsNested, {one.rank.value, one.marks.value}, {}, {}, {"", {}}};
}

Finding Make(ProfileThreadsTogether one) {
  return {FindingKind::kProfileThreadsTogether, {one.threads.value, one.rank.value}, {}, {}, {"steps", one.where.value}};
}

Finding Make(ProfileRunsIn one) {
  return {FindingKind::kProfileRunsIn, {one.share.value}, {one.function.value}, {}, {"slices", {{"category", Compare::kEqual, "python_function"}}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(ProfileBusiest one) {
  return {FindingKind::kProfileBusiest, {one.share.value, one.time.value, one.calls.value}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(ProfileWaitsIn one) {
  return {FindingKind::kProfileWaitsIn, {one.share.value}, {one.function.value}, {}, {"slices", {{"category", Compare::kEqual, "python_function"}}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataTakeWholeBatches) {
  return {FindingKind::kDataTakeWholeBatches, {}, {}, {}, {"", {}}};
}

Finding Make(DataCheaperGetitem one) {
  return {FindingKind::kDataCheaperGetitem, {}, {one.dataset}, {}, {"", {}}};
}

Finding Make(DataCheaperCollate one) {
  return {FindingKind::kDataCheaperCollate, {}, {one.collate.value, one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.collate}, {1, &one.function}})};
}

Finding Make(DataCheaperSampler) {
  return {FindingKind::kDataCheaperSampler, {}, {}, {}, {"", {}}};
}

Finding Make(DataHandOverLess) {
  return {FindingKind::kDataHandOverLess, {}, {}, {}, {"", {}}};
}

Finding Make(DataShareByFileSystem) {
  return {FindingKind::kDataShareByFileSystem, {}, {}, {}, {"", {}}};
}

Finding Make(DataLocalCopy one) {
  return {FindingKind::kDataLocalCopy, {}, {one.dataset}, {}, {"", {}}};
}

Finding Make(DataFewerWorkers one) {
  return {FindingKind::kDataFewerWorkers, {one.proposed.value, one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(DataWorkersOfCores one) {
  return {FindingKind::kDataWorkersOfCores, {one.cores.value, one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(DataCheaperWorkerStart) {
  return {FindingKind::kDataCheaperWorkerStart, {}, {}, {}, {"", {}}};
}

Finding Make(DataOneIterator) {
  return {FindingKind::kDataOneIterator, {}, {}, {}, {"", {}}};
}

Finding Make(DataPersistentWorkers) {
  return {FindingKind::kDataPersistentWorkers, {}, {}, {}, {"", {}}};
}

Finding Make(DataCopyAhead) {
  return {FindingKind::kDataCopyAhead, {}, {}, {}, {"", {}}};
}

Finding Make(DataPrefetchMore one) {
  return {FindingKind::kDataPrefetchMore, {one.proposed.value, one.prefetched.value}, {}, {}, {"", {}}};
}

Finding Make(DataLoadAhead one) {
  return {FindingKind::kDataLoadAhead, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataPinMemory) {
  return {FindingKind::kDataPinMemory, {}, {}, {}, {"", {}}};
}

Finding Make(DataQueryLess one) {
  return {FindingKind::kDataQueryLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataDecodeLess one) {
  return {FindingKind::kDataDecodeLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataAugmentOnDevice one) {
  return {FindingKind::kDataAugmentOnDevice, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataAugmentVectorised one) {
  return {FindingKind::kDataAugmentVectorised, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataTokeniseAhead one) {
  return {FindingKind::kDataTokeniseAhead, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataAskEarlier one) {
  return {FindingKind::kDataAskEarlier, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataCheaperAwaited one) {
  return {FindingKind::kDataCheaperAwaited, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataCheaperSamplerCode one) {
  return {FindingKind::kDataCheaperSamplerCode, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataCheaperCode one) {
  return {FindingKind::kDataCheaperCode, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataCheaperHelpers one) {
  return {FindingKind::kDataCheaperHelpers, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataHoldLockLess one) {
  return {FindingKind::kDataHoldLockLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataShareLess one) {
  return {FindingKind::kDataShareLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataCopyLess one) {
  return {FindingKind::kDataCopyLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(DataKeepWorkers one) {
  return {FindingKind::kDataKeepWorkers, {one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(DataEvenParts one) {
  return {FindingKind::kDataEvenParts, {one.at_work.value, one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(DataMoreWaitingWorkers one) {
  return {FindingKind::kDataMoreWaitingWorkers, {one.proposed.value, one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(DataCoresTaken one) {
  return {FindingKind::kDataCoresTaken, {one.others.value, one.cores.value, one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(DataCoresFilled one) {
  return {FindingKind::kDataCoresFilled, {one.workers.value, one.cores.value, one.quota.value, ValueOf(one.machine)}, {}, {}, {"", {}}};
}

Finding Make(DataFirstWorkers one) {
  return {FindingKind::kDataFirstWorkers, {one.proposed.value, one.free.value}, {}, {}, {"", {}}};
}

Finding Make(DataMoreWorkers one) {
  return {FindingKind::kDataMoreWorkers, {one.proposed.value, one.workers.value, one.free.value, one.cores.value, one.quota.value, ValueOf(one.machine)}, {}, {}, {"", {}}};
}

Finding Make(DataLookAtWorkers) {
  return {FindingKind::kDataLookAtWorkers, {}, {}, {}, {"", {}}};
}

Finding Make(DataLoadBeside one) {
  return {FindingKind::kDataLoadBeside, {one.low.value, ValueOf(one.high), ValueOf(one.cores)}, {}, {}, {"", {}}};
}

Finding Make(StepStopGrowth one) {
  return {FindingKind::kStepStopGrowth, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(CpuRaiseQuota) {
  return {FindingKind::kCpuRaiseQuota, {}, {}, {}, {"", {}}};
}

Finding Make(CpuAllowMoreCores one) {
  return {FindingKind::kCpuAllowMoreCores, {one.allowed.value, one.cores.value, one.workers.value}, {}, {}, {"", {}}};
}

Finding Make(CpuMoreCores) {
  return {FindingKind::kCpuMoreCores, {}, {}, {}, {"", {}}};
}

Finding Make(CpuFreeForTraining) {
  return {FindingKind::kCpuFreeForTraining, {}, {}, {}, {"", {}}};
}

Finding Make(CpuFreeForWorkers) {
  return {FindingKind::kCpuFreeForWorkers, {}, {}, {}, {"", {}}};
}

Finding Make(CpuFreeForOperators) {
  return {FindingKind::kCpuFreeForOperators, {}, {}, {}, {"", {}}};
}

Finding Make(CpuFreeForModel) {
  return {FindingKind::kCpuFreeForModel, {}, {}, {}, {"", {}}};
}

Finding Make(CpuFewerThreads one) {
  return {FindingKind::kCpuFewerThreads, {one.proposed.value, one.threads.value}, {}, {}, {"", {}}};
}

Finding Make(StepOwnProcess one) {
  return {FindingKind::kStepOwnProcess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepComputeLess one) {
  return {FindingKind::kStepComputeLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepFewerCheckpoints) {
  return {FindingKind::kStepFewerCheckpoints, {}, {}, {}, {"", {}}};
}

Finding Make(StepFewerEvaluations) {
  return {FindingKind::kStepFewerEvaluations, {}, {}, {}, {"", {}}};
}

Finding Make(StepLogLess one) {
  return {FindingKind::kStepLogLess, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepFewerWindows) {
  return {FindingKind::kStepFewerWindows, {}, {}, {}, {"", {}}};
}

Finding Make(StepLookAtRange one) {
  return {FindingKind::kStepLookAtRange, {}, {one.range.value}, {}, {"", {}}};
}

Finding Make(StepLookAtWork one) {
  return {FindingKind::kStepLookAtWork, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepLookAtWait one) {
  return {FindingKind::kStepLookAtWait, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(StepAnnotate) {
  return {FindingKind::kStepAnnotate, {}, {}, {}, {"", {}}};
}

Finding Make(ProfileRecordHost) {
  return {FindingKind::kProfileRecordHost, {}, {}, {}, {"", {}}};
}

Finding Make(ProfileRecordStacks) {
  return {FindingKind::kProfileRecordStacks, {}, {}, {}, {"", {}}};
}

Finding Make(ProfileAfterWarmUp) {
  return {FindingKind::kProfileAfterWarmUp, {}, {}, {}, {"", {}}};
}

Finding Make(ModelMoreSteps) {
  return {FindingKind::kModelMoreSteps, {}, {}, {}, {"", {}}};
}

Finding Make(ModelSampleStacks one) {
  return {FindingKind::kModelSampleStacks, {one.knows_cpu.value}, {one.how.value}, {}, {"", {}}};
}

Finding Make(ModelKernels) {
  return {FindingKind::kModelKernels, {}, {}, {}, {"", {}}};
}

Finding Make(ModelFuseKernels one) {
  return {FindingKind::kModelFuseKernels, {one.share.value, one.compiled.value}, {one.class_name.value}, {}, {"", {}}};
}

Finding Make(ModelFuseAnyKernels one) {
  return {FindingKind::kModelFuseAnyKernels, {one.share.value}, {one.class_name.value}, {}, {"", {}}};
}

Finding Make(ModelLowerPrecision one) {
  return {FindingKind::kModelLowerPrecision, {one.share.value, one.tf32.value}, {one.precision.value, one.lower.value}, {}, {"", {}}};
}

Finding Make(ModelLowerAnyPrecision one) {
  return {FindingKind::kModelLowerAnyPrecision, {one.share.value}, {one.precision.value, one.lower.value}, {}, {"", {}}};
}

Finding Make(ModelProfileOperators) {
  return {FindingKind::kModelProfileOperators, {}, {}, {}, {"", {}}};
}

Finding Make(ModelOperators) {
  return {FindingKind::kModelOperators, {}, {}, {}, {"", {}}};
}

Finding Make(ModelNoDeterministicFill) {
  return {FindingKind::kModelNoDeterministicFill, {}, {}, {}, {"", {}}};
}

Finding Make(ModelFlushDenormals) {
  return {FindingKind::kModelFlushDenormals, {}, {}, {}, {"", {}}};
}

Finding Make(ModelCaptureKernels) {
  return {FindingKind::kModelCaptureKernels, {}, {}, {}, {"", {}}};
}

Finding Make(ModelCaptureOperators) {
  return {FindingKind::kModelCaptureOperators, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkNoAnomalyDetection) {
  return {FindingKind::kFrameworkNoAnomalyDetection, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkMoreInALaunch) {
  return {FindingKind::kFrameworkMoreInALaunch, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkFixGraphBreaks) {
  return {FindingKind::kFrameworkFixGraphBreaks, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkFuseOperators) {
  return {FindingKind::kFrameworkFuseOperators, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkCollectSeldom one) {
  return {FindingKind::kFrameworkCollectSeldom, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkFixedShapes) {
  return {FindingKind::kFrameworkFixedShapes, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkSteadyShapes one) {
  return {FindingKind::kFrameworkSteadyShapes, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkSteadyTensors one) {
  return {FindingKind::kFrameworkSteadyTensors, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkValuesAsTensors one) {
  return {FindingKind::kFrameworkValuesAsTensors, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkTextsOutside one) {
  return {FindingKind::kFrameworkTextsOutside, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkSteadyLengths one) {
  return {FindingKind::kFrameworkSteadyLengths, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkOneState one) {
  return {FindingKind::kFrameworkOneState, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkOneObject one) {
  return {FindingKind::kFrameworkOneObject, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkLookAtGuard one) {
  return {FindingKind::kFrameworkLookAtGuard, {one.at_limit.value}, {one.function.value, one.guard.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(FrameworkLookAtUnbegunWork) {
  return {FindingKind::kFrameworkLookAtUnbegunWork, {}, {}, {}, {"", {}}};
}

Finding Make(FrameworkRunAhead) {
  return {FindingKind::kFrameworkRunAhead, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationAllRanks one) {
  return {FindingKind::kCommunicationAllRanks, {one.imported.value, one.recorded.value}, {}, {}, {"", {}}};
}

Finding Make(CommunicationAccumulateWithoutSync) {
  return {FindingKind::kCommunicationAccumulateWithoutSync, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationAccumulate) {
  return {FindingKind::kCommunicationAccumulate, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationNoSync one) {
  return {FindingKind::kCommunicationNoSync, {one.backwards.value, one.left_out.value}, {}, {}, {"", {}}};
}

Finding Make(CommunicationCallLess) {
  return {FindingKind::kCommunicationCallLess, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationTensorsForObjects one) {
  return {FindingKind::kCommunicationTensorsForObjects, {}, {one.call.value}, {}, {"", {}}};
}

Finding Make(CommunicationNoBarrier one) {
  return {FindingKind::kCommunicationNoBarrier, {}, {one.call.value}, {}, {"", {}}};
}

Finding Make(CommunicationMicroBatches) {
  return {FindingKind::kCommunicationMicroBatches, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationJoinCalls) {
  return {FindingKind::kCommunicationJoinCalls, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationWaitLater) {
  return {FindingKind::kCommunicationWaitLater, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationStartAsynchronously) {
  return {FindingKind::kCommunicationStartAsynchronously, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationHoldParameters) {
  return {FindingKind::kCommunicationHoldParameters, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationMoreLayersAUnit) {
  return {FindingKind::kCommunicationMoreLayersAUnit, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationShardGradients) {
  return {FindingKind::kCommunicationShardGradients, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationLargerUnits) {
  return {FindingKind::kCommunicationLargerUnits, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationLargerBuckets one) {
  return {FindingKind::kCommunicationLargerBuckets, {ValueOf(one.bucket_mb), one.views.value, one.hook.value}, {}, {}, {"", {}}};
}

Finding Make(CommunicationNccl) {
  return {FindingKind::kCommunicationNccl, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationNoUnusedParameters) {
  return {FindingKind::kCommunicationNoUnusedParameters, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationEvenWork) {
  return {FindingKind::kCommunicationEvenWork, {}, {}, {}, {"", {}}};
}

Finding Make(CommunicationLookAtData one) {
  return {FindingKind::kCommunicationLookAtData, {one.rank.value, one.loader.value}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(CommunicationLookAtRank one) {
  return {FindingKind::kCommunicationLookAtRank, {one.rank.value}, {one.stage.value}, {}, {"", {}}};
}

Finding Make(CommunicationLookAtCause one) {
  return {FindingKind::kCommunicationLookAtCause, {one.rank.value}, {one.function.value, one.stage.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(RunCallStep) {
  return {FindingKind::kRunCallStep, {}, {}, {}, {"", {}}};
}

Finding Make(RunCallStepIfItTrains) {
  return {FindingKind::kRunCallStepIfItTrains, {}, {}, {}, {"", {}}};
}

Finding Make(RunCallStepIfItTrained) {
  return {FindingKind::kRunCallStepIfItTrained, {}, {}, {}, {"", {}}};
}

Finding Make(RunCallStepIfItTrainsAlready) {
  return {FindingKind::kRunCallStepIfItTrainsAlready, {}, {}, {}, {"", {}}};
}

Finding Make(RunLetHooksIn) {
  return {FindingKind::kRunLetHooksIn, {}, {}, {}, {"", {}}};
}

Finding Make(RunNameRanges) {
  return {FindingKind::kRunNameRanges, {}, {}, {}, {"", {}}};
}

Finding Make(RunLongerRange one) {
  return {FindingKind::kRunLongerRange, {one.steps.value}, {}, {}, {"", {}}};
}

Finding Make(RunWithoutTool) {
  return {FindingKind::kRunWithoutTool, {}, {}, {}, {"", {}}};
}

Finding Make(RunFreeSpace) {
  return {FindingKind::kRunFreeSpace, {}, {}, {}, {"", {}}};
}

Finding Make(RunFixFailure) {
  return {FindingKind::kRunFixFailure, {}, {}, {}, {"", {}}};
}

Finding Make(RunLookWhereItIs one) {
  return {FindingKind::kRunLookWhereItIs, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(RunLookWhereItWas one) {
  return {FindingKind::kRunLookWhereItWas, {}, {one.function.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.function}})};
}

Finding Make(RunWithOptimizerHook) {
  return {FindingKind::kRunWithOptimizerHook, {}, {}, {}, {"", {}}};
}

Finding Make(RunWithHooks) {
  return {FindingKind::kRunWithHooks, {}, {}, {}, {"", {}}};
}

Finding Make(RunCaptureAgain) {
  return {FindingKind::kRunCaptureAgain, {}, {}, {}, {"", {}}};
}

Finding Make(RunLookBehindWarmUp) {
  return {FindingKind::kRunLookBehindWarmUp, {}, {}, {}, {"", {}}};
}

Finding Make(RunMoreSteps) {
  return {FindingKind::kRunMoreSteps, {}, {}, {}, {"", {}}};
}

Finding Make(RunAskAgain) {
  return {FindingKind::kRunAskAgain, {}, {}, {}, {"", {}}};
}

Finding Make(RunLonger) {
  return {FindingKind::kRunLonger, {}, {}, {}, {"", {}}};
}

Finding Make(ImportAllFiles) {
  return {FindingKind::kImportAllFiles, {}, {}, {}, {"", {}}};
}

Finding Make(ImportRecordHost) {
  return {FindingKind::kImportRecordHost, {}, {}, {}, {"", {}}};
}

Finding Make(ImportMarkStepsJax) {
  return {FindingKind::kImportMarkStepsJax, {}, {}, {}, {"", {}}};
}

Finding Make(ImportMarkStepsTensorflow) {
  return {FindingKind::kImportMarkStepsTensorflow, {}, {}, {}, {"", {}}};
}

Finding Make(ImportRunTraining) {
  return {FindingKind::kImportRunTraining, {}, {}, {}, {"", {}}};
}

Finding Make(ProfileNameRangesJax) {
  return {FindingKind::kProfileNameRangesJax, {}, {}, {}, {"", {}}};
}

Finding Make(ProfileNameRangesTensorflow) {
  return {FindingKind::kProfileNameRangesTensorflow, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationRaiseWorkers) {
  return {FindingKind::kRecommendationRaiseWorkers, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationDistributedDataParallel) {
  return {FindingKind::kRecommendationDistributedDataParallel, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationUseNccl) {
  return {FindingKind::kRecommendationUseNccl, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationCommunicateLess) {
  return {FindingKind::kRecommendationCommunicateLess, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationGiveDeviceMore) {
  return {FindingKind::kRecommendationGiveDeviceMore, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationMixedPrecision) {
  return {FindingKind::kRecommendationMixedPrecision, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationUseLessMemory) {
  return {FindingKind::kRecommendationUseLessMemory, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLaunchLess) {
  return {FindingKind::kRecommendationLaunchLess, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationOverlapCommunication) {
  return {FindingKind::kRecommendationOverlapCommunication, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLookAtLateRank) {
  return {FindingKind::kRecommendationLookAtLateRank, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationSynchroniseLess) {
  return {FindingKind::kRecommendationSynchroniseLess, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationGatherCopies) {
  return {FindingKind::kRecommendationGatherCopies, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationUseTensorCores) {
  return {FindingKind::kRecommendationUseTensorCores, {}, {}, {}, {"", {}}};
}

Finding Make(RecommendationKeepBlocks) {
  return {FindingKind::kRecommendationKeepBlocks, {}, {}, {}, {"", {}}};
}

Finding Make(RuleGpuUnderUtilised one) {
  return {FindingKind::kRuleGpuUnderUtilised, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.found.value, one.windows.value, one.p95.value, one.p5.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuUnderUtilisedOverSteps one) {
  return {FindingKind::kRuleGpuUnderUtilisedOverSteps, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.steps.value, one.p95.value, one.p5.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuUnderUtilisedOverProfile one) {
  return {FindingKind::kRuleGpuUnderUtilisedOverProfile, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.busy.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuUnderUtilisedLately one) {
  return {FindingKind::kRuleGpuUnderUtilisedLately, {one.device.value, one.node.value, one.p95.value, one.p5.value, one.samples.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuFluctuates one) {
  return {FindingKind::kRuleGpuFluctuates, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.found.value, one.windows.value, one.p95.value, one.p5.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuFluctuatesOverSteps one) {
  return {FindingKind::kRuleGpuFluctuatesOverSteps, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.steps.value, one.p95.value, one.p5.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuFluctuatesOverProfile one) {
  return {FindingKind::kRuleGpuFluctuatesOverProfile, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.busy.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuFluctuatesLately one) {
  return {FindingKind::kRuleGpuFluctuatesLately, {one.device.value, one.node.value, one.p95.value, one.p5.value, one.samples.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpuNotUsed one) {
  return {FindingKind::kRuleGpuNotUsed, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value}, {}, {}, one.rows.value};
}

Finding Make(RuleBatchTooSmall one) {
  return {FindingKind::kRuleBatchTooSmall, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.cpu.value, one.busy.value, one.memory.value}, {}, {}, one.rows.value};
}

Finding Make(RuleMemoryGrew one) {
  return {FindingKind::kRuleMemoryGrew, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.points.value, ValueOf(one.steps), ValueOf(one.time), one.memory.value, one.above_begin.value}, {}, {}, one.rows.value};
}

Finding Make(RuleMemoryMeanGrew one) {
  return {FindingKind::kRuleMemoryMeanGrew, {one.device.value, one.node.value, one.samples.value, one.points.value}, {}, {}, one.rows.value};
}

Finding Make(RuleStepsStarveGpu one) {
  return {FindingKind::kRuleStepsStarveGpu, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.idle.value, one.steps.value, one.found.value}, {}, {}, one.rows.value};
}

Finding Make(RuleCpuBottleneck one) {
  return {FindingKind::kRuleCpuBottleneck, {one.node.value, one.idle.value, one.snapshots.value, one.found.value}, {}, {}, one.rows.value};
}

Finding Make(RuleIoBottleneck one) {
  return {FindingKind::kRuleIoBottleneck, {one.node.value, one.idle.value, one.snapshots.value, one.found.value}, {}, {}, one.rows.value};
}

Finding Make(RuleBottlenecks one) {
  return {FindingKind::kRuleBottlenecks, {one.found.value, one.idle.value, one.limit.value, one.snapshots.value, one.percent.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpusDifferInUse one) {
  return {FindingKind::kRuleGpusDifferInUse, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.mean.value, one.other_device.value, ValueOf(one.other_rank), ValueOf(one.other_node), one.other_allocations.value, one.other_mean.value, one.distance.value}, {}, {}, one.rows.value};
}

Finding Make(RuleGpusTakeTurns one) {
  return {FindingKind::kRuleGpusTakeTurns, {one.device.value, ValueOf(one.rank), ValueOf(one.node), one.allocations.value, one.mean.value, one.other_device.value, ValueOf(one.other_rank), ValueOf(one.other_node), one.other_allocations.value, one.other_mean.value, one.distance.value}, {}, {}, one.rows.value};
}

Finding Make(RuleLastGpusDiffer one) {
  return {FindingKind::kRuleLastGpusDiffer, {one.node.value, one.other_node.value, one.distance.value}, {}, {}, one.rows.value};
}

Finding Make(RuleLoadersOnCores one) {
  return {FindingKind::kRuleLoadersOnCores, {one.loaders.value, one.cores.value}, {}, {}, one.rows.value};
}

Finding Make(RuleWorkersOnCores one) {
  return {FindingKind::kRuleWorkersOnCores, {one.workers.value, one.cores.value}, {}, {}, one.rows.value};
}

Finding Make(RuleWaitsForData one) {
  return {FindingKind::kRuleWaitsForData, {one.rank.value, one.from.value, one.to.value, one.share.value, ValueOf(one.starved), ValueOf(one.waits)}, {}, {}, one.rows.value};
}

Finding Make(RuleLongSteps one) {
  return {FindingKind::kRuleLongSteps, {one.rank.value, one.found.value, one.steps.value, one.evaluations.value, one.limit.value}, {}, {}, one.rows.value};
}

Finding Make(RuleSlowSteps one) {
  return {FindingKind::kRuleSlowSteps, {one.rank.value, one.found.value, one.steps.value, one.evaluations.value, one.limit.value, one.median.value, one.cost.value}, {}, {}, one.rows.value};
}

Finding Make(RuleNoFirstStep one) {
  return {FindingKind::kRuleNoFirstStep, {one.time.value}, {}, {}, one.rows.value};
}

Finding Make(RuleLongInitialization one) {
  return {FindingKind::kRuleLongInitialization, {one.time.value, one.begun.value}, {}, {}, one.rows.value};
}

Finding Make(RuleFound one) {
  return {FindingKind::kRuleFound, {one.times.value}, {one.rule.value}, {}, one.rows.value};
}

Finding Make(RecommendationLoader one) {
  return {FindingKind::kRecommendationLoader, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLoaderTime one) {
  return {FindingKind::kRecommendationLoaderTime, {one.time.value, one.steps.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationDataParallel one) {
  return {FindingKind::kRecommendationDataParallel, {one.devices.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationGradientExchange one) {
  return {FindingKind::kRecommendationGradientExchange, {one.nccl.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationCommunication one) {
  return {FindingKind::kRecommendationCommunication, {one.share.value, one.on_host.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLeastUsedDevice one) {
  return {FindingKind::kRecommendationLeastUsedDevice, {one.share.value, one.low.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLittleUsedDevice one) {
  return {FindingKind::kRecommendationLittleUsedDevice, {one.device.value, one.rank.value, one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationTensorCoresUsed one) {
  return {FindingKind::kRecommendationTensorCoresUsed, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationNoTensorCoresUsed one) {
  return {FindingKind::kRecommendationNoTensorCoresUsed, {one.could.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationTensorCoreOperators one) {
  return {FindingKind::kRecommendationTensorCoreOperators, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationMemoryPeak one) {
  return {FindingKind::kRecommendationMemoryPeak, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLaunches one) {
  return {FindingKind::kRecommendationLaunches, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationShortLaunches one) {
  return {FindingKind::kRecommendationShortLaunches, {one.launches.value, one.mean.value, one.shorter.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationExposedCommunication one) {
  return {FindingKind::kRecommendationExposedCommunication, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationCommunicationOverlapped one) {
  return {FindingKind::kRecommendationCommunicationOverlapped, {one.share.value, one.communication.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationStraggler one) {
  return {FindingKind::kRecommendationStraggler, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationLateRank one) {
  return {FindingKind::kRecommendationLateRank, {one.wait.value, one.rank.value}, {one.cause.value}, {}, {"", {}}};
}

Finding Make(RecommendationSynchronisation one) {
  return {FindingKind::kRecommendationSynchronisation, {one.share.value, one.unbegun_work.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationSynchronisingCalls one) {
  return {FindingKind::kRecommendationSynchronisingCalls, {one.calls.value, one.time.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationSmallCopies one) {
  return {FindingKind::kRecommendationSmallCopies, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationSmallCopiesOfAll one) {
  return {FindingKind::kRecommendationSmallCopiesOfAll, {one.small.value, one.copies.value, one.time.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationTensorCoreShare one) {
  return {FindingKind::kRecommendationTensorCoreShare, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationTensorCoreSharePossible one) {
  return {FindingKind::kRecommendationTensorCoreSharePossible, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationAllocator one) {
  return {FindingKind::kRecommendationAllocator, {one.share.value}, {}, {}, {"", {}}};
}

Finding Make(RecommendationAllocatorCalls one) {
  return {FindingKind::kRecommendationAllocatorCalls, {one.calls.value, one.time.value}, {}, {}, {"", {}}};
}

Finding Make(VerdictStraggler one) {
  return {FindingKind::kVerdictStraggler, {one.rank.value, one.waits.value, one.code.value, one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.name.value, one.function.value, one.place.value}, {}, {"", {}}, {}, PlacesOf({{1, &one.function}, {2, &one.place}})};
}

Finding Make(VerdictExchangeOrWaiting one) {
  return {FindingKind::kVerdictExchangeOrWaiting, {one.missing.value, one.imported.value, one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {}, {}, {"", {}}};
}

Finding Make(VerdictSuspect one) {
  return {FindingKind::kVerdictSuspect, {one.by_others.value, ValueOf(one.who.value.share), one.who.value.mostly.value, one.who.value.waits.value, one.who.value.comma.value, one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.who.value.name.value, one.who.value.function.value, one.who.value.place.value}, {}, {"", {}}, {}, PlacesOf({{1, &one.who.value.function}, {2, &one.who.value.place}})};
}

Finding Make(VerdictTrainingWithoutCore one) {
  return {FindingKind::kVerdictTrainingWithoutCore, {one.ready.value, one.waits.value, one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high)}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoSingleSuspect one) {
  return {FindingKind::kVerdictNoSingleSuspect, {ValueOf(one.model), ValueOf(one.first.value.share), one.first.value.mostly.value, one.first.value.waits.value, one.first.value.comma.value, one.first_part.value.share.value, ValueOf(one.first_part.value.low), ValueOf(one.first_part.value.high), one.second ? Value(ValueOf(one.second->share)) : Value(), one.second ? Value(one.second->mostly.value) : Value(), one.second ? Value(one.second->waits.value) : Value(), one.second ? Value(one.second->comma.value) : Value(), one.second_part ? Value(one.second_part->share.value) : Value(), one.second_part ? Value(ValueOf(one.second_part->low)) : Value(), one.second_part ? Value(ValueOf(one.second_part->high)) : Value(), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.first.value.name.value, one.first.value.function.value, one.first.value.place.value, one.second ? std::string(one.second->name.value) : std::string(), one.second ? std::string(one.second->function.value) : std::string(), one.second ? std::string(one.second->place.value) : std::string()}, {}, {"", {}}, {}, PlacesOf({{1, &one.first.value.function}, {2, &one.first.value.place}, {4, one.second ? &one.second->function : nullptr}, {5, one.second ? &one.second->place : nullptr}})};
}

Finding Make(VerdictModelIfItComputes one) {
  return {FindingKind::kVerdictModelIfItComputes, {one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.slowed.value.quota.value, one.slowed.value.others.value, ValueOf(one.slowed.value.threads), ValueOf(one.slowed.value.ranks), ValueOf(one.slowed.value.cores), one.slowed.value.anomalies.value, one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.slowed.value.beside.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.slowed.value.beside}})};
}

Finding Make(VerdictModelAndNext one) {
  return {FindingKind::kVerdictModelAndNext, {one.unsplit.value, one.of_step.value, ValueOf(one.rank), one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.slowed.value.quota.value, one.slowed.value.others.value, ValueOf(one.slowed.value.threads), ValueOf(one.slowed.value.ranks), ValueOf(one.slowed.value.cores), one.slowed.value.anomalies.value, one.seen.value.unmarked.value, ValueOf(one.seen.value.steps), ValueOf(one.next.value.share), one.next.value.mostly.value, one.next.value.waits.value, one.next.value.comma.value}, {one.slowed.value.beside.value, one.next.value.name.value, one.next.value.function.value, one.next.value.place.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.slowed.value.beside}, {2, &one.next.value.function}, {3, &one.next.value.place}})};
}

Finding Make(VerdictModelAndRest one) {
  return {FindingKind::kVerdictModelAndRest, {one.unsplit.value, one.rest.value, one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.slowed.value.quota.value, one.slowed.value.others.value, ValueOf(one.slowed.value.threads), ValueOf(one.slowed.value.ranks), ValueOf(one.slowed.value.cores), one.slowed.value.anomalies.value, one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.slowed.value.beside.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.slowed.value.beside}})};
}

Finding Make(VerdictModelWithOverhead one) {
  return {FindingKind::kVerdictModelWithOverhead, {one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.slowed.value.quota.value, one.slowed.value.others.value, ValueOf(one.slowed.value.threads), ValueOf(one.slowed.value.ranks), ValueOf(one.slowed.value.cores), one.slowed.value.anomalies.value, one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.slowed.value.beside.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.slowed.value.beside}})};
}

Finding Make(VerdictModelWaitsForHost one) {
  return {FindingKind::kVerdictModelWaitsForHost, {one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {}, {}, {"", {}}};
}

Finding Make(VerdictModelUnrecognised one) {
  return {FindingKind::kVerdictModelUnrecognised, {one.unrecognised.value, one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {}, {}, {"", {}}};
}

Finding Make(VerdictModelHealthy one) {
  return {FindingKind::kVerdictModelHealthy, {one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {}, {}, {"", {}}};
}

Finding Make(VerdictModelSlowed one) {
  return {FindingKind::kVerdictModelSlowed, {one.share.value.share.value, ValueOf(one.share.value.low), ValueOf(one.share.value.high), ValueOf(one.ranks.value.seen), ValueOf(one.ranks.value.all), ValueOf(one.ranks.value.rank), ValueOf(one.ranks.value.least), ValueOf(one.ranks.value.least_rank), ValueOf(one.ranks.value.most), ValueOf(one.ranks.value.most_rank), one.slowed.value.quota.value, one.slowed.value.others.value, ValueOf(one.slowed.value.threads), ValueOf(one.slowed.value.ranks), ValueOf(one.slowed.value.cores), one.slowed.value.anomalies.value, one.seen.value.unmarked.value, ValueOf(one.seen.value.steps)}, {one.slowed.value.beside.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.slowed.value.beside}})};
}

Finding Make(VerdictNoHooks) {
  return {FindingKind::kVerdictNoHooks, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoStepInRange) {
  return {FindingKind::kVerdictNoStepInRange, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictCannotRecord) {
  return {FindingKind::kVerdictCannotRecord, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictSharedMemoryFull) {
  return {FindingKind::kVerdictSharedMemoryFull, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictUnrecordedProcess) {
  return {FindingKind::kVerdictUnrecordedProcess, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictScriptProfiler) {
  return {FindingKind::kVerdictScriptProfiler, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictStepsDamaged) {
  return {FindingKind::kVerdictStepsDamaged, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictStepsRefused) {
  return {FindingKind::kVerdictStepsRefused, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoPython) {
  return {FindingKind::kVerdictNoPython, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoTorch one) {
  return {FindingKind::kVerdictNoTorch, {one.failed.value, one.stopped.value}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoOptimizer one) {
  return {FindingKind::kVerdictNoOptimizer, {one.failed.value, one.stopped.value}, {}, {}, {"", {}}};
}

Finding Make(VerdictOptimizerLeftOut) {
  return {FindingKind::kVerdictOptimizerLeftOut, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictImportWithoutSteps) {
  return {FindingKind::kVerdictImportWithoutSteps, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoTraining one) {
  return {FindingKind::kVerdictNoTraining, {}, {one.writer}, {}, {"", {}}};
}

Finding Make(VerdictHooksOff) {
  return {FindingKind::kVerdictHooksOff, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictNoStepYet) {
  return {FindingKind::kVerdictNoStepYet, {}, {}, {}, {"", {}}};
}

Finding Make(VerdictOnlyWarmUp one) {
  return {FindingKind::kVerdictOnlyWarmUp, {one.steps.value}, {}, {}, {"", {}}};
}

Finding Make(VerdictTooFewSteps one) {
  return {FindingKind::kVerdictTooFewSteps, {one.steady.value, one.seen.value, one.more.value}, {}, {}, {"", {}}};
}

Finding Make(UsageFluctuates one) {
  return {FindingKind::kUsageFluctuates, {one.node.value, one.low.value, one.high.value}, {one.metric.value}, {}, {"", {}}};
}

Finding Make(UsageSmallerWithoutGpu one) {
  return {FindingKind::kUsageSmallerWithoutGpu, {one.node.value, one.cpu.value}, {}, {}, {"", {}}};
}

Finding Make(UsageSmaller one) {
  return {FindingKind::kUsageSmaller, {one.node.value, one.gpu.value, one.cpu.value}, {}, {}, {"", {}}};
}

Finding Make(UsageHeldUpByCpu one) {
  return {FindingKind::kUsageHeldUpByCpu, {one.node.value, one.gpu.value, one.cpu.value}, {}, {}, {"", {}}};
}

Finding Make(UsageWellUsed one) {
  return {FindingKind::kUsageWellUsed, {one.node.value, one.gpu.value}, {}, {}, {"", {}}};
}

Finding Make(NoteNoDeviceActivity one) {
  return {FindingKind::kNoteNoDeviceActivity, {one.damaged.value, one.listed.value}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(NoteProfileWithoutDevices one) {
  return {FindingKind::kNoteProfileWithoutDevices, {one.torch.value}, {}, {}, {"", {}}};
}

Finding Make(NoteProfileWithoutOperators one) {
  return {FindingKind::kNoteProfileWithoutOperators, {one.torch.value}, {}, {}, {"", {}}};
}

Finding Make(NoteProfileWithoutMemory one) {
  return {FindingKind::kNoteProfileWithoutMemory, {one.torch.value}, {}, {}, {"", {}}};
}

Finding Make(NoteProfileWithoutModules one) {
  return {FindingKind::kNoteProfileWithoutModules, {one.torch.value}, {}, {}, {"", {}}};
}

Finding Make(NoteStepsLeftOut one) {
  return {FindingKind::kNoteStepsLeftOut, {one.steps.value, one.too_few.value, one.counted_idle.value}, {}, {}, {"", {}}};
}

Finding Make(NoteAgentEndedFirst) {
  return {FindingKind::kNoteAgentEndedFirst, {}, {}, {}, {"", {}}};
}

Finding Make(NoteLostAfterLastStep one) {
  return {FindingKind::kNoteLostAfterLastStep, {}, {one.cause.value}, {}, {"", {}}};
}

Finding Make(NoteNoStepMarks one) {
  return {FindingKind::kNoteNoStepMarks, {one.torch.value}, {}, {}, {"", {}}};
}

Finding Make(NoteWindows one) {
  return {FindingKind::kNoteWindows, {one.steps.value, one.by_devices.value, one.newest.value, one.parted.value}, {}, {}, {"", {}}};
}

Finding Make(NoteCollectivesFrom one) {
  return {FindingKind::kNoteCollectivesFrom, {one.time.value}, {}, {}, {"", {}}};
}

Finding Make(NoteNoMetric one) {
  return {FindingKind::kNoteNoMetric, {one.outside.value}, {}, {}, {"", {}}};
}

Finding Make(NoteSamplesAround one) {
  return {FindingKind::kNoteSamplesAround, {one.time.value}, {}, {}, {"", {}}};
}

Finding Make(NoteNotMeasured one) {
  return {FindingKind::kNoteNotMeasured, {}, {one.source, one.reason.value, one.remedy}, {}, {"", {}}};
}

Finding Make(NoteLastSteps one) {
  return {FindingKind::kNoteLastSteps, {one.steps.value}, {}, {}, {"", {}}};
}

Finding Make(MemoryCopyOnWrite one) {
  return {FindingKind::kMemoryCopyOnWrite, {one.workers.value, ValueOf(one.node), ValueOf(one.rate), one.from.value, one.to.value, ValueOf(one.mean), ValueOf(one.steps)}, {}, {}, {"", {}}};
}

Finding Make(MemoryDeviceNearlyFull one) {
  return {FindingKind::kMemoryDeviceNearlyFull, {one.device.value, one.rank.value, one.peak.value, one.limit.value, one.share.value, one.left.value, ValueOf(one.retries)}, {}, {}, {"", {}}};
}

Finding Make(MemoryCgroupNearlyFull one) {
  return {FindingKind::kMemoryCgroupNearlyFull, {ValueOf(one.node), one.peak.value, one.limit.value, one.share.value, one.left.value}, {}, {}, {"", {}}};
}

Finding Make(MemoryMachineNearlyFull one) {
  return {FindingKind::kMemoryMachineNearlyFull, {ValueOf(one.node), one.peak.value, one.limit.value, one.share.value, one.left.value}, {}, {}, {"", {}}};
}

Finding Make(NoteWindowCost one) {
  return {FindingKind::kNoteWindowCost, {one.steps.value, one.before.value}, {}, {}, {"", {}}};
}

Finding Make(NoteCuptiStays one) {
  return {FindingKind::kNoteCuptiStays, {}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(NoteCuptiTaken one) {
  return {FindingKind::kNoteCuptiTaken, {}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(NoteNoGroupReported) {
  return {FindingKind::kNoteNoGroupReported, {}, {}, {}, {"", {}}};
}

Finding Make(NoteNoCollectives one) {
  return {FindingKind::kNoteNoCollectives, {one.groups.value}, {}, {}, {"", {}}};
}

Finding Make(NoteOneRank one) {
  return {FindingKind::kNoteOneRank, {ValueOf(one.world_size), one.live.value}, {}, {}, {"", {}}};
}

Finding Make(NoteNothingMatched one) {
  return {FindingKind::kNoteNothingMatched, {one.profiles.value}, {}, {}, {"", {}}};
}

Finding Make(NoteSharedGroupName one) {
  return {FindingKind::kNoteSharedGroupName, {}, {one.group.value}, {}, {"", {}}};
}

Finding Make(NoteCollectivesLackRanks one) {
  return {FindingKind::kNoteCollectivesLackRanks, {one.incomplete.value, one.collectives.value}, {}, {}, {"", {}}};
}

Finding Make(NoteCallsUnplaced one) {
  return {FindingKind::kNoteCallsUnplaced, {one.several.value, ValueOf(one.more)}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(NoteCallsAmbiguous one) {
  return {FindingKind::kNoteCallsAmbiguous, {one.several.value, ValueOf(one.more)}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(ComparisonNoSteps) {
  return {FindingKind::kComparisonNoSteps, {}, {}, {}, {"", {}}};
}

Finding Make(ComparisonNoStepsInOne one) {
  return {FindingKind::kComparisonNoStepsInOne, {}, {one.run.value}, {}, {"", {}}};
}

Finding Make(ComparisonMayBeChance) {
  return {FindingKind::kComparisonMayBeChance, {}, {}, {}, {"", {}}};
}

Finding Make(ComparisonSame one) {
  return {FindingKind::kComparisonSame, {one.time.value}, {}, {}, {"", {}}};
}

Finding Make(ComparisonFaster one) {
  return {FindingKind::kComparisonFaster, {ValueOf(one.ratio), ValueOf(one.share), one.fast.value, one.slow.value, one.few.value, one.first.value, one.second.value}, {one.run.value}, {}, {"", {}}};
}

Finding Make(ComparisonDatasetStagesOfOne one) {
  return {FindingKind::kComparisonDatasetStagesOfOne, {one.first.value, one.second.value}, {one.run.value}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LegacyText one) {
  return {FindingKind::kLegacyText, {}, {one.text.value}, {}, {"", {}}};
}

Finding Make(ReasonNoGpuMetric one) {
  return {FindingKind::kReasonNoGpuMetric, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoSystemMetric one) {
  return {FindingKind::kReasonNoSystemMetric, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoGpuMemoryOrCpu one) {
  return {FindingKind::kReasonNoGpuMemoryOrCpu, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoGpuMemory one) {
  return {FindingKind::kReasonNoGpuMemory, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoCpu one) {
  return {FindingKind::kReasonNoCpu, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoIoWait one) {
  return {FindingKind::kReasonNoIoWait, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonGpuMemorySizeUnknown one) {
  return {FindingKind::kReasonGpuMemorySizeUnknown, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonMemoryInNoStep one) {
  return {FindingKind::kReasonMemoryInNoStep, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoMemoryRecords one) {
  return {FindingKind::kReasonNoMemoryRecords, {one.elsewhere.value.around.value, one.elsewhere.value.outside.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonOneGpu) {
  return {FindingKind::kReasonOneGpu, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonFewSamples) {
  return {FindingKind::kReasonFewSamples, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonFewSamplesOfTwo) {
  return {FindingKind::kReasonFewSamplesOfTwo, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoTrainingStep one) {
  return {FindingKind::kReasonNoTrainingStep, {one.in_range.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoStep one) {
  return {FindingKind::kReasonNoStep, {one.in_range.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonFrameworkSilent one) {
  return {FindingKind::kReasonFrameworkSilent, {one.in_range.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoStepOrOperator) {
  return {FindingKind::kReasonNoStepOrOperator, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoLoader) {
  return {FindingKind::kReasonNoLoader, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonFewSteadySteps) {
  return {FindingKind::kReasonFewSteadySteps, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonFewStepsOfAKind one) {
  return {FindingKind::kReasonFewStepsOfAKind, {one.least.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonFewSnapshots) {
  return {FindingKind::kReasonFewSnapshots, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonFewRecordedSteps one) {
  return {FindingKind::kReasonFewRecordedSteps, {one.least.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoRuleApplies) {
  return {FindingKind::kReasonNoRuleApplies, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonBeginLeftOut) {
  return {FindingKind::kReasonBeginLeftOut, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonNoData) {
  return {FindingKind::kReasonNoData, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonImpossibleTimes one) {
  return {FindingKind::kReasonImpossibleTimes, {one.time.value}, {}, {}, {"", {}}};
}

Finding Make(ReasonFirstGpusAlone one) {
  return {FindingKind::kReasonFirstGpusAlone, {one.all.value, one.compared.value}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceLowGpuUtilization) {
  return {FindingKind::kRuleAdviceLowGpuUtilization, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceBatchSize) {
  return {FindingKind::kRuleAdviceBatchSize, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceCpuBottleneck) {
  return {FindingKind::kRuleAdviceCpuBottleneck, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceIoBottleneck) {
  return {FindingKind::kRuleAdviceIoBottleneck, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceGpuMemoryIncrease) {
  return {FindingKind::kRuleAdviceGpuMemoryIncrease, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceLoadBalancing) {
  return {FindingKind::kRuleAdviceLoadBalancing, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceDataloader) {
  return {FindingKind::kRuleAdviceDataloader, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceStepOutlier) {
  return {FindingKind::kRuleAdviceStepOutlier, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceMaxInitializationTime) {
  return {FindingKind::kRuleAdviceMaxInitializationTime, {}, {}, {}, {"", {}}};
}

Finding Make(RuleAdviceProfilerReport) {
  return {FindingKind::kRuleAdviceProfilerReport, {}, {}, {}, {"", {}}};
}

Finding Make(LiveRuleFound) {
  return {FindingKind::kLiveRuleFound, {}, {}, {}, {"", {}}};
}

Finding Make(LiveRulePassed) {
  return {FindingKind::kLiveRulePassed, {}, {}, {}, {"", {}}};
}

Finding Make(LiveSamplingSlowed one) {
  return {FindingKind::kLiveSamplingSlowed, {one.used.value, one.budget.value, one.interval.value, one.stacks.value}, {}, {}, {"", {}}};
}

Finding Make(LiveSamplingRestored one) {
  return {FindingKind::kLiveSamplingRestored, {one.used.value, one.budget.value, one.interval.value, one.stacks.value}, {}, {}, {"", {}}};
}

Finding Make(LiveSamplingAnew one) {
  return {FindingKind::kLiveSamplingAnew, {one.interval.value, one.stacks.value}, {}, {}, {"", {}}};
}

Finding Make(LiveOwnStacksPace one) {
  return {FindingKind::kLiveOwnStacksPace, {one.used.value, one.pid.value, one.interval.value}, {}, {}, {"", {}}};
}

Finding Make(LiveAgentMemoryOver one) {
  return {FindingKind::kLiveAgentMemoryOver, {one.held.value, one.limit.value}, {}, {}, {"", {}}};
}

Finding Make(LiveAgentMemoryOk one) {
  return {FindingKind::kLiveAgentMemoryOk, {one.held.value, one.limit.value}, {}, {}, {"", {}}};
}

Finding Make(LiveMemoryLeak one) {
  return {FindingKind::kLiveMemoryLeak, {one.rate.value, one.low.value, one.high.value, ValueOf(one.compiled), ValueOf(one.steps)}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LiveMemoryPlateau) {
  return {FindingKind::kLiveMemoryPlateau, {}, {}, {}, {"", {}}};
}

Finding Make(LiveMemoryUnknown) {
  return {FindingKind::kLiveMemoryUnknown, {}, {}, {}, {"", {}}};
}

Finding Make(LiveStepTimeRisen one) {
  return {FindingKind::kLiveStepTimeRisen, {one.to.value, one.step.value, one.from.value, one.more.value}, {}, {}, {"", {}}};
}

Finding Make(LiveStepTimeBack one) {
  return {FindingKind::kLiveStepTimeBack, {one.to.value, one.step.value, one.from.value}, {}, {}, {"", {}}};
}

Finding Make(LiveHang one) {
  return {FindingKind::kLiveHang, {one.time.value, one.usual.value, one.step.value, ValueOf(one.more), one.together.value, one.elsewhere.value}, {one.place.value, one.reason}, PlainOf(one.items.value), {"", {}}, {}, PlacesOf({{0, &one.place}})};
}

Finding Make(LiveHangOver one) {
  return {FindingKind::kLiveHangOver, {one.time.value}, {}, {}, {"", {}}};
}

Finding Make(LiveNoHang) {
  return {FindingKind::kLiveNoHang, {}, {}, {}, {"", {}}};
}

Finding Make(LiveTensorNonfinite one) {
  return {FindingKind::kLiveTensorNonfinite, {one.step.value, one.rank.value, one.bad.value, one.numel.value, ValueOf(one.alike), ValueOf(one.more), one.loss.value, one.gradient.value, one.weight.value}, {one.tensor.value}, {}, {"", {}}};
}

Finding Make(LiveGradientVanishing one) {
  return {FindingKind::kLiveGradientVanishing, {one.orders.value, one.step.value, one.rank.value}, {one.tensor.value, one.last.value}, {}, {"", {}}};
}

Finding Make(LiveGradientExploding one) {
  return {FindingKind::kLiveGradientExploding, {one.times.value, one.step.value, one.rank.value}, {one.tensor.value}, {}, {"", {}}};
}

Finding Make(LiveLossNotFalling one) {
  return {FindingKind::kLiveLossNotFalling, {one.steps.value, one.step.value, one.rank.value, ValueOf(one.risen)}, {}, {}, {"", {}}};
}

Finding Make(LiveTensorFiniteAgain one) {
  return {FindingKind::kLiveTensorFiniteAgain, {one.step.value, one.rank.value, one.steps.value}, {}, {}, {"", {}}};
}

Finding Make(LiveLossSpike one) {
  return {FindingKind::kLiveLossSpike, {one.value.value, one.usual.value, one.deviations.value, one.step.value, one.rank.value}, {}, {}, {"", {}}};
}

Finding Make(LiveGradientSpike one) {
  return {FindingKind::kLiveGradientSpike, {one.value.value, one.usual.value, one.deviations.value, one.step.value, one.rank.value}, {one.tensor.value}, {}, {"", {}}};
}

Finding Make(LiveDeadUnits one) {
  return {FindingKind::kLiveDeadUnits, {one.share.value, one.readings.value, one.step.value, one.rank.value, ValueOf(one.more)}, {one.module.value}, {}, {"", {}}};
}

Finding Make(LiveCastRange one) {
  return {FindingKind::kLiveCastRange, {one.weights.value}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LiveParameterUnchanged one) {
  return {FindingKind::kLiveParameterUnchanged, {one.readings.value, one.step.value, one.rank.value, ValueOf(one.more), one.all.value}, {one.tensor.value}, {}, {"", {}}};
}

Finding Make(LiveTensorUnjudged one) {
  return {FindingKind::kLiveTensorUnjudged, {}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LossCaptureNothing one) {
  return {FindingKind::kLossCaptureNothing, {one.unsteady.value, one.interrupted.value, one.first_steps.value, one.missed.value, one.unavailable.value}, {one.window}, {}, {"", {}}};
}

Finding Make(LossCaptureCut one) {
  return {FindingKind::kLossCaptureCut, {one.timed.value, ValueOf(one.held), ValueOf(one.wanted), ValueOf(one.capture.value.asked)}, {one.capture.value.window}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LossCaptureWithout one) {
  return {FindingKind::kLossCaptureWithout, {one.partly.value, ValueOf(one.capture.value.asked)}, {one.kinds.value, one.capture.value.window}, {}, {"", {}}};
}

Finding Make(LossKinetoFailed one) {
  return {FindingKind::kLossKinetoFailed, {}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(LossKinetoNoMemory) {
  return {FindingKind::kLossKinetoNoMemory, {}, {}, {}, {"", {}}};
}

Finding Make(LossProfileUnread one) {
  return {FindingKind::kLossProfileUnread, {one.pid.value}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(LossProfilesLeft) {
  return {FindingKind::kLossProfilesLeft, {}, {}, {}, {"", {}}};
}

Finding Make(LossOfProfile one) {
  return {FindingKind::kLossOfProfile, {}, {one.cause.value, one.detail.value}, {}, {"", {}}};
}

Finding Make(LossNoRoomForRing one) {
  return {FindingKind::kLossNoRoomForRing, {one.pid.value}, {}, {}, {"", {}}};
}

Finding Make(LossRingUnreadable one) {
  return {FindingKind::kLossRingUnreadable, {one.pid.value}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(LossDisarmed one) {
  return {FindingKind::kLossDisarmed, {one.pid.value}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(LossStillRan one) {
  return {FindingKind::kLossStillRan, {one.count.value}, {one.processes.value}, {}, {"", {}}};
}

Finding Make(LossOtherUser one) {
  return {FindingKind::kLossOtherUser, {one.pid.value, one.user.value, one.own.value}, {one.process.value}, {}, {"", {}}};
}

Finding Make(LossNoSitePackages one) {
  return {FindingKind::kLossNoSitePackages, {one.pid.value}, {one.process.value}, {}, {"", {}}};
}

Finding Make(LossPythonPathIgnored one) {
  return {FindingKind::kLossPythonPathIgnored, {one.pid.value}, {one.process.value, one.option.value}, {}, {"", {}}};
}

Finding Make(LossHooksRefused one) {
  return {FindingKind::kLossHooksRefused, {ValueOf(one.pid), one.other_build.value, one.no_probe.value}, {one.process}, {}, {"", {}}};
}

Finding Make(LossNoHooksLoaded one) {
  return {FindingKind::kLossNoHooksLoaded, {one.pid.value}, {one.process.value}, {}, {"", {}}};
}

Finding Make(LossToolOfTheScript) {
  return {FindingKind::kLossToolOfTheScript, {}, {}, {}, {"", {}}};
}

Finding Make(LossNothingToRecord) {
  return {FindingKind::kLossNothingToRecord, {}, {}, {}, {"", {}}};
}

Finding Make(LossRecordedElsewhere one) {
  return {FindingKind::kLossRecordedElsewhere, {one.itself.value}, {}, {}, {"", {}}};
}

Finding Make(LossUnavailable one) {
  return {FindingKind::kLossUnavailable, {}, {one.source.value, one.reason.value, one.remedy}, {}, {"", {}}};
}

Finding Make(LossImpossibleTimes) {
  return {FindingKind::kLossImpossibleTimes, {}, {}, {}, {"", {}}};
}

Finding Make(LossUnrecognisedEvent one) {
  return {FindingKind::kLossUnrecognisedEvent, {ValueOf(one.more), ValueOf(one.share)}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LossRanksMissing one) {
  return {FindingKind::kLossRanksMissing, {one.missing.value, one.ranks.value, one.imported.value, one.recorded.value}, {}, {}, {"", {}}};
}

Finding Make(LossHookFailed one) {
  return {FindingKind::kLossHookFailed, {}, {one.hook.value, one.reason.value}, {}, {"", {}}};
}

Finding Make(LossInFile one) {
  return {FindingKind::kLossInFile, {}, {one.file.value, one.what.value}, {}, {"", {}}};
}

Finding Make(LossFileRefused one) {
  return {FindingKind::kLossFileRefused, {}, {one.reason.value}, {}, {"", {}}};
}

Finding Make(LossFileCutOff one) {
  return {FindingKind::kLossFileCutOff, {ValueOf(one.at), one.packet.value, one.line.value, one.entry.value}, {one.file.value, one.damage}, {}, {"", {}}};
}

Finding Make(LossFileDamaged one) {
  return {FindingKind::kLossFileDamaged, {ValueOf(one.at), one.whole.value}, {one.file.value, one.damage}, {}, {"", {}}};
}

Finding Make(LossSkippedBytes one) {
  return {FindingKind::kLossSkippedBytes, {one.bytes.value, one.packets.value, one.foreign.value, one.too_long.value, one.too_deep.value}, {one.file.value}, {}, {"", {}}};
}

Finding Make(LossTooLarge one) {
  return {FindingKind::kLossTooLarge, {one.most.value, one.packets.value}, {one.file.value}, {}, {"", {}}};
}

Finding Make(LossTablesLeftOut one) {
  return {FindingKind::kLossTablesLeftOut, {}, {one.file.value, one.tables.value}, {}, {"", {}}};
}

Finding Make(LossProfilerWarned one) {
  return {FindingKind::kLossProfilerWarned, {}, {one.file.value, one.said.value}, {}, {"", {}}};
}

Finding Make(LossBeyond one) {
  return {FindingKind::kLossBeyond, {one.most.value, one.descriptors.value, one.snapshots.value, one.texts.value}, {one.file}, {}, {"", {}}};
}

Finding Make(LossDuplicateKey one) {
  return {FindingKind::kLossDuplicateKey, {one.line.value}, {one.file.value}, {}, {"", {}}};
}

Finding Make(LossMissingMetadata one) {
  return {FindingKind::kLossMissingMetadata, {one.devices.value}, {one.file.value}, {}, {"", {}}};
}

Finding Make(LossSameProfile one) {
  return {FindingKind::kLossSameProfile, {one.work.value, ValueOf(one.rank)}, {one.file.value, one.other.value}, {}, {"", {}}};
}

Finding Make(LossSameRank one) {
  return {FindingKind::kLossSameRank, {one.rank.value, one.stored.value}, {one.file.value, one.other.value}, {}, {"", {}}};
}

Finding Make(LossNoDate one) {
  return {FindingKind::kLossNoDate, {}, {one.file.value}, {}, {"", {}}};
}

Finding Make(LossNotProfiles one) {
  return {FindingKind::kLossNotProfiles, {one.count.value, one.others.value}, {}, PlainOf(one.items.value), {"", {}}};
}

Finding Make(LossCutDurations one) {
  return {FindingKind::kLossCutDurations, {one.two.value, ValueOf(one.late), one.works.value, one.most_late.value, one.late_time.value, ValueOf(one.too_long), one.recorded.value, one.long_time.value}, {one.file.value}, {}, {"", {}}};
}

Finding Make(CostGpusOfNode one) {
  return {FindingKind::kCostGpusOfNode, {one.used.value, one.has.value}, {}, {}, {"", {}}};
}

Finding Make(CostCoresOfNode one) {
  return {FindingKind::kCostCoresOfNode, {one.used.value, one.has.value}, {}, {}, {"", {}}};
}

Finding Make(CostMemoryOfNode one) {
  return {FindingKind::kCostMemoryOfNode, {one.used.value, one.has.value}, {}, {}, {"", {}}};
}

Finding Make(CostMemoryUnmeasured) {
  return {FindingKind::kCostMemoryUnmeasured, {}, {}, {}, {"", {}}};
}

Finding Make(CostGpuMemory one) {
  return {FindingKind::kCostGpuMemory, {one.used.value, one.has.value}, {}, {}, {"", {}}};
}

Finding Make(CostGpuMemoryNotCompared) {
  return {FindingKind::kCostGpuMemoryNotCompared, {}, {}, {}, {"", {}}};
}

Finding Make(CostGpusOfAll one) {
  return {FindingKind::kCostGpusOfAll, {one.used.value, one.machines.value, one.has.value}, {one.instance.value}, {}, {"", {}}};
}

Finding Make(CostCoresOfProcesses one) {
  return {FindingKind::kCostCoresOfProcesses, {one.processes.value, one.used.value, one.each.value, one.needed.value, one.has.value}, {}, {}, {"", {}}};
}

Finding Make(CostCoresMustShrink one) {
  return {FindingKind::kCostCoresMustShrink, {one.cores.value}, {}, {}, {"", {}}};
}

Finding Make(CostBatchGrows) {
  return {FindingKind::kCostBatchGrows, {}, {}, {}, {"", {}}};
}

Finding Make(CostOtherSize one) {
  return {FindingKind::kCostOtherSize, {one.node.value, one.cores.value, one.gpus.value, one.type_cores.value, one.type_gpus.value}, {one.instance.value}, {}, {"", {}}};
}

Finding Make(CostNoTypes) {
  return {FindingKind::kCostNoTypes, {}, {}, {}, {"", {}}};
}

Finding Make(CostUseUnmeasured) {
  return {FindingKind::kCostUseUnmeasured, {}, {}, {}, {"", {}}};
}

Finding Make(CostNoTypeHolds) {
  return {FindingKind::kCostNoTypeHolds, {}, {}, {}, {"", {}}};
}

Finding Make(CostNoneCheaper one) {
  return {FindingKind::kCostNoneCheaper, {}, {one.instance.value}, {}, {"", {}}};
}

Finding Make(ReasonNoPrice) {
  return {FindingKind::kReasonNoPrice, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonTypeUnclear) {
  return {FindingKind::kReasonTypeUnclear, {}, {}, {}, {"", {}}};
}

Finding Make(ReasonTypeNotListed one) {
  return {FindingKind::kReasonTypeNotListed, {}, {one.instance.value}, {}, {"", {}}};
}

Finding Make(RunException one) {
  return {FindingKind::kRunException, {one.steps.value, ValueOf(one.rank)}, {one.type.value, one.message, one.place.value}, {}, {"", {}}, {}, PlacesOf({{2, &one.place}})};
}

Finding Make(RunInterrupted one) {
  return {FindingKind::kRunInterrupted, {one.steps.value}, {one.place.value}, {}, {"", {}}, {}, PlacesOf({{0, &one.place}})};
}

Finding Make(RunSignal one) {
  return {FindingKind::kRunSignal, {one.steps.value, ValueOf(one.rank), one.stopped.value, one.kill.value, one.fault.value}, {one.signal.value}, {}, {"", {}}};
}

Finding Make(RunExitCode one) {
  return {FindingKind::kRunExitCode, {one.steps.value, one.code.value}, {one.signal}, {}, {"", {}}};
}

}  // namespace finding
// clang-format on
}  // namespace steptrace::model
