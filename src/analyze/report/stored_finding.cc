// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/stored_finding.h"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/report/sentence_json.h"
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

std::optional<model::Value> ReadValue(const model::FigureInfo& info, const Json& json) {
  if (json.is_null() && info.optional) return model::Value();
  switch (info.unit) {
    case model::Unit::kNs:
    case model::Unit::kCount:
    case model::Unit::kInteger:
      if (!json.is_number_integer()) return std::nullopt;
      return model::Value(json.get<int64_t>());
    case model::Unit::kFlag:
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

}  // namespace

void AddFinding(const model::Finding& finding, Json& evidence) {
  evidence["finding"] = InfoOf(finding.kind).id;
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
  return finding;
}

}  // namespace steptrace::analyze
