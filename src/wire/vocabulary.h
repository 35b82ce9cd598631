// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What the hooks say: the categories and names that a record can carry, and what its two arguments
// mean then. A record with another name in category kUser is a range of the user's own.
//   category    name           kind       a (begin or instant)                b
//   kPhase      data           begin/end  iterator | queue depth << 32        pid of the worker
//                                                                              whose batch is
//                                                                              awaited, 0: none;
//                                                                              | kBatchArrived
//                                         end: thread CPU ns, 0 unknown        end: run-queue ns
//               data_end       instant    iterator: it raised StopIteration   0
//               data_from      instant    iterator: the batch came            pid of the worker
//                                         (told where batches come in any     that made it
//                                         order)
//               loader_iter    begin/end  loader: DataLoader.__iter__          0
//                                         end: the iterator that it gave
//               backward       begin/end  end: thread CPU ns, 0 unknown        end: run-queue ns
//               optimizer      begin/end  optimizer                           0
//               checkpoint     begin/end  0 save, 1 load                      0
//               forward        begin/end  0 (a framework's own word for it)   0
//               evaluation     begin/end  0 (a framework's own word for it)   0
//               logging        begin/end  0 (a framework's own word for it)   0
//               capture        begin/end  0 (a window of ours begins or ends)   0
//               step           instant    number given by the script or       0
//                                         kNoArgument: steptrace.step()
//               gc             begin/end  generation                          0
//               compile        begin/end  0: torch.compile at work            0
//               hooks_aside, hooks_back    instants: between them a tool of the script's is on
//   kCommunication  all_reduce, barrier, … as torch.distributed names them
//                              begin/end  bytes of this rank, 0 unknown       number of the
//                                                                              call (CallNumber),
//                                                                              0 unknown; end: 0
//   kWorker     fetch          begin/end  end: thread CPU ns, 0 unknown       end: run-queue ns
//               collate        begin/end  0                                   0
//               send           begin/end  CPU ns of the thread that sends     0
//                                         batches since the send before:
//                                         pickling this one
//   kFact       as kFactLoader and its like below
//                              payload    id of a text (JSON object) in the arena of names   0
//   kUser       any            begin/end, instant, counter (a: bits of a double)
//   kOperator   as the framework calls it: aten::mm, AddmmBackward0, a record_function's text
//                              begin/end  0, in windows alone                0
//   kPrimitive  as a library that it calls does (oneDNN): convolution, reorder
//                              begin/end  0, in windows alone                0
//   kDeviceMemory  <device>:<metric>, as "0:allocated_bytes"
//                              counter    bits of a double: what torch's allocator counts
//   kDetails    a JSON object: which kind of call of which group, as torch.profiler spells it
//                              no record of its own, but for kDetail: arguments in record.h
//   kNccl       all_reduce, … as NCCL ran it
//                              complete   0                                   end
//   kNcclProxy  proxy op, proxy step, kernel channel
//                              complete   0                                   end
//   kAsync      a range that began and ended on any thread (NVTX)
//                              complete   0                                   end
//   kDevicePhase  forward, backward, optimizer, data, other: from border to border of a phase as
//               the device reached them (pooled events), on this process's clock
//                              complete   number of the device |              end
//                                         µs by which the device
//                                         reached the end after the
//                                         host had << 32, or
//                                         kUnknownBehind
//   kStack      a stack that the process itself sampled
//                              payload    id of a text (JSON) in the arena    thread's tid |
//                                                                              kStackRuns
//   kWindow     window_begin   instant    number of the request               kinds (CaptureKind) |
//                                                                              its first step << 32
//               window_end     instant    number of the request               steps that it had |
//                                                                              WindowEnd << 32
//               device_done    instant    number of the request: all that the   0
//                                         device did in it has been told
//   kKernel     as the library has it: mangled      activity
//   kMemcpy     Memcpy HtoD (Pinned -> Device), …   activity
//   kMemset     Memset (Device), …                  activity
//   kRuntime    cudaLaunchKernel, cuLaunchKernel    activity: a call of the host's
//   kDeviceSync Stream Wait Event, …                activity
//   kWindow     device_clock   activity   tsc: this process's clock, a: the device's, same moment
//               device_bytes   activity   of the next activity of this ring, a: bytes
//               device_lost    activity   a: activities that are missing    b: DeviceLoss
//
// Device work (kActivity) has in b the number that joins a call and what it launched, and the id of
// a text of kFact that tells where, a JSON object: {"device", "context", "stream"} and what is
// known of {"registers", "shared", "grid", "block", "graph", "node"}; of a call {"thread"} (its
// tid, 0: not known). A batch of them stands between two device_clock of its ring.
//
// A window may have several stretches of begin and end; the last one's end is not kAside. Both lie
// at steps' borders: its begin just before the end of an optimizer step, its end just after one.
// `iterator`, `loader` and `optimizer` are numbers that the hooks give out, from 1, never reused in
// a process. Unknown queue depth (no workers): kUnknownQueueDepth.
namespace steptrace::wire {

// Stored in records: values are fixed for ever and never reused.
enum class Category : uint16_t {
  kUser = 1,
  kPhase = 2,
  kCommunication = 3,
  kWorker = 4,
  kFact = 5,
  // 6 and 7 are free.
  kOperator = 8,
  kPrimitive = 9,
  kWindow = 10,
  kKernel = 11,
  kMemcpy = 12,
  kMemset = 13,
  kRuntime = 14,
  kDeviceSync = 15,
  kDetails = 16,
  kNccl = 17,
  kNcclProxy = 18,
  kAsync = 19,
  kDeviceMemory = 20,
  kDevicePhase = 21,
  kStack = 22,
};

constexpr bool IsCategory(uint16_t value) {
  return (value >= 1 && value <= 5) || (value >= 8 && value <= 22);
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

// Why a stretch of a window ended. Stored: values are fixed for ever and never reused.
enum class WindowEnd : uint32_t {
  kDone = 1,         // its last step has ended
  kAside = 2,        // the script's own profiler has begun: goes on after it, if there is time left
  kReplaced = 3,     // by another request
  kFull = 4,         // as many operators as were allowed
  kMissed = 5,       // its steps were over before it could begin
  kUnavailable = 6,  // cannot be captured here: a fact `hook` says why
  kFailed = 7,       // likewise
};

// Why device work is missing. Stored: values are fixed for ever and never reused.
enum class DeviceLoss : uint64_t {
  kLibrary = 1,     // the library itself dropped it
  kNoBuffer = 2,    // it came faster than it could be handed over
  kIncomplete = 3,  // it had not ended when it was told
  kNoPlace = 4,     // no room for its name or place
  kTaken = 5,       // another tool uses CUPTI: a: windows
};

inline constexpr uint32_t kUnknownQueueDepth = 0xFFFFFFFFu;
// The training had already taken the batch out of the queue, while it waited for another worker's.
inline constexpr uint64_t kBatchArrived = 1ull << 32;
inline constexpr uint64_t kNoArgument = ~0ull;
// The two clocks could not be compared closely enough.
inline constexpr uint32_t kUnknownBehind = 0xFFFFFFFFu;
// The thread of the stack was on a core or waited for one, not for anything else.
inline constexpr uint64_t kStackRuns = 1ull << 32;

inline constexpr const char* kNameData = "data";
inline constexpr const char* kNameDataEnd = "data_end";
inline constexpr const char* kNameDataFrom = "data_from";
inline constexpr const char* kNameLoaderIter = "loader_iter";
inline constexpr const char* kNameBackward = "backward";
inline constexpr const char* kNameOptimizer = "optimizer";
inline constexpr const char* kNameCheckpoint = "checkpoint";
inline constexpr const char* kNameForward = "forward";
inline constexpr const char* kNameEvaluation = "evaluation";
inline constexpr const char* kNameLogging = "logging";
inline constexpr const char* kNameCapture = "capture";
inline constexpr const char* kNameStep = "step";
inline constexpr const char* kNameGc = "gc";
inline constexpr const char* kNameCompile = "compile";
inline constexpr const char* kNameHooksAside = "hooks_aside";
inline constexpr const char* kNameHooksBack = "hooks_back";
inline constexpr const char* kNameFetch = "fetch";
inline constexpr const char* kNameCollate = "collate";
inline constexpr const char* kNameSend = "send";
inline constexpr const char* kNameWindowBegin = "window_begin";
inline constexpr const char* kNameWindowEnd = "window_end";
inline constexpr const char* kNameDeviceDone = "device_done";
// The probe's own, which no hook says.
inline constexpr char kDeviceClockName[] = "device_clock";
inline constexpr char kDeviceBytesName[] = "device_bytes";
inline constexpr char kDeviceLostName[] = "device_lost";

inline constexpr const char* kFactLoader = "loader";
inline constexpr const char* kFactProcess = "process";
inline constexpr const char* kFactFramework = "framework";
inline constexpr const char* kFactJob = "job";
inline constexpr const char* kFactHook = "hook";
inline constexpr const char* kFactDevice = "device";
inline constexpr const char* kFactCommunicator = "communicator";
inline constexpr const char* kFactThreads = "threads";
inline constexpr const char* kFactAutograd = "autograd";
inline constexpr const char* kFactDataParallel = "data_parallel";

}  // namespace steptrace::wire
