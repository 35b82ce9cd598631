// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/nvtx_names.h"

#include <gtest/gtest.h>

namespace steptrace::import::nsight {
namespace {

TEST(NvtxNames, OperatorOfEmitNvtx) {
  const NvtxName read =
      ReadNvtxName("aten::addmm, seq = 7, op_id = 12, sizes = [[64], [32, 3], []]");
  EXPECT_TRUE(read.is_operator);
  EXPECT_EQ(read.name, "aten::addmm");
  EXPECT_EQ(read.sequence, 7);
  EXPECT_EQ(read.shapes, "[[64], [32, 3], []]");
}

TEST(NvtxNames, OperatorWithoutSequence) {
  const NvtxName read = ReadNvtxName("FSDP::pre_forward (encoder.block.18), op_id = 3");
  EXPECT_TRUE(read.is_operator);
  EXPECT_EQ(read.name, "FSDP::pre_forward (encoder.block.18)");
  EXPECT_FALSE(read.sequence);
}

TEST(NvtxNames, ShapesThatAreNoListOfNumbersAreLeftOut) {
  EXPECT_EQ(ReadNvtxName("aten::mm, seq = 1, sizes = [[2], \"x\"]").shapes, "");
}

TEST(NvtxNames, StepWithItsNumber) {
  for (const char* text : {"ProfilerStep#12", "iteration 12", "step_12", "train_step: 12",
                           "Training step 12", "global_step=12", "Batch-12"}) {
    const NvtxName read = ReadNvtxName(text);
    EXPECT_EQ(read.step, 12) << text;
    EXPECT_FALSE(read.step_word.empty()) << text;
  }
}

TEST(NvtxNames, StepWithoutANumber) {
  const NvtxName read = ReadNvtxName("train_step");
  EXPECT_EQ(read.step_word, "trainstep");
  EXPECT_FALSE(read.step);
}

TEST(NvtxNames, OtherRangesAreNoSteps) {
  for (const char* text : {"forward", "layer.12", "epoch 3", "optimizer.step", "block 3 step 4",
                           "step99999999999999999999", "", "12"}) {
    EXPECT_TRUE(ReadNvtxName(text).step_word.empty()) << text;
  }
}

}  // namespace
}  // namespace steptrace::import::nsight
