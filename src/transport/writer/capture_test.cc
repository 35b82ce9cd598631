// SPDX-License-Identifier: Apache-2.0
// The agent's word (wire::CaptureControl), as it arrives in the process.
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/unique_fd.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/stack_control.h"

namespace steptrace::transport {
namespace {

using testing::TestRingFolder;

class CaptureTest : public ::testing::Test {
 protected:
  ~CaptureTest() override { DetachForTesting(); }

  TestRingFolder folder_;
};

wire::CaptureControl Request(uint64_t number) {
  wire::CaptureControl control{};
  control.request = number;
  control.steps = 5;
  control.max_operators = 1000;
  control.kinds = wire::kCaptureKinds;
  return control;
}

TEST_F(CaptureTest, TheAgentsWordArrivesOnce) {
  ASSERT_TRUE(Attach());
  EXPECT_FALSE(CaptureChanged());
  wire::CaptureControl taken{};
  EXPECT_FALSE(TakeCapture(&taken));
  auto file = folder_.OpenOnly();
  ASSERT_TRUE(file.WriteCapture(Request(1)));
  EXPECT_TRUE(CaptureChanged());
  ASSERT_TRUE(TakeCapture(&taken));
  EXPECT_EQ(taken.steps, 5u);
  EXPECT_EQ(taken.max_operators, 1000u);
  EXPECT_FALSE(CaptureChanged());
  ASSERT_TRUE(file.WriteCapture(Request(2)));
  EXPECT_TRUE(CaptureChanged());
}

TEST_F(CaptureTest, FollowingWindowsArriveWithTheRequest) {
  ASSERT_TRUE(Attach());
  auto file = folder_.OpenOnly();
  wire::CaptureControl control = Request(1);
  control.first_step = 10;
  control.next_count = 2;
  control.next[0] = {15, 1, 1, 0};
  control.next[1] = {17, 2, 4, 0};
  ASSERT_TRUE(file.WriteCapture(control));
  wire::CaptureControl taken{};
  ASSERT_TRUE(TakeCapture(&taken));
  EXPECT_EQ(taken.next_count, 2u);
  EXPECT_EQ(taken.next[1].first_step, 17u);
  EXPECT_EQ(taken.next[1].kinds, 4u);
  EXPECT_EQ(StackPeriodNs(), 0u) << "the word on stacks lies behind";
}

TEST_F(CaptureTest, ATornWordIsLookedAtAgainAndASenselessOnePassedOver) {
  ASSERT_TRUE(Attach());
  const std::string path = folder_.path() / folder_.Files().at(0);
  const auto write = [&path](const wire::CaptureControl& control) {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(wire::kCaptureOffset);
    file.write(reinterpret_cast<const char*>(&control), sizeof control);
  };
  wire::CaptureControl control = Request(1);
  control.check = wire::CaptureCheck(control) + 1;
  write(control);
  wire::CaptureControl taken{};
  EXPECT_FALSE(TakeCapture(&taken));
  EXPECT_TRUE(CaptureChanged()) << "the rest may come";
  control.check -= 1;
  write(control);
  EXPECT_TRUE(TakeCapture(&taken));
  control = Request(2);
  control.kinds = ~0u;
  control.check = wire::CaptureCheck(control);
  write(control);
  EXPECT_FALSE(TakeCapture(&taken));
  EXPECT_FALSE(CaptureChanged()) << "whole, but nonsense: not looked at again";
}

// The agent rests between two drains; what watches its folder wakes it.
TEST_F(CaptureTest, TheReaderIsWokenByATouchOfTheFile) {
  ASSERT_TRUE(Attach());
  const UniqueFd notify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ASSERT_GE(inotify_add_watch(notify.get(), folder_.path().c_str(), IN_ATTRIB), 0);
  alignas(inotify_event) char buffer[4096];
  EXPECT_LT(read(notify.get(), buffer, sizeof buffer), 0) << "nothing has happened";
  errno = ETIMEDOUT;
  WakeReader();
  EXPECT_EQ(errno, ETIMEDOUT);
  EXPECT_GT(read(notify.get(), buffer, sizeof buffer), 0);
}

TEST_F(CaptureTest, NoReaderIsWokenWhilePausedAndAFolderThatIsGoneIsNoMatter) {
  WakeReader();
  ASSERT_TRUE(Attach());
  const UniqueFd notify(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  ASSERT_GE(inotify_add_watch(notify.get(), folder_.path().c_str(), IN_ATTRIB), 0);
  Pause(true);
  WakeReader();
  alignas(inotify_event) char buffer[4096];
  EXPECT_LT(read(notify.get(), buffer, sizeof buffer), 0);
  Pause(false);
  std::filesystem::remove_all(folder_.path());
  errno = ETIMEDOUT;
  WakeReader();
  EXPECT_EQ(errno, ETIMEDOUT);
}

TEST_F(CaptureTest, NoRequestIsTakenWhilePaused) {
  ASSERT_TRUE(Attach());
  auto file = folder_.OpenOnly();
  ASSERT_TRUE(file.WriteCapture(Request(1)));
  Pause(true);
  EXPECT_FALSE(CaptureChanged());
  Pause(false);
  EXPECT_TRUE(CaptureChanged());
}

TEST_F(CaptureTest, ThePeriodOfStacksArrivesAndIsTakenBack) {
  ASSERT_TRUE(Attach());
  EXPECT_EQ(StackPeriodNs(), 0u);
  auto file = folder_.OpenOnly();
  ASSERT_TRUE(file.WriteStackPeriod(50'000'000));
  EXPECT_EQ(StackPeriodNs(), 50'000'000u);
  EXPECT_FALSE(CaptureChanged()) << "another word";
  Pause(true);
  EXPECT_EQ(StackPeriodNs(), 0u);
  Pause(false);
  EXPECT_EQ(StackPeriodNs(), 50'000'000u);
  ASSERT_TRUE(file.WriteStackPeriod(0));
  EXPECT_EQ(StackPeriodNs(), 0u);
}

TEST(StackControl, TornOrInvalidControlIsIgnored) {
  constexpr uint64_t kPeriod = 50'000'000;
  EXPECT_EQ(wire::StackPeriod({kPeriod, ~kPeriod}), kPeriod);
  EXPECT_EQ(wire::StackPeriod({kPeriod, ~kPeriod + 1}), 0u);
  EXPECT_EQ(wire::StackPeriod({kPeriod, 0}), 0u);
  EXPECT_EQ(wire::StackPeriod({0, 0}), 0u);
  EXPECT_EQ(wire::StackPeriod({0, ~uint64_t{0}}), 0u);
  for (const uint64_t period :
       {uint64_t{1}, wire::kMinStackPeriodNs - 1, wire::kMaxStackPeriodNs + 1, ~uint64_t{0}}) {
    EXPECT_EQ(wire::StackPeriod({period, ~period}), 0u) << period;
  }
}

}  // namespace
}  // namespace steptrace::transport
