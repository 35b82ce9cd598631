// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/job_facts.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/input/step_selection.h"
#include "store/metadata_json.h"
#include "store/stored_words.h"

namespace steptrace::analyze {

using Kind = store::MetadataKind;
using Key = store::MetadataKey;
using store::BooleanOf;
using store::IntegerOf;

namespace {

// Enough for any name; a longer one is an attack or an accident.
constexpr size_t kMaxNameBytes = 256;
constexpr int64_t kMaxWorkers = 4096;
constexpr size_t kMostGpus = 65536;

// A number or a truth value as text, too.
std::string Text(const nlohmann::json& fact, Key key) {
  const nlohmann::json* found = store::Find(fact, key);
  if (found == nullptr) return "";
  if (found->is_string()) return found->get<std::string>().substr(0, kMaxNameBytes);
  return found->is_number() || found->is_boolean() ? found->dump() : "";
}

LoaderFact ReadLoader(const nlohmann::json& fact, const store::RunMetadataRow& row) {
  LoaderFact loader;
  loader.rank = row.rank;
  loader.pid = row.pid;
  loader.number = IntegerOf(fact, Key::kLoader).value_or(0);
  const int64_t workers = IntegerOf(fact, Key::kWorkers).value_or(0);
  loader.workers = static_cast<int32_t>(std::clamp<int64_t>(workers, 0, kMaxWorkers));
  loader.batch_size = IntegerOf(fact, Key::kBatchSize);
  if (auto factor = IntegerOf(fact, Key::kPrefetchFactor)) {
    loader.prefetch_factor = static_cast<int32_t>(std::clamp<int64_t>(*factor, 0, 1 << 20));
  }
  loader.pin_memory = BooleanOf(fact, Key::kPinMemory);
  loader.persistent_workers = BooleanOf(fact, Key::kPersistentWorkers);
  loader.iterable = BooleanOf(fact, Key::kIterable).value_or(false);
  loader.dataset = Text(fact, Key::kDataset);
  loader.collate = Text(fact, Key::kCollateFn);
  const nlohmann::json* lines = store::Find(fact, Key::kCollateLines);
  if (lines != nullptr && lines->is_object()) {
    constexpr size_t kMostLines = 16;
    for (const auto& [function, line] : lines->items()) {
      if (!line.is_number_integer() || loader.collate_lines.size() == kMostLines) continue;
      const auto number = std::clamp<int64_t>(line.get<int64_t>(), 0, INT32_MAX);
      loader.collate_lines.emplace_back(function, static_cast<int32_t>(number));
    }
  }
  loader.json = row.json;
  return loader;
}

void ReadBatches(const nlohmann::json& fact, int32_t rank, JobFacts& facts) {
  static constexpr int64_t kMost = int64_t{1} << 48;
  const auto count = [&fact](Key key) {
    const auto reported = IntegerOf(fact, key);
    return reported && *reported >= 0 && *reported <= kMost ? reported : std::nullopt;
  };
  const BatchFact reported{.batches = count(Key::kBatches).value_or(0),
                           .samples = count(Key::kSamples),
                           .tokens = count(Key::kTokens),
                           .samples_alike = BooleanOf(fact, Key::kSamplesAlike).value_or(false),
                           .tokens_alike = BooleanOf(fact, Key::kTokensAlike).value_or(false),
                           .shapes_alike = BooleanOf(fact, Key::kShapesAlike).value_or(false)};
  // Of several processes of a rank (one that began again) that with most counts.
  BatchFact& known = facts.batches[{rank, IntegerOf(fact, Key::kLoader).value_or(0)}];
  if (reported.batches > known.batches) known = reported;
}

void ReadDeviceMemory(const nlohmann::json& fact, int32_t rank, JobFacts& facts) {
  constexpr size_t kMostDevices = 65536;
  const auto either = [&fact](Key of_profile, Key of_run) {
    const auto number = IntegerOf(fact, of_profile);
    return number ? number : IntegerOf(fact, of_run);
  };
  const auto device = either(Key::kId, Key::kDevice);
  const auto bytes = either(Key::kTotalGlobalMem, Key::kMemoryBytes);
  if (!device || !bytes || *bytes <= 0 || facts.device_bytes.size() >= kMostDevices) return;
  facts.device_bytes[{rank, *device}] = *bytes;
}

void AddFramework(JobFacts& facts, std::string name, std::string version) {
  if (name.empty()) return;
  facts.torch_seen |= name == "torch";
  facts.frameworks.emplace_back(std::move(name), std::move(version));
}

// {"name": "torch", "version": "2.13.0"} or {"torch": "2.13.0", ...}
void ReadFramework(const nlohmann::json& fact, JobFacts& facts) {
  if (store::Has(fact, Key::kName)) {
    if (Text(fact, Key::kName) == "torch") {
      facts.cuda = Text(fact, Key::kCuda);
      facts.hip = Text(fact, Key::kHip);
    }
    AddFramework(facts, Text(fact, Key::kName), Text(fact, Key::kVersion));
    return;
  }
  for (const auto& [name, version] : fact.items()) {
    if (version.is_string()) AddFramework(facts, name, version.get<std::string>());
  }
}

// A reason that python/steptrace/_hooks/kernels.py gives, by its cause. Runs of before it told of
// causes have the sentence alone: what these begin with is as it was then.
void AddOfKernels(const nlohmann::json& fact, std::string_view cause, std::string_view old_begin,
                  std::set<std::string>& to) {
  constexpr size_t kMostReasons = 4;
  if (to.size() >= kMostReasons) return;
  if (store::Has(fact, Key::kCause)) {
    if (Text(fact, Key::kCause) == cause) to.insert(Text(fact, Key::kDetail));
    return;
  }
  constexpr std::string_view kKernels = "kernels: ";
  const std::string reason = Text(fact, Key::kReason);
  std::string_view old = reason;
  if (!old.starts_with(kKernels)) return;
  old.remove_prefix(kKernels.size());
  if (old.starts_with(old_begin)) to.emplace(old);
}

void ReadHook(const nlohmann::json& fact, JobFacts& facts) {
  const std::string state = Text(fact, Key::kState);
  facts.hooks_off |= state == "off";
  facts.python_seen |= state == "idle";
  facts.torch_hooked |= state == "active" && Text(fact, Key::kModule).starts_with("torch");
  facts.optimizer_hooked |= Text(fact, Key::kHook) == "optimizer";
  const std::string reason = Text(fact, Key::kReason);
  if (state == "limited") {
    AddOfKernels(fact, "cupti_stays", "CUPTI stays in the process", facts.cupti_stays);
  } else if (state == "unavailable") {
    AddOfKernels(fact, "cupti_taken", "CUPTI is taken", facts.cupti_taken);
  }
  if (state != "failed" && state != "error" && (state != "" || reason.empty())) return;
  facts.hook_failures.push_back({Text(fact, Key::kHook), reason});
}

void ReadJob(const nlohmann::json& fact, JobFacts& facts) {
  if (const std::string backend = Text(fact, Key::kBackend); !backend.empty()) {
    facts.backend = backend;
  }
  const int64_t world = IntegerOf(fact, Key::kWorldSize).value_or(1);
  facts.world_size =
      std::max(facts.world_size, static_cast<int32_t>(std::clamp<int64_t>(world, 1, 1 << 24)));
}

void ReadThreads(const nlohmann::json& fact, JobFacts& facts) {
  const int64_t threads = IntegerOf(fact, Key::kIntraop).value_or(0);
  if (threads <= 0) return;
  const auto reported = static_cast<int32_t>(std::min<int64_t>(threads, 1 << 16));
  facts.intraop_threads = std::max(facts.intraop_threads.value_or(0), reported);
}

void ReadCollector(const nlohmann::json& fact, JobFacts& facts) {
  const CollectorFact reported{Text(fact, Key::kThresholds), Text(fact, Key::kBefore),
                               BooleanOf(fact, Key::kEnabled).value_or(true)};
  const bool changed = reported.thresholds != reported.before || !reported.enabled;
  facts.collector = changed ? std::optional(reported) : std::nullopt;  // the last one holds
}

void ReadDataParallel(const nlohmann::json& fact, JobFacts& facts) {
  DataParallelFact reported = facts.data_parallel.value_or(DataParallelFact());
  const std::string by = Text(fact, Key::kClass);
  reported.kind = by.ends_with("FullyShardedDataParallel") ? DataParallelFact::Kind::kFullySharded
                  : by.ends_with("fully_shard")            ? DataParallelFact::Kind::kFullyShard
                                                           : reported.kind;
  const bool static_graph = BooleanOf(fact, Key::kStaticGraph).value_or(false);
  reported.finds_unused |=
      BooleanOf(fact, Key::kFindUnusedParameters).value_or(false) && !static_graph;
  if (const auto views = BooleanOf(fact, Key::kGradientAsBucketView))
    reported.views_of_buckets = views;
  if (const auto mb = IntegerOf(fact, Key::kBucketCapMb)) reported.bucket_mb = mb;
  if (const auto reshards = BooleanOf(fact, Key::kReshardAfterForward)) {
    reported.reshards = reported.reshards.value_or(false) || *reshards;  // of any layer
  }
  if (const std::string hook = Text(fact, Key::kCommHook); !hook.empty()) reported.comm_hook = hook;
  facts.data_parallel = std::move(reported);
}

void ReadGradientExchange(const nlohmann::json& fact, int32_t rank, JobFacts& facts) {
  static constexpr int64_t kMost = int64_t{1} << 48;  // two of them add up
  const auto count = [&fact](Key key) {
    return std::clamp<int64_t>(IntegerOf(fact, key).value_or(0), 0, kMost);
  };
  GradientExchangeFact reported{.rank = rank,
                                .wrappers = count(Key::kWrappers),
                                .exchanging = count(Key::kExchanging),
                                .withheld = count(Key::kWithheld)};
  if (store::Has(fact, Key::kBuckets)) reported.buckets = count(Key::kBuckets);
  if (store::Has(fact, Key::kGradientBytes)) reported.bytes = count(Key::kGradientBytes);
  const auto& known = facts.gradient_exchange;
  if (known && known->exchanging + known->withheld > reported.exchanging + reported.withheld)
    return;
  facts.gradient_exchange = reported;
}

// Of windows of operators.
struct WindowsSeen {
  bool full_too_soon = false;  // one had no whole step
  bool enough = false;         // one had as many as a split needs
};

void ReadWindow(const nlohmann::json& fact, WindowsSeen& seen) {
  if (Text(fact, Key::kKinds).find("operators") == std::string::npos) return;
  const int64_t steps = IntegerOf(fact, Key::kSteps).value_or(0);
  // One that is full has three steps, or fewer that are long.
  const bool full = Text(fact, Key::kEnd) == "full";
  seen.enough |= steps >= kMinSplitSteps || (full && steps > 0);
  seen.full_too_soon |= full && steps == 0;
}

// Of imports that earlier versions made, each kind of SageMaker's files was a format of its own.
std::string ImporterOf(const std::string& format) {
  for (const char* former :
       {"sagemaker system metrics", "sagemaker framework events", "sagemaker python profile",
        "horovod timeline", "tensorflow timeline"}) {
    if (format == former) return std::string(NameOf(store::ProfileFormat::kSagemaker));
  }
  return format;
}

// Why a process's stacks are not read from outside, or nobody's are.
void ReadSource(const nlohmann::json& fact, JobFacts& facts) {
  const std::string format = Text(fact, Key::kFormat);
  if (facts.imported_as.empty()) facts.imported_as = ImporterOf(format);
  auto writer = store::ProfileWriterOf(Text(fact, Key::kWriter));
  // Imports of before writers were told of have the format alone, whose marks are one writer's.
  if (writer == store::ProfileWriter::kUnknown &&
      store::ProfileFormatOf(format) == store::ProfileFormat::kKineto) {
    writer = store::ProfileWriter::kPytorch;
  }
  if (writer != store::ProfileWriter::kUnknown) facts.writers.insert(writer);
  if (Text(fact, Key::kSource) != "stacks" || !facts.no_stacks.empty()) return;
  facts.no_stacks = Text(fact, Key::kReason);
  facts.no_stacks_remedy = Text(fact, Key::kRemedy);
}

// Of those alike the first stays.
template <class T>
void KeepEachOnce(std::vector<T>& all) {
  std::set<T> seen;
  std::erase_if(all, [&](const T& one) { return !seen.insert(one).second; });
}

}  // namespace

JobFacts ReadJobFacts(std::span<const store::RunMetadataRow> rows,
                      const store::StringTable& strings) {
  JobFacts facts;
  WindowsSeen windows;
  for (const store::RunMetadataRow& row : rows) {
    const std::string& kind = strings.Text(row.kind);
    facts.python_seen |= kind == Kind::kProcess;
    const nlohmann::json fact = store::ParseMetadata(row.json);
    if (fact.is_null()) continue;
    if (kind == Kind::kProcess && facts.python.empty()) facts.python = Text(fact, Key::kPython);
    if (kind == Kind::kGit) facts.code_changed = BooleanOf(fact, Key::kChanged);
    if (kind == Kind::kGpu && facts.machine_gpus.size() < kMostGpus) {
      facts.machine_gpus.push_back(Text(fact, Key::kName));
    }
    if (kind == Kind::kLoader) facts.loaders.push_back(ReadLoader(fact, row));
    if (kind == Kind::kBatch) ReadBatches(fact, row.rank, facts);
    if (kind == Kind::kFramework) ReadFramework(fact, facts);
    if (kind == Kind::kHook) ReadHook(fact, facts);
    if (kind == Kind::kJob) ReadJob(fact, facts);
    if (kind == Kind::kAutograd)
      facts.detects_anomalies |= BooleanOf(fact, Key::kAnomaly).value_or(false);
    if (kind == Kind::kDataParallel) ReadDataParallel(fact, facts);
    if (kind == Kind::kGradientExchange) ReadGradientExchange(fact, row.rank, facts);
    if (kind == Kind::kWindow) ReadWindow(fact, windows);
    if (kind == Kind::kWindow) facts.captured_by_kineto |= Text(fact, Key::kBy) == "kineto";
    if (kind == Kind::kThreads) ReadThreads(fact, facts);
    if (kind == Kind::kCollector) ReadCollector(fact, facts);
    if (kind == Kind::kRecompilation) ReadRecompilation(fact, facts.recompilations);
    if (kind == Kind::kSource) ReadSource(fact, facts);
    if (kind == Kind::kDevice) facts.devices.push_back(Text(fact, Key::kName));
    if (kind == Kind::kDevice) facts.gpus.ReadDevice(fact, row);
    if (kind == Kind::kDevice) ReadDeviceMemory(fact, row.rank, facts);
    if (kind == Kind::kGpu) facts.gpus.ReadGpu(fact, row);
  }
  std::erase(facts.devices, "");
  KeepEachOnce(facts.devices);
  KeepEachOnce(facts.frameworks);
  facts.windows_too_short = windows.full_too_soon && !windows.enough;
  return facts;
}

bool MayUseDevice(const JobFacts& facts) {
  return !facts.devices.empty() || !facts.torch_seen;
}

const LoaderFact* TrainingLoader(const JobFacts& facts) {
  const LoaderFact* best = nullptr;
  for (const LoaderFact& loader : facts.loaders) {
    const bool better = best == nullptr || loader.rank < best->rank ||
                        (loader.rank == best->rank && loader.workers > best->workers);
    if (better) best = &loader;
  }
  return best;
}

const BatchFact* TrainingBatches(const JobFacts& facts, int32_t rank) {
  const LoaderFact* loader = TrainingLoader(facts);
  if (loader == nullptr) return nullptr;
  const auto found = facts.batches.find({rank, loader->number});
  const bool reported = found != facts.batches.end() && found->second.batches > 0;
  return reported ? &found->second : nullptr;
}

bool BatchesHaveSameShapes(const JobFacts& facts) {
  const LoaderFact* loader = TrainingLoader(facts);
  if (loader == nullptr) return false;
  bool any = false;
  for (const auto& [of, batches] : facts.batches) {
    if (of.loader != loader->number || batches.batches == 0) continue;
    if (!batches.shapes_alike) return false;
    any = true;
  }
  return any;
}

std::optional<int64_t> TrainingBatchSize(const JobFacts& facts) {
  const LoaderFact* loader = TrainingLoader(facts);
  if (loader == nullptr || loader->batch_size) {
    return loader == nullptr ? std::nullopt : loader->batch_size;
  }
  const BatchFact* batches = TrainingBatches(facts, loader->rank);
  if (batches == nullptr || !batches->samples || !batches->samples_alike) return std::nullopt;
  return *batches->samples / batches->batches;
}

}  // namespace steptrace::analyze
