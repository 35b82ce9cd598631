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

constexpr const char* kChildFailed =
    "torch.distributed.elastic.multiprocessing.errors.ChildFailedError";

// A run of two ranks that both trained, and what its processes told: the process of rank r is
// 100 + r, that of the launcher 99 with rank -1.
class Failed {
 public:
  explicit Failed(std::string status, int32_t trained = 2) {
    input_.run.status = std::move(status);
    input_.run.duration_ns = 1000 * kSecond;
    input_.run.ranks = trained;
    for (int32_t rank = 0; rank < trained; ++rank) {
      input_.run.rank_processes.push_back({rank, 0, 100 + rank});
    }
    input_.strings = &strings_;
  }

  void AddFact(int64_t at_s, int32_t rank, int64_t pid, store::MetadataKind kind,
               const std::string& json) {
    store::RunMetadataRow row;
    row.ts_ns = at_s * kSecond;
    row.rank = rank;
    row.pid = pid;
    row.kind = strings_.Intern(store::NameOf(kind));
    row.json = json;
    rows_.push_back(std::move(row));
  }
  // A process of a job began.
  void Begin(int64_t at_s, int32_t rank, int64_t pid) {
    AddFact(at_s, rank, pid, store::MetadataKind::kJob, "{}");
  }
  void Raise(int64_t at_s, int32_t rank, const std::string& json) {
    AddFact(at_s, rank, 100 + rank, store::MetadataKind::kException, json);
  }
  void Raise(int64_t at_s, int32_t rank, const std::string& type, const std::string& message) {
    RaiseIn(100 + rank, at_s, rank, type, message);
  }
  void RaiseIn(int64_t pid, int64_t at_s, int32_t rank, const std::string& type,
               const std::string& message) {
    AddFact(
        at_s, rank, pid, store::MetadataKind::kException,
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
  Failed run("failed", 1);
  run.input_.run.exit_code = 1;
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

// Until a process trains, nobody has made it a rank; the launcher, and a tool that failed and was
// dealt with, stand under the number that they would have.
TEST(RunFailureTest, RanksThatFailBeforeAnyTrainsAreTheCauseOfWhatTheLauncherRaises) {
  Failed run("failed", 0);
  run.input_.run.exit_code = 1;
  run.RaiseIn(55, 980, 0, "OSError", "of a tool");
  run.Begin(985, 1, 101);
  run.Begin(985, 0, 100);
  run.Raise(990, 1, "FileNotFoundError", "data");
  run.Raise(991, 0, "RuntimeError", "Connection closed by peer");
  run.RaiseIn(99, 995, 0, kChildFailed, "train.py FAILED");
  EXPECT_EQ(run.Said(0),
            "Failed before the first step on rank 1: FileNotFoundError: data (train.py:6)");
}

TEST(RunFailureTest, ARankThatFailsBeforeItTrainsIsOneBesideRanksThatTrain) {
  Failed run("failed", 1);
  run.input_.run.exit_code = 1;
  run.Begin(980, 0, 100);
  run.Begin(980, 1, 101);
  run.RaiseIn(77, 985, 0, "OSError", "of a worker of rank 0");
  run.Raise(990, 1, "FileNotFoundError", "data");
  run.Raise(991, 0, "RuntimeError", "Connection closed by peer");
  run.RaiseIn(99, 995, 0, kChildFailed, "train.py FAILED");
  EXPECT_EQ(run.Find().exception->type, "FileNotFoundError");
}

TEST(RunFailureTest, ALaunchersExceptionIsSaidWhereNoOtherIsKnown) {
  Failed run("failed", 0);
  run.input_.run.exit_code = 1;
  run.RaiseIn(99, 995, 0, kChildFailed, "train.py FAILED");
  EXPECT_EQ(run.Find().exception->type, kChildFailed);
  run.RaiseIn(98, 994, 0, "OSError", "nobody placed it");
  EXPECT_EQ(run.Find().exception->type, "OSError");
}

// The processes that are known to train are those of the first attempt.
TEST(RunFailureTest, OfAnElasticJobTheLastAttemptCounts) {
  for (const int64_t first_failed_s : {300, 940}) {
    Failed run("failed");
    run.input_.run.exit_code = 3;
    run.Begin(10, 0, 100);
    run.Begin(10, 1, 101);
    run.Raise(first_failed_s, 1, "KeyError", "'label'");
    run.Raise(first_failed_s + 1, 0, "RuntimeError", "Connection closed by peer");
    run.Begin(first_failed_s + 5, 0, 200);
    run.Begin(first_failed_s + 5, 1, 201);
    EXPECT_FALSE(run.Find().exception.has_value()) << "the one before was dealt with";
    run.RaiseIn(200, 990, 0, "ValueError", "loss is NaN");
    run.RaiseIn(201, 991, 1, "RuntimeError", "Connection closed by peer");
    run.RaiseIn(99, 995, 2, kChildFailed, "train.py FAILED");
    EXPECT_EQ(run.Said(), "Failed after 31 steps on rank 0: ValueError: loss is NaN (train.py:6)");
  }
}

TEST(RunFailureTest, RanksMayWaitLongForOneThatFailed) {
  Failed run("failed");
  run.input_.run.exit_code = 1;
  run.Raise(300, 1, "KeyError", "'label'");
  run.Raise(990, 0, "RuntimeError", "timed out");
  EXPECT_EQ(run.Find().exception->type, "RuntimeError") << "not of one job, as far as is known";
  run.Begin(10, 0, 100);
  run.Begin(10, 1, 101);
  EXPECT_EQ(run.Find().exception->type, "KeyError");
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
  run.Raise(995, -1, kChildFailed,
            "train.py FAILED Root Cause (first observed failure): [0]: time : 2026 host : h "
            "rank : 1 (local_rank: 1) exitcode : -9 (pid: 4711) error_file: <N/A>");
  EXPECT_EQ(run.Said(), "Rank 1 was killed by SIGKILL after 31 steps: out of memory, or kill -9");
}

// torchrun looks at its processes ten times a second, and may see first who lost the other.
TEST(RunFailureTest, ARankThatASignalKilledNeedNotBeTheFirstThatTorchrunSaw) {
  struct Case {
    const char* code;
    const char* said;
  };
  for (const Case& one :
       {Case{"-11", "Rank 1 was killed by SIGSEGV after 31 steps: a crash in native code"},
        Case{"-6", "Failed after 31 steps on rank 0: RuntimeError: loss is NaN (train.py:6)"},
        Case{"1", "Failed after 31 steps on rank 0: RuntimeError: loss is NaN (train.py:6)"}}) {
    Failed run("failed");
    run.input_.run.exit_code = 1;
    run.Raise(990, 0, "RuntimeError", "loss is NaN");
    run.Raise(995, -1, kChildFailed,
              std::string("train.py FAILED Failures: [1]: time : 2026 rank : 1 (local_rank: 1) "
                          "exitcode : ") +
                  one.code +
                  " (pid: 4711) error_file: <N/A> Root Cause (first observed failure): [0]: "
                  "time : 2026 rank : 0 (local_rank: 0) exitcode : 1 (pid: 4710)");
    EXPECT_EQ(run.Said(), one.said);
  }
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
