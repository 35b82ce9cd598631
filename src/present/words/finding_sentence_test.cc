// SPDX-License-Identifier: Apache-2.0
// Every kind of finding as it reads: finding_sentences.txt has each sentence that its words can
// make.
#include "present/words/finding_sentence.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "present/words/finding_words.h"

namespace steptrace::present {
namespace {

using model::Finding;
using model::FindingKind;
using model::Unit;
using model::Value;

// No two of a kind are alike, so that a placeholder in another's place shows.
Value Example(Unit unit, size_t place) {
  const auto whole = static_cast<int64_t>(place);
  const auto real = static_cast<double>(place);
  switch (unit) {
    case Unit::kNs:
      return 62'134'567 + whole * 10'000'000;
    case Unit::kShare:
    case Unit::kShareNumber:
      return 0.4512 + 0.05 * real;
    case Unit::kBytes:
      return (5 + real) * 1'048'576;
    case Unit::kCount:
      return 1234 + whole;
    case Unit::kCores:
      return 7.5 + real;
    case Unit::kTimes:
      return 1.2345 + real;
    case Unit::kNumber:
      return 12.34 + real;
    case Unit::kInteger:
      return 3 + whole;
    case Unit::kTenths:
      return 2.25 + real;
    case Unit::kFlag:
      return true;
  }
  return {};
}

// The values of a finding or of its items, each of which may be known, absent, one or several.
struct Values {
  std::vector<Value> figures;
  std::vector<std::string> texts;
};

Values Known(const model::PartInfo& info) {
  Values values;
  for (const model::FigureInfo& one : info.figures) {
    values.figures.push_back(Example(one.unit, values.figures.size()));
  }
  for (std::string_view name : info.texts) values.texts.push_back("<" + std::string(name) + ">");
  return values;
}

const Value kFalse = false;

// With each value that a clause of the words asks for, also as the clause does not hold.
std::vector<Values> Variants(const model::PartInfo& info, const PartWords& words) {
  std::vector<Values> all = {Known(info)};
  std::set<std::string_view> seen;
  for (const ClauseWords& clause : words.clauses) {
    if (clause.subject.empty() || !seen.insert(clause.subject).second) continue;
    const std::vector<Values> before = all;
    for (Values values : before) {
      for (size_t i = 0; i < info.texts.size(); ++i) {
        if (info.texts[i] == clause.subject) values.texts[i].clear();
      }
      for (size_t i = 0; i < info.figures.size(); ++i) {
        if (info.figures[i].name != clause.subject) continue;
        const Value other = info.figures[i].unit == Unit::kFlag ? kFalse : Value();
        values.figures[i] = clause.equals ? Value(*clause.equals) : other;
      }
      all.push_back(std::move(values));
    }
  }
  return all;
}

// One, two and three of them.
std::vector<std::vector<model::Item>> Items(const model::KindInfo& info, const KindWords& words) {
  if (!info.has_items) return {{}};
  std::vector<model::Item> one;
  for (Values& values : Variants(info.item, words.item)) {
    one.push_back({std::move(values.figures), std::move(values.texts)});
  }
  std::vector<std::vector<model::Item>> all = {{one.front()}};
  for (const size_t count : {2u, 3u}) {
    std::vector<model::Item> several;
    for (size_t i = 0; i < count; ++i) several.push_back(one[i % one.size()]);
    all.push_back(std::move(several));
  }
  return all;
}

// "data.samples: 1,234 samples of stacks", a line for each sentence.
std::string Sentences() {
  std::string all;
  for (size_t i = 0; i < model::kFindingKindCount; ++i) {
    const auto kind = static_cast<FindingKind>(i);
    const model::KindInfo& info = InfoOf(kind);
    std::set<std::string> said;
    for (const Values& values : Variants(info.whole, kKindWords[i].whole)) {
      for (const auto& items : Items(info, kKindWords[i])) {
        const Sentence sentence = SentenceOf({kind, values.figures, values.texts, items, {}});
        if (said.insert(sentence.text).second) {
          all += std::string(info.id) + ": " + sentence.text + "\n";
        }
      }
    }
  }
  return all;
}

// A new kind, or other words, is a line that somebody has read: the test writes what there is now.
TEST(FindingSentenceTest, EachKindReadsAsItsExample) {
  std::ifstream file(STEPTRACE_SENTENCES);
  std::stringstream expected;
  expected << file.rdbuf();
  const std::string now = Sentences();
  const std::string path = ::testing::TempDir() + "finding_sentences.txt";
  std::ofstream(path) << now;
  EXPECT_EQ(now, expected.str()) << "as they are now: " << path << "; if that is meant, copy it to "
                                 << STEPTRACE_SENTENCES;
}

TEST(FindingSentenceTest, FiguresStandInTheSentence) {
  const Finding found = Make(model::finding::CommunicationCalls{
      .items = std::vector<model::finding::CommunicationCalls::Item>{
          {.calls = 3.0, .bytes = 1024.0, .call = "all_reduce"},
          {.calls = 1.0, .call = "barrier"}}});
  const Sentence said = SentenceOf(found);
  EXPECT_EQ(said.text, "a step calls 3 all_reduce, each of 1 KiB, 1 barrier");
  ASSERT_EQ(said.figures.size(), 3u);
  for (const Figure& figure : said.figures) {
    EXPECT_EQ(said.text.substr(figure.at, figure.text.size()), figure.text);
  }
  EXPECT_EQ(std::get<double>(said.figures[1].value), 1024.0);
}

TEST(FindingSentenceTest, WhatIsSaidAsItIsStandsAmongNoFigures) {
  const Sentence said =
      SentenceOf(Make(model::finding::VerdictFewSteps{.steps = 3, .within = 2'000'000'000}));
  EXPECT_EQ(said.text,
            "it rests on 3 steps and the samples of all within 2 s of them: others may differ");
  ASSERT_EQ(said.figures.size(), 1u);
  EXPECT_EQ(said.figures[0].unit, "ns");
}

// Texts come from watched programs: what looks like a placeholder in one is text.
TEST(FindingSentenceTest, BracesInATextAreText) {
  EXPECT_EQ(SentenceOf(Make(model::finding::RunDataLoss{.detail = "{detail} {", .where = ""})).text,
            "{detail} {");
}

}  // namespace
}  // namespace steptrace::present
