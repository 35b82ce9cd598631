// SPDX-License-Identifier: Apache-2.0
// A report over a million steps of one rank, without reading them.
#include <benchmark/benchmark.h>

#include <vector>

#include "analyze/report/build_report.h"

namespace steptrace::analyze {
namespace {

void BM_BuildReport(benchmark::State& state) {
  store::StringTable strings;
  std::vector<store::StepRow> steps(static_cast<size_t>(state.range(0)));
  for (size_t i = 0; i < steps.size(); ++i) {
    store::StepRow& row = steps[i];
    row.kind = strings.Intern("train");
    row.step = static_cast<int64_t>(i);
    row.data_ns = row.data_pipeline_ns = row.getitem_ns = 60'000 + static_cast<int64_t>(i % 11);
    row.forward_ns = row.model_ns = 40'000;
    row.dur_ns = row.data_ns + row.forward_ns;
    row.ts_ns = static_cast<int64_t>(i) * 110'000;
  }
  ReportInput input;
  input.strings = &strings;
  input.steps = steps;
  for (auto _ : state) {
    const Report report = BuildReport(input);
    if (report.verdict.suspect != "data_pipeline" || report.verdict.sub_stage != "getitem") {
      state.SkipWithError("wrong verdict");
    }
  }
}
BENCHMARK(BM_BuildReport)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace steptrace::analyze

BENCHMARK_MAIN();
