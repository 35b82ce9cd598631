// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/stages.toml.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace steptrace::analyze {

// clang-format off
enum class SuspectId : uint8_t {
  kDataPipeline,  // The training, or a device, waits for the next batch
  kModel,  // The model computes: what a step is for
  kCommunication,  // Ranks exchange data, or wait for one another
  kFrameworkOverhead,  // The framework works for itself, and the model waits
  kOtherWork,  // The training thread does something else that is known
  kUnattributed,  // Nothing recorded explains the time
};

enum class SubStage : uint8_t {
  kStorageRead,  // The dataset is blocked on storage
  kDecode,  // The dataset decodes what was read
  kAugmentation,  // The dataset augments samples
  kTokenise,  // The dataset turns text into tokens
  kDatasetCode,  // The dataset's or sampler's own functions run, where samples of stacks name them
  kLock,  // The dataset waits for a lock, a queue or another process
  kCopy,  // The dataset copies samples, in memory or to hand them over
  kGetitem,  // The dataset makes the samples; work that stacks name has another stage, such as dataset code
  kCollate,  // Samples become a batch
  kReceive,  // The batch is ready and comes over: transfer, unpickling, pinning
  kCpuShortage,  // A DataLoader worker could have run and waited for a core
  kWorkerStart,  // DataLoader workers were starting, or ended with their iterator
  kHostToDevice,  // A device waits for a copy to it, and does nothing else
  kForward,  // The training thread is between a batch and its backward
  kBackward,  // Gradients are computed
  kOptimizer,  // The optimizer makes its step
  kCompute,  // A device computes. Without device events: the host waited, and the device was busy
  kDeviceCopy,  // A device copies within itself or to the host, with nothing else running
  kExposed,  // Communication that no compute overlaps
  kStraggler,  // A rank waits for the one that comes last
  kGarbageCollection,  // Python collects garbage on the training thread
  kRecompilation,  // torch.compile compiles within a step
  kDispatch,  // CPU time in eager mode that computes nothing; when training on a device, only while the device waits for it
  kLaunch,  // A device is idle because the host is in a call that launches work, or between two kernels for under 30 µs
  kSynchronisation,  // A device is idle while the host waits for it, or a stream for another
  kCheckpoint,  // A checkpoint is saved
  kEvaluation,  // The model is evaluated
  kLogging,  // Metrics, text or pictures are logged
  kCapture,  // A capture window of Steptrace begins or ends
  kLoopCode,  // The script's own functions run outside of the model; samples of stacks name them
  kUnknown,  // The training thread is in no known phase, or in a forward in which it was idle or nothing shows that it computed; its stacks show at most where it waits or which function calls torch
};

inline constexpr size_t kSuspectCount = 6;
inline constexpr size_t kSubStageCount = 31;

struct SuspectInfo {
  const char* name;   // as reports have it
  const char* title;  // in a sentence
  bool by_stage;      // a sentence names its largest stage in place of it
  bool blamed;        // it can be to blame for a slow step
};
inline constexpr std::array<SuspectInfo, kSuspectCount> kSuspectInfos = {{
    {"data_pipeline", "data pipeline", false, true},
    {"model", "model", false, true},
    {"communication", "communication", false, true},
    {"framework_overhead", "framework overhead", false, true},
    {"other_work", "other work", true, true},
    {"unattributed", "unattributed", true, false},
}};

struct StageInfo {
  const char* name;
  const char* title;
  SuspectId suspect;
  bool is_event;     // it comes now and then, and takes a step's time then
  bool on_device;    // a device is at work
  bool by_function;  // the functions in which samples saw it are evidence
  bool in_headline;  // the function in which it spends most is said beside it
};
inline constexpr std::array<StageInfo, kSubStageCount> kStageInfos = {{
    {"storage_read", "storage read", SuspectId::kDataPipeline, false, false, false, false},
    {"decode", "decode", SuspectId::kDataPipeline, false, false, false, false},
    {"augmentation", "augmentation", SuspectId::kDataPipeline, false, false, false, false},
    {"tokenise", "tokenise", SuspectId::kDataPipeline, false, false, false, false},
    {"dataset_code", "dataset code", SuspectId::kDataPipeline, false, false, false, false},
    {"lock", "waiting for locks", SuspectId::kDataPipeline, false, false, false, false},
    {"copy", "copying", SuspectId::kDataPipeline, false, false, false, false},
    {"getitem", "dataset __getitem__", SuspectId::kDataPipeline, false, false, false, false},
    {"collate", "collate", SuspectId::kDataPipeline, false, false, false, false},
    {"receive", "receive", SuspectId::kDataPipeline, false, false, false, false},
    {"cpu_shortage", "CPU contention", SuspectId::kDataPipeline, false, false, false, false},
    {"worker_start", "worker start", SuspectId::kDataPipeline, true, false, false, false},
    {"host_to_device", "host-to-device copy", SuspectId::kDataPipeline, false, true, false, false},
    {"forward", "forward", SuspectId::kModel, false, false, true, false},
    {"backward", "backward", SuspectId::kModel, false, false, true, false},
    {"optimizer", "optimizer", SuspectId::kModel, false, false, true, false},
    {"compute", "device computing", SuspectId::kModel, false, true, false, false},
    {"device_copy", "copying on the device", SuspectId::kModel, false, true, false, false},
    {"exposed", "exposed communication", SuspectId::kCommunication, false, true, false, false},
    {"straggler", "waiting for the last rank", SuspectId::kCommunication, false, true, false, false},
    {"garbage_collection", "garbage collection", SuspectId::kFrameworkOverhead, false, false, true, false},
    {"recompilation", "recompilation", SuspectId::kFrameworkOverhead, true, false, false, false},
    {"dispatch", "dispatch overhead", SuspectId::kFrameworkOverhead, false, false, false, false},
    {"launch", "launch overhead", SuspectId::kFrameworkOverhead, false, false, false, false},
    {"synchronisation", "synchronization stall", SuspectId::kFrameworkOverhead, false, false, false, false},
    {"checkpoint", "checkpoint", SuspectId::kOtherWork, true, false, false, false},
    {"evaluation", "evaluation", SuspectId::kOtherWork, true, false, true, false},
    {"logging", "logging", SuspectId::kOtherWork, false, false, true, true},
    {"capture", "profiler capture", SuspectId::kOtherWork, false, false, false, false},
    {"loop_code", "loop code", SuspectId::kOtherWork, false, false, true, true},
    {"unknown", "unattributed time", SuspectId::kUnattributed, false, false, true, false},
}};

inline constexpr std::array<SuspectId, kSuspectCount> kSuspects = {
    SuspectId::kDataPipeline,
    SuspectId::kModel,
    SuspectId::kCommunication,
    SuspectId::kFrameworkOverhead,
    SuspectId::kOtherWork,
    SuspectId::kUnattributed,
};

inline constexpr std::array<SubStage, kSubStageCount> kSubStages = {
    SubStage::kStorageRead,
    SubStage::kDecode,
    SubStage::kAugmentation,
    SubStage::kTokenise,
    SubStage::kDatasetCode,
    SubStage::kLock,
    SubStage::kCopy,
    SubStage::kGetitem,
    SubStage::kCollate,
    SubStage::kReceive,
    SubStage::kCpuShortage,
    SubStage::kWorkerStart,
    SubStage::kHostToDevice,
    SubStage::kForward,
    SubStage::kBackward,
    SubStage::kOptimizer,
    SubStage::kCompute,
    SubStage::kDeviceCopy,
    SubStage::kExposed,
    SubStage::kStraggler,
    SubStage::kGarbageCollection,
    SubStage::kRecompilation,
    SubStage::kDispatch,
    SubStage::kLaunch,
    SubStage::kSynchronisation,
    SubStage::kCheckpoint,
    SubStage::kEvaluation,
    SubStage::kLogging,
    SubStage::kCapture,
    SubStage::kLoopCode,
    SubStage::kUnknown,
};

// Share of a step below which a suspect or stage is no line of its own.
inline constexpr double kLeastShown = 0.005;

// Those that the time within the dataset is shared out over, where stacks tell.
inline constexpr std::array<SubStage, 8> kSampledStages = {
    SubStage::kStorageRead,
    SubStage::kDecode,
    SubStage::kAugmentation,
    SubStage::kTokenise,
    SubStage::kDatasetCode,
    SubStage::kLock,
    SubStage::kCopy,
    SubStage::kGetitem,
};

// What work a function does for the training, by its name.
enum class WorkStage : uint8_t {
  kStorageRead,
  kDecode,
  kAugmentation,
  kTokenise,
  kCollate,
  kCopy,
  kLock,
  kUserCode,
  kModel,
  kLogging,
};
inline constexpr size_t kWorkStageCount = 10;

struct WorkInfo {
  const char* name;  // as in [stages]
  SubStage batch;    // what it is within a batch
  bool prepares;     // it is work on samples before they become a batch
};
inline constexpr std::array<WorkInfo, kWorkStageCount> kWorkInfos = {{
    {"storage_read", SubStage::kStorageRead, false},
    {"decode", SubStage::kDecode, true},
    {"augmentation", SubStage::kAugmentation, true},
    {"tokenise", SubStage::kTokenise, true},
    {"collate", SubStage::kCollate, false},
    {"copy", SubStage::kCopy, false},
    {"lock", SubStage::kLock, false},
    {"user_code", SubStage::kDatasetCode, false},
    {"model", SubStage::kDatasetCode, false},
    {"logging", SubStage::kDatasetCode, false},
}};

// What work that prepares samples is within a batch.
inline constexpr std::array<SubStage, 3> kPreparedStages = {
    SubStage::kDecode,
    SubStage::kAugmentation,
    SubStage::kTokenise,
};
// clang-format on

}  // namespace steptrace::analyze
