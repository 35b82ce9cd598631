// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

// Microseconds of stall since boot, from a file of pressure stall information.
struct PressureTotals {
  std::optional<uint64_t> some_us;
  std::optional<uint64_t> full_us;
};

PressureTotals ParsePressure(std::string_view text);

// Pressure stall information of the node, or of one cgroup, as shares of time. One thread.
class PressureReader {
 public:
  static PressureReader OfNode(const std::string& proc_root);
  static PressureReader OfCgroup(const std::string& folder);

  void Sample(SampleContext& context);

 private:
  struct File {
    KeptFile file;
    store::Metric some;
    std::optional<store::Metric> full{};
    Elapsed elapsed{};
    RateOf some_us_per_s{};
    RateOf full_us_per_s{};
  };

  PressureReader(std::string source, std::string remedy)
      : source_(std::move(source)), remedy_(std::move(remedy)) {}
  void Add(std::string path, store::Metric some, std::optional<store::Metric> full);
  void SampleFile(SampleContext& context, File& file);

  std::string source_;
  std::string remedy_;
  std::vector<File> files_;
  std::string buffer_;
};

}  // namespace steptrace::agent
