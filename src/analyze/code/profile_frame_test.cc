// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/profile_frame.h"

#include <gtest/gtest.h>

#include <string>

#include "analyze/code/code_place.h"

namespace steptrace::analyze {
namespace {

std::string Read(std::string_view name) {
  constexpr const char* kOrigins[] = {"user", "library", "standard", "built-in", "own"};
  const ProfileFrame frame = ProfileFrameOf(name);
  const CodePlace place = PlaceOf(frame.file);
  return std::string(kOrigins[static_cast<size_t>(place.origin)]) + " " + place.module + " " +
         frame.function + " " + std::to_string(frame.line) + " [" + frame.shown + "]";
}

TEST(ProfileFrame, AreWhoseTheFirstNameOfTheirPathSays) {
  EXPECT_EQ(Read("train.py(12): main"), "user train main 12 [train.py]");
  EXPECT_EQ(Read("mine/data/queue.py(3): get"), "user mine.data.queue get 3 [mine/data/queue.py]");
  EXPECT_EQ(Read("/home/ann/job/train.py(9): <lambda>"),
            "user home.ann.job.train <lambda> 9 [/home/ann/job/train.py]");
  EXPECT_EQ(Read("queue.py(171): get"), "standard queue get 171 [queue.py]");
  EXPECT_EQ(Read("multiprocessing/queues.py(98): get"),
            "standard multiprocessing.queues get 98 [multiprocessing/queues.py]");
  EXPECT_EQ(Read("torch/utils/data/dataloader.py(703): __next__"),
            "library torch.utils.data.dataloader __next__ 703 [torch/utils/data/dataloader.py]");
  EXPECT_EQ(Read("transformers/image_processing_utils.py(40): __call__"),
            "library transformers.image_processing_utils __call__ 40 "
            "[transformers/image_processing_utils.py]");
  EXPECT_EQ(Read("pyarrow/parquet/core.py(1): read"),
            "library pyarrow.parquet.core read 1 [pyarrow/parquet/core.py]")
      << "the stage table names it";
  EXPECT_EQ(Read("/opt/env/lib/python3.11/site-packages/x/y.py(4): f"),
            "library x.y f 4 [/opt/env/lib/python3.11/site-packages/x/y.py]");
  EXPECT_EQ(Read("<frozen os>(709): __getitem__"), "standard os __getitem__ 709 [<frozen os>]");
  EXPECT_EQ(Read("<string>(2): __init__"), "standard  __init__ 2 [<string>]");
  EXPECT_TRUE(Read("<ipython-input-3-0c>(2): train").starts_with("user ")) << "a notebook's cell";
}

TEST(ProfileFrame, OfCCodeHoldTheTypeOfAMethod) {
  EXPECT_EQ(Read("<built-in function isinstance>"), "built-in  isinstance 0 []");
  EXPECT_EQ(Read("<built-in method acquire of _thread.lock object at 0x7f00>"),
            "built-in _thread lock.acquire 0 []");
  EXPECT_EQ(Read("<built-in method wait of pybind11_builtins.pybind11_detail_function_record_v1 "
                 "object at 0x7f>"),
            "built-in torch._C._distributed_c10d Work.wait 0 []");
  EXPECT_EQ(Read("<built-in method encode of pybind11_builtins.pybind11_detail_function_record_v1 "
                 "object at 0x7f>"),
            "built-in  encode 0 []");
  EXPECT_EQ(Read("<built-in method get of dict object at 0x7f00>"), "built-in  dict.get 0 []");
  EXPECT_EQ(Read("<built-in method linear of type object at 0x7f00>"), "built-in  linear 0 []");
  EXPECT_EQ(Read("<built-in function sleep>"), "built-in time time.sleep 0 []");
}

TEST(ProfileFrame, OfModulesAreTheirCalls) {
  EXPECT_EQ(Read("nn.Module: Linear_0"),
            "library torch.nn.modules.module Module._call_impl 0 [torch/nn/modules/module.py]");
}

TEST(ProfileFrame, OfWhateverElseHaveItsText) {
  EXPECT_EQ(Read("PyTorch Profiler (0)"), "built-in  PyTorch Profiler (0) 0 []");
  EXPECT_EQ(Read(""), "built-in   0 []");
  EXPECT_EQ(Read("(12): f"), "built-in  (12): f 0 []");
  EXPECT_EQ(Read("a.py(x): f"), "built-in  a.py(x): f 0 []");
  EXPECT_EQ(Read("a.py(99999999999): f"), "built-in  a.py(99999999999): f 0 []");
  EXPECT_EQ(ProfileFrameOf(std::string(100'000, 'x')).function.size(), 4096u);
}

}  // namespace
}  // namespace steptrace::analyze
