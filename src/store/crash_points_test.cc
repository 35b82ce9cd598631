// SPDX-License-Identifier: Apache-2.0
// A writer, a recovery and an import that die between any two changes of files: what was flushed is
// read, before and after recovery, once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

#include "store/closed_run.h"
#include "store/recovery.h"
#include "store/watched_calls.h"
#include "store/written_manifests.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kSteps = 4;

// What the process that dies tells of its way.
struct Progress {
  bool flushed = false;
  const char* died_in = nullptr;
};

using Deaths = std::vector<std::string>;  // the call in whose place each came

// Does `work` in a process that dies instead of its n-th call, for n from 1 on, and `check` after
// each, until one lives to its end.
Deaths AtEachCall(const std::function<void(const fs::path& run, Progress* progress)>& work,
                  const std::function<void(const fs::path& run, const Progress& progress)>& check,
                  const std::function<void(const fs::path& run)>& prepare = {}) {
  auto* progress = static_cast<Progress*>(
      ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  constexpr int kMostCalls = 1000;
  Deaths deaths;
  bool lived = false;
  for (int call = 1; call <= kMostCalls && !lived; ++call) {
    SCOPED_TRACE(call);
    TempDir dir;
    const fs::path run = dir.path() / "run";
    if (prepare) prepare(run);
    *progress = {};
    const pid_t child = ::fork();
    if (child == 0) {
      DieInsteadOfCall(call, &progress->died_in);
      work(run, progress);
      _exit(0);
    }
    int status = 0;
    EXPECT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    lived = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (!lived) {
      EXPECT_EQ(WEXITSTATUS(status), kDiedInCall) << "it failed, and did not die where it should";
      deaths.emplace_back(progress->died_in == nullptr ? "" : progress->died_in);
    }
    SCOPED_TRACE(lived ? "lived" : deaths.back());
    check(run, *progress);
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_TRUE(lived || testing::Test::HasFailure()) << "none came to its end";
  ::munmap(progress, sizeof(Progress));
  return deaths;
}

// What std::filesystem removes with, from a library of its own.
auto HaveOneInRemove() {
  return testing::Contains(testing::AnyOf(testing::StrEq("remove"), testing::StrEq("unlinkat")));
}

void Write(const fs::path& run, Progress* progress) {
  auto writer = MakeWriter(run);
  for (int64_t step = 0; step < kSteps; ++step) {
    writer.Append(SampleStep(writer.strings(), step));
    writer.Append(CounterRow{step, 1, 0.5});
  }
  if (!writer.Flush().ok()) _exit(1);
  progress->flushed = true;
  Manifest manifest = SampleManifest();
  manifest.ranks.push_back({1, 0, 1, 2, 4243});
  if (!writer.UpdateManifest(manifest).ok() || !writer.Close(CompletedManifest()).ok()) _exit(1);
}

void ExpectRows(const fs::path& run) {
  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.Read<StepRow>()->size(), static_cast<size_t>(kSteps));
  EXPECT_EQ(reader.Read<CounterRow>()->size(), static_cast<size_t>(kSteps));
  const auto losses = reader.Read<DataLossRow>();
  ASSERT_OK(losses);
  for (const DataLossRow& loss : *losses) EXPECT_EQ(reader.Text(loss.cause), "agent_gap");
}

// Twice: the second finds nothing to do, or what the first left.
void ExpectRowsAfterRecovery(const fs::path& run) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_OK(RecoverRun(run));
    ExpectRows(run);
    EXPECT_EQ(OpenRun(run).state(), RunState::kClosed);
    EXPECT_FALSE(fs::exists(run / "journal"));
    EXPECT_EQ(ManifestFiles(run, WritersOf(run).front()).size(), 1u);
  }
}

TEST(CrashPoints, AWriterLosesNothingThatWasFlushed) {
  const Deaths deaths = AtEachCall(Write, [](const fs::path& run, const Progress& progress) {
    if (!progress.flushed) {
      // Nothing was promised; what is there is a run or none, never one that stays unreadable.
      if (WritersOf(run).front().empty()) return;
      EXPECT_TRUE(RunReader::Open(run).ok());
      ASSERT_OK(RecoverRun(run));
      EXPECT_TRUE(RunReader::Open(run).ok());
      return;
    }
    ExpectRows(run);
    ExpectRowsAfterRecovery(run);
  });
  EXPECT_GT(deaths.size(), 20u);
  EXPECT_THAT(deaths, HaveOneInRemove());
}

TEST(CrashPoints, ARecoveryLosesNothing) {
  const auto recover = [](const fs::path& run, Progress*) {
    if (!RecoverRun(run).ok()) _exit(1);
  };
  const auto make_dead = [](const fs::path& run) {
    auto writer = MakeWriter(run);
    for (int64_t step = 0; step < kSteps; ++step) {
      writer.Append(SampleStep(writer.strings(), step));
      writer.Append(CounterRow{step, 1, 0.5});
    }
    ASSERT_OK(writer.Flush());
  };
  const Deaths deaths = AtEachCall(
      recover,
      [](const fs::path& run, const Progress&) {
        ExpectRows(run);
        ExpectRowsAfterRecovery(run);
      },
      make_dead);
  EXPECT_GT(deaths.size(), 15u);
  EXPECT_THAT(deaths, HaveOneInRemove());
}

// An import is made beside its place and moved there when it is whole: no part of one is a run.
TEST(CrashPoints, AnImportIsARunOnceItIsWhole) {
  const auto import = [](const fs::path& run, Progress* progress) {
    fs::create_directories(run);
    StringTable strings;
    ClosedRun closed(run);
    std::vector<StepRow> steps;
    for (int64_t step = 0; step < kSteps; ++step) steps.push_back(SampleStep(strings, step));
    if (!closed.Write<StepRow>(steps, strings, 0, 0, 0).ok()) _exit(1);
    if (!closed.Close(CompletedManifest()).ok()) _exit(1);
    progress->flushed = true;
  };
  const Deaths deaths = AtEachCall(import, [](const fs::path& run, const Progress& progress) {
    const auto reader = RunReader::Open(run);
    EXPECT_TRUE(reader.ok() || !progress.flushed);
    if (reader.ok()) {
      EXPECT_EQ(OpenRun(run).Read<StepRow>()->size(), static_cast<size_t>(kSteps));
    }
  });
  EXPECT_GT(deaths.size(), 5u);
}

}  // namespace
}  // namespace steptrace::store
