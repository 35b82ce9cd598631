// SPDX-License-Identifier: Apache-2.0
#include "base/text_hash.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>

namespace steptrace {
namespace {

TEST(TextHash, DependsOnTheSeedWhateverTheText) {
  // The constants that texts are multiplied with would take the other factor out of a product.
  const std::string first("\x2f\x64\xbd\x78\x64\x63\x76\xa0", 8);
  const std::string second("\xdb\x28\xb4\xa0\xd1\x7e\x03\xe7", 8);
  for (const std::string& text : {first, second, first + second, second + first + "tail"}) {
    EXPECT_NE(HashText(text, 1), HashText(text, 2)) << text.size();
  }
}

TEST(TextHash, TextsThatDifferBehindAConstantDoNotCollide) {
  const std::string block("\x2f\x64\xbd\x78\x64\x63\x76\xa0", 8);
  std::set<uint64_t> hashes;
  for (int i = 0; i < 1000; ++i) {
    std::string text = block + std::to_string(10'000'000 + i) + "the same end";
    hashes.insert(HashText(text, 7));
  }
  EXPECT_EQ(hashes.size(), 1000u);
}

TEST(TextHash, NumbersOfOneBucketAreSpread) {
  constexpr uint64_t kBuckets = 107'897;  // a size that the standard library's tables take
  std::set<uint64_t> buckets;
  for (uint64_t i = 0; i < 1000; ++i) buckets.insert(HashNumber(i * kBuckets, 7) % kBuckets);
  EXPECT_GT(buckets.size(), 980u);
}

}  // namespace
}  // namespace steptrace
