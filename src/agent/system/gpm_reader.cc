// SPDX-License-Identifier: Apache-2.0
#include "agent/system/gpm_reader.h"

#include <cmath>
#include <iterator>
#include <utility>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using store::Metric;

constexpr double kPercentPart = 0.01;
constexpr double kMib = 1 << 20;
// The header asks for more than 100 ms.
constexpr int64_t kLeastGpmNs = 150 * kNsPerMs;
constexpr int kMostGpmFailures = 3;
constexpr double kMostGpmValue = 1e9;  // percent or MiB a second

constexpr struct {
  nvml::GpmMetricId id;
  Metric metric;
  double scale;  // to the metric's unit
} kGpmMetrics[] = {
    {nvml::kGpmSmUtil, Metric::kGpuSmActiveShare, kPercentPart},
    {nvml::kGpmSmOccupancy, Metric::kGpuSmOccupancyShare, kPercentPart},
    {nvml::kGpmTensorUtil, Metric::kGpuTensorActiveShare, kPercentPart},
    {nvml::kGpmDramBandwidth, Metric::kGpuDramActiveShare, kPercentPart},
    {nvml::kGpmPcieReceived, Metric::kGpuPcieReceive, kMib},
    {nvml::kGpmPcieSent, Metric::kGpuPcieSend, kMib},
    {nvml::kGpmNvlinkReceived, Metric::kGpuNvlinkReceive, kMib},
    {nvml::kGpmNvlinkSent, Metric::kGpuNvlinkSend, kMib},
};

// What does not pass: asking again would give the same answer.
bool Stands(nvml::Return code) {
  return code == nvml::kNotSupported || code == nvml::kFunctionNotFound ||
         code == nvml::kNoPermission || code == nvml::kInvalidArgument ||
         code == nvml::kArgumentVersionMismatch;
}

}  // namespace

GpmReader::GpmReader(const NvmlLibrary& library, nvml::Device device)
    : library_(library), device_(device) {
  off_ = WhyNot();
  if (on()) Allocate();
}

GpmReader::~GpmReader() {
  for (nvml::GpmSample sample : {earlier_, later_}) {
    if (sample != nullptr) library_.call().nvmlGpmSampleFree(sample);
  }
}

std::string GpmReader::WhyNot() {
  const nvml::Functions& call = library_.call();
  if (call.nvmlGpmQueryDeviceSupport == nullptr || call.nvmlGpmSampleAlloc == nullptr ||
      call.nvmlGpmSampleFree == nullptr || call.nvmlGpmSampleGet == nullptr ||
      call.nvmlGpmMetricsGet == nullptr) {
    return "the driver has no GPM: it is older than 525";
  }
  unsigned int mig = 0, pending = 0;
  if (call.nvmlDeviceGetMigMode != nullptr &&
      call.nvmlDeviceGetMigMode(device_, &mig, &pending) == nvml::kSuccess && mig != 0) {
    return "the GPU is cut into instances (MIG), which are not read one by one";
  }
  nvml::GpmSupport support{.version = nvml::kGpmVersion, .is_supported = 0};
  const nvml::Return code = call.nvmlGpmQueryDeviceSupport(device_, &support);
  if (code != nvml::kSuccess) return library_.Describe(code);
  return support.is_supported != 0 ? "" : "the GPU has none: it is older than Hopper";
}

void GpmReader::Allocate() {
  const nvml::Functions& call = library_.call();
  for (nvml::GpmSample* sample : {&earlier_, &later_}) {
    const nvml::Return code = call.nvmlGpmSampleAlloc(sample);
    if (code == nvml::kSuccess) continue;
    *sample = nullptr;
    off_ = "nvmlGpmSampleAlloc: " + library_.Describe(code);
    return;
  }
  metrics_ = std::make_unique<nvml::GpmMetrics>();
}

// An error that may pass is told only when it stays.
void GpmReader::Fail(nvml::Return code, const char* call) {
  taken_ns_.reset();
  lost_ = code == nvml::kGpuIsLost || code == nvml::kResetRequired;
  if (!lost_ && !Stands(code) && ++failures_ < kMostGpmFailures) return;
  off_ = std::string(call) + ": " + library_.Describe(code);
}

bool GpmReader::Take(nvml::GpmSample sample) {
  const nvml::Return code = library_.call().nvmlGpmSampleGet(device_, sample);
  if (code != nvml::kSuccess) Fail(code, "nvmlGpmSampleGet");
  return code == nvml::kSuccess;
}

std::vector<GpmReader::Value> GpmReader::Compare() {
  *metrics_ = {};
  metrics_->version = nvml::kGpmVersion;
  metrics_->earlier = earlier_;
  metrics_->later = later_;
  size_t asked[std::size(kGpmMetrics)];
  for (size_t i = 0; i < std::size(kGpmMetrics); ++i) {
    if ((missing_ >> i & 1) != 0) continue;
    asked[metrics_->count] = i;
    metrics_->metrics[metrics_->count++].id = kGpmMetrics[i].id;
  }
  std::vector<Value> values;
  const unsigned int count = metrics_->count;
  if (count == 0) return values;
  const nvml::Return code = library_.call().nvmlGpmMetricsGet(metrics_.get());
  if (code != nvml::kSuccess) {
    Fail(code, "nvmlGpmMetricsGet");
    return values;
  }
  failures_ = 0;
  for (unsigned int i = 0; i < count; ++i) {
    const nvml::GpmMetric& one = metrics_->metrics[i];
    if (Stands(one.result)) missing_ |= 1U << asked[i];
    const bool sane = std::isfinite(one.value) && one.value >= 0 && one.value < kMostGpmValue;
    if (one.result != nvml::kSuccess || !sane) continue;
    values.push_back({kGpmMetrics[asked[i]].metric, one.value * kGpmMetrics[asked[i]].scale});
  }
  return values;
}

std::vector<GpmReader::Value> GpmReader::Sample(int64_t now_ns) {
  if (!on()) return {};
  if (taken_ns_ && now_ns >= *taken_ns_ && now_ns - *taken_ns_ < kLeastGpmNs) return {};
  const bool second = taken_ns_.has_value();
  std::swap(earlier_, later_);
  if (!Take(later_)) return {};
  taken_ns_ = now_ns;
  return second ? Compare() : std::vector<Value>{};
}

bool GpmReader::Measures(Metric metric) const {
  if (!on()) return false;
  for (size_t i = 0; i < std::size(kGpmMetrics); ++i) {
    if (kGpmMetrics[i].metric == metric) return (missing_ >> i & 1) == 0;
  }
  return false;
}

}  // namespace steptrace::agent
