// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "analyze/input/gpu_sharing.h"
#include "analyze/input/recompilations.h"
#include "store/profile_writers.h"
#include "store/string_table.h"
#include "store/tables.h"

// What the training's processes told of themselves (rows of `run_metadata`), as far as a verdict
// uses it. The texts come from the watched program: any of them may be missing, wrong or hostile.
namespace steptrace::analyze {

struct LoaderFact {
  int32_t rank = 0;
  int64_t pid = 0;
  int64_t number = 0;  // in its process
  int32_t workers = 0;
  std::optional<int64_t> batch_size;
  std::optional<int32_t> prefetch_factor;
  std::optional<bool> pin_memory;
  std::optional<bool> persistent_workers;
  bool iterable = false;  // an IterableDataset: each worker iterates over one of its own
  std::string dataset;    // its class
  std::string collate;    // its collate function
  // Where torch calls that: functions of its fetchers, and the line of each.
  std::vector<std::pair<std::string, int32_t>> collate_lines;
  std::string json;
};

// What some batches of a loader held, as far as all of them tell it.
struct BatchFact {
  int64_t batches = 0;
  std::optional<int64_t> samples = std::nullopt;  // in all of them
  std::optional<int64_t> tokens = std::nullopt;
  bool samples_alike = false, tokens_alike = false, shapes_alike = false;
};

struct LoaderOfRank {
  int32_t rank = 0;
  int64_t loader = 0;  // its number in the process
  auto operator<=>(const LoaderOfRank&) const = default;
};

struct DeviceOfRank {
  int32_t rank = 0;
  int64_t device = 0;  // as the rank's process numbers it
  auto operator<=>(const DeviceOfRank&) const = default;
};

// How the gradients of the ranks are brought together: torch's own wrappers tell it.
struct DataParallelFact {
  enum class Kind { kDistributed, kFullySharded, kFullyShard };
  Kind kind =
      Kind::kDistributed;     // DistributedDataParallel, FullyShardedDataParallel, fully_shard()
  bool finds_unused = false;  // walks the graph of each step for parameters without gradients
  std::optional<bool> views_of_buckets;  // gradient_as_bucket_view
  std::optional<int64_t> bucket_mb;      // bucket_cap_mb
  std::optional<bool> reshards;          // after forward: parameters are gathered twice a step
  std::string comm_hook;                 // what is called for each bucket
};

// What DistributedDataParallel exchanges, of the process with most passes.
struct GradientExchangeFact {
  int32_t rank = 0;
  int64_t wrappers = 0;    // models
  int64_t exchanging = 0;  // passes whose backward exchanges
  int64_t withheld = 0;    // under no_sync
  std::optional<int64_t> buckets = std::nullopt;
  std::optional<int64_t> bytes = std::nullopt;  // of all buckets
};

// What the script set of Python's garbage collector: "700, 10, 10".
struct CollectorFact {
  std::string thresholds;
  std::string before;  // as Python began
  bool enabled = true;
};

struct HookFailure {
  std::string hook;
  std::string reason;
};

struct JobFacts {
  std::vector<LoaderFact> loaders;
  std::map<LoaderOfRank, BatchFact> batches;                    // the most that was told of each
  std::vector<std::pair<std::string, std::string>> frameworks;  // name, version
  std::string python;                                           // its version
  std::string cuda, hip;                                        // that torch was built with
  std::vector<std::string> devices;
  std::map<DeviceOfRank, int64_t> device_bytes;  // memory that a device has, where it is told
  std::vector<std::string> machine_gpus;  // names of all GPUs of the machines, as agents tell them
  std::optional<bool> code_changed;       // git's files have changes that are not committed
  GpuSharing gpus;
  std::vector<HookFailure> hook_failures;
  std::set<std::string> cupti_stays;  // after a window of kernels: that it does, and why
  std::set<std::string>
      cupti_taken;           // windows without kernels: that another tool has it, and which
  bool python_seen = false;  // some process had the hooks in it
  bool torch_seen = false;
  bool hooks_off = false;
  std::string imported_as;  // the format of a run that was made of profiles; empty: it was recorded
  std::set<store::ProfileWriter> writers;  // of such profiles, as far as they are known
  bool torch_hooked = false;               // some hook is in a module of torch's
  bool optimizer_hooked = false;           // the one that tells where steps end is, or tried to be
  bool captured_by_kineto = false;         // a process was captured without the hooks' doing
  std::string no_stacks;  // why stacks were not sampled from outside; empty: nothing was told
  std::string no_stacks_remedy;  // what would help
  std::string backend;           // of torch.distributed
  // Threads among which an operator on the CPU is split, of the rank that has most; empty: not
  // told.
  std::optional<int32_t> intraop_threads;
  std::optional<DataParallelFact> data_parallel;
  std::optional<GradientExchangeFact> gradient_exchange;
  std::optional<CollectorFact> collector;  // empty: as Python began, or not reported
  std::vector<Recompilation> recompilations;
  bool detects_anomalies = false;  // autograd checks every gradient for NaN
  // A window of operators was full before it held a whole step, and none has as many as a split
  // takes.
  bool windows_too_short = false;
  int32_t world_size = 1;
};

// Whether the job computes on a device, as far as its hooks can know: torch tells it, other
// frameworks may use one unseen.
bool MayUseDevice(const JobFacts& facts);

JobFacts ReadJobFacts(std::span<const store::RunMetadataRow> facts,
                      const store::StringTable& strings);

// The loader that trains: of the lowest rank, the one with most workers (evaluation rarely has
// more). Null: none told of itself.
const LoaderFact* TrainingLoader(const JobFacts& facts);

// What batches of the training loader held on a rank. Null: nothing was told.
const BatchFact* TrainingBatches(const JobFacts& facts, int32_t rank);

// Whether all batches of the training loaders that were looked at, on all ranks that tell of some,
// had tensors of the same shapes. False: some had not, or nothing was told.
bool BatchesHaveSameShapes(const JobFacts& facts);

// Of the training loader: as it was given, or as all batches that were looked at have it.
std::optional<int64_t> TrainingBatchSize(const JobFacts& facts);

}  // namespace steptrace::analyze
