// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/run_failure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "analyze/input/report_input.h"
#include "present/words/finding_sentence.h"
#include "store/metadata_keys.h"

namespace steptrace::analyze {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// A run of several ranks, and what its processes told.
class Failed {
 public:
  explicit Failed(std::string status) {
    input_.run.status = std::move(status);
    input_.run.duration_ns = 1000 * kSecond;
    input_.run.ranks = 2;
    input_.strings = &strings_;
  }

  void Raise(int64_t at_s, int32_t rank, const std::string& json) {
    store::RunMetadataRow row;
    row.ts_ns = at_s * kSecond;
    row.rank = rank;
    row.kind = strings_.Intern(store::NameOf(store::MetadataKind::kException));
    row.json = json;
    rows_.push_back(std::move(row));
  }
  void Raise(int64_t at_s, int32_t rank, const std::string& type, const std::string& message) {
    Raise(
        at_s, rank,
        R"({"type":")" + type + R"(","message":")" + message +
            R"(","frames":[["/p/lib/python3.11/site-packages/torch/nn/functional.py",9,"linear"],)" +
            R"(["/home/ann/train.py",6,"step"]],"thread":null})");
  }

  RunFailure Find(int64_t steps = 31) {
    input_.facts = rows_;
    return FindFailure(input_, steps);
  }
  std::string Said(int64_t steps = 31) { return present::SentenceOf(Find(steps).what).text; }

  ReportInput input_;

 private:
  store::StringTable strings_;
  std::vector<store::RunMetadataRow> rows_;
};

TEST(RunFailureTest, LeadsWithTheExceptionAndTheLineOfTheTrainingsOwnCode) {
  Failed run("failed");
  run.input_.run.exit_code = 1;
  run.input_.run.ranks = 1;
  run.Raise(999, 0, "RuntimeError", "CUDA out of memory");
  EXPECT_EQ(run.Said(), "Failed after 31 steps: RuntimeError: CUDA out of memory (train.py:6)");
  EXPECT_EQ(run.Said(1), "Failed after 1 step: RuntimeError: CUDA out of memory (train.py:6)");
  EXPECT_EQ(run.Said(0),
            "Failed before the first step: RuntimeError: CUDA out of memory (train.py:6)");
  EXPECT_EQ(run.Find().exception->line, 6);
  EXPECT_EQ(run.Find().what->subject.function, "step");
}

TEST(RunFailureTest, OfSeveralRanksTheFirstIsTheCause) {
  Failed run("failed");
  run.input_.run.exit_code = 1;
  run.Raise(100, -1, "ValueError", "of a child that was dealt with");
  run.Raise(990, 1, "KeyError", "'label'");
  run.Raise(991, 0, "RuntimeError", "Connection closed by peer");
  run.Raise(995, -1, "ChildFailedError", "train.py FAILED");
  EXPECT_EQ(run.Said(), "Failed after 31 steps on rank 1: KeyError: 'label' (train.py:6)");
}

TEST(RunFailureTest, WithoutRanksTheCommandsOwnIsTheLastOne) {
  Failed run("failed");
  run.input_.run.exit_code = 1;
  run.Raise(100, -1, "ValueError", "of a child that was dealt with");
  EXPECT_EQ(run.Said(),
            "Failed after 31 steps with exit code 1; no uncaught exception was recorded");
  run.Raise(998, -1, "OSError", "");
  run.Raise(999, -1, "RuntimeError", "both");
  run.Raise(1000, -1, R"({"type":"IndexError","message":"","frames":[],"thread":"loads"})");
  EXPECT_EQ(run.Said(), "Failed after 31 steps: RuntimeError: both (train.py:6)");
}

TEST(RunFailureTest, ARankThatASignalKilledIsTheCauseOfWhatOthersRaised) {
  Failed run("failed");
  run.input_.run.exit_code = 1;
  run.Raise(990, 0, "RuntimeError", "Connection closed by peer");
  run.Raise(995, -1, "torch.distributed.elastic.multiprocessing.errors.ChildFailedError",
            "train.py FAILED Root Cause (first observed failure): [0]: time : 2026 host : h "
            "rank : 1 (local_rank: 1) exitcode : -9 (pid: 4711) error_file: <N/A>");
  EXPECT_EQ(run.Said(), "Rank 1 was killed by SIGKILL after 31 steps: out of memory, or kill -9");
}

TEST(RunFailureTest, ASignalOfTheCommandIsNamed) {
  Failed run("failed");
  run.input_.run.signal = 11;
  EXPECT_EQ(run.Said(), "Killed by SIGSEGV after 31 steps: a crash in native code");
  run.input_.run.signal = 60;
  EXPECT_EQ(run.Said(), "Killed by signal 60 after 31 steps");
  run.input_.run.signal.reset();
  run.input_.run.exit_code = 139;
  EXPECT_EQ(run.Said(), "Failed after 31 steps with exit code 139, as after SIGSEGV");
}

TEST(RunFailureTest, AnInterruptIsNoFailure) {
  Failed run("stopped");
  run.input_.run.signal = 2;
  EXPECT_EQ(run.Said(), "Stopped by SIGINT after 31 steps");
  run.Raise(999, 0, "KeyboardInterrupt", "");
  EXPECT_EQ(run.Said(), "Interrupted after 31 steps (KeyboardInterrupt, train.py:6)");
}

TEST(RunFailureTest, ARunThatDidNotFailHasNone) {
  for (const char* status : {"completed", "in_progress", "interrupted", ""}) {
    Failed run(status);
    run.Raise(999, 0, "RuntimeError", "handled");
    EXPECT_FALSE(run.Find().what.has_value()) << status;
  }
}

TEST(RunFailureTest, WhatIsNotAsTheHooksWriteItIsRead) {
  Failed run("failed");
  run.input_.run.exit_code = 1;
  for (const char* json :
       {"", "[]", "{}", R"({"type":3})", R"({"type":"A","frames":3,"thread":"t"})"}) {
    run.Raise(999, 0, json);
  }
  run.Raise(1000, 0, R"({"type":"A","message":["x"],"frames":[3,["f",-1,"g"],["h","i",null]]})");
  EXPECT_EQ(run.Said(), "Failed after 31 steps on rank 0: A (f)");
  Failed other("failed");
  other.Raise(999, 0, "A", std::string(299, 'x') + "\u00e4\u00e4");
  const RunFailure failure = other.Find();
  EXPECT_EQ(failure.what->texts[1], std::string(299, 'x') + "...") << "between characters";
  EXPECT_EQ(failure.exception->message.size(), 303u);
}

}  // namespace
}  // namespace steptrace::analyze
