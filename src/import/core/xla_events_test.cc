// SPDX-License-Identifier: Apache-2.0
#include "import/core/xla_events.h"

#include <gmock/gmock.h>

namespace steptrace::import {
namespace {

TEST(XlaHostCategory, GoesByArgumentsThenNames) {
  EXPECT_EQ(XlaHostCategory({.name = "train", .has_step = true}), "step_annotation");
  EXPECT_EQ(XlaHostCategory({.name = "$train.py:11 load_batch"}), "python_function");
  EXPECT_EQ(XlaHostCategory({.name = "dot.2", .has_operation = true, .has_source = true}),
            "hlo_op");
  EXPECT_EQ(XlaHostCategory({.name = "cuLaunchKernel", .has_correlation = true}), "cuda_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "hipLaunchKernel", .has_correlation = true}), "hip_runtime");
  EXPECT_EQ(XlaHostCategory(
                {.name = "hipModuleLaunchKernel", .has_operation = true, .has_correlation = true}),
            "hip_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "dense/MatMul:MatMul"}), "tf_op");
  EXPECT_EQ(XlaHostCategory({.name = "PjitFunction(step)"}), "xla_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "CommonPjRtBuffer::Await"}), "xla_runtime");
  EXPECT_EQ(XlaHostCategory({.name = "Iterator::Prefetch"}), "user_annotation");
  EXPECT_EQ(XlaHostCategory({.name = "load_batch"}), "user_annotation");
}

TEST(XlaHostCategory, OperationsOfTensorFlowHaveANodeAndAType) {
  EXPECT_TRUE(IsTensorFlowOperation("model/conv2d/Conv2D:Conv2D"));
  EXPECT_TRUE(IsTensorFlowOperation("IteratorGetNext:IteratorGetNext"));
  EXPECT_FALSE(IsTensorFlowOperation("Iterator::Prefetch"));
  EXPECT_FALSE(IsTensorFlowOperation("jit_step:XLA GPU module"));
  EXPECT_FALSE(IsTensorFlowOperation(":MatMul"));
  EXPECT_FALSE(IsTensorFlowOperation("step: load"));
  EXPECT_TRUE(IsTensorFlowOperation("AddV2_1:AddV2"));
  EXPECT_FALSE(IsTensorFlowOperation("epoch:Train")) << "a range of the script's own";
}

TEST(XlaDeviceIn, ReadsTheNumber) {
  EXPECT_EQ(XlaDeviceIn("/device:GPU:1"), 1);
  EXPECT_EQ(XlaDeviceIn("/device:TPU:2 SparseCore 1"), 2);
  EXPECT_EQ(XlaDeviceIn("/device:CPU:0"), std::nullopt);
  EXPECT_EQ(XlaDeviceIn("/device:CUSTOM:Megascale Trace"), std::nullopt);
  EXPECT_EQ(XlaDeviceIn("/device:"), std::nullopt);
  EXPECT_EQ(XlaStreamIn("Stream #14(MemcpyH2D)"), 14);
  EXPECT_EQ(XlaStreamIn("XLA Ops"), -1);
}

TEST(XlaPythonName, IsAsPyTorchNamesFunctions) {
  EXPECT_EQ(XlaPythonName("$train.py:11 load_batch"), "train.py(11): load_batch");
  EXPECT_EQ(XlaPythonName("$pjit.py:31 cache_miss"), "jax/_src/pjit.py(31): cache_miss");
  EXPECT_EQ(XlaPythonName("$util.py:5 load"), "util.py(5): load");
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

}  // namespace
}  // namespace steptrace::import
