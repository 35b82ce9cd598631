// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.
#pragma once

#include "model/finding_kinds.h"
#include "present/words/kind_words.h"

namespace steptrace::present {

// clang-format off
inline constexpr ClauseWords kStepDriftClauses[] = {
    {"in_function", "function", {}, ", most of it in {function}"},
    {"in_stage", "stage", {}, ": {stage} takes {stage_from} at the start and {stage_to} at the end{in_function}"},
};
inline constexpr ClauseWords kStepFasterWithoutClauses[] = {
    {"what", "suspect", {}, "{suspect} (most of it {stage})"},
    {"what", "", {}, "{stage}"},
};
inline constexpr ClauseWords kStepBoundIncludesItemClauses[] = {
    {"what", "stage", {}, "{stage}"},
    {"what", "apart", {}, "what operators do not show of the model"},
    {"what", "warm", {}, "warmer caches"},
    {"what", "", {}, "the upper end of its interval"},
};
inline constexpr ClauseWords kStepCheckpointsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kStepEvaluationsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kStepCollectionThresholdsClauses[] = {
    {"what", "off", {}, "the script turned automatic garbage collection off (gc.disable)"},
    {"what", "", {}, "the script set gc.set_threshold({now}); it was {before}"},
};
inline constexpr ClauseWords kFrameworkRecompiledClauses[] = {
    {"noun", "count", 1, "time"},
    {"noun", "", {}, "times"},
};
inline constexpr ClauseWords kStepLockHeldClauses[] = {
    {"what", "holder", {}, "while {function} waits for a lock, another thread of the rank is in {holder} in {share} of the samples and probably holds it"},
    {"what", "", {}, "unknown who holds the lock that {function} waits for: no other thread was seen in its code"},
};
inline constexpr ClauseWords kStepGarbageCollectionsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kCpuCoresBusyClauses[] = {
    {"name", "cores", {}, "{cores}"},
    {"name", "", {}, "cores"},
};
inline constexpr ClauseWords kCpuAllowedCoresClauses[] = {
    {"whose", "workers", {}, "workers"},
    {"whose", "", {}, "processes"},
};
inline constexpr ClauseWords kCpuQuotaRanOutClauses[] = {
    {"of_limit", "limit", {}, " of {limit}"},
};
inline constexpr ClauseWords kDeviceSlowCallsClauses[] = {
    {"which", "calls", 1, "one call"},
    {"which", "", {}, "{calls} device runtime calls take over 10 ms, {all} in total; one"},
};
inline constexpr ClauseWords kGpuSharedWithOthersClauses[] = {
    {"who", "others", 1, "another process used"},
    {"who", "", {}, "up to {others} other processes used"},
    {"of_node", "node", {}, " of node {node}"},
};
inline constexpr ClauseWords kGpuUnknownProcessesClauses[] = {
    {"of_node", "node", {}, " of node {node}"},
    {"noun", "ranks", 1, "rank"},
    {"noun", "", {}, "ranks"},
};
inline constexpr ClauseWords kGpuRanksTogetherClauses[] = {
    {"of_name", "name", {}, " ({name})"},
};
inline constexpr ClauseWords kGpuManyRanksTogetherClauses[] = {
    {"of_name", "name", {}, " ({name})"},
};
inline constexpr ClauseWords kCommunicationRanksAbsentClauses[] = {
    {"them", "missing", 1, "it"},
    {"them", "", {}, "them"},
    {"have", "missing", 1, "has"},
    {"have", "", {}, "have"},
    {"what", "imported", {}, "profile"},
    {"what", "", {}, "steps"},
};
inline constexpr ClauseWords kCommunicationCallsItemClauses[] = {
    {"of_size", "bytes", {}, ", each of {bytes}"},
};
inline constexpr ClauseWords kCommunicationGradientExchangeClauses[] = {
    {"noun", "buckets", 1, "bucket"},
    {"noun", "", {}, "buckets"},
};
inline constexpr ClauseWords kVerdictFewStepsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"samples", "within", {}, " and the samples of all within {within} of them"},
};
inline constexpr ClauseWords kVerdictAllWarmUpClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kVerdictWarmUpClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"was", "warm_up", 1, "was"},
    {"was", "", {}, "were"},
};
inline constexpr ClauseWords kRunStepsLeftOutClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"counted", "steps", 1, "it is not counted"},
    {"counted", "", {}, "they are not counted"},
};
inline constexpr ClauseWords kRunDevicesLeftOutClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kRunHookFailedClauses[] = {
    {"name", "hook", {}, "{hook}"},
    {"name", "", {}, "a module"},
    {"why", "reason", {}, "{reason}"},
    {"why", "", {}, "no reason given"},
};
inline constexpr ClauseWords kRunLastSeenClauses[] = {
    {"was", "waits", {}, "waited in"},
    {"was", "", {}, "was in"},
    {"worker_was", "worker_waits", {}, "waited in"},
    {"worker_was", "", {}, "was in"},
    {"worker", "worker_function", {}, "; a DataLoader worker {worker_was} {worker_function} ({worker_share} of {worker_samples} samples)"},
};
inline constexpr ClauseWords kProfileStepsNestedClauses[] = {
    {"what", "marks", 1, "a step mark lies"},
    {"what", "", {}, "{marks} step marks lie"},
};
inline constexpr ClauseWords kProfileBusiestClauses[] = {
    {"noun", "calls", 1, "call"},
    {"noun", "", {}, "calls"},
};
inline constexpr ClauseWords kDataCheaperGetitemClauses[] = {
    {"of", "dataset", {}, "{dataset}."},
    {"of", "", {}, "the dataset's "},
};
inline constexpr ClauseWords kDataCheaperCollateClauses[] = {
    {"name", "collate", {}, "{collate}"},
    {"name", "", {}, "collating"},
    {"above_all", "function", {}, ", above all {function}"},
};
inline constexpr ClauseWords kDataLocalCopyClauses[] = {
    {"where_it_is", "dataset", {}, "{dataset}"},
    {"where_it_is", "", {}, "the dataset"},
};
inline constexpr ClauseWords kDataWorkersOfCoresClauses[] = {
    {"are", "cores", 1, "is 1 core"},
    {"are", "", {}, "are {cores} cores"},
};
inline constexpr ClauseWords kDataQueryLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataDecodeLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataAugmentOnDeviceClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataAugmentVectorisedClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataTokeniseAheadClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataAskEarlierClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataCheaperSamplerCodeClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataCheaperCodeClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataCheaperHelpersClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataHoldLockLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataShareLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataCopyLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kDataCoresFilledClauses[] = {
    {"of_quota", "quota", {}, " of the CPU quota"},
    {"of_quota", "machine", {}, ", all that it may run on (the machine has {machine})"},
};
inline constexpr ClauseWords kDataMoreWorkersClauses[] = {
    {"of_quota", "quota", {}, " of the CPU quota"},
    {"of_quota", "machine", {}, " that it may run on, of {machine},"},
};
inline constexpr ClauseWords kDataLoadBesideClauses[] = {
    {"to_high", "high", {}, " to {high}"},
    {"unknown", "cores", {}, ", and the machine has {cores}"},
    {"unknown", "", {}, "; the profile does not say how many cores are free"},
};
inline constexpr ClauseWords kStepStopGrowthClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kCpuAllowMoreCoresClauses[] = {
    {"whose", "workers", {}, "workers"},
    {"whose", "", {}, "training"},
    {"by_what", "workers", {}, "their affinity keeps them there (os.sched_setaffinity, OMP_PROC_BIND or KMP_AFFINITY in the process that starts them)"},
    {"by_what", "", {}, "its affinity or its cpuset keeps it there (taskset, numactl, os.sched_setaffinity, --cpuset-cpus of the container)"},
};
inline constexpr ClauseWords kStepComputeLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kStepLogLessClauses[] = {
    {"in_function", "function", {}, " in {function}"},
};
inline constexpr ClauseWords kModelSampleStacksClauses[] = {
    {"more", "knows_cpu", {}, "look at more steps, so that some have samples of CPU time, or "},
};
inline constexpr ClauseWords kModelFuseKernelsClauses[] = {
    {"how", "compiled", {}, "use fused norms, rotary embeddings and optimizers in addition to torch.compile"},
    {"how", "", {}, "use torch.compile, or fused norms, rotary embeddings and optimizers"},
};
inline constexpr ClauseWords kModelLowerPrecisionClauses[] = {
    {"how", "tf32", {}, "torch.set_float32_matmul_precision(\"high\") for TF32, or torch.autocast in {lower}"},
    {"how", "", {}, "torch.autocast in {lower}"},
};
inline constexpr ClauseWords kFrameworkCollectSeldomClauses[] = {
    {"what", "function", {}, "the script calls gc.collect() in {function}: call it every few hundred steps, or not at all: Python collects automatically"},
    {"what", "", {}, "call gc.freeze() once before the loop and gc.disable(), then gc.collect() every few hundred steps, and no more often than that: garbage collection runs inside the steps"},
};
inline constexpr ClauseWords kFrameworkSteadyShapesClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkSteadyTensorsClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkValuesAsTensorsClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkTextsOutsideClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkSteadyLengthsClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkOneStateClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkOneObjectClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kFrameworkLookAtGuardClauses[] = {
    {"compiles", "at_limit", {}, "torch.compile gave up on {function} ({guard})"},
    {"compiles", "", {}, "torch.compile recompiles {function} ({guard})"},
};
inline constexpr ClauseWords kCommunicationAllRanksClauses[] = {
    {"how", "imported", {}, "profile every rank in the same steps and import the folder with all profiles"},
    {"how", "recorded", {}, "call steptrace.step() at the end of each step of the ranks that step no optimizer"},
    {"how", "", {}, "start the job on each node under `steptrace run`, then `steptrace join` the runs of the nodes"},
};
inline constexpr ClauseWords kCommunicationLargerBucketsClauses[] = {
    {"size", "bucket_mb", {}, ", now {bucket_mb},"},
    {"and_views", "views", {}, ""},
    {"and_views", "", {}, " and gradient_as_bucket_view=True"},
    {"or_hook", "hook", {}, ""},
    {"or_hook", "", {}, ", or send less with torch.distributed.algorithms.ddp_comm_hooks (fp16_compress_hook)"},
};
inline constexpr ClauseWords kCommunicationLookAtDataClauses[] = {
    {"what", "function", {}, "{function} makes its batches, so make it cheaper, or make batches ahead in other processes"},
    {"what", "loader", {}, "the size of its shard, its storage, its workers"},
    {"what", "", {}, "the size of its shard, its storage"},
};
inline constexpr ClauseWords kCommunicationLookAtCauseClauses[] = {
    {"what", "function", {}, "{function}"},
    {"what", "", {}, "its {stage}"},
};
inline constexpr ClauseWords kRuleGpuUnderUtilisedClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
    {"noun", "windows", 1, "window"},
    {"noun", "", {}, "windows"},
    {"first", "windows", 1, ""},
    {"first", "", {}, " in the first"},
};
inline constexpr ClauseWords kRuleGpuUnderUtilisedOverStepsClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kRuleGpuUnderUtilisedOverProfileClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
};
inline constexpr ClauseWords kRuleGpuFluctuatesClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
    {"noun", "windows", 1, "window"},
    {"noun", "", {}, "windows"},
    {"first", "windows", 1, ""},
    {"first", "", {}, " in the first"},
};
inline constexpr ClauseWords kRuleGpuFluctuatesOverStepsClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kRuleGpuFluctuatesOverProfileClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
};
inline constexpr ClauseWords kRuleGpuNotUsedClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
};
inline constexpr ClauseWords kRuleBatchTooSmallClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
};
inline constexpr ClauseWords kRuleMemoryGrewClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"over", "steps", {}, "{steps} {noun}"},
    {"over", "", {}, "{time}"},
    {"above", "above_begin", {}, " above that of the begin"},
};
inline constexpr ClauseWords kRuleStepsStarveGpuClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"gpu", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"gpu", "", {}, "GPU {device} of node {node}"},
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kRuleCpuBottleneckClauses[] = {
    {"noun", "snapshots", 1, "snapshot"},
    {"noun", "", {}, "snapshots"},
};
inline constexpr ClauseWords kRuleIoBottleneckClauses[] = {
    {"noun", "snapshots", 1, "snapshot"},
    {"noun", "", {}, "snapshots"},
};
inline constexpr ClauseWords kRuleBottlenecksClauses[] = {
    {"noun", "found", 1, "snapshot"},
    {"noun", "", {}, "snapshots"},
};
inline constexpr ClauseWords kRuleGpusDifferInUseClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"one", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"one", "", {}, "GPU {device} of node {node}"},
    {"other_basis", "other_allocations", {}, "allocations"},
    {"other_basis", "", {}, "kernels and copies"},
    {"other", "other_rank", {}, "device {other_device} of rank {other_rank} (by its {other_basis})"},
    {"other", "", {}, "GPU {other_device} of node {other_node}"},
};
inline constexpr ClauseWords kRuleGpusTakeTurnsClauses[] = {
    {"basis", "allocations", {}, "allocations"},
    {"basis", "", {}, "kernels and copies"},
    {"one", "rank", {}, "device {device} of rank {rank} (by its {basis})"},
    {"one", "", {}, "GPU {device} of node {node}"},
    {"other_basis", "other_allocations", {}, "allocations"},
    {"other_basis", "", {}, "kernels and copies"},
    {"other", "other_rank", {}, "device {other_device} of rank {other_rank} (by its {other_basis})"},
    {"other", "", {}, "GPU {other_device} of node {other_node}"},
};
inline constexpr ClauseWords kRuleLoadersOnCoresClauses[] = {
    {"noun", "loaders", 1, "loader"},
    {"noun", "", {}, "loaders"},
    {"core_noun", "cores", 1, "core"},
    {"core_noun", "", {}, "cores"},
};
inline constexpr ClauseWords kRuleWaitsForDataClauses[] = {
    {"queue", "waits", {}, ", the next batch was not ready in {starved} of {waits} waits"},
};
inline constexpr ClauseWords kRuleLongStepsClauses[] = {
    {"step_noun", "steps", 1, "step"},
    {"step_noun", "", {}, "steps"},
    {"evaluation_noun", "steps", 1, "evaluation"},
    {"evaluation_noun", "", {}, "evaluations"},
    {"noun", "evaluations", {}, "{evaluation_noun}"},
    {"noun", "", {}, "{step_noun}"},
};
inline constexpr ClauseWords kRuleSlowStepsClauses[] = {
    {"step_noun", "steps", 1, "step"},
    {"step_noun", "", {}, "steps"},
    {"evaluation_noun", "steps", 1, "evaluation"},
    {"evaluation_noun", "", {}, "evaluations"},
    {"noun", "evaluations", {}, "{evaluation_noun}"},
    {"noun", "", {}, "{step_noun}"},
};
inline constexpr ClauseWords kRuleLongInitializationClauses[] = {
    {"what", "begun", {}, "before"},
    {"what", "", {}, "so far, and still without"},
};
inline constexpr ClauseWords kRuleFoundClauses[] = {
    {"noun", "times", 1, "time"},
    {"noun", "", {}, "times"},
};
inline constexpr ClauseWords kRecommendationLoaderTimeClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kRecommendationDataParallelClauses[] = {
    {"noun", "devices", 1, "device"},
    {"noun", "", {}, "devices"},
};
inline constexpr ClauseWords kRecommendationGradientExchangeClauses[] = {
    {"how", "nccl", {}, "with"},
    {"how", "", {}, "without"},
};
inline constexpr ClauseWords kRecommendationCommunicationClauses[] = {
    {"takes", "on_host", {}, "is in progress in"},
    {"takes", "", {}, "takes"},
    {"alone", "on_host", {}, ""},
    {"alone", "", {}, " while no kernel or copy runs"},
};
inline constexpr ClauseWords kRecommendationLeastUsedDeviceClauses[] = {
    {"only", "low", {}, "only "},
};
inline constexpr ClauseWords kRecommendationNoTensorCoresUsedClauses[] = {
    {"operators", "could", {}, "though operators run that could"},
    {"operators", "", {}, "and no operator runs that could"},
};
inline constexpr ClauseWords kRecommendationSynchronisationClauses[] = {
    {"what", "unbegun_work", {}, "launched work does not start"},
    {"what", "", {}, "the host or streams synchronize"},
};
inline constexpr ClauseWords kRecommendationSynchronisingCallsClauses[] = {
    {"noun", "calls", 1, "call"},
    {"noun", "", {}, "calls"},
};
inline constexpr ClauseWords kRecommendationAllocatorCallsClauses[] = {
    {"noun", "calls", 1, "call"},
    {"noun", "", {}, "calls"},
};
inline constexpr ClauseWords kVerdictStragglerClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"cause", "waits", {}, "waiting in {function} ({place})"},
    {"cause", "code", {}, "code in {function} ({place})"},
    {"cause", "function", {}, "{name} ({function}, {place})"},
    {"cause", "", {}, "{name}"},
};
inline constexpr ClauseWords kVerdictExchangeOrWaitingClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"others", "missing", 1, "the other rank"},
    {"others", "", {}, "the {missing} other ranks"},
    {"whose", "missing", 1, "its"},
    {"whose", "", {}, "their"},
    {"profiles", "missing", 1, "profile"},
    {"profiles", "", {}, "profiles"},
    {"what", "imported", {}, "{whose} {profiles}"},
    {"what", "", {}, "{whose} steps"},
};
inline constexpr ClauseWords kVerdictSuspectClauses[] = {
    {"who_waiting", "who_share", {}, "mostly waiting in {who_function} ({who_share}, {who_place})"},
    {"who_waiting", "", {}, "waiting in {who_function} ({who_place})"},
    {"who_most", "who_mostly", {}, "mostly "},
    {"who_within", "who_share", {}, " ({who_share} in {who_function}, {who_place})"},
    {"who_within", "who_comma", {}, ", in {who_function} ({who_place})"},
    {"who_within", "who_function", {}, " in {who_function} ({who_place})"},
    {"who_who", "who_waits", {}, "{who_waiting}"},
    {"who_who", "", {}, "{who_most}{who_name}{who_within}"},
    {"who", "", {}, "{who_who}"},
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"slowed", "by_others", {}, ", slowed by other work on the cores"},
};
inline constexpr ClauseWords kVerdictTrainingWithoutCoreClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
};
inline constexpr ClauseWords kVerdictNoSingleSuspectClauses[] = {
    {"first_waiting", "first_share", {}, "mostly waiting in {first_function} ({first_share}, {first_place})"},
    {"first_waiting", "", {}, "waiting in {first_function} ({first_place})"},
    {"first_most", "first_mostly", {}, "mostly "},
    {"first_within", "first_share", {}, " ({first_share} in {first_function}, {first_place})"},
    {"first_within", "first_comma", {}, ", in {first_function} ({first_place})"},
    {"first_within", "first_function", {}, " in {first_function} ({first_place})"},
    {"first_who", "first_waits", {}, "{first_waiting}"},
    {"first_who", "", {}, "{first_most}{first_name}{first_within}"},
    {"first", "", {}, "{first_who}"},
    {"first_part_interval", "first_part_low", {}, " ({first_part_low}-{first_part_high})"},
    {"first_part", "", {}, "{first_part_share}{first_part_interval}"},
    {"second_waiting", "second_share", {}, "mostly waiting in {second_function} ({second_share}, {second_place})"},
    {"second_waiting", "", {}, "waiting in {second_function} ({second_place})"},
    {"second_most", "second_mostly", {}, "mostly "},
    {"second_within", "second_share", {}, " ({second_share} in {second_function}, {second_place})"},
    {"second_within", "second_comma", {}, ", in {second_function} ({second_place})"},
    {"second_within", "second_function", {}, " in {second_function} ({second_place})"},
    {"second_who", "second_waits", {}, "{second_waiting}"},
    {"second_who", "", {}, "{second_most}{second_name}{second_within}"},
    {"second", "second_name", {}, "{second_who}"},
    {"second_part_interval", "second_part_low", {}, " ({second_part_low}-{second_part_high})"},
    {"second_part", "second_part_share", {}, "{second_part_share}{second_part_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"more", "second_name", {}, ", {second} {second_part}"},
    {"beside_model", "model", {}, "; model {model}"},
    {"of_ranks", "ranks_seen", {}, "; the first{ranks}"},
};
inline constexpr ClauseWords kVerdictModelIfItComputesClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing the interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing the interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on the cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by too many threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelAndNextClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing the interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing the interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on the cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by too many threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"next_waiting", "next_share", {}, "mostly waiting in {next_function} ({next_share}, {next_place})"},
    {"next_waiting", "", {}, "waiting in {next_function} ({next_place})"},
    {"next_most", "next_mostly", {}, "mostly "},
    {"next_within", "next_share", {}, " ({next_share} in {next_function}, {next_place})"},
    {"next_within", "next_comma", {}, ", in {next_function} ({next_place})"},
    {"next_within", "next_function", {}, " in {next_function} ({next_place})"},
    {"next_who", "next_waits", {}, "{next_waiting}"},
    {"next_who", "", {}, "{next_most}{next_name}{next_within}"},
    {"next", "", {}, "{next_who}"},
    {"fill", "unsplit", {}, "the model and framework overhead take"},
    {"fill", "", {}, "the model takes"},
    {"of_rank", "rank", {}, " of rank {rank}'s"},
};
inline constexpr ClauseWords kVerdictModelAndRestClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing the interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing the interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on the cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by too many threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"fill", "unsplit", {}, "the model and framework overhead take"},
    {"fill", "", {}, "the model takes"},
};
inline constexpr ClauseWords kVerdictModelWithOverheadClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing the interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing the interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on the cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by too many threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelWaitsForHostClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelUnrecognisedClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelHealthyClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelSlowedClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share} of the step{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing the interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing the interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on the cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by too many threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; no step marks in the profile: it counts as one step"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictNoTorchClauses[] = {
    {"why", "failed", {}, "the training failed before torch was imported"},
    {"why", "stopped", {}, "the training was stopped before torch was imported"},
    {"why", "", {}, "Python ran, but torch was not imported"},
};
inline constexpr ClauseWords kVerdictNoOptimizerClauses[] = {
    {"why", "failed", {}, "the training failed before its first optimizer step"},
    {"why", "stopped", {}, "the training was stopped before its first optimizer step"},
    {"why", "", {}, "torch was imported, but no torch.optim optimizer made a step"},
};
inline constexpr ClauseWords kVerdictNoTrainingClauses[] = {
    {"what", "writer", {}, "a profile of {writer} that"},
    {"what", "", {}, "the profile"},
};
inline constexpr ClauseWords kVerdictOnlyWarmUpClauses[] = {
    {"which", "steps", 1, "the one in this time range is"},
    {"which", "", {}, "all {steps} in this time range are"},
};
inline constexpr ClauseWords kVerdictTooFewStepsClauses[] = {
    {"are", "more", 1, "is"},
    {"are", "", {}, "are"},
};
inline constexpr ClauseWords kNoteNoDeviceActivityClauses[] = {
    {"why", "damaged", {}, "the device activity is in a damaged file"},
    {"why", "", {}, "no device activity was recorded"},
    {"collectives", "listed", {}, ""},
    {"collectives", "", {}, ", and collectives are not listed one by one"},
};
inline constexpr ClauseWords kNoteProfileWithoutDevicesClauses[] = {
    {"how", "torch", {}, " (ProfilerActivity.CUDA records it)"},
};
inline constexpr ClauseWords kNoteProfileWithoutOperatorsClauses[] = {
    {"how", "torch", {}, " (ProfilerActivity.CPU records them)"},
};
inline constexpr ClauseWords kNoteProfileWithoutMemoryClauses[] = {
    {"how", "torch", {}, " (profile_memory=True records them)"},
};
inline constexpr ClauseWords kNoteProfileWithoutModulesClauses[] = {
    {"how", "torch", {}, " (with_stack=True or with_modules=True records them)"},
};
inline constexpr ClauseWords kNoteStepsLeftOutClauses[] = {
    {"which", "steps", 1, "{steps} step is"},
    {"which", "", {}, "{steps} steps are"},
    {"its", "steps", 1, "its"},
    {"its", "", {}, "their"},
    {"few", "too_few", {}, "; too few are left for a verdict from device activity, so it comes from the phases"},
    {"idle", "counted_idle", {}, "; devices, their roles and the critical path count that time as idle"},
};
inline constexpr ClauseWords kNoteNoStepMarksClauses[] = {
    {"how", "torch", {}, "; call profiler.step() at the end of each step"},
};
inline constexpr ClauseWords kNoteWindowsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"verdict", "by_devices", {}, " and the verdict"},
    {"rest", "by_devices", {}, ", the critical path and the verdict"},
    {"rest", "", {}, " and the critical path"},
    {"which", "parted", {}, "newest part without loss"},
    {"which", "", {}, "newest window"},
    {"what", "newest", {}, "kernels{verdict} are of these; roles, devices and the critical path of the {which}"},
    {"what", "", {}, "roles, devices, kernels{rest} are of these"},
    {"few", "by_devices", {}, ""},
    {"few", "", {}, "; too few for a verdict from device activity"},
};
inline constexpr ClauseWords kNoteNoMetricClauses[] = {
    {"elsewhere", "outside", {}, " in this time range, only outside of it"},
};
inline constexpr ClauseWords kNoteNotMeasuredClauses[] = {
    {"what", "source", {}, "{source}: "},
    {"next", "remedy", {}, "; {remedy}"},
};
inline constexpr ClauseWords kMemoryCopyOnWriteClauses[] = {
    {"whose", "workers", 1, "a DataLoader worker"},
    {"whose", "", {}, "{workers} DataLoader workers"},
    {"of_node", "node", {}, " on node {node}"},
    {"copies", "workers", 1, "it copies the pages of Python objects that it shares"},
    {"copies", "", {}, "they copy the pages of Python objects that they share"},
    {"since", "workers", 1, ", from {from} to {to}"},
    {"since", "", {}, " in each, in one of them from {from} to {to}"},
    {"until_now", "workers", 1, " from {from} to {to}"},
    {"until_now", "", {}, ", in one of them from {from} to {to}"},
    {"grows", "rate", {}, "grows by {rate} a step{since}"},
    {"grows", "mean", {}, "has grown by {mean} a step over {steps} steps{until_now}"},
    {"grows", "", {}, "has grown{until_now}"},
};
inline constexpr ClauseWords kMemoryDeviceNearlyFullClauses[] = {
    {"what", "retries", 1, "the allocator of rank {rank} had to give its cache back once before device {device} had room; tensors took up to {peak} of its {limit} ({share})"},
    {"what", "retries", {}, "the allocator of rank {rank} had to give its cache back {retries} times before device {device} had room; tensors took up to {peak} of its {limit} ({share})"},
    {"what", "", {}, "tensors of rank {rank} took up to {peak} of the {limit} of device {device} ({share}): {left} is left"},
};
inline constexpr ClauseWords kMemoryCgroupNearlyFullClauses[] = {
    {"of_node", "node", {}, " on node {node}"},
};
inline constexpr ClauseWords kMemoryMachineNearlyFullClauses[] = {
    {"of_node", "node", {}, " of node {node}"},
    {"of_node", "", {}, " of the machine"},
};
inline constexpr ClauseWords kNoteNoCollectivesClauses[] = {
    {"what", "groups", {}, "no communication kernels in the profile, and its gloo collectives do not name their process group; record such a job with `steptrace run`"},
    {"what", "", {}, "no communication kernels and no gloo collectives in the profile"},
};
inline constexpr ClauseWords kNoteOneRankClauses[] = {
    {"of", "world_size", {}, " of {world_size} ranks"},
    {"of", "", {}, " rank"},
    {"next", "live", {}, "the others must run under `steptrace run` too, on this node or into this run's folder"},
    {"next", "", {}, "import the profiles of the other ranks, of the same steps, too"},
};
inline constexpr ClauseWords kNoteNothingMatchedClauses[] = {
    {"next", "profiles", {}, ": do the profiles show the same steps of one job?"},
};
inline constexpr ClauseWords kNoteCallsUnplacedClauses[] = {
    {"who", "several", {}, "ranks"},
    {"who", "", {}, "rank"},
    {"others", "more", {}, " and {more} more"},
};
inline constexpr ClauseWords kNoteCallsAmbiguousClauses[] = {
    {"who", "several", {}, "ranks"},
    {"who", "", {}, "rank"},
    {"others", "more", {}, " and {more} more"},
};
inline constexpr ClauseWords kComparisonFasterClauses[] = {
    {"which", "first", {}, "The first run"},
    {"which", "second", {}, "The second run"},
    {"which", "", {}, "{run}"},
    {"by", "ratio", {}, "{ratio}"},
    {"by", "", {}, "{share}"},
    {"end", "few", {}, "; with so few steps this may be chance."},
    {"end", "", {}, "."},
};
inline constexpr ClauseWords kComparisonDatasetStagesOfOneClauses[] = {
    {"which", "first", {}, "the first run"},
    {"which", "second", {}, "the second run"},
    {"which", "", {}, "{run}"},
};
inline constexpr ClauseWords kReasonNoGpuMetricClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoSystemMetricClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoGpuMemoryOrCpuClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoGpuMemoryClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoCpuClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoIoWaitClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonGpuMemorySizeUnknownClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonMemoryInNoStepClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoMemoryRecordsClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this time range, only outside it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoTrainingStepClauses[] = {
    {"where", "in_range", {}, " in this time range"},
};
inline constexpr ClauseWords kReasonNoStepClauses[] = {
    {"where", "in_range", {}, " in this time range"},
};
inline constexpr ClauseWords kReasonFrameworkSilentClauses[] = {
    {"where", "in_range", {}, " in this time range"},
};
inline constexpr ClauseWords kLiveSamplingSlowedClauses[] = {
    {"who", "stacks", {}, "Sampling stacks"},
    {"who", "", {}, "The agent"},
    {"what", "stacks", {}, "stacks are"},
    {"what", "", {}, "the system is"},
};
inline constexpr ClauseWords kLiveSamplingRestoredClauses[] = {
    {"who", "stacks", {}, "Sampling stacks"},
    {"who", "", {}, "The agent"},
    {"what", "stacks", {}, "stacks are"},
    {"what", "", {}, "the system is"},
};
inline constexpr ClauseWords kLiveSamplingAnewClauses[] = {
    {"what", "stacks", {}, "stacks are"},
    {"what", "", {}, "the system is"},
};
inline constexpr ClauseWords kLiveMemoryLeakClauses[] = {
    {"compiling", "compiled", {}, ", because torch.compile recompiles in {compiled} of these {steps} steps and keeps each result (TORCH_LOGS=recompiles says why)"},
};
inline constexpr ClauseWords kLiveHangClauses[] = {
    {"where", "place", {}, ", in {place}"},
    {"where", "reason", {}, " (stack: {reason})"},
    {"left", "together", {}, "; and {more} more"},
    {"left", "", {}, "; and {more} more ranks"},
    {"rest", "more", {}, "{left}"},
    {"rest", "elsewhere", {}, "; the missing rank runs on another node"},
    {"rest", "", {}, "{where}"},
};
inline constexpr ClauseWords kLiveHangItemClauses[] = {
    {"size", "bytes", {}, " ({bytes})"},
    {"in_phase", "phase", {}, "in {phase}{size}"},
    {"in_phase", "", {}, "in no phase"},
    {"where", "place", {}, ", in {place}"},
    {"where", "reason", {}, " (stack: {reason})"},
    {"behind", "place", {}, ", which is in {place}"},
    {"behind", "reason", {}, " (stack: {reason})"},
    {"waiting", "worker", {}, "waits for data of worker {worker}{behind}"},
    {"waiting", "", {}, "waits for data{where}"},
    {"state", "data", {}, "{waiting}"},
    {"state", "", {}, "is {in_phase}{where}"},
    {"why", "gone", {}, "its process has ended"},
    {"why", "stopped", {}, "its process is stopped by a signal{where}"},
    {"why", "data", {}, "it {waiting}"},
    {"why", "", {}, "{in_phase}{where}"},
    {"noun", "count", 1, "rank"},
    {"noun", "", {}, "ranks"},
    {"wait", "count", 1, "waits"},
    {"wait", "", {}, "wait"},
    {"who", "ranks", {}, "{noun} {ranks} {wait} {in_phase}"},
    {"who", "missing", {}, "rank {rank} is missing: {why}"},
    {"who", "", {}, "rank {rank} {state}"},
};
inline constexpr ClauseWords kLiveTensorNonfiniteClauses[] = {
    {"subject", "loss", {}, "the loss"},
    {"subject", "gradient", {}, "the gradient of {tensor}"},
    {"subject", "", {}, "{tensor}"},
    {"when", "weight", {}, "after"},
    {"when", "", {}, "in"},
    {"others", "more", 1, "1 other tensor"},
    {"others", "", {}, "{more} other tensors"},
    {"rest", "more", {}, "; {others} followed"},
    {"which", "gradient", {}, "the last"},
    {"which", "", {}, "the first"},
    {"order", "alike", {}, ", {which} of {alike} in the order of registration"},
};
inline constexpr ClauseWords kLiveLossNotFallingClauses[] = {
    {"change", "risen", {}, " (it is {risen} higher)"},
};
inline constexpr ClauseWords kLiveDeadUnitsClauses[] = {
    {"others", "more", 1, "1 other module"},
    {"others", "", {}, "{more} other modules"},
    {"rest", "more", {}, "; the same holds for {others}"},
};
inline constexpr ClauseWords kLiveCastRangeClauses[] = {
    {"weight", "weights", {}, "weight"},
    {"weight", "", {}, "gradient"},
};
inline constexpr ClauseWords kLiveCastRangeItemClauses[] = {
    {"as", "scaled", {}, "{type}, scaled to the largest of each tensor,"},
    {"as", "", {}, "{type}"},
    {"many", "over", {}, " and {over} into infinity"},
    {"lost", "zero", {}, "at least {zero} into 0 (most of them in {tensor}){many}"},
    {"lost", "", {}, "{over} into infinity"},
};
inline constexpr ClauseWords kLiveParameterUnchangedClauses[] = {
    {"others", "more", 1, "1 other parameter"},
    {"others", "", {}, "{more} other parameters"},
    {"subject", "all", {}, "no parameter changes"},
    {"subject", "more", {}, "{tensor} and {others} never change"},
    {"subject", "", {}, "{tensor} never changes"},
};
inline constexpr ClauseWords kLiveTensorUnjudgedItemClauses[] = {
    {"why", "no_loss", {}, "no loss was seen"},
    {"why", "no_gradient", {}, "no gradient was seen"},
    {"why", "no_weight", {}, "no weight was seen"},
    {"why", "no_module", {}, "no module with a weight and a bias of at least 8 elements was seen"},
    {"why", "no_wide", {}, "no element other than 0 of a type wider than float16 was seen"},
    {"why", "few_weights", {}, "fewer than {needed} weights were seen"},
    {"why", "no_replica", {}, "the parameters of no second rank with the same parameters were seen"},
    {"why", "", {}, "{seen} of {needed} readings"},
};
inline constexpr ClauseWords kLossCaptureNothingClauses[] = {
    {"which", "window", {}, "the window {window}"},
    {"which", "", {}, "the window of --capture kernels"},
    {"why", "unsteady", {}, "the training ended before its steps were steady for long enough; train longer, or choose an earlier window with --window START:STEPS"},
    {"why", "interrupted", {}, "another capture took its place; choose another window"},
    {"why", "first_steps", {}, "the first two steps cannot be captured; start with step 2"},
    {"why", "missed", {}, "its steps or time had passed or never came; choose another window"},
    {"why", "unavailable", {}, "what it asks for is not available here; the table `run_metadata` has the reason (kind hook)"},
    {"why", "", {}, "its hook failed; the table `run_metadata` has the reason (kind hook)"},
};
inline constexpr ClauseWords kLossCaptureCutClauses[] = {
    {"capture_noun", "capture_asked", 1, "step"},
    {"capture_noun", "", {}, "steps"},
    {"capture_what", "capture_window", {}, "the window {capture_window}"},
    {"capture_what", "capture_asked", {}, "the capture of {capture_asked} {capture_noun}"},
    {"capture_what", "", {}, "the automatic window"},
    {"capture", "", {}, "{capture_what}"},
    {"state", "timed", {}, "has fewer steps than it asked for"},
    {"state", "held", {}, "has {held} of its {wanted} steps"},
    {"state", "", {}, "ended early"},
};
inline constexpr ClauseWords kLossCaptureCutItemClauses[] = {
    {"why", "first_steps", {}, "the first two steps cannot be captured"},
    {"why", "aside", {}, "the script's own profiler ran meanwhile"},
    {"why", "interrupted", {}, "another capture interrupted it"},
    {"why", "replaced", {}, "another capture took its place"},
    {"why", "full", {}, "it reached its size limit; ask for fewer steps, or for fewer kinds"},
    {"why", "", {}, "the training or the capture ended first"},
};
inline constexpr ClauseWords kLossCaptureWithoutClauses[] = {
    {"capture_noun", "capture_asked", 1, "step"},
    {"capture_noun", "", {}, "steps"},
    {"capture_what", "capture_window", {}, "the window {capture_window}"},
    {"capture_what", "capture_asked", {}, "the capture of {capture_asked} {capture_noun}"},
    {"capture_what", "", {}, "the automatic window"},
    {"capture", "", {}, "{capture_what}"},
    {"where", "partly", {}, " in some of its time ranges"},
};
inline constexpr ClauseWords kLossStillRanClauses[] = {
    {"noun", "count", 1, "is"},
    {"noun", "", {}, "are"},
};
inline constexpr ClauseWords kLossHooksRefusedClauses[] = {
    {"who", "process", {}, "{process} (pid {pid})"},
    {"who", "", {}, "a Python"},
    {"why", "other_build", {}, "it is free-threaded or traces references and cannot record; train with a standard build of Python"},
    {"why", "no_probe", {}, "the probe that STEPTRACE_PROBE names cannot be loaded; see `steptrace doctor`"},
    {"why", "", {}, "it could not create a ring: the file size limit is too small (`ulimit -f unlimited`), or it cannot use the folder of rings; see `steptrace doctor`"},
};
inline constexpr ClauseWords kLossRecordedElsewhereClauses[] = {
    {"who", "itself", {}, "the command is"},
    {"who", "", {}, "the command ran"},
};
inline constexpr ClauseWords kLossUnavailableClauses[] = {
    {"next", "remedy", {}, "; {remedy}"},
};
inline constexpr ClauseWords kLossUnrecognisedEventClauses[] = {
    {"others", "more", {}, " and {more} more"},
    {"held", "share", {}, "; they run in {share} of the steps"},
};
inline constexpr ClauseWords kLossRanksMissingClauses[] = {
    {"state", "imported", {}, "not imported; import their profiles of the same steps together with this one"},
    {"state", "recorded", {}, "have no optimizer steps; call steptrace.step() at the end of each of their steps"},
    {"state", "", {}, "not recorded; start each node's share of the job under `steptrace run`, then `steptrace join` the runs"},
};
inline constexpr ClauseWords kLossFileCutOffClauses[] = {
    {"where", "packet", {}, "in the packet at byte {at}"},
    {"where", "at", {}, "at byte {at} in the middle"},
    {"where", "line", {}, "in the middle of a line"},
    {"where", "entry", {}, "in the middle of an entry"},
    {"where", "", {}, "in the middle of an event"},
    {"damaged", "damage", {}, " ({damage})"},
    {"rest", "at", {}, "; what came later is missing"},
};
inline constexpr ClauseWords kLossFileDamagedClauses[] = {
    {"what", "at", {}, "holds no packet behind the damage at byte {at}"},
    {"what", "", {}, "{damage}"},
    {"rest", "whole", {}, ""},
    {"rest", "", {}, "; what came later is missing"},
};
inline constexpr ClauseWords kLossSkippedBytesClauses[] = {
    {"what", "packets", {}, "packets that are not valid protobuf were skipped, {bytes} bytes between them"},
    {"what", "foreign", {}, "other text between the events was skipped, {bytes} bytes"},
    {"what", "too_long", {}, "events over 64 MiB; {bytes} bytes of the file were skipped"},
    {"what", "too_deep", {}, "events nested deeper than --max-depth; {bytes} bytes of the file were skipped"},
    {"what", "", {}, "events that are not JSON were skipped, {bytes} bytes"},
};
inline constexpr ClauseWords kLossTooLargeClauses[] = {
    {"what", "packets", {}, "packets"},
    {"what", "", {}, "events"},
};
inline constexpr ClauseWords kLossBeyondClauses[] = {
    {"of", "file", {}, "{file}: "},
    {"what", "descriptors", {}, "descriptors of tracks"},
    {"what", "snapshots", {}, "snapshots of clocks"},
    {"what", "texts", {}, "interned texts"},
    {"what", "", {}, "threads and streams"},
};
inline constexpr ClauseWords kLossDuplicateKeyClauses[] = {
    {"where", "line", {}, "a line: the last one counts"},
    {"where", "", {}, "an event or at the top level: the last one counts, of traceEvents all"},
};
inline constexpr ClauseWords kLossMissingMetadataClauses[] = {
    {"what", "devices", {}, "no deviceProperties: what needs a device's size is left out"},
    {"what", "", {}, "distributedInfo is not an object, or is nested too deeply: left out"},
};
inline constexpr ClauseWords kLossSameProfileClauses[] = {
    {"what", "work", {}, "the same device work as in"},
    {"what", "rank", {}, "the same profile of rank {rank} as"},
    {"what", "", {}, "the same profile as"},
};
inline constexpr ClauseWords kLossNotProfilesClauses[] = {
    {"which", "count", 1, "1 file is not a profile and was"},
    {"which", "", {}, "{count} files are not profiles and were"},
    {"more", "others", {}, ", ..."},
};
inline constexpr ClauseWords kLossCutDurationsClauses[] = {
    {"late_ones", "late", {}, "{late} of {works} kernels and copies end up to {most_late} after the next one on their stream began: each ends there, {late_time} is cut off"},
    {"both", "two", {}, "; "},
    {"long_ones", "too_long", {}, "{too_long} durations are longer than the {recorded} that the profiler recorded: they end with it, {long_time} is cut off"},
};
inline constexpr ClauseWords kCostGpusOfAllClauses[] = {
    {"verb", "machines", 1, "has"},
    {"verb", "", {}, "have"},
};
inline constexpr ClauseWords kCostCoresOfProcessesClauses[] = {
    {"noun", "processes", 1, "process"},
    {"noun", "", {}, "processes"},
};
inline constexpr ClauseWords kRunExceptionClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"after", "steps", 0, " before the first step"},
    {"after", "", {}, " after {steps} {noun}"},
    {"on", "rank", {}, " on rank {rank}"},
    {"says", "message", {}, ": {message}"},
    {"where", "place", {}, " ({place})"},
};
inline constexpr ClauseWords kRunInterruptedClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"after", "steps", 0, " before the first step"},
    {"after", "", {}, " after {steps} {noun}"},
    {"where", "place", {}, ", {place}"},
};
inline constexpr ClauseWords kRunSignalClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"after", "steps", 0, " before the first step"},
    {"after", "", {}, " after {steps} {noun}"},
    {"who", "rank", {}, "Rank {rank} was killed"},
    {"who", "stopped", {}, "Stopped"},
    {"who", "", {}, "Killed"},
    {"why", "kill", {}, ": out of memory, or kill -9"},
    {"why", "fault", {}, ": a crash in native code"},
};
inline constexpr ClauseWords kRunExitCodeClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"after", "steps", 0, " before the first step"},
    {"after", "", {}, " after {steps} {noun}"},
    {"child", "signal", {}, ", as after {signal}"},
    {"child", "", {}, "; no uncaught exception was recorded"},
};

// In the order of model::FindingKind.
inline constexpr KindWords kKindWords[model::kFindingKindCount] = {
    // data.batch_not_ready
    {{"the next batch was not ready in {starved} of {waits} waits", {}},
     {"", {}}, "", ""},
    // data.loaded_by_training
    {{"the training thread loads the data itself (num_workers=0)", {}},
     {"", {}}, "", ""},
    // data.awaited
    {{"the training thread waits for {function} in {share} of the step", {}},
     {"", {}}, "", ""},
    // data.takes_cores
    {{"the batches are prepared on cores that the training thread needs; without that the rest would be faster, too, so there is no speed-up bound", {}},
     {"", {}}, "", ""},
    // cpu.cores_were_short
    {{"the cores were short, so without the loading the rest could be faster, too: no speed-up bound", {}},
     {"", {}}, "", ""},
    // data.samples
    {{"{samples} stack samples", {}},
     {"", {}}, "", ""},
    // data.stages_of_profile
    {{"stages come from the Python functions in the profile", {}},
     {"", {}}, "", ""},
    // step.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // step.drift
    {{"steps slow down gradually, from {from} to {to}{in_stage}", kStepDriftClauses},
     {"", {}}, "", ""},
    // operators.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // communication.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // step.faster_without
    {{"up to {speedup} faster without {what}", kStepFasterWithoutClauses},
     {"", {}}, "", ""},
    // step.bound_includes
    {{"the speed-up bound also counts time that may go with it: {items}", {}},
     {"{what} {share}", kStepBoundIncludesItemClauses}, ", ", ", "},
    // step.bound_of_straggler
    {{"the share is a mean over all ranks; with that rank on time, the step itself is {gain} shorter", {}},
     {"", {}}, "", ""},
    // step.little_remains
    {{"only {rest} per step would remain without it, too little for a reliable speed-up bound", {}},
     {"", {}}, "", ""},
    // step.fewer_operators
    {{"fewer operators also save time inside them, so there is no speed-up bound", {}},
     {"", {}}, "", ""},
    // step.unrecognised
    {{"unrecognised events run in {share} of the step, so there is no speed-up bound", {}},
     {"", {}}, "", ""},
    // step.process_idle
    {{"the process was idle (asleep or waiting) in {share} of the time between batch and backward", {}},
     {"", {}}, "", ""},
    // step.checkpoints
    {{"{steps} {noun} saved a checkpoint", kStepCheckpointsClauses},
     {"", {}}, "", ""},
    // step.evaluations
    {{"{steps} {noun} included an evaluation", kStepEvaluationsClauses},
     {"", {}}, "", ""},
    // step.collection_thresholds
    {{"{what}", kStepCollectionThresholdsClauses},
     {"", {}}, "", ""},
    // framework.recompiled
    {{"torch.compile recompiled {function} at least {count} {noun}; the failed guard: {guard}", kFrameworkRecompiledClauses},
     {"", {}}, "", ""},
    // framework.recompile_limit
    {{"{function} reached recompile_limit ({limit}) and runs uncompiled where no compiled version fits; the failed guard: {guard}", {}},
     {"", {}}, "", ""},
    // step.lock_held
    {{"{what}", kStepLockHeldClauses},
     {"", {}}, "", ""},
    // step.garbage_collections
    {{"{steps} {noun} collected garbage", kStepGarbageCollectionsClauses},
     {"", {}}, "", ""},
    // step.user_range
    {{"{share} of it is in the range \"{range}\"", {}},
     {"", {}}, "", ""},
    // step.runs_in
    {{"it runs {function} in {share} of the step", {}},
     {"", {}}, "", ""},
    // step.waits_in
    {{"it waits in {function} for {share} of the step", {}},
     {"", {}}, "", ""},
    // step.thread_beside
    {{"another thread of the process runs {function} in {share} of the time and competes for the interpreter (GIL)", {}},
     {"", {}}, "", ""},
    // cpu.cores_busy
    {{"{name} busy {share}", kCpuCoresBusyClauses},
     {"", {}}, "", ""},
    // cpu.allowed_cores
    {{"{whose} may run on {allowed} of {cores} (affinity or cpuset)", kCpuAllowedCoresClauses},
     {"", {}}, "", ""},
    // cpu.used_by_job
    {{"the job used {used} of {cores}", {}},
     {"", {}}, "", ""},
    // cpu.quota_ran_out
    {{"the cgroup's CPU quota{of_limit} was used up in {share} of its periods", kCpuQuotaRanOutClauses},
     {"", {}}, "", ""},
    // cpu.contention
    {{"{threads} runnable threads on {cores}", {}},
     {"", {}}, "", ""},
    // cpu.other_work
    {{"other work on the machine used {cores}", {}},
     {"", {}}, "", ""},
    // cpu.run_delay
    {{"threads were runnable but had no core for {seconds} s per second", {}},
     {"", {}}, "", ""},
    // storage.io_wait
    {{"I/O wait {share}", {}},
     {"", {}}, "", ""},
    // storage.read
    {{"the job read {bytes}/s", {}},
     {"", {}}, "", ""},
    // device.busy
    {{"device busy {share}", {}},
     {"", {}}, "", ""},
    // device.in_phases
    {{"the device spends {busy} of the step in forward, backward and optimizer, and waits for a batch for {data}", {}},
     {"", {}}, "", ""},
    // device.idle_at_phase_end
    {{"the device was idle at the end of {share} of these phases, so it waits for the host within them; `steptrace capture --capture kernels` shows for how long", {}},
     {"", {}}, "", ""},
    // device.computing
    {{"devices compute in {computing} of the step and are idle in {idle}", {}},
     {"", {}}, "", ""},
    // device.one_of_several_computing
    {{"at least one of a rank's {devices} devices computes in {computing} of the step; all are idle in {idle} (each: --section devices)", {}},
     {"", {}}, "", ""},
    // device.slow_calls
    {{"{which} of {call} takes {longest}", kDeviceSlowCallsClauses},
     {"", {}}, "", ""},
    // gpu.shared_with_others
    {{"{who} GPU {gpu}{of_node}, too: its utilisation, memory and idle time are not this run's alone", kGpuSharedWithOthersClauses},
     {"", {}}, "", ""},
    // gpu.unknown_processes
    {{"up to {processes} processes were on GPU {gpu}{of_node}, where this run has {ranks} {noun}; the others cannot be identified here (another pid namespace): the GPU's utilisation, memory and idle time may not be this run's alone", kGpuUnknownProcessesClauses},
     {"", {}}, "", ""},
    // gpu.ranks_together
    {{"ranks {items} share one GPU{of_name}: while one leaves it idle, another may use it", kGpuRanksTogetherClauses},
     {"{rank}", {}}, ", ", " and "},
    // gpu.many_ranks_together
    {{"ranks {items} and {more} more share one GPU{of_name}: while one leaves it idle, another may use it", kGpuManyRanksTogetherClauses},
     {"{rank}", {}}, ", ", ", "},
    // communication.straggler
    {{"rank {rank} came last in {last} of {steps} steps", {}},
     {"", {}}, "", ""},
    // communication.waited_for_rank
    {{"all other ranks together waited {wait} per step for it", {}},
     {"", {}}, "", ""},
    // communication.ranks_absent
    {{"{missing} of {all} ranks {have} no {what} here: communication includes waiting for {them}", kCommunicationRanksAbsentClauses},
     {"", {}}, "", ""},
    // communication.on_the_host
    {{"communication ({backend}) runs on the cores that also compute the model; without it the rest would be faster, too, so there is no speed-up bound", {}},
     {"", {}}, "", ""},
    // communication.calls
    {{"a step calls {items}", {}},
     {"{calls} {call}{of_size}", kCommunicationCallsItemClauses}, ", ", ", "},
    // communication.gradient_exchange
    {{"each backward pass of DistributedDataParallel sends {bytes} of gradients in {buckets} {noun}", kCommunicationGradientExchangeClauses},
     {"", {}}, "", ""},
    // communication.exchange_each_backward
    {{"each step has {backwards} backward passes and one optimizer update, but gradients are sent in every pass: none is under no_sync()", {}},
     {"", {}}, "", ""},
    // model.deterministic_fill
    {{"{share} of operator time fills new tensors (aten::fill_, mostly in {call}), a side effect of torch.use_deterministic_algorithms", {}},
     {"", {}}, "", ""},
    // model.slower_than_in_other_steps
    {{"{call} takes {times} as long in steps {first} to {last} as in others that call the same operators for the same shapes, {share} of these steps; operators that only move memory do not", {}},
     {"", {}}, "", ""},
    // model.slower_than_alike
    {{"some calls of {call} take {times} as long as others of the same shapes in the same step: the slow calls take {share} of a step", {}},
     {"", {}}, "", ""},
    // model.no_stacks
    {{"no stack samples of it: {reason}", {}},
     {"", {}}, "", ""},
    // model.few_samples
    {{"too few samples of its stack and CPU time in these steps", {}},
     {"", {}}, "", ""},
    // model.operators_share
    {{"torch's operators take {share} of the steps in windows", {}},
     {"", {}}, "", ""},
    // model.between_operators
    {{"{share} ({low}-{high}) of forward, backward and optimizer lies between operators, measured in {steps} steps", {}},
     {"", {}}, "", ""},
    // model.kernel_classes
    {{"kernels and copies, summed: {items}", {}},
     {"{share} {class_name}", {}}, ", ", ", "},
    // verdict.few_steps
    {{"based on only {steps} {noun}{samples}; other steps may differ", kVerdictFewStepsClauses},
     {"", {}}, "", ""},
    // verdict.all_warm_up
    {{"{steps} {noun}, all warm-up", kVerdictAllWarmUpClauses},
     {"", {}}, "", ""},
    // verdict.warm_up
    {{"{warm_up} of {steps} {noun} {was} warm-up", kVerdictWarmUpClauses},
     {"", {}}, "", ""},
    // run.steps_left_out
    {{"{steps} {noun} lost slices in a damaged file: {counted}", kRunStepsLeftOutClauses},
     {"", {}}, "", ""},
    // run.devices_left_out
    {{"{steps} {noun} lost slices in a damaged file; the device activity of the others is not enough", kRunDevicesLeftOutClauses},
     {"", {}}, "", ""},
    // run.data_loss
    {{"{detail}", {}},
     {"", {}}, "", ""},
    // run.disk_refused
    {{"{rows} rows of {of} could not be written to the disk", {}},
     {"", {}}, "", ""},
    // run.hook_failed
    {{"the hook on {name} could not be installed: {why}", kRunHookFailedClauses},
     {"", {}}, "", ""},
    // run.last_seen
    {{"in the last {time} the training thread {was} {function} ({share} of {samples} samples){worker}", kRunLastSeenClauses},
     {"", {}}, "", ""},
    // profile.processes_together
    {{"rank {rank} is {processes} processes in one file and is shown as one, so a kernel may appear below the wrong operator; import the profile of each process by itself", {}},
     {"", {}}, "", ""},
    // profile.work_not_recorded
    {{"the recording of rank {rank}'s device starts {time} after work was queued for it; that time counts as unattributed", {}},
     {"", {}}, "", ""},
    // profile.steps_overlap
    {{"steps of rank {rank} begin before the previous step on their thread has ended ({steps}): the clock was set back, or the file holds two recordings; that time counts twice", {}},
     {"", {}}, "", ""},
    // profile.steps_nested
    {{"{what} inside another on the same thread of rank {rank}; an inner mark counts as part of the outer step, and a mark around all others is not a step", kProfileStepsNestedClauses},
     {"", {}}, "", ""},
    // profile.threads_together
    {{"{threads} threads of rank {rank} mark steps: where these overlap, the time counts in each", {}},
     {"", {}}, "", ""},
    // profile.runs_in
    {{"it runs {function} in {share} of the step", {}},
     {"", {}}, "", ""},
    // profile.busiest
    {{"{function}: {share} of the recorded time is its own (self time), {time} in {calls} {noun}", kProfileBusiestClauses},
     {"", {}}, "", ""},
    // profile.waits_in
    {{"it waits in {function} for {share} of the step", {}},
     {"", {}}, "", ""},
    // data.take_whole_batches
    {{"index whole batches (x[rows] for rows in torch.randperm(len(x)).split(batch_size)): TensorDataset returns single samples, which are then collated again", {}},
     {"", {}}, "", ""},
    // data.cheaper_getitem
    {{"make {of}__getitem__ cheaper: decode once and cache the result, vectorise it, or read many samples at once", kDataCheaperGetitemClauses},
     {"", {}}, "", ""},
    // data.cheaper_collate
    {{"make {name} cheaper{above_all}: stack whole arrays at once, or have the dataset return whole batches (batch_size=None)", kDataCheaperCollateClauses},
     {"", {}}, "", ""},
    // data.cheaper_sampler
    {{"the time is spent in the DataLoader itself, between sampler and batch: use a cheaper sampler, or one that returns batches of indices (batch_sampler)", {}},
     {"", {}}, "", ""},
    // data.hand_over_less
    {{"send less from the workers: tensors or arrays instead of Python objects, and few large ones instead of many small ones; they go through shared memory", {}},
     {"", {}}, "", ""},
    // data.share_by_file_system
    {{"call torch.multiprocessing.set_sharing_strategy('file_system') in worker_init_fn: by default each tensor needs a connection to its worker", {}},
     {"", {}}, "", ""},
    // data.local_copy
    {{"copy the data to a local disk or cache it in memory, and read it in larger pieces in {where_it_is}", kDataLocalCopyClauses},
     {"", {}}, "", ""},
    // data.fewer_workers
    {{"DataLoader(num_workers={proposed}), now {workers}: they keep up, but they take cores that the training thread needs", {}},
     {"", {}}, "", ""},
    // data.workers_of_cores
    {{"DataLoader(num_workers={cores}), now {workers}: there {are} for them", kDataWorkersOfCoresClauses},
     {"", {}}, "", ""},
    // data.cheaper_worker_start
    {{"the workers start once (persistent_workers=True): import and open less in them; in a longer run the share falls", {}},
     {"", {}}, "", ""},
    // data.one_iterator
    {{"create the iterator once (it = iter(loader), then next(it)): nearly every step creates one and starts its workers; DataLoader(persistent_workers=True), now False, keeps them", {}},
     {"", {}}, "", ""},
    // data.persistent_workers
    {{"DataLoader(persistent_workers=True), now False: the workers restart in every epoch", {}},
     {"", {}}, "", ""},
    // data.copy_ahead
    {{"copy ahead while the device computes: from pinned memory with .to(device, non_blocking=True) on a stream of its own; keep on the device what every step needs (weights, constants), and send batches in a smaller type", {}},
     {"", {}}, "", ""},
    // data.prefetch_more
    {{"DataLoader(prefetch_factor={proposed}), now {prefetched}: the queue is empty only now and then", {}},
     {"", {}}, "", ""},
    // data.load_ahead
    {{"load further ahead, or in more threads or processes (a DataLoader with num_workers does both): the training waits for {function}", {}},
     {"", {}}, "", ""},
    // data.pin_memory
    {{"DataLoader(pin_memory=True), now False, and .to(device, non_blocking=True): copies to the device then overlap with computing", {}},
     {"", {}}, "", ""},
    // data.query_less
    {{"query the database less{in_function}: index what it searches by, fetch many rows at once, or cache the result", kDataQueryLessClauses},
     {"", {}}, "", ""},
    // data.decode_less
    {{"decode less{in_function}: decode many samples in one call, decode once and cache the result, or use a cheaper format or decoder", kDataDecodeLessClauses},
     {"", {}}, "", ""},
    // data.augment_on_device
    {{"augment whole batches at once{in_function}, on the device (torchvision.transforms.v2, kornia), or cache what does not change between epochs", kDataAugmentOnDeviceClauses},
     {"", {}}, "", ""},
    // data.augment_vectorised
    {{"augment whole batches at once{in_function}, or cache what does not change between epochs", kDataAugmentVectorisedClauses},
     {"", {}}, "", ""},
    // data.tokenise_ahead
    {{"tokenise ahead of time and store the ids{in_function}, or tokenise batches with a compiled tokeniser (tokenizers)", kDataTokeniseAheadClauses},
     {"", {}}, "", ""},
    // data.ask_earlier
    {{"the dataset mostly waits{in_function}: request its data earlier or in larger pieces, or keep it in memory or on a local disk", kDataAskEarlierClauses},
     {"", {}}, "", ""},
    // data.cheaper_awaited
    {{"speed up what {function} waits for", {}},
     {"", {}}, "", ""},
    // data.cheaper_sampler_code
    {{"make the sampler cheaper{in_function}: it runs on the training thread even with workers; choose the indices ahead of time, or vectorise it", kDataCheaperSamplerCodeClauses},
     {"", {}}, "", ""},
    // data.cheaper_code
    {{"make the dataset's own code cheaper{in_function}: vectorise it, compute it ahead of time, or cache the result", kDataCheaperCodeClauses},
     {"", {}}, "", ""},
    // data.cheaper_helpers
    {{"the dataset waits for other threads or processes{in_function}: prepare their results ahead of time, use more of them, or make their work cheaper", kDataCheaperHelpersClauses},
     {"", {}}, "", ""},
    // data.hold_lock_less
    {{"the dataset waits for a lock{in_function}: hold it for a shorter time elsewhere, or give the dataset a file, connection or cache of its own", kDataHoldLockLessClauses},
     {"", {}}, "", ""},
    // data.share_less
    {{"the workers wait for each other{in_function}: give each its own file, connection or cache instead of a shared one behind a lock", kDataShareLessClauses},
     {"", {}}, "", ""},
    // data.copy_less
    {{"copy less{in_function}: pass arrays on as they are, or as views", kDataCopyLessClauses},
     {"", {}}, "", ""},
    // data.keep_workers
    {{"the queue is rarely empty: more workers than num_workers={workers} will not help", {}},
     {"", {}}, "", ""},
    // data.even_parts
    {{"give every worker its part of the IterableDataset, as much work as the others' (get_worker_info() in its __iter__): {at_work} of {workers} workers make batches at a time, the others have none to make or wait for their turn; more of them will not help", {}},
     {"", {}}, "", ""},
    // data.more_waiting_workers
    {{"DataLoader(num_workers={proposed}), now {workers}: the dataset mostly waits, and more workers wait in parallel", {}},
     {"", {}}, "", ""},
    // data.cores_taken
    {{"other work takes {others} of {cores}: more workers than num_workers={workers} will not help", {}},
     {"", {}}, "", ""},
    // data.cores_filled
    {{"DataLoader(num_workers={workers}) already fills {cores}{of_quota}: more will not help", kDataCoresFilledClauses},
     {"", {}}, "", ""},
    // data.first_workers
    {{"DataLoader(num_workers={proposed}), now 0: the workers load in parallel, on {free} free cores", {}},
     {"", {}}, "", ""},
    // data.more_workers
    {{"DataLoader(num_workers={proposed}), now {workers}: {free} of {cores}{of_quota} are free", kDataMoreWorkersClauses},
     {"", {}}, "", ""},
    // data.look_at_workers
    {{"a profile of the training process does not show its DataLoader workers: record with `steptrace run` to see them; more workers (num_workers) help if cores are free", {}},
     {"", {}}, "", ""},
    // data.load_beside
    {{"try DataLoader(num_workers={low}{to_high}), now 0: the training thread makes each batch itself{unknown}", kDataLoadBesideClauses},
     {"", {}}, "", ""},
    // step.stop_growth
    {{"steps become slower: look{in_function} for something that grows and is processed as a whole each time (a list, the state of a metric, a cache); keep running sums, process only what is new, or empty it each epoch", kStepStopGrowthClauses},
     {"", {}}, "", ""},
    // cpu.raise_quota
    {{"raise the CPU quota (cpu.max of the cgroup, --cpus of the container), or do less work per sample: the quota limits the workers", {}},
     {"", {}}, "", ""},
    // cpu.allow_more_cores
    {{"let the {whose} run on more cores than {allowed} of {cores}: {by_what}", kCpuAllowMoreCoresClauses},
     {"", {}}, "", ""},
    // cpu.more_cores
    {{"give the job more cores, or let other work on the machine wait; in workers, keep libraries to one thread each (OMP_NUM_THREADS=1)", {}},
     {"", {}}, "", ""},
    // cpu.free_for_training
    {{"run it where no other work needs the cores, or stop that work: the training thread waits for a core", {}},
     {"", {}}, "", ""},
    // cpu.free_for_workers
    {{"run it where no other work needs the cores, or stop that work: the workers wait for a core", {}},
     {"", {}}, "", ""},
    // cpu.free_for_operators
    {{"run it where no other work needs the cores, or stop that work: part of the time between operators is waiting for a core", {}},
     {"", {}}, "", ""},
    // cpu.free_for_model
    {{"run it where no other work needs the cores, or stop that work: the model's threads wait for a core", {}},
     {"", {}}, "", ""},
    // cpu.fewer_threads
    {{"torch.set_num_threads({proposed}), now {threads}, or OMP_NUM_THREADS={proposed}: with more threads than cores, each operator waits for its slowest thread", {}},
     {"", {}}, "", ""},
    // step.own_process
    {{"run {function} in a process of its own: as a thread it competes with the training for the interpreter (GIL)", {}},
     {"", {}}, "", ""},
    // step.compute_less
    {{"the training thread computes outside the model{in_function}: vectorise it, do it less often, or, if it prepares batches, move it to the dataset, where workers do it in parallel", kStepComputeLessClauses},
     {"", {}}, "", ""},
    // step.fewer_checkpoints
    {{"save checkpoints less often, or in the background (torch.distributed.checkpoint.async_save)", {}},
     {"", {}}, "", ""},
    // step.fewer_evaluations
    {{"evaluate less often, or on a part of the evaluation set", {}},
     {"", {}}, "", ""},
    // step.log_less
    {{"log less often{in_function}, and without waiting for the result", kStepLogLessClauses},
     {"", {}}, "", ""},
    // step.fewer_windows
    {{"this is the cost of Steptrace's capture windows: take fewer (--window, steptrace capture), or none with stacks, shapes or memory, which PyTorch writes between two steps", {}},
     {"", {}}, "", ""},
    // step.look_at_range
    {{"look at \"{range}\": it runs on the training thread in every step", {}},
     {"", {}}, "", ""},
    // step.look_at_work
    {{"look at {function}: the training thread runs it between the phases of a step", {}},
     {"", {}}, "", ""},
    // step.look_at_wait
    {{"look at {function}: the training thread waits there", {}},
     {"", {}}, "", ""},
    // step.annotate
    {{"see what the training thread does between the phases: put `with steptrace.annotate(\"...\"):` around suspected code and the report names it", {}},
     {"", {}}, "", ""},
    // profile.record_host
    {{"record the host as well (ProfilerActivity.CPU): the profile has only its calls into the device runtime", {}},
     {"", {}}, "", ""},
    // profile.record_stacks
    {{"profile with Python stacks (torch.profiler.profile(with_stack=True)): the report then names the functions", {}},
     {"", {}}, "", ""},
    // profile.after_warm_up
    {{"profile after some steps (torch.profiler.schedule(wait=1, warmup=3, active=3)): first calls create the device context and load or compile kernels; if later steps do so, too, find out why (changing shapes, autotuning, just-in-time compilation)", {}},
     {"", {}}, "", ""},
    // model.more_steps
    {{"look at more steps, so that some have stack samples", {}},
     {"", {}}, "", ""},
    // model.sample_stacks
    {{"{more}enable stack samples: {how}", kModelSampleStacksClauses},
     {"", {}}, "", ""},
    // model.kernels
    {{"start with the kernels that take its time: steptrace report --section kernels", {}},
     {"", {}}, "", ""},
    // model.fuse_kernels
    {{"fuse memory-bound kernels, {share} of kernel time (mostly {class_name}): {how}", kModelFuseKernelsClauses},
     {"", {}}, "", ""},
    // model.fuse_any_kernels
    {{"fuse memory-bound kernels, {share} of kernel time (mostly {class_name})", {}},
     {"", {}}, "", ""},
    // model.lower_precision
    {{"matrix products in {precision} take {share} of kernel time without tensor cores: use {how}", kModelLowerPrecisionClauses},
     {"", {}}, "", ""},
    // model.lower_any_precision
    {{"matrix products in {precision} take {share} of kernel time without tensor cores: compute in {lower}", {}},
     {"", {}}, "", ""},
    // model.profile_operators
    {{"to see which operators take its time, profile it with torch.profiler", {}},
     {"", {}}, "", ""},
    // model.operators
    {{"start with the operators that take its time: steptrace report --section operators", {}},
     {"", {}}, "", ""},
    // model.no_deterministic_fill
    {{"torch.utils.deterministic.fill_uninitialized_memory = False, now True: algorithms stay deterministic, but new tensors are no longer filled first", {}},
     {"", {}}, "", ""},
    // model.flush_denormals
    {{"try torch.set_flush_denormal(True) before training: denormal numbers (of float32, smaller than 1.2e-38) are one cause of calls that take many times as long for the same shapes; the values themselves were not looked at", {}},
     {"", {}}, "", ""},
    // model.capture_kernels
    {{"capture a window while it runs, to tell computing from framework overhead between kernels: steptrace capture --capture kernels", {}},
     {"", {}}, "", ""},
    // model.capture_operators
    {{"capture a window while it runs, to tell computing from framework overhead between operators: steptrace capture --capture operators", {}},
     {"", {}}, "", ""},
    // framework.no_anomaly_detection
    {{"torch.autograd.set_detect_anomaly(False), now True: it records a stack for every operation and checks every gradient; use it to find a NaN, not to train", {}},
     {"", {}}, "", ""},
    // framework.more_in_a_launch
    {{"the host launches too slowly for the device: fuse operators or replay them as a graph (torch.compile(mode=\"reduce-overhead\"), CUDA graphs), use fused or foreach optimizers, or use larger batches", {}},
     {"", {}}, "", ""},
    // framework.fix_graph_breaks
    {{"operators are too short for their dispatch overhead although torch.compile is in use: find what it leaves out (TORCH_LOGS=graph_breaks), use a larger batch, and optimizers with fused=True or foreach=True", {}},
     {"", {}}, "", ""},
    // framework.fuse_operators
    {{"operators are too short for their dispatch overhead: fuse them (torch.compile(model)), use a larger batch, and optimizers with fused=True or foreach=True", {}},
     {"", {}}, "", ""},
    // framework.collect_seldom
    {{"{what}", kFrameworkCollectSeldomClauses},
     {"", {}}, "", ""},
    // framework.fixed_shapes
    {{"torch.compile compiles anew during training: TORCH_LOGS=recompiles says why; if shapes change, keep them fixed (drop_last, padding) or pass dynamic=True", {}},
     {"", {}}, "", ""},
    // framework.steady_shapes
    {{"{compiles}: keep shapes fixed (drop_last, padding) or pass dynamic=True", kFrameworkSteadyShapesClauses},
     {"", {}}, "", ""},
    // framework.steady_tensors
    {{"{compiles}: keep dtype, device, layout and requires_grad of its inputs the same", kFrameworkSteadyTensorsClauses},
     {"", {}}, "", ""},
    // framework.values_as_tensors
    {{"{compiles}: each value of a Python number is compiled separately: pass it as a tensor, or keep counters and schedules out of the compiled function", kFrameworkValuesAsTensorsClauses},
     {"", {}}, "", ""},
    // framework.texts_outside
    {{"{compiles}: each string is compiled separately: decide by it outside the compiled function, or compile one function for each", kFrameworkTextsOutsideClauses},
     {"", {}}, "", ""},
    // framework.steady_lengths
    {{"{compiles}: lengths of lists and keys of dicts are compiled in: keep them the same, or put the content into one tensor", kFrameworkSteadyLengthsClauses},
     {"", {}}, "", ""},
    // framework.one_state
    {{"{compiles}: call it in one mode (gradients, autocast, training or evaluation, threads), or compile one function for each", kFrameworkOneStateClauses},
     {"", {}}, "", ""},
    // framework.one_object
    {{"{compiles}: an argument or a captured variable is a new object each time: create functions, modules, optimizers and backends once, before the loop", kFrameworkOneObjectClauses},
     {"", {}}, "", ""},
    // framework.look_at_guard
    {{"{compiles}: keep what it checks the same from call to call; TORCH_LOGS=recompiles lists each recompilation", kFrameworkLookAtGuardClauses},
     {"", {}}, "", ""},
    // framework.look_at_unbegun_work
    {{"launched work does not start at once, although the device is idle: see what happens meanwhile (timeline of steptrace ui): an event on another stream, gaps in a graph, or another process on the device", {}},
     {"", {}}, "", ""},
    // framework.run_ahead
    {{"let the host run ahead: no .item(), .cpu(), print of a tensor or torch.cuda.synchronize() in every step; copies with non_blocking=True", {}},
     {"", {}}, "", ""},
    // communication.all_ranks
    {{"record all ranks, to tell transfer from waiting: {how}", kCommunicationAllRanksClauses},
     {"", {}}, "", ""},
    // communication.accumulate_without_sync
    {{"communicate less often: accumulate gradients over several batches, with model.set_requires_gradient_sync(False) on all but the last", {}},
     {"", {}}, "", ""},
    // communication.accumulate
    {{"communicate less often: accumulate gradients over several batches under model.no_sync()", {}},
     {"", {}}, "", ""},
    // communication.no_sync
    {{"send gradients once per step instead of {backwards} times: run forward and backward of all but the last batch under model.no_sync() (Accelerate: accelerator.accumulate(model)); this saves {left_out} of {backwards} transfers", {}},
     {"", {}}, "", ""},
    // communication.call_less
    {{"communicate less often: after several batches instead of each", {}},
     {"", {}}, "", ""},
    // communication.tensors_for_objects
    {{"send tensors instead of {call}, or call it less often: objects are pickled, sent in two calls and unpickled on each rank", {}},
     {"", {}}, "", ""},
    // communication.no_barrier
    {{"remove {call}: it transfers nothing, and collectives wait for all ranks anyway", {}},
     {"", {}}, "", ""},
    // communication.micro_batches
    {{"let the ranks work at the same time: split each batch into micro-batches, so that one computes the next while another has the one before (torch.distributed.pipelining), or ask for what comes (irecv) before it is needed", {}},
     {"", {}}, "", ""},
    // communication.join_calls
    {{"merge many small collectives into one: latency dominates them, not bytes (torch.cat of flat tensors; DistributedDataParallel does it for gradients)", {}},
     {"", {}}, "", ""},
    // communication.wait_later
    {{"wait for asynchronous collectives only where their result is used, and compute in between", {}},
     {"", {}}, "", ""},
    // communication.start_asynchronously
    {{"start collectives with async_op=True and wait for them where their result is used", {}},
     {"", {}}, "", ""},
    // communication.hold_parameters
    {{"fully_shard(reshard_after_forward=False), now True: parameters are then gathered once per step and kept", {}},
     {"", {}}, "", ""},
    // communication.more_layers_a_unit
    {{"use fewer and larger collectives: more layers in each fully_shard()", {}},
     {"", {}}, "", ""},
    // communication.shard_gradients
    {{"FullyShardedDataParallel(sharding_strategy=SHARD_GRAD_OP), now FULL_SHARD: parameters are then gathered once per step and kept", {}},
     {"", {}}, "", ""},
    // communication.larger_units
    {{"use fewer and larger collectives: larger units in auto_wrap_policy", {}},
     {"", {}}, "", ""},
    // communication.larger_buckets
    {{"overlap communication with backward: larger bucket_cap_mb{size}{and_views} in DistributedDataParallel{or_hook}", kCommunicationLargerBucketsClauses},
     {"", {}}, "", ""},
    // communication.nccl
    {{"init_process_group(\"nccl\"), now gloo: devices then communicate without the host", {}},
     {"", {}}, "", ""},
    // communication.no_unused_parameters
    {{"DistributedDataParallel(find_unused_parameters=False), now True, if each step uses all parameters: the search walks the graph in every step and adds a collective; if the unused ones never change, use static_graph=True", {}},
     {"", {}}, "", ""},
    // communication.even_work
    {{"the ranks are late in turn: give all the same amount of work per step, and compare their breakdowns", {}},
     {"", {}}, "", ""},
    // communication.look_at_data
    {{"look at rank {rank}'s data: {what}; the other ranks load faster", kCommunicationLookAtDataClauses},
     {"", {}}, "", ""},
    // communication.look_at_rank
    {{"look at rank {rank}: its {stage} takes longer than on the others; other work on its cores or device, lower clocks, or larger samples in its shard", {}},
     {"", {}}, "", ""},
    // communication.look_at_cause
    {{"look at rank {rank}: {what} makes the others wait; do it less often, on all ranks at once, or in the background", kCommunicationLookAtCauseClauses},
     {"", {}}, "", ""},
    // run.call_step
    {{"import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.call_step_if_it_trains
    {{"if it trains with an optimizer of its own: import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.call_step_if_it_trained
    {{"if it trained with an optimizer of its own: import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.call_step_if_it_trains_already
    {{"if it trains already: import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.let_hooks_in
    {{"if it is a Python training: -S, -E, -I or a cleared PYTHONPATH kept the hooks out; run it without, or install them with python -m steptrace.pth install", {}},
     {"", {}}, "", ""},
    // run.name_ranges
    {{"if it is another program: it has no steps, but its ranges appear on the timeline once named with include/steptrace/steptrace.h", {}},
     {"", {}}, "", ""},
    // run.longer_range
    {{"choose a longer time range: one complete step is needed for a breakdown, {steps} for an interval", {}},
     {"", {}}, "", ""},
    // run.without_tool
    {{"record without that tool (debugger, tracer, profiler with stacks)", {}},
     {"", {}}, "", ""},
    // run.free_space
    {{"free space there, or choose another folder (--output), and record again", {}},
     {"", {}}, "", ""},
    // run.fix_failure
    {{"fix the error at the end of its output", {}},
     {"", {}}, "", ""},
    // run.look_where_it_is
    {{"look at {function}: it is there", {}},
     {"", {}}, "", ""},
    // run.look_where_it_was
    {{"look at {function}: it was there when it was stopped", {}},
     {"", {}}, "", ""},
    // run.with_optimizer_hook
    {{"run without --hooks, or with optimizer in its list", {}},
     {"", {}}, "", ""},
    // run.with_hooks
    {{"run without --hooks off", {}},
     {"", {}}, "", ""},
    // run.capture_again
    {{"capture again: warm-up is over after its first steps", {}},
     {"", {}}, "", ""},
    // run.look_behind_warm_up
    {{"look at steps after the warm-up", {}},
     {"", {}}, "", ""},
    // run.more_steps
    {{"look at more steps", {}},
     {"", {}}, "", ""},
    // run.ask_again
    {{"ask again when it has made more steps", {}},
     {"", {}}, "", ""},
    // run.longer
    {{"let it run longer", {}},
     {"", {}}, "", ""},
    // import.all_files
    {{"import all files of the job: the steps are in its framework events", {}},
     {"", {}}, "", ""},
    // import.record_host
    {{"record the host too (ProfilerActivity.CPU), and call profiler.step() at the end of each step", {}},
     {"", {}}, "", ""},
    // import.mark_steps_jax
    {{"mark each step: with jax.profiler.StepTraceAnnotation(\"train\", step_num=step): around it", {}},
     {"", {}}, "", ""},
    // import.mark_steps_tensorflow
    {{"mark each step: with tf.profiler.experimental.Trace(\"train\", step_num=step, _r=1): around it", {}},
     {"", {}}, "", ""},
    // import.run_training
    {{"run the training itself under `steptrace run`: it sees the steps, whatever profiler is used", {}},
     {"", {}}, "", ""},
    // profile.name_ranges_jax
    {{"name what the host does between its calls: with jax.profiler.TraceAnnotation(\"...\"): around suspected code, and the report names it", {}},
     {"", {}}, "", ""},
    // profile.name_ranges_tensorflow
    {{"name what the host does between its calls: with tf.profiler.experimental.Trace(\"...\"): around suspected code, and the report names it", {}},
     {"", {}}, "", ""},
    // recommendation.raise_workers
    {{"set DataLoader(num_workers=...) or raise it, and pin_memory=True", {}},
     {"", {}}, "", ""},
    // recommendation.distributed_data_parallel
    {{"use DistributedDataParallel: a process for each device", {}},
     {"", {}}, "", ""},
    // recommendation.use_nccl
    {{"init_process_group(\"nccl\"): devices then communicate without the host", {}},
     {"", {}}, "", ""},
    // recommendation.communicate_less
    {{"compress gradients, accumulate them over several batches, or use a larger batch with an optimizer made for it (LAMB)", {}},
     {"", {}}, "", ""},
    // recommendation.give_device_more
    {{"the verdict says what it waits for; a larger batch keeps it busier", {}},
     {"", {}}, "", ""},
    // recommendation.mixed_precision
    {{"enable automatic mixed precision: torch.autocast(\"cuda\", torch.bfloat16)", {}},
     {"", {}}, "", ""},
    // recommendation.use_less_memory
    {{"activation checkpointing (torch.utils.checkpoint) or mixed precision use less", {}},
     {"", {}}, "", ""},
    // recommendation.launch_less
    {{"torch.compile(mode=\"reduce-overhead\") or CUDA graphs; fused optimizers; larger batches", {}},
     {"", {}}, "", ""},
    // recommendation.overlap_communication
    {{"larger buckets and gradient_as_bucket_view=True in DistributedDataParallel, prefetching in FSDP (forward_prefetch, backward_prefetch), async_op=True for your own collectives", {}},
     {"", {}}, "", ""},
    // recommendation.look_at_late_rank
    {{"steptrace report --section distributed shows what the late rank did instead", {}},
     {"", {}}, "", ""},
    // recommendation.synchronise_less
    {{"avoid .item(), .cpu() and torch.cuda.synchronize() in every step; use non_blocking=True for copies", {}},
     {"", {}}, "", ""},
    // recommendation.gather_copies
    {{"gather small tensors into one before copying, and keep scalars on the device", {}},
     {"", {}}, "", ""},
    // recommendation.use_tensor_cores
    {{"bfloat16 or float16 by torch.autocast, torch.set_float32_matmul_precision(\"high\"), channels_last for convolutions, sizes that are multiples of 8", {}},
     {"", {}}, "", ""},
    // recommendation.keep_blocks
    {{"avoid torch.cuda.empty_cache() in the loop; set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; keep shapes fixed so that blocks are reused", {}},
     {"", {}}, "", ""},
    // rule.gpu_under_utilised
    {{"{gpu} is under-utilised in {found} of {windows} {noun}: p95 {p95} %, p5 {p5} %{first}", kRuleGpuUnderUtilisedClauses},
     {"", {}}, "", ""},
    // rule.gpu_under_utilised_over_steps
    {{"{gpu} is under-utilised over {steps} {noun}: p95 {p95} %, p5 {p5} %", kRuleGpuUnderUtilisedOverStepsClauses},
     {"", {}}, "", ""},
    // rule.gpu_under_utilised_over_profile
    {{"{gpu} is under-utilised over the whole profile: busy {busy} % of it", kRuleGpuUnderUtilisedOverProfileClauses},
     {"", {}}, "", ""},
    // rule.gpu_under_utilised_lately
    {{"GPU {device} of node {node} is under-utilised: p95 {p95} %, p5 {p5} % of the last {samples} samples", {}},
     {"", {}}, "", ""},
    // rule.gpu_fluctuates
    {{"{gpu} fluctuates in {found} of {windows} {noun}: p95 {p95} %, p5 {p5} %{first}", kRuleGpuFluctuatesClauses},
     {"", {}}, "", ""},
    // rule.gpu_fluctuates_over_steps
    {{"{gpu} fluctuates over {steps} {noun}: p95 {p95} %, p5 {p5} %", kRuleGpuFluctuatesOverStepsClauses},
     {"", {}}, "", ""},
    // rule.gpu_fluctuates_over_profile
    {{"{gpu} fluctuates over the whole profile: busy {busy} % of it", kRuleGpuFluctuatesOverProfileClauses},
     {"", {}}, "", ""},
    // rule.gpu_fluctuates_lately
    {{"GPU {device} of node {node} fluctuates: p95 {p95} %, p5 {p5} % of the last {samples} samples", {}},
     {"", {}}, "", ""},
    // rule.gpu_not_used
    {{"{gpu} is not used at all", kRuleGpuNotUsedClauses},
     {"", {}}, "", ""},
    // rule.batch_too_small
    {{"{gpu}: p95 of CPU {cpu} %, GPU {busy} %, GPU memory {memory} %", kRuleBatchTooSmallClauses},
     {"", {}}, "", ""},
    // rule.memory_grew
    {{"{gpu}: memory grew by {points} points in {over}, to {memory} %{above}", kRuleMemoryGrewClauses},
     {"", {}}, "", ""},
    // rule.memory_mean_grew
    {{"GPU {device} of node {node}: the mean of {samples} samples grew by {points} points", {}},
     {"", {}}, "", ""},
    // rule.steps_starve_gpu
    {{"{gpu}: idle in {idle} of {steps} {noun}, and data path busy in {found} of those", kRuleStepsStarveGpuClauses},
     {"", {}}, "", ""},
    // rule.cpu_bottleneck
    {{"node {node}: GPUs idle in {idle} of {snapshots} {noun}, and CPU or data path busy in {found} of those", kRuleCpuBottleneckClauses},
     {"", {}}, "", ""},
    // rule.io_bottleneck
    {{"node {node}: GPUs idle in {idle} of {snapshots} {noun}, and storage waited for in {found} of those", kRuleIoBottleneckClauses},
     {"", {}}, "", ""},
    // rule.bottlenecks
    {{"{found} {noun} of {idle} with a GPU under {limit} %, of {snapshots} in all: {percent} %", kRuleBottlenecksClauses},
     {"", {}}, "", ""},
    // rule.gpus_differ_in_use
    {{"{one} (mean {mean} %) and {other} (mean {other_mean} %) differ in use by {distance}", kRuleGpusDifferInUseClauses},
     {"", {}}, "", ""},
    // rule.gpus_take_turns
    {{"{one} (mean {mean} %) and {other} (mean {other_mean} %) take turns: they differ by {distance}", kRuleGpusTakeTurnsClauses},
     {"", {}}, "", ""},
    // rule.last_gpus_differ
    {{"the last GPUs of nodes {node} and {other_node} differ by {distance}", {}},
     {"", {}}, "", ""},
    // rule.loaders_on_cores
    {{"{loaders} {noun} on {cores} {core_noun} in the median second", kRuleLoadersOnCoresClauses},
     {"", {}}, "", ""},
    // rule.workers_on_cores
    {{"{workers} workers on {cores} cores", {}},
     {"", {}}, "", ""},
    // rule.waits_for_data
    {{"rank {rank}, steps {from} to {to}: waiting for data takes {share} of the time{queue}", kRuleWaitsForDataClauses},
     {"", {}}, "", ""},
    // rule.long_steps
    {{"rank {rank}: {found} of {steps} {noun} over {limit}", kRuleLongStepsClauses},
     {"", {}}, "", ""},
    // rule.slow_steps
    {{"rank {rank}: {found} of {steps} {noun} took over {limit} (median {median}), at a cost of {cost}", kRuleSlowStepsClauses},
     {"", {}}, "", ""},
    // rule.no_first_step
    {{"no step in the first {time}", {}},
     {"", {}}, "", ""},
    // rule.long_initialization
    {{"{time} {what} the first step", kRuleLongInitializationClauses},
     {"", {}}, "", ""},
    // rule.found
    {{"{rule}: {times} {noun}", kRuleFoundClauses},
     {"", {}}, "", ""},
    // recommendation.loader
    {{"the data loader takes {share} of the step in which nothing else runs", {}},
     {"", {}}, "", ""},
    // recommendation.loader_time
    {{"{time} in {steps} {noun}", kRecommendationLoaderTimeClauses},
     {"", {}}, "", ""},
    // recommendation.data_parallel
    {{"DataParallel drives {devices} {noun} from one process", kRecommendationDataParallelClauses},
     {"", {}}, "", ""},
    // recommendation.gradient_exchange
    {{"DistributedDataParallel communicates {how} NCCL", kRecommendationGradientExchangeClauses},
     {"", {}}, "", ""},
    // recommendation.communication
    {{"communication {takes} {share} of the step{alone}", kRecommendationCommunicationClauses},
     {"", {}}, "", ""},
    // recommendation.least_used_device
    {{"the least busy device runs kernels in {only}{share} of the step time", kRecommendationLeastUsedDeviceClauses},
     {"", {}}, "", ""},
    // recommendation.little_used_device
    {{"device {device} of rank {rank}: kernels run in {share} of the step time", {}},
     {"", {}}, "", ""},
    // recommendation.tensor_cores_used
    {{"kernels with {share} of the kernel time use tensor cores", {}},
     {"", {}}, "", ""},
    // recommendation.no_tensor_cores_used
    {{"no kernel uses tensor cores, {operators}", kRecommendationNoTensorCoresUsedClauses},
     {"", {}}, "", ""},
    // recommendation.tensor_core_operators
    {{"kernels with {share} of the kernel time belong to such operators", {}},
     {"", {}}, "", ""},
    // recommendation.memory_peak
    {{"the peak of allocated memory is {share} of the device's", {}},
     {"", {}}, "", ""},
    // recommendation.launches
    {{"devices wait for the host to launch work in {share} of the step", {}},
     {"", {}}, "", ""},
    // recommendation.short_launches
    {{"{launches} launches, {mean} on average; {shorter} took longer than their kernels", {}},
     {"", {}}, "", ""},
    // recommendation.exposed_communication
    {{"exposed communication takes {share} of the step", {}},
     {"", {}}, "", ""},
    // recommendation.communication_overlapped
    {{"{share} of {communication} of communication overlap with computing", {}},
     {"", {}}, "", ""},
    // recommendation.straggler
    {{"ranks wait for the straggler in {share} of the step", {}},
     {"", {}}, "", ""},
    // recommendation.late_rank
    {{"the others waited {wait} for rank {rank} (its {cause})", {}},
     {"", {}}, "", ""},
    // recommendation.synchronisation
    {{"devices are idle in {share} of the step while {what}", kRecommendationSynchronisationClauses},
     {"", {}}, "", ""},
    // recommendation.synchronising_calls
    {{"{calls} synchronizing {noun}, {time} in total", kRecommendationSynchronisingCallsClauses},
     {"", {}}, "", ""},
    // recommendation.small_copies
    {{"copies of under 64 KiB take {share} of the time", {}},
     {"", {}}, "", ""},
    // recommendation.small_copies_of_all
    {{"{small} of {copies} copies are that small, {time} in total", {}},
     {"", {}}, "", ""},
    // recommendation.tensor_core_share
    {{"tensor cores run {share} of computing, judging by kernel names", {}},
     {"", {}}, "", ""},
    // recommendation.tensor_core_share_possible
    {{"operators that could use them launch {share} of computing", {}},
     {"", {}}, "", ""},
    // recommendation.allocator
    {{"allocating device memory takes {share} of the steps", {}},
     {"", {}}, "", ""},
    // recommendation.allocator_calls
    {{"{calls} {noun}, {time} in total", kRecommendationAllocatorCallsClauses},
     {"", {}}, "", ""},
    // verdict.straggler
    {{"communication: rank {rank} is late because of its {cause}; waiting for it takes {share}{ranks}{seen}", kVerdictStragglerClauses},
     {"", {}}, "", ""},
    // verdict.exchange_or_waiting
    {{"communication, {share}{ranks}: transfer or waiting for {others}, which only {what} can tell apart{seen}", kVerdictExchangeOrWaitingClauses},
     {"", {}}, "", ""},
    // verdict.suspect
    {{"{who}, {share}{ranks}{slowed}{seen}", kVerdictSuspectClauses},
     {"", {}}, "", ""},
    // verdict.training_without_core
    {{"CPU contention of the training thread, {share}: the batch was ready in {ready} of {waits} waits, but the thread had no core", kVerdictTrainingWithoutCoreClauses},
     {"", {}}, "", ""},
    // verdict.no_single_suspect
    {{"no single suspect: {first} {first_part}{more}{beside_model}{of_ranks}{seen}", kVerdictNoSingleSuspectClauses},
     {"", {}}, "", ""},
    // verdict.model_if_it_computes
    {{"the model takes {share}{ranks}{slowed}; too few samples to tell whether the rest of its forward computes or waits{seen}", kVerdictModelIfItComputesClauses},
     {"", {}}, "", ""},
    // verdict.model_and_next
    {{"{fill} {share}{ranks}{slowed}; next: {next}, {of_step}{of_rank}{seen}", kVerdictModelAndNextClauses},
     {"", {}}, "", ""},
    // verdict.model_and_rest
    {{"{fill} {share}{ranks}{slowed}; next: other work and unattributed time, {rest} together{seen}", kVerdictModelAndRestClauses},
     {"", {}}, "", ""},
    // verdict.model_with_overhead
    {{"the model and framework overhead take {share}{ranks}{slowed}; the capture window was full before it could tell them apart{seen}", kVerdictModelWithOverheadClauses},
     {"", {}}, "", ""},
    // verdict.model_waits_for_host
    {{"the model takes {share}{ranks}, and the device waits for the host meanwhile{seen}", kVerdictModelWaitsForHostClauses},
     {"", {}}, "", ""},
    // verdict.model_unrecognised
    {{"the model takes {share}{ranks} as far as events are recognised; unrecognised ones run in {unrecognised} of the step{seen}", kVerdictModelUnrecognisedClauses},
     {"", {}}, "", ""},
    // verdict.model_healthy
    {{"the model takes {share}{ranks}; no other bottleneck{seen}", kVerdictModelHealthyClauses},
     {"", {}}, "", ""},
    // verdict.model_slowed
    {{"the model takes {share}{ranks}{slowed}{seen}", kVerdictModelSlowedClauses},
     {"", {}}, "", ""},
    // verdict.no_hooks
    {{"no steps seen: no process of this run has the hooks", {}},
     {"", {}}, "", ""},
    // verdict.no_step_in_range
    {{"no complete step in this time range", {}},
     {"", {}}, "", ""},
    // verdict.cannot_record
    {{"no step seen: the hooks could not record", {}},
     {"", {}}, "", ""},
    // verdict.shared_memory_full
    {{"no step seen: shared memory was full", {}},
     {"", {}}, "", ""},
    // verdict.unrecorded_process
    {{"no step seen: the run was closed before the command's processes had ended", {}},
     {"", {}}, "", ""},
    // verdict.script_profiler
    {{"no step seen: the hooks made way for the script's own profiler or debugger", {}},
     {"", {}}, "", ""},
    // verdict.steps_damaged
    {{"no step can be read: their file is damaged", {}},
     {"", {}}, "", ""},
    // verdict.steps_refused
    {{"no step can be read: the disk was full", {}},
     {"", {}}, "", ""},
    // verdict.no_python
    {{"no step seen: no process loaded the hooks", {}},
     {"", {}}, "", ""},
    // verdict.no_torch
    {{"no step seen: {why}", kVerdictNoTorchClauses},
     {"", {}}, "", ""},
    // verdict.no_optimizer
    {{"no step seen: {why}", kVerdictNoOptimizerClauses},
     {"", {}}, "", ""},
    // verdict.optimizer_left_out
    {{"no step seen: the optimizer hook, which marks the end of a step, is off", {}},
     {"", {}}, "", ""},
    // verdict.import_without_steps
    {{"no step seen: the imported files mark none", {}},
     {"", {}}, "", ""},
    // verdict.no_training
    {{"not a training: {what} has no steps and no framework events", kVerdictNoTrainingClauses},
     {"", {}}, "", ""},
    // verdict.hooks_off
    {{"no step seen: the hooks were switched off", {}},
     {"", {}}, "", ""},
    // verdict.no_step_yet
    {{"no step yet: the job is starting, or still in its first step", {}},
     {"", {}}, "", ""},
    // verdict.only_warm_up
    {{"too few steps: {which} warm-up", kVerdictOnlyWarmUpClauses},
     {"", {}}, "", ""},
    // verdict.too_few_steps
    {{"too few steps: {steady} of {seen} are steady; {more} more {are} needed", kVerdictTooFewStepsClauses},
     {"", {}}, "", ""},
    // usage.fluctuates
    {{"{metric} use of node {node} fluctuates: p5 is {low} %, p95 {high} %.", {}},
     {"", {}}, "", ""},
    // usage.smaller_without_gpu
    {{"Node {node} has no GPU, and p95 of CPU is {cpu} %: a smaller machine may do.", {}},
     {"", {}}, "", ""},
    // usage.smaller
    {{"Node {node} is under-utilised: p95 of GPU is {gpu} %, p95 of CPU is {cpu} %. A smaller machine may do.", {}},
     {"", {}}, "", ""},
    // usage.held_up_by_cpu
    {{"Node {node} is probably limited by its CPU: p95 of GPU is {gpu} %, p95 of CPU is {cpu} %.", {}},
     {"", {}}, "", ""},
    // usage.well_used
    {{"Node {node} is well used: p50 of GPU is {gpu} %.", {}},
     {"", {}}, "", ""},
    // note.no_device_activity
    {{"{why}: {items} are empty{collectives}", kNoteNoDeviceActivityClauses},
     {"{part}", {}}, ", ", " and "},
    // note.profile_without_devices
    {{"devices, kernels: not applicable: the profile has no device activity{how}", kNoteProfileWithoutDevicesClauses},
     {"", {}}, "", ""},
    // note.profile_without_operators
    {{"operators: not applicable: the profile has none{how}", kNoteProfileWithoutOperatorsClauses},
     {"", {}}, "", ""},
    // note.profile_without_memory
    {{"memory: not applicable: the profile has no allocations{how}", kNoteProfileWithoutMemoryClauses},
     {"", {}}, "", ""},
    // note.profile_without_modules
    {{"modules: not applicable: the profile has none{how}", kNoteProfileWithoutModulesClauses},
     {"", {}}, "", ""},
    // note.steps_left_out
    {{"{which} left out of all figures about devices: a damaged file had some of {its} events (data_loss: segment_damaged){few}{idle}", kNoteStepsLeftOutClauses},
     {"", {}}, "", ""},
    // note.agent_ended_first
    {{"finalization is unknown: the agent ended before the run, and there may be steps after the last recorded one", {}},
     {"", {}}, "", ""},
    // note.lost_after_last_step
    {{"finalization is unknown: records after the last stored step were lost ({cause}), perhaps with more steps", {}},
     {"", {}}, "", ""},
    // note.no_step_marks
    {{"no step marks in the profile: it counts as one step{how}", kNoteNoStepMarksClauses},
     {"", {}}, "", ""},
    // note.windows
    {{"device activity is known for {steps} {noun}, from kernel windows: {what}{few}", kNoteWindowsClauses},
     {"", {}}, "", ""},
    // note.collectives_from
    {{"distributed: only collectives from {time} of the run on; earlier ones were too many", {}},
     {"", {}}, "", ""},
    // note.no_metric
    {{"system: no metric was collected{elsewhere}", kNoteNoMetricClauses},
     {"", {}}, "", ""},
    // note.samples_around
    {{"samples: too few in these steps; stages and functions come from all steps within {time}", {}},
     {"", {}}, "", ""},
    // note.not_measured
    {{"not measured: {what}{reason}{next}", kNoteNotMeasuredClauses},
     {"", {}}, "", ""},
    // note.last_steps
    {{"only the last {steps} steady steps of each rank", {}},
     {"", {}}, "", ""},
    // memory.copy_on_write
    {{"private memory of {whose}{of_node} {grows}: {copies} with the training's process, as counting a reference to an object writes to it; keep what the dataset holds in few large arrays (NumPy, torch, Arrow, a mapped file) in place of lists and dicts", kMemoryCopyOnWriteClauses},
     {"", {}}, "", ""},
    // memory.device_nearly_full
    {{"{what}", kMemoryDeviceNearlyFullClauses},
     {"", {}}, "", ""},
    // memory.cgroup_nearly_full
    {{"the job's processes{of_node} took up to {peak} of the {limit} that their cgroup may use ({share}): {left} is left", kMemoryCgroupNearlyFullClauses},
     {"", {}}, "", ""},
    // memory.machine_nearly_full
    {{"up to {peak} of the {limit} of memory{of_node} was in use ({share}): {left} is left", kMemoryMachineNearlyFullClauses},
     {"", {}}, "", ""},
    // note.window_cost
    {{"steps in kernel windows take {steps}, earlier ones {before}: the difference is subtracted from dispatch, launch and synchronization", {}},
     {"", {}}, "", ""},
    // note.cupti_stays
    {{"after a window of kernels {reason}", {}},
     {"", {}}, "", ""},
    // note.cupti_taken
    {{"a window has no kernels: {reason}", {}},
     {"", {}}, "", ""},
    // note.no_group_reported
    {{"no collective in this run names its process group; call torch.distributed in a script under `steptrace run`", {}},
     {"", {}}, "", ""},
    // note.no_collectives
    {{"{what}", kNoteNoCollectivesClauses},
     {"", {}}, "", ""},
    // note.one_rank
    {{"waiting cannot be computed: only 1{of} is here; {next}", kNoteOneRankClauses},
     {"", {}}, "", ""},
    // note.nothing_matched
    {{"no collective of one rank matches one of another rank{next}", kNoteNothingMatchedClauses},
     {"", {}}, "", ""},
    // note.shared_group_name
    {{"more ranks call in process group {group} than it has: several groups share this name, so its calls cannot be matched", {}},
     {"", {}}, "", ""},
    // note.collectives_lack_ranks
    {{"{incomplete} of {collectives} collectives lack ranks: waiting is a lower bound", {}},
     {"", {}}, "", ""},
    // note.calls_unplaced
    {{"collectives of {who} {items}{others} have no sequence numbers and match no other rank by their times, so who waited for them is unknown", kNoteCallsUnplacedClauses},
     {"{rank}", {}}, ", ", ", "},
    // note.calls_ambiguous
    {{"collectives of {who} {items}{others} have no sequence numbers and match other ranks in more than one way: waiting may belong to a neighbouring call", kNoteCallsAmbiguousClauses},
     {"{rank}", {}}, ", ", ", "},
    // comparison.no_steps
    {{"Neither run has steady steps to compare.", {}},
     {"", {}}, "", ""},
    // comparison.no_steps_in_one
    {{"{run} has no steady steps to compare.", {}},
     {"", {}}, "", ""},
    // comparison.may_be_chance
    {{"Their steps take the same time, within the intervals.", {}},
     {"", {}}, "", ""},
    // comparison.same
    {{"Their steps take the same time: {time}.", {}},
     {"", {}}, "", ""},
    // comparison.faster
    {{"{which} is {by} faster per step: {fast} instead of {slow}{end}", kComparisonFasterClauses},
     {"", {}}, "", ""},
    // comparison.dataset_stages_of_one
    {{"Only {which} has stages of the dataset; in the comparison __getitem__ includes {items}.", kComparisonDatasetStagesOfOneClauses},
     {"{stage} {time}", {}}, ", ", ", "},
    // legacy.text
    {{"{text}", {}},
     {"", {}}, "", ""},
    // reason.no_gpu_metric
    {{"no metric of a GPU was sampled{elsewhere}", kReasonNoGpuMetricClauses},
     {"", {}}, "", ""},
    // reason.no_system_metric
    {{"no system metric was collected{elsewhere}", kReasonNoSystemMetricClauses},
     {"", {}}, "", ""},
    // reason.no_gpu_memory_or_cpu
    {{"GPU memory or CPU use was not measured{elsewhere}", kReasonNoGpuMemoryOrCpuClauses},
     {"", {}}, "", ""},
    // reason.no_gpu_memory
    {{"GPU memory was not measured{elsewhere}", kReasonNoGpuMemoryClauses},
     {"", {}}, "", ""},
    // reason.no_cpu
    {{"CPU use was not measured{elsewhere}", kReasonNoCpuClauses},
     {"", {}}, "", ""},
    // reason.no_io_wait
    {{"I/O wait was not measured{elsewhere}", kReasonNoIoWaitClauses},
     {"", {}}, "", ""},
    // reason.gpu_memory_size_unknown
    {{"the size of the GPU's memory is not known{elsewhere}", kReasonGpuMemorySizeUnknownClauses},
     {"", {}}, "", ""},
    // reason.memory_in_no_step
    {{"memory was recorded in no training step{elsewhere}", kReasonMemoryInNoStepClauses},
     {"", {}}, "", ""},
    // reason.no_memory_records
    {{"the profile has no memory records (profile_memory=True){elsewhere}", kReasonNoMemoryRecordsClauses},
     {"", {}}, "", ""},
    // reason.one_gpu
    {{"there is one GPU", {}},
     {"", {}}, "", ""},
    // reason.few_samples
    {{"too few samples of any GPU", {}},
     {"", {}}, "", ""},
    // reason.few_samples_of_two
    {{"too few samples of two GPUs", {}},
     {"", {}}, "", ""},
    // reason.no_training_step
    {{"no training step was recorded{where}", kReasonNoTrainingStepClauses},
     {"", {}}, "", ""},
    // reason.no_step
    {{"no step was recorded{where}", kReasonNoStepClauses},
     {"", {}}, "", ""},
    // reason.framework_silent
    {{"no framework events were recorded{where}", kReasonFrameworkSilentClauses},
     {"", {}}, "", ""},
    // reason.no_step_or_operator
    {{"no framework events were recorded: no step, no operator", {}},
     {"", {}}, "", ""},
    // reason.no_loader
    {{"no data loader was seen", {}},
     {"", {}}, "", ""},
    // reason.few_steady_steps
    {{"too few steady steps", {}},
     {"", {}}, "", ""},
    // reason.few_steps_of_a_kind
    {{"fewer than {least} steps of a kind", {}},
     {"", {}}, "", ""},
    // reason.few_snapshots
    {{"too few snapshots", {}},
     {"", {}}, "", ""},
    // reason.few_recorded_steps
    {{"fewer than {least} training steps with memory records", {}},
     {"", {}}, "", ""},
    // reason.no_rule_applies
    {{"no rule had anything to look at", {}},
     {"", {}}, "", ""},
    // reason.begin_left_out
    {{"it is about the start of the run, which this time range leaves out", {}},
     {"", {}}, "", ""},
    // reason.no_data
    {{"no data, which the original rule counts as healthy", {}},
     {"", {}}, "", ""},
    // reason.impossible_times
    {{"the samples' times span {time}: some are wrong; see the table counters", {}},
     {"", {}}, "", ""},
    // reason.first_gpus_alone
    {{"of {all} sampled GPUs the first {compared} are compared", {}},
     {"", {}}, "", ""},
    // rule_advice.low_gpu_utilization
    {{"Find what the GPU waits for (steptrace report), use fewer synchronizing calls, another distribution strategy, or a larger batch.", {}},
     {"", {}}, "", ""},
    // rule_advice.batch_size
    {{"Take a larger batch, or a smaller machine (steptrace report --section rules, cost).", {}},
     {"", {}}, "", ""},
    // rule_advice.cpu_bottleneck
    {{"Less work per sample, more cores, or prefetching; more loader workers only where cores are free.", {}},
     {"", {}}, "", ""},
    // rule_advice.io_bottleneck
    {{"Prefetch, read larger pieces, keep the data in a binary format or closer to the machine.", {}},
     {"", {}}, "", ""},
    // rule_advice.gpu_memory_increase
    {{"Look for tensors that are kept from step to step; near the limit, a GPU with more memory.", {}},
     {"", {}}, "", ""},
    // rule_advice.load_balancing
    {{"Another distribution strategy, or batches of equal cost for each rank.", {}},
     {"", {}}, "", ""},
    // rule_advice.dataloader
    {{"See whether the verdict (steptrace report) advises another DataLoader.num_workers, or something else; pin memory where a device is used.", {}},
     {"", {}}, "", ""},
    // rule_advice.step_outlier
    {{"See what the machine did at those times: CPU, storage, evaluation, checkpoints.", {}},
     {"", {}}, "", ""},
    // rule_advice.max_initialization_time
    {{"Stream the data rather than copy it first; load less before the loop.", {}},
     {"", {}}, "", ""},
    // rule_advice.profiler_report
    {{"See the rules that found something.", {}},
     {"", {}}, "", ""},
    // live.rule_found
    {{"found an issue", {}},
     {"", {}}, "", ""},
    // live.rule_passed
    {{"no issue any more", {}},
     {"", {}}, "", ""},
    // live.sampling_slowed
    {{"{who} used {used} of a core, more than its budget of {budget}: {what} now sampled every {interval}", kLiveSamplingSlowedClauses},
     {"", {}}, "", ""},
    // live.sampling_restored
    {{"{who} used {used} of a core, well under its budget of {budget}: {what} now sampled every {interval}", kLiveSamplingRestoredClauses},
     {"", {}}, "", ""},
    // live.sampling_anew
    {{"The training has begun: {what} sampled every {interval} again", kLiveSamplingAnewClauses},
     {"", {}}, "", ""},
    // live.own_stacks_pace
    {{"Sampling its own stacks took {used} of a core in process {pid}: they are sampled every {interval} from now on", {}},
     {"", {}}, "", ""},
    // live.agent_memory_over
    {{"The agent holds {held}, more than its limit of {limit}: it drops older records", {}},
     {"", {}}, "", ""},
    // live.agent_memory_ok
    {{"The agent holds {held}, within its limit of {limit} again", {}},
     {"", {}}, "", ""},
    // live.memory_leak
    {{"grows by {rate} a step ({low} to {high}): a leak{compiling}{items}", kLiveMemoryLeakClauses},
     {"; the {bytes} of the {limit} would last for {time} more", {}}, "", ""},
    // live.memory_plateau
    {{"no longer grows (plateau)", {}},
     {"", {}}, "", ""},
    // live.memory_unknown
    {{"not enough data to tell", {}},
     {"", {}}, "", ""},
    // live.step_time_risen
    {{"steps take {to} since step {step}, {from} before (+{more})", {}},
     {"", {}}, "", ""},
    // live.step_time_back
    {{"steps take {to} again since step {step} (it was {from})", {}},
     {"", {}}, "", ""},
    // live.hang
    {{"no step for {time} (usual {usual}), after step {step}: {items}{rest}", kLiveHangClauses},
     {"{who}", kLiveHangItemClauses}, "; ", "; "},
    // live.hang_over
    {{"steps go on after {time}", {}},
     {"", {}}, "", ""},
    // live.no_hang
    {{"no hang: the training ended normally", {}},
     {"", {}}, "", ""},
    // live.tensor_nonfinite
    {{"{subject} is not finite {when} step {step} on rank {rank}: {bad} of {numel} elements{order}{rest}", kLiveTensorNonfiniteClauses},
     {"", {}}, "", ""},
    // live.gradient_vanishing
    {{"gradients vanish on the way to {tensor}: there they are about 1e{orders} times those of {last}, since step {step} on rank {rank}", {}},
     {"", {}}, "", ""},
    // live.gradient_exploding
    {{"gradients explode: since step {step} their norm is more than {times} that of the readings before, most of it in {tensor}, on rank {rank}", {}},
     {"", {}}, "", ""},
    // live.loss_not_falling
    {{"the loss has not fallen in {steps} steps{change}, up to step {step} on rank {rank}", kLiveLossNotFallingClauses},
     {"", {}}, "", ""},
    // live.tensor_finite_again
    {{"all tensors that were looked at are finite again since step {step} on rank {rank}, {steps} steps after the first that was not", {}},
     {"", {}}, "", ""},
    // live.loss_spike
    {{"the loss spikes to {value} in step {step} on rank {rank}: the median before is {usual}, and the value is {deviations} standard deviations (by MAD) above it", {}},
     {"", {}}, "", ""},
    // live.gradient_spike
    {{"the norm of the gradients spikes to {value} in step {step} on rank {rank}, most of it in {tensor}: the median before is {usual}, and the value is {deviations} standard deviations (by MAD) above it", {}},
     {"", {}}, "", ""},
    // live.dead_units
    {{"units of {module} are dead: {share} of its gradient was 0 at each of {readings} readings in a row, since step {step} on rank {rank}{rest}", kLiveDeadUnitsClauses},
     {"", {}}, "", ""},
    // live.cast_range
    {{"of the {weight}s' elements other than 0, all readings together: {items}", kLiveCastRangeClauses},
     {"{as} would turn {lost}", kLiveCastRangeItemClauses}, "; ", "; "},
    // live.parameter_unchanged
    {{"{subject}, though there were gradients that are not 0 at each of {readings} readings up to step {step} on rank {rank}", kLiveParameterUnchangedClauses},
     {"", {}}, "", ""},
    // live.tensor_unjudged
    {{"tensor rules without a result: {items}", {}},
     {"{rule} ({why})", kLiveTensorUnjudgedItemClauses}, "; ", "; "},
    // loss.capture_nothing
    {{"{which} captured nothing: {why}", kLossCaptureNothingClauses},
     {"", {}}, "", ""},
    // loss.capture_cut
    {{"{capture} {state}: {items}", kLossCaptureCutClauses},
     {"{why}", kLossCaptureCutItemClauses}, ", and ", ", and "},
    // loss.capture_without
    {{"{capture} captured no {kinds}{where}: not available here; the table `run_metadata` has the reason (kind hook)", kLossCaptureWithoutClauses},
     {"", {}}, "", ""},
    // loss.kineto_failed
    {{"a capture by Kineto: {reason}", {}},
     {"", {}}, "", ""},
    // loss.kineto_no_memory
    {{"a capture by Kineto has no memory: PyTorch reports it only to its own profiler; capture it with hooks", {}},
     {"", {}}, "", ""},
    // loss.profile_unread
    {{"profile of process {pid}: {reason}", {}},
     {"", {}}, "", ""},
    // loss.profiles_left
    {{"profiles that were left over at the end are not part of the run; they are in its folder profiles", {}},
     {"", {}}, "", ""},
    // loss.of_profile
    {{"{cause} of a profile: {detail}", {}},
     {"", {}}, "", ""},
    // loss.no_room_for_ring
    {{"process {pid} had no room for its ring; enlarge /dev/shm (docker: --shm-size), or name another folder with --shm or STEPTRACE_SHM", {}},
     {"", {}}, "", ""},
    // loss.ring_unreadable
    {{"the records of process {pid} cannot be read: {reason}", {}},
     {"", {}}, "", ""},
    // loss.disarmed
    {{"recording ended early in process {pid}: {reason}", {}},
     {"", {}}, "", ""},
    // loss.still_ran
    {{"{processes} still ran when the run was closed and {noun} not recorded from then on; let the command wait for what it starts (`wait` in a shell)", kLossStillRanClauses},
     {"", {}}, "", ""},
    // loss.other_user
    {{"{process} (pid {pid}) ran as user {user} and cannot access the rings of user {own}; start `steptrace run` as the user who trains", {}},
     {"", {}}, "", ""},
    // loss.no_site_packages
    {{"{process} (pid {pid}) ran with -S, which loads no site packages, so it has no hooks; remove the option", {}},
     {"", {}}, "", ""},
    // loss.python_path_ignored
    {{"{process} (pid {pid}) ran with -{option}, which ignores PYTHONPATH, so it has no hooks; remove the option or install the .pth file: python -m steptrace.pth install", {}},
     {"", {}}, "", ""},
    // loss.hooks_refused
    {{"{who} loaded the hooks, but {why}", kLossHooksRefusedClauses},
     {"", {}}, "", ""},
    // loss.no_hooks_loaded
    {{"{process} (pid {pid}) loaded no hooks: its environment was cleared, or it has no usable package; see `steptrace doctor`", {}},
     {"", {}}, "", ""},
    // loss.tool_of_the_script
    {{"the script used a tracer, profiler or debugger (pdb, coverage, cProfile) during all its imports; the hooks pause for such a tool, so nothing was recorded; record without it", {}},
     {"", {}}, "", ""},
    // loss.nothing_to_record
    {{"no process of the command was Python or recorded a range; a native program has no steps and can name ranges with <steptrace/steptrace.h>", {}},
     {"", {}}, "", ""},
    // loss.recorded_elsewhere
    {{"{who} `steptrace run` itself; what it started is recorded in a run of its own", kLossRecordedElsewhereClauses},
     {"", {}}, "", ""},
    // loss.unavailable
    {{"{source}: {reason}{next}", kLossUnavailableClauses},
     {"", {}}, "", ""},
    // loss.impossible_times
    {{"rows with impossible times were left out", {}},
     {"", {}}, "", ""},
    // loss.unrecognised_event
    {{"unrecognised event categories: {items}{others}{held}; the timeline shows them; please report the categories", kLossUnrecognisedEventClauses},
     {"{category} {events}", {}}, ", ", ", "},
    // loss.ranks_missing
    {{"{missing} of {ranks} ranks {state}", kLossRanksMissingClauses},
     {"", {}}, "", ""},
    // loss.hook_failed
    {{"the hook on {hook} was removed: {reason}", {}},
     {"", {}}, "", ""},
    // loss.in_file
    {{"{file}: {what}", {}},
     {"", {}}, "", ""},
    // loss.file_refused
    {{"{reason}", {}},
     {"", {}}, "", ""},
    // loss.file_cut_off
    {{"{file}: ends {where}{damaged}{rest}", kLossFileCutOffClauses},
     {"", {}}, "", ""},
    // loss.file_damaged
    {{"{file}: {what}{rest}", kLossFileDamagedClauses},
     {"", {}}, "", ""},
    // loss.skipped_bytes
    {{"{file}: {what}", kLossSkippedBytesClauses},
     {"", {}}, "", ""},
    // loss.too_large
    {{"{file}: {what} of more than {most} bytes were skipped", kLossTooLargeClauses},
     {"", {}}, "", ""},
    // loss.tables_left_out
    {{"{file}: events of these tables are not read: {tables}", {}},
     {"", {}}, "", ""},
    // loss.profiler_warned
    {{"{file}: the profiler warns: {said}", {}},
     {"", {}}, "", ""},
    // loss.beyond
    {{"{of}{what} beyond the first {most}", kLossBeyondClauses},
     {"", {}}, "", ""},
    // loss.duplicate_key
    {{"{file}: a key occurs twice in {where}", kLossDuplicateKeyClauses},
     {"", {}}, "", ""},
    // loss.missing_metadata
    {{"{file}: {what}", kLossMissingMetadataClauses},
     {"", {}}, "", ""},
    // loss.same_profile
    {{"{file}: {what} {other}; left out", kLossSameProfileClauses},
     {"", {}}, "", ""},
    // loss.same_rank
    {{"{file}: rank {rank} as {other} too; stored as rank {stored}; of several recordings of a process, import one", {}},
     {"", {}}, "", ""},
    // loss.no_date
    {{"{file}: its times have no date; its first event was put at the run's begin", {}},
     {"", {}}, "", ""},
    // loss.not_profiles
    {{"{which} left out: {items}{more}", kLossNotProfilesClauses},
     {"{reason}", {}}, ", ", ", "},
    // loss.cut_durations
    {{"{file}: {late_ones}{both}{long_ones}", kLossCutDurationsClauses},
     {"", {}}, "", ""},
    // cost.gpus_of_node
    {{"GPUs: p95 of a node's use is {used} of a GPU's time, the type has {has}", {}},
     {"", {}}, "", ""},
    // cost.cores_of_node
    {{"cores: p95 of a node's use is {used}, the type has {has}", {}},
     {"", {}}, "", ""},
    // cost.memory_of_node
    {{"memory: p95 of a node's use is {used} GiB, the type has {has}", {}},
     {"", {}}, "", ""},
    // cost.memory_unmeasured
    {{"memory was not measured: check it before you move", {}},
     {"", {}}, "", ""},
    // cost.gpu_memory
    {{"GPU memory: p95 is {used} GiB, a GPU of the type has {has}", {}},
     {"", {}}, "", ""},
    // cost.gpu_memory_not_compared
    {{"GPU memory was not compared: list gpu_memory_gib of the types", {}},
     {"", {}}, "", ""},
    // cost.gpus_of_all
    {{"GPUs: p95 of all nodes together is {used} of a GPU's time; {machines} x {instance} {verb} {has}", kCostGpusOfAllClauses},
     {"", {}}, "", ""},
    // cost.cores_of_processes
    {{"cores: {processes} {noun} used {used} together, {each} each; one a GPU needs {needed} of {has}", kCostCoresOfProcessesClauses},
     {"", {}}, "", ""},
    // cost.cores_must_shrink
    {{"{cores} cores are not enough for all of that use at once, unless it shrinks with the number of processes; try it first", {}},
     {"", {}}, "", ""},
    // cost.batch_grows
    {{"the batch of each process grows as their number shrinks", {}},
     {"", {}}, "", ""},
    // cost.other_size
    {{"node {node} has {cores} cores and {gpus} GPUs, a {instance} has {type_cores} and {type_gpus}: see whether --instance names its type", {}},
     {"", {}}, "", ""},
    // cost.no_types
    {{"no types of machines are listed: see docs/reference/rules.md", {}},
     {"", {}}, "", ""},
    // cost.use_unmeasured
    {{"CPU and GPU use were not measured: no other type can be proposed", {}},
     {"", {}}, "", ""},
    // cost.no_type_holds
    {{"no listed type is large enough for the measured use", {}},
     {"", {}}, "", ""},
    // cost.none_cheaper
    {{"no listed type cheaper than {instance} is large enough for a node's measured use", {}},
     {"", {}}, "", ""},
    // reason.no_price
    {{"no price is known: give --price-per-hour", {}},
     {"", {}}, "", ""},
    // reason.type_unclear
    {{"which listed type the run had is not clear: give --instance", {}},
     {"", {}}, "", ""},
    // reason.type_not_listed
    {{"the type {instance} is not listed", {}},
     {"", {}}, "", ""},
    // run.exception
    {{"Failed{after}{on}: {type}{says}{where}", kRunExceptionClauses},
     {"", {}}, "", ""},
    // run.interrupted
    {{"Interrupted{after} (KeyboardInterrupt{where})", kRunInterruptedClauses},
     {"", {}}, "", ""},
    // run.signal
    {{"{who} by {signal}{after}{why}", kRunSignalClauses},
     {"", {}}, "", ""},
    // run.exit_code
    {{"Failed{after} with exit code {code}{child}", kRunExitCodeClauses},
     {"", {}}, "", ""},
};
// clang-format on

}  // namespace steptrace::present
