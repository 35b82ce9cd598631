// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/npu_tasks.h"

#include <gmock/gmock.h>

namespace steptrace::import::kineto {
namespace {

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
