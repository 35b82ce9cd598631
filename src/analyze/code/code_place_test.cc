// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/code_place.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

struct PlaceCase {
  const char* file;
  CodeOrigin origin;
  const char* module;
};

TEST(CodePlaceTest, OriginFollowsFromThePath) {
  constexpr PlaceCase kCases[] = {
      {"/venv/lib/python3.11/site-packages/pyarrow/parquet/core.py", CodeOrigin::kLibrary,
       "pyarrow.parquet.core"},
      {"/usr/lib/python3/dist-packages/yaml/__init__.py", CodeOrigin::kLibrary, "yaml"},
      {"/usr/lib/python3.11/json/decoder.py", CodeOrigin::kStandard, "json.decoder"},
      {"/opt/py/lib64/python3.13t/queue.py", CodeOrigin::kStandard, "queue"},
      {"/usr/lib/python312.zip/threading.py", CodeOrigin::kStandard, "threading"},
      {"<frozen importlib._bootstrap>", CodeOrigin::kStandard, "importlib._bootstrap"},
      {"<built-in numpy.random>", CodeOrigin::kBuiltIn, "numpy.random"},
      {"<built-in>", CodeOrigin::kBuiltIn, ""},
      {"/home/ann/rank/dataset.py", CodeOrigin::kUser, "home.ann.rank.dataset"},
      {"train.py", CodeOrigin::kUser, "train"},
      {"<string>", CodeOrigin::kUser, "<string>"},
      {"/tmp/ipykernel_7/123.py", CodeOrigin::kUser, "tmp.ipykernel_7.123"},
      {"/home/ann/python3tricks/data.py", CodeOrigin::kUser, "home.ann.python3tricks.data"},
      {"/venv/lib/python3.11/site-packages/steptrace/_hooks/fetch.py", CodeOrigin::kOwn,
       "steptrace._hooks.fetch"},
      {"/venv/lib/python3.11/site-packages/steptrace_like/a.py", CodeOrigin::kLibrary,
       "steptrace_like.a"},
      {"/tmp/torchinductor_ann/3o/c3odamsm.py", CodeOrigin::kLibrary,
       "torch._inductor.output_code"},
      {"", CodeOrigin::kUser, ""},
      {"////", CodeOrigin::kUser, ""},
  };
  for (const PlaceCase& one : kCases) {
    const CodePlace place = PlaceOf(one.file);
    EXPECT_EQ(place.origin, one.origin) << one.file;
    EXPECT_EQ(place.module, one.module) << one.file;
  }
}

TEST(CodePlaceTest, APathWithoutEndIsCut) {
  EXPECT_LE(PlaceOf(std::string(1 << 20, 'a')).module.size(), 4096u);
}

TEST(CodePlaceTest, FunctionsAreNamedAsPeopleDo) {
  EXPECT_EQ(ShortFunction("read"), "read");
  EXPECT_EQ(ShortFunction("Clicks.read_row"), "read_row");
  EXPECT_EQ(ShortFunction("Clicks.augment.<locals>.<genexpr>"), "augment");
  EXPECT_EQ(ShortFunction("main.<locals>.collate"), "collate");
  EXPECT_EQ(ShortFunction("Mixup.__call__"), "Mixup");
  EXPECT_EQ(ShortFunction("__call__"), "__call__");
  EXPECT_EQ(ShortFunction("<module>"), "<module>");
  EXPECT_EQ(ShortFunction("<lambda>"), "<lambda>");
  EXPECT_EQ(ShortFunction(""), "");
  EXPECT_EQ(ShortFunction("..."), "...");
}

TEST(CodePlaceTest, AModuleIsNamedWhereAFunctionSaysTooLittle) {
  const auto module_of = [](const std::string& file, const std::string& function) {
    return ModuleToName(PlaceOf(file), function);
  };
  const std::string standard = "/usr/lib/python3.11/";
  const std::string packages = "/venv/lib/python3.11/site-packages/";
  EXPECT_EQ(module_of(standard + "json/__init__.py", "loads"), "json");
  EXPECT_EQ(module_of(standard + "multiprocessing/pool.py", "Pool.imap"), "multiprocessing");
  EXPECT_EQ(module_of(packages + "torch/serialization.py", "load"), "torch");
  EXPECT_EQ(module_of(packages + "torch/nn/utils/clip_grad.py", "clip_grad_norm_"), "");
  EXPECT_EQ(module_of("/job/data.py", "load"), "");
  EXPECT_EQ(module_of("<built-in json>", "json.loads"), "");
}

TEST(CodePlaceTest, AnInnerExpressionIsItsFunction) {
  EXPECT_EQ(EnclosingFunction("Words.run.<locals>.<listcomp>"), "Words.run");
  EXPECT_EQ(EnclosingFunction("run.<locals>.<listcomp>.<locals>.<lambda>"), "run");
  EXPECT_EQ(EnclosingFunction("run.<locals>.<listcomp>.<listcomp>"), "run");
  EXPECT_EQ(EnclosingFunction("run.<locals>.inner"), "run.<locals>.inner");
  EXPECT_EQ(EnclosingFunction("run.<locals>.inner.<locals>.<genexpr>"), "run.<locals>.inner");
  EXPECT_EQ(EnclosingFunction("<lambda>"), "<lambda>");
  EXPECT_EQ(EnclosingFunction("<module>"), "<module>");
  EXPECT_EQ(EnclosingFunction(""), "");
}

TEST(CodePlaceTest, FilesAreNamedByTheirEnd) {
  EXPECT_EQ(FileName("/a/b/dataset.py"), "dataset.py");
  EXPECT_EQ(FileName("dataset.py"), "dataset.py");
  EXPECT_EQ(FileName("/a/"), "/a/");
  EXPECT_EQ(FileName(""), "");
}

TEST(CodePlaceTest, GeneratedCodeHasNoFile) {
  for (const char* file : {"<string>", "<stdin>", "<attrs generated init job.Row>",
                           "<eval_with_key>.12", "<template>"}) {
    EXPECT_TRUE(IsGenerated(file)) << file;
  }
  for (const char* file :
       {"", "/job/train.py", "<frozen os>", "<built-in zlib>", "<ipython-input-3-0a1b2c>"}) {
    EXPECT_FALSE(IsGenerated(file)) << file;
  }
}

}  // namespace
}  // namespace steptrace::analyze
