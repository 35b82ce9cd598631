// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <string>

#include "analyze/critical_path/critical_path.h"
#include "analyze/distributed/distributed.h"

namespace steptrace::analyze {
namespace {

TraceEvent Event(EventKind kind, int64_t ts_ns, int64_t dur_ns, store::StringId name) {
  TraceEvent event;
  event.ts_ns = ts_ns;
  event.dur_ns = dur_ns;
  event.name = name;
  event.kind = kind;
  return event;
}

// A rank whose thread launches `kernels` kernels, each from an operator of its own, with a
// collective after every hundredth: three events a kernel.
RankTrace MakeRank(int32_t number, int64_t kernels, store::StringTable& strings) {
  RankTrace rank;
  rank.rank = number;
  rank.lanes.resize(3);
  rank.lanes[0].pid = rank.lanes[0].tid = 1;
  for (int32_t lane : {1, 2}) {
    TraceLane& stream = rank.lanes[static_cast<size_t>(lane)];
    stream.track = lane;
    stream.on_device = true;
    stream.device = 0;
    stream.stream = 5 + 2 * lane;
  }
  const auto op = strings.Intern("aten::mm");
  const auto call = strings.Intern("cudaLaunchKernel");
  const auto all_reduce = strings.Intern("ncclDevKernel_AllReduce_Sum_f32");
  const auto details = strings.Intern(
      R"({"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1]","dtype":"Float","In msg nelems":1000,"Out msg nelems":1000,"Group size":2})");
  for (int64_t i = 0; i < kernels; ++i) {
    const int64_t at = i * 10'000;
    rank.host.push_back(Event(EventKind::kOperator, at, 8'000, op));
    TraceEvent launch = Event(EventKind::kRuntime, at + 1'000, 4'000, call);
    launch.parent = launch.op = static_cast<int32_t>(rank.host.size()) - 1;
    rank.host.push_back(launch);
    const bool collective = i % 100 == 99;
    const int64_t late_ns = number * (collective ? 500 : 0);
    TraceEvent work =
        Event(EventKind::kKernel, at + 5'000 + late_ns, 9'000 - late_ns,
              collective ? all_reduce : strings.Intern("gemm" + std::to_string(i % 50)));
    if (collective) work.details = details;
    work.lane = collective ? 2 : 1;
    work.launch = static_cast<int32_t>(rank.host.size()) - 1;
    work.op = launch.op;
    work.role = collective ? DeviceRole::kCommunication : DeviceRole::kCompute;
    rank.device.push_back(work);
  }
  return rank;
}

Trace MakeTrace(int64_t events, int32_t ranks, store::StringTable& strings) {
  Trace trace;
  trace.strings = &strings;
  for (int32_t r = 0; r < ranks; ++r) {
    trace.ranks.push_back(MakeRank(r, events / 3 / ranks, strings));
  }
  return trace;
}

void CriticalPath(benchmark::State& state) {
  store::StringTable strings;
  const Trace trace = MakeTrace(state.range(0), static_cast<int32_t>(state.range(1)), strings);
  for (auto _ : state) {
    const CriticalPathSection section = BuildCriticalPath(trace);
    int64_t sum = 0;
    for (const PathShare& share : section.window.causes) sum += share.ns;
    if (sum != section.window.dur_ns || sum == 0) state.SkipWithError("the path has holes");
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(CriticalPath)->Args({1'400'000, 1})->Args({1'400'000, 2})->Unit(benchmark::kMillisecond);

void Distributed(benchmark::State& state) {
  store::StringTable strings;
  const Trace trace = MakeTrace(state.range(0), static_cast<int32_t>(state.range(1)), strings);
  const int64_t collectives = state.range(0) / 3 / state.range(1) / 100;
  for (auto _ : state) {
    const ProfileDistributed section = BuildDistributed(trace);
    if (state.range(1) == 2 && section.wait_ns != collectives * 500) {
      state.SkipWithError("the wait is not what was drawn");
    }
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(Distributed)->Args({1'400'000, 1})->Args({1'400'000, 2})->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace steptrace::analyze

BENCHMARK_MAIN();
