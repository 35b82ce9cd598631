// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/stored_finding.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/json/sentence_json.h"
#include "base/shallow_json.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

using Json = nlohmann::ordered_json;

// Of what anybody may have written into a run.
constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kMostItems = 256;

std::optional<model::FindingKind> KindNamed(std::string_view id) {
  for (size_t i = 0; i < model::kFindingKindCount; ++i) {
    const auto kind = static_cast<model::FindingKind>(i);
    if (InfoOf(kind).id == id) return kind;
  }
  return std::nullopt;
}

// Nothing: it is none, or one that is too large.
std::optional<int64_t> Integer(const Json& json) {
  if (!json.is_number_integer()) return std::nullopt;
  if (json.is_number_unsigned() && !std::in_range<int64_t>(json.get<uint64_t>())) {
    return std::nullopt;
  }
  return json.get<int64_t>();
}

std::optional<model::Value> ReadValue(const model::FigureInfo& info, const Json& json) {
  if (json.is_null() && info.optional) return model::Value();
  switch (info.unit) {
    case model::FigureUnit::kNs:
    case model::FigureUnit::kCount:
    case model::FigureUnit::kInteger:
      if (const auto number = Integer(json)) return model::Value(*number);
      return std::nullopt;
    case model::FigureUnit::kFlag:
      if (!json.is_boolean()) return std::nullopt;
      return model::Value(json.get<bool>());
    default:
      if (!json.is_number()) return std::nullopt;
      return model::Value(json.get<double>());
  }
}

// Whether all that is declared is there.
bool ReadPart(const model::PartInfo& info, const Json& json, std::vector<model::Value>& figures,
              std::vector<std::string>& texts) {
  if (!json.is_object()) return false;
  for (const model::FigureInfo& one : info.figures) {
    const auto found = json.find(std::string(one.name));
    if (found == json.end()) return false;
    auto value = ReadValue(one, *found);
    if (!value) return false;
    figures.push_back(*std::move(value));
  }
  for (const std::string_view name : info.texts) {
    const auto found = json.find(std::string(name));
    if (found == json.end() || !(found->is_string() || found->is_null())) return false;
    texts.push_back(found->is_null() ? std::string() : found->get<std::string>());
  }
  return true;
}

bool ReadItems(const model::PartInfo& info, const Json& json, std::vector<model::Item>& items) {
  const auto list = json.find("items");
  if (list == json.end() || !list->is_array() || list->size() > kMostItems) return false;
  for (const Json& one : *list) {
    model::Item& item = items.emplace_back();
    if (!ReadPart(info, one, item.figures, item.texts)) return false;
  }
  return true;
}

std::optional<int64_t> IntegerIn(const Json& json, const char* name) {
  const auto found = json.find(name);
  return found == json.end() ? std::nullopt : Integer(*found);
}

void ReadText(const Json& json, const char* name, std::string& text) {
  const auto found = json.find(name);
  if (found != json.end() && found->is_string()) text = found->get<std::string>();
}

std::optional<model::Subject::Range> ReadRange(const Json& json) {
  if (!json.is_object()) return std::nullopt;
  const auto first = IntegerIn(json, "first"), last = IntegerIn(json, "last");
  if (!first || !last || *first > *last) return std::nullopt;
  return model::Subject::Range(*first, *last);
}

// Calls `read` with each element of the list, if there is one.
template <typename Read>
void EachIn(const Json& json, const char* name, Read read) {
  const auto list = json.find(name);
  if (list == json.end() || !list->is_array()) return;
  for (const Json& one : *list) read(one);
}

// Sorted, each once: whoever wrote them.
template <typename T>
void Sort(std::vector<T>& all) {
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
}

void ReadIntegers(const Json& json, const char* name, std::vector<int64_t>& numbers) {
  EachIn(json, name, [&](const Json& one) {
    if (const auto number = Integer(one)) numbers.push_back(*number);
  });
  Sort(numbers);
}

void ReadRanks(const Json& json, model::Subject& subject) {
  EachIn(json, "ranks", [&](const Json& one) {
    const auto range = ReadRange(one);
    if (range && model::IsRank(range->first) && model::IsRank(range->second)) {
      subject.ranks.push_back(*range);
    }
  });
  Sort(subject.ranks);
}

void ReadGpus(const Json& json, model::Subject& subject) {
  EachIn(json, "gpus", [&](const Json& one) {
    if (!one.is_object()) return;
    const auto device = IntegerIn(one, "device");
    if (!device) return;
    model::Subject::Gpu& gpu = subject.gpus.emplace_back();
    gpu.device = *device;
    ReadText(one, "host", gpu.host);
    gpu.node = IntegerIn(one, "node");
    gpu.rank = IntegerIn(one, "rank");
  });
  Sort(subject.gpus);
}

void ReadSource(const Json& json, model::Subject& subject) {
  const auto source = json.find("source");
  if (source == json.end() || !source->is_object()) return;
  ReadText(*source, "file", subject.file);
  const int64_t line = IntegerIn(*source, "line").value_or(0);
  if (line == static_cast<int32_t>(line)) subject.line = static_cast<int32_t>(line);
}

// Each member that MembersOf (sentence_json.cc) writes: what the code said of it is nowhere else.
// How many there are kMostBytes bounds.
model::Subject ReadSubject(const Json& evidence) {
  model::Subject subject;
  const auto found = evidence.find("subject");
  if (found == evidence.end() || !found->is_object()) return subject;
  const Json& json = *found;
  ReadText(json, "suspect", subject.suspect);
  ReadText(json, "stage", subject.stage);
  ReadText(json, "rule", subject.rule);
  ReadText(json, "metric", subject.metric);
  ReadText(json, "function", subject.function);
  ReadSource(json, subject);
  ReadText(json, "step_kind", subject.step_kind);
  ReadText(json, "hook", subject.hook);
  ReadText(json, "data_source", subject.data_source);
  ReadText(json, "cause", subject.cause);
  EachIn(json, "hosts", [&](const Json& one) {
    if (one.is_string()) subject.hosts.push_back(one.get<std::string>());
  });
  Sort(subject.hosts);
  ReadIntegers(json, "nodes", subject.nodes);
  ReadRanks(json, subject);
  ReadIntegers(json, "devices", subject.devices);
  ReadGpus(json, subject);
  subject.process = IntegerIn(json, "process");
  if (const auto steps = json.find("steps"); steps != json.end()) subject.steps = ReadRange(*steps);
  subject.occurrence = std::max<int64_t>(IntegerIn(json, "occurrence").value_or(1), 1);
  return subject;
}

}  // namespace

void AddFinding(const model::Finding& finding, Json& evidence) {
  evidence["finding"] = InfoOf(finding.kind).id;
  evidence["subject"] = SubjectJson(finding);
  evidence["values"] = ValuesJson(finding);
}

std::optional<model::Finding> ReadFinding(const std::string& evidence) {
  if (evidence.empty() || evidence.size() > kMostBytes) return std::nullopt;
  const Json json = ParseShallow<Json>(evidence);
  if (!json.is_object() || !json.contains("values")) return std::nullopt;
  const auto id = json.find("finding");
  if (id == json.end() || !id->is_string()) return std::nullopt;
  const auto kind = KindNamed(id->get_ref<const std::string&>());
  if (!kind) return std::nullopt;
  const model::KindInfo& info = InfoOf(*kind);
  const Json& values = json["values"];
  model::Finding finding;
  finding.kind = *kind;
  if (!ReadPart(info.whole, values, finding.figures, finding.texts)) return std::nullopt;
  if (info.has_items && !ReadItems(info.item, values, finding.items)) return std::nullopt;
  finding.subject = ReadSubject(json);
  return finding;
}

}  // namespace steptrace::analyze
