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
    {"which", "", {}, "{calls} calls of the device's runtime take over 10 ms, {all} in all; one"},
};
inline constexpr ClauseWords kGpuSharedWithOthersClauses[] = {
    {"who", "others", 1, "a process of others was"},
    {"who", "", {}, "up to {others} processes of others were"},
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
    {"worker", "worker_function", {}, "; a DataLoader's worker {worker_was} {worker_function}, {worker_share} of {worker_samples} samples"},
};
inline constexpr ClauseWords kProfileStepsNestedClauses[] = {
    {"what", "marks", 1, "a mark of a step lies"},
    {"what", "", {}, "each of {marks} marks of steps lies"},
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
    {"more", "knows_cpu", {}, "look at more steps, so that samples of its CPU time fall into them, or "},
};
inline constexpr ClauseWords kModelFuseKernelsClauses[] = {
    {"how", "compiled", {}, "norms, rotary embeddings and optimizers as single kernels, beside what torch.compile fuses already"},
    {"how", "", {}, "torch.compile, or norms, rotary embeddings and optimizers as single kernels"},
};
inline constexpr ClauseWords kModelLowerPrecisionClauses[] = {
    {"how", "tf32", {}, "torch.set_float32_matmul_precision(\"high\") for TF32, or torch.autocast in {lower}"},
    {"how", "", {}, "torch.autocast in {lower}"},
};
inline constexpr ClauseWords kFrameworkCollectSeldomClauses[] = {
    {"what", "function", {}, "the script calls gc.collect() in {function}: call it every few hundred steps, or not at all, for Python collects by itself"},
    {"what", "", {}, "call gc.freeze() once before the loop and gc.disable(), then gc.collect() every few hundred steps, and not more often by the script's own calls: garbage collection runs inside the steps"},
};
inline constexpr ClauseWords kCommunicationAllRanksClauses[] = {
    {"how", "imported", {}, "profile every rank in the same steps, and give `steptrace import` the folder with a profile of each"},
    {"how", "recorded", {}, "call steptrace.step() at the end of each step of the ranks that step no optimizer"},
    {"how", "", {}, "start each node's share of the job under `steptrace run` with the same output, or `steptrace join` the nodes' runs"},
};
inline constexpr ClauseWords kCommunicationLargerBucketsClauses[] = {
    {"size", "bucket_mb", {}, ", now {bucket_mb},"},
    {"and_views", "views", {}, ""},
    {"and_views", "", {}, " and gradient_as_bucket_view=True"},
    {"or_hook", "hook", {}, ""},
    {"or_hook", "", {}, ", or send less with torch.distributed.algorithms.ddp_comm_hooks (fp16_compress_hook)"},
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
    {"queue", "waits", {}, ", next batch not ready in {starved} of {waits} waits"},
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
    {"takes", "on_host", {}, "is under way in"},
    {"takes", "", {}, "takes"},
    {"alone", "on_host", {}, ""},
    {"alone", "", {}, " with no kernel or copy beside it"},
};
inline constexpr ClauseWords kRecommendationLeastUsedDeviceClauses[] = {
    {"only", "low", {}, "only "},
};
inline constexpr ClauseWords kRecommendationNoTensorCoresUsedClauses[] = {
    {"operators", "could", {}, "though operators run that could"},
    {"operators", "", {}, "and no operator runs that could"},
};
inline constexpr ClauseWords kRecommendationSynchronisationClauses[] = {
    {"what", "unbegun_work", {}, "what was launched for them does not begin"},
    {"what", "", {}, "host or streams synchronise"},
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
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
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
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
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
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
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
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"more", "second_name", {}, ", {second} {second_part}"},
    {"beside_model", "model", {}, "; the model has {model}"},
    {"of_ranks", "ranks_seen", {}, "; the first{ranks}"},
};
inline constexpr ClauseWords kVerdictModelIfItComputesClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing its interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing its interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on its cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by its own threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelAndNextClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing its interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing its interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on its cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by its own threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
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
    {"fill", "unsplit", {}, "the model and framework overhead fill"},
    {"fill", "", {}, "the model fills"},
    {"of_rank", "rank", {}, " of rank {rank}'s"},
};
inline constexpr ClauseWords kVerdictModelAndRestClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing its interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing its interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on its cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by its own threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
    {"fill", "unsplit", {}, "the model and framework overhead fill"},
    {"fill", "", {}, "the model fills"},
};
inline constexpr ClauseWords kVerdictModelWithOverheadClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing its interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing its interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on its cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by its own threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelWaitsForHostClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
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
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelHealthyClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictModelSlowedClauses[] = {
    {"share_interval", "share_low", {}, " ({share_low}-{share_high})"},
    {"share", "", {}, "{share_share}{share_interval}"},
    {"ranks_which", "ranks_rank", {}, " on rank {ranks_rank} of {ranks_all}"},
    {"ranks_which", "ranks_all", {}, " on {ranks_seen} of {ranks_all} ranks"},
    {"ranks_which", "ranks_seen", {}, " over {ranks_seen} ranks"},
    {"ranks_apart", "ranks_least", {}, ", from {ranks_least} on rank {ranks_least_rank} to {ranks_most} on rank {ranks_most_rank}"},
    {"ranks", "", {}, "{ranks_which}{ranks_apart}"},
    {"slowed_sharing", "slowed_beside", {}, ", sharing its interpreter with {slowed_beside}"},
    {"slowed_and_sharing", "slowed_beside", {}, ", and sharing its interpreter with {slowed_beside}"},
    {"slowed_detecting", "slowed_anomalies", {}, ", slowed by autograd's anomaly detection{slowed_and_sharing}"},
    {"slowed_detecting", "", {}, "{slowed_sharing}"},
    {"slowed_and_detecting", "slowed_anomalies", {}, " and by autograd's anomaly detection"},
    {"slowed_own", "slowed_ranks", {}, "{slowed_ranks} ranks of {slowed_threads} on {slowed_cores}"},
    {"slowed_own", "", {}, "{slowed_threads} on {slowed_cores}"},
    {"slowed_by", "slowed_quota", {}, ", slowed by a CPU quota{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_others", {}, ", slowed by other work on its cores{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "slowed_threads", {}, ", slowed by its own threads, {slowed_own}{slowed_and_detecting}{slowed_and_sharing}"},
    {"slowed_by", "", {}, "{slowed_detecting}"},
    {"slowed", "", {}, "{slowed_by}"},
    {"seen_noun", "seen_steps", 1, "step"},
    {"seen_noun", "", {}, "steps"},
    {"seen_where", "seen_unmarked", {}, "; the profile marks no steps, and is taken as one"},
    {"seen_where", "seen_steps", {}, "; seen in {seen_steps} {seen_noun}"},
    {"seen", "", {}, "{seen_where}"},
};
inline constexpr ClauseWords kVerdictNoTorchClauses[] = {
    {"why", "failed", {}, "the training failed before torch was imported"},
    {"why", "stopped", {}, "the training was stopped before torch was imported"},
    {"why", "", {}, "Python ran, but torch was not imported"},
};
inline constexpr ClauseWords kVerdictNoOptimizerClauses[] = {
    {"why", "failed", {}, "the training failed before an optimizer of torch.optim made a step"},
    {"why", "stopped", {}, "the training was stopped before an optimizer of torch.optim made a step"},
    {"why", "", {}, "torch was there, but no optimizer of torch.optim made a step"},
};
inline constexpr ClauseWords kVerdictNoTrainingClauses[] = {
    {"what", "writer", {}, "a profile of {writer} that"},
    {"what", "", {}, "the profile"},
};
inline constexpr ClauseWords kVerdictStretchOfWarmUpClauses[] = {
    {"which", "steps", 1, "the one in this stretch was"},
    {"which", "", {}, "all {steps} in this stretch were"},
};
inline constexpr ClauseWords kVerdictTooFewStepsClauses[] = {
    {"are", "more", 1, "is"},
    {"are", "", {}, "are"},
};
inline constexpr ClauseWords kNoteNoDeviceActivityClauses[] = {
    {"why", "damaged", {}, "what was recorded of devices is in a damaged file"},
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
    {"it", "steps", 1, "it"},
    {"it", "", {}, "them"},
    {"few", "too_few", {}, "; too few are left for a verdict by devices, and it is one by phases"},
    {"idle", "told_idle", {}, "; devices, their roles and the critical path take that time for idle"},
};
inline constexpr ClauseWords kNoteNoStepMarksClauses[] = {
    {"how", "torch", {}, "; call profiler.step() at the end of each step to have them"},
};
inline constexpr ClauseWords kNoteWindowsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"verdict", "by_devices", {}, " and the verdict"},
    {"rest", "by_devices", {}, ", the critical path and the verdict"},
    {"rest", "", {}, " and the critical path"},
    {"which", "parted", {}, "newest stretch without loss"},
    {"which", "", {}, "newest window"},
    {"what", "newest", {}, "kernels{verdict} are of these; roles, devices and the critical path of the {which}"},
    {"what", "", {}, "roles, devices, kernels{rest} are of these"},
    {"few", "by_devices", {}, ""},
    {"few", "", {}, "; for a verdict by devices they are too few"},
};
inline constexpr ClauseWords kNoteNoMetricClauses[] = {
    {"elsewhere", "outside", {}, " in this stretch, only outside of it"},
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
inline constexpr ClauseWords kNoteNoCollectivesClauses[] = {
    {"what", "groups", {}, "no communication kernels in the profile, and of gloo's collectives, on the host, it does not tell which of the job's groups they are of: record such a job with `steptrace run`"},
    {"what", "", {}, "no communication kernels and no collectives of gloo in the profile"},
};
inline constexpr ClauseWords kNoteOneRankClauses[] = {
    {"of", "world_size", {}, " of {world_size} ranks"},
    {"of", "", {}, " rank"},
    {"next", "live", {}, "the others must run under `steptrace run` too, on this node or into this run's folder"},
    {"next", "", {}, "import the others' profiles of the same steps too"},
};
inline constexpr ClauseWords kNoteNothingMatchedClauses[] = {
    {"next", "profiles", {}, ": are the profiles of the same steps of one job?"},
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
    {"end", "few", {}, "; whether by chance so few steps do not tell."},
    {"end", "", {}, "."},
};
inline constexpr ClauseWords kComparisonDatasetStagesOfOneClauses[] = {
    {"which", "first", {}, "the first run"},
    {"which", "second", {}, "the second run"},
    {"which", "", {}, "{run}"},
};
inline constexpr ClauseWords kReasonNoGpuMetricClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoSystemMetricClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoGpuMemoryOrCpuClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoGpuMemoryClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoCpuClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoIoWaitClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonGpuMemorySizeUnknownClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonMemoryInNoStepClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoMemoryRecordsClauses[] = {
    {"elsewhere_when", "elsewhere_around", {}, " during the steps, only before or after them"},
    {"elsewhere_when", "elsewhere_outside", {}, " in this stretch, only outside of it"},
    {"elsewhere", "", {}, "{elsewhere_when}"},
};
inline constexpr ClauseWords kReasonNoTrainingStepClauses[] = {
    {"where", "stretch", {}, " in this stretch"},
};
inline constexpr ClauseWords kReasonNoStepClauses[] = {
    {"where", "stretch", {}, " in this stretch"},
};
inline constexpr ClauseWords kReasonFrameworkSilentClauses[] = {
    {"where", "stretch", {}, " in this stretch"},
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
    {"compiling", "compiled", {}, ", as torch.compile compiles anew in {compiled} of these {steps} steps and keeps what it made (keep shapes fixed, or pass dynamic=True)"},
};
inline constexpr ClauseWords kLiveHangClauses[] = {
    {"where", "place", {}, ", in {place}"},
    {"where", "reason", {}, " (stack: {reason})"},
    {"left", "together", {}, "; and {more} more"},
    {"left", "", {}, "; and {more} ranks more"},
    {"rest", "more", {}, "{left}"},
    {"rest", "elsewhere", {}, "; who is missing runs on another node"},
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
inline constexpr ClauseWords kLossCaptureNothingClauses[] = {
    {"which", "window", {}, "the window {window}"},
    {"which", "", {}, "the window of --capture kernels"},
    {"why", "unsteady", {}, "the training ended before its steps had been steady for long enough; train longer, or choose an earlier window with --window START:STEPS"},
    {"why", "interrupted", {}, "another capture took its place; choose another window"},
    {"why", "first_steps", {}, "the first two steps cannot be captured; begin with step 2"},
    {"why", "missed", {}, "the steps or the time were over before, or never came; choose another window"},
    {"why", "unavailable", {}, "what it asks for cannot be had here; the table `run_metadata` says why (kind hook)"},
    {"why", "", {}, "its hook failed; the table `run_metadata` says why (kind hook)"},
};
inline constexpr ClauseWords kLossCaptureCutClauses[] = {
    {"capture_noun", "capture_asked", 1, "step"},
    {"capture_noun", "", {}, "steps"},
    {"capture_what", "capture_window", {}, "the window {capture_window}"},
    {"capture_what", "capture_asked", {}, "the capture of {capture_asked} {capture_noun}"},
    {"capture_what", "", {}, "the window that the run took by itself"},
    {"capture", "", {}, "{capture_what}"},
    {"state", "timed", {}, "lacks steps"},
    {"state", "held", {}, "holds {held} of its {wanted} steps"},
    {"state", "", {}, "did not come to its end"},
};
inline constexpr ClauseWords kLossCaptureCutItemClauses[] = {
    {"why", "first_steps", {}, "the first two steps cannot be captured"},
    {"why", "aside", {}, "the script's own profiler ran in between"},
    {"why", "interrupted", {}, "another capture interrupted it"},
    {"why", "replaced", {}, "another capture took its place"},
    {"why", "full", {}, "what it may hold was full; ask for fewer steps, or for less in them"},
    {"why", "", {}, "the training or the capture ended before"},
};
inline constexpr ClauseWords kLossCaptureWithoutClauses[] = {
    {"capture_noun", "capture_asked", 1, "step"},
    {"capture_noun", "", {}, "steps"},
    {"capture_what", "capture_window", {}, "the window {capture_window}"},
    {"capture_what", "capture_asked", {}, "the capture of {capture_asked} {capture_noun}"},
    {"capture_what", "", {}, "the window that the run took by itself"},
    {"capture", "", {}, "{capture_what}"},
    {"where", "partly", {}, " in some of its stretches"},
};
inline constexpr ClauseWords kLossStillRanClauses[] = {
    {"noun", "count", 1, "is"},
    {"noun", "", {}, "are"},
};
inline constexpr ClauseWords kLossHooksRefusedClauses[] = {
    {"who", "process", {}, "{process} (pid {pid})"},
    {"who", "", {}, "a Python"},
    {"why", "other_build", {}, "is free-threaded or traces references, and so cannot record; train with a Python of the usual build"},
    {"why", "no_probe", {}, "the probe that STEPTRACE_PROBE names cannot be loaded; see `steptrace doctor`"},
    {"why", "", {}, "could make no ring: the limit on the size of files is too small (`ulimit -f unlimited`), or it cannot use the folder of rings; see `steptrace doctor`"},
};
inline constexpr ClauseWords kLossRecordedElsewhereClauses[] = {
    {"who", "itself", {}, "the command is"},
    {"who", "", {}, "it ran"},
};
inline constexpr ClauseWords kLossUnavailableClauses[] = {
    {"next", "remedy", {}, "; {remedy}"},
};
inline constexpr ClauseWords kLossUnrecognisedEventClauses[] = {
    {"others", "more", {}, " and {more} more"},
    {"held", "share", {}, "; they run in {share} of the steps"},
};
inline constexpr ClauseWords kLossRanksMissingClauses[] = {
    {"noun", "missing", 1, "rank"},
    {"noun", "", {}, "ranks"},
    {"to_do", "imported", {}, "import their profiles of the same steps together with this one"},
    {"to_do", "recorded", {}, "it was recorded, and steps no optimizer; call steptrace.step() at the end of each of its steps"},
    {"to_do", "", {}, "start each node's share of the job under `steptrace run` with the same output"},
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
    {"why", "kill", {}, ": the kernel does that when memory runs out; so does kill -9"},
    {"why", "fault", {}, ": a fault in native code"},
};
inline constexpr ClauseWords kRunExitCodeClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
    {"after", "steps", 0, " before the first step"},
    {"after", "", {}, " after {steps} {noun}"},
    {"child", "signal", {}, ", as a shell reports a command that {signal} killed"},
    {"child", "", {}, "; no uncaught exception was recorded"},
};

// In the order of model::FindingKind.
inline constexpr KindWords kKindWords[model::kFindingKindCount] = {
    // data.batch_not_ready
    {{"next batch not ready in {starved} of {waits} waits", {}},
     {"", {}}, "", ""},
    // data.loaded_by_training
    {{"the training thread loads the data itself (num_workers=0)", {}},
     {"", {}}, "", ""},
    // data.awaited
    {{"{share} of the step the training thread awaits {function}", {}},
     {"", {}}, "", ""},
    // data.takes_cores
    {{"those that make the batches work on the cores that the training thread needs: without them the rest gets faster too, by an unknown amount", {}},
     {"", {}}, "", ""},
    // data.samples
    {{"{samples} samples of stacks", {}},
     {"", {}}, "", ""},
    // data.stages_of_profile
    {{"stages by the profile's Python functions", {}},
     {"", {}}, "", ""},
    // step.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // step.drift
    {{"steps grow from {from} to {to}, little by little{in_stage}", kStepDriftClauses},
     {"", {}}, "", ""},
    // operators.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // communication.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // step.faster_without
    {{"at most {speedup} faster without {what}", kStepFasterWithoutClauses},
     {"", {}}, "", ""},
    // step.little_remains
    {{"without it {rest} a step remain that are known to be others': too little to say how much faster it gets", {}},
     {"", {}}, "", ""},
    // step.fewer_operators
    {{"fewer operators also save what each of them takes by itself: how much faster the step gets nobody can say", {}},
     {"", {}}, "", ""},
    // step.unrecognised
    {{"events whose kind is not known run in {share} of the step: what the step would be without something is not told", {}},
     {"", {}}, "", ""},
    // step.process_idle
    {{"in {share} of the time, between a batch and its backward, the process neither ran nor wanted a core: it slept or waited", {}},
     {"", {}}, "", ""},
    // step.checkpoints
    {{"{steps} {noun} saved a checkpoint", kStepCheckpointsClauses},
     {"", {}}, "", ""},
    // step.evaluations
    {{"{steps} {noun} held an evaluation", kStepEvaluationsClauses},
     {"", {}}, "", ""},
    // step.collection_thresholds
    {{"{what}", kStepCollectionThresholdsClauses},
     {"", {}}, "", ""},
    // framework.recompiled
    {{"torch.compile compiled {function} anew {count} {noun} or more because a guard failed: {guard}", kFrameworkRecompiledClauses},
     {"", {}}, "", ""},
    // framework.recompile_limit
    {{"torch.compile compiles {function} no more, for it reached recompile_limit ({limit}): what none of its compiled codes fits runs without; the guard that failed: {guard}", {}},
     {"", {}}, "", ""},
    // step.garbage_collections
    {{"{steps} {noun} collected garbage", kStepGarbageCollectionsClauses},
     {"", {}}, "", ""},
    // step.user_range
    {{"of it {share} in the range \"{range}\"", {}},
     {"", {}}, "", ""},
    // step.runs_in
    {{"{share} of the step it is in {function}", {}},
     {"", {}}, "", ""},
    // step.waits_in
    {{"{share} of the step it waits in {function}", {}},
     {"", {}}, "", ""},
    // step.thread_beside
    {{"in {share} of the time another thread of the process runs {function}, which shares the interpreter with the training", {}},
     {"", {}}, "", ""},
    // cpu.cores_busy
    {{"{name} busy {share}", kCpuCoresBusyClauses},
     {"", {}}, "", ""},
    // cpu.allowed_cores
    {{"its {whose} may run on {allowed} of {cores}, by affinity or cpuset", kCpuAllowedCoresClauses},
     {"", {}}, "", ""},
    // cpu.used_by_job
    {{"the job used {used} of {cores}", {}},
     {"", {}}, "", ""},
    // cpu.quota_ran_out
    {{"the cgroup's CPU quota{of_limit} ran out in {share} of its periods", kCpuQuotaRanOutClauses},
     {"", {}}, "", ""},
    // cpu.contention
    {{"{threads} threads wanted to run on {cores}", {}},
     {"", {}}, "", ""},
    // cpu.other_work
    {{"other work on the machine used {cores}", {}},
     {"", {}}, "", ""},
    // cpu.run_delay
    {{"its threads waited for a core {seconds} s a second", {}},
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
    {{"the device is in forward, backward and optimizer {busy} of the step, and waits for a batch {data}", {}},
     {"", {}}, "", ""},
    // device.idle_at_phase_end
    {{"at the end of {share} of these phases it had nothing left to do: within them it waits for the host, for how long `steptrace capture --capture kernels` tells", {}},
     {"", {}}, "", ""},
    // device.computing
    {{"devices compute {computing} of the step, and are idle {idle}", {}},
     {"", {}}, "", ""},
    // device.one_of_several_computing
    {{"at least one of a rank's {devices} devices computes in {computing} of the step, and all are idle in {idle}: --section devices has each", {}},
     {"", {}}, "", ""},
    // device.slow_calls
    {{"{which} of {call} takes {longest}", kDeviceSlowCallsClauses},
     {"", {}}, "", ""},
    // gpu.shared_with_others
    {{"{who} on GPU {gpu}{of_node} beside this run: the GPU's utilisation, memory and idle time are not this run's alone", kGpuSharedWithOthersClauses},
     {"", {}}, "", ""},
    // gpu.unknown_processes
    {{"up to {processes} processes were on GPU {gpu}{of_node}, where this run has {ranks} {noun}; whose the others are cannot be told here (numbers of another pid namespace): the GPU's utilisation, memory and idle time may not be this run's alone", kGpuUnknownProcessesClauses},
     {"", {}}, "", ""},
    // gpu.ranks_together
    {{"ranks {items} compute on one GPU{of_name}: where one of them leaves it idle, another may be at work", kGpuRanksTogetherClauses},
     {"{rank}", {}}, ", ", " and "},
    // gpu.many_ranks_together
    {{"ranks {items} and {more} more compute on one GPU{of_name}: where one of them leaves it idle, another may be at work", kGpuManyRanksTogetherClauses},
     {"{rank}", {}}, ", ", ", "},
    // communication.straggler
    {{"rank {rank} came last in {last} of {steps} steps", {}},
     {"", {}}, "", ""},
    // communication.waited_for_rank
    {{"all others together waited {wait} a step for it", {}},
     {"", {}}, "", ""},
    // communication.ranks_absent
    {{"{missing} of {all} ranks {have} no {what} here: communication includes waiting for {them}", kCommunicationRanksAbsentClauses},
     {"", {}}, "", ""},
    // communication.on_the_host
    {{"the exchange ({backend}) runs on the cores that compute the model: without it the rest gets faster too, by an unknown amount", {}},
     {"", {}}, "", ""},
    // communication.calls
    {{"a step calls {items}", {}},
     {"{calls} {call}{of_size}", kCommunicationCallsItemClauses}, ", ", ", "},
    // communication.gradient_exchange
    {{"a backward pass of DistributedDataParallel exchanges {bytes} of gradients in {buckets} {noun}", kCommunicationGradientExchangeClauses},
     {"", {}}, "", ""},
    // communication.exchange_each_backward
    {{"a step has {backwards} backward passes and steps the optimizer once, and each of them exchanges gradients: none is under no_sync", {}},
     {"", {}}, "", ""},
    // model.deterministic_fill
    {{"{share} of the operators' time fills memory of new tensors (aten::fill_, most of it within {call}), as torch.use_deterministic_algorithms has it", {}},
     {"", {}}, "", ""},
    // model.no_stacks
    {{"no samples of its stack were taken: {reason}", {}},
     {"", {}}, "", ""},
    // model.few_samples
    {{"too few samples of its stack and of its CPU time fall into these steps", {}},
     {"", {}}, "", ""},
    // model.operators_share
    {{"torch's operators take {share} of the steps in windows", {}},
     {"", {}}, "", ""},
    // model.between_operators
    {{"of forward, backward and optimizer {share} is between operators ({low}-{high}), seen in {steps} steps", {}},
     {"", {}}, "", ""},
    // model.kernel_classes
    {{"kernels and copies, summed: {items}", {}},
     {"{share} {class_name}", {}}, ", ", ", "},
    // verdict.few_steps
    {{"it rests on {steps} {noun}{samples}: others may differ", kVerdictFewStepsClauses},
     {"", {}}, "", ""},
    // verdict.all_warm_up
    {{"{steps} {noun} of warm-up", kVerdictAllWarmUpClauses},
     {"", {}}, "", ""},
    // verdict.warm_up
    {{"{warm_up} of {steps} {noun} {was} warm-up", kVerdictWarmUpClauses},
     {"", {}}, "", ""},
    // run.steps_left_out
    {{"{steps} {noun} lost slices with a damaged file: {counted}", kRunStepsLeftOutClauses},
     {"", {}}, "", ""},
    // run.devices_left_out
    {{"{steps} {noun} lost slices with a damaged file: what devices did in the others is too little to go by", kRunDevicesLeftOutClauses},
     {"", {}}, "", ""},
    // run.data_loss
    {{"{detail}", {}},
     {"", {}}, "", ""},
    // run.disk_refused
    {{"{rows} rows of {of} found no room on the disk", {}},
     {"", {}}, "", ""},
    // run.hook_failed
    {{"the hook on {name} did not go in: {why}", kRunHookFailedClauses},
     {"", {}}, "", ""},
    // run.last_seen
    {{"in its last {time}: the training's thread {was} {function}, {share} of {samples} samples{worker}", kRunLastSeenClauses},
     {"", {}}, "", ""},
    // profile.processes_together
    {{"rank {rank} is {processes} processes in one file, told as one, and a kernel may stand below another's operator: import the profile of each process by itself", {}},
     {"", {}}, "", ""},
    // profile.work_not_recorded
    {{"rank {rank}'s device had work queued for {time} before the first that was recorded: what it did then is not known, and counts as unattributed", {}},
     {"", {}}, "", ""},
    // profile.steps_overlap
    {{"steps of rank {rank} begin before the one ahead on their thread has ended ({steps}), which cannot be: the clock was set back, or marks of two recordings lie in one file; that time counts in both", {}},
     {"", {}}, "", ""},
    // profile.steps_nested
    {{"{what} within another on its thread of rank {rank}: what a mark within a step marks is part of that step, and one around all of them is no step", kProfileStepsNestedClauses},
     {"", {}}, "", ""},
    // profile.threads_together
    {{"{threads} threads of rank {rank} mark steps: where these overlap, the time counts in each", {}},
     {"", {}}, "", ""},
    // profile.runs_in
    {{"{share} of the step it is in {function}", {}},
     {"", {}}, "", ""},
    // profile.busiest
    {{"{function}: {share} of the recorded time is its own (self time), {time} in {calls} {noun}", kProfileBusiestClauses},
     {"", {}}, "", ""},
    // profile.waits_in
    {{"{share} of the step it waits in {function}", {}},
     {"", {}}, "", ""},
    // data.take_whole_batches
    {{"take whole batches out of the tensors (x[rows] for rows in torch.randperm(len(x)).split(batch_size)): TensorDataset hands out single samples, to be put together again", {}},
     {"", {}}, "", ""},
    // data.cheaper_getitem
    {{"make {of}__getitem__ cheaper: decode once and cache the result, vectorise, or let one read serve many samples", kDataCheaperGetitemClauses},
     {"", {}}, "", ""},
    // data.cheaper_collate
    {{"make {name} cheaper{above_all}: stack whole arrays at once, or have the dataset return batches (batch_size=None) and leave nothing to collate", kDataCheaperCollateClauses},
     {"", {}}, "", ""},
    // data.cheaper_sampler
    {{"the DataLoader itself takes that time, between its sampler and the batch: give it a sampler that is cheaper to ask, or batches of indices (batch_sampler)", {}},
     {"", {}}, "", ""},
    // data.hand_over_less
    {{"hand over less from the workers: tensors or arrays in place of Python objects, few large ones in place of many small ones; they travel in shared memory", {}},
     {"", {}}, "", ""},
    // data.share_by_file_system
    {{"by default each tensor is asked of its worker in a connection of its own: torch.multiprocessing.set_sharing_strategy('file_system') in worker_init_fn spares that", {}},
     {"", {}}, "", ""},
    // data.local_copy
    {{"copy the data to a local disk or cache it in memory, and read it in larger pieces in {where_it_is}", kDataLocalCopyClauses},
     {"", {}}, "", ""},
    // data.fewer_workers
    {{"DataLoader(num_workers={proposed}), now {workers}: they keep up, and the training thread waits for a core of theirs", {}},
     {"", {}}, "", ""},
    // data.workers_of_cores
    {{"DataLoader(num_workers={cores}), now {workers}: there {are} for them", kDataWorkersOfCoresClauses},
     {"", {}}, "", ""},
    // data.cheaper_worker_start
    {{"the workers start once (persistent_workers=True): make importing and opening in them cheaper; over a longer run the share falls", {}},
     {"", {}}, "", ""},
    // data.one_iterator
    {{"make the iterator once and take the batches from it (it = iter(loader), then next(it)): nearly every step makes one, with workers of its own; DataLoader(persistent_workers=True), now False, keeps them", {}},
     {"", {}}, "", ""},
    // data.persistent_workers
    {{"DataLoader(persistent_workers=True), now False: the workers start anew for every epoch", {}},
     {"", {}}, "", ""},
    // data.copy_ahead
    {{"copy the next batch while the device computes: DataLoader(pin_memory=True) and .to(device, non_blocking=True) on a stream of its own; decode or normalise on the device to send less", {}},
     {"", {}}, "", ""},
    // data.prefetch_more
    {{"DataLoader(prefetch_factor={proposed}), now {prefetched}: the queue runs empty now and then, not always", {}},
     {"", {}}, "", ""},
    // data.load_ahead
    {{"load further ahead, or in more threads or processes at once (a DataLoader(num_workers=...) does both): the training awaits {function}", {}},
     {"", {}}, "", ""},
    // data.pin_memory
    {{"DataLoader(pin_memory=True), now False, and .to(device, non_blocking=True): copies to the device run beside computing", {}},
     {"", {}}, "", ""},
    // data.query_less
    {{"query the database less{in_function}: index what it searches by, fetch many rows at once, or cache the result", kDataQueryLessClauses},
     {"", {}}, "", ""},
    // data.decode_less
    {{"decode less{in_function}: let one call serve many samples, decode once and cache the result, or use a format or decoder that is cheaper to read", kDataDecodeLessClauses},
     {"", {}}, "", ""},
    // data.augment_on_device
    {{"augment whole batches at once{in_function}, on the device (torchvision.transforms.v2, kornia), or keep what is the same in every epoch", kDataAugmentOnDeviceClauses},
     {"", {}}, "", ""},
    // data.augment_vectorised
    {{"augment whole batches at once{in_function}, vectorised, or keep what is the same in every epoch", kDataAugmentVectorisedClauses},
     {"", {}}, "", ""},
    // data.tokenise_ahead
    {{"tokenise ahead of time and store the ids{in_function}, or tokenise batches with a compiled tokeniser (tokenizers)", kDataTokeniseAheadClauses},
     {"", {}}, "", ""},
    // data.ask_earlier
    {{"the dataset waits more than it computes{in_function}: ask for its data earlier, more of it at once, or keep it in memory or on a local disk", kDataAskEarlierClauses},
     {"", {}}, "", ""},
    // data.cheaper_awaited
    {{"make cheaper what {function} waits for", {}},
     {"", {}}, "", ""},
    // data.cheaper_sampler_code
    {{"make the sampler cheaper{in_function}: it runs on the training thread, with workers as without; choose the indices ahead of time, or vectorised", kDataCheaperSamplerCodeClauses},
     {"", {}}, "", ""},
    // data.cheaper_code
    {{"make the dataset's own code cheaper{in_function}: vectorise it, compute it ahead of time, or cache the result", kDataCheaperCodeClauses},
     {"", {}}, "", ""},
    // data.cheaper_helpers
    {{"the dataset waits for what other threads or processes make{in_function}: have it made ahead of time, let more of them work at once, or make that work cheaper", kDataCheaperHelpersClauses},
     {"", {}}, "", ""},
    // data.hold_lock_less
    {{"the dataset waits for a lock{in_function}: hold it for less time elsewhere, or give the dataset a file, connection or cache of its own", kDataHoldLockLessClauses},
     {"", {}}, "", ""},
    // data.share_less
    {{"the workers wait for one another{in_function}: give each a file, connection or cache of its own in place of a shared one behind a lock", kDataShareLessClauses},
     {"", {}}, "", ""},
    // data.copy_less
    {{"copy less{in_function}: hand arrays on as they are, or views of them", kDataCopyLessClauses},
     {"", {}}, "", ""},
    // data.keep_workers
    {{"batches stand ready in most waits: more workers than num_workers={workers} will not help", {}},
     {"", {}}, "", ""},
    // data.even_parts
    {{"give every worker its part of the IterableDataset, as much work as the others' (get_worker_info() in its __iter__): {at_work} of {workers} workers make batches at a time, the others have none to make or wait for their turn; more of them will not help", {}},
     {"", {}}, "", ""},
    // data.more_waiting_workers
    {{"DataLoader(num_workers={proposed}), now {workers}: the dataset mostly waits, which more workers do at the same time", {}},
     {"", {}}, "", ""},
    // data.cores_taken
    {{"other work takes {others} of {cores}: more workers than num_workers={workers} will not help", {}},
     {"", {}}, "", ""},
    // data.cores_filled
    {{"DataLoader(num_workers={workers}) already fills {cores}{of_quota}: more will not help", kDataCoresFilledClauses},
     {"", {}}, "", ""},
    // data.first_workers
    {{"DataLoader(num_workers={proposed}), now 0: load beside the training thread, on {free} free cores", {}},
     {"", {}}, "", ""},
    // data.more_workers
    {{"DataLoader(num_workers={proposed}), now {workers}: {free} of {cores}{of_quota} are free", kDataMoreWorkersClauses},
     {"", {}}, "", ""},
    // data.look_at_workers
    {{"what the loader's workers do is in no profile of the training's process: `steptrace run` names it; more of them (num_workers) help as far as cores are free", {}},
     {"", {}}, "", ""},
    // data.load_beside
    {{"load beside the training: DataLoader(num_workers=...), now 0; the training thread makes each batch itself", {}},
     {"", {}}, "", ""},
    // step.stop_growth
    {{"steps grow: look{in_function} for what is gathered from step to step and worked on as a whole each time (a list, a metric's state, a cache); keep sums, work on what is new, or empty it each epoch", kStepStopGrowthClauses},
     {"", {}}, "", ""},
    // cpu.raise_quota
    {{"raise the CPU quota (cpu.max of the cgroup, --cpus of the container), or do less work per sample: the quota holds the workers back, not the code alone", {}},
     {"", {}}, "", ""},
    // cpu.allow_more_cores
    {{"let the {whose} run on more cores than {allowed} of {cores}: {by_what}", kCpuAllowMoreCoresClauses},
     {"", {}}, "", ""},
    // cpu.more_cores
    {{"give the job more cores, or let other work on the machine wait; in workers, keep libraries to one thread each (OMP_NUM_THREADS=1)", {}},
     {"", {}}, "", ""},
    // cpu.free_for_training
    {{"run it where no other work takes its cores, or stop that work: the training thread waits for its turn", {}},
     {"", {}}, "", ""},
    // cpu.free_for_workers
    {{"run it where no other work takes its cores, or stop that work: the workers wait for their turn", {}},
     {"", {}}, "", ""},
    // cpu.free_for_operators
    {{"run it where no other work takes its cores, or stop that work: the time between operators holds waiting for a core", {}},
     {"", {}}, "", ""},
    // cpu.free_for_model
    {{"run it where no other work takes its cores, or stop that work: the model's threads wait for their turn", {}},
     {"", {}}, "", ""},
    // cpu.fewer_threads
    {{"torch.set_num_threads({proposed}), now {threads}, or OMP_NUM_THREADS={proposed}: more threads than cores take turns, and each operator waits for the last of them", {}},
     {"", {}}, "", ""},
    // step.own_process
    {{"run {function} in a process of its own: as a thread beside the training it takes the interpreter from it", {}},
     {"", {}}, "", ""},
    // step.compute_less
    {{"the training thread computes beside the model{in_function}: vectorise it, do it less often, or, if it makes the batches, do it in the dataset, where workers do it beside the training", kStepComputeLessClauses},
     {"", {}}, "", ""},
    // step.fewer_checkpoints
    {{"save checkpoints less often, or beside the training (torch.distributed.checkpoint.async_save)", {}},
     {"", {}}, "", ""},
    // step.fewer_evaluations
    {{"evaluate less often, or on a part of the evaluation set", {}},
     {"", {}}, "", ""},
    // step.log_less
    {{"log less often{in_function}, and without waiting for the result", kStepLogLessClauses},
     {"", {}}, "", ""},
    // step.fewer_windows
    {{"that is Steptrace's own: take fewer windows (--window, steptrace capture), or none of stacks, shapes or memory, whose profile PyTorch begins and writes between two steps", {}},
     {"", {}}, "", ""},
    // step.look_at_range
    {{"look at \"{range}\": it runs on the training thread in every step", {}},
     {"", {}}, "", ""},
    // step.look_at_work
    {{"look at {function}: the training thread works there, between the phases of a step", {}},
     {"", {}}, "", ""},
    // step.look_at_wait
    {{"look at {function}: the training thread waits there", {}},
     {"", {}}, "", ""},
    // step.annotate
    {{"see what the training thread does between the phases: put `with steptrace.annotate(\"...\"):` around suspected code and the report names it", {}},
     {"", {}}, "", ""},
    // profile.record_host
    {{"record what the host does (ProfilerActivity.CPU): the profile holds its calls into the device's runtime alone", {}},
     {"", {}}, "", ""},
    // profile.record_stacks
    {{"profile with Python's stacks (torch.profiler.profile(with_stack=True)): the report then names the functions that run there", {}},
     {"", {}}, "", ""},
    // profile.after_warm_up
    {{"profile after some steps (torch.profiler.schedule(wait=1, warmup=3, active=3)): the first calls of a process make the device's context and load or compile each kernel; where such calls come again in later steps, find what makes new kernels in them (shapes that change, autotuning, code that is compiled at run time)", {}},
     {"", {}}, "", ""},
    // model.more_steps
    {{"look at more steps, so that samples of its stack fall into them", {}},
     {"", {}}, "", ""},
    // model.sample_stacks
    {{"{more}let its stacks be sampled: {how}", kModelSampleStacksClauses},
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
    {{"matrix products in {precision} take {share} of kernel time and leave the tensor cores unused: {how}", kModelLowerPrecisionClauses},
     {"", {}}, "", ""},
    // model.lower_any_precision
    {{"matrix products in {precision} take {share} of kernel time and leave the tensor cores unused: compute in {lower}", {}},
     {"", {}}, "", ""},
    // model.profile_operators
    {{"to see which operators take its time, profile it with torch.profiler", {}},
     {"", {}}, "", ""},
    // model.operators
    {{"start with the operators that take its time: steptrace report --section operators", {}},
     {"", {}}, "", ""},
    // model.no_deterministic_fill
    {{"torch.utils.deterministic.fill_uninitialized_memory = False, now True: algorithms stay deterministic, and new tensors are no longer filled before they are written", {}},
     {"", {}}, "", ""},
    // model.capture_kernels
    {{"capture a window while it runs, to tell computing from framework overhead between kernels: steptrace capture --capture kernels", {}},
     {"", {}}, "", ""},
    // model.capture_operators
    {{"capture a window while it runs, to tell computing from framework overhead between operators: steptrace capture --capture operators", {}},
     {"", {}}, "", ""},
    // framework.no_anomaly_detection
    {{"torch.autograd.set_detect_anomaly(False), now True: it keeps the stack of every operation and checks every gradient; turn it on to find a NaN, not to train", {}},
     {"", {}}, "", ""},
    // framework.more_in_a_launch
    {{"the host does not keep the device busy: fuse operators or replay them as a graph (torch.compile(mode=\"reduce-overhead\"), CUDA graphs), use fused or foreach optimizers, or give each kernel more to do (larger batches)", {}},
     {"", {}}, "", ""},
    // framework.fix_graph_breaks
    {{"the operators are small against the way to each, torch.compile at work as it is: look for what it leaves out (TORCH_LOGS=graph_breaks), give each more to do (a larger batch), and step all parameters at once (optimizers with fused=True or foreach=True)", {}},
     {"", {}}, "", ""},
    // framework.fuse_operators
    {{"the operators are small against the way to each: fuse them (torch.compile(model)), give each more to do (a larger batch), and step all parameters at once (optimizers with fused=True or foreach=True)", {}},
     {"", {}}, "", ""},
    // framework.collect_seldom
    {{"{what}", kFrameworkCollectSeldomClauses},
     {"", {}}, "", ""},
    // framework.fixed_shapes
    {{"torch.compile compiles anew during training: keep shapes fixed (drop_last, padding) or pass dynamic=True; TORCH_LOGS=recompiles says why", {}},
     {"", {}}, "", ""},
    // framework.steady_shapes
    {{"torch.compile compiles {function} anew ({guard}): keep shapes fixed (drop_last, padding) or pass dynamic=True", {}},
     {"", {}}, "", ""},
    // framework.steady_tensors
    {{"torch.compile compiles {function} anew ({guard}): give it tensors of one dtype, device and layout, and let them ask for gradients in every call or in none", {}},
     {"", {}}, "", ""},
    // framework.values_as_tensors
    {{"torch.compile compiles {function} anew ({guard}): each value of a number of Python's is a program of its own: pass it as a tensor, or keep what changes it (a counter, a schedule) out of the compiled function", {}},
     {"", {}}, "", ""},
    // framework.texts_outside
    {{"torch.compile compiles {function} anew ({guard}): each text is a program of its own: decide by it outside of the compiled function, or compile a function for each of the few that there are", {}},
     {"", {}}, "", ""},
    // framework.steady_lengths
    {{"torch.compile compiles {function} anew ({guard}): how many elements a list has, or which keys a dict, is part of the program: keep them the same, or join what it holds to one tensor", {}},
     {"", {}}, "", ""},
    // framework.one_state
    {{"torch.compile compiles {function} anew ({guard}): call it in one state of PyTorch (gradients on or off, autocast, training or evaluation, threads), or compile a function for each", {}},
     {"", {}}, "", ""},
    // framework.one_object
    {{"torch.compile compiles {function} anew ({guard}): what it is given or closes over is a new object: make functions, modules, optimizers and backends once, before the loop", {}},
     {"", {}}, "", ""},
    // framework.look_at_guard
    {{"torch.compile compiles {function} anew ({guard}): keep what it tells of the same from call to call; TORCH_LOGS=recompiles tells of each", {}},
     {"", {}}, "", ""},
    // framework.look_at_unbegun_work
    {{"what was launched does not begin at once, whether the host waits for it or not: look what the device does meanwhile (steptrace ui, timeline): another stream's work that an event stands for, gaps within a graph, or another process's work that has the device in turn", {}},
     {"", {}}, "", ""},
    // framework.run_ahead
    {{"let the host run ahead: no .item(), .cpu(), print of a tensor or torch.cuda.synchronize() in every step; copies with non_blocking=True", {}},
     {"", {}}, "", ""},
    // communication.all_ranks
    {{"see all ranks together, so that exchange and waiting are told apart: {how}", kCommunicationAllRanksClauses},
     {"", {}}, "", ""},
    // communication.accumulate_without_sync
    {{"exchange less often: accumulate gradients over several batches, with model.set_requires_gradient_sync(False) on all but the last", {}},
     {"", {}}, "", ""},
    // communication.accumulate
    {{"exchange less often: accumulate gradients over several batches under model.no_sync()", {}},
     {"", {}}, "", ""},
    // communication.no_sync
    {{"exchange gradients once a step, not {backwards} times: forward and backward of all batches but the step's last under model.no_sync() (of Accelerate: accelerator.accumulate(model)), which leaves out {left_out} of {backwards} exchanges", {}},
     {"", {}}, "", ""},
    // communication.call_less
    {{"exchange less often: after several batches, not after each", {}},
     {"", {}}, "", ""},
    // communication.tensors_for_objects
    {{"tensors in place of {call}, or it less often: objects are pickled, sent in two calls and unpickled on each rank", {}},
     {"", {}}, "", ""},
    // communication.no_barrier
    {{"leave {call} out: nothing is exchanged in it, and a collective waits for its ranks by itself", {}},
     {"", {}}, "", ""},
    // communication.micro_batches
    {{"let the ranks work at the same time: split each batch into micro-batches, so that one computes the next while another has the one before (torch.distributed.pipelining), or ask for what comes (irecv) before it is needed", {}},
     {"", {}}, "", ""},
    // communication.join_calls
    {{"make one collective of many small ones, which cost their way and not their bytes (torch.cat of flat tensors; for gradients DistributedDataParallel does it)", {}},
     {"", {}}, "", ""},
    // communication.wait_later
    {{"collectives that the script starts asynchronously: wait for them later, where their result is used, with computing between", {}},
     {"", {}}, "", ""},
    // communication.start_asynchronously
    {{"collectives that the script calls: start them with async_op=True and wait for them where their result is used", {}},
     {"", {}}, "", ""},
    // communication.hold_parameters
    {{"fully_shard(reshard_after_forward=False), now True: parameters are gathered once a step, and held in between", {}},
     {"", {}}, "", ""},
    // communication.more_layers_a_unit
    {{"fewer and larger collectives: more layers in each fully_shard()", {}},
     {"", {}}, "", ""},
    // communication.shard_gradients
    {{"FullyShardedDataParallel(sharding_strategy=SHARD_GRAD_OP), now FULL_SHARD: parameters are gathered once a step, and held in between", {}},
     {"", {}}, "", ""},
    // communication.larger_units
    {{"fewer and larger collectives: larger units in auto_wrap_policy", {}},
     {"", {}}, "", ""},
    // communication.larger_buckets
    {{"let the exchange run beside backward: larger bucket_cap_mb{size}{and_views} in DistributedDataParallel{or_hook}", kCommunicationLargerBucketsClauses},
     {"", {}}, "", ""},
    // communication.nccl
    {{"init_process_group(\"nccl\"), now gloo: devices exchange without the host", {}},
     {"", {}}, "", ""},
    // communication.no_unused_parameters
    {{"DistributedDataParallel(find_unused_parameters=False), now True, if each step uses all parameters: it walks the graph of every step, and exchanges once more what was used; where every step leaves out the same, static_graph=True", {}},
     {"", {}}, "", ""},
    // communication.even_work
    {{"the ranks come last in turn: give all the same amount of work a step, and look at what differs in their breakdown", {}},
     {"", {}}, "", ""},
    // communication.look_at_data
    {{"look at rank {rank}'s data: the size of its shard, its storage, its workers; the other ranks load faster", {}},
     {"", {}}, "", ""},
    // communication.look_at_rank
    {{"look at rank {rank}: its {stage} takes longer than on the others; other work on its cores or device, lower clocks, or larger samples in its shard", {}},
     {"", {}}, "", ""},
    // communication.look_at_cause
    {{"look at rank {rank}: {what} makes the others wait; do it less often, on all ranks at once, or beside the training", kCommunicationLookAtCauseClauses},
     {"", {}}, "", ""},
    // run.call_step
    {{"import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.call_step_if_it_trains
    {{"if it trains in a way of its own: import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.call_step_if_it_trained
    {{"if it trained in a way of its own: import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.call_step_if_it_trains_already
    {{"if it trains already: import steptrace and call steptrace.step() at the end of every step of the training loop", {}},
     {"", {}}, "", ""},
    // run.let_hooks_in
    {{"if it is a Python training: it ran with -S, -E or -I, or with PYTHONPATH cleared, so the hooks could not get in; run it without", {}},
     {"", {}}, "", ""},
    // run.name_ranges
    {{"if it is another program: it has no steps here; name its ranges with include/steptrace/steptrace.h, and the timeline shows them", {}},
     {"", {}}, "", ""},
    // run.longer_range
    {{"choose a longer one: a whole step tells where it went, {steps} and more how sure that is", {}},
     {"", {}}, "", ""},
    // run.without_tool
    {{"record without that tool (debugger, tracer, profiler with stacks)", {}},
     {"", {}}, "", ""},
    // run.free_space
    {{"free space there, or name a place with room (--output), and record again", {}},
     {"", {}}, "", ""},
    // run.fix_failure
    {{"mend what its own output ends with", {}},
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
    {{"look at steps behind the warm-up", {}},
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
    {{"import all that the job wrote: its framework events hold the steps", {}},
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
    {{"init_process_group(\"nccl\"): devices exchange without the host", {}},
     {"", {}}, "", ""},
    // recommendation.communicate_less
    {{"compress gradients, accumulate them over several batches, or use a larger batch with an optimizer made for it (LAMB)", {}},
     {"", {}}, "", ""},
    // recommendation.give_device_more
    {{"see the verdict for what it waits for; a larger batch gives it more to do", {}},
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
    {{"larger buckets and gradient_as_bucket_view=True in DistributedDataParallel, prefetching in FSDP (forward_prefetch, backward_prefetch), async_op=True for own collectives", {}},
     {"", {}}, "", ""},
    // recommendation.look_at_late_rank
    {{"steptrace report --section distributed tells what the late rank did instead", {}},
     {"", {}}, "", ""},
    // recommendation.synchronise_less
    {{"no .item(), .cpu() or torch.cuda.synchronize() in every step; non_blocking=True for copies", {}},
     {"", {}}, "", ""},
    // recommendation.gather_copies
    {{"gather small tensors into one before copying, and keep scalars on the device", {}},
     {"", {}}, "", ""},
    // recommendation.use_tensor_cores
    {{"bfloat16 or float16 by torch.autocast, torch.set_float32_matmul_precision(\"high\"), channels_last for convolutions, sizes that are multiples of 8", {}},
     {"", {}}, "", ""},
    // recommendation.keep_blocks
    {{"no torch.cuda.empty_cache() in the loop; PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True; keep shapes fixed so that blocks are used again", {}},
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
    {{"rank {rank}, steps {from} to {to}: {share} of the time waits for data{queue}", kRuleWaitsForDataClauses},
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
    {{"DistributedDataParallel exchanges {how} NCCL", kRecommendationGradientExchangeClauses},
     {"", {}}, "", ""},
    // recommendation.communication
    {{"communication {takes} {share} of the step{alone}", kRecommendationCommunicationClauses},
     {"", {}}, "", ""},
    // recommendation.least_used_device
    {{"the device with least to do runs kernels in {only}{share} of the steps", kRecommendationLeastUsedDeviceClauses},
     {"", {}}, "", ""},
    // recommendation.little_used_device
    {{"device {device} of rank {rank}: kernels run {share} of the steps", {}},
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
    {{"devices wait {share} of the step for the host to launch work", {}},
     {"", {}}, "", ""},
    // recommendation.short_launches
    {{"{launches} launches of {mean} in the mean; {shorter} of them took longer than their work", {}},
     {"", {}}, "", ""},
    // recommendation.exposed_communication
    {{"communication with no computing beside it takes {share} of the step", {}},
     {"", {}}, "", ""},
    // recommendation.communication_beside_computing
    {{"{share} of {communication} of communication run beside computing", {}},
     {"", {}}, "", ""},
    // recommendation.straggler
    {{"ranks wait {share} of their steps for the one that comes last", {}},
     {"", {}}, "", ""},
    // recommendation.late_rank
    {{"the others waited {wait} for rank {rank} (its {cause})", {}},
     {"", {}}, "", ""},
    // recommendation.synchronisation
    {{"devices are idle {share} of the step while {what}", kRecommendationSynchronisationClauses},
     {"", {}}, "", ""},
    // recommendation.synchronising_calls
    {{"{calls} synchronising {noun}, {time} in them", kRecommendationSynchronisingCallsClauses},
     {"", {}}, "", ""},
    // recommendation.small_copies
    {{"copies of under 64 KiB take {share} of the time", {}},
     {"", {}}, "", ""},
    // recommendation.small_copies_of_all
    {{"{small} of {copies} copies are that small, {time} together", {}},
     {"", {}}, "", ""},
    // recommendation.tensor_core_share
    {{"tensor cores run {share} of computing, by the kernels' names", {}},
     {"", {}}, "", ""},
    // recommendation.tensor_core_share_possible
    {{"operators that could use them launch {share} of computing", {}},
     {"", {}}, "", ""},
    // recommendation.allocator
    {{"allocating device memory in the steps takes {share} of them", {}},
     {"", {}}, "", ""},
    // recommendation.allocator_calls
    {{"{calls} {noun}, {time} in them", kRecommendationAllocatorCallsClauses},
     {"", {}}, "", ""},
    // verdict.straggler
    {{"communication: rank {rank} is late by its {cause}, and waiting for the last rank takes {share}{ranks}{seen}", kVerdictStragglerClauses},
     {"", {}}, "", ""},
    // verdict.exchange_or_waiting
    {{"communication, {share}{ranks}: exchange and waiting for {others}, which cannot be told apart without {what}{seen}", kVerdictExchangeOrWaitingClauses},
     {"", {}}, "", ""},
    // verdict.suspect
    {{"{who}, {share}{ranks}{slowed}{seen}", kVerdictSuspectClauses},
     {"", {}}, "", ""},
    // verdict.training_without_core
    {{"CPU contention of the training thread, {share}: batches stand ready in {ready} of {waits} waits, and the thread that takes them over waits for a core", kVerdictTrainingWithoutCoreClauses},
     {"", {}}, "", ""},
    // verdict.no_single_suspect
    {{"no single suspect: {first} {first_part}{more}{beside_model}{of_ranks}{seen}", kVerdictNoSingleSuspectClauses},
     {"", {}}, "", ""},
    // verdict.model_if_it_computes
    {{"the model fills the step, {share}{ranks}{slowed}, if its forward computes: too little of it was seen to tell computing from waiting{seen}", kVerdictModelIfItComputesClauses},
     {"", {}}, "", ""},
    // verdict.model_and_next
    {{"{fill} most of the step, {share}{ranks}{slowed}; next: {next}, {of_step}{of_rank}{seen}", kVerdictModelAndNextClauses},
     {"", {}}, "", ""},
    // verdict.model_and_rest
    {{"{fill} most of the step, {share}{ranks}{slowed}; next: other work and unattributed time, {rest} together{seen}", kVerdictModelAndRestClauses},
     {"", {}}, "", ""},
    // verdict.model_with_overhead
    {{"the model and framework overhead fill the step, {share}{ranks}{slowed}: the window that tells them apart was full too soon{seen}", kVerdictModelWithOverheadClauses},
     {"", {}}, "", ""},
    // verdict.model_waits_for_host
    {{"the model fills the step, {share}{ranks}, and the device waits for the host in it{seen}", kVerdictModelWaitsForHostClauses},
     {"", {}}, "", ""},
    // verdict.model_unrecognised
    {{"the model takes {share}{ranks}, as far as events are recognised: others run in {unrecognised} of the step, and may be in the way{seen}", kVerdictModelUnrecognisedClauses},
     {"", {}}, "", ""},
    // verdict.model_healthy
    {{"the model fills the step, {share}{ranks}; nothing around it is in the way{seen}", kVerdictModelHealthyClauses},
     {"", {}}, "", ""},
    // verdict.model_slowed
    {{"the model fills the step, {share}{ranks}{slowed}{seen}", kVerdictModelSlowedClauses},
     {"", {}}, "", ""},
    // verdict.no_hooks
    {{"no steps: hooks tell where they end, and no process of this run has them", {}},
     {"", {}}, "", ""},
    // verdict.no_step_in_stretch
    {{"no whole step lies in this stretch", {}},
     {"", {}}, "", ""},
    // verdict.cannot_record
    {{"no step seen: the hooks could not record", {}},
     {"", {}}, "", ""},
    // verdict.shared_memory_full
    {{"no step seen: shared memory had no room to record in", {}},
     {"", {}}, "", ""},
    // verdict.unrecorded_process
    {{"no step seen: the run was closed before the command's processes had ended", {}},
     {"", {}}, "", ""},
    // verdict.script_profiler
    {{"no step seen: the hooks stepped aside for a tool of the script's own", {}},
     {"", {}}, "", ""},
    // verdict.steps_damaged
    {{"no step can be read: the file that holds them is damaged", {}},
     {"", {}}, "", ""},
    // verdict.steps_refused
    {{"no step can be read: the disk took none of those that were made", {}},
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
    {{"no step seen: the optimizer's hook, which tells where steps end, was left out", {}},
     {"", {}}, "", ""},
    // verdict.import_without_steps
    {{"no step seen: what was imported marks none that lasts", {}},
     {"", {}}, "", ""},
    // verdict.no_training
    {{"no training seen: {what} holds no steps, and no events that frameworks make", kVerdictNoTrainingClauses},
     {"", {}}, "", ""},
    // verdict.hooks_off
    {{"no step seen: the hooks were switched off", {}},
     {"", {}}, "", ""},
    // verdict.no_step_yet
    {{"no step yet: the job is still starting, or its first step is under way", {}},
     {"", {}}, "", ""},
    // verdict.stretch_of_warm_up
    {{"too few steps: {which} warm-up", kVerdictStretchOfWarmUpClauses},
     {"", {}}, "", ""},
    // verdict.too_few_steps
    {{"too few steps: {steady} steady of {seen} seen, {more} more {are} needed", kVerdictTooFewStepsClauses},
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
    {{"Node {node} is held up by its CPU, it seems: p95 of GPU is {gpu} %, p95 of CPU is {cpu} %.", {}},
     {"", {}}, "", ""},
    // usage.well_used
    {{"Node {node} is well used: p50 of GPU is {gpu} %.", {}},
     {"", {}}, "", ""},
    // note.no_device_activity
    {{"{why}: {items} are empty{collectives}", kNoteNoDeviceActivityClauses},
     {"{part}", {}}, ", ", " and "},
    // note.profile_without_devices
    {{"devices, kernels: not applicable: the profile holds no device activity{how}", kNoteProfileWithoutDevicesClauses},
     {"", {}}, "", ""},
    // note.profile_without_operators
    {{"operators: not applicable: the profile holds none{how}", kNoteProfileWithoutOperatorsClauses},
     {"", {}}, "", ""},
    // note.profile_without_memory
    {{"memory: not applicable: the profile holds no allocations{how}", kNoteProfileWithoutMemoryClauses},
     {"", {}}, "", ""},
    // note.profile_without_modules
    {{"modules: not applicable: the profile tells none{how}", kNoteProfileWithoutModulesClauses},
     {"", {}}, "", ""},
    // note.steps_left_out
    {{"{which} left out of what is told of devices: a damaged file held some of what happened in {it} (data_loss: segment_damaged){few}{idle}", kNoteStepsLeftOutClauses},
     {"", {}}, "", ""},
    // note.agent_ended_first
    {{"finalization is not known: the agent ended before the run, and steps may have come after the last one that it wrote down", {}},
     {"", {}}, "", ""},
    // note.lost_after_last_step
    {{"finalization is not known: something was lost after the last step that is stored ({cause}), and steps may have come after it", {}},
     {"", {}}, "", ""},
    // note.no_step_marks
    {{"the profile marks no steps: all that it holds is taken as one{how}", kNoteNoStepMarksClauses},
     {"", {}}, "", ""},
    // note.windows
    {{"device activity is known of {steps} {noun}, in windows of kernels: {what}{few}", kNoteWindowsClauses},
     {"", {}}, "", ""},
    // note.collectives_from
    {{"distributed: collectives from {time} of the run on; those before were too many to hold", {}},
     {"", {}}, "", ""},
    // note.no_metric
    {{"system: no metric was collected{elsewhere}", kNoteNoMetricClauses},
     {"", {}}, "", ""},
    // note.samples_around
    {{"samples: too few fall into these steps; stages are split and functions named by those of all steps within {time} of them", {}},
     {"", {}}, "", ""},
    // note.not_measured
    {{"not measured: {what}{reason}{next}", kNoteNotMeasuredClauses},
     {"", {}}, "", ""},
    // note.last_steps
    {{"of each rank the last {steps} steady steps alone", {}},
     {"", {}}, "", ""},
    // memory.copy_on_write
    {{"private memory of {whose}{of_node} {grows}: {copies} with the training's process, as counting a reference to an object writes to it; keep what the dataset holds in few large arrays (NumPy, torch, Arrow, a mapped file) in place of lists and dicts", kMemoryCopyOnWriteClauses},
     {"", {}}, "", ""},
    // note.window_cost
    {{"steps in windows of kernels take {steps}, those before {before}: what CUPTI adds is taken off going from operator to operator, launching and synchronisation", {}},
     {"", {}}, "", ""},
    // note.cupti_stays
    {{"after a window of kernels {reason}", {}},
     {"", {}}, "", ""},
    // note.cupti_taken
    {{"a window has no kernels: {reason}", {}},
     {"", {}}, "", ""},
    // note.no_group_told
    {{"no collective of this run tells its group; call torch.distributed's functions in a script under `steptrace run`", {}},
     {"", {}}, "", ""},
    // note.no_collectives
    {{"{what}", kNoteNoCollectivesClauses},
     {"", {}}, "", ""},
    // note.one_rank
    {{"not enough data for waiting and blame: 1{of} is here; {next}", kNoteOneRankClauses},
     {"", {}}, "", ""},
    // note.nothing_matched
    {{"no collective of one rank has its counterpart on another{next}", kNoteNothingMatchedClauses},
     {"", {}}, "", ""},
    // note.shared_group_name
    {{"more ranks call in the group {group} than it has: several groups share its name and no profile tells their ranks, so which calls are one collective is not known", {}},
     {"", {}}, "", ""},
    // note.collectives_lack_ranks
    {{"{incomplete} of {collectives} collectives lack ranks: waiting is what these ranks waited for each other, at least", {}},
     {"", {}}, "", ""},
    // note.calls_unplaced
    {{"calls of {who} {items}{others} without sequence numbers fit no other rank's by their times: they stay alone, and who waited for them is not known", kNoteCallsUnplacedClauses},
     {"{rank}", {}}, ", ", ", "},
    // note.calls_ambiguous
    {{"calls of {who} {items}{others} without sequence numbers fit those of others in more than one way: waiting and blame may be of neighbouring calls", kNoteCallsAmbiguousClauses},
     {"{rank}", {}}, ", ", ", "},
    // comparison.no_steps
    {{"Neither run has steady steps to compare.", {}},
     {"", {}}, "", ""},
    // comparison.no_steps_in_one
    {{"{run} has no steady steps to compare.", {}},
     {"", {}}, "", ""},
    // comparison.may_be_chance
    {{"Their steps take the same time, as far as can be told.", {}},
     {"", {}}, "", ""},
    // comparison.same
    {{"Their steps take the same time: {time}.", {}},
     {"", {}}, "", ""},
    // comparison.faster
    {{"{which} is {by} faster a step: {fast} instead of {slow}{end}", kComparisonFasterClauses},
     {"", {}}, "", ""},
    // comparison.dataset_stages_of_one
    {{"Only {which} tells its dataset's stages: __getitem__ holds {items}.", kComparisonDatasetStagesOfOneClauses},
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
    {{"the framework told nothing{where}", kReasonFrameworkSilentClauses},
     {"", {}}, "", ""},
    // reason.no_step_or_operator
    {{"the framework told nothing: no step, no operator", {}},
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
    {{"it is of the run's begin, which the stretch leaves out", {}},
     {"", {}}, "", ""},
    // reason.no_data
    {{"no data: the reference calls this healthy too", {}},
     {"", {}}, "", ""},
    // reason.impossible_times
    {{"the samples' times span {time}: some are wrong; see the table counters", {}},
     {"", {}}, "", ""},
    // reason.first_gpus_alone
    {{"of {all} sampled GPUs the first {compared} are compared", {}},
     {"", {}}, "", ""},
    // rule_advice.low_gpu_utilization
    {{"Find what holds the GPU up (steptrace report), use fewer synchronising calls, another distribution strategy, or a larger batch.", {}},
     {"", {}}, "", ""},
    // rule_advice.batch_size
    {{"Take a larger batch, or a smaller machine (steptrace report --section rules, cost).", {}},
     {"", {}}, "", ""},
    // rule_advice.cpu_bottleneck
    {{"Less work per sample, more cores, or prefetching; more loader workers only where cores are free.", {}},
     {"", {}}, "", ""},
    // rule_advice.io_bottleneck
    {{"Prefetch, read larger pieces, keep the data in a binary format or nearer to the machine.", {}},
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
    {{"The agent holds {held}, more than its limit of {limit}: it sheds what it holds", {}},
     {"", {}}, "", ""},
    // live.agent_memory_ok
    {{"The agent holds {held}, within its limit of {limit} again", {}},
     {"", {}}, "", ""},
    // live.memory_leak
    {{"grows by {rate} a step ({low} to {high}): a leak{compiling}{items}", kLiveMemoryLeakClauses},
     {"; the {bytes} of the {limit} would last for {time} more", {}}, "", ""},
    // live.memory_plateau
    {{"does not grow any more: a plateau", {}},
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
    {{"no hang: the training ended by itself, and well", {}},
     {"", {}}, "", ""},
    // loss.capture_nothing
    {{"{which} captured nothing: {why}", kLossCaptureNothingClauses},
     {"", {}}, "", ""},
    // loss.capture_cut
    {{"{capture} {state}: {items}", kLossCaptureCutClauses},
     {"{why}", kLossCaptureCutItemClauses}, ", and ", ", and "},
    // loss.capture_without
    {{"{capture} captured no {kinds}{where}: it cannot be had here; the table `run_metadata` says why (kind hook)", kLossCaptureWithoutClauses},
     {"", {}}, "", ""},
    // loss.kineto_failed
    {{"a capture by Kineto: {reason}", {}},
     {"", {}}, "", ""},
    // loss.kineto_no_memory
    {{"a capture by Kineto holds no memory: PyTorch tells it only to its own profiler; capture it with hooks", {}},
     {"", {}}, "", ""},
    // loss.profile_unread
    {{"profile of process {pid}: {reason}", {}},
     {"", {}}, "", ""},
    // loss.profiles_left
    {{"profiles that were left at the end are not in the run; they lie in its folder profiles", {}},
     {"", {}}, "", ""},
    // loss.of_profile
    {{"a profile's {cause}: {detail}", {}},
     {"", {}}, "", ""},
    // loss.no_room_for_ring
    {{"process {pid} found no room for its ring; enlarge /dev/shm (docker: --shm-size), or name another place by --shm or STEPTRACE_SHM", {}},
     {"", {}}, "", ""},
    // loss.ring_unreadable
    {{"the records of process {pid} cannot be read: {reason}", {}},
     {"", {}}, "", ""},
    // loss.disarmed
    {{"recording ended early in process {pid}: {reason}", {}},
     {"", {}}, "", ""},
    // loss.still_ran
    {{"{processes} still ran when the run was closed, and {noun} not recorded from then on; let the command wait for what it starts (`wait` in a shell)", kLossStillRanClauses},
     {"", {}}, "", ""},
    // loss.other_user
    {{"{process} (pid {pid}) ran as user {user} and cannot reach the rings of user {own}; start `steptrace run` as the user who trains", {}},
     {"", {}}, "", ""},
    // loss.no_site_packages
    {{"{process} (pid {pid}) ran with -S, which loads no site packages: no hooks; leave the option out", {}},
     {"", {}}, "", ""},
    // loss.python_path_ignored
    {{"{process} (pid {pid}) ran with -{option}, which ignores PYTHONPATH: no hooks; leave the option out or install the .pth file: python -m steptrace.pth install", {}},
     {"", {}}, "", ""},
    // loss.hooks_refused
    {{"{who} loaded the hooks, but {why}", kLossHooksRefusedClauses},
     {"", {}}, "", ""},
    // loss.no_hooks_loaded
    {{"{process} (pid {pid}) loaded no hooks: its environment was cleared, or it has no usable package; see `steptrace doctor`", {}},
     {"", {}}, "", ""},
    // loss.tool_of_the_script
    {{"a Python set a tracer, profiler or debugger of its own (pdb, coverage, cProfile), and imported nothing that is hooked without it: the hooks step aside for such a tool, so that it sees nothing of them; record without it", {}},
     {"", {}}, "", ""},
    // loss.nothing_to_record
    {{"no process of the command was seen to be Python or recorded a range; a native program has no steps here and can name ranges with <steptrace/steptrace.h>", {}},
     {"", {}}, "", ""},
    // loss.recorded_elsewhere
    {{"{who} `steptrace run` itself, and what that started is recorded in its own run", kLossRecordedElsewhereClauses},
     {"", {}}, "", ""},
    // loss.unavailable
    {{"{source}: {reason}{next}", kLossUnavailableClauses},
     {"", {}}, "", ""},
    // loss.impossible_times
    {{"rows whose times no run can hold were left out", {}},
     {"", {}}, "", ""},
    // loss.unrecognised_event
    {{"what these categories mean is not known: {items}{others}{held}; the timeline shows them; report the categories, so that they become known", kLossUnrecognisedEventClauses},
     {"{category} {events}", {}}, ", ", ", "},
    // loss.ranks_missing
    {{"of {missing} {noun} there are no steps: {to_do}", kLossRanksMissingClauses},
     {"", {}}, "", ""},
    // loss.hook_failed
    {{"the hook on {hook} went away: {reason}", {}},
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
    {{"the {cores} cores would not hold all of that use at once: it must shrink with the processes; try it before you rely on it", {}},
     {"", {}}, "", ""},
    // cost.batch_grows
    {{"the batch of each process grows as their number shrinks", {}},
     {"", {}}, "", ""},
    // cost.other_size
    {{"node {node} has {cores} cores and {gpus} GPUs, a {instance} has {type_cores} and {type_gpus}: see whether --instance names its type", {}},
     {"", {}}, "", ""},
    // cost.no_types
    {{"no types of machines are listed: docs/reference/rules.md tells how", {}},
     {"", {}}, "", ""},
    // cost.use_unmeasured
    {{"CPU and GPU use were not measured: no other type can be proposed", {}},
     {"", {}}, "", ""},
    // cost.no_type_holds
    {{"no listed type holds the measured use", {}},
     {"", {}}, "", ""},
    // cost.none_cheaper
    {{"no cheaper listed type than {instance} holds a node's measured use", {}},
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
