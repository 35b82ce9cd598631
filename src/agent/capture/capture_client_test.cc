// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "agent/capture/capture_port.h"
#include "store/manifest.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;

// An agent that turns until its test ends.
class CaptureClientTest : public ::testing::Test {
 protected:
  CaptureClientTest() {
    char name[] = "/tmp/steptrace-client-XXXXXX";
    folder_ = mkdtemp(name);
    port_ = *CapturePort::Open(folder_);
  }
  ~CaptureClientTest() override {
    ended_ = true;
    if (agent_.joinable()) agent_.join();
    std::filesystem::remove_all(folder_);
  }
  void Run(CaptureProgress first, CaptureProgress then) {
    service_.ask = [first](const CaptureDemand&, const std::set<int32_t>&) { return first; };
    service_.progress = [then](uint64_t) { return then; };
    service_.withdraw = [this](uint64_t) { withdrawn_ = true; };
    agent_ = std::thread([this] {
      for (; !ended_; ::usleep(1000)) port_.Poll(service_, 1'000'000'000'000);
    });
  }

  std::filesystem::path folder_;
  CapturePort port_;
  CaptureService service_;
  std::atomic<bool> ended_ = false;
  std::atomic<bool> withdrawn_ = false;
  std::thread agent_;
};

TEST_F(CaptureClientTest, WaitsUntilAllIsCaptured) {
  Run({.asked = 2}, {.asked = 2, .begun = 2, .ended = 2, .steps = 5, .from_ns = 10, .to_ns = 90});
  std::vector<int64_t> reported;
  CaptureWords words{.request = CaptureRequestText(5, "operators", ""), .run = "one"};
  words.asked = [&](int64_t asked) { reported.push_back(asked); };
  const auto captured = RequestCapture(folder_, words);
  ASSERT_TRUE(captured.ok()) << captured.error().text();
  EXPECT_EQ(reported, std::vector<int64_t>{2});
  EXPECT_EQ(captured->from_ns, 10);
  EXPECT_EQ(captured->to_ns, 90);
  EXPECT_EQ(captured->steps, 5);
}

TEST_F(CaptureClientTest, EndsTheCaptureWhenNobodyWaits) {
  Run({.asked = 1}, {.asked = 1});
  std::stop_source gone;
  CaptureWords words{.request = CaptureRequestText(5, "operators", ""), .run = "one"};
  words.gone = gone.get_token();
  words.asked = [&](int64_t) { gone.request_stop(); };
  EXPECT_THAT(RequestCapture(folder_, words).error().text(),
              HasSubstr("the client that asked is gone"));
  for (int ms = 0; !withdrawn_ && ms < 10'000; ++ms) ::usleep(1000);
  EXPECT_TRUE(withdrawn_);
}

TEST_F(CaptureClientTest, ASenselessRequestIsNotSent) {
  const CaptureWords words{.request = "capture 0 operators *", .run = "one"};
  EXPECT_FALSE(RequestCapture(folder_, words).ok());
}

TEST_F(CaptureClientTest, ARunThatHasEndedHasNoAgent) {
  store::Manifest manifest;
  manifest.status = store::kStatusCompleted;
  ASSERT_TRUE(store::WriteManifest(folder_, manifest).ok());
  const auto found = RingDirOf(folder_);
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().text(), HasSubstr("has ended"));
}

}  // namespace
}  // namespace steptrace::agent
