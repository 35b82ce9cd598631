// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "base/time.h"
#include "testing/kineto_client.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr uint32_t kShapes = static_cast<uint32_t>(wire::CaptureKind::kProfile) |
                             static_cast<uint32_t>(wire::CaptureKind::kProfileShapes);

TEST(KinetoConfigs, AreOfStepsOrOfATime) {
  const std::string steps = KinetoConfig({.steps = 3, .kinds = kShapes}, "/run/x.json", 0);
  EXPECT_THAT(steps, HasSubstr("ACTIVITIES_LOG_FILE=/run/x.json\n"));
  EXPECT_THAT(steps, HasSubstr("ACTIVITIES_ITERATIONS=3\n"));
  // A number below zero is an error to Kineto, which then ends with its process.
  EXPECT_THAT(steps, HasSubstr("PROFILE_START_ITERATION=0\n"));
  EXPECT_THAT(steps, HasSubstr("PROFILE_REPORT_INPUT_SHAPES=true\n"));
  EXPECT_THAT(steps, HasSubstr("PROFILE_WITH_STACK=false\n"));
  const std::string time = KinetoConfig({.dur_ns = 1500 * kNsPerMs}, "/run/x.json", 1'790'000);
  EXPECT_THAT(time, HasSubstr("PROFILE_START_TIME=1790000\n"));
  EXPECT_THAT(time, HasSubstr("ACTIVITIES_DURATION_MSECS=1500\n"));
  EXPECT_THAT(time, Not(HasSubstr("ITERATION")));
}

class KinetoCapturesTest : public ::testing::Test {
 protected:
  KinetoCapturesTest() {
    char name[] = "/tmp/steptrace-kineto-XXXXXX";
    parent_ = mkdtemp(name);
    auto folder = *MakeKinetoFolder(parent_);
    client_.emplace(folder.path);
    profiles_ = parent_ / "profiles";
    captures_.emplace(KinetoEndpoint(std::move(folder.socket), folder.path), profiles_);
  }
  ~KinetoCapturesTest() override { fs::remove_all(parent_); }

  void Poll(int64_t now_ns) {
    captures_->Poll([this](int32_t) { return has_hooks_; }, now_ns);
  }
  std::string AskAgain(int64_t now_ns, bool idle = true) {
    client_->Send(KinetoRequestText(idle ? 3 : 1, {getpid()}));
    Poll(now_ns);
    return client_->Receive().value_or("nothing");
  }
  int Request(int64_t now_ns, bool by_hooks = false, const std::set<int32_t>& ranks = {}) {
    const auto has_hooks = [by_hooks](int32_t) { return by_hooks; };
    return captures_->Request({.id = 5, .steps = 2}, ranks, has_hooks, now_ns, 0);
  }
  CaptureProgress Progress() const {
    CaptureProgress progress;
    captures_->AddProgress(5, progress);
    return progress;
  }
  void Write(const std::string& suffix = "") const {
    std::ofstream(profiles_ / ("kineto-5-" + std::to_string(getpid()) + "_" +
                               std::to_string(getpid()) + ".json" + suffix))
        << "{}";
  }

  bool has_hooks_ = false;  // by now
  fs::path parent_;
  fs::path profiles_;
  std::optional<KinetoClient> client_;
  std::optional<KinetoCaptures> captures_;
};

TEST_F(KinetoCapturesTest, FromAskingToTheFileWhereItIsTaken) {
  EXPECT_EQ(Request(0), 0) << "nobody has asked yet";
  EXPECT_EQ(AskAgain(1), "");
  EXPECT_EQ(Request(1, true), 0) << "its hooks do that";
  EXPECT_EQ(Request(1, false, {7}), 0) << "another rank";
  const CaptureDemand long_one{.id = 4, .steps = KinetoCaptures::kMostSteps + 1};
  EXPECT_EQ(captures_->Request(
                long_one, {}, [](int32_t) { return false; }, 2, 0),
            KinetoCaptures::kTooMany);
  EXPECT_EQ(Request(2), 1);
  EXPECT_EQ(Request(2), KinetoCaptures::kBusy);
  EXPECT_THAT(AskAgain(10), HasSubstr("ACTIVITIES_ITERATIONS=2\n"));
  EXPECT_EQ(Progress().begun, 1);
  EXPECT_FALSE(Progress().done());
  Write(".tmp");
  Poll(20);
  EXPECT_FALSE(Progress().done()) << "not whole yet";
  Write();
  Poll(30);
  const CaptureProgress progress = Progress();
  EXPECT_TRUE(progress.done());
  EXPECT_EQ(progress.ended, 1);
  EXPECT_EQ(progress.from_ns, 10);
  EXPECT_EQ(progress.to_ns, 30);
  EXPECT_EQ(progress.steps, 2);
  EXPECT_TRUE(fs::exists(profiles_ / (std::to_string(getpid()) + "-1000005.json")));
  EXPECT_EQ(Request(40), KinetoCaptures::kBusy) << "who asked still looks";
  EXPECT_TRUE(Progress().done());
  captures_->Withdraw(5);
  EXPECT_EQ(Request(40), 1) << "the next";
}

TEST_F(KinetoCapturesTest, ProcessThatNeverPollsTimesOutAndIsReported) {
  AskAgain(1);
  Request(2);
  Poll(14 * kNsPerSecond);
  EXPECT_FALSE(Progress().done());
  Poll(16 * kNsPerSecond);
  EXPECT_EQ(Progress().refused, 1);
  EXPECT_THAT(Progress().refusal, HasSubstr("did not ask for a trace"));
  EXPECT_EQ(AskAgain(17 * kNsPerSecond), "") << "called off";
}

TEST_F(KinetoCapturesTest, MissingTraceIsReported) {
  AskAgain(1);
  Request(2);
  AskAgain(3);
  Poll(179 * kNsPerSecond);
  EXPECT_FALSE(Progress().done());
  Poll(181 * kNsPerSecond);
  EXPECT_THAT(Progress().refusal, HasSubstr("wrote no trace in time"));
}

TEST_F(KinetoCapturesTest, AScriptThatUsesItsOwnProfilerIsNotCaptured) {
  AskAgain(1);
  Request(2);
  EXPECT_EQ(AskAgain(3, false), "");
  EXPECT_TRUE(Progress().done()) << "withdrawn at once";
  EXPECT_THAT(Progress().refusal, HasSubstr("by itself"));
  EXPECT_EQ(AskAgain(4), "") << "its own is over, and may begin again";
  captures_->Withdraw(5);
  EXPECT_EQ(Request(5), KinetoCaptures::kProfilesItself);
}

TEST_F(KinetoCapturesTest, ATraceThatWasAskedForIsNotTheScripts) {
  AskAgain(1);
  Request(2);
  EXPECT_NE(AskAgain(3), "");
  AskAgain(4, false);
  Write();
  Poll(5);
  AskAgain(6, false);  // it is just putting it away
  captures_->Withdraw(5);
  EXPECT_EQ(Request(7), 1);
  captures_->Withdraw(5);
  AskAgain(60 * kNsPerSecond, false);
  EXPECT_EQ(Request(61 * kNsPerSecond), KinetoCaptures::kProfilesItself) << "this one is";
}

TEST_F(KinetoCapturesTest, ProcessWithHooksIsNotCaptured) {
  AskAgain(1);
  Request(2);
  has_hooks_ = true;
  EXPECT_EQ(AskAgain(3), "");
  EXPECT_THAT(Progress().refusal, HasSubstr("has hooks by now"));
}

TEST_F(KinetoCapturesTest, SymbolicLinkInPlaceOfTheTraceIsRefused) {
  AskAgain(1);
  Request(2);
  AskAgain(3);
  const std::string pid = std::to_string(getpid());
  fs::create_symlink("/etc/passwd", profiles_ / ("kineto-5-" + pid + "_" + pid + ".json"));
  Poll(4);
  EXPECT_THAT(Progress().refusal, HasSubstr("no plain file"));
  EXPECT_TRUE(fs::is_empty(profiles_));
}

TEST_F(KinetoCapturesTest, WithdrawnCaptureIsCancelled) {
  AskAgain(1);
  Request(2);
  captures_->Withdraw(5);
  EXPECT_EQ(AskAgain(3), "");
  EXPECT_EQ(Request(4), 1);
}

}  // namespace
}  // namespace steptrace::agent
