// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <barrier>
#include <fstream>
#include <thread>

#include "cli/run_command.h"
#include "cli/run_environment.h"
#include "cli/run_folder.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Not;

TEST(RunName, IsTheScripts) {
  EXPECT_EQ(NameOfCommand({"python", "src/train.py", "--lr", "1"}), "train");
  EXPECT_EQ(NameOfCommand({"torchrun", "--nproc-per-node", "2", "ddp.py"}), "ddp");
  EXPECT_EQ(NameOfCommand({"python", "-m", "pkg.train", "x.py"}), "pkg.train");
  EXPECT_EQ(NameOfCommand({"python", "-m", "torch.distributed.run", "ddp.py"}), "ddp");
  EXPECT_EQ(NameOfCommand({"bash", "job.sh"}), "job");
  EXPECT_EQ(NameOfCommand({"python", "-c", "import x.py"}), "python");
  EXPECT_EQ(NameOfCommand({"/opt/bin/simulate"}), "simulate");
}

TEST(RunName, MaliceIsMadeSafe) {
  EXPECT_EQ(SafeName("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(SafeName(".hidden"), "hidden");
  EXPECT_EQ(SafeName("-rf"), "rf");
  EXPECT_EQ(SafeName("a b\n\x1b[2J"), "a-b---2J");
  EXPECT_EQ(SafeName(""), "run");
  EXPECT_EQ(SafeName("..."), "run");
  EXPECT_LE(SafeName(std::string(1000, 'x')).size(), 64u);
}

TEST(RunName, UtcIsCompact) {
  EXPECT_EQ(CompactUtc(0), "19700101T000000Z");
  EXPECT_EQ(CompactUtc(1'769'847'302'000'000'000), "20260131T081502Z");
}

class RunFolderTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/steptrace-run-folder-XXXXXX";
    base_ = mkdtemp(name);
    options_.command = {"python", "train.py"};
    options_.folder = base_ / "runs";
  }
  void TearDown() override { fs::remove_all(base_); }
  fs::path base_;
  RunOptions options_;
};

TEST_F(RunFolderTest, NeverSharesAFolder) {
  auto first = MakeRunFolder(options_, 0);
  auto second = MakeRunFolder(options_, 0);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_EQ(first->path.filename(), "train-19700101T000000Z");
  EXPECT_EQ(second->path.filename(), "train-19700101T000000Z-2");
  EXPECT_NE(first->id, second->id);
  EXPECT_TRUE(fs::is_directory(second->path));
}

TEST_F(RunFolderTest, OutputMayExistEmpty) {
  options_.output = base_ / "deep" / "mine" / "";
  ASSERT_TRUE(MakeRunFolder(options_, 0).ok());
  EXPECT_FALSE(MakeRunFolder(options_, 0).ok()) << "it is the first one's";
  fs::create_directories(base_ / "empty");
  options_.output = base_ / "empty";
  EXPECT_TRUE(MakeRunFolder(options_, 0).ok());
  fs::create_directories(base_ / "full");
  std::ofstream(base_ / "full" / "file") << "x";
  options_.output = base_ / "full";
  auto taken = MakeRunFolder(options_, 0);
  ASSERT_FALSE(taken.ok());
  EXPECT_THAT(taken.error().text(), testing::HasSubstr("--output"));
}

TEST_F(RunFolderTest, OfTwoThatAskForOneOutputAtOnceOneIsRefused) {
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    options_.output = base_ / std::to_string(round);
    std::barrier start(2);
    std::atomic<int> made = 0;
    const auto ask = [&] {
      start.arrive_and_wait();
      made += MakeRunFolder(options_, 0).ok();
    };
    std::thread other(ask);
    ask();
    other.join();
    ASSERT_EQ(made, 1) << round;
  }
}

mode_t ModeOf(const fs::path& path) {
  return static_cast<mode_t>(fs::status(path).permissions());
}

TEST_F(RunFolderTest, IsPrivateWithTheFolderOfRuns) {
  const mode_t before = umask(0);
  options_.folder = base_ / "above" / "runs" / "";
  auto run = MakeRunFolder(options_, 0);
  umask(before);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(ModeOf(run->path), mode_t{0700});
  EXPECT_EQ(ModeOf(base_ / "above" / "runs"), mode_t{0700});
  EXPECT_EQ(ModeOf(base_ / "above"), mode_t{0777}) << "which holds what else its owner likes";
}

TEST_F(RunFolderTest, OfTheGroupIfThatIsAskedForAndTheUmaskLetsIt) {
  options_.folder_mode = kGroupFolder;
  const mode_t before = umask(0);
  auto run = MakeRunFolder(options_, 0);
  umask(077);
  auto strict = MakeRunFolder(options_, 1);
  umask(before);
  ASSERT_TRUE(run.ok() && strict.ok());
  EXPECT_EQ(ModeOf(run->path), mode_t{0750});
  EXPECT_EQ(ModeOf(strict->path), mode_t{0700});
}

TEST_F(RunFolderTest, OneThatWasThereBecomesPrivate) {
  for (const mode_t mode : {mode_t{0777}, mode_t{0700}, mode_t{02755}}) {
    options_.output = base_ / std::to_string(mode);
    fs::create_directory(options_.output);
    ASSERT_EQ(chmod(options_.output.c_str(), mode), 0);
    ASSERT_TRUE(MakeRunFolder(options_, 0).ok());
    EXPECT_EQ(ModeOf(options_.output), mode & 02700);
    EXPECT_EQ(ModeOf(options_.output / kAgentLog) & 077, mode_t{0});
  }
}

TEST_F(RunFolderTest, NoSecretIsPartOfTheName) {
  options_.command = {"python", "--token=SECRET.py", "--password", "SECRET.sh", "x"};
  auto run = MakeRunFolder(options_, 0);
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->path.string().find("SECRET"), std::string::npos) << run->path;
}

TEST_F(RunFolderTest, OutputBelowAFileIsRefused) {
  std::ofstream(base_ / "file") << "x";
  options_.output = base_ / "file";
  EXPECT_FALSE(MakeRunFolder(options_, 0).ok());
  options_.output = base_ / "file" / "below";
  EXPECT_FALSE(MakeRunFolder(options_, 0).ok());
}

TEST(RunEnvironment, AddsOursAndKeepsTheRest) {
  RunEnvironment run{"id", "/run", "/rings", "/package", ""};
  auto environment = EnvironmentForCommand(
      {"HOME=/root", "PYTHONPATH=/mine:/yours", "STEPTRACE_RUN=outer", "STEPTRACE_HOOKS=data"},
      run);
  EXPECT_THAT(environment, Contains("HOME=/root"));
  EXPECT_THAT(environment, Contains("PYTHONPATH=/package/bootstrap:/mine:/yours"));
  EXPECT_THAT(environment, Contains("STEPTRACE_RUN=id"));
  EXPECT_THAT(environment, Not(Contains("STEPTRACE_RUN=outer")));
  EXPECT_THAT(environment, Contains("STEPTRACE_HOOKS=data"));
  EXPECT_THAT(environment, Contains("STEPTRACE_PROBE=/package/_probe.abi3.so"));
}

TEST(RunEnvironment, AnEmptyPythonPathDoesNotBecomeTheWorkingFolder) {
  RunEnvironment run{"id", "/run", "/rings", "/package", "off"};
  auto environment = EnvironmentForCommand({"PYTHONPATH=", "STEPTRACE_HOOKS=data"}, run);
  EXPECT_THAT(environment, Contains("PYTHONPATH=/package/bootstrap"));
  EXPECT_THAT(environment, Contains("STEPTRACE_HOOKS=off"));
  EXPECT_THAT(environment, Not(Contains(::testing::HasSubstr("STEPTRACE_TENSORS"))));
  run.tensors = "loss@every=2";
  environment = EnvironmentForCommand({"STEPTRACE_TENSORS=all"}, run);
  EXPECT_THAT(environment, Contains("STEPTRACE_TENSORS=loss@every=2"));
  EXPECT_THAT(environment, Not(Contains("STEPTRACE_TENSORS=all")));
  environment = EnvironmentForCommand({"PYTHONPATH=", "STEPTRACE_HOOKS=data"}, run);
  EXPECT_THAT(environment, Not(Contains("STEPTRACE_HOOKS=data")));
}

TEST(RunEnvironment, CollectorsAreOursUnlessAnotherToolsAreThere) {
  for (const std::string variable :
       {"INTEL_LIBITTNOTIFY64", "NVTX_INJECTION64_PATH", "NCCL_PROFILER_PLUGIN"}) {
    const std::string ours = variable + "=/package/_probe.abi3.so";
    const std::string theirs = variable + "=/opt/other/collector.so";
    const std::string outer = variable + "=/outer/_probe.abi3.so";
    RunEnvironment run{"id", "/run", "/rings", "/package", ""};
    EXPECT_THAT(EnvironmentForCommand({}, run), Contains(ours));
    const auto beside = EnvironmentForCommand({theirs}, run);
    EXPECT_THAT(beside, Contains(theirs));
    EXPECT_THAT(beside, Not(Contains(ours)));
    const auto nested =
        EnvironmentForCommand({"STEPTRACE_PROBE=/outer/_probe.abi3.so", outer}, run);
    EXPECT_THAT(nested, Contains(ours));
    EXPECT_THAT(nested, Not(Contains(outer)));
    run.hooks = "off";
    EXPECT_THAT(EnvironmentForCommand({}, run), Not(Contains(ours)));
  }
}

TEST(RunEnvironment, TheAgentIsNamedOnlyWhereItMustBe) {
  RunEnvironment run{"id", "/run", "/rings", "/package", ""};
  const std::vector<std::string> own = {"STEPTRACE_AGENT_PID=1"};
  for (const std::string& entry : EnvironmentForCommand(own, run)) {
    EXPECT_FALSE(entry.starts_with("STEPTRACE_AGENT_PID=")) << "of an outer run";
  }
  run.agent_pid = 4711;
  EXPECT_THAT(EnvironmentForCommand(own, run), Contains("STEPTRACE_AGENT_PID=4711"));
}

TEST(RunEnvironment, KinetoAsksTheAgentOnlyWhereItIsToldTo) {
  RunEnvironment run{"id", "/run", "/rings", "/package", ""};
  for (const std::string& entry : EnvironmentForCommand({}, run)) {
    EXPECT_FALSE(entry.starts_with("KINETO_")) << entry;
  }
  run.kineto_dir = "/rings/kineto-1";
  const std::vector<std::string> own = {"KINETO_LOG_LEVEL=0", "KINETO_ONDEMAND_TRACE_DIR=/mine"};
  const auto environment = EnvironmentForCommand(own, run);
  EXPECT_THAT(environment, Contains("KINETO_USE_DAEMON=1"));
  EXPECT_THAT(environment, Contains("KINETO_IPC_SOCKET_DIR=/rings/kineto-1"));
  EXPECT_THAT(environment, Contains("KINETO_ONDEMAND_TRACE_DIR=/run/profiles"));
  EXPECT_THAT(environment, Contains("KINETO_LOG_LEVEL=0"));
  EXPECT_THAT(environment, Not(Contains("KINETO_ONDEMAND_TRACE_DIR=/mine")));
  EXPECT_EQ(OwnKinetoDaemon(own), "");
  EXPECT_EQ(OwnKinetoDaemon({"KINETO_IPC_SOCKET_DIR=/x"}), "KINETO_IPC_SOCKET_DIR");
}

TEST(RunEnvironment, WithoutAPackagePythonIsLeftAlone) {
  RunEnvironment run{"id", "/run", "/rings", "", ""};
  auto environment = EnvironmentForCommand({"PYTHONPATH=/mine"}, run);
  EXPECT_THAT(environment, Contains("PYTHONPATH=/mine"));
  EXPECT_THAT(environment, Contains("STEPTRACE_RING_DIR=/rings"));
}

TEST(RunCommandCheck, GivesTheShellsStatus) {
  EXPECT_EQ(CheckProgram("sh").exit_status, 0);
  EXPECT_EQ(CheckProgram("/bin/sh").exit_status, 0);
  EXPECT_EQ(CheckProgram("no-such-program-here").exit_status, 127);
  EXPECT_EQ(CheckProgram("/no/such/program").exit_status, 127);
  EXPECT_EQ(CheckProgram("").exit_status, 127);
  EXPECT_EQ(CheckProgram("/").exit_status, 126);
}

}  // namespace
}  // namespace steptrace::cli
