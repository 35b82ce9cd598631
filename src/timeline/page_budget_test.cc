// SPDX-License-Identifier: Apache-2.0
#include "timeline/page_budget.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "base/unnamed_file.h"
#include "testing/timeline_index.h"
#include "timeline/index_builder.h"

namespace steptrace::timeline {
namespace {

constexpr uint64_t kStretchBytes = uint64_t{1} << PageBudget::kChunkLog;

// A file of so many chunks, each of which begins with its number.
class Mapped {
 public:
  explicit Mapped(uint64_t time_ranges) : bytes_(time_ranges * kStretchBytes) {
    auto fd = UnnamedFile("/tmp");
    EXPECT_TRUE(fd.ok());
    EXPECT_EQ(::ftruncate(fd->get(), static_cast<off_t>(bytes_)), 0);
    for (uint64_t i = 0; i < time_ranges; ++i) {
      EXPECT_EQ(::pwrite(fd->get(), &i, sizeof i, static_cast<off_t>(i * kStretchBytes)), 8);
    }
    void* at = ::mmap(nullptr, bytes_, PROT_READ, MAP_SHARED, fd->get(), 0);
    EXPECT_NE(at, MAP_FAILED);
    file_ = static_cast<const std::byte*>(at);
  }
  ~Mapped() { ::munmap(const_cast<std::byte*>(file_), bytes_); }

  const std::byte* file() const { return file_; }
  uint64_t bytes() const { return bytes_; }
  uint64_t Number(MappedPages& pages, uint64_t time_range) const {
    pages.Touch(time_range);
    uint64_t number = 0;
    std::memcpy(&number, file_ + time_range * kStretchBytes, sizeof number);
    return number;
  }

 private:
  const std::byte* file_;
  uint64_t bytes_;
};

TEST(PageBudget, HoldsNoMoreThanItsMostOfAllFiles) {
  PageBudget budget(8 * kStretchBytes);
  const Mapped one(100), other(100);
  MappedPages of_one(one.file(), one.bytes(), budget);
  auto of_other = std::make_unique<MappedPages>(other.file(), other.bytes(), budget);
  for (uint64_t i = 0; i < 3; ++i) {
    EXPECT_EQ(one.Number(of_one, i), i);
    EXPECT_EQ(one.Number(of_one, i), i);
    EXPECT_EQ(other.Number(*of_other, i), i);
  }
  EXPECT_EQ(budget.held_bytes(), static_cast<int64_t>(6 * kStretchBytes)) << "each once";
  for (uint64_t i = 0; i < 100; ++i) {
    EXPECT_EQ(one.Number(of_one, i), i);
    EXPECT_EQ(other.Number(*of_other, 99 - i), 99 - i);
    EXPECT_LE(budget.held_bytes(), static_cast<int64_t>(8 * kStretchBytes));
  }
  EXPECT_GT(budget.held_bytes(), 0);
  of_one.Drop();
  of_other.reset();
  EXPECT_EQ(budget.held_bytes(), 0);
}

TEST(PageBudget, ThreadsShareIt) {
  constexpr uint64_t kThreads = 4;
  PageBudget budget(8 * kStretchBytes);
  const Mapped file(500);
  {
    MappedPages pages(file.file(), file.bytes(), budget);
    std::vector<std::thread> threads;
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (uint64_t i = 0; i < 20'000; ++i) {
          const uint64_t time_range = i * (thread + 1) * 7 % 500;
          ASSERT_EQ(file.Number(pages, time_range), time_range);
          ASSERT_LE(budget.held_bytes(), static_cast<int64_t>((8 + kThreads) * kStretchBytes));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(budget.held_bytes(), 0);
}

TEST(PageBudget, AnIndexTellsWhatIsReadOfIt) {
  const int64_t before = PageBudget::OfProcess().held_bytes();
  std::vector<LaneSlice> slices;
  for (int64_t i = 0; i < 200'000; ++i) slices.push_back({i * 100, 50, 0});
  {
    const Index index = MakeIndex({{1, slices}});
    const Lane lane = index.LaneAt(0, 0);
    int64_t sum = 0;
    for (uint64_t i = 0; i < lane.size(); ++i) sum += lane.Dur(i);
    EXPECT_EQ(sum, 200'000 * 50);
    const int64_t held = PageBudget::OfProcess().held_bytes() - before;
    EXPECT_GE(held, static_cast<int64_t>(200'000 * kLeastSliceBytes));
    EXPECT_LE(held, static_cast<int64_t>(index.bytes() + 2 * kStretchBytes));
    index.DropPages();
    EXPECT_EQ(PageBudget::OfProcess().held_bytes(), before);
    EXPECT_EQ(lane.Ts(199'999), 19'999'900);
  }
  EXPECT_EQ(PageBudget::OfProcess().held_bytes(), before);
}

}  // namespace
}  // namespace steptrace::timeline
