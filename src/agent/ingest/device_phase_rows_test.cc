// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/device_phase_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

#include "agent/ingest/record_converter.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

class DevicePhaseRowsTest : public testing::Test {
 protected:
  // A record of the process, as the converter takes it.
  void Feed(uint64_t begin, uint64_t a, uint64_t end) {
    const wire::Record record =
        wire::MakeRecord(wire::RecordKind::kComplete, begin, kForwardId, 0, a, end);
    converter_.Convert(thread_, {&record, 1}, RunClock{nullptr, 1000}, out_);
  }
  static RecordConverter::Settings MakeSettings() {
    RecordConverter::Settings settings;
    settings.pid = 40;
    settings.process_name = "python";
    settings.name_of = [](uint32_t id) -> std::optional<RecordConverter::Name> {
      if (id != kForwardId) return std::nullopt;
      return RecordConverter::Name{"forward", static_cast<uint16_t>(wire::Category::kDevicePhase)};
    };
    settings.rank_of = [](int32_t, bool) { return 0; };
    settings.thread_name_of = [](int32_t) { return std::string("main"); };
    return settings;
  }
  static uint64_t Argument(uint32_t device, uint32_t behind_us) {
    return device | uint64_t{behind_us} << 32;
  }

  static constexpr uint32_t kForwardId = 3;
  store::StringTable strings_;
  TrackRegistry tracks_{0, strings_};
  RecordConverter converter_{MakeSettings(), strings_, tracks_};
  ThreadState thread_;
  RowBatch out_;
};

TEST_F(DevicePhaseRowsTest, PhasesOfADeviceLieOnALineOfItsOwn) {
  Feed(1100, Argument(0, 7), 1300);
  Feed(1300, Argument(0, wire::kUnknownBehind), 1400);
  Feed(1400, Argument(1, 0), 1450);
  ASSERT_EQ(out_.slices.size(), 3u);
  const store::SliceRow& first = out_.slices[0];
  EXPECT_EQ(strings_.Text(first.category), "device_phase");
  EXPECT_EQ(strings_.Text(first.name), "forward");
  EXPECT_EQ(first.ts_ns, 100);
  EXPECT_EQ(first.dur_ns, 200);
  EXPECT_EQ(first.depth, 0);
  EXPECT_EQ(first.rank, 0);
  EXPECT_EQ(first.args, R"({"device":0,"behind_us":7})");
  EXPECT_EQ(out_.slices[1].args, R"({"device":0})");
  EXPECT_EQ(out_.slices[1].track, first.track);
  std::map<int32_t, std::string> names;
  for (const auto& track : tracks_.TakeRows()) names[track.track] = track.name;
  EXPECT_EQ(names[first.track], "device phases 0");
  EXPECT_EQ(names[out_.slices[2].track], "device phases 1");
  EXPECT_EQ(converter_.invalid_records(), 0);
}

TEST_F(DevicePhaseRowsTest, InvalidPhasesAreCountedAndLeftOut) {
  Feed(1100, Argument(5000, 7), 1300);  // a device that no process has
  Feed(1100, ~uint64_t{0}, 1300);
  EXPECT_TRUE(out_.slices.empty());
  EXPECT_EQ(converter_.invalid_records(), 2);
}

}  // namespace
}  // namespace steptrace::agent
