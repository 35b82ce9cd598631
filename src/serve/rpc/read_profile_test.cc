// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/read_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <vector>

#include "serve/rpc/load_device_phases.h"
#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

constexpr int64_t kLiveStepNs = 1'000'000;
constexpr int64_t kLiveSteps = 300;

store::WriterOptions SmallSegments() {
  store::WriterOptions options = store::QuietOptions();
  options.chunk_bytes = 32 << 10;  // so that there are several
  return options;
}

// A closed run of two ranks: in each step a phase and a collective.
class LoadCollectivesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store::RunWriter writer = store::MakeWriter(run(), SmallSegments());
    Fill(writer);
    store::Manifest manifest = store::CompletedManifest();
    manifest.end_ns = kLiveSteps * kLiveStepNs;
    ASSERT_OK(writer.Close(manifest));
  }

  static void Fill(store::RunWriter& writer) {
    store::StringTable& strings = writer.strings();
    for (int32_t rank = 0; rank < 2; ++rank) {
      store::TrackRow track;
      track.track = 1 + rank;
      track.rank = rank;
      track.kind = strings.Intern("thread");
      writer.Append(track);
    }
    writer.Append(store::RunMetadataRow{.kind = strings.Intern("communicator"), .json = "{}"});
    const store::StringId details = strings.Intern(R"({"Process Group Name":"0"})");
    for (int64_t i = 0; i < kLiveSteps; ++i) {
      for (int32_t rank = 0; rank < 2; ++rank) {
        store::SliceRow row;
        row.track = 1 + rank;
        row.rank = rank;
        row.ts_ns = i * kLiveStepNs;
        row.dur_ns = kLiveStepNs / 2;
        row.name = strings.Intern("forward");
        row.category = strings.Intern("phase");
        writer.Append(row);
        row.ts_ns += kLiveStepNs / 2 + rank * 1000;
        row.name = strings.Intern("all_reduce");
        row.category = strings.Intern("communication");
        row.sequence = i;
        row.details = details;
        writer.Append(row);
      }
    }
    ASSERT_OK(writer.Flush());
  }

  LiveCollectives Load(size_t most, const TimeBounds& bounds = {}, const char* name = "run") {
    reader_.emplace(store::OpenRun(dir_.path() / name));
    std::vector<store::StepRow> steps(kLiveSteps);
    for (int64_t i = 0; i < kLiveSteps; ++i) steps[static_cast<size_t>(i)].ts_ns = i * kLiveStepNs;
    auto loaded = LoadCollectives(*reader_, *reader_->Read<store::TrackRow>(),
                                  *reader_->Read<store::RunMetadataRow>(), steps, bounds, most);
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
    EXPECT_EQ(rank.device.size(), size_t{kLiveSteps});
    EXPECT_EQ(rank.host.size(), size_t{kLiveSteps});
  }
}

TEST_F(LoadCollectivesTest, OfALongRunTheNewestOfAllRanksFromOneMomentOn) {
  const LiveCollectives loaded = Load(100);
  ASSERT_EQ(loaded.trace.ranks.size(), 2u);
  ASSERT_TRUE(loaded.from_ns);
  EXPECT_GT(*loaded.from_ns, (kLiveSteps - 50) * kLiveStepNs);
  for (const analyze::RankTrace& rank : loaded.trace.ranks) {
    EXPECT_LE(rank.device.size() + rank.host.size(), 50u);
    EXPECT_GE(rank.device.size(), 10u);
    EXPECT_EQ(rank.host.front().ts_ns, *loaded.from_ns) << "from a step's begin on";
    EXPECT_EQ(rank.NumbersOf(rank.device.back()).sequence, kLiveSteps - 1);
    EXPECT_EQ(rank.device.size(), loaded.trace.ranks[0].device.size());
  }
}

TEST_F(LoadCollectivesTest, TimeRangeAtTheBeginSelectsItsCalls) {
  const LiveCollectives loaded = Load(100, {.from_ns = {}, .to_ns = 10 * kLiveStepNs});
  ASSERT_EQ(loaded.trace.ranks.size(), 2u);
  EXPECT_FALSE(loaded.from_ns);
  EXPECT_EQ(loaded.trace.ranks[0].device.size(), 10u);
}

TEST_F(LoadCollectivesTest, OfARunThatIsBeingWrittenWhatItsJournalHolds) {
  store::RunWriter writer = store::MakeWriter(dir_.path() / "live");
  Fill(writer);
  const LiveCollectives closed = Load(1 << 20);
  const LiveCollectives live = Load(1 << 20, {}, "live");
  ASSERT_EQ(live.trace.ranks.size(), 2u);
  for (size_t rank = 0; rank < 2; ++rank) {
    const analyze::RankTrace& one = live.trace.ranks[rank];
    EXPECT_EQ(one.rank, static_cast<int32_t>(rank));
    ASSERT_EQ(one.device.size(), closed.trace.ranks[rank].device.size());
    EXPECT_EQ(one.device.back().ts_ns, closed.trace.ranks[rank].device.back().ts_ns);
    EXPECT_EQ(one.host.size(), closed.trace.ranks[rank].host.size());
  }
  const LiveCollectives newest = Load(100, {}, "live");
  const analyze::RankTrace& first = newest.trace.ranks[0];
  EXPECT_EQ(first.NumbersOf(first.device.back()).sequence, kLiveSteps - 1);
}

// In each step what the device did, and many kernels of a window.
class LoadDevicePhasesTest : public ::testing::Test {
 protected:
  static constexpr int64_t kKernels = 8;

  static void Fill(store::RunWriter& writer) {
    store::StringTable& strings = writer.strings();
    store::TrackRow track;
    track.track = 9;
    track.rank = 0;
    track.name = "device phases 0";
    writer.Append(track);
    store::SliceRow row;
    row.rank = 0;
    for (int64_t i = 0; i < kLiveSteps; ++i) {
      row.track = 9;
      row.ts_ns = i * kLiveStepNs;
      row.dur_ns = kLiveStepNs - 1;
      row.name = strings.Intern("backward");
      row.category = strings.Intern("device_phase");
      row.args = R"({"device":0,"behind_us":7})";
      writer.Append(row);
      // On another line the same is not the device's own word.
      row.track = 3;
      row.name = strings.Intern("data");
      writer.Append(row);
      row.category = strings.Intern("kernel");
      for (int64_t k = 0; k < kKernels; ++k) writer.Append(row);
    }
    ASSERT_OK(writer.Flush());
  }
  analyze::StepsOnDevice Load(size_t most) {
    store::RunReader reader = store::OpenRun(run());
    std::vector<store::StepRow> steps(kLiveSteps);
    for (int64_t i = 0; i < kLiveSteps; ++i) {
      steps[static_cast<size_t>(i)].step = i;
      steps[static_cast<size_t>(i)].ts_ns = i * kLiveStepNs;
      steps[static_cast<size_t>(i)].dur_ns = kLiveStepNs;
    }
    auto loaded = LoadDevicePhases(reader, *reader.Read<store::TrackRow>(), steps, {}, most);
    EXPECT_TRUE(loaded.ok());
    return *std::move(loaded);
  }
  std::filesystem::path run() const { return dir_.path() / "run"; }

  store::TempDir dir_;
};

TEST_F(LoadDevicePhasesTest, TheirOwnTracksAreReadAlone) {
  store::RunWriter writer = store::MakeWriter(run());
  Fill(writer);
  const auto same = [&] {
    const analyze::StepsOnDevice steps = Load(1 << 20);
    ASSERT_EQ(steps.size(), size_t{kLiveSteps});
    for (const auto& [which, step] : steps) {
      EXPECT_EQ(step.Of(analyze::DevicePhase::kBackward), kLiveStepNs - 1);
      EXPECT_EQ(step.Of(analyze::DevicePhase::kData), 0);
      EXPECT_EQ(step.caught_up, 1);
    }
  };
  same();
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  same();
}

TEST_F(LoadDevicePhasesTest, OfALongRunTheStepsOfItsEnd) {
  store::RunWriter writer = store::MakeWriter(run(), SmallSegments());
  Fill(writer);
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  const analyze::StepsOnDevice steps = Load(40 * kKernels);
  EXPECT_GE(steps.size(), 30u);
  EXPECT_LT(steps.size(), size_t{kLiveSteps} / 2);
  EXPECT_EQ(steps.rbegin()->first.second, (kLiveSteps - 1) * kLiveStepNs);
  const int64_t first = kLiveSteps - static_cast<int64_t>(steps.size());
  EXPECT_EQ(steps.begin()->first.second, first * kLiveStepNs);
}

// In each step an operator and its backward; a window, as its fact tells it.
analyze::RankTrace OperatorsOf(const std::string& window) {
  const store::TempDir dir;
  store::RunWriter writer = store::MakeWriter(dir.path() / "run");
  store::StringTable& strings = writer.strings();
  store::TrackRow track;
  track.track = 1;
  track.rank = 0;
  track.kind = strings.Intern("thread");
  writer.Append(track);
  writer.Append(store::RunMetadataRow{.rank = 0, .kind = strings.Intern("window"), .json = window});
  std::vector<store::StepRow> steps(8);
  for (int64_t i = 0; i < 8; ++i) {
    auto& step = steps[static_cast<size_t>(i)];
    step.rank = 0;
    step.step = 40 + i;
    step.ts_ns = i * kLiveStepNs;
    step.dur_ns = kLiveStepNs;
    store::SliceRow row;
    row.track = 1;
    row.rank = 0;
    row.category = strings.Intern("operator");
    row.ts_ns = i * kLiveStepNs + 600'000;
    row.dur_ns = 1000;
    row.name = strings.Intern("aten::mm");
    row.flow_out = i;
    writer.Append(row);
    row.ts_ns += 2000;
    row.name = strings.Intern("MmBackward0");
    row.flow_out = std::nullopt;
    row.flow_in = i;
    writer.Append(row);
  }
  EXPECT_TRUE(writer.Close(store::CompletedManifest()).ok());
  store::RunReader reader = store::OpenRun(dir.path() / "run");
  auto loaded = LoadOperators(reader, *reader.Read<store::TrackRow>(),
                              *reader.Read<store::RunMetadataRow>(), steps);
  EXPECT_TRUE(loaded.ok() && loaded->ranks.size() == 1);
  return std::move(loaded->ranks.at(0));
}

TEST(LoadOperatorsTest, AWindowHasItsStepsAndTheLinksOfBackward) {
  const auto rank = OperatorsOf(R"({"from_ns":1500000,"to_ns":5500000,"steps":3})");
  ASSERT_EQ(rank.steps.size(), 3u);  // the two at its borders are not whole
  EXPECT_EQ(rank.steps[0].number, 42);
  EXPECT_EQ(rank.steps[2].number, 44);
  EXPECT_FALSE(rank.flows_in.empty());
  for (const analyze::TraceEvent& event : rank.host) {
    const int64_t step = event.ts_ns / kLiveStepNs;
    EXPECT_EQ(event.step, step >= 2 && step < 5 ? step - 2 : analyze::kNone);
  }
}

TEST(LoadOperatorsTest, EventsBetweenRangesOfAWindowAreExcluded) {
  const auto rank = OperatorsOf(
      R"({"from_ns":500000,"to_ns":7500000,"stretches":[[500000,3500000],[4500000,7500000]]})");
  ASSERT_EQ(rank.steps.size(), 4u);
  EXPECT_EQ(rank.steps[1].number, 42);
  EXPECT_EQ(rank.steps[2].number, 45);
}

}  // namespace
}  // namespace steptrace::rpc
