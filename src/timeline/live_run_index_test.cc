// SPDX-License-Identifier: Apache-2.0
// When an index that grows begins anew, gives up, and lets go of what it holds.
#include "timeline/live_run_index.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "base/time.h"
#include "store/run_files.h"
#include "testing/test_run.h"
#include "timeline/run_index.h"

namespace steptrace::timeline {
namespace {

namespace fs = std::filesystem;
using store::TempDir;

constexpr int64_t kDayNs = int64_t{24} * 3600 * kNsPerSecond;

class LiveRunIndexTest : public testing::Test {
 protected:
  // A run that is being written, with an id of its own.
  store::RunWriter Begin(const std::string& name) {
    store::Manifest manifest = store::SampleManifest();
    manifest.id = name;
    auto writer = store::RunWriter::Create(folder_.path() / name, manifest, store::QuietOptions());
    EXPECT_TRUE(writer.ok()) << (writer.ok() ? "" : writer.error().text());
    return *std::move(writer);
  }
  static void Write(store::RunWriter& writer, int64_t ts_ns, int64_t dur_ns) {
    store::SliceRow row = store::SampleSlice(writer.strings(), 0);
    row.ts_ns = ts_ns;
    row.dur_ns = dur_ns;
    row.track = 1;
    writer.Append(row);
  }
  // A thousand ranges, one a second, from there on.
  static void WriteMany(store::RunWriter& writer, int64_t from_ns) {
    for (int64_t i = 0; i < 1000; ++i) Write(writer, from_ns + i * kNsPerSecond, 5);
    ASSERT_OK(writer.Flush());
  }
  Status OpenIndex(const std::string& name) {
    auto reader = store::RunReader::Open(folder_.path() / name);
    if (!reader.ok()) return reader.error();
    const auto index = live_.Open(*reader, FingerprintOf(*reader));
    return index.ok() ? Status() : Status(index.error());
  }
  // Rows so far apart that no horizon holds them.
  void GiveUpOn(store::RunWriter& writer, const std::string& name) {
    WriteMany(writer, 3 * kDayNs);
    ASSERT_OK(OpenIndex(name));
    Write(writer, 0, 4 * kDayNs);
    ASSERT_OK(writer.Flush());
    ASSERT_FALSE(OpenIndex(name).ok());
    ASSERT_FALSE(OpenIndex(name).ok());
    ASSERT_TRUE(live_.empty());
  }

  TempDir folder_;
  LiveRunIndex live_;
};

TEST_F(LiveRunIndexTest, FailureOfOneRunLeavesOthersIntact) {
  store::RunWriter first = Begin("first");
  GiveUpOn(first, "first");
  store::RunWriter second = Begin("second");
  WriteMany(second, 0);
  EXPECT_TRUE(OpenIndex("second").ok());
  // It begins with the short horizon again: a range of a quarter of an hour only makes it longer.
  Write(second, 500, 999 * kNsPerSecond);
  ASSERT_OK(second.Flush());
  EXPECT_TRUE(OpenIndex("second").ok());
}

TEST_F(LiveRunIndexTest, ForgottenRunIsReadAgain) {
  store::RunWriter writer = Begin("run");
  GiveUpOn(writer, "run");
  live_.Forget();
  EXPECT_TRUE(OpenIndex("run").ok()) << "all rows are read before one settles";
}

TEST_F(LiveRunIndexTest, AnErrorThatPassesIsNoReasonToGiveUp) {
  store::RunWriter writer = Begin("run");
  WriteMany(writer, 0);
  ASSERT_OK(OpenIndex("run"));
  const auto journals = store::ListJournals(folder_.path() / "run");
  ASSERT_FALSE(journals.empty());
  for (const store::JournalFile& file : journals) {
    if (file.table == "slices") fs::resize_file(file.path, file.bytes / 2);
  }
  EXPECT_FALSE(OpenIndex("run").ok()) << "the journal became shorter";
  EXPECT_TRUE(OpenIndex("run").ok()) << "and is read from its begin";
}

TEST_F(LiveRunIndexTest, NothingIsHeldOfARunWhoseWriterIsGone) {
  const fs::path path = folder_.path() / "run";
  {
    store::RunWriter writer = Begin("run");
    WriteMany(writer, 0);
    auto reader = store::RunReader::Open(path);
    ASSERT_OK(reader);
    ASSERT_EQ(reader->state(), store::RunState::kLive);
    ASSERT_OK(OpenRunIndex(*reader, &live_));
    EXPECT_FALSE(live_.empty());
  }
  auto reader = store::RunReader::Open(path);
  ASSERT_OK(reader);
  ASSERT_EQ(reader->state(), store::RunState::kDead);
  ASSERT_OK(OpenRunIndex(*reader, &live_));
  EXPECT_TRUE(live_.empty());
}

}  // namespace
}  // namespace steptrace::timeline
