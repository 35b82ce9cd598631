// SPDX-License-Identifier: Apache-2.0
#include "agent/run/agent.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <utility>

#include "testing/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::StartsWith;

// An agent in a thread of this process, the launcher's end of its channel, and a process that
// trains, whose ring is written by hand.
class AgentTest : public ::testing::Test {
 protected:
  AgentTest() {
    std::filesystem::create_directory(base_ / "run");
    std::filesystem::create_directory(rings());
    std::filesystem::permissions(rings(), std::filesystem::perms::owner_all);
    training_ = fork();
    if (training_ == 0) {
      for (;;) pause();
    }
    ring_.emplace(rings(), RingOwner::Of(training_));
    ring_->Train();
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) abort();
    launcher_ = ControlChannel(UniqueFd(ends[0]));
    channel_ = ControlChannel(UniqueFd(ends[1]));
    AgentOptions options;
    options.run_dir = base_ / "run";
    options.ring_dir = rings();
    options.run_id = "run";
    options.stack_rate = 0;
    options.hang_watch = false;
    auto agent = Agent::Create(options, channel_);
    if (!agent.ok()) abort();
    agent_ = *std::move(agent);
    thread_ = std::thread([this] { agent_->Run(); });
  }
  ~AgentTest() override {
    End();
    std::error_code ignored;
    std::filesystem::remove_all(base_, ignored);
  }

  std::filesystem::path rings() const { return base_ / "rings"; }

  // The command and its training are gone, and so, then, is the agent.
  void End() {
    if (training_ == 0) return;
    kill(training_, SIGKILL);
    waitpid(std::exchange(training_, 0), nullptr, 0);
    launcher_.Send(kVerbExited, "9");
    thread_.join();
  }

  // Who asks for a capture of five steps, and has heard that it was asked for.
  UniqueFd RequestCapture() {
    UniqueFd client = *ConnectCapturePort(rings());
    const timeval patience{30, 0};
    setsockopt(client.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    const std::string request = CaptureRequestText(5, "operators", "");
    EXPECT_EQ(send(client.get(), request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    EXPECT_EQ(Receive(client), "asked 1");
    return client;
  }
  // The next packet; "" at the end.
  static std::string Receive(const UniqueFd& socket) {
    char packet[512];
    const ssize_t bytes = recv(socket.get(), packet, sizeof packet, 0);
    return bytes < 0 ? "nothing" : std::string(packet, static_cast<size_t>(bytes));
  }
  // The number under which the training was asked.
  uint64_t Request() const {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (ring_->Asked().request == 0 && std::chrono::steady_clock::now() < until) usleep(1000);
    return ring_->Asked().request;
  }
  void WriteMark(const char* mark, uint64_t request, uint64_t what) {
    ring_->Write(wire::RecordKind::kInstant, ring_->Name(wire::Category::kWindow, mark), request,
                 what);
  }
  std::vector<std::string> Said() {
    std::vector<std::string> verbs;
    launcher_.Receive();
    while (const auto message = launcher_.Next()) verbs.push_back(message->verb);
    return verbs;
  }

  std::filesystem::path base_ = [] {
    char name[] = "/tmp/steptrace-agent-XXXXXX";
    return std::filesystem::path(mkdtemp(name));
  }();
  pid_t training_ = 0;
  std::optional<RingByHand> ring_;
  ControlChannel launcher_, channel_;
  std::unique_ptr<Agent> agent_;
  std::thread thread_;
};

// What a window told just before the end is in the run when the run is closed, and not before.
TEST_F(AgentTest, ClientOfAFinishedCaptureIsAnsweredWhenTheRunCloses) {
  const UniqueFd client = RequestCapture();
  const uint64_t request = Request();
  ASSERT_NE(request, 0u);
  constexpr auto kKinds = static_cast<uint64_t>(wire::CaptureKind::kOperators);
  WriteMark(wire::kNameWindowBegin, request, kKinds);
  EXPECT_EQ(Receive(client), "begun 1");
  WriteMark(wire::kNameWindowEnd, request, 5 | static_cast<uint64_t>(wire::WindowEnd::kDone) << 32);
  End();
  const std::string last = Receive(client);
  EXPECT_THAT(last, StartsWith("done "));
  EXPECT_TRUE(last.ends_with(" 5")) << last;
  EXPECT_EQ(Receive(client), "");
  EXPECT_EQ(Said(), (std::vector<std::string>{"ready", "closing", "closed"}));
  auto run = store::RunReader::Open(base_ / "run");
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->Read<store::SliceRow>()->size(), 1u);
}

TEST_F(AgentTest, ClientOfACaptureThatNeverBeganGetsTheReason) {
  const UniqueFd client = RequestCapture();
  End();
  EXPECT_THAT(Receive(client), StartsWith("failed the training ended before the first step"));
  EXPECT_EQ(Receive(client), "");
}

TEST_F(AgentTest, ClientWithoutARequestIsDisconnected) {
  const UniqueFd client = *ConnectCapturePort(rings());
  End();
  EXPECT_FALSE(std::filesystem::exists(rings()));
  EXPECT_FALSE(ConnectCapturePort(rings()).ok());
  agent_.reset();
  EXPECT_EQ(Receive(client), "");
}

}  // namespace
}  // namespace steptrace::agent
