// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"
#include "analyze/input/step_selection.h"
#include "analyze/operators/operator_flops.h"
#include "analyze/trace/trace_ref.h"

namespace steptrace::analyze {

// What tells how many samples or tokens there are in a step.
enum class CountedBy : uint8_t {
  kNothing,
  kLoader,     // the batch size that it was given
  kBatches,    // those that were looked at, which are alike
  kEstimated,  // ... or are not: their mean
  kModel,      // what the model's embedding looks up
};

struct PrecisionFlops {
  std::string precision;  // empty: not reported
  double flops_per_step = 0;
  std::optional<double> peak_flops_per_s;  // of the first rank's device
};

// What the training gets done, by its steady steps. What is not known is empty.
struct Throughput {
  std::optional<int64_t> batch_size;  // of the training loader
  // Of all ranks that were seen, where each trains on samples of its own.
  std::optional<double> samples_per_s;
  CountedBy samples_by = CountedBy::kNothing;
  std::optional<double> tokens_per_s;
  CountedBy tokens_by = CountedBy::kNothing;
  // Products, convolutions and attention of all ranks that were seen (docs/concepts/throughput.md).
  std::optional<double> flops_per_step;
  std::optional<double> flops_per_s;
  bool flops_at_least = false;  // kernels ran whose operators' shapes are not known
  std::optional<double> mfu;    // 1 is the peak of all devices of these ranks
  std::string gpu_peaks_source;
  std::string gpu_peaks_compared;          // the day
  std::vector<PrecisionFlops> precisions;  // the most first

  bool any() const { return samples_per_s || tokens_per_s || flops_per_step; }
};

// `trace`: where the operators were counted; `flops`: null, as where there is none.
Throughput MakeThroughput(const ReportInput& input, const StepSelection& selection,
                          const JobFacts& facts, TraceRef trace, const OperatorFlops* flops);

nlohmann::ordered_json ThroughputJson(const Throughput& throughput);

}  // namespace steptrace::analyze
