// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/kernel_class_times.h"

#include <gtest/gtest.h>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

TEST(KernelClassTimesTest, SumsDurationsOfAllRanksByClass) {
  store::StringTable strings;
  const Trace trace = DrawTrace(R"(
s7 kernel volta_sgemm_64x64_nt 0 40
s8 kernel volta_sgemm_32x128_nn 10 40
s7 kernel at::native::vectorized_elementwise_kernel 40 50
s7 kernel my_kernel 50 60
s7 memcpy "Memcpy HtoD" 60 65 bytes=500
s7 memset Memset 65 70
rank 1
s7 kernel ncclDevKernel_AllReduce 0 20
s7 kernel volta_sgemm_32x128_nn 20 50
)",
                                strings);
  const KernelClassTimes times = SumKernelClasses(trace);
  EXPECT_EQ(times.total_ns, 150);
  ASSERT_EQ(times.classes.size(), 5U);
  const KernelClassTime& gemm = times.classes[0];
  EXPECT_EQ(gemm.of, KernelClass::kGemm);
  EXPECT_EQ(gemm.calls, 3);
  EXPECT_EQ(gemm.total_ns, 100);  // what runs at once counts each
  EXPECT_EQ(gemm.kernels, 2);
  EXPECT_EQ(gemm.largest, "volta_sgemm_32x128_nn");
  EXPECT_EQ(gemm.bytes, std::nullopt);
  EXPECT_EQ(times.classes[1].of, KernelClass::kCommunication);
  EXPECT_DOUBLE_EQ(times.Share(KernelClass::kOther), 10.0 / 150);
  EXPECT_EQ(times.Share(KernelClass::kAttention), 0);
  double all = 0;
  for (const KernelClassTime& one : times.classes) all += one.share;
  EXPECT_DOUBLE_EQ(all, 1);
}

TEST(KernelClassTimesTest, BandwidthIsOfTheCopiesThatTellTheirBytes) {
  store::StringTable strings;
  const Trace trace = DrawTrace(R"(
s7 memcpy "Memcpy HtoD" 60 65 bytes=500
s7 memset Memset 65 95
s7 kernel direct_copy_kernel 100 110
)",
                                strings);
  const KernelClassTimes times = SumKernelClasses(trace);
  ASSERT_EQ(times.classes.size(), 1U);
  EXPECT_EQ(times.classes[0].of, KernelClass::kCopy);
  EXPECT_EQ(times.classes[0].total_ns, 45);
  EXPECT_EQ(times.classes[0].kernel_ns, 10);
  EXPECT_EQ(times.classes[0].bytes, 500);
  EXPECT_DOUBLE_EQ(*times.classes[0].bytes_per_s(), 500 / 5e-9);
  EXPECT_EQ(times.classes[0].largest, "direct_copy_kernel");
}

TEST(KernelClassTimesTest, MemoryBoundIsAShareOfTheKernelsThatCompute) {
  store::StringTable strings;
  const Trace trace = DrawTrace(R"(
s7 kernel gemm 0 30
s7 kernel softmax_warp_forward 30 40
s7 kernel ncclDevKernel_AllReduce 40 90
s7 memcpy "Memcpy DtoD" 90 95
)",
                                strings);
  EXPECT_DOUBLE_EQ(SumKernelClasses(trace).MemoryBoundShare(), 0.25);
  EXPECT_EQ(SumKernelClasses(Trace{.strings = &strings}).MemoryBoundShare(), 0);
}

}  // namespace
}  // namespace steptrace::analyze
