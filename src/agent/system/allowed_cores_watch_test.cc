// SPDX-License-Identifier: Apache-2.0
#include "agent/system/allowed_cores_watch.h"

#include <gtest/gtest.h>

#include <set>

#include "testing/capturing_sink.h"
#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

constexpr int kRoot = 100;
using Told = std::vector<AllowedCores>;

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
  Told Take() { return std::exchange(sink_.allowed_cores, {}); }

  testing::FakeTree proc_;
  testing::CapturingSink sink_;
  std::set<std::string> reported_;
  AllowedCoresWatch watch_{proc_.root(), 100};
};

TEST_F(AllowedCoresWatchTest, AProcessThatPinsItself) {
  See(kRoot, 1, "0-7");
  See(101, kRoot, "0-7");
  EXPECT_EQ(Take(), (Told{{kRoot, "0-7"}})) << "101's are its parent's";
  See(101, kRoot, "0");
  See(101, kRoot, "0");
  EXPECT_EQ(Take(), (Told{{101, "0"}}));
}

// os.sched_setaffinity is of the thread that calls it: those of a library that was imported before
// keep what they had. The training thread and what it starts do not.
TEST_F(AllowedCoresWatchTest, ThreadsFromBeforeDoNotHideThatAProcessNarrowedItsCores) {
  See(kRoot, 1, "0-7");
  See(101, kRoot, "0-7");
  Take();
  Thread(kRoot, 100, "2");
  Thread(kRoot, 105, "0-7");
  See(kRoot, 1, "2");
  EXPECT_EQ(Take(), (Told{{101, "0-7"}, {kRoot, "2"}}))
      << "whom it had started keeps what it began with";
  Thread(kRoot, 100, "3");
  Thread(kRoot, 106, "2");
  See(kRoot, 1, "3");
  EXPECT_EQ(Take(), (Told{{kRoot, "3"}})) << "one is from before the second time";
  See(102, kRoot, "3");
  EXPECT_EQ(Take(), Told{});
}

TEST_F(AllowedCoresWatchTest, OfAProcessWhoseThreadsAreBoundNoListTellsButThatOfWhatItStarts) {
  See(kRoot, 1, "0-7");
  Take();
  Thread(kRoot, 100, "0");
  Thread(kRoot, 105, "1");
  See(kRoot, 1, "0");
  EXPECT_EQ(Take(), Told{});
  See(101, kRoot, "0");
  EXPECT_EQ(Take(), (Told{{101, "0"}})) << "forked from the thread that has core 0";
}

}  // namespace
}  // namespace steptrace::agent
