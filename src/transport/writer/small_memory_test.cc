// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <thread>

#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::transport {
namespace {

using testing::DrainAll;
using testing::DrainInto;
using testing::ProcessTrace;
using testing::TestRingFolder;
using testing::WhyNotNested;

uint32_t UserName(const std::string& text) {
  return Name(text.data(), text.size(), static_cast<uint16_t>(wire::Category::kUser));
}

// The writer on a tmpfs that is too small for its rings.
class SmallMemoryTest : public ::testing::Test {
 protected:
  // Mounts a tmpfs of its own over the folder. False: not permitted here.
  bool Mount(uint64_t bytes) {
    const std::string options = "mode=0700,size=" + std::to_string(bytes);
    mounted_ = mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, options.c_str()) == 0;
    return mounted_;
  }
  ~SmallMemoryTest() override {
    DetachForTesting();
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }

  TestRingFolder folder_;
  bool mounted_ = false;
};

TEST_F(SmallMemoryTest, ARingThatCannotGrowGoesRoundInWhatItHas) {
  if (!Mount(1 << 20)) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  ASSERT_TRUE(Attach());
  const uint32_t name = UserName("x"), outer = UserName("outer");
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  Begin(outer);
  constexpr uint64_t kPairs = 120'000;
  for (uint64_t i = 0; i < kPairs; ++i) {
    Begin(name, i);
    Instant(name, i, 0);
    End();
    if (i % 1000 == 0) DrainInto(file, trace);
    if (i % 20'000 == 0) usleep(1000);
  }
  End();
  DrainInto(file, trace);
  EXPECT_EQ(trace.counts.records, kPairs * 3 + 2);
  EXPECT_EQ(trace.counts.dropped_full + trace.counts.invalid, 0u);
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
}

TEST_F(SmallMemoryTest, ARingThatCannotGrowHasRoomForWhatItIs) {
  if (!Mount(1 << 20)) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  ASSERT_TRUE(Attach());
  const uint32_t name = UserName("x");
  Instant(name, 0, 0);
  EXPECT_TRUE(HasRoomForMany(UINT64_MAX));
  for (uint32_t i = 0; i < wire::kLargeRingRecords; ++i) Instant(name, i, 0);
  EXPECT_FALSE(HasRoomForMany(UINT64_MAX));
}

TEST_F(SmallMemoryTest, AFullRingThatCannotGrowStaysNested) {
  if (!Mount(1 << 20)) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  ASSERT_TRUE(Attach());
  const uint32_t name = UserName("x"), mark = UserName("mark");
  UntrustedRingFile file = folder_.OpenOnly();
  ProcessTrace trace;
  uint64_t made = 0;
  for (int round = 0; round < 120; ++round) {
    for (int i = 0; i < 1 + round * 37 % 5000; ++i, made += 5) {
      Begin(name);
      Begin(name);
      Instant(mark, made, 0);
      End();
      End();
    }
    if (round % 3 == 0) DrainInto(file, trace);
  }
  DrainInto(file, trace);
  EXPECT_GT(trace.counts.dropped_full, 0u);
  EXPECT_EQ(trace.counts.records + trace.counts.dropped_full, made);
  EXPECT_EQ(trace.counts.invalid, 0u);
  EXPECT_EQ(WhyNotNested(trace.threads.at(0).records), "");
}

TEST_F(SmallMemoryTest, ThreadsWithoutMemoryAreCounted) {
  if (!Mount(256 << 10)) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  ASSERT_TRUE(Attach());
  const uint32_t name = UserName("x");
  Instant(name, 0, 0);
  for (int i = 0; i < 3; ++i) std::thread([&] { Instant(name, 1, 0); }).join();
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.counts.records, 1u);
  EXPECT_EQ(trace.counts.dropped_no_space, 3u);
}

TEST_F(SmallMemoryTest, TextsWithoutMemoryAreNoTooManyTexts) {
  if (!Mount(64 << 10)) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  ASSERT_TRUE(Attach());
  constexpr int kTexts = 3000;  // the writer looks for memory again once in a thousand
  for (int i = 0; i < kTexts; ++i) EXPECT_EQ(UserName("x" + std::to_string(i)), 0u);
  const ProcessTrace trace = DrainAll(folder_.OpenOnly());
  EXPECT_EQ(trace.counts.dropped_names, 0u);
  EXPECT_EQ(trace.counts.dropped_no_space, static_cast<uint64_t>(kTexts));
}

TEST_F(SmallMemoryTest, NoMemoryAtAllLeavesAMarker) {
  if (!Mount(16 << 10)) GTEST_SKIP() << "mounting a tmpfs is not permitted here";
  EXPECT_FALSE(Attach());
  EXPECT_EQ(folder_.Files(".no_space").size(), 1u);
  EXPECT_EQ(folder_.Files(".ring").size(), 0u);
}

}  // namespace
}  // namespace steptrace::transport
