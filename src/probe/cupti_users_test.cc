// SPDX-License-Identifier: Apache-2.0
#include "probe/cupti_users.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include "probe/cupti_detach.h"
#include "testing/fake_cupti/kernels_fixture.h"

namespace steptrace::probe {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsNull;
using ::testing::NotNull;
using ::testing::SizeIs;
using ::testing::StartsWith;
using wire::Category;

constexpr auto kTaken = static_cast<uint64_t>(wire::DeviceLoss::kTaken);
constexpr int kNotCompatible = 14;
constexpr int kUnknown = 999;

// Beside a libcupti.so.13 in which subscribers have calls of their own.
class CuptiUsersTest : public KernelsTest {
 protected:
  static void Work() {
    fake_launch("k", 0, 7, 1, 32, kUs, 0, 0);
    fake_synchronize(7);
  }
};

TEST_F(CuptiUsersTest, WithoutOtherUsersTheWindowWorksAndCuptiStays) {
  ASSERT_THAT(BeginKernels(KnownUsers::kNobody), IsNull());
  EXPECT_FALSE(KernelsTaken());
  Work();
  EndAll();
  EXPECT_THAT(DetachKernels(), HasSubstr("13.2"));
  Work();
  EXPECT_EQ(fake_finalized(), 0u) << "a subscriber that comes later would get no records";
  const All all = Drained();
  EXPECT_THAT(all.Of(Category::kKernel), SizeIs(1));
  EXPECT_EQ(all.lost.count(kTaken), 0u);
}

TEST_F(CuptiUsersTest, BesideOneWithCallsOfItsOwnNothingIsTouched) {
  ASSERT_EQ(fake_monitor_begins(), 0);
  EXPECT_THAT(BeginKernels(KnownUsers::kNobody),
              AllOf(StartsWith("CUPTI is taken: "), HasSubstr("has subscribed")));
  EXPECT_TRUE(KernelsTaken());
  Work();
  EXPECT_EQ(fake_monitor_records(), 1u);
  EXPECT_EQ(fake_any_enabled(), 0);
  EXPECT_EQ(fake_monitor_ends(), 0);
  const All all = Drained();
  EXPECT_EQ(all.lost.at(kTaken), 1u);
  EXPECT_EQ(fake_finalized(), 0u);
}

TEST_F(CuptiUsersTest, AfterOneWithCallsOfItsOwnOursAreRefusedAndItIsSaid) {
  ASSERT_EQ(fake_monitor_begins(), 0);
  ASSERT_EQ(fake_monitor_ends(), 0);
  EXPECT_THAT(BeginKernels(KnownUsers::kNobody),
              AllOf(StartsWith("CUPTI is taken: "), HasSubstr("CUPTI_ERROR_NOT_COMPATIBLE")));
  EXPECT_EQ(fake_monitor_begins(), 0) << "it may come again";
  Work();
  EXPECT_EQ(fake_monitor_records(), 1u);
  EXPECT_EQ(fake_monitor_ends(), 0);
  EXPECT_EQ(Drained().lost.at(kTaken), 1u);
}

TEST_F(CuptiUsersTest, WhereTheMonitorMayComeOursStaysAway) {
  EXPECT_THAT(BeginKernels(KnownUsers::kMonitor), HasSubstr("cupti-python is installed"));
  EXPECT_EQ(fake_monitor_begins(), 0) << "ours before it would have had it refused";
  Work();
  EXPECT_EQ(fake_monitor_records(), 1u);
  EXPECT_EQ(fake_monitor_ends(), 0);
  EXPECT_EQ(Drained().lost.at(kTaken), 1u);
}

TEST_F(CuptiUsersTest, OneThatSubscribesInOurWindowIsLeftAlone) {
  ASSERT_THAT(BeginKernels(KnownUsers::kNobody), IsNull());
  Work();
  EXPECT_EQ(fake_monitor_begins(), kNotCompatible) << "as CUPTI would: ours came first";
  EndAll();
  EXPECT_THAT(DetachKernels(), NotNull());
  Work();
  EXPECT_EQ(fake_finalized(), 0u);
  const All all = Drained();
  EXPECT_EQ(all.lost.at(kTaken), 1u) << "the window may lack what the other has taken";
  EXPECT_THAT(all.Of(Category::kKernel), SizeIs(1));
}

TEST_F(CuptiUsersTest, AModuleThatUsesCuptiKeepsUsAway) {
  EXPECT_THAT(BeginKernels(KnownUsers::kOtherModule), HasSubstr("is loaded"));
  EXPECT_EQ(Drained().lost.at(kTaken), 1u);
}

TEST_F(CuptiUsersTest, KinetoCannotBeToldFromTheMonitorHere) {
  ASSERT_EQ(fake_other_subscribes(1), 0);
  EXPECT_THAT(BeginKernels(KnownUsers::kKineto), HasSubstr("has subscribed"));
  ASSERT_EQ(fake_other_subscribes(0), 0);
  EXPECT_THAT(BeginKernels(KnownUsers::kKineto), IsNull());
  EndAll();
}

TEST_F(CuptiUsersTest, UnknownUserCountsAsAnother) {
  fake_refuse_subscribers(kUnknown);
  EXPECT_THAT(BeginKernels(KnownUsers::kNobody), HasSubstr("cannot be known"));
  EXPECT_EQ(fake_any_enabled(), 0);
  EXPECT_EQ(Drained().lost.at(kTaken), 1u);
}

TEST_F(CuptiUsersTest, ACollectorThatAVariableNamesIsAnother) {
  for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"}) {
    setenv(variable, "/opt/theirs/libcupti.so.13", 1);
    EXPECT_THAT(BeginKernels(KnownUsers::kNobody), HasSubstr("another tool")) << variable;
    unsetenv(variable);
  }
  setenv("NVTX_INJECTION64_PATH", "/opt/steptrace/_probe.abi3.so", 1);
  EXPECT_THAT(BeginKernels(KnownUsers::kNobody), IsNull());
  unsetenv("NVTX_INJECTION64_PATH");
  EndAll();
  EXPECT_EQ(Drained().lost.at(kTaken), 2u);
}

}  // namespace
}  // namespace steptrace::probe
