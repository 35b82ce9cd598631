// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "store/test_run.h"

namespace steptrace::rpc {
namespace {

constexpr int64_t kStepNs = 1'000'000;
constexpr int64_t kSteps = 300;

// A closed run of two ranks: in each step a phase and a collective.
class LoadCollectivesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::WriterOptions options = store::QuietOptions();
    options.chunk_bytes = 32 << 10;  // so that there are several segments
    store::RunWriter writer = store::MakeWriter(run(), options);
    store::StringTable& strings = writer.strings();
    for (int32_t rank = 0; rank < 2; ++rank) {
      store::TrackRow track;
      track.track = 1 + rank;
      track.rank = rank;
      track.kind = strings.Intern("thread");
      writer.Append(track);
    }
    writer.Append(store::FactRow{.kind = strings.Intern("communicator"), .json = "{}"});
    const store::StringId details = strings.Intern(R"({"Process Group Name":"0"})");
    for (int64_t i = 0; i < kSteps; ++i) {
      for (int32_t rank = 0; rank < 2; ++rank) {
        store::SliceRow row;
        row.track = 1 + rank;
        row.rank = rank;
        row.ts_ns = i * kStepNs;
        row.dur_ns = kStepNs / 2;
        row.name = strings.Intern("forward");
        row.category = strings.Intern("phase");
        writer.Append(row);
        row.ts_ns += kStepNs / 2 + rank * 1000;
        row.name = strings.Intern("all_reduce");
        row.category = strings.Intern("communication");
        row.sequence = i;
        row.details = details;
        writer.Append(row);
      }
    }
    ASSERT_OK(writer.Flush());
    store::Manifest manifest = store::CompletedManifest();
    manifest.end_ns = kSteps * kStepNs;
    ASSERT_OK(writer.Close(manifest));
  }

  LiveCollectives Load(size_t most, const TimeBounds& bounds = {}) {
    reader_.emplace(store::OpenRun(run()));
    std::vector<store::StepRow> steps(kSteps);
    for (int64_t i = 0; i < kSteps; ++i) steps[static_cast<size_t>(i)].ts_ns = i * kStepNs;
    auto loaded = LoadCollectives(*reader_, *reader_->Read<store::TrackRow>(),
                                  *reader_->Read<store::FactRow>(), steps, bounds, most);
    EXPECT_TRUE(loaded.ok());
    return *std::move(loaded);
  }
  std::filesystem::path run() const { return dir_.path() / "run"; }

  store::TempDir dir_;
  std::optional<store::RunReader> reader_;
};

TEST_F(LoadCollectivesTest, OfAShortRunAll) {
  const LiveCollectives loaded = Load(1 << 20);
  ASSERT_EQ(loaded.trace.ranks.size(), 2u);
  EXPECT_FALSE(loaded.from_ns);
  for (const analyze::RankTrace& rank : loaded.trace.ranks) {
    EXPECT_EQ(rank.device.size(), size_t{kSteps});
    EXPECT_EQ(rank.host.size(), size_t{kSteps});
  }
}

TEST_F(LoadCollectivesTest, OfALongRunTheNewestOfAllRanksFromOneMomentOn) {
  const LiveCollectives loaded = Load(100);
  ASSERT_EQ(loaded.trace.ranks.size(), 2u);
  ASSERT_TRUE(loaded.from_ns);
  EXPECT_GT(*loaded.from_ns, (kSteps - 50) * kStepNs);
  for (const analyze::RankTrace& rank : loaded.trace.ranks) {
    EXPECT_LE(rank.device.size() + rank.host.size(), 50u);
    EXPECT_GE(rank.device.size(), 10u);
    EXPECT_EQ(rank.host.front().ts_ns, *loaded.from_ns) << "from a step's begin on";
    EXPECT_EQ(rank.device.back().sequence, kSteps - 1);
    EXPECT_EQ(rank.device.size(), loaded.trace.ranks[0].device.size());
  }
}

TEST_F(LoadCollectivesTest, OfAStretchAtTheBeginWhatLiesThere) {
  const LiveCollectives loaded = Load(100, {.from_ns = {}, .to_ns = 10 * kStepNs});
  ASSERT_EQ(loaded.trace.ranks.size(), 2u);
  EXPECT_FALSE(loaded.from_ns);
  EXPECT_EQ(loaded.trace.ranks[0].device.size(), 10u);
}

}  // namespace
}  // namespace steptrace::rpc
