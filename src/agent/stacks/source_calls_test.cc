// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/source_calls.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/time.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

std::string Callee(std::string_view expression) {
  return std::string(CalleeOf(expression).value_or("none"));
}

TEST(CalleeOf, IsTheLastCallOfAnExpressionThatIsOne) {
  EXPECT_EQ(Callee("zlib.decompress(blob)"), "zlib.decompress");
  EXPECT_EQ(Callee("open(path, 'rb')"), "open");
  EXPECT_EQ(Callee("self.files[0].read(1 << 20)"), "read");
  EXPECT_EQ(Callee("self.file.read()"), "self.file.read");
  EXPECT_EQ(Callee("image.resize((w, h)).convert('RGB')"), "convert");
  EXPECT_EQ(Callee("image.resize((w, h))\n    .convert(\n  'RGB'  # a ) here\n)"), "convert");
  EXPECT_EQ(Callee("b'('.join(parts)"), "join");
  EXPECT_EQ(Callee("''')'''.join([f\"{a(')')}\", '\\'('])"), "join");
  EXPECT_EQ(Callee("größe(x)"), "größe");
}

TEST(CalleeOf, AnythingElseIsNoCall) {
  for (const char* text : {"",
                           "x",
                           "x.y",
                           "x[f(1)]",
                           "f(x) + g(y)",
                           "-f(x)",
                           "not(x)",
                           "await f(x)",
                           "f(x)(y)",
                           "(f)(x)",
                           "(x)",
                           "f(x",
                           "f)x(",
                           "f('x)",
                           "lambda: f(x)",
                           "f(x) if y else g(x)",
                           "1.(x)",
                           "f (x)",
                           "[f(x)]",
                           "f(x).y",
                           ".(x)",
                           "a..(x)"}) {
    EXPECT_EQ(Callee(text), "none") << text;
  }
  EXPECT_EQ(Callee(std::string(100, '(') + std::string(100, ')')), "none");
  EXPECT_EQ(Callee(std::string(200, 'f') + "()"), "none");
}

std::string Entered(std::string_view text, std::string_view range) {
  const size_t begin = text.find(range);
  return std::string(EnteredBy(text, begin, begin + range.size()).value_or("none"));
}

TEST(EnteredBy, IsTheOneNameOfAWithStatement) {
  constexpr std::string_view kLocked = "def f(self):\n    with self.lock:\n        return 1\n";
  EXPECT_EQ(Entered(kLocked, "with self.lock:\n        return 1"), "self.lock");
  EXPECT_EQ(Entered(kLocked, "self.lock"), "self.lock");
  EXPECT_EQ(Entered(kLocked, "return 1"), "none");
  EXPECT_EQ(Entered("with open(x) as f:\n  f", "with open(x) as f:\n  f"), "none");
  EXPECT_EQ(Entered("with a, b:\n  c", "with a, b:\n  c"), "none");
  EXPECT_EQ(Entered("with a.:\n  c", "with a.:\n  c"), "none");
  EXPECT_EQ(Entered("with ", "with "), "none");
  EXPECT_EQ(Entered("x = lock", "lock"), "none");
}

TEST(CalleeOf, TakesAnyBytes) {
  std::mt19937 random(1);
  constexpr std::string_view kBytes = "a.()[]{}'\"\\# \n,0\xc3+";
  for (int round = 0; round < 20'000; ++round) {
    std::string text(random() % 24, ' ');
    for (char& c : text) c = kBytes[random() % kBytes.size()];
    if (const auto callee = CalleeOf(text)) {
      EXPECT_FALSE(callee->empty());
      EXPECT_NE(text.find(std::string(*callee) + "("), std::string::npos) << text;
    }
  }
}

TEST(ImportsOf, NamesWhatTheSourceCallsIt) {
  const auto imports = ImportsOf(
      "import zlib, numpy as np  # import no\n"
      "import torch.nn.functional\n"
      "import os.path as osp\n"
      "from numpy.random import rand as draw, randn\n"
      "def f():\n"
      "    from PIL import (\n"
      "        Image,  # ) no end\n"
      "        ImageOps as Ops,\n"
      "    )\n"
      "from .own import thing\n"
      "from cut import (\n");
  const std::map<std::string, std::string, std::less<>> expected = {{"zlib", "zlib"},
                                                                    {"np", "numpy"},
                                                                    {"torch", "torch"},
                                                                    {"osp", "os.path"},
                                                                    {"draw", "numpy.random.rand"},
                                                                    {"randn", "numpy.random.randn"},
                                                                    {"Image", "PIL.Image"},
                                                                    {"Ops", "PIL.ImageOps"}};
  EXPECT_EQ(imports, expected);
}

TEST(ImportsOf, AreBounded) {
  const std::string far(1 << 20, 'a');
  std::string names;
  for (int i = 0; i < 100'000; ++i) names += "n" + std::to_string(i) + ",";
  EXPECT_TRUE(ImportsOf("from " + far + " import " + names).empty());
  EXPECT_TRUE(ImportsOf("import " + far).empty());
  EXPECT_LE(ImportsOf("from a import " + names).size(), 4096u);
}

TEST(DefinitionsIn, AreItsFunctionsAndClasses) {
  EXPECT_EQ(DefinitionsIn("class Rows(Dataset):\n  def read(self):\n    async def go (): pass\n"
                          "default = 1\ndefine(x)\ndef\n"),
            (std::set<std::string, std::less<>>{"Rows", "read", "go"}));
}

class SourceCallsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/steptrace-source-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    root_ = name;
  }
  void TearDown() override { fs::remove_all(root_); }
  void Write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ + file).substr(0, (root_ + file).rfind('/')));
    std::ofstream(root_ + file) << text;
  }
  std::string At(SourceCalls& calls, const std::string& file, const SourceRange& range) {
    const auto call = calls.CallAt(SourceRoot::Open(root_), file, range);
    return call ? call->module + ":" + call->function : "none";
  }
  std::string root_;
};

TEST_F(SourceCallsTest, ACallIsNamedByTheImportsOfItsFile) {
  Write("/job/train.py",
        "import zlib as z\nfrom numpy.random import rand\n"
        "x = z.decompress(\n    blob)\ny = rand(3)\nself.file.read(x)\nopen(x)\n");
  SourceCalls calls(UtcNowNs());
  EXPECT_EQ(At(calls, "/job/train.py", {3, 4, 4, 9}), "zlib:zlib.decompress");
  EXPECT_EQ(At(calls, "/job/train.py", {5, 5, 4, 11}), "numpy.random:numpy.random.rand");
  EXPECT_EQ(At(calls, "/job/train.py", {6, 6, 0, 17}), ":self.file.read");
  EXPECT_EQ(At(calls, "/job/train.py", {7, 7, 0, 7}), "builtins:open");
  EXPECT_EQ(At(calls, "/job/train.py", {3, 3, 0, 1}), "none");
}

// Before its frame is there, the caller already stands at the call.
TEST_F(SourceCallsTest, WhatTheFileDefinesIsNoC) {
  Write("/job/train.py", "class A:\n  def read(self): pass\nself.read()\nself.file.seek(0)\n");
  SourceCalls calls(UtcNowNs());
  EXPECT_EQ(At(calls, "/job/train.py", {3, 3, 0, 11}), "none");
  EXPECT_EQ(At(calls, "/job/train.py", {4, 4, 0, 17}), ":self.file.seek");
}

TEST_F(SourceCallsTest, WhatIsCalledHasANameWhoeverDefinesIt) {
  Write("/job/train.py",
        "import json\nclass A:\n  def read(self): pass\n"
        "self.read()\njson.loads(x)\nx = 1\n");
  SourceCalls calls(UtcNowNs());
  const SourceRoot root = SourceRoot::Open(root_);
  EXPECT_EQ(calls.NameCalledAt(root, "/job/train.py", {4, 4, 0, 11}), "read");
  EXPECT_EQ(calls.NameCalledAt(root, "/job/train.py", {5, 5, 0, 13}), "loads");
  EXPECT_EQ(calls.NameCalledAt(root, "/job/train.py", {6, 6, 0, 5}), "");
  EXPECT_EQ(calls.NameCalledAt(root, "/job/train.py", {1, INT32_MAX, 0, 5}), "");
}

TEST_F(SourceCallsTest, ALockThatIsEnteredIsNamed) {
  Write("/job/train.py", "lock = Lock()\nwith lock:\n  x = 1\n");
  Write("/job/store.py", "with con:\n  x = 1\nwith self.block:\n  x = 1\n");
  Write("/job/own.py", "class L:\n  def __enter__(self): pass\nwith lock:\n  x = 1\n");
  SourceCalls calls(UtcNowNs());
  EXPECT_EQ(At(calls, "/job/train.py", {2, 3, 0, 7}), ":lock.__enter__");
  EXPECT_EQ(At(calls, "/job/own.py", {3, 4, 0, 7}), "none");
  // Of anything else the end may be what takes the time: a commit. Both stand at the same place.
  EXPECT_EQ(At(calls, "/job/store.py", {1, 2, 0, 7}), ":with con");
  EXPECT_EQ(At(calls, "/job/store.py", {3, 4, 0, 7}), ":with self.block");
}

TEST_F(SourceCallsTest, RangesThatLieNowhereAreNoCalls) {
  Write("/job/train.py", "f(x)\n");
  SourceCalls calls(UtcNowNs());
  EXPECT_EQ(At(calls, "/job/train.py", {1, 1, 0, 4}), ":f");
  constexpr int32_t kFar = INT32_MAX;
  for (const SourceRange& range :
       {SourceRange{0, 0, 0, 4}, SourceRange{1, 1, -1, 4}, SourceRange{1, 1, 0, -1},
        SourceRange{9, 9, 0, 4}, SourceRange{1, kFar, 0, 4}, SourceRange{1, 1, kFar, kFar},
        SourceRange{2, 1, 0, 4}, SourceRange{1, 1, 4, 0}}) {
    EXPECT_EQ(At(calls, "/job/train.py", range), "none");
  }
}

TEST_F(SourceCallsTest, WhatIsNotTheSourceThatRunsIsNotRead) {
  Write("/job/train.py", "f(x)\n");
  Write("/lib/python3.12/site-packages/x/y.py", "f(x)\n");
  Write("/usr/lib64/python3.12/queue.py", "f(x)\n");
  fs::create_symlink("/dev/zero", root_ + "/job/device.py");
  Write("/job/large.py", "f(x)\n" + std::string(3 << 20, '#'));
  ASSERT_EQ(::mkfifo((root_ + "/job/pipe.py").c_str(), 0600), 0);
  SourceCalls later(UtcNowNs() - 3600 * kNsPerSecond);
  EXPECT_EQ(At(later, "/job/train.py", {1, 1, 0, 4}), "none") << "written since";
  SourceCalls calls(UtcNowNs());
  for (const char* file :
       {"/lib/python3.12/site-packages/x/y.py", "/usr/lib64/python3.12/queue.py", "/job/large.py",
        "/job/device.py", "/job/pipe.py", "/job", "/job/none.py", "job/train.py", "<string>", ""}) {
    EXPECT_EQ(At(calls, file, {1, 1, 0, 4}), "none") << file;
  }
  EXPECT_EQ(At(calls, "/job/train.py", {1, 1, 0, 4}), ":f");
}

// As the process means it, whose root is another than ours.
TEST_F(SourceCallsTest, LinksStayBelowTheRoot) {
  Write("/data/train.py", "f(x)\n");
  fs::create_directories(root_ + "/job");
  fs::create_symlink("/data/train.py", root_ + "/job/train.py");
  fs::create_symlink("../../../../../../../data", root_ + "/job/up");
  SourceCalls calls(UtcNowNs());
  EXPECT_EQ(At(calls, "/job/train.py", {1, 1, 0, 4}), ":f");
  EXPECT_EQ(At(calls, "/job/up/train.py", {1, 1, 0, 4}), ":f");
  SourceCalls none(SourceCalls::kNone);
  EXPECT_EQ(At(none, "/job/train.py", {1, 1, 0, 4}), "none");
}

TEST_F(SourceCallsTest, AMethodIsNoImportOfItsName) {
  Write("/job/train.py",
        "from re import split\nline[0].split(',')\nself.fs[0].open(p)\n(x\n  .split(','))\n"
        "split(p, x)\n");
  SourceCalls calls(UtcNowNs());
  EXPECT_EQ(At(calls, "/job/train.py", {2, 2, 0, 18}), ":split");
  EXPECT_EQ(At(calls, "/job/train.py", {3, 3, 0, 18}), ":open");
  EXPECT_EQ(At(calls, "/job/train.py", {5, 5, 3, 13}), ":split") << "as CPython tells it";
  EXPECT_EQ(At(calls, "/job/train.py", {6, 6, 0, 11}), "re:re.split");
}

TEST_F(SourceCallsTest, KeepsSoManySourcesAndStartsAnew) {
  for (int i = 0; i < 600; ++i) {
    Write("/job/" + std::to_string(i) + ".py", "f" + std::to_string(i) + "(x)\n");
  }
  SourceCalls calls(UtcNowNs());
  for (int i = 0; i < 600; ++i) {
    const std::string text = "f" + std::to_string(i);
    const auto end = static_cast<int32_t>(text.size()) + 3;
    EXPECT_EQ(At(calls, "/job/" + std::to_string(i) + ".py", {1, 1, 0, end}), ":" + text);
  }
}

}  // namespace
}  // namespace steptrace::agent
