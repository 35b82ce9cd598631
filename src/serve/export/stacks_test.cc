// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "serve/export/export.h"
#include "testing/test_run.h"

namespace steptrace::exporter {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

// Two threads of a process; main waits in f, called by the module, and works in g, called by f.
class StackExportTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::RunWriter writer = store::MakeWriter(run());
    auto& strings = writer.strings();
    for (int32_t track : {0, 1}) {
      store::TrackRow row;
      row.track = track;
      row.kind = strings.Intern("thread");
      row.rank = 0;
      row.pid = 40;
      row.tid = 40 + track;
      row.name = track == 0 ? "python" : "pin\"memory";
      writer.Append(row);
    }
    auto stack = [&](int32_t number, std::optional<int32_t> parent, const char* function,
                     int32_t line) {
      store::StackRow row;
      row.stack = number;
      row.parent = parent;
      row.kind = strings.Intern("python");
      row.function = strings.Intern(function);
      row.file = strings.Intern("/a/train.py");
      row.line = line;
      writer.Append(row);
    };
    stack(0, {}, "<module>", 30);
    stack(1, 0, "f;\n\u202e", 7);
    stack(2, 1, "g", 3);
    auto sample = [&](int64_t ts_ns, int32_t track, int32_t number, int64_t interval_ns) {
      store::SampleRow row;
      row.ts_ns = ts_ns;
      row.track = track;
      row.stack = number;
      row.state = strings.Intern("running");
      row.interval_ns = interval_ns;
      writer.Append(row);
    };
    if (samples_) {
      sample(100, 0, 2, 50);
      sample(140, 1, 0, 60);
      sample(150, 0, 1, 50);
      sample(220, 0, 2, 70);
    }
    for (const int64_t interval_ns : more_intervals_ns_) sample(300, 1, 0, interval_ns);
    ASSERT_OK(writer.Close(store::SampleManifest()));
  }
  std::string Export(TraceFormat format) {
    const Status written = ExportTrace(run(), format, dir_.path() / "out");
    if (!written.ok()) return written.error().text();
    std::ifstream in(dir_.path() / "out", std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  fs::path run() const { return dir_.path() / "run"; }

  store::TempDir dir_;
  bool samples_ = true;
  std::vector<int64_t> more_intervals_ns_;
};

TEST_F(StackExportTest, SpeedscopeHasAProfileForEachThread) {
  const std::string text = Export(TraceFormat::kSpeedscope);
  EXPECT_THAT(text, HasSubstr("f;\\n\\u202e"));  // escapes of JSON
  const Json file = Json::parse(text);
  EXPECT_EQ(file["$schema"], "https://www.speedscope.app/file-format-schema.json");
  const Json& frames = file["shared"]["frames"];
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[1], (Json{{"name", "f;\n\u202e"}, {"file", "/a/train.py"}, {"line", 7}}));
  ASSERT_EQ(file["profiles"].size(), 2u);
  const Json& main = file["profiles"][0];
  EXPECT_EQ(main["type"], "sampled");
  EXPECT_EQ(main["unit"], "nanoseconds");
  EXPECT_EQ(main["name"], "rank 0 python (40/40)");
  EXPECT_EQ(main["samples"], Json::parse("[[0,1,2],[0,1],[0,1,2]]"));
  EXPECT_EQ(main["weights"], Json::parse("[50,50,70]"));
  EXPECT_EQ(main["startValue"], 50);
  EXPECT_EQ(main["endValue"], 220);
  EXPECT_EQ(file["profiles"][1]["weights"], Json::parse("[60]"));
}

TEST_F(StackExportTest, FoldedSumsUp) {
  EXPECT_EQ(Export(TraceFormat::kFolded),
            "rank 0 python (40/40);<module> (/a/train.py:30);f:\\n\\u202e (/a/train.py:7) 50\n"
            "rank 0 python (40/40);<module> (/a/train.py:30);f:\\n\\u202e (/a/train.py:7);"
            "g (/a/train.py:3) 120\n"
            "rank 0 pin\"memory (40/41);<module> (/a/train.py:30) 60\n");
}

// A sampler that takes one a second and misses some is as slow as they are.
class HostileStacksTest : public StackExportTest {
 protected:
  HostileStacksTest() { more_intervals_ns_ = {INT64_MAX, INT64_MIN, -5, INT64_MAX}; }
};

TEST_F(HostileStacksTest, IntervalsAreNeitherNegativeNorWithoutEnd) {
  const Json file = Json::parse(Export(TraceFormat::kSpeedscope));
  const Json& other = file["profiles"][1];
  EXPECT_EQ(other["weights"], Json::parse("[60,3600000000000,0,0,3600000000000]"));
  EXPECT_EQ(other["endValue"].get<int64_t>() - other["startValue"].get<int64_t>(),
            7'200'000'000'060);
  EXPECT_THAT(Export(TraceFormat::kFolded), HasSubstr("(/a/train.py:30) 7200000000060\n"));
}

class NoStacksTest : public StackExportTest {
 protected:
  NoStacksTest() { samples_ = false; }
};

TEST_F(NoStacksTest, AreAnErrorThatSaysHow) {
  EXPECT_THAT(Export(TraceFormat::kSpeedscope), HasSubstr("no samples of stacks"));
  EXPECT_THAT(Export(TraceFormat::kFolded), HasSubstr("--stack-rate"));
  EXPECT_FALSE(fs::exists(dir_.path() / "out"));
}

}  // namespace
}  // namespace steptrace::exporter
