// SPDX-License-Identifier: Apache-2.0
// The JSON form follows docs/reference/report.schema.json, whatever the run was like.
#include "analyze/report/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "analyze/report/build_report.h"
#include "model/finding_kinds.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kCases = STEPTRACE_VERDICT_CASES;

// What every report follows; test_report_schema.py reads it as any validator does.
const Json& Schema() {
  static const Json schema = Json::parse(std::ifstream(STEPTRACE_REPORT_SCHEMA));
  return schema;
}

bool IsOfType(const Json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "array") return value.is_array();
  return type == "object" ? value.is_object() : type == "null" && value.is_null();
}

bool IsOfTypes(const Json& value, const Json& types) {
  if (types.is_string()) return IsOfType(value, types);
  return std::ranges::any_of(types, [&](const Json& type) { return IsOfType(value, type); });
}

void ExpectFollows(const Json& value, const Json& schema, const std::string& path);

void ExpectMembers(const Json& value, const Json& schema, const std::string& path) {
  const Json none = Json::object();
  const Json& known = schema.contains("properties") ? schema["properties"] : none;
  for (const auto& [key, member] : value.items()) {
    if (known.contains(key)) {
      ExpectFollows(member, known[key], path + "." + key);
    } else {
      const Json& others = schema["additionalProperties"];
      EXPECT_TRUE(others.is_object()) << path << "." << key << " is not in the schema";
      if (others.is_object()) ExpectFollows(member, others, path + "." + key);
    }
  }
  for (const Json& key : schema.value("required", Json::array())) {
    EXPECT_TRUE(value.contains(key)) << path << " lacks " << key;
  }
}

// The keywords that the schema uses.
void ExpectFollows(const Json& value, const Json& schema, const std::string& path) {
  if (schema.contains("$ref")) {
    const std::string name = schema["$ref"];
    return ExpectFollows(value, Schema()["$defs"][name.substr(name.rfind('/') + 1)], path);
  }
  if (schema.contains("anyOf")) {  // of a value that may be null
    if (!value.is_null()) ExpectFollows(value, schema["anyOf"][0], path);
    return;
  }
  if (schema.contains("const")) {
    EXPECT_EQ(value, schema["const"]) << path;
  }
  if (schema.contains("enum")) {
    EXPECT_THAT(schema["enum"], ::testing::Contains(value)) << path;
  }
  if (schema.contains("type")) {
    ASSERT_TRUE(IsOfTypes(value, schema["type"])) << path << ": " << value;
  }
  if (value.is_object() && schema.contains("additionalProperties")) {
    ExpectMembers(value, schema, path);
  }
  if (value.is_array() && schema.contains("items")) {
    for (size_t i = 0; i < value.size(); ++i) {
      ExpectFollows(value[i], schema["items"], path + "[" + std::to_string(i) + "]");
    }
  }
}

// Of every sentence: each figure stands where it is said to. Cases are ASCII: a byte a character.
void ExpectFiguresInPlace(const Json& value) {
  if (value.is_object() && value.contains("figures")) {
    const auto text = value.value("text", value.value("headline", ""));
    for (const Json& figure : value["figures"]) {
      const auto said = figure["text"].get<std::string>();
      EXPECT_EQ(text.substr(figure["at"].get<size_t>(), said.size()), said) << text;
    }
  }
  if (!value.is_structured()) return;
  for (const Json& member : value) ExpectFiguresInPlace(member);
}

std::vector<std::string> CaseNames() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kCases)) {
    if (entry.path().extension() == ".case") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class ReportJsonTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ReportJsonTest, HasTheSchemasMembers) {
  auto verdict_case = ReadVerdictCase(kCases / (GetParam() + ".case"));
  ASSERT_TRUE(verdict_case.ok()) << verdict_case.error().text();
  const Json json = Json::parse(ReportToJson(BuildReport(verdict_case->input)));
  ExpectFiguresInPlace(json);
  ExpectFollows(json, Schema(), "report");
  double shares = 0;
  for (const Json& suspect : json["suspects"]["rows"]) shares += suspect["share"].get<double>();
  EXPECT_TRUE(shares == 1 || shares == 0) << shares;
}

INSTANTIATE_TEST_SUITE_P(Data, ReportJsonTest, ::testing::ValuesIn(CaseNames()),
                         [](const auto& test) { return test.param; });

TEST(ReportJsonTextTest, BytesThatAreNoUtf8AreReplaced) {
  Report report;
  report.run.name = "bad\xff name\x01";
  report.notes = {Make(model::finding::LegacyText{.text = "\xc3"})};
  const Json json = Json::parse(ReportToJson(report));
  EXPECT_EQ(json["run"]["name"], "bad\uFFFD name\x01");
}

TEST(ReportJsonTextTest, MoneyIsThereWhenAPriceWasGiven) {
  Report report;
  report.verdict.at_most_saving_ns = 3'600'000'000'000;
  EXPECT_EQ(Json::parse(ReportToJson(report))["verdict"]["at_most_saving"].dump(),
            R"({"ns":3600000000000})");
  report.verdict.at_most_saving_money = 32.5;
  EXPECT_EQ(Json::parse(ReportToJson(report))["verdict"]["at_most_saving"].dump(),
            R"({"money":32.5,"ns":3600000000000})");
}

TEST(ReportJsonTextTest, FindingIsActiveUntilResolvedOrReplaced) {
  Report report;
  const model::Finding said = Make(model::finding::LiveRuleFound{});
  report.findings = {{1, store::Severity::kWarning, "rule", "Dataloader", said},
                     {2, store::Severity::kWarning, "rule", "StepOutlier", said},
                     {3, store::Severity::kError, "alert", "hang", said},
                     {4, store::Severity::kInfo, "rule", "Dataloader", said},
                     {5, store::Severity::kWarning, "rule", "StepOutlier", said},
                     {6, store::Severity::kWarning, "alert", "Dataloader", said}};
  std::string standing;
  const Json json = Json::parse(ReportToJson(report));
  for (const Json& finding : json["findings"]["rows"]) {
    standing += finding["standing"].get<bool>() ? '1' : '0';
  }
  EXPECT_EQ(standing, "001011");
}

// By kind, and of runs older than kinds by what their rows were called.
TEST(ReportJsonTextTest, FindingsAreToldApartByWhatTheAgentWatched) {
  namespace finding = model::finding;
  const model::Finding old = Make(finding::LegacyText{.text = "once"});
  Report report;
  report.findings = {{1, store::Severity::kInfo, "alert", "no steps", Make(finding::LiveNoHang{})},
                     {2, store::Severity::kWarning, "rule", "hang", Make(finding::LiveRuleFound{})},
                     {3, store::Severity::kError, "alert", "hang", old},
                     {4, store::Severity::kWarning, "rule", "memory", old},
                     {5, store::Severity::kWarning, "alert", "memory of rank 0", old},
                     {6, store::Severity::kWarning, "alert", "step time", old},
                     {7, store::Severity::kInfo, "alert", "agent", old},
                     {8, store::Severity::kInfo, "alert", "of tomorrow", old}};
  std::string topics;
  const Json json = Json::parse(ReportToJson(report));
  for (const Json& one : json["findings"]["rows"]) topics += one["topic"].dump() + " ";
  EXPECT_EQ(topics, R"("hang" "rule" "hang" "rule" "memory" "step_time" "agent" null )");
}

TEST(ReportJsonSectionTest, AbsentSectionNamesItsReason) {
  Report report;
  const Json empty = Json::parse(ReportToJson(report));
  ExpectFollows(empty, Schema(), "report");
  for (const auto& [name, section] : empty.items()) {
    if (name == "schema" || name == "run" || name == "notes") continue;
    EXPECT_NE(section["status"], "found") << name;
    EXPECT_FALSE(section["reason"]["id"].get<std::string>().empty()) << name;
    EXPECT_FALSE(section["truncated"]) << name;
  }
  EXPECT_EQ(empty["kernels"]["reason"]["id"], "no_device_activity");
  EXPECT_EQ(empty["data_loss"]["status"], "not_found");
  EXPECT_EQ(empty["tensors"]["reason"]["id"], "no_tensors");
  report.data_loss = {{"slices", "ring_full", 3, {}, {}, "full"}};
  report.verdict.status = VerdictStatus::kNoSingleSuspect;
  const Json some = Json::parse(ReportToJson(report));
  EXPECT_EQ(some["data_loss"]["status"], "found");
  EXPECT_EQ(some["data_loss"]["count"], 1);
  EXPECT_TRUE(some["data_loss"]["reason"].is_null());
  EXPECT_EQ(some["verdict"]["status"], "not_found");
  EXPECT_EQ(some["verdict"]["reason"]["id"], "no_single_suspect");
}

TEST(ReportJsonSectionTest, FindingsThatWereCutAreCounted) {
  Report report;
  report.findings = {
      {1, store::Severity::kWarning, "rule", "Dataloader", Make(model::finding::LiveRuleFound{})}};
  report.finding_count = 2000;
  const Json findings = Json::parse(ReportToJson(report))["findings"];
  EXPECT_EQ(findings["count"], 2000);
  EXPECT_TRUE(findings["truncated"]);
}

Report OfRanks(int32_t count) {
  Report report;
  report.distributed.applicable = true;
  for (int32_t rank = 0; rank < count; ++rank) {
    RankSection one;
    one.rank = rank;
    one.mean_step_ns = 1000 + rank;
    report.distributed.ranks.push_back(one);
    report.breakdown.push_back({rank, "train", "forward", 10, 1});
  }
  return report;
}

TEST(ReportJsonSectionTest, NoListGrowsWithTheRanks) {
  Report report = OfRanks(300);
  report.distributed.blame = {{299, 50, "decode"}, {7, 20, "decode"}};
  const Json json = Json::parse(ReportToJson(report));
  ExpectFollows(json, Schema(), "report");
  const Json& section = json["distributed"];
  EXPECT_EQ(section["count"], 300);
  EXPECT_TRUE(section["truncated"]);
  ASSERT_EQ(section["ranks"].size(), 64u);
  EXPECT_EQ(section["ranks"][62]["rank"], 62);
  EXPECT_EQ(section["ranks"][63]["rank"], 299) << "the others waited for it";
  EXPECT_EQ(section["blame"].size(), 2u);
  EXPECT_EQ(json["breakdown"]["rows"].size(), 64u);
  EXPECT_EQ(json["breakdown"]["count"], 300);
  const Json& spread = section["spread"][0];
  EXPECT_EQ(spread["name"], "mean_step_ns");
  EXPECT_EQ(spread["ranks"], 300);
  EXPECT_EQ(spread["min"], 1000);
  EXPECT_EQ(spread["p50"], 1149);
  EXPECT_EQ(spread["max"], 1299);
  EXPECT_EQ(spread["max_rank"], 299);
}

TEST(ReportJsonSectionTest, RanksUpToTheLimitAreAllListed) {
  const Json json = Json::parse(ReportToJson(OfRanks(64)));
  EXPECT_EQ(json["distributed"]["ranks"].size(), 64u);
  EXPECT_FALSE(json["distributed"]["truncated"]);
}

TEST(ReportJsonTextTest, WorkersThatNoLoaderToldAreNull) {
  Report report;
  EXPECT_TRUE(Json::parse(ReportToJson(report))["data_pipeline"]["workers"].is_null());
  report.data_pipeline.workers = 0;
  EXPECT_EQ(Json::parse(ReportToJson(report))["data_pipeline"]["workers"], 0);
}

TEST(ReportJsonTextTest, ALoaderFactThatIsNoJsonIsText) {
  Report report;
  report.data_pipeline.loaders = {{0, 7, "not json"}, {0, 7, R"({"workers": 2})"}};
  const Json loaders = Json::parse(ReportToJson(report))["data_pipeline"]["loaders"];
  EXPECT_EQ(loaders[0]["fact"], "not json");
  EXPECT_EQ(loaders[1]["fact"]["workers"], 2);
}

TEST(ReportJsonTextTest, ALoaderFactThatIsNestedWithoutEndIsText) {
  constexpr size_t kDeep = 500'000;
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  Report report;
  report.data_pipeline.loaders = {{0, 7, deep}};
  EXPECT_EQ(Json::parse(ReportToJson(report))["data_pipeline"]["loaders"][0]["fact"], deep);
}

}  // namespace
}  // namespace steptrace::analyze
