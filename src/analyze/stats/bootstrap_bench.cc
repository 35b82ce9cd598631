// SPDX-License-Identifier: Apache-2.0
// The interval of a share over a million steps; the limit is 100 ms.
#include <benchmark/benchmark.h>

#include <vector>

#include "analyze/stats/bootstrap.h"

namespace steptrace::analyze {
namespace {

void BM_BootstrapRatioOfSums(benchmark::State& state) {
  std::vector<int64_t> waits, totals;
  for (int64_t i = 0; i < state.range(0); ++i) {
    waits.push_back(40'000'000 + i % 7 * 1'000'000);  // 0.43 of the step in the mean
    totals.push_back(100'000'000);
  }
  for (auto _ : state) {
    const Interval interval = BootstrapRatioOfSums(waits, totals);
    if (!(interval.low <= 0.43 && interval.high >= 0.429 && interval.high < 0.44)) {
      state.SkipWithError("wrong interval");
    }
    benchmark::DoNotOptimize(interval);
  }
}
BENCHMARK(BM_BootstrapRatioOfSums)->Arg(1000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace steptrace::analyze

BENCHMARK_MAIN();
