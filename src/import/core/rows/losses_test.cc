// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/losses.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "present/words/finding_sentence.h"

namespace steptrace::import {
namespace {

struct RecordingSink {
  void Loss(std::string_view table, LossCause cause, int64_t count,
            std::optional<model::Finding> said) {
    AddLoss(losses, table, cause, count, std::move(said));
  }
  Losses losses;
};

TEST(AddLosses, EachCountHasTheTextOfItsCause) {
  LossCounts counts;
  for (size_t i = 0; i < std::size(store::kLossCauses); ++i) {
    const auto cause = static_cast<LossCause>(i);
    if (!store::DetailOf(cause).empty()) counts[cause] = static_cast<int64_t>(i) + 1;
  }
  RecordingSink sink;
  AddLosses(sink, counts);
  ASSERT_EQ(sink.losses.size(), counts.size());
  for (const auto& [key, entry] : sink.losses) {
    EXPECT_EQ(key.first, store::FirstTableOf(key.second));
    EXPECT_EQ(entry.count, counts.at(key.second));
    EXPECT_FALSE(entry.said) << "what its cause says";
  }
}

// A live run's ranges and a profile's arguments are stored as one cause; each is told for itself.
TEST(AddLosses, OneNameOfTwoCausesSaysWhatEachIs) {
  EXPECT_EQ(store::NameOf(LossCause::kArgumentsTooDeep), store::NameOf(LossCause::kTooDeep));
  EXPECT_NE(store::DetailOf(LossCause::kArgumentsTooDeep), store::DetailOf(LossCause::kTooDeep));
}

TEST(AddLosses, OfOneFileItsNameStandsBefore) {
  RecordingSink sink;
  AddLosses(sink, {{LossCause::kBadCounter, 2}}, "a.json");
  const auto found = sink.losses.find({"counters", LossCause::kBadCounter});
  ASSERT_NE(found, sink.losses.end());
  EXPECT_EQ(present::SentenceOf(found->second.said).text,
            "a.json: " + std::string(store::DetailOf(LossCause::kBadCounter)));
}

}  // namespace
}  // namespace steptrace::import
