// SPDX-License-Identifier: Apache-2.0
// One section of the report alone.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/report/build_report.h"
#include "analyze/report/report_json.h"
#include "analyze/trace/trace_text.h"

namespace steptrace::analyze {
namespace {

using Json = nlohmann::json;

Json Section(const char* name, std::optional<int64_t> top) {
  store::StringTable strings;
  const Trace trace =
      DrawTrace("d0s7 kernel a 0 1\nd0s8 kernel a 0 1\nd1s7 kernel a 0 1\n", strings);
  ReportInput input;
  input.strings = &strings;
  input.profile = &trace;
  return Json::parse(SectionToJson(BuildReport(input), *FindSection(name), top));
}

TEST(SectionJsonTest, HoldsItsMembersAndNoOther) {
  const Json json = Section("devices", std::nullopt);
  EXPECT_EQ(json["schema"], kReportSchema);
  EXPECT_EQ(json["devices"].size(), 2u);
  EXPECT_TRUE(json.contains("roles"));
  EXPECT_FALSE(json.contains("verdict"));
}

TEST(SectionJsonTest, TopKeepsTheFirstRows) {
  EXPECT_EQ(Section("devices", 1)["devices"].size(), 1u);
  EXPECT_EQ(Section("recommendations", 3)["recommendations"].size(), 3u);
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
