// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/sentence_json.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "analyze/json_parts.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {

Json FiguresJson(const Sentence& sentence) {
  return Each(sentence.figures, [&sentence](const Figure& figure) -> Json {
    const auto begin = sentence.text.begin();
    const auto characters = std::count_if(begin, begin + static_cast<ptrdiff_t>(figure.at),
                                          [](char c) { return (c & 0xc0) != 0x80; });
    return {{"at", characters},
            {"text", figure.text},
            {"value", std::visit([](auto value) -> Json { return value; }, figure.value)},
            {"unit", figure.unit}};
  });
}

Json SentenceJson(const Sentence& sentence) {
  return {{"text", sentence.text}, {"figures", FiguresJson(sentence)}};
}

namespace {

Json ValueJson(const model::Value& value) {
  return std::visit(
      [](const auto& known) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(known)>, std::monostate>) {
          return nullptr;
        } else {
          return known;
        }
      },
      value);
}

Json PartJson(const model::PartInfo& info, const std::vector<model::Value>& figures,
              const std::vector<std::string>& texts) {
  Json json = Json::object();
  for (size_t i = 0; i < figures.size(); ++i) {
    json[std::string(info.figures[i].name)] = ValueJson(figures[i]);
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    json[std::string(info.texts[i])] = TextOrNull(texts[i]);
  }
  return json;
}

}  // namespace

Json ValuesJson(const model::Finding& finding) {
  const model::KindInfo& info = InfoOf(finding.kind);
  Json values = PartJson(info.whole, finding.figures, finding.texts);
  if (info.has_items) {
    values["items"] = Each(finding.items, [&info](const model::Item& item) {
      return PartJson(info.item, item.figures, item.texts);
    });
  }
  return values;
}

Json FindingJson(const model::Finding& finding) {
  Json json = SentenceJson(present::SentenceOf(finding));
  json["kind"] = InfoOf(finding.kind).id;
  json["values"] = ValuesJson(finding);
  return json;
}

Json SaidJson(const std::optional<model::Finding>& said) {
  if (said) return FindingJson(*said);
  Json json = SentenceJson({});
  json["kind"] = nullptr;
  json["values"] = Json::object();
  return json;
}

Json EvidenceJson(const model::Finding& finding) {
  Json json = FindingJson(finding);
  json["table"] = finding.rows.table;
  json["where"] = finding.rows.where;
  return json;
}

}  // namespace steptrace::analyze
