// SPDX-License-Identifier: Apache-2.0
#include "import/bytes/ahead_stream.h"

#include <gmock/gmock.h>

#include <algorithm>

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

TEST(AheadStream, GivesAnErrorWhereItCame) {
  constexpr size_t kBytes = 1'000'000;
  auto ahead = AheadOf(std::make_unique<Counting>(kBytes, true));
  std::string found(4096, '\0');
  size_t total = 0;
  while (true) {
    auto got = ahead->Read(found.data(), found.size());
    if (!got.ok()) {
      EXPECT_EQ(got.error().message, "broken");
      break;
    }
    ASSERT_GT(*got, 0u);
    total += *got;
  }
  EXPECT_EQ(total, kBytes);
}

TEST(AheadStream, MayBeLeftAnywhere) {
  for (int i = 0; i < 50; ++i) {
    auto ahead = AheadOf(std::make_unique<Counting>(10'000'000, i % 2 == 0));
    char byte = 0;
    if (i % 3 == 0) continue;
    ASSERT_TRUE(ahead->Read(&byte, 1).ok());
  }
}

}  // namespace
}  // namespace steptrace::import
