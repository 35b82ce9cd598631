// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "testing/call_stacks.h"

// What functions of the script's do, by what they call.
namespace steptrace::analyze {
namespace {

TEST(StackWorkTest, ThreadThatOnlyWaitsIsOnALock) {
  const auto on_lock = [](const Frame& innermost) {
    return Stacks().ClassOf({kFetch, kGetitem, innermost}).wait.on_lock;
  };
  EXPECT_TRUE(on_lock({"SemLock.__enter__", kStandard + "multiprocessing/synchronize.py"}));
  EXPECT_TRUE(on_lock({"Condition.wait", kStandard + "threading.py"}));
  EXPECT_FALSE(on_lock({"Queue.get", kStandard + "multiprocessing/queues.py"})) << "it unpickles";
  EXPECT_FALSE(on_lock({"read", "/job/a.py"}));
}

TEST(StackWorkTest, AFunctionThatSavesIsKnownByWhatItCalls) {
  const Frame save{"save", kTorch + "serialization.py"};
  const Frame sync{"os.fsync", "<built-in os>"};
  Stacks stacks;
  stacks.Add({kMain, {"Keeper.write", "/job/a.py"}, save});
  const auto saves = [&stacks](const std::vector<Frame>& frames) {
    return stacks.ClassOf(frames).around.saves;
  };
  EXPECT_TRUE(saves({kMain, {"Keeper.write", "/job/a.py"}, sync}));
  EXPECT_TRUE(saves({kMain, {"Keeper.write", "/job/a.py"}, {"state_of", "/job/a.py"}}));
  EXPECT_FALSE(saves({kMain, {"append", "/job/a.py"}, sync}));
  const auto saving = [&stacks](const std::vector<Frame>& frames) {
    return stacks.ClassOf(frames).around.saving;
  };
  EXPECT_TRUE(saving({kMain, {"Keeper.write", "/job/a.py"}, save}));
  EXPECT_TRUE(saving({kMain, {"Keeper.write", "/job/a.py"}, sync}));
  EXPECT_FALSE(saving({kMain, {"Keeper.write", "/job/a.py"}, {"state_of", "/job/a.py"}}));
  EXPECT_TRUE(saves({kMain, {"dump_weights", "/job/a.py"}, sync})) << "by its name";
  stacks.Add({kMain, kTrain, save});  // the loop itself saves, and trains
  stacks.Add({kMain, kTrain, {"Tensor.backward", kTorch + "_tensor.py"}});
  EXPECT_FALSE(saves({kMain, kTrain}));
}

TEST(StackWorkTest, DataPreparationIsNotTheModel) {
  const Frame records{"records", "/job/a.py", 7};
  const Frame loads{"loads", kStandard + "json/__init__.py"};
  Stacks stacks;
  stacks.Add({kMain, kTrain, {"batches", "/job/a.py"}, records, loads});
  EXPECT_TRUE(stacks.ClassOf({kMain, kTrain, {"batches", "/job/a.py"}}).around.prepares);
  EXPECT_TRUE(stacks.ClassOf({kMain, kTrain, records}).around.prepares);
  EXPECT_FALSE(stacks.ClassOf({kMain, kTrain, {"reward", "/job/a.py"}}).around.prepares);
  stacks.Add({kMain, kTrain, records, kModule, {"Net.forward", "/job/net.py"}});
  EXPECT_FALSE(stacks.ClassOf({kMain, kTrain, records}).around.prepares) << "it runs a layer";
}

TEST(StackWorkTest, ReadingValuesOutOfTensorsIsNotTheModel) {
  const Frame update{"Confusion.update", "/job/a.py"};
  Stacks stacks;
  stacks.Add({kMain, kTrain, update, {"label.item", "<built-in>"}});
  EXPECT_TRUE(stacks.ClassOf({kMain, kTrain, update}).around.reads);
  const StackClass each =
      stacks.ClassOf({kMain, kTrain, update, {"Tensor.__iter__", kTorch + "_tensor.py"}});
  EXPECT_EQ(each.region, StackRegion::kElsewhere);
  EXPECT_TRUE(each.around.reads);
  stacks.Add({kMain, kTrain, update, {"relu", kTorch + "nn/functional.py"}});
  EXPECT_FALSE(stacks.ClassOf({kMain, kTrain, update}).around.reads) << "it computes";
}

}  // namespace
}  // namespace steptrace::analyze
