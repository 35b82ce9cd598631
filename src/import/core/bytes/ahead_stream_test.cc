// SPDX-License-Identifier: Apache-2.0
#include "import/core/bytes/ahead_stream.h"

#include <gmock/gmock.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace steptrace::import {
namespace {

// Numbers its bytes; ends with damage or an error where it is told.
class Counting : public ByteStream {
 public:
  Counting(size_t size, bool fails) : size_(size), fails_(fails) {}
  Result<size_t> Read(char* out, size_t size) override {
    size_t count = std::min({size, size_ - at_, size_t{77'777}});
    if (count == 0 && fails_) return Error{"broken"};
    for (size_t i = 0; i < count; ++i) out[i] = static_cast<char>((at_ + i) * 31 >> 3);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }
  std::string damage() const override { return at_ == size_ ? "cut off" : ""; }

 private:
  size_t size_;
  bool fails_;
  size_t at_ = 0;
};

TEST(AheadStream, GivesTheSameBytes) {
  constexpr size_t kBytes = 3'000'001;
  auto ahead = AheadOf(std::make_unique<Counting>(kBytes, false));
  std::string found(kBytes + 100, '\0');
  auto got = ReadFully(*ahead, found.data(), found.size());
  ASSERT_TRUE(got.ok());
  ASSERT_EQ(*got, kBytes);
  for (size_t i = 0; i < kBytes; ++i) ASSERT_EQ(found[i], static_cast<char>(i * 31 >> 3)) << i;
  EXPECT_EQ(ahead->consumed(), static_cast<int64_t>(kBytes));
  EXPECT_EQ(ahead->damage(), "cut off");
  EXPECT_EQ(*ahead->Read(found.data(), 10), 0u);  // and again
}

// Asks for stacks that no machine has room for.
class WithoutThreads {
 public:
  WithoutThreads() {
    pthread_attr_t wide;
    EXPECT_EQ(pthread_getattr_default_np(&usual_), 0);
    EXPECT_EQ(pthread_attr_init(&wide), 0);
    EXPECT_EQ(pthread_attr_setstacksize(&wide, size_t{1} << 60), 0);
    EXPECT_EQ(pthread_setattr_default_np(&wide), 0);
    pthread_attr_destroy(&wide);
  }
  ~WithoutThreads() {
    EXPECT_EQ(pthread_setattr_default_np(&usual_), 0);
    pthread_attr_destroy(&usual_);
  }

 private:
  pthread_attr_t usual_{};
};

TEST(AheadStream, WhereNoThreadCanBeHadItIsTheStreamItself) {
  constexpr size_t kBytes = 1'000'001;
  for (const int64_t kept_bytes : {0, 100'000}) {
    auto stream = std::make_unique<Counting>(kBytes, false);
    const ByteStream* itself = stream.get();
    const WithoutThreads none;
    const auto ahead = AheadOf(std::move(stream), kept_bytes);
    EXPECT_EQ(ahead.get(), itself);
    EXPECT_EQ(ahead->Range(0, 0), nullptr);
    std::string found(kBytes, '\0');
    EXPECT_EQ(*ReadFully(*ahead, found.data(), found.size()), kBytes);
  }
}

TEST(AheadStream, ErrorIsReturnedAtItsPosition) {
  constexpr size_t kBytes = 1'000'000;
  auto ahead = AheadOf(std::make_unique<Counting>(kBytes, true));
  std::string found(4096, '\0');
  size_t total = 0;
  while (true) {
    auto got = ahead->Read(found.data(), found.size());
    if (!got.ok()) {
      EXPECT_EQ(got.error().text(), "broken");
      break;
    }
    ASSERT_GT(*got, 0u);
    total += *got;
  }
  EXPECT_EQ(total, kBytes);
}

TEST(AheadStream, MayBeAbandonedAtAnyPosition) {
  for (int i = 0; i < 50; ++i) {
    auto ahead = AheadOf(std::make_unique<Counting>(10'000'000, i % 2 == 0));
    char byte = 0;
    if (i % 3 == 0) continue;
    ASSERT_TRUE(ahead->Read(&byte, 1).ok());
  }
}

char ByteAt(size_t at) {
  return static_cast<char>(at * 31 >> 3);
}

TEST(AheadStream, RangesHaveTheSameBytesWhileItIsRead) {
  constexpr size_t kBytes = 6'000'001;
  constexpr int64_t kPiece = 300'007;
  auto ahead = AheadOf(std::make_unique<Counting>(kBytes, false), 4 * kPiece);
  std::atomic<int64_t> next = 0;
  std::atomic<int64_t> right = 0;
  std::vector<std::thread> threads;
  // Pieces as a reader of pieces takes them: no further ahead than what is kept.
  std::mutex mutex;
  std::condition_variable passed_on;
  int64_t passed = 0;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      std::string found(static_cast<size_t>(kPiece), '\0');
      while (true) {
        int64_t piece = next++;
        if (piece * kPiece >= static_cast<int64_t>(kBytes)) return;
        {
          std::unique_lock lock(mutex);
          passed_on.wait(lock, [&] { return piece < passed + 3; });
        }
        auto range = ahead->Range(piece * kPiece, (piece + 1) * kPiece);
        auto got = ReadFully(*range, found.data(), found.size());
        if (!got.ok()) return;
        bool same = true;
        for (size_t at = 0; at < *got; ++at) {
          same = same && found[at] == ByteAt(static_cast<size_t>(piece * kPiece) + at);
        }
        if (same) right += static_cast<int64_t>(*got);
        std::unique_lock lock(mutex);
        passed_on.wait(lock, [&] { return passed == piece; });
        ++passed;
        ahead->KeepFrom(passed * kPiece);
        ahead->SkipTo(std::min(passed * kPiece, static_cast<int64_t>(kBytes)));
        passed_on.notify_all();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, static_cast<int64_t>(kBytes));
  char byte = 0;
  EXPECT_EQ(*ahead->Read(&byte, 1), 0u);
  EXPECT_EQ(ahead->damage(), "cut off");
}

TEST(AheadStream, WhoReadsInOrderNeverWaitsForRanges) {
  constexpr size_t kBytes = 20'000'000;
  auto ahead = AheadOf(std::make_unique<Counting>(kBytes, false), 1'000'000);
  auto early = ahead->Range(100, 200);
  std::string found(kBytes, '\0');
  auto got = ReadFully(*ahead, found.data(), found.size());  // though 0 is to be kept
  ASSERT_TRUE(got.ok());
  EXPECT_EQ(*got, kBytes);
  EXPECT_EQ(found.back(), ByteAt(kBytes - 1));
  char byte = 0;
  EXPECT_EQ(*early->Read(&byte, 1), 0u);  // gone
}

TEST(AheadStream, ErrorIsReturnedForRangesToo) {
  auto ahead = AheadOf(std::make_unique<Counting>(1000, true), 100'000);
  auto range = ahead->Range(900, 2000);
  std::string found(200, '\0');
  auto got = ReadFully(*range, found.data(), found.size());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().text(), "broken");
}

// A range that waits for bytes which nobody reads, until that happens.
void ExpectWokenBy(void (*happens)(std::unique_ptr<ByteStream>&)) {
  auto ahead = AheadOf(std::make_unique<Counting>(50'000'000, false), 100'000);
  auto range = ahead->Range(40'000'000, 40'000'100);
  std::thread waits([&range] {
    char byte = 0;
    EXPECT_EQ(*range->Read(&byte, 1), 0u);
  });
  happens(ahead);
  waits.join();
}

TEST(AheadStream, RangesThatWaitAreWoken) {
  ExpectWokenBy([](std::unique_ptr<ByteStream>& ahead) { ahead->EndRanges(); });
}

TEST(AheadStream, RangesThatWaitAreWokenWhereTheStreamIsLeft) {
  ExpectWokenBy([](std::unique_ptr<ByteStream>& ahead) { ahead.reset(); });
}

}  // namespace
}  // namespace steptrace::import
