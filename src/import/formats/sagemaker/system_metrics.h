// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/loss_causes.h"

// System metrics of SageMaker Debugger: a line is a JSON object with Type, Dimension, Name, Value,
// NodeId and Timestamp (seconds since 1970, as a decimal). The agent's sources are closed; names
// and units come from files and tables that users published.
namespace steptrace::import::sagemaker {

using store::LossCause;

// A metric on a node, a core or a device, by the names of store/metrics.h.
struct MetricKey {
  std::string metric;
  std::optional<int32_t> device;  // of a core or an accelerator

  auto operator<=>(const MetricKey&) const = default;
};

struct SystemSample {
  int64_t ts_ns = 0;           // since 1970
  double value = 0;            // in the metric's unit: percent became shares
  bool out_of_range = false;   // a percentage below 0 or above 100; stays as it came
  bool duplicate_key = false;  // a member stood twice: the last counts
  MetricKey key;
  std::string node;
};

enum class LineFault { kNone, kNoObject, kNoMetric, kBadTime, kBadValue };
LossCause CauseOf(LineFault fault);  // of a line that has a fault

LineFault ParseSystemLine(std::string_view line, SystemSample& sample);

// What the metric is called here, and by how many decimal places its value moves.
struct MetricPlace {
  MetricKey key;
  bool percent = false;
};
MetricPlace PlaceOf(std::string_view type, std::string_view dimension, std::string_view name);

// The node's own figure from those of its cores: their mean at each moment at which all were read.
// Debugger stores cores alone, reports speak of the node.
class CoreMeans {
 public:
  struct Row {
    int64_t ts_ns = 0;
    double value = 0;
  };

  // In order of time. Samples of one moment are up to 20 ms apart (Debugger's own rules join so).
  void Add(int64_t ts_ns, int32_t core, double value);
  std::vector<Row> Take();  // no more samples
  size_t cores() const { return cores_; }

 private:
  struct Tick {
    int64_t ts_ns;
    double mean;
    size_t cores;
  };
  void Close();

  static constexpr int64_t kTickNs = 20'000'000;
  static constexpr int32_t kMaxCores = 1 << 16;

  std::vector<std::optional<double>> open_;  // by core
  std::vector<size_t> opened_;               // cores that have one
  std::vector<bool> seen_;
  size_t cores_ = 0;
  int64_t since_ns_ = 0;
  std::vector<Tick> ticks_;
};

}  // namespace steptrace::import::sagemaker
