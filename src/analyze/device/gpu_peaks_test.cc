// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/gpu_peaks.h"

#include <gtest/gtest.h>

#include "analyze/device/precision.h"

namespace steptrace::analyze {
namespace {

std::optional<double> PeakOf(std::string_view name, std::string_view precision,
                             int64_t multiprocessors = 0) {
  const GpuPeaks* gpu = FindGpuPeaks(name, multiprocessors);
  return gpu == nullptr ? std::nullopt : gpu->FlopsPerSecond(precision);
}

TEST(GpuPeaksTest, AreKnownByWordsOfTheName) {
  EXPECT_EQ(PeakOf("NVIDIA A100-SXM4-80GB", "BF16"), 312e12);
  EXPECT_EQ(PeakOf("NVIDIA A100-PG509-200", "TF32", 108), 156e12);
  EXPECT_EQ(PeakOf("NVIDIA H100 80GB HBM3", "BF16", 132), 989.5e12);
  EXPECT_EQ(PeakOf("NVIDIA H100 PCIe", "BF16"), 756e12);
  EXPECT_EQ(PeakOf("Tesla V100-DGXS-32GB", "FP32"), 15.7e12);
  EXPECT_EQ(PeakOf("Tesla V100-DGXS-32GB", "BF16"), std::nullopt);
  EXPECT_EQ(PeakOf("AMD Instinct MI300X", "BF16", 304), 1307.4e12);
  EXPECT_EQ(PeakOf("NVIDIA RTX A1000", "FP32"), std::nullopt);  // no A100
  EXPECT_EQ(PeakOf("NVIDIA L40S", "BF16"), 362e12);
  EXPECT_EQ(PeakOf("", "FP32"), std::nullopt);
}

TEST(GpuPeaksTest, AreOfTensorCoresInFp64Too) {
  EXPECT_EQ(PeakOf("NVIDIA A100-SXM4-80GB", "FP64"), 19.5e12);
  EXPECT_EQ(PeakOf("NVIDIA H100 80GB HBM3", "FP64"), 67e12);
  EXPECT_EQ(PeakOf("NVIDIA H100 PCIe", "FP64"), 51e12);
}

TEST(GpuPeaksTest, APartOfAGpuHasNone) {
  EXPECT_EQ(PeakOf("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "BF16"), std::nullopt);
  EXPECT_EQ(PeakOf("NVIDIA A100-SXM4-40GB", "BF16", 14), std::nullopt);
  EXPECT_EQ(PeakOf("AMD Instinct MI300X", "BF16", 38), std::nullopt);  // CPX
}

TEST(GpuPeaksTest, TheTableSpeaksOfPrecisionsThatKernelsHave) {
  for (const GpuPeaks& gpu : KnownGpus()) {
    EXPECT_FALSE(gpu.source.empty());
    for (const GpuPeak& peak : gpu.peaks) {
      bool known = false;
      for (size_t i = 0; i < kPrecisionCount; ++i) {
        known |= peak.precision == PrecisionName(static_cast<Precision>(i));
      }
      EXPECT_TRUE(known) << peak.precision;
      EXPECT_GT(peak.flops_per_s, 9e11) << gpu.source;
    }
  }
}

}  // namespace
}  // namespace steptrace::analyze
