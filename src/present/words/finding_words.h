// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/findings.toml.
#pragma once

#include "model/finding_kinds.h"
#include "present/words/kind_words.h"

namespace steptrace::present {

// clang-format off
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
inline constexpr ClauseWords kStepGarbageCollectionsClauses[] = {
    {"noun", "steps", 1, "step"},
    {"noun", "", {}, "steps"},
};
inline constexpr ClauseWords kCpuCoresBusyClauses[] = {
    {"name", "cores", {}, "{cores}"},
    {"name", "", {}, "cores"},
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
inline constexpr ClauseWords kCommunicationCallsItemClauses[] = {
    {"of_size", "bytes", {}, ", each of {bytes}"},
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
    // data.samples
    {{"{samples} samples of stacks", {}},
     {"", {}}, "", ""},
    // data.stages_of_profile
    {{"stages by the profile's Python functions", {}},
     {"", {}}, "", ""},
    // step.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // operators.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // communication.stages
    {{"{items}", {}},
     {"{stage} {share}", {}}, ", ", ", "},
    // step.faster_without
    {{"at most {speedup} faster without {what}", kStepFasterWithoutClauses},
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
    // device.caught_up
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
    // communication.last_rank
    {{"rank {rank} came last in {last} of {steps} steps", {}},
     {"", {}}, "", ""},
    // communication.waited_for_rank
    {{"all others together waited {wait} a step for it", {}},
     {"", {}}, "", ""},
    // communication.calls
    {{"a step calls {items}", {}},
     {"{calls} {call}{of_size}", kCommunicationCallsItemClauses}, ", ", ", "},
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
    // run.lost
    {{"{detail}", {}},
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
    // profile.threads_together
    {{"{threads} threads of rank {rank} mark steps: where these overlap, the time counts in each", {}},
     {"", {}}, "", ""},
    // profile.runs_in
    {{"{share} of the step it is in {function}", {}},
     {"", {}}, "", ""},
    // profile.waits_in
    {{"{share} of the step it waits in {function}", {}},
     {"", {}}, "", ""},
};
// clang-format on

}  // namespace steptrace::present
