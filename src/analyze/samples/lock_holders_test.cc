// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/lock_holders.h"

#include <gtest/gtest.h>

#include "analyze/samples/sample_sums.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

// A training thread that waits for a lock in Store.get, and one beside it that may have it.
const char* const kLockingRun =
    "run\n"
    "stack waits main@/job/t.py:1 > Store.get@/job/s.py:9 > "
    "SemLock.__enter__@/usr/lib/python3.11/multiprocessing/synchronize.py:95\n"
    "stack thread main@/job/t.py:1 > Pool.get@/job/q.py:5 > self.lock.__enter__@<built-in>:5\n"
    "stack behind work@/job/t.py:3 > Pool.get@/job/q.py:6\n"
    "stack inside work@/job/t.py:3 > Store.get@/job/s.py:10\n"
    "stack before work@/job/t.py:3 > Store.get@/job/s.py:8\n"
    "stack method work@/job/t.py:3 > Store.put@/job/s.py:20 > pack@/job/p.py:4\n"
    "stack other work@/job/t.py:3 > Cache.put@/job/s.py:40\n"
    "samples 1 waits thread=training state=waiting\n"
    "samples 1 inside thread=beside\n"
    "samples 1 before thread=beside\n"
    "samples 1 method thread=beside\n"
    "samples 1 other thread=beside\n"
    "samples 1 inside thread=worker\n"
    "samples 1 behind thread=worker\n"
    "samples 1 thread thread=training state=waiting\n"
    "steps 20 forward=100ms jitter=0\n";
constexpr int64_t kLockingMs = 1'000'000;
constexpr int32_t kBesideLocking = 1, kWorkerBesideLocking = 2;  // tracks

class LockHoldersTest : public ::testing::Test {
 protected:
  LockHoldersTest() {
    auto parsed = ParseVerdictCase("test", kLockingRun);
    EXPECT_TRUE(parsed.ok()) << parsed.error().text();
    run_ = *std::move(parsed);
    run_.input.steps = run_.steps;
    sums_ = std::make_unique<SampleSums>(run_.input, run_.tracks, run_.stacks, StageTable());
  }
  // The innermost row of the stack that ends in that line of a function.
  int32_t StackAt(const char* function, int32_t line) const {
    for (const store::StackRow& row : run_.stacks) {
      if (run_.strings->Text(row.function) == function && row.line == line) return row.stack;
    }
    ADD_FAILURE() << function;
    return -1;
  }
  store::SampleRow Sample(int64_t ts_ns, int32_t track, int32_t stack, const char* state) {
    store::SampleRow row;
    row.ts_ns = ts_ns;
    row.track = track;
    row.stack = stack;
    row.state = run_.strings->Intern(state);
    row.interval_ns = 10 * kLockingMs;
    return row;
  }
  // So many rounds in which the training thread waits and the other is in that stack.
  void Add(int count, const char* function, int32_t line, int64_t apart_ns = 50'000) {
    std::vector<store::SampleRow> rows;
    for (int i = 0; i < count; ++i) {
      const int64_t at = (210 + 10 * at_++) * kLockingMs;
      rows.push_back(Sample(at, 0, StackAt("SemLock.__enter__", 95), "waiting"));
      rows.push_back(Sample(at + apart_ns, kBesideLocking, StackAt(function, line), "running"));
    }
    sums_->Add(rows);
  }
  // Who was seen to hold it while the training thread waits there and another is behind the line.
  std::string HolderOf(const char* waits, int32_t line, int32_t track, const char* holds,
                       int32_t behind) {
    const std::vector<store::SampleRow> rows = {
        Sample(210 * kLockingMs, 0, StackAt(waits, line), "waiting"),
        Sample(210 * kLockingMs, track, StackAt(holds, behind), "running")};
    sums_ = std::make_unique<SampleSums>(run_.input, run_.tracks, run_.stacks, StageTable());
    sums_->Add(rows);
    const auto locks = sums_->Locks();
    return locks.size() == 1 ? locks[0].holder : "no lock";
  }

  VerdictCase run_;
  std::unique_ptr<SampleSums> sums_;
  int64_t at_ = 0;
};

TEST_F(LockHoldersTest, ThreadPastTheWaitingLineHoldsTheLock) {
  Add(8, "Store.get", 10);
  Add(2, "Store.get", 8);
  const auto locks = sums_->Locks();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0].function, "Store.get");
  EXPECT_EQ(locks[0].samples, 10);
  EXPECT_EQ(locks[0].holder, "Store.get");
  EXPECT_EQ(locks[0].holder_line, 10);
  EXPECT_EQ(locks[0].holder_samples, 8);
}

TEST_F(LockHoldersTest, ThreadInAnotherMethodOfTheClassHoldsTheLock) {
  Add(6, "pack", 4);
  const auto locks = sums_->Locks();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0].holder, "pack");
  EXPECT_EQ(locks[0].holder_file, "/job/p.py");
  EXPECT_EQ(locks[0].holder_samples, 6);
}

TEST_F(LockHoldersTest, OtherClassOrMomentGivesNoHolder) {
  Add(6, "Cache.put", 40);
  Add(6, "Store.get", 10, 2 * kLockingMs);
  const auto locks = sums_->Locks();
  ASSERT_EQ(locks.size(), 1U);
  EXPECT_EQ(locks[0].samples, 12);
  EXPECT_EQ(locks[0].holder, "");
}

TEST_F(LockHoldersTest, OnlyALockOfMultiprocessingIsHeldByAnotherProcess) {
  EXPECT_EQ(HolderOf("self.lock.__enter__", 5, kBesideLocking, "Pool.get", 6), "Pool.get");
  EXPECT_EQ(HolderOf("self.lock.__enter__", 5, kWorkerBesideLocking, "Pool.get", 6), "");
  EXPECT_EQ(HolderOf("SemLock.__enter__", 95, kWorkerBesideLocking, "Store.get", 10), "Store.get");
}

TEST_F(LockHoldersTest, LooksAtSoManyOthersAndNoMore) {
  const int64_t at = 210 * kLockingMs;
  std::vector<store::SampleRow> rows = {Sample(at, 0, StackAt("SemLock.__enter__", 95), "waiting")};
  for (int i = 0; i < 300; ++i) {
    rows.push_back(Sample(at - 2, kBesideLocking, StackAt("Cache.put", 40), "running"));
  }
  rows.push_back(Sample(at - 1, kBesideLocking, StackAt("Store.get", 10), "running"));
  sums_->Add(rows);
  ASSERT_EQ(sums_->Locks().size(), 1U);
  EXPECT_EQ(sums_->Locks()[0].holder, "");
}

}  // namespace
}  // namespace steptrace::analyze
