// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/task_states.h"

#include <gtest/gtest.h>

#include "testing/fake_proc.h"

namespace steptrace::agent {
namespace {

class TaskStatesTest : public ::testing::Test {
 protected:
  void WriteState(char state) {
    tree_.Write("5/task/7/stat", std::string("7 (python) ") + state +
                                     " 1 1 1 0 -1 4194304 100 0 0 0 5 5 0 0 20 0 1 0 900 "
                                     "1000000 250 0\n");
  }
  void WriteCall(const char* text) { tree_.Write("5/task/7/syscall", text); }

  steptrace::testing::FakeTree tree_;
  TaskStates states_{5, tree_.root()};
};

TEST_F(TaskStatesTest, TheCallThatAThreadIsInTellsWhetherItRuns) {
  WriteState('S');
  WriteCall("running\n");
  EXPECT_EQ(states_.Runs(7), true);
  WriteCall("202 0x7f 0x80 0x2 0x0 0x0 0x0 0x7ffd 0x7f00\n");
  EXPECT_EQ(states_.Runs(7), false);
  WriteCall("-1 0x7ffd 0x7f00\n");
  EXPECT_EQ(states_.Runs(7), false) << "it waits outside of calls: for a page";
}

TEST_F(TaskStatesTest, ItsStateDoesWhereTheKernelTellsNoCalls) {
  EXPECT_EQ(states_.Runs(7), std::nullopt) << "there is no such thread";
  WriteState('R');
  EXPECT_EQ(states_.Runs(7), true);
  WriteState('D');
  EXPECT_EQ(states_.Runs(7), false);
  WriteState('Z');
  EXPECT_EQ(states_.Runs(7), std::nullopt);
}

}  // namespace
}  // namespace steptrace::agent
