// SPDX-License-Identifier: Apache-2.0
#include "agent/run/control_channel.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/run/agent_options.h"

namespace steptrace::agent {
namespace {

class ControlChannelTest : public testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    near_ = ControlChannel(UniqueFd(ends[0]));
    far_ = ControlChannel(UniqueFd(ends[1]));
  }
  ControlChannel near_;
  ControlChannel far_;
};

TEST_F(ControlChannelTest, CarriesMessagesInOrder) {
  EXPECT_TRUE(near_.Send(kVerbCommand, "42"));
  EXPECT_TRUE(near_.Send(kVerbExited, "0"));
  far_.Receive();
  auto first = far_.Next();
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->verb, kVerbCommand);
  EXPECT_EQ(first->argument, "42");
  EXPECT_EQ(far_.Next()->verb, kVerbExited);
  EXPECT_FALSE(far_.Next().has_value());
  EXPECT_FALSE(far_.at_end());
}

TEST_F(ControlChannelTest, SeesTheOtherSideGoAndReadsItsLastWords) {
  near_.Send(kVerbFailed, "two\nlines");
  near_.Close();
  far_.Receive();
  EXPECT_TRUE(far_.at_end());
  EXPECT_EQ(far_.Next()->argument, "two lines");
  EXPECT_FALSE(far_.Send(kVerbReady)) << "and is not killed by SIGPIPE";
}

TEST_F(ControlChannelTest, TooLongMessageIsNotSentInPart) {
  EXPECT_TRUE(near_.Send(kVerbSettings, std::string(30'000, 'x')));
  EXPECT_FALSE(near_.Send(kVerbSettings, std::string(40'000, 'x')));
  far_.Receive();
  EXPECT_EQ(far_.Next()->argument.size(), 30'000u);
  EXPECT_FALSE(far_.Next().has_value());
}

TEST_F(ControlChannelTest, MaliceALineWithoutEndIsTheEnd) {
  const std::string noise(3000, 'x');
  for (int i = 0; i < 25 && !far_.at_end(); ++i) {  // 75 kB
    if (write(near_.fd(), noise.data(), noise.size()) < 0) break;
    far_.Receive();
  }
  EXPECT_TRUE(far_.at_end());
}

TEST(AgentOptions, SurviveTheCommandLine) {
  AgentOptions options;
  options.run_dir = "/runs/a b";
  options.ring_dir = "/dev/shm/x";
  options.run_id = "id";
  options.run_name = "name with -- in it";
  options.sample_interval_ms = 250;
  options.hang_watch = false;
  options.windows = *ParsePlan({"auto"}, {});
  options.windows.budget = {.ns = 5, .bytes = 6};
  options.control_fd = 7;
  options.lock_fd = 8;
  options.kineto_fd = 9;
  options.kineto_dir = "/dev/shm/ours/kineto-1";
  options.command = {"python", "--", "train.py", "--run-dir", "x"};
  auto parsed = ParseArguments(ToArguments(options));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->run_dir, options.run_dir);
  EXPECT_EQ(parsed->run_name, options.run_name);
  EXPECT_EQ(parsed->sample_interval_ms, 250);
  EXPECT_FALSE(parsed->hang_watch);
  EXPECT_EQ(parsed->windows, options.windows);
  EXPECT_EQ(parsed->control_fd, 7);
  EXPECT_EQ(parsed->kineto_fd, 9);
  EXPECT_EQ(parsed->kineto_dir, "/dev/shm/ours/kineto-1");
  EXPECT_EQ(parsed->command, options.command);
}

TEST(AgentOptions, RefuseWhatIsNotOurs) {
  EXPECT_FALSE(ParseArguments({}).ok());
  EXPECT_FALSE(ParseArguments({"--run-dir"}).ok());
  EXPECT_FALSE(ParseArguments({"--what", "x"}).ok());
  EXPECT_FALSE(ParseArguments({"--run-dir", "/a", "--ring-dir", "/b", "--lock-fd", "1x"}).ok());
}

}  // namespace
}  // namespace steptrace::agent
