// SPDX-License-Identifier: Apache-2.0
#include "present/words/finding_sentence.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "present/words/finding_words.h"

namespace steptrace::present {
namespace {

using model::FigureUnit;
using model::Value;

double Real(const Value& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&value);
  return real == nullptr ? 0 : *real;
}

int64_t Whole(const Value& value) {
  const auto* whole = std::get_if<int64_t>(&value);
  return whole == nullptr ? 0 : *whole;
}

Sentence FigureOf(FigureUnit unit, const Value& value) {
  Sentence said;
  switch (unit) {
    case FigureUnit::kNs:
      return said += figure::Duration(Whole(value));
    case FigureUnit::kShare:
      return said += figure::Share(Real(value));
    case FigureUnit::kShareNumber:
      return said += figure::ShareNumber(Real(value));
    case FigureUnit::kFineShare:
      return said += figure::FineShare(Real(value));
    case FigureUnit::kBytes:
      return said += figure::Bytes(Real(value));
    case FigureUnit::kCount:
      return said += figure::Count(Whole(value));
    case FigureUnit::kCores:
      return said += figure::Cores(Real(value));
    case FigureUnit::kTimes:
      return said += figure::Ratio(Real(value));
    case FigureUnit::kNumber:
      return said += figure::Number(Real(value));
    case FigureUnit::kInteger:
      return fmt::to_string(Whole(value));
    case FigureUnit::kTenths:
      return fmt::format("{:.1f}", Real(value));
    case FigureUnit::kFlag:
      return said;
  }
  return said;
}

bool IsKnown(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag;
  return !std::holds_alternative<std::monostate>(value);
}

// A finding, or an item of one, by the names that its kind declares.
class Part {
 public:
  template <typename Held>
  Part(const PartWords& words, const model::PartInfo& info, const Held& of, Sentence items)
      : words_(words),
        info_(info),
        figures_(of.figures),
        texts_(of.texts),
        places_(of.places),
        items_(std::move(items)) {}

  Sentence ToSentence() const { return Fill(words_.sentence); }

 private:
  Sentence Fill(std::string_view said) const;
  Sentence Named(std::string_view name) const;
  bool Holds(const ClauseWords& one) const;
  const Value* FigureNamed(std::string_view name, FigureUnit* unit) const;
  std::optional<size_t> TextNamed(std::string_view name) const;
  Sentence TextAt(size_t at) const;

  const PartWords& words_;
  const model::PartInfo& info_;
  const std::vector<Value>& figures_;
  const std::vector<std::string>& texts_;
  const std::vector<model::PlaceOfText>& places_;
  const Sentence items_;
};

const Value* Part::FigureNamed(std::string_view name, FigureUnit* unit) const {
  for (size_t i = 0; i < info_.figures.size() && i < figures_.size(); ++i) {
    if (info_.figures[i].name != name) continue;
    *unit = info_.figures[i].unit;
    return &figures_[i];
  }
  return nullptr;
}

std::optional<size_t> Part::TextNamed(std::string_view name) const {
  for (size_t i = 0; i < info_.texts.size() && i < texts_.size(); ++i) {
    if (info_.texts[i] == name) return i;
  }
  return std::nullopt;
}

Sentence Part::TextAt(size_t at) const {
  Sentence said = texts_[at];
  for (const model::PlaceOfText& one : places_) {
    if (one.text == at) said.places.push_back(one);
  }
  return said;
}

bool Part::Holds(const ClauseWords& one) const {
  if (one.subject.empty()) return true;
  if (const auto text = TextNamed(one.subject)) return !texts_[*text].empty();
  FigureUnit unit{};
  const Value* figure = FigureNamed(one.subject, &unit);
  if (figure == nullptr || !IsKnown(*figure)) return false;
  return !one.equals || Whole(*figure) == *one.equals;
}

Sentence Part::Named(std::string_view name) const {
  if (name == "items") return items_;
  FigureUnit unit{};
  if (const Value* figure = FigureNamed(name, &unit)) return FigureOf(unit, *figure);
  if (const auto text = TextNamed(name)) return TextAt(*text);
  for (const ClauseWords& one : words_.clauses) {
    if (one.name == name && Holds(one)) return Fill(one.said);
  }
  return {};
}

// The catalogue's generator has seen that each brace has its other one, and that clauses name only
// those before them.
Sentence Part::Fill(std::string_view said) const {
  Sentence sentence;
  for (size_t open = said.find('{'); open != std::string_view::npos; open = said.find('{')) {
    sentence.text += said.substr(0, open);
    const size_t close = said.find('}', open);
    sentence += Named(said.substr(open + 1, close - open - 1));
    said.remove_prefix(close + 1);
  }
  sentence.text += said;
  return sentence;
}

}  // namespace

Sentence SentenceOf(const model::Finding& finding) {
  const KindWords& words = kKindWords[static_cast<size_t>(finding.kind)];
  const model::KindInfo& info = InfoOf(finding.kind);
  Sentence items;
  for (size_t i = 0; i < finding.items.size(); ++i) {
    const model::Item& item = finding.items[i];
    if (i > 0) items.text += i + 1 < finding.items.size() ? words.separator : words.last;
    items += Part(words.item, info.item, item, {}).ToSentence();
  }
  return Part(words.whole, info.whole, finding, std::move(items)).ToSentence();
}

Sentence SentenceOf(const std::optional<model::Finding>& finding) {
  return finding ? SentenceOf(*finding) : Sentence();
}

std::vector<std::string> TextsOf(std::span<const model::Finding> findings) {
  std::vector<std::string> texts;
  for (const model::Finding& one : findings) texts.push_back(SentenceOf(one).text);
  return texts;
}

}  // namespace steptrace::present
