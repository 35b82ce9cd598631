// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/lines.h"

#include <gmock/gmock.h>

namespace steptrace::import::kineto {
namespace {

// pid << 10 | layer << 5 | device, of process 4321 and device 3.
constexpr const char* kStreams = "4425123";      // layer 13
constexpr const char* kCann = "4424931";         // layer 7
constexpr const char* kCollectives = "4425187";  // layer 15
constexpr const char* kFigures = "4425443";      // layer 23

LineNames Named() {
  LineNames names;
  names.NameProcess("4321", "Python");
  names.NameProcess(kCann, "CANN");
  names.NameProcess(kCollectives, "HCCL");
  names.NameProcess(kStreams, "Ascend Hardware");
  names.NameProcess(kFigures, "Overlap Analysis");
  names.NameThread(kCollectives, "0", "Group 0 Communication");
  names.NameThread(kCollectives, "1", "Plane 0");
  return names;
}

TEST(LineNames, TellTheLinesOfAnAscendProfile) {
  const LineNames names = Named();
  EXPECT_EQ(names.Of(kStreams, "7").kind, LineKind::kNpuStream);
  EXPECT_EQ(names.Of(kStreams, "7").device, 3);
  EXPECT_EQ(names.Of(kCollectives, "0").kind, LineKind::kNpuCollectives);
  EXPECT_EQ(names.Of(kCollectives, "1").kind, LineKind::kNpuPlane);
  EXPECT_EQ(names.Of(kCollectives, "2").kind, LineKind::kNpuCollectives);
  EXPECT_EQ(names.Of(kFigures, "0").kind, LineKind::kNpuFigures);
  EXPECT_EQ(names.Of(kCann, "99").kind, LineKind::kNpuHost);
  EXPECT_EQ(names.Of(kCann, "99").host_pid, "4321");
  EXPECT_EQ(names.Of("4321", "1").kind, LineKind::kPlain);
}

TEST(LineNames, CallsIntoCannAreKnownByTheirNumberToo) {
  LineNames names;
  EXPECT_EQ(names.NpuHostOf(kCann), "");
  names.NameProcess(kStreams, "Ascend Hardware");
  EXPECT_EQ(names.NpuHostOf(kCann), "4321");
  EXPECT_EQ(names.NpuHostOf("4321"), "");
  EXPECT_EQ(names.NpuHostOf("5448931"), "");  // of process 5321
  EXPECT_EQ(names.NpuHostOf("x"), "");
}

TEST(LineNames, OfOtherProfilersTellNothing) {
  LineNames names;
  names.NameProcess("1", "Communication");
  names.NameProcess("2", "CANN");
  EXPECT_EQ(names.Of("1", "1").kind, LineKind::kPlain);
  EXPECT_EQ(names.Of("2", "1").kind, LineKind::kPlain);
}

TEST(LineNames, OfAProcessTheFirstNameCounts) {
  LineNames names = Named();
  const size_t before = names.version();
  names.NameProcess(kStreams, "HCCL");
  names.NameThread(kCollectives, "1", "Group 1 Communication");
  EXPECT_EQ(names.version(), before);
  EXPECT_EQ(names.Of(kStreams, "7").kind, LineKind::kNpuStream);
  EXPECT_EQ(names.Of(kCollectives, "1").kind, LineKind::kNpuPlane);
}

TEST(LineNames, ThoseOfAPieceFollow) {
  LineNames names;
  names.NameProcess(kStreams, "Ascend Hardware");
  names.Take(Named(), 0);
  EXPECT_EQ(names.version(), Named().version());
  EXPECT_EQ(names.Of(kCollectives, "1").kind, LineKind::kNpuPlane);
}

TEST(LineNames, AreBounded) {
  LineNames names;
  for (int i = 0; i < 10'000; ++i) names.NameProcess(std::to_string(i), "Ascend Hardware");
  EXPECT_LE(names.version(), 4096u);
}

TEST(LineNames, TellTheLinesOfXla) {
  LineNames names;
  names.NameProcess("1", "/device:GPU:0");
  names.NameThread("1", "14", "Stream #13(MemcpyH2D)");
  names.NameThread("1", "16", "XLA Modules");
  names.NameThread("1", "17", "XLA Ops");
  names.NameProcess("3", "worker7 /device:TPU:5");
  names.NameThread("3", "2", "Steps");
  names.NameThread("3", "4", "XLA Ops");
  names.NameProcess("4", "/device:CPU:0");
  names.NameProcess("701", "/host:CPU");
  EXPECT_EQ(names.Of("1", "14").kind, LineKind::kXlaStream);
  EXPECT_EQ(names.Of("1", "14").stream, 13);
  EXPECT_EQ(names.Of("1", "14").device, 0);
  EXPECT_EQ(names.Of("1", "16").kind, LineKind::kXlaDerived);
  EXPECT_EQ(names.Of("1", "17").kind, LineKind::kXlaDerived);  // of the streams, told again
  EXPECT_EQ(names.Of("3", "4").kind, LineKind::kXlaOps);
  EXPECT_EQ(names.Of("3", "4").device, 5);
  EXPECT_EQ(names.Of("3", "2").kind, LineKind::kXlaDerived);
  EXPECT_EQ(names.Of("4", "1").kind, LineKind::kPlain);
  EXPECT_EQ(names.Of("701", "9").kind, LineKind::kXlaHost);
  for (const char* odd : {"/device:", "/device:GPU", "/device:GPU:", "/device:GPU:x", "device:0"}) {
    LineNames other;
    other.NameProcess("1", odd);
    EXPECT_EQ(other.version(), 0u) << odd;
  }
}

TEST(LateNames, AreThoseThatMakeAnotherLineOfWhatWasRead) {
  LineNames names;
  LateNames late;
  late.TakeLine("1", "17", names.Of("1", "17").kind);
  names.NameProcess("701", "/host:CPU");
  late.Look(names);
  EXPECT_FALSE(late.came());
  names.NameProcess("1", "/device:GPU:0");
  late.Look(names);
  EXPECT_TRUE(late.came());
}

TEST(XlaHostCategory, GoesByArgumentsThenNames) {
  EXPECT_EQ(XlaHostCategory({.name = "train", .has_step = true}), "step_annotation");
  EXPECT_EQ(XlaHostCategory({.name = "$train.py:11 load_batch"}), "python_function");
  EXPECT_EQ(XlaHostCategory({.name = "dot.2", .has_operation = true, .has_source = true}),
            "hlo_op");
  EXPECT_EQ(XlaHostCategory({.name = "cuLaunchKernel", .has_correlation = true}), "cuda_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "hipLaunchKernel", .has_correlation = true}), "hip_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "PjitFunction(step)"}), "xla_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "CommonPjRtBuffer::Await"}), "xla_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "Iterator::Prefetch"}), "user_annotation");
  EXPECT_EQ(XlaHostCategory({.name = "load_batch"}), "user_annotation");
}

TEST(XlaPythonName, IsAsPyTorchNamesFunctions) {
  EXPECT_EQ(XlaPythonName("$train.py:11 load_batch"), "train.py(11): load_batch");
  EXPECT_EQ(XlaPythonName("$time sleep"), "<built-in function time.sleep>");
  EXPECT_EQ(XlaPythonName("$"), "");
  EXPECT_EQ(XlaPythonName("$x"), "x");
}

TEST(XlaBytesIn, ReadsTheSize) {
  EXPECT_EQ(XlaBytesIn("kind_src:pinned kind_dst:device size:4194304 dest:0 async:1"), 4194304);
  EXPECT_EQ(XlaBytesIn("size:"), -1);
  EXPECT_EQ(XlaBytesIn("size:-4"), -1);
  EXPECT_EQ(XlaBytesIn(""), -1);
}

TEST(NpuTaskCategory, GoesByTypeAndName) {
  EXPECT_EQ(NpuTaskCategory("AI_CORE", "aclnnMatmul_MatMulV2"), "kernel");
  EXPECT_EQ(NpuTaskCategory("MIX_AIV", "ReduceSum7"), "kernel");
  EXPECT_EQ(NpuTaskCategory("KERNEL_AICPU", "Index"), "kernel");
  EXPECT_EQ(NpuTaskCategory("PCIE_DMA_SQE", "MEMCPY_ASYNC"), "gpu_memcpy");
  EXPECT_EQ(NpuTaskCategory("SDMA_SQE", "MEMCPY_ASYNC"), "gpu_memcpy");
  EXPECT_EQ(NpuTaskCategory("EVENT_WAIT_SQE", "EVENT_WAIT"), "npu_sync");
  EXPECT_EQ(NpuTaskCategory("NOTIFY_WAIT_SQE", "NOTIFY_WAIT"), "npu_sync");
  EXPECT_EQ(NpuTaskCategory("PLACE_HOLDER_SQE", "EVENT_RECORD"), "npu_sync");
  EXPECT_EQ(NpuTaskCategory("SDMA", "SDMA"), "hccl_task");
  EXPECT_EQ(NpuTaskCategory("Notify Wait", "Notify Wait"), "hccl_task");
  EXPECT_EQ(NpuTaskCategory("KERNEL_AIVEC", "hcom_allReduce_"), "hccl_task");
  EXPECT_EQ(NpuTaskCategory("SOMETHING_NEW", "x"), "npu_task");
  EXPECT_EQ(NpuTaskCategory("", ""), "npu_task");
}

TEST(HcclCallIn, TakesANameApart) {
  const auto call = HcclCallIn("hcom_allReduce__868_12_1");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->name, "hcom_allReduce__868");
  EXPECT_EQ(call->group, 868);
  EXPECT_EQ(call->number, 12);
  for (const char* name : {"", "hcom_", "hcom_x__", "hcom_x__1", "hcom_x__a_1_1", "hcom_x__1__1",
                           "hcom_x__-1_2", "hcom_x__99999999999999999999_1", "allReduce__1_2_3"}) {
    EXPECT_FALSE(HcclCallIn(name)) << name;
  }
}

}  // namespace
}  // namespace steptrace::import::kineto
