// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/hooks.toml.
#pragma once

#include <cstdint>

// What the hooks say: the categories and names that a record can carry, and what its two arguments
// mean then. A record with another name in category kUser is a range of the user's own. An argument
// that is not explained is 0.
//
// Device work (kActivity) has in b the number that joins a call and what it launched, and the id of
// a text of kFact that tells where, a JSON object: {"device", "context", "stream"} and what is
// known of {"registers", "shared", "grid", "block", "graph", "node"}; of a call {"thread"} (its
// tid, 0: not known). A batch of them stands between two device_clock of its ring.
//
// A window may have several parts, each with a begin and an end; only the last end is not kAside.
// Both lie at steps' boundaries: a begin just before an optimizer step ends, an end just after one.
// `iterator`, `loader` and `optimizer` are numbers that the hooks give out, from 1, never reused in
// a process.
namespace steptrace::wire {

// clang-format off
// Stored in records: values are fixed for ever and never reused.
enum class Category : uint16_t {
  // A range, instant or counter (a: bits of a double) of the script's own, by any name.
  kUser = 1,
  // What the training loop is in.
  kPhase = 2,
  // range: all_reduce, barrier, … as torch.distributed names them.
  // a: bytes of this rank, 0 unknown
  // b: number of the call (CallNumber), 0 unknown
  kCommunication = 3,
  // What a DataLoader worker does.
  kWorker = 4,
  // payload: What a process says about itself, by a kind of schema/metadata.toml.
  // a: id of a text (JSON object) in the arena of names
  kFact = 5,
  // range: As the framework calls it: aten::mm, AddmmBackward0, a record_function's text; in
  //   windows alone.
  kOperator = 8,
  // range: As a library that the framework calls does (oneDNN): convolution, reorder; in windows
  //   alone.
  kPrimitive = 9,
  // Boundaries of capture windows.
  kWindow = 10,
  // activity: As the library has it: mangled.
  kKernel = 11,
  // activity: Memcpy HtoD (Pinned -> Device), ….
  kMemcpy = 12,
  // activity: Memset (Device), ….
  kMemset = 13,
  // activity: cudaLaunchKernel, cuLaunchKernel, …: a call of the host's.
  kRuntime = 14,
  // activity: Stream Wait Event, ….
  kDeviceSync = 15,
  // A JSON object: which kind of call of which group, as torch.profiler spells it. No record of its
  //   own, but for kDetail: arguments in record.h.
  kDetails = 16,
  // complete: all_reduce, … as NCCL ran it.
  // b: end
  kNccl = 17,
  // complete: Proxy op, kernel channel.
  // b: end
  kNcclProxy = 18,
  // complete: A range that began and ended on any thread (NVTX).
  // b: end
  kAsync = 19,
  // counter: <device>:<metric>, as 0:allocated_bytes: what torch's allocator counts.
  // a: bits of a double
  kDeviceMemory = 20,
  // complete: forward, backward, optimizer, data, other: from boundary to boundary of a phase as
  //   the device reached them (pooled events), on this process's clock.
  // a: number of the device | µs by which the device reached the end after the host had << 32, or
  //   kUnknownBehind
  // b: end
  kDevicePhase = 21,
  // complete: What a chunk of a proxy op waits for.
  // b: end
  kNcclProxyStep = 23,
  // payload: A stack that the process itself sampled.
  // a: id of a text (JSON) in the arena
  // b: thread's tid | kStackRuns
  kStack = 22,
  // A tensor of the training, by its name: layer4.0.conv1.weight, loss; its statistics are records
  //   of kTensor and kTensorPart: arguments in tensor_record.h.
  kTensor = 24,
};

constexpr bool IsCategory(uint16_t value) {
  return (value >= 1 && value <= 5) || (value >= 8 && value <= 24);
}

// As rows of a run have it.
constexpr const char* CategoryText(Category category) {
  switch (category) {
    case Category::kUser:
      return "user";
    case Category::kPhase:
      return "phase";
    case Category::kCommunication:
      return "communication";
    case Category::kWorker:
      return "worker";
    case Category::kFact:
      return "fact";
    case Category::kOperator:
      return "operator";
    case Category::kPrimitive:
      return "primitive";
    case Category::kWindow:
      return "window";
    case Category::kKernel:
      return "kernel";
    case Category::kMemcpy:
      return "gpu_memcpy";
    case Category::kMemset:
      return "gpu_memset";
    case Category::kRuntime:
      return "cuda_runtime";
    case Category::kDeviceSync:
      return "cuda_sync";
    case Category::kDetails:
      return "details";
    case Category::kNccl:
      return "nccl";
    case Category::kNcclProxy:
      return "nccl_proxy";
    case Category::kAsync:
      return "user";
    case Category::kDeviceMemory:
      return "device_memory";
    case Category::kDevicePhase:
      return "device_phase";
    case Category::kNcclProxyStep:
      return "nccl_proxy";
    case Category::kStack:
      return "stack";
    case Category::kTensor:
      return "tensor";
  }
  return "user";
}

// Which call of a group a collective is: below, the id of its kDetails in the arena of names; above
// it, how many the group has had with this one, which is the same number on all of its ranks.
inline constexpr uint32_t kCallDetailsBits = 24;
constexpr uint32_t CallDetails(uint64_t b) {
  return static_cast<uint32_t>(b & ((1u << kCallDetailsBits) - 1));
}
constexpr int64_t CallNumber(uint64_t b) {
  return static_cast<int64_t>(b >> kCallDetailsBits);
}

// Why a part of a window ended. Stored: values are fixed for ever and never reused.
enum class WindowEnd : uint32_t {
  kDone = 1,  // its last step has ended
  kAside = 2,  // the script's own profiler has begun: goes on after it, if there is time left
  kReplaced = 3,  // by another request
  kFull = 4,  // as many operators as were allowed
  kMissed = 5,  // its steps were over before it could begin
  kUnavailable = 6,  // cannot be captured here: metadata of kind `hook` says why
  kFailed = 7,  // likewise
};

// Why device work is missing. Stored: values are fixed for ever and never reused.
enum class DeviceLoss : uint64_t {
  kLibrary = 1,  // the library itself dropped it
  kNoBuffer = 2,  // it came faster than it could be handed over
  kIncomplete = 3,  // it had not ended when it was reported
  kNoPlace = 4,  // no room for its name or place
  kTaken = 5,  // another tool uses CUPTI: a: windows
};

// What a tensor's elements are, as torch calls them. Stored: values are fixed for ever and never
//   reused.
enum class ElementType : uint8_t {
  kFloat64 = 1,
  kFloat32 = 2,
  kFloat16 = 3,
  kBfloat16 = 4,
  kFloat8E4m3fn = 5,
  kFloat8E5m2 = 6,
  kFloat8E4m3fnuz = 7,
  kFloat8E5m2fnuz = 8,
  kInt64 = 9,
  kInt32 = 10,
  kInt16 = 11,
  kInt8 = 12,
  kUint8 = 13,
  kBool = 14,
};
// As rows of a run have it; null: there is none of that value.
constexpr const char* ElementTypeText(ElementType value) {
  switch (value) {
    case ElementType::kFloat64:
      return "float64";
    case ElementType::kFloat32:
      return "float32";
    case ElementType::kFloat16:
      return "float16";
    case ElementType::kBfloat16:
      return "bfloat16";
    case ElementType::kFloat8E4m3fn:
      return "float8_e4m3fn";
    case ElementType::kFloat8E5m2:
      return "float8_e5m2";
    case ElementType::kFloat8E4m3fnuz:
      return "float8_e4m3fnuz";
    case ElementType::kFloat8E5m2fnuz:
      return "float8_e5m2fnuz";
    case ElementType::kInt64:
      return "int64";
    case ElementType::kInt32:
      return "int32";
    case ElementType::kInt16:
      return "int16";
    case ElementType::kInt8:
      return "int8";
    case ElementType::kUint8:
      return "uint8";
    case ElementType::kBool:
      return "bool";
  }
  return nullptr;
}

// What a tensor is to the training. Stored: values are fixed for ever and never reused.
enum class TensorRole : uint8_t {
  kLoss = 1,  // a root of backward
  kGradient = 2,  // of a parameter, as its optimizer is about to use it
  kWeight = 3,  // a parameter, after its optimizer's step
  kUpdate = 4,  // what that step added to it
  kActivation = 5,  // what a module gave
};
// As rows of a run have it; null: there is none of that value.
constexpr const char* TensorRoleText(TensorRole value) {
  switch (value) {
    case TensorRole::kLoss:
      return "loss";
    case TensorRole::kGradient:
      return "gradient";
    case TensorRole::kWeight:
      return "weight";
    case TensorRole::kUpdate:
      return "update";
    case TensorRole::kActivation:
      return "activation";
  }
  return nullptr;
}

// There are no workers.
inline constexpr uint32_t kUnknownQueueDepth = 0xffffffffu;

// The training had already taken the batch out of the queue, while it waited for another worker's.
inline constexpr uint64_t kBatchArrived = 1ull << 32;

// steptrace.step() was given no number.
inline constexpr uint64_t kNoArgument = ~0ull;

// The two clocks could not be compared closely enough.
inline constexpr uint32_t kUnknownBehind = 0xffffffffu;

// The thread of the stack was on a core or waited for one, not for anything else.
inline constexpr uint64_t kStackRuns = 1ull << 32;

// Argument of a checkpoint.
inline constexpr uint64_t kSave = 0x0u;

// Argument of a checkpoint.
inline constexpr uint64_t kLoad = 0x1u;

// ---- Category::kPhase
// range.
// a: iterator | queue depth << 32
// b: pid of the worker whose batch is awaited, 0: none; | kBatchArrived
// a of the end: thread CPU ns, 0 unknown
// b of the end: run-queue ns
inline constexpr const char* kNameData = "data";
// instant.
// a: iterator: it raised StopIteration
inline constexpr const char* kNameDataEnd = "data_end";
// instant: Reported if batches come in any order.
// a: iterator: the batch came
// b: pid of the worker that made it
inline constexpr const char* kNameDataFrom = "data_from";
// range.
// a: loader: DataLoader.__iter__
// a of the end: the iterator that it gave
inline constexpr const char* kNameLoaderIter = "loader_iter";
// range.
// a of the end: thread CPU ns, 0 unknown
// b of the end: run-queue ns
inline constexpr const char* kNameBackward = "backward";
// range.
// a: optimizer
inline constexpr const char* kNameOptimizer = "optimizer";
// range.
// a: 0 save, 1 load
inline constexpr const char* kNameCheckpoint = "checkpoint";
// range: A framework's own word for it.
inline constexpr const char* kNameForward = "forward";
// range: A framework's own word for it.
inline constexpr const char* kNameEvaluation = "evaluation";
// range: A framework's own word for it.
inline constexpr const char* kNameLogging = "logging";
// range: A window of ours begins or ends.
inline constexpr const char* kNameCapture = "capture";
// instant: steptrace.step().
// a: number given by the script, or kNoArgument
inline constexpr const char* kNameStep = "step";
// range.
// a: generation
inline constexpr const char* kNameGc = "gc";
// range: torch.compile at work.
inline constexpr const char* kNameCompile = "compile";
// instant: From here to hooks_back a tool of the script's is on, and its process says nothing,
//   whatever it does.
inline constexpr const char* kNameHooksAside = "hooks_aside";
// instant.
inline constexpr const char* kNameHooksBack = "hooks_back";
// ---- Category::kWorker
// range.
// a of the end: thread CPU ns, 0 unknown
// b of the end: run-queue ns
inline constexpr const char* kNameFetch = "fetch";
// range.
inline constexpr const char* kNameCollate = "collate";
// range.
// a: CPU ns of the thread that sends batches since the send before: pickling this one
inline constexpr const char* kNameSend = "send";
// ---- Category::kWindow
// instant.
// a: number of the request
// b: kinds (CaptureKind) | its first step << 32
inline constexpr const char* kNameWindowBegin = "window_begin";
// instant.
// a: number of the request
// b: steps that it had | WindowEnd << 32
inline constexpr const char* kNameWindowEnd = "window_end";
// instant.
// a: number of the request: everything that the device did in it has been reported
inline constexpr const char* kNameDeviceDone = "device_done";
// activity.
// a: the device's clock; tsc: this process's, at the same moment
inline constexpr char kDeviceClockName[] = "device_clock";
// activity.
// a: bytes of the next activity of this ring
inline constexpr char kDeviceBytesName[] = "device_bytes";
// activity.
// a: activities that are missing
// b: DeviceLoss
inline constexpr char kDeviceLostName[] = "device_lost";

// Kinds of what a process says about itself: schema/metadata.toml.
inline constexpr const char* kFactLoader = "loader";
inline constexpr const char* kFactBatch = "batch";
inline constexpr const char* kFactProcess = "process";
inline constexpr const char* kFactFramework = "framework";
inline constexpr const char* kFactJob = "job";
inline constexpr const char* kFactHook = "hook";
inline constexpr const char* kFactDevice = "device";
inline constexpr const char* kFactCommunicator = "communicator";
inline constexpr const char* kFactThreads = "threads";
inline constexpr const char* kFactAutograd = "autograd";
inline constexpr const char* kFactCollector = "collector";
inline constexpr const char* kFactRecompilation = "recompilation";
inline constexpr const char* kFactGradientExchange = "gradient_exchange";
inline constexpr const char* kFactTensors = "tensors";
inline constexpr const char* kFactDataParallel = "data_parallel";
inline constexpr const char* kFactException = "exception";
// clang-format on

}  // namespace steptrace::wire
