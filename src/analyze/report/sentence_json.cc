// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/sentence_json.h"

#include <algorithm>
#include <variant>

#include "analyze/json_parts.h"

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

Json EvidenceJson(const Evidence& evidence) {
  Json json = SentenceJson(evidence);
  json["table"] = evidence.table;
  json["where"] = evidence.where;
  return json;
}

}  // namespace steptrace::analyze
