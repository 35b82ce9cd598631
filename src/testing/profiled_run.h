// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "testing/test_run.h"

// Profiled runs for tests.
namespace steptrace::store {

inline constexpr const char* kKernelDetails = R"({"grid":[1,2,3]})";

// A closed run: a node, a thread (track 1) with `steps` steps of a phase and an operator in it, a
// stream (track 2) with a kernel for each operator, launched by a call in it, and a counter (track
// 3).
inline void MakeProfiledRun(const std::filesystem::path& run, int64_t steps,
                            const std::string& kernel_name = "kernel",
                            const std::string& kernel_details = kKernelDetails) {
  constexpr int64_t kStepNs = 1'000'000;
  RunWriter writer = MakeWriter(run);
  StringTable& strings = writer.strings();
  const auto track = [&](int32_t number, const char* kind, const char* name) {
    TrackRow row;
    row.track = number;
    row.kind = strings.Intern(kind);
    row.name = name;
    row.rank = number == 1 || number == 2 ? 0 : -1;
    if (number > 0) row.parent = 0;
    if (number == 2) row.device = 0, row.stream = 7;
    writer.Append(row);
  };
  track(0, "node", "host");
  track(1, "thread", "main");
  track(2, "stream", "stream 7");
  track(3, "counter", "cpu.busy_share");
  for (int64_t i = 0; i < steps; ++i) {
    const auto slice = [&](int32_t on, int64_t ts, int64_t dur, const std::string& name,
                           const char* category, bool linked) {
      SliceRow row;
      row.ts_ns = i * kStepNs + ts;
      row.dur_ns = dur;
      row.track = on;
      row.rank = 0;
      row.name = strings.Intern(name);
      row.category = strings.Intern(category);
      if (linked) row.correlation = 100 + i;
      if (on == 2) row.details = strings.Intern(kernel_details);
      row.args = on == 2 ? R"({"occupancy":0.5})" : "";
      writer.Append(row);
    };
    slice(1, 0, 900'000, "forward", "phase", false);
    slice(1, 1000, 500'000, "aten::mm", "cpu_op", false);
    slice(1, 2000, 10'000, "cudaLaunchKernel", "cuda_runtime", true);
    slice(2, 20'000, 300'000, kernel_name, "kernel", true);
    StepRow step;
    step.step = i;
    step.ts_ns = i * kStepNs;
    step.dur_ns = kStepNs;
    step.kind = strings.Intern("train");
    step.data_ns = step.data_pipeline_ns = step.getitem_ns = kStepNs * 2 / 5;
    step.forward_ns = step.model_ns = kStepNs * 3 / 5;
    writer.Append(step);
    writer.Append(CounterRow{i * kStepNs, 3, static_cast<double>(i % 10) / 10});
  }
  writer.Append(RunMetadataRow{.kind = strings.Intern("source"), .json = R"({"format":"kineto"})"});
  ASSERT_OK(writer.Flush());
  Manifest manifest = CompletedManifest();
  manifest.end_ns = steps * kStepNs;
  ASSERT_OK(writer.Close(manifest));
}

}  // namespace steptrace::store
