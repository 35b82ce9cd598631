// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/complete_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "analyze/json/stored_finding.h"
#include "analyze/report/build_report.h"
#include "analyze/report/report_json.h"
#include "analyze/report/sections.h"
#include "model/finding_kinds.h"
#include "testing/verdict_case.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;
using Json = nlohmann::json;

// Where each finding of a report stands, by its id. The rules that agree with the verdict stand a
// second time among the rules; what the agent noticed is a list of its own.
void Gather(const Json& json, const std::string& path,
            std::map<std::string, std::vector<std::string>>& found) {
  if (path == "/verdict/rules" || path == "/findings") return;
  if (json.is_object() && json.contains("subject") && json.contains("values")) {
    if (json["id"].is_string()) found[json["id"]].push_back(path);
  }
  if (!json.is_structured()) return;
  for (const auto& [key, member] : json.items()) Gather(member, path + "/" + key, found);
}

void ExpectIdsOfTheirOwn(const Json& json, size_t least) {
  std::map<std::string, std::vector<std::string>> found;
  Gather(json, "", found);
  EXPECT_GE(found.size(), least);
  for (const auto& [id, places] : found) EXPECT_EQ(places.size(), 1u) << Json(places);
}

// The rules that agree have the ids that their findings have among the rules.
size_t ExpectAgreeingRulesAmong(const Json& report) {
  for (const Json& rule : report["verdict"]["rules"]) {
    const Json& rows = report["rules"]["rows"];
    EXPECT_TRUE(std::ranges::any_of(rows, [&](const Json& other) {
      return other["name"] == rule["name"] && other["evidence"][0]["id"] == rule["id"];
    })) << rule["name"];
  }
  return report["verdict"]["rules"].size();
}

TEST(CompleteFindingsTest, NoTwoFindingsOfAReportHaveOneId) {
  size_t cases = 0, agreeing = 0;
  for (const auto& file : std::filesystem::directory_iterator(STEPTRACE_VERDICT_CASES)) {
    if (file.path().extension() != ".case") continue;
    SCOPED_TRACE(file.path().filename());
    const auto one = ReadVerdictCase(file.path());
    ASSERT_TRUE(one.ok()) << one.error().text();
    const Json report = Json::parse(ReportToJson(BuildReport(one->input)));
    ExpectIdsOfTheirOwn(report, 1);
    ExpectIdsOfTheirOwn(report["findings"], 0);
    agreeing += ExpectAgreeingRulesAmong(report);
    ++cases;
  }
  EXPECT_GT(cases, 100u);
  EXPECT_GT(agreeing, 10u);
}

TEST(CompleteFindingsTest, NamesMachinesWhereTheirNamesAreKnown) {
  std::vector<model::Finding> all;
  for (const int64_t node : {0, 1, 2}) {
    all.push_back(Make(finding::GpuSharedWithOthers{.others = 1, .gpu = 0, .node = node}));
  }
  const std::vector<store::NodeInfo> nodes = {
      {.node = 0, .host = "a"}, {.node = 1, .host = "b"}, {.node = 2, .host = ""}};
  std::vector<model::Finding*> pointers;
  for (model::Finding& one : all) pointers.push_back(&one);
  CompleteFindings(nodes, pointers);
  EXPECT_EQ(SubjectOf(all[1]).hosts, std::vector<std::string>{"b"});
  EXPECT_EQ(SubjectOf(all[2]).nodes, std::vector<int64_t>{2});
  for (const model::Finding& one : all) EXPECT_EQ(one.subject.occurrence, 1);
  EXPECT_NE(IdOf(all[0]), IdOf(all[1]));
  EXPECT_NE(IdOf(all[0]), IdOf(all[2]));
}

store::FindingRow Noticed(const model::Finding* found, const char* text) {
  store::FindingRow row;
  row.text = text;
  if (found == nullptr) return row;
  nlohmann::ordered_json evidence = nlohmann::ordered_json::object();
  AddFinding(*found, evidence);
  row.evidence = evidence.dump();
  return row;
}

// Of processes without a rank, of older runs, and of what came a second time.
TEST(CompleteFindingsTest, WhatTheAgentNoticedHasIdsOfItsOwn) {
  model::Finding leaks = Make(finding::LiveMemoryPlateau{}), others = leaks;
  leaks.subject.process = 100;
  others.subject.process = 200;
  const model::Finding hang = Make(finding::LiveHangOver{.time = 5});
  std::vector<store::FindingRow> rows = {Noticed(&leaks, ""),     Noticed(&others, ""),
                                         Noticed(&hang, ""),      Noticed(&hang, ""),
                                         Noticed(nullptr, "old"), Noticed(nullptr, "older"),
                                         Noticed(nullptr, "old")};
  rows.push_back(rows[0]);
  rows.back().evidence = R"({"finding":"live.memory_plateau","values":{}})";  // of before subjects
  store::StringTable strings;
  const std::vector<FindingLine> lines = MakeFindings(rows, strings, {});
  ASSERT_EQ(lines.size(), rows.size());
  std::set<std::string> ids;
  for (const FindingLine& line : lines) ids.insert(IdOf(line.said));
  EXPECT_EQ(ids.size(), rows.size());
  rows.push_back(Noticed(&hang, ""));
  EXPECT_EQ(IdOf(MakeFindings(rows, strings, {})[3].said), IdOf(lines[3].said))
      << "what comes later changes none";
}

}  // namespace
}  // namespace steptrace::analyze
