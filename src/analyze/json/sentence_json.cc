// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/sentence_json.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "analyze/json/json_parts.h"
#include "base/utf8.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {

namespace {

// Characters before so many bytes.
int64_t CharactersBefore(const std::string& text, size_t bytes) {
  return std::count_if(text.begin(), text.begin() + static_cast<ptrdiff_t>(bytes),
                       [](char c) { return !IsContinuation(c); });
}

Json PlacesJson(const present::Sentence& sentence) {
  return Each(sentence.places, [&text = sentence.text](const model::PlaceInText& one) -> Json {
    return {{"at", CharactersBefore(text, one.at)},
            {"text", text.substr(one.at, one.size)},
            {"file", one.file},
            {"line", one.line}};
  });
}

}  // namespace

Json FiguresJson(const present::Sentence& sentence) {
  return Each(sentence.figures, [&sentence](const present::Figure& figure) -> Json {
    return {{"at", CharactersBefore(sentence.text, figure.at)},
            {"text", figure.text},
            {"value", std::visit([](auto value) -> Json { return value; }, figure.value)},
            {"unit", figure.unit}};
  });
}

Json SentenceJson(const present::Sentence& sentence) {
  Json json = {{"text", sentence.text}, {"figures", FiguresJson(sentence)}};
  if (!sentence.places.empty()) json["places"] = PlacesJson(sentence);
  return json;
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

Json RangeJson(const model::Subject::Range& range) {
  return {{"first", range.first}, {"last", range.second}};
}

Json GpuJson(const model::Subject::Gpu& gpu) {
  Json json = Json::object();
  if (!gpu.host.empty()) json["host"] = gpu.host;
  if (gpu.node) json["node"] = *gpu.node;
  if (gpu.rank) json["rank"] = *gpu.rank;
  json["device"] = gpu.device;
  return json;
}

// Its members that apply. ReadSubject (stored_finding.cc) reads each of them.
Json MembersOf(const model::Subject& subject) {
  Json json = Json::object();
  const auto set = [&json](const char* name, const auto& value) {
    if (!value.empty()) json[name] = value;
  };
  set("suspect", subject.suspect);
  set("stage", subject.stage);
  set("rule", subject.rule);
  set("metric", subject.metric);
  set("function", subject.function);
  if (!subject.file.empty()) {
    json["source"] = {{"file", subject.file},
                      {"line", subject.line > 0 ? Json(subject.line) : Json(nullptr)}};
  }
  set("step_kind", subject.step_kind);
  set("hook", subject.hook);
  set("data_source", subject.data_source);
  set("cause", subject.cause);
  set("hosts", subject.hosts);
  set("nodes", subject.nodes);
  if (!subject.ranks.empty()) json["ranks"] = Each(subject.ranks, RangeJson);
  set("devices", subject.devices);
  if (!subject.gpus.empty()) json["gpus"] = Each(subject.gpus, GpuJson);
  if (subject.process) json["process"] = *subject.process;
  if (subject.steps) json["steps"] = RangeJson(*subject.steps);
  if (subject.occurrence > 1) json["occurrence"] = subject.occurrence;
  return json;
}

}  // namespace

Json SubjectJson(const model::Finding& finding) {
  return MembersOf(SubjectOf(finding));
}

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
  json["id"] = IdOf(finding);
  json["kind"] = InfoOf(finding.kind).id;
  json["subject"] = SubjectJson(finding);
  json["values"] = ValuesJson(finding);
  return json;
}

Json FindingOrNullJson(const std::optional<model::Finding>& said) {
  if (said) return FindingJson(*said);
  Json json = SentenceJson({});
  json["id"] = nullptr;
  json["kind"] = nullptr;
  json["subject"] = Json::object();
  json["values"] = Json::object();
  return json;
}

Json ConditionJson(const model::Condition& condition) {
  Json json = {{"column", condition.column}, {"is", SignOf(condition.is)}};
  std::visit([&json](const auto& value) { json["value"] = value; }, condition.value);
  return json;
}

Json EvidenceJson(const model::Finding& finding) {
  Json json = FindingJson(finding);
  json["rows"] = nullptr;
  if (finding.rows.count) {
    json["rows"] = {{"table", finding.rows.table},
                    {"where", WhereText(finding.rows.where)},
                    {"conditions", Each(finding.rows.where, &ConditionJson)},
                    {"count", *finding.rows.count}};
  }
  return json;
}

}  // namespace steptrace::analyze
