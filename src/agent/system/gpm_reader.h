// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/system/nvml_library.h"
#include "store/metrics.h"

namespace steptrace::agent {

// What one GPU did between two samples, by NVML's GPM: how much of its multiprocessors, tensor
// cores and memory bandwidth was in use, and what went over PCIe and NVLink. The counters are
// always on: reading them takes nothing from other tools.
//
//   ready ── Sample: one sample ──► Sample: a second one, and the metrics of the time range between
//     │                               │ again and again, the older sample is overwritten
//     └──── not supported at all ─────┴──► off, with the reason
//
// One thread. Owns its two samples; the library must outlive it.
class GpmReader {
 public:
  // A device without GPM, or a driver: the reader is off and says why.
  GpmReader(const NvmlLibrary& library, nvml::Device device);
  ~GpmReader();
  GpmReader(const GpmReader&) = delete;
  GpmReader& operator=(const GpmReader&) = delete;

  struct Value {
    store::Metric metric{};
    double value = 0;  // in the metric's unit
  };
  // Empty: the first sample, one too soon after it (GPM renews its counters every 100 ms), or off.
  std::vector<Value> Sample(int64_t now_ns);

  // Whether Sample tells the metric, or will when it can: nobody else needs to be asked.
  bool Measures(store::Metric metric) const;
  bool on() const { return off_.empty(); }
  // Why it is off, in a sentence; empty: it is on.
  const std::string& off() const { return off_; }
  // The device is gone: a call said so.
  bool lost() const { return lost_; }

 private:
  std::string WhyNot();
  void Allocate();
  bool Take(nvml::GpmSample sample);
  void Fail(nvml::Return code, const char* call);
  std::vector<Value> Compare();

  const NvmlLibrary& library_;
  nvml::Device device_;
  nvml::GpmSample earlier_ = nullptr;
  nvml::GpmSample later_ = nullptr;
  std::optional<int64_t> taken_ns_;  // of `later_`
  uint32_t missing_ = 0;             // a bit for each metric that the device does not have
  int failures_ = 0;                 // in a row
  std::string off_;
  bool lost_ = false;
  std::unique_ptr<nvml::GpmMetrics> metrics_;
};

}  // namespace steptrace::agent
