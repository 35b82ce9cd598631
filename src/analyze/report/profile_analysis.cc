// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/profile_analysis.h"

#include <malloc.h>

#include <functional>
#include <span>
#include <utility>

#include "base/in_parallel.h"

namespace steptrace::analyze {
namespace {

// What the views of operators share, and they.
void BuildOperatorViews(const Trace& trace, const TensorCorePatterns& patterns, Profile& profile) {
  std::vector<OperatorTree> trees = BuildOperatorTrees(trace, patterns);
  profile.operators = BuildOperators(trace, trees);
  // The others need it no more.
  for (OperatorTree& tree : trees) tree.host_self_ns = std::vector<int64_t>();
  profile.kernels = BuildKernels(trace, trees, patterns);
  profile.memory = BuildMemory(trace, trees);
  profile.modules = BuildModules(trace, trees);
}

}  // namespace

void AnalyseOperators(const Trace& trace, Profile& profile) {
  const std::vector<OperatorTree> trees = BuildOperatorTrees(trace, {});
  profile.operators = BuildOperators(trace, trees);
  profile.memory = BuildMemory(trace, trees);
  profile.modules = BuildModules(trace, trees);
  profile.flops = CountOperatorFlops(trace);
}

namespace {

// Of more events the critical path, which takes most memory, is made by itself.
constexpr size_t kMostConcurrent = 2'000'000;

void AddFlops(const OperatorFlops& flops, KernelClassTimes& times) {
  for (KernelClassTime& one : times.classes) {
    const OperatorFlops::OfClass& of = flops.classes[static_cast<size_t>(one.of)];
    if (of.ns <= 0) continue;
    one.flops = of.flops;
    one.flops_ns = of.ns;
  }
}

size_t EventsOf(const Trace& trace) {
  size_t events = 0;
  for (const RankTrace& rank : trace.ranks) events += rank.host.size() + rank.device.size();
  return events;
}

}  // namespace

ProfileAnalysis AnalyseProfile(const Trace& trace, const TensorCorePatterns& patterns,
                               const StageTable& stages, std::optional<int64_t> last_steps) {
  ProfileAnalysis analysis;
  Profile& profile = analysis.sections;
  analysis.ranks.resize(trace.ranks.size());
  // The longest first.
  std::vector<std::function<void()>> tasks = {
      [&] { profile.critical_path = BuildCriticalPath(trace.WithoutGaps()); },
      [&] { profile.distributed = BuildDistributed(trace); },
      [&] { BuildOperatorViews(trace, patterns, profile); },
      [&] {
        profile.kernel_classes = SumKernelClasses(trace);
        profile.flops = CountOperatorFlops(trace, patterns);
      },
      [&] { profile.devices = BuildDevices(trace.WithoutGaps(), patterns); },
  };
  for (size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    tasks.push_back([&trace, &analysis, &stages, last_steps, rank] {
      analysis.ranks[rank] = FindRankSteps(trace.ranks[rank], *trace.strings, &stages, last_steps);
    });
  }
  // What a section was made with is not kept beside the others.
  for (std::function<void()>& task : tasks) {
    task = [make = std::move(task)] {
      make();
      ::malloc_trim(0);
    };
  }
  const std::span<const std::function<void()>> all = tasks;
  const size_t alone = EventsOf(trace) > kMostConcurrent ? 1 : 0;
  InParallel(all.subspan(alone));
  InParallel(all.first(alone));
  AddFlops(profile.flops, profile.kernel_classes);
  return analysis;
}

}  // namespace steptrace::analyze
