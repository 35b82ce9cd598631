// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/job_facts.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analyze/verdict/dispatch_split.h"

namespace steptrace::analyze {
namespace {

// Enough for any name; a longer one is an attack or an accident.
constexpr size_t kMaxNameBytes = 256;
constexpr int64_t kMaxWorkers = 4096;

std::string Text(const nlohmann::json& fact, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = fact.find(key);
    if (found == fact.end()) continue;
    if (found->is_string()) return found->get<std::string>().substr(0, kMaxNameBytes);
    if (found->is_number() || found->is_boolean()) return found->dump();
  }
  return "";
}

std::optional<int64_t> Integer(const nlohmann::json& fact, const char* key) {
  const auto found = fact.find(key);
  if (found == fact.end() || !found->is_number_integer()) return std::nullopt;
  return found->get<int64_t>();
}

std::optional<bool> Boolean(const nlohmann::json& fact, const char* key) {
  const auto found = fact.find(key);
  if (found == fact.end() || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

LoaderFact ReadLoader(const nlohmann::json& fact, const store::FactRow& row) {
  LoaderFact loader;
  loader.rank = row.rank;
  loader.pid = row.pid;
  const int64_t workers = Integer(fact, "workers").value_or(0);
  loader.workers = static_cast<int32_t>(std::clamp<int64_t>(workers, 0, kMaxWorkers));
  loader.batch_size = Integer(fact, "batch_size");
  if (auto factor = Integer(fact, "prefetch_factor")) {
    loader.prefetch_factor = static_cast<int32_t>(std::clamp<int64_t>(*factor, 0, 1 << 20));
  }
  loader.pin_memory = Boolean(fact, "pin_memory");
  loader.persistent_workers = Boolean(fact, "persistent_workers");
  loader.iterable = Boolean(fact, "iterable").value_or(false);
  loader.dataset = Text(fact, {"dataset", "dataset_class"});
  loader.collate = Text(fact, {"collate_fn", "collate"});
  if (const auto lines = fact.find("collate_lines"); lines != fact.end() && lines->is_object()) {
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

void AddFramework(JobFacts& facts, std::string name, std::string version) {
  if (name.empty()) return;
  facts.torch_seen |= name == "torch";
  facts.frameworks.emplace_back(std::move(name), std::move(version));
}

// {"name": "torch", "version": "2.13.0"} or {"torch": "2.13.0", ...}
void ReadFramework(const nlohmann::json& fact, JobFacts& facts) {
  if (fact.contains("name")) {
    AddFramework(facts, Text(fact, {"name"}), Text(fact, {"version"}));
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
  if (fact.contains("cause")) {
    if (Text(fact, {"cause"}) == cause) to.insert(Text(fact, {"detail"}));
    return;
  }
  constexpr std::string_view kKernels = "kernels: ";
  const std::string reason = Text(fact, {"reason"});
  std::string_view old = reason;
  if (!old.starts_with(kKernels)) return;
  old.remove_prefix(kKernels.size());
  if (old.starts_with(old_begin)) to.emplace(old);
}

void ReadHook(const nlohmann::json& fact, JobFacts& facts) {
  const std::string state = Text(fact, {"state", "status"});
  facts.hooks_off |= state == "off";
  facts.python_seen |= state == "idle";
  facts.torch_hooked |= state == "active" && Text(fact, {"module"}).starts_with("torch");
  facts.optimizer_hooked |= Text(fact, {"hook"}) == "optimizer";
  const std::string reason = Text(fact, {"error", "reason"});
  if (state == "limited") {
    AddOfKernels(fact, "cupti_stays", "CUPTI stays in the process", facts.cupti_stays);
  } else if (state == "unavailable") {
    AddOfKernels(fact, "cupti_taken", "CUPTI is taken", facts.cupti_taken);
  }
  if (state != "failed" && state != "error" && (state != "" || reason.empty())) return;
  facts.hook_failures.push_back({Text(fact, {"hook", "name"}), reason});
}

void ReadJob(const nlohmann::json& fact, JobFacts& facts) {
  if (const std::string backend = Text(fact, {"backend"}); !backend.empty()) {
    facts.backend = backend;
  }
  const int64_t world = Integer(fact, "world_size").value_or(1);
  facts.world_size =
      std::max(facts.world_size, static_cast<int32_t>(std::clamp<int64_t>(world, 1, 1 << 24)));
}

void ReadThreads(const nlohmann::json& fact, JobFacts& facts) {
  const int64_t threads = Integer(fact, "intraop").value_or(0);
  if (threads <= 0) return;
  const auto told = static_cast<int32_t>(std::min<int64_t>(threads, 1 << 16));
  facts.intraop_threads = std::max(facts.intraop_threads.value_or(0), told);
}

void ReadDataParallel(const nlohmann::json& fact, JobFacts& facts) {
  DataParallelFact told = facts.data_parallel.value_or(DataParallelFact());
  using Kind = DataParallelFact::Kind;
  const std::string by = Text(fact, {"class"});
  told.kind = by.ends_with("FullyShardedDataParallel") ? Kind::kFullySharded
              : by.ends_with("fully_shard")            ? Kind::kFullyShard
                                                       : told.kind;
  const bool static_graph = Boolean(fact, "static_graph").value_or(false);
  told.finds_unused |= Boolean(fact, "find_unused_parameters").value_or(false) && !static_graph;
  if (const auto views = Boolean(fact, "gradient_as_bucket_view")) told.views_of_buckets = views;
  if (const auto mb = Integer(fact, "bucket_cap_mb")) told.bucket_mb = mb;
  if (const auto reshards = Boolean(fact, "reshard_after_forward")) {
    told.reshards = told.reshards.value_or(false) || *reshards;  // of any layer
  }
  if (const std::string hook = Text(fact, {"comm_hook"}); !hook.empty()) told.comm_hook = hook;
  facts.data_parallel = std::move(told);
}

// Of windows of operators.
struct WindowsSeen {
  bool full_too_soon = false;  // one had fewer steps than a split needs
  bool enough = false;         // one had as many
};

void ReadWindow(const nlohmann::json& fact, WindowsSeen& seen) {
  if (Text(fact, {"kinds"}).find("operators") == std::string::npos) return;
  const int64_t steps = Integer(fact, "steps").value_or(0);
  if (steps >= kMinSplitSteps) {
    seen.enough = true;
  } else if (Text(fact, {"end"}) == "full") {
    seen.full_too_soon = true;
  }
}

// Why a process's stacks are not read from outside, or nobody's are.
void ReadSource(const nlohmann::json& fact, JobFacts& facts) {
  if (facts.imported_as.empty()) facts.imported_as = Text(fact, {"format"});
  if (Text(fact, {"source"}) != "stacks" || !facts.no_stacks.empty()) return;
  facts.no_stacks = Text(fact, {"reason"});
  facts.no_stacks_remedy = Text(fact, {"remedy"});
}

// Of those alike the first stays.
template <class T>
void KeepEachOnce(std::vector<T>& all) {
  std::set<T> seen;
  std::erase_if(all, [&](const T& one) { return !seen.insert(one).second; });
}

}  // namespace

JobFacts ReadJobFacts(std::span<const store::FactRow> rows, const store::StringTable& strings) {
  JobFacts facts;
  WindowsSeen windows;
  for (const store::FactRow& row : rows) {
    const std::string& kind = strings.Text(row.kind);
    facts.python_seen |= kind == "process";
    const nlohmann::json fact =
        nlohmann::json::parse(row.json, nullptr, /*allow_exceptions=*/false);
    if (!fact.is_object()) continue;
    if (kind == "loader") facts.loaders.push_back(ReadLoader(fact, row));
    if (kind == "framework") ReadFramework(fact, facts);
    if (kind == "hook") ReadHook(fact, facts);
    if (kind == "job") ReadJob(fact, facts);
    if (kind == "autograd") facts.detects_anomalies |= Boolean(fact, "anomaly").value_or(false);
    if (kind == "data_parallel") ReadDataParallel(fact, facts);
    if (kind == "window") ReadWindow(fact, windows);
    if (kind == "window") facts.captured_by_kineto |= Text(fact, {"by"}) == "kineto";
    if (kind == "threads") ReadThreads(fact, facts);
    if (kind == "source") ReadSource(fact, facts);
    if (kind == "device") facts.devices.push_back(Text(fact, {"name", "device"}));
    if (kind == "device") facts.gpus.ReadDevice(fact, row);
    if (kind == "gpu") facts.gpus.ReadGpu(fact, row);
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

}  // namespace steptrace::analyze
