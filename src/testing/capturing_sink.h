// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "agent/system/metric_sink.h"

namespace steptrace::testing {

// Keeps what a sample yields. Clear() before each sample that is looked at alone.
class CapturingSink : public agent::MetricSink {
 public:
  void OnSample(const agent::MetricSample& sample) override { samples.push_back(sample); }
  void OnUnavailable(const agent::MissingSource& source) override { unavailable.push_back(source); }
  void OnGpu(const agent::GpuUse& use) override { gpus.push_back(use); }
  void OnAllowedCores(const agent::ProcessCores& cores) override { allowed_cores.push_back(cores); }
  void Clear() { samples.clear(); }

  // The last value of a metric; `device` and `pid` where its scope has them.
  std::optional<double> Value(store::Metric metric, int32_t device = -1, int32_t pid = 0) const {
    std::optional<double> value;
    for (const agent::MetricSample& sample : samples) {
      if (sample.metric == metric && sample.device == device && sample.pid == pid) {
        value = sample.value;
      }
    }
    return value;
  }
  bool Has(store::Metric metric, int32_t device = -1, int32_t pid = 0) const {
    return Value(metric, device, pid).has_value();
  }
  const agent::MissingSource* Unavailable(const std::string& source) const {
    for (const agent::MissingSource& entry : unavailable) {
      if (entry.source == source) return &entry;
    }
    return nullptr;
  }

  std::vector<agent::MetricSample> samples;
  std::vector<agent::MissingSource> unavailable;
  std::vector<agent::GpuUse> gpus;
  std::vector<agent::ProcessCores> allowed_cores;
};

// Samples a reader at one-second steps (or others) of a time that only the test moves.
class SampleClock {
 public:
  template <class Reader, class... Arguments>
  void Sample(Reader& reader, CapturingSink& sink, double seconds, Arguments... arguments) {
    now_ns_ += static_cast<int64_t>(seconds * 1e9);
    sink.Clear();
    agent::SampleContext context(now_ns_, sink, reported_);
    reader.Sample(context, arguments...);
  }
  template <class Reader>
  void Sample(Reader& reader, CapturingSink& sink) {
    Sample(reader, sink, 1.0);
  }
  int64_t now_ns() const { return now_ns_; }

 private:
  int64_t now_ns_ = 1'000'000'000'000;
  std::set<std::string> reported_;
};

}  // namespace steptrace::testing
