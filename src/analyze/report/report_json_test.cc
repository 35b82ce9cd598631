// SPDX-License-Identifier: Apache-2.0
// The JSON form has the members of docs/reference/report.md, whatever the run was like.
#include "analyze/report/report_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "analyze/report/build_report.h"
#include "model/finding_kinds.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kCases = STEPTRACE_VERDICT_CASES;

// The shape of a value: "int", "number", "text", "bool", "object", "list", each with `?` for null.
// A list of objects: [shape]. An object: its members, all of them and no other.
const Json kShape = Json::parse(R"({
  "schema": "text",
  "run": {"id": "text", "name": "text", "status": "text", "exit_code": "int?", "signal": "int?",
          "command": "list", "started_utc": "text", "duration_ns": "int", "nodes": "int",
          "ranks": "int", "frameworks": [{"name": "text", "version": "text"}], "devices": "list",
          "host_overhead_share": "number?", "agent_cpu_share": "number?"},
  "phases": {"initialization_ns": "int?", "training_ns": "int?", "finalization_ns": "int?"},
  "steps": {"count": "int", "steady": "int", "warm_up": "int", "eval": "int",
            "marked": "bool",
            "duration_ns": {"?": true, "mean": "int", "min": "int", "p50": "int", "p90": "int",
                            "p95": "int", "p99": "int", "max": "int"},
            "steps_per_s": "number?", "outlier_count": "int",
            "outliers": [{"rank": "int", "step": "int", "ts_ns": "int", "dur_ns": "int",
                          "cause": "text", "excess_ns": "int"}]},
  "verdict": {"status": "text", "suspect": "text", "sub_stage": "text", "headline": "text",
              "figures": "figures", "kind": "text", "values": "object",
              "healthy": "bool", "share": "number", "share_low": "number", "share_high": "number",
              "at_most_speedup": "number?", "at_most_saving": "object?",
              "straggler_rank": "int?", "straggler_cause": "text",
              "function": {"?": true, "function": "text", "file": "text", "line": "int?",
                           "call": "text?", "ns": "int", "share": "number"},
              "evidence": [{"text": "text", "figures": "figures", "kind": "text", "values": "object",
                            "table": "text", "where": "text"}],
              "rules": [{"name": "text", "text": "text"}],
              "advice": [{"text": "text", "figures": "figures", "kind": "text", "values": "object",
                          "setting": "text", "current": "text", "proposed": "text"}],
              "whole_run": {"?": true, "steady": "int", "status": "text", "suspect": "text",
                            "headline": "text", "figures": "figures", "kind": "text", "values": "object",
                            "share": "number", "share_low": "number",
                            "share_high": "number"}},
  "findings": [{"ts_ns": "int", "severity": "text", "kind": "text", "subject": "text",
                "text": "text", "figures": "figures", "finding": "text", "values": "object",
                "standing": "bool"}],
  "suspects": [{"name": "text", "ns": "int", "share": "number"}],
  "stages": [{"suspect": "text", "name": "text", "ns": "int", "share": "number",
              "share_low": "number", "share_high": "number", "samples": "int",
              "functions": [{"function": "text", "file": "text", "line": "int?",
                             "call": "text?", "ns": "int", "share": "number"}]}],
  "breakdown": [{"rank": "int", "step_kind": "text", "phase": "text", "ns": "int",
                 "share": "number"}],
  "data_pipeline": {"applicable": "bool", "workers": "int?", "waits": "int",
                    "starved_waits": "int",
                    "stages": [{"name": "text", "ns": "int", "share": "number",
                                "share_low": "number", "share_high": "number", "samples": "int",
                                "functions": [{"function": "text", "file": "text", "line": "int?",
                                               "call": "text?", "ns": "int", "share": "number"}]}],
                    "loaders": "list"},
  "roles": "list", "devices": "list", "operators": "list",
  "device_phases": [{"rank": "int", "steps": "int", "step_ns": "int",
                     "phases": [{"name": "text", "ns": "int", "share": "number"}],
                     "unknown_ns": "int", "caught_up_share": "number?"}],
  "operator_totals": "list", "kernels": "list",
  "memory": "object", "modules": "list",
  "distributed": {"applicable": "bool",
                  "ranks": [{"rank": "int", "steps": "int", "mean_step_ns": "int",
                             "suspects": "list", "computation_ns": "int", "overlap_ns": "int",
                             "exposed_ns": "int", "transfer_ns": "int", "wait_ns": "int"}],
                  "collectives": "list",
                  "blame": [{"rank": "int", "caused_wait_ns": "int", "cause": "text"}]},
  "host_memory": {"processes": [{"node": "int", "pid": "int", "rank": "int?", "class": "text?",
                                 "device": "int?", "anon_bytes": "int", "peak_bytes": "int",
                                 "file_bytes": "int?", "shmem_bytes": "int?",
                                 "growth": {"verdict": "text", "steps": "int",
                                            "bytes_per_step": "int", "low": "int", "high": "int",
                                            "bytes_per_s": "int",
                                            "compiled_steps": "int"}}],
                  "outlooks": "list",
                  "kinds": [{"node": "int", "class": "text", "kind": "text", "processes": "int",
                             "bytes": "int", "peak_bytes": "int", "sparkline": "list"}]},
  "system": [{"node": "int", "device": "int?", "metric": "text", "unit": "text",
              "max": "number", "p99": "number", "p95": "number", "p50": "number",
              "min": "number", "mean": "number", "samples": "int", "sparkline": "list"}],
  "critical_path": "object", "recommendations": "list",
  "rules": "list",
  "losses": [{"table": "text", "cause": "text", "count": "int", "from_ns": "int?",
              "to_ns": "int?", "detail": "text"}],
  "notes": "list",
  "note_findings": [{"kind": "text", "values": "object"}]
})");

bool IsOfType(const Json& value, const std::string& type) {
  if (type == "int") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "text") return value.is_string();
  if (type == "bool") return value.is_boolean();
  if (type == "object") return value.is_object();
  return type == "list" && value.is_array();
}

const Json kFigures =
    Json::parse(R"([{"at": "int", "text": "text", "value": "number?", "unit": "text"}])");

void ExpectShape(const Json& value, const Json& shape, const std::string& path) {
  if (shape == "figures") {
    ExpectShape(value, kFigures, path);
  } else if (shape.is_string()) {
    std::string type = shape.get<std::string>();
    const bool may_be_null = type.back() == '?';
    if (may_be_null) type.pop_back();
    EXPECT_TRUE((may_be_null && value.is_null()) || IsOfType(value, type)) << path << ": " << value;
  } else if (shape.is_array()) {
    ASSERT_TRUE(value.is_array()) << path;
    for (size_t i = 0; i < value.size(); ++i) {
      ExpectShape(value[i], shape[0], path + "[" + std::to_string(i) + "]");
    }
  } else if (shape.contains("?") && value.is_null()) {
    return;
  } else {
    ASSERT_TRUE(value.is_object()) << path;
    for (const auto& [key, member] : shape.items()) {
      if (key == "?") continue;
      ASSERT_TRUE(value.contains(key)) << path << "." << key;
      ExpectShape(value[key], member, path + "." + key);
    }
    for (const auto& [key, member] : value.items()) {
      EXPECT_TRUE(shape.contains(key)) << path << "." << key << " is not in the schema";
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
  ASSERT_TRUE(verdict_case.ok()) << verdict_case.error().message;
  const Json json = Json::parse(ReportToJson(BuildReport(verdict_case->input)));
  ExpectFiguresInPlace(json);
  EXPECT_EQ(json["schema"], "steptrace.report/1");
  ExpectShape(json, kShape, "report");
  double shares = 0;
  for (const Json& suspect : json["suspects"]) shares += suspect["share"].get<double>();
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

TEST(ReportJsonTextTest, AFindingStandsUntilItIsTakenBackOrSaidAnew) {
  Report report;
  const model::Finding said = Make(model::finding::LiveRuleFound{});
  report.findings = {
      {1, "warning", "rule", "Dataloader", said},  {2, "warning", "rule", "StepOutlier", said},
      {3, "error", "alert", "hang", said},         {4, "info", "rule", "Dataloader", said},
      {5, "warning", "rule", "StepOutlier", said}, {6, "warning", "alert", "Dataloader", said}};
  std::string standing;
  const Json json = Json::parse(ReportToJson(report));
  for (const Json& finding : json["findings"]) {
    standing += finding["standing"].get<bool>() ? '1' : '0';
  }
  EXPECT_EQ(standing, "001011");
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
