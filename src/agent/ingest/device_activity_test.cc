// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/device_activity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "agent/ingest/record_converter.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;
using wire::Category;
using wire::Record;
using wire::RecordKind;

// Records of a process with CLOCK_MONOTONIC readings; the run began at 1000, and the device's clock
// is ahead of the run's by kAhead.
constexpr uint64_t kAhead = 1'700'000'000'000'000'000;

class DeviceActivityTest : public ::testing::Test {
 protected:
  DeviceActivityTest() {
    clock_.epoch_monotonic_ns = 1000;
    clock_.latest_ns = 1'000'000'000;
    Text(1, "_Z3addPfi");
    Text(2, "Memcpy HtoD (Pinned -> Device)");
    Text(3, "cudaLaunchKernel");
    Text(4, "cuLaunchKernel");
    Text(10, "device_clock");
    Text(11, "device_bytes");
    Text(12, "device_lost");
    Text(20, R"({"device":0,"context":1,"stream":7,"registers":38,"shared":1024,)"
             R"("grid":[128,1,1],"block":[256,1,1]})");
    Text(21, R"({"device":0,"context":1,"stream":8})");
    Text(22, R"({"thread":42})");
  }

  void Text(uint32_t id, std::string text) { texts_[id] = std::move(text); }
  bool Feed(Category category, uint32_t name, uint64_t tsc, uint64_t a, uint64_t b,
            uint8_t flags = 0) {
    Record record = wire::MakeRecord(RecordKind::kActivity, tsc, name, flags, a, b);
    record.category = static_cast<uint16_t>(category);
    activity_.Prepare({&record, 1});
    return activity_.Take(clocks_, record, clock_, 3, out_);
  }
  bool Clock(int64_t run_ns) { return Clock(run_ns, kAhead + static_cast<uint64_t>(run_ns)); }
  bool Clock(int64_t run_ns, uint64_t device_ns) {
    return Feed(Category::kWindow, 10, static_cast<uint64_t>(run_ns + 1000), device_ns, 0);
  }
  static uint64_t At(uint64_t correlation, uint64_t place) { return place << 32 | correlation; }
  std::string Of(store::StringId id) { return strings_.Text(id); }

  store::StringTable strings_;
  TrackRegistry tracks_{0, strings_};
  std::map<uint32_t, std::string> texts_;
  RunClock clock_;
  DeviceClocks clocks_;
  DeviceActivity activity_{
      {[this](uint32_t id) -> std::optional<std::string> {
         const auto found = texts_.find(id);
         if (found == texts_.end()) return std::nullopt;
         return found->second;
       },
       [](int32_t tid) { return 1000 + tid; }, [](int32_t, int64_t) { return 2; }},
      strings_,
      tracks_};
  RowBatch out_;
};

TEST_F(DeviceActivityTest, AKernelIsARowAsPyTorchsProfilerWritesIt) {
  activity_.NoteDevice({{"device", 0}, {"multiprocessors", 64}});
  ASSERT_TRUE(Clock(100));
  ASSERT_TRUE(Clock(900));
  ASSERT_TRUE(Feed(Category::kKernel, 1, kAhead + 500, kAhead + 700, At(77, 20)));
  ASSERT_THAT(out_.slices, SizeIs(1));
  const store::SliceRow& row = out_.slices[0];
  EXPECT_EQ(row.ts_ns, 500);
  EXPECT_EQ(row.dur_ns, 200);
  EXPECT_EQ(row.rank, 3);
  EXPECT_EQ(Of(row.name), "add(float*, int)");
  EXPECT_EQ(Of(row.category), "kernel");
  EXPECT_EQ(row.correlation, 77);
  EXPECT_EQ(Of(row.details),
            R"({"context":1,"registers per thread":38,"shared memory":1024,"blocks per SM":2.0,)"
            R"("warps per SM":16.0,"grid":[128,1,1],"block":[256,1,1]})");
  const auto tracks = tracks_.TakeRows();
  ASSERT_THAT(tracks, SizeIs(3));  // the node's, the device's, the stream's
  EXPECT_EQ(Of(tracks[1].kind), "device");
  EXPECT_EQ(Of(tracks[2].kind), "stream");
  EXPECT_EQ(tracks[2].parent, tracks[1].track);
  EXPECT_EQ(tracks[2].device, 0);
  EXPECT_EQ(tracks[2].stream, 7);
  EXPECT_EQ(tracks[2].rank, 3);
  EXPECT_EQ(row.track, tracks[2].track);
}

TEST_F(DeviceActivityTest, ACallLiesOnItsThread) {
  Clock(100);
  EXPECT_TRUE(Feed(Category::kRuntime, 3, kAhead + 50, kAhead + 60, At(5, 22)));
  EXPECT_TRUE(Feed(Category::kRuntime, 4, kAhead + 70, kAhead + 80, At(6, 22)));
  ASSERT_THAT(out_.slices, SizeIs(2));
  EXPECT_EQ(Of(out_.slices[0].category), "cuda_runtime");
  EXPECT_EQ(Of(out_.slices[1].category), "cuda_driver");
  EXPECT_EQ(out_.slices[0].track, 1042);
  EXPECT_EQ(out_.slices[0].depth, 2);
}

TEST_F(DeviceActivityTest, BytesAreOfTheNextAlone) {
  Clock(100);
  EXPECT_TRUE(Feed(Category::kWindow, 11, 0, 4096, 0));
  EXPECT_TRUE(Feed(Category::kMemcpy, 2, kAhead + 10, kAhead + 20, At(1, 21)));
  EXPECT_TRUE(Feed(Category::kMemcpy, 2, kAhead + 30, kAhead + 40, At(2, 21)));
  EXPECT_TRUE(Feed(Category::kWindow, 11, 0, 4096, 0));
  EXPECT_TRUE(Feed(Category::kMemcpy, 2, kAhead + 50, kAhead + 60, At(3, 21), wire::kFlagAfterLoss))
      << "what the bytes were of is lost";
  ASSERT_THAT(out_.slices, SizeIs(3));
  EXPECT_EQ(out_.slices[0].bytes, 4096);
  EXPECT_EQ(out_.slices[1].bytes, std::nullopt);
  EXPECT_EQ(out_.slices[2].bytes, std::nullopt);
}

TEST_F(DeviceActivityTest, TheClocksDriftIsTakenOut) {
  // In 100 ms of the run the device's clock went 10 us further.
  Clock(0, kAhead);
  Clock(100'000'000, kAhead + 100'010'000);
  ASSERT_TRUE(Feed(Category::kKernel, 1, kAhead + 50'005'000, kAhead + 50'005'100, At(1, 20)));
  EXPECT_EQ(out_.slices[0].ts_ns, 50'000'000);
  EXPECT_EQ(out_.slices[0].dur_ns, 100);
}

TEST_F(DeviceActivityTest, AClockThatWasSetCountsAsItIsNow) {
  Clock(0, kAhead);
  Clock(100'000'000, kAhead + 3'600'000'000'000);
  ASSERT_TRUE(Feed(Category::kKernel, 1, kAhead + 3'600'000'000'000 - 1000,
                   kAhead + 3'600'000'000'000, At(1, 20)));
  EXPECT_EQ(out_.slices[0].ts_ns, 100'000'000 - 1000);
}

TEST_F(DeviceActivityTest, WhatIsMissingIsCountedByCause) {
  EXPECT_TRUE(Feed(Category::kWindow, 12, 0, 5, 1));
  EXPECT_TRUE(Feed(Category::kWindow, 12, 0, 7, 4));
  EXPECT_TRUE(Feed(Category::kWindow, 12, 0, ~0ull, 4));
  EXPECT_FALSE(Feed(Category::kWindow, 12, 0, 7, 0));
  EXPECT_TRUE(Feed(Category::kWindow, 12, 0, 1, 5));
  EXPECT_FALSE(Feed(Category::kWindow, 12, 0, 7, 6));
  EXPECT_EQ(activity_.losses()[0], 5);
  EXPECT_GT(activity_.losses()[3], 7);
}

TEST_F(DeviceActivityTest, MaliceIsRefused) {
  EXPECT_FALSE(Feed(Category::kKernel, 1, kAhead + 1, kAhead + 2, At(1, 20))) << "no clock yet";
  Clock(100);
  EXPECT_FALSE(Feed(Category::kKernel, 1, kAhead + 9, kAhead + 2, At(1, 20))) << "ends too early";
  EXPECT_FALSE(Feed(Category::kKernel, 1, kAhead, ~0ull, At(1, 20))) << "lasts for ever";
  EXPECT_FALSE(Feed(Category::kKernel, 1, 0, 1, At(1, 20))) << "another century";
  EXPECT_FALSE(Feed(Category::kKernel, 1, ~0ull, ~0ull, At(1, 20)));
  EXPECT_FALSE(
      Feed(Category::kKernel, 1, kAhead + 5'000'000'000, kAhead + 5'000'000'001, At(1, 20)))
      << "not yet";
  EXPECT_FALSE(Feed(Category::kKernel, 1, kAhead + 1, kAhead + 2, At(1, 99))) << "no such place";
  EXPECT_FALSE(Feed(Category::kKernel, 1, kAhead + 1, kAhead + 2, At(1, 22))) << "a thread's";
  EXPECT_FALSE(Feed(Category::kRuntime, 3, kAhead + 1, kAhead + 2, At(1, 20))) << "a stream's";
  EXPECT_FALSE(Feed(Category::kUser, 1, kAhead + 1, kAhead + 2, At(1, 20)));
  uint32_t place = 50;
  for (const char* text : {"", "{", "[]", "{}", R"({"device":-1,"stream":7})",
                           R"({"device":0,"stream":1e300})", R"({"device":"0","stream":7})",
                           R"({"thread":-4})", R"({"device":99999999999,"stream":7})"}) {
    Text(++place, text);
    EXPECT_FALSE(Feed(Category::kKernel, 1, kAhead + 1, kAhead + 2, At(1, place))) << text;
  }
  EXPECT_THAT(out_.slices, IsEmpty());
  Text(90, R"({"device":0,"stream":7,"grid":[1,2],"block":[-1,1,1],"registers":-2,"graph":"x"})");
  EXPECT_TRUE(Feed(Category::kKernel, 1, kAhead + 1, kAhead + 2, At(1, 90)));
  EXPECT_EQ(Of(out_.slices.at(0).details), "{}") << "of a place what makes sense";
}

TEST_F(DeviceActivityTest, StreamsWithoutEndShareATrack) {
  Clock(100);
  for (uint32_t stream = 0; stream < 6000; ++stream) {
    const std::string number = std::to_string(stream);
    Text(100 + stream, R"({"device":0,"stream":)" + number + "}");
    ASSERT_TRUE(Feed(Category::kKernel, 1, kAhead + 1, kAhead + 2, At(1, 100 + stream)));
  }
  EXPECT_THAT(tracks_.TakeRows(), SizeIs(2 + 4096 + 1));
  EXPECT_EQ(out_.slices[5000].track, out_.slices[5999].track);
}

TEST(DepthLogTest, ADepthIsThatOfTheLastChangeBefore) {
  DepthLog log;
  log.Note(100, 1);
  log.Note(200, 2);
  log.Note(300, 1);
  log.Note(400, 0);
  EXPECT_EQ(log.At(50), 0);
  EXPECT_EQ(log.At(100), 1);
  EXPECT_EQ(log.At(250), 2);
  EXPECT_EQ(log.At(399), 1);
  EXPECT_EQ(log.At(1000), 0);
}

}  // namespace
}  // namespace steptrace::agent
