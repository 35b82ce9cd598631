// SPDX-License-Identifier: Apache-2.0
#include "agent/system/allowed_cores_watch.h"

#include <gtest/gtest.h>

#include <set>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

constexpr int kWatchedRoot = 100;
using ToldCores = std::vector<ProcessCores>;

class AllowedCoresWatchTest : public ::testing::Test {
 protected:
  void See(int32_t pid, int32_t ppid, const char* list) {
    SampleContext context(0, sink_, reported_);
    watch_.See(pid, ppid, list, context);
  }
  void Thread(int pid, int tid, const std::string& cores) {
    proc_.Write(std::to_string(pid) + "/task/" + std::to_string(tid) + "/status",
                "Cpus_allowed_list:\t" + cores);
  }
  ToldCores Take() { return std::exchange(sink_.allowed_cores, {}); }

  testing::FakeTree proc_;
  testing::CapturingSink sink_;
  std::set<std::string> reported_;
  AllowedCoresWatch watch_{proc_.root(), 100};
};

TEST_F(AllowedCoresWatchTest, AProcessThatPinsItself) {
  See(kWatchedRoot, 1, "0-7");
  See(101, kWatchedRoot, "0-7");
  EXPECT_EQ(Take(), (ToldCores{{kWatchedRoot, "0-7"}})) << "101's are its parent's";
  See(101, kWatchedRoot, "0");
  See(101, kWatchedRoot, "0");
  EXPECT_EQ(Take(), (ToldCores{{101, "0"}}));
}

// os.sched_setaffinity is of the thread that calls it: those of a library that was imported before
// keep what they had. The training thread and what it starts do not.
TEST_F(AllowedCoresWatchTest, ThreadsFromBeforeDoNotHideThatAProcessNarrowedItsCores) {
  See(kWatchedRoot, 1, "0-7");
  See(101, kWatchedRoot, "0-7");
  Take();
  Thread(kWatchedRoot, 100, "2");
  Thread(kWatchedRoot, 105, "0-7");
  See(kWatchedRoot, 1, "2");
  EXPECT_EQ(Take(), (ToldCores{{101, "0-7"}, {kWatchedRoot, "2"}}))
      << "whom it had started keeps what it began with";
  Thread(kWatchedRoot, 100, "3");
  Thread(kWatchedRoot, 106, "2");
  See(kWatchedRoot, 1, "3");
  EXPECT_EQ(Take(), (ToldCores{{kWatchedRoot, "3"}})) << "one is from before the second time";
  See(102, kWatchedRoot, "3");
  EXPECT_EQ(Take(), ToldCores{});
}

TEST_F(AllowedCoresWatchTest, OfAProcessWhoseThreadsAreBoundNoListTellsButThatOfWhatItStarts) {
  See(kWatchedRoot, 1, "0-7");
  Take();
  Thread(kWatchedRoot, 100, "0");
  Thread(kWatchedRoot, 105, "1");
  See(kWatchedRoot, 1, "0");
  EXPECT_EQ(Take(), ToldCores{});
  See(101, kWatchedRoot, "0");
  EXPECT_EQ(Take(), (ToldCores{{101, "0"}})) << "forked from the thread that has core 0";
}

}  // namespace
}  // namespace steptrace::agent
