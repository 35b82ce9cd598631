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

constexpr auto kTaken = static_cast<uint64_t>(wire::DeviceLoss::kTaken);

class CuptiDetachTest : public KernelsTest {};

TEST_F(CuptiDetachTest, CuptiLeavesAtTheEndOfTheNextCallAndComesBack) {
  for (uint64_t window = 1; window <= 3; ++window) {
    ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
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

TEST_F(CuptiDetachTest, CuptiIsAvailableAgainBeforeItDetached) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  EndAll();
  ASSERT_EQ(DetachKernels(), nullptr);
  EXPECT_TRUE(StayAttached());
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
  ASSERT_EQ(DetachKernels(), nullptr);
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr) << "a window takes it back itself";
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndAll();
  EXPECT_EQ(fake_finalized(), 0u);
  EXPECT_THAT(Drained().Of(Category::kKernel), SizeIs(1));
}

TEST_F(CuptiDetachTest, CuptiStaysWhereItMustNotLeave) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  EXPECT_NE(DetachKernels(), nullptr) << "it is on";
  fake_launch("k", 1, 3, 1, 32, kUs, 9, 77);
  fake_synchronize(3);
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("CUDA graphs"));
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
}

TEST_F(CuptiDetachTest, NoWindowWhileAnotherSubscriberExists) {
  ASSERT_EQ(fake_other_subscribes(1), 0);
  EXPECT_THAT(BeginKernels(KnownUsers::kNobody), HasSubstr("another tool has subscribed"));
  EXPECT_EQ(fake_any_enabled(), 0);
  ASSERT_EQ(fake_other_subscribes(0), 0);
  EXPECT_EQ(BeginKernels(KnownUsers::kNobody), nullptr) << "it has gone";
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("another tool has used")) << "it may come again";
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
  EXPECT_EQ(Drained().lost.at(kTaken), 1u);
}

TEST_F(CuptiDetachTest, AnotherThatSubscribesInAWindowKeepsCuptiInTheProcess) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  ASSERT_EQ(fake_other_subscribes(1), 0);
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("another tool"));
  ASSERT_EQ(fake_other_subscribes(0), 0);
  EXPECT_THAT(DetachKernels(), HasSubstr("another tool")) << "also when it has gone";
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
  const auto all = Drained();
  EXPECT_EQ(all.lost.at(kTaken), 1u);
  EXPECT_THAT(all.Of(Category::kKernel), SizeIs(1));
}

TEST_F(CuptiDetachTest, AnotherThatSubscribesBetweenWindowsKeepsCuptiInTheProcess) {
  ASSERT_EQ(BeginKernels(KnownUsers::kNobody), nullptr);
  EndAll();
  ASSERT_EQ(fake_other_subscribes(1), 0);
  EXPECT_THAT(DetachKernels(), HasSubstr("another tool has subscribed"));
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  EXPECT_EQ(fake_finalized(), 0u);
}

TEST_F(CuptiDetachTest, KinetoThatHasRunMayBeSubscribedStill) {
  ASSERT_EQ(fake_other_subscribes(1), 0);
  ASSERT_EQ(BeginKernels(KnownUsers::kKineto), nullptr) << "its calls are of our family";
  fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
  fake_synchronize(7);
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("another tool has subscribed"));
  EXPECT_EQ(fake_finalized(), 0u);
  const auto all = Drained();
  EXPECT_EQ(all.lost.count(kTaken), 0u);
  EXPECT_THAT(all.Of(Category::kKernel), SizeIs(1));
}

}  // namespace
}  // namespace steptrace::probe
