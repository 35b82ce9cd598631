// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/metadata.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steptrace::store {

// clang-format off
// Kinds of rows of run metadata.
enum class MetadataKind : uint8_t {
  kLoader,  // A `DataLoader` and what it is set to
  kBatch,  // What some batches of a `DataLoader` held: reported at the first batch that was inspected, the second, fourth and so on
  kProcess,  // A process that the hooks are in
  kFramework,  // A framework that was imported
  kJob,  // Place of a process in a distributed job
  kHook,  // State of a hook
  kDevice,  // A GPU; of profiles as the profiler describes it
  kCommunicator,  // A process group of PyTorch, or a communicator of NCCL
  kThreads,  // Threads of PyTorch
  kAutograd,  // State of autograd
  kCollector,  // Settings of Python's garbage collector that the script changed, as they are at an optimizer's steps
  kRecompilation,  // A guard of `torch.compile` that failed, so that a function was recompiled: reported at its first failure, its second, fourth and so on
  kGradientExchange,  // What passes of `DistributedDataParallel` exchange: reported at the fourth pass, the eighth and so on
  kTensors,  // Which tensors `run --tensors` reads in this process, and how often: reported when that changes
  kDataParallel,  // A data-parallel wrapper and what it is set to
  kException,  // An exception that nobody caught, at the moment when Python printed it
  kSource,  // Of profiles: a file that was imported. Of the agent: what cannot be read on this machine
  kGpu,  // A GPU of the machine, and the most processes that were on it at a moment
  kAllowedCores,  // The cores that a process of the training may run on; of one without a row they are its parent's
  kWindow,  // A capture window
  kSettings,  // What the run was recorded with
  kGit,  // Of the repository that the script lies in, as the run began
  kPythonProfile,  // A window of SageMaker's Python profiler
  kPythonFunction,  // A function in such a window
};
inline constexpr std::string_view kMetadataKinds[] = {
    "loader",
    "batch",
    "process",
    "framework",
    "job",
    "hook",
    "device",
    "communicator",
    "threads",
    "autograd",
    "collector",
    "recompilation",
    "gradient_exchange",
    "tensors",
    "data_parallel",
    "exception",
    "source",
    "gpu",
    "allowed_cores",
    "window",
    "settings",
    "git",
    "python_profile",
    "python_function",
};

// Keys of their JSON, of those that are read.
enum class MetadataKey : uint8_t {
  kLoader,
  kClass,
  kWorkers,
  kBatchSize,
  kPrefetchFactor,
  kPinMemory,
  kPersistentWorkers,
  kDataset,
  kIterable,
  kCollateFn,
  kCollateLines,
  kBatches,
  kSamples,
  kSamplesAlike,
  kTokens,
  kTokensAlike,
  kShapesAlike,
  kPython,
  kName,
  kVersion,
  kCuda,
  kHip,
  kRank,
  kWorldSize,
  kBackend,
  kPgConfig,
  kHook,
  kModule,
  kState,
  kReason,
  kCause,
  kDetail,
  kDevice,
  kId,
  kMultiprocessors,
  kNumSms,
  kMultiprocessorThreads,
  kMultiprocessorRegisters,
  kMultiprocessorSharedBytes,
  kMemoryBytes,
  kTotalGlobalMem,
  kCapability,
  kComputeMajor,
  kComputeMinor,
  kUuid,
  kIntraop,
  kAnomaly,
  kThresholds,
  kBefore,
  kEnabled,
  kFunction,
  kFile,
  kLine,
  kGuard,
  kCount,
  kLimit,
  kWrappers,
  kExchanging,
  kWithheld,
  kBuckets,
  kGradientBytes,
  kRoles,
  kEvery,
  kLossEvery,
  kCostNs,
  kLossCostNs,
  kStepNs,
  kUncovered,
  kFindUnusedParameters,
  kStaticGraph,
  kGradientAsBucketView,
  kBucketCapMb,
  kCommHook,
  kReshardAfterForward,
  kType,
  kMessage,
  kFrames,
  kThread,
  kFormat,
  kWriter,
  kSource,
  kRemedy,
  kProcesses,
  kOurs,
  kOthers,
  kCores,
  kBy,
  kKinds,
  kEnd,
  kSteps,
  kFromNs,
  kToNs,
  kStretches,
  kChanged,
};
inline constexpr const char* kMetadataKeys[] = {
    "loader",
    "class",
    "workers",
    "batch_size",
    "prefetch_factor",
    "pin_memory",
    "persistent_workers",
    "dataset",
    "iterable",
    "collate_fn",
    "collate_lines",
    "batches",
    "samples",
    "samples_alike",
    "tokens",
    "tokens_alike",
    "shapes_alike",
    "python",
    "name",
    "version",
    "cuda",
    "hip",
    "rank",
    "world_size",
    "backend",
    "pg_config",
    "hook",
    "module",
    "state",
    "reason",
    "cause",
    "detail",
    "device",
    "id",
    "multiprocessors",
    "numSms",
    "multiprocessor_threads",
    "multiprocessor_registers",
    "multiprocessor_shared_bytes",
    "memory_bytes",
    "totalGlobalMem",
    "capability",
    "computeMajor",
    "computeMinor",
    "uuid",
    "intraop",
    "anomaly",
    "thresholds",
    "before",
    "enabled",
    "function",
    "file",
    "line",
    "guard",
    "count",
    "limit",
    "wrappers",
    "exchanging",
    "withheld",
    "buckets",
    "gradient_bytes",
    "roles",
    "every",
    "loss_every",
    "cost_ns",
    "loss_cost_ns",
    "step_ns",
    "uncovered",
    "find_unused_parameters",
    "static_graph",
    "gradient_as_bucket_view",
    "bucket_cap_mb",
    "comm_hook",
    "reshard_after_forward",
    "type",
    "message",
    "frames",
    "thread",
    "format",
    "writer",
    "source",
    "remedy",
    "processes",
    "ours",
    "others",
    "cores",
    "by",
    "kinds",
    "end",
    "steps",
    "from_ns",
    "to_ns",
    "stretches",
    "changed",
};

// What an advice calls a setting that they tell.
inline constexpr const char* kLoaderWorkersSetting = "DataLoader.num_workers";
inline constexpr const char* kLoaderPrefetchFactorSetting = "DataLoader.prefetch_factor";
inline constexpr const char* kLoaderPinMemorySetting = "DataLoader.pin_memory";
inline constexpr const char* kLoaderPersistentWorkersSetting = "DataLoader.persistent_workers";
// clang-format on

constexpr std::string_view NameOf(MetadataKind kind) {
  return kMetadataKinds[static_cast<size_t>(kind)];
}
constexpr const char* NameOf(MetadataKey key) {
  return kMetadataKeys[static_cast<size_t>(key)];
}

constexpr bool operator==(std::string_view stored, MetadataKind kind) {
  return stored == NameOf(kind);
}

}  // namespace steptrace::store
