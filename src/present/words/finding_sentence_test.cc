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

using model::FigureUnit;
using model::Finding;
using model::FindingKind;
using model::Value;

// No two of a kind are alike, so that a placeholder in another's place shows.
Value Example(FigureUnit unit, size_t place) {
  const auto whole = static_cast<int64_t>(place);
  const auto real = static_cast<double>(place);
  switch (unit) {
    case FigureUnit::kNs:
      return 62'134'567 + whole * 10'000'000;
    case FigureUnit::kShare:
    case FigureUnit::kShareNumber:
    case FigureUnit::kFineShare:
      return 0.4512 + 0.05 * real;
    case FigureUnit::kBytes:
      return (5 + real) * 1'048'576;
    case FigureUnit::kCount:
      return 1234 + whole;
    case FigureUnit::kCores:
      return 7.5 + real;
    case FigureUnit::kTimes:
      return 1.2345 + real;
    case FigureUnit::kNumber:
      return 12.34 + real;
    case FigureUnit::kInteger:
      return 3 + whole;
    case FigureUnit::kTenths:
      return 2.25 + real;
    case FigureUnit::kFlag:
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

// Whether what a clause asks for holds: as it is known, or is the number that it asks for.
void Set(const model::PartInfo& info, const ClauseWords& clause, bool holds, Values& values) {
  for (size_t i = 0; i < info.texts.size(); ++i) {
    if (info.texts[i] != clause.subject) continue;
    values.texts[i] = holds ? Known(info).texts[i] : "";
  }
  for (size_t i = 0; i < info.figures.size(); ++i) {
    if (info.figures[i].name != clause.subject) continue;
    const Value known = Example(info.figures[i].unit, i);
    const Value other = info.figures[i].unit == FigureUnit::kFlag ? kFalse : Value();
    values.figures[i] =
        clause.equals ? (holds ? Value(*clause.equals) : known) : (holds ? known : other);
  }
}

// So that this case of its clause is said: those before it do not hold, and so for the case that
// says the clause.
void AddSentences(const model::PartInfo& info, const PartWords& words, const ClauseWords& said,
                  Values& values) {
  const std::string placeholder = "{" + std::string(said.name) + "}";
  for (const ClauseWords& outer : words.clauses) {
    if (outer.said.find(placeholder) == outer.said.npos) continue;
    AddSentences(info, words, outer, values);
    break;
  }
  for (const ClauseWords& clause : words.clauses) {
    if (clause.name != said.name) continue;
    const bool reached = &clause == &said;
    if (!clause.subject.empty()) Set(info, clause, reached, values);
    if (reached) break;
  }
}

// Of words that depend on so much that not all their sentences can be read: each case of a clause
// among all else that can be said, and what is said where nothing holds that a clause asks for.
std::vector<Values> EachCase(const model::PartInfo& info, const PartWords& words) {
  const Values known = Known(info);
  Values least = known;
  for (const ClauseWords& clause : words.clauses) {
    if (!clause.subject.empty()) Set(info, clause, false, least);
  }
  std::vector<Values> all = {known, least};
  for (const ClauseWords& clause : words.clauses) {
    AddSentences(info, words, clause, all.emplace_back(known));
  }
  return all;
}

// The sentences of more are too many to be read.
constexpr size_t kMostSubjects = 4;

// With each value that a clause of the words asks for, also as the clause does not hold.
std::vector<Values> Variants(const model::PartInfo& info, const PartWords& words) {
  std::set<std::string_view> subjects;
  for (const ClauseWords& clause : words.clauses) {
    if (!clause.subject.empty()) subjects.insert(clause.subject);
  }
  if (subjects.size() > kMostSubjects) return EachCase(info, words);
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
        const Value other = info.figures[i].unit == FigureUnit::kFlag ? kFalse : Value();
        values.figures[i] = clause.equals ? Value(*clause.equals) : other;
      }
      all.push_back(std::move(values));
    }
  }
  return all;
}

// One, two and three of them; where an item has more to say, one of each.
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
  if (one.size() > 3) all.push_back(one);
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

TEST(FindingSentenceTest, EmptyFindingHasNoSentence) {
  EXPECT_TRUE(SentenceOf(std::optional<Finding>()).empty());
}

// What a part that is absent would hold is not known, and stands nowhere.
TEST(FindingSentenceTest, APartThatIsAbsentIsNotSaid) {
  using model::finding::part::Share;
  using model::finding::part::Suspect;
  model::finding::VerdictNoSingleSuspect found{
      .first = Suspect{.mostly = false, .waits = false, .comma = false, .name = "data pipeline"},
      .first_part = Share{.share = 0.3, .low = 0.25, .high = 0.35},
      .ranks = model::finding::part::Ranks{},
      .seen = model::finding::part::Seen{.unmarked = false}};
  EXPECT_EQ(SentenceOf(Make(found)).text, "no single suspect: data pipeline 30 % (25-35)");
  found.second = Suspect{.mostly = true, .waits = false, .comma = false, .name = "logging"};
  found.second_part = Share{.share = 0.2};
  found.seen = model::finding::part::Seen{.unmarked = false, .steps = 1};
  const Sentence said = SentenceOf(Make(found));
  EXPECT_EQ(said.text,
            "no single suspect: data pipeline 30 % (25-35), mostly logging 20 %; seen in 1 step");
  EXPECT_EQ(said.figures.size(), 4u);
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

TEST(FindingSentenceTest, LiteralTextIsNotAFigure) {
  const Sentence said =
      SentenceOf(Make(model::finding::VerdictFewSteps{.steps = 3, .within = 2'000'000'000}));
  EXPECT_EQ(
      said.text,
      "based on only 3 steps and the samples of all within 2 s of them; other steps may differ");
  ASSERT_EQ(said.figures.size(), 1u);
  EXPECT_EQ(said.figures[0].unit, "ns");
}

// Texts come from watched programs: what looks like a placeholder in one is text.
TEST(FindingSentenceTest, BracesInATextAreText) {
  const auto lost =
      Make(model::finding::RunDataLoss{.detail = "{detail} {", .where = model::Conditions{}});
  EXPECT_EQ(SentenceOf(lost).text, "{detail} {");
}

}  // namespace
}  // namespace steptrace::present
