// SPDX-License-Identifier: Apache-2.0
#include "cli/run_agent.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

// This program, executed as the agent: one that is gone for its launcher, and takes its time to
// die.
[[gnu::constructor]] void BeADyingAgent(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], "agent") != 0) return;
  constexpr unsigned kIfNobodyKillsItS = 60;
  alarm(kIfNobodyKillsItS);
  close_range(3, ~0u, 0);
  for (;;) pause();
}

TEST(AgentProcess, DeadAgentIsReapedBeforeItsRunIsRecovered) {
  char name[] = "/tmp/steptrace-run-agent-XXXXXX";
  const fs::path folder = mkdtemp(name);
  {
    const RunSignals signals;
    AgentProcess agent;
    agent::AgentOptions options;
    options.run_dir = folder;
    const Status started = agent.Start(options, signals);
    ASSERT_TRUE(started.ok()) << started.error().text();
    agent.WaitUntilReady(60'000);
    ASSERT_TRUE(agent.lost());
    ASSERT_GT(agent.pid(), 0) << "still there, and so is a lock that it holds";
    agent.SendExitAndWait(0, {});
    EXPECT_EQ(agent.pid(), -1);
    signals.RestoreForExec();  // the tests after this one have what they expect
  }
  fs::remove_all(folder);
}

}  // namespace
}  // namespace steptrace::cli
