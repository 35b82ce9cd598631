// SPDX-License-Identifier: Apache-2.0
#include "present/words/sentence.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/json/sentence_json.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

namespace figure = present::figure;
using present::Figure;
using present::Phrase;
using present::Sentence;

std::string At(const Sentence& sentence, size_t i) {
  const Figure& figure = sentence.figures.at(i);
  return sentence.text.substr(figure.at, figure.text.size());
}

TEST(SentenceTest, AFigureKeepsItsValueAndPlace) {
  const Sentence said = Phrase("rank {}: {} of {} over {} {{braces}}", 3, figure::Count(3),
                               figure::Duration(62'134'567), "a 1");
  EXPECT_EQ(said.text, "rank 3: 3 of 62.1 ms over a 1 {braces}");
  ASSERT_EQ(said.figures.size(), 2u);
  EXPECT_EQ(said.figures[0].at, 8u);  // not the rank
  EXPECT_EQ(At(said, 1), "62.1 ms");
  EXPECT_EQ(std::get<int64_t>(said.figures[1].value), 62'134'567);
}

TEST(SentenceTest, FiguresOfASentenceWithinAnotherStandInIt) {
  Sentence said = Phrase("{} faster", figure::Ratio(1.2345));
  said +=
      Phrase("; {} of the step{}", figure::Share(0.451), Phrase(" ({})", figure::ShareNumber(0.5)));
  EXPECT_EQ(said.text, "1.2\u00d7 faster; 45 % of the step (50)");
  ASSERT_EQ(said.figures.size(), 3u);
  EXPECT_EQ(At(said, 0), "1.2\u00d7");
  EXPECT_EQ(At(said, 1), "45 %");
  EXPECT_EQ(At(said, 2), "50");
  EXPECT_EQ(said.figures[1].unit, "share");
  EXPECT_EQ(said.figures[2].unit, "share_number");
}

TEST(SentenceTest, PlacesInJsonAreCountedInCharacters) {
  const auto json = SentenceJson(Phrase("in \"pr\u00e4fix\" {}", figure::Share(0.25)));
  ASSERT_EQ(json["figures"].size(), 1u);
  EXPECT_EQ(json["figures"][0]["at"], 12);
  EXPECT_EQ(json["figures"][0]["value"], 0.25);
  EXPECT_EQ(json["figures"][0]["unit"], "share");
  EXPECT_FALSE(json.contains("places"));
}

TEST(SentenceTest, AFindingKnowsTheLinesOfFilesThatItsSentenceNames) {
  model::PlacedText function("pr\u00e4fix (");
  function += model::PlaceText("train.py", "/job/train.py", 21);
  function += ")";
  const auto json = FindingJson(Make(model::finding::StepLockHeld{
      .share = 0.25, .function = function, .holder = model::PlaceText("b.py", "/job/b.py", 0)}));
  ASSERT_EQ(json["places"].size(), 1u);  // a file alone is no line of it
  const auto& place = json["places"][0];
  EXPECT_EQ(place["text"], "train.py:21");
  EXPECT_EQ(place["file"], "/job/train.py");
  EXPECT_EQ(place["line"], 21);
  const std::string text = json["text"];
  const size_t bytes = text.find("train.py:21");
  EXPECT_EQ(place["at"], bytes - 1);  // the umlaut has two
}

}  // namespace
}  // namespace steptrace::analyze
