// SPDX-License-Identifier: Apache-2.0
#include "agent/run/agent_options.h"

#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

TEST(AgentOptionsTest, NamesOfSecretsComeThrough) {
  AgentOptions options;
  options.run_dir = "/run";
  options.ring_dir = "/rings";
  options.redact = {"--my-secret", "--", "off"};
  options.command = {"python", "--redact", "x"};
  const auto parsed = ParseArguments(ToArguments(options));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->redact, options.redact);
  EXPECT_EQ(parsed->command, options.command);
}

TEST(AgentOptionsTest, TagsComeThrough) {
  AgentOptions options;
  options.run_dir = "/run";
  options.ring_dir = "/rings";
  options.tags = {{"team", "vision"}, {"note", "a=b --tag c"}, {"empty", ""}};
  const auto parsed = ParseArguments(ToArguments(options));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->tags, options.tags);
}

TEST(AgentOptionsChanges, ComeThroughAsTheyWere) {
  AgentOptions changed;
  changed.stack_rate = 50;
  changed.windows = *ParsePlan({"5:1=operators,9:3=stacks+shapes,90s:"}, {});
  changed.windows.kinds = 2;
  changed.windows.budget = {.ns = 7, .bytes = 9};
  AgentOptions options;
  options.run_dir = "/run";
  ASSERT_TRUE(ApplyChanges(ChangesText(changed), options));
  EXPECT_EQ(options.stack_rate, 50);
  EXPECT_EQ(options.windows, changed.windows);
  EXPECT_EQ(options.run_dir, "/run");
}

TEST(AgentOptionsChanges, TruncatedOrInvalidChangesAreIgnored) {
  AgentOptions changed;
  changed.stack_rate = 50;
  changed.windows = *ParsePlan({"19800:50,20000:5"}, {});
  const std::string text = ChangesText(changed);
  AgentOptions options;
  const WindowPlan before = options.windows;
  for (size_t size = 0; size < text.size(); ++size) {
    EXPECT_FALSE(ApplyChanges(text.substr(0, size), options)) << text.substr(0, size);
  }
  for (const char* wrong : {"--run-dir /elsewhere --end", "--stack-rate 5000 --end",
                            "--windows dreams --end", "--stack-rate --end"}) {
    EXPECT_FALSE(ApplyChanges(wrong, options)) << wrong;
  }
  EXPECT_EQ(options.windows, before);
  EXPECT_EQ(options.stack_rate, AgentOptions().stack_rate);
}

TEST(AgentOptionsTest, ThresholdsOfAlertsComeThrough) {
  AgentOptions options;
  options.run_dir = "/run";
  options.ring_dir = "/rings";
  options.alerts.thresholds.hang_s = 12.5;
  options.alerts.thresholds.step_rise_percent = 20;
  options.alerts.rules = {"LowGPUUtilization.window=50"};
  const auto read = ParseArguments(ToArguments(options));
  ASSERT_TRUE(read.ok()) << read.error().text();
  EXPECT_TRUE(read->alerts == options.alerts);
  for (const char* wrong : {"hang_s=0", "hang_s=nan", "hang_s=", "hang_s", "hangs=30"}) {
    const auto refused =
        ParseArguments({"--run-dir", "/run", "--ring-dir", "/rings", "--alert", wrong});
    EXPECT_FALSE(refused.ok()) << wrong;
  }
}

}  // namespace
}  // namespace steptrace::agent
