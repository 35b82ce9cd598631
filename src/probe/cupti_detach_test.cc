// SPDX-License-Identifier: Apache-2.0
#include "probe/cupti_detach.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "testing/fake_cupti/kernels_fixture.h"

namespace steptrace::probe {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using wire::Category;

class CuptiDetachTest : public KernelsTest {};

TEST_F(CuptiDetachTest, CuptiLeavesAtTheEndOfTheNextCallAndComesBack) {
  for (uint64_t window = 1; window <= 3; ++window) {
    ASSERT_EQ(BeginKernels(), nullptr);
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    fake_synchronize(7);
    EndAll();
    ASSERT_EQ(DetachKernels(), nullptr);
    EXPECT_EQ(fake_finalized(), window - 1) << "no call of CUDA's has come";
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    EXPECT_EQ(fake_finalized(), window);
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    EXPECT_EQ(fake_finalized(), window) << "once";
  }
  std::set<uint32_t> correlations;
  const auto all = Drained();
  for (const Seen& kernel : all.Of(Category::kKernel)) correlations.insert(kernel.correlation);
  EXPECT_EQ(correlations.size(), 3u) << "each is of its own call, though CUPTI begins anew";
  for (const Seen& call : all.Of(Category::kRuntime)) {
    if (call.name != "cudaLaunchKernel") continue;
    EXPECT_EQ(correlations.count(call.correlation), 1u);
  }
}

TEST_F(CuptiDetachTest, WhoNeedsCuptiBeforeItHasLeftHasIt) {
  ASSERT_EQ(BeginKernels(), nullptr);
  EndAll();
  ASSERT_EQ(DetachKernels(), nullptr);
  EXPECT_TRUE(StayAttached());
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
  ASSERT_EQ(DetachKernels(), nullptr);
  ASSERT_EQ(BeginKernels(), nullptr) << "a window takes it back itself";
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndAll();
  EXPECT_EQ(fake_finalized(), 0u);
  EXPECT_THAT(Drained().Of(Category::kKernel), SizeIs(1));
}

TEST_F(CuptiDetachTest, CuptiStaysWhereItMustNotLeave) {
  fake_other_subscribes(1);
  ASSERT_EQ(BeginKernels(), nullptr);
  EXPECT_NE(DetachKernels(), nullptr) << "it is on";
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("another tool"));
  fake_other_subscribes(0);
  ASSERT_EQ(BeginKernels(), nullptr);
  fake_launch("k", 1, 3, 1, 32, kUs, 9, 77);
  fake_synchronize(3);
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("CUDA graphs"));
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
}

}  // namespace
}  // namespace steptrace::probe
