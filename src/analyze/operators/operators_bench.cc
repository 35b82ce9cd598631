// SPDX-License-Identifier: Apache-2.0
// The four views of a profile of 1.4 million events; the budget of the whole report after an import
// is 0.5 s.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdlib>

#include "analyze/operators/kernels_section.h"
#include "analyze/operators/memory_section.h"
#include "analyze/operators/modules_section.h"
#include "analyze/operators/operators_section.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kModules = 100'000;
constexpr int kDistinct = 400;

// Modules of two nested operators, three launches and an allocation each: 14 events.
class Made {
 public:
  Made() {
    tracks_ = {Track(0, "thread"), Track(1, "stream")};
    tracks_[1].device = 0;
    tracks_[1].stream = 7;
    for (int64_t i = 0; i < kModules; ++i) AddModule(i * 1000, static_cast<int>(i % kDistinct));
    trace_.strings = &strings_;
    trace_.ranks.push_back(BuildRankTrace(0, slices_, tracks_, memory_, strings_));
    slices_ = {};
  }
  const Trace& trace() const { return trace_; }

 private:
  static store::TrackRow Track(int32_t number, const char* name) {
    store::TrackRow track;
    track.track = number;
    track.name = name;
    return track;
  }

  void Add(int32_t track, const char* category, const std::string& name, int64_t begin, int64_t end,
           const std::string& details = "", int64_t correlation = kNone) {
    store::SliceRow row;
    row.ts_ns = begin;
    row.dur_ns = end - begin;
    row.track = track;
    row.category = strings_.Intern(category);
    row.name = strings_.Intern(name);
    row.details = strings_.Intern(details);
    if (correlation != kNone) row.correlation = correlation;
    slices_.push_back(row);
  }

  void AddModule(int64_t at, int kind) {
    const std::string shapes = fmt::format(
        R"({{"Input Dims":[[{},1024],[1024,4096]],"Input type":["float","float"]}})", kind);
    const std::string launch = fmt::format(
        R"({{"grid":[{},1,1],"block":[128,1,1],"registers per thread":64,"shared memory":0,)"
        R"("blocks per SM":{}.5,"est. achieved occupancy %":{}}})",
        kind + 1, kind % 8, kind % 100);
    Add(0, "python_function", fmt::format("nn.Module: Linear_{}", kind), at, at + 900);
    Add(0, "python_function", "linear.py(100): forward", at + 5, at + 890);
    Add(0, "cpu_op", "aten::linear", at + 10, at + 800, shapes);
    Add(0, "cpu_op", "aten::addmm", at + 20, at + 700, shapes);
    for (int k = 0; k < 5; ++k) {
      const int64_t call = at + 30 + k * 100;
      const int64_t correlation = at * 8 + k;
      Add(0, "cuda_runtime", "cudaLaunchKernel", call, call + 50, "", correlation);
      Add(1, "kernel", fmt::format("kernel_{}", (kind * 5 + k) % 97), call + 60, call + 150, launch,
          correlation);
    }
    store::MemoryRow row;
    row.ts_ns = at + 40;
    row.device = 0;
    row.track = 0;
    row.address = 1 + kind;
    row.bytes = (at / 1000 / kDistinct) % 2 == 0 ? 512 : -512;
    memory_.push_back(row);
  }

  store::StringTable strings_;
  std::vector<store::SliceRow> slices_;
  std::vector<store::TrackRow> tracks_;
  std::vector<store::MemoryRow> memory_;
  Trace trace_;
};

const Trace& MadeTrace() {
  static const Made made;
  return made.trace();
}

void Check(bool right, const char* what) {
  if (right) return;
  fmt::print(stderr, "operators_bench: {} is wrong\n", what);
  std::abort();
}

void BM_AllViews(benchmark::State& state) {
  const Trace& trace = MadeTrace();
  for (auto _ : state) {
    const std::vector<OperatorTree> trees = BuildOperatorTrees(trace);
    const OperatorsSection operators = BuildOperators(trace, trees);
    const KernelsSection kernels = BuildKernels(trace, trees);
    const MemorySection memory = BuildMemory(trace, trees);
    const ModulesSection modules = BuildModules(trace, trees);
    Check(operators.totals[0].sums.device_self_ns == kModules * 5 * 90, "device time");
    Check(operators.rows.size() == 2 && operators.rows[0].shapes.size() == kDistinct, "operators");
    Check(kernels.rows.size() == 97, "kernels");
    Check(memory.devices[0].records == kModules, "memory");
    Check(modules.ranks[0].rows.size() == kDistinct, "modules");
  }
  state.SetItemsProcessed(state.iterations() * kModules * 14);
}
BENCHMARK(BM_AllViews)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace steptrace::analyze

BENCHMARK_MAIN();
