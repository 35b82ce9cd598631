// SPDX-License-Identifier: Apache-2.0
// One section of the report alone.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "analyze/report/build_report.h"
#include "analyze/report/report_json.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using Json = nlohmann::json;

Json SectionOf(std::string_view drawn, const char* name, std::optional<int64_t> top) {
  store::StringTable strings;
  const Trace trace = DrawTrace(drawn, strings);
  ReportInput input;
  input.strings = &strings;
  input.profile = trace;
  return Json::parse(SectionToJson(BuildReport(input), *FindSection(name), top));
}

Json Section(const char* name, std::optional<int64_t> top) {
  return SectionOf("d0s7 kernel a 0 1\nd0s8 kernel a 0 1\nd1s7 kernel a 0 1\n", name, top);
}

TEST(SectionJsonTest, HoldsItsMembersAndNoOther) {
  const Json json = Section("devices", std::nullopt);
  EXPECT_EQ(json["schema"], kReportSchema);
  EXPECT_EQ(json["devices"]["rows"].size(), 2u);
  EXPECT_TRUE(json.contains("roles"));
  EXPECT_FALSE(json.contains("verdict"));
}

TEST(SectionJsonTest, WhatIsOfAllRanksIsNotCutWithThem) {
  const std::string call =
      R"( details={"Collective name":"allreduce","Process Group Name":"0","Process Group Ranks":"[0, 1]"})";
  const std::string kernel = "s9 kernel ncclDevKernel_AllReduce ";
  const std::string drawn =
      kernel + "50 150" + call + "\nrank 1\n" + kernel + "60 150" + call + "\n";
  const Json json = SectionOf(drawn, "distributed", 1)["distributed"];
  EXPECT_EQ(json["ranks"].size(), 1u);
  EXPECT_TRUE(json["truncated"]);
  EXPECT_GT(json["spread"].size(), 1u);
  EXPECT_EQ(json["spread"], SectionOf(drawn, "distributed", std::nullopt)["distributed"]["spread"]);
}

TEST(SectionJsonTest, RecommendationsAreByKindWithTheValuesOfTheirSentences) {
  const Json json = SectionOf(R"(
t1 step ProfilerStep#1 0 1000
t1 op enumerate(DataLoader)#X.__next__ 0 60
t1 runtime cudaLaunchKernel 100 110 corr=1
s7 kernel gemm 110 1000 corr=1
)",
                              "recommendations", std::nullopt);
  std::map<std::string, Json> by_name;
  for (const Json& row : json["recommendations"]["rows"]) by_name[row["name"]] = row;
  const Json& loader = by_name["high_input_cost"];
  EXPECT_EQ(loader["kind"], "recommendation.loader");
  EXPECT_EQ(loader["values"], Json({{"share", 0.06}}));
  EXPECT_EQ(loader["text"], "the data loader takes 6 % of the step in which nothing else runs");
  EXPECT_EQ(loader["evidence"][0]["kind"], "recommendation.loader_time");
  EXPECT_EQ(loader["evidence"][0]["values"], Json({{"time", 60}, {"steps", 1}}));
  EXPECT_EQ(loader["advice_kind"], "recommendation.raise_workers");
  const Json& fine = by_name["low_gpu_utilization"];
  EXPECT_EQ(fine["kind"], "recommendation.least_used_device");
  EXPECT_EQ(fine["advice"], "");
  EXPECT_EQ(fine["advice_kind"], nullptr);
  const Json& none = by_name["data_parallel"];  // does not apply
  EXPECT_EQ(none["text"], "");
  EXPECT_EQ(none["figures"], Json::array());
  EXPECT_EQ(none["kind"], nullptr);
  EXPECT_EQ(none["values"], Json::object());
}

TEST(SectionJsonTest, TopKeepsTheFirstRows) {
  const Json devices = Section("devices", 1)["devices"];
  EXPECT_EQ(devices["rows"].size(), 1u);
  EXPECT_EQ(devices["count"], 2);
  EXPECT_TRUE(devices["truncated"]);
  EXPECT_FALSE(Section("devices", 2)["devices"]["truncated"]);
  EXPECT_EQ(Section("recommendations", 3)["recommendations"]["rows"].size(), 3u);
}

// As the text form does: a rank with many rows leaves none out of the others.
TEST(SectionJsonTest, TopIsOfEachRankAndDevice) {
  const Json json = SectionOf(
      "rank 0\nt1 op a 0 10\nt1 op b 10 40\nt1 op c 40 50\n"
      "rank 1\nt1 op a 0 5\nt1 op b 10 15\n",
      "operators", 2);
  std::map<int, std::vector<std::string>> names;
  for (const Json& row : json["operators"]["rows"]) {
    if (row["rank"].is_number()) names[row["rank"]].push_back(row["name"]);
  }
  EXPECT_EQ(names[0].size(), 2u);
  EXPECT_EQ(names[0].front(), "b");
  EXPECT_EQ(names[1].size(), 2u);
}

TEST(SectionJsonTest, EverySectionIsThereByItsName) {
  for (const SectionName& section : SectionNames()) {
    const Json json = Section(section.name, std::nullopt);
    for (const char* member : section.members) EXPECT_TRUE(json.contains(member)) << member;
  }
  EXPECT_EQ(FindSection("nonsense"), nullptr);
}

}  // namespace
}  // namespace steptrace::analyze
