// SPDX-License-Identifier: Apache-2.0
#include "serve/http/api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "analyze/json/cut_texts.h"
#include "analyze/report/report_json.h"
#include "serve/rpc/load_report.h"
#include "store/manifest.h"
#include "testing/profiled_run.h"

namespace steptrace::http {
namespace {

using nlohmann::json;
using store::TempDir;
using ::testing::HasSubstr;

class ApiTest : public testing::Test {
 protected:
  void SetUp() override {
    store::MakeProfiledRun(folder_.path() / "one", 50);
    store::MakeProfiledRun(folder_.path() / "two words", 20);
    ApiOptions options;
    options.folder = folder_.path();
    options.version = "1.2.3";
    api_ = std::make_unique<Api>(options);
  }
  Answer Fetch(const std::string& target) {
    Request request;
    EXPECT_TRUE(ParseTarget(target, &request)) << target;
    return api_->Handle(request);
  }
  json AskJson(const std::string& target) {
    const Answer answer = Fetch(target);
    EXPECT_EQ(answer.status, 200) << target << " " << answer.body;
    EXPECT_EQ(answer.type, "application/json");
    return json::parse(answer.shared ? *answer.shared : answer.body);
  }

  TempDir folder_;
  std::unique_ptr<Api> api_;
};

TEST_F(ApiTest, ServerInfoNamesVersionAndCapabilities) {
  const json server = AskJson("/api/server");
  EXPECT_EQ(server["version"], "1.2.3");
  EXPECT_TRUE(server["run"].is_null());
  EXPECT_THAT(server["editor_url"].get<std::string>(), HasSubstr("{file}"));
}

TEST_F(ApiTest, AReportIsTheReportsJson) {
  const auto report = rpc::LoadReport(folder_.path() / "one", {});
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(Fetch("/api/runs/one/report").body, analyze::ReportToJson(*report));
  EXPECT_EQ(Fetch("/api/runs/one/report").body, analyze::ReportToJson(*report)) << "kept";
  EXPECT_EQ(AskJson("/api/runs/one/report?from_ns=0&to_ns=10000000")["steps"]["count"], 10);
  EXPECT_EQ(AskJson("/api/runs/two%20words/report")["steps"]["count"], 20);
  EXPECT_EQ(AskJson("/api/runs/one/section/kernels?top=1")["kernels"]["rows"].size(), 1u);
}

TEST_F(ApiTest, ARunIsSavedForOtherTools) {
  const Answer timeline = Fetch("/api/runs/one/export/perfetto");
  EXPECT_EQ(timeline.status, 200) << timeline.body;
  EXPECT_EQ(timeline.type, kDownloadType);
  EXPECT_FALSE(timeline.body.empty());
  EXPECT_THAT(Fetch("/api/runs/one/export/csv?table=steps").body, HasSubstr("dur_ns"));
  EXPECT_THAT(Fetch("/api/runs/one/export/parquet?table=steps").body, testing::StartsWith("PAR1"));
  EXPECT_EQ(Fetch("/api/runs/one/export/csv?table=no").status, 400);
  EXPECT_EQ(Fetch("/api/runs/one/export/csv").status, 400);
  EXPECT_EQ(Fetch("/api/runs/one/export/zip").status, 404);
  EXPECT_EQ(Fetch("/api/runs/one/export/chrome?rank=0").status, 200);
  EXPECT_EQ(Fetch("/api/runs/one/export/chrome?rank=99").status, 400);
}

TEST_F(ApiTest, TheOneFileReportIsThePageWithTheRunInIt) {
  std::ofstream(folder_.path() / "report.html")
      << R"(<script type="application/json" id="steptrace-report">null</script>)";
  ApiOptions options;
  options.folder = folder_.path();
  options.pages = folder_.path();
  api_ = std::make_unique<Api>(options);
  const Answer page = Fetch("/api/runs/one/html");
  EXPECT_EQ(page.status, 200) << page.body;
  EXPECT_EQ(page.type, kDownloadType);
  EXPECT_THAT(page.body, HasSubstr("steptrace.report/2"));
}

TEST_F(ApiTest, ACaptureIsAskedForAndItsStepsAreTold) {
  EXPECT_EQ(Fetch("/api/runs/one/capture").status, 404) << "nobody carries it out";
  RunCaptureRequest asked;
  ApiOptions options;
  options.folder = folder_.path();
  options.capture = [&asked](const RunCaptureRequest& ask) -> Result<CapturedSteps> {
    asked = ask;
    if (ask.kinds == "no") return Error{"capture: no such"};
    return CapturedSteps{10, 90, ask.steps};
  };
  api_ = std::make_unique<Api>(options);
  const json captured = AskJson("/api/runs/one/capture?steps=5&capture=stacks");
  EXPECT_EQ(captured, json({{"from_ns", 10}, {"to_ns", 90}, {"steps", 5}}));
  EXPECT_EQ(asked.run.filename(), "one");
  EXPECT_EQ(asked.kinds, "stacks");
  AskJson("/api/runs/one/capture");
  EXPECT_EQ(asked.steps, 10);
  EXPECT_EQ(asked.kinds, "operators");
  EXPECT_EQ(Fetch("/api/runs/one/capture?capture=no").status, 409);
  EXPECT_EQ(Fetch("/api/runs/one/capture?steps=0").status, 400);
}

TEST_F(ApiTest, SectionCoversTheRequestedTimeRange) {
  const auto calls = [this](const std::string& query) {
    const json kernels = AskJson("/api/runs/one/section/kernels" + query)["kernels"]["rows"];
    return kernels.empty() ? 0 : kernels[0]["calls"].get<int>();
  };
  EXPECT_EQ(calls(""), 50);
  EXPECT_EQ(calls("?from_ns=10000000&to_ns=30000000"), 20);
  EXPECT_EQ(calls("?from_ns=49000000"), 1);
  EXPECT_EQ(calls("?from_ns=600000&to_ns=700000"), 0) << "nothing begins there";
  EXPECT_EQ(calls(""), 50) << "the whole again";
  // Every section that a view asks for agrees with the report of the same time range.
  const std::string time_range = "?from_ns=10000000&to_ns=30000000";
  const json report = AskJson("/api/runs/one/report" + time_range);
  EXPECT_EQ(report["steps"]["count"], 20);
  for (const auto& [section, member] :
       std::map<std::string, std::string>{{"operators", "operators"},
                                          {"kernels", "kernels"},
                                          {"memory", "memory"},
                                          {"modules", "modules"},
                                          {"distributed", "distributed"},
                                          {"critical-path", "critical_path"},
                                          {"devices", "devices"}}) {
    const json part = AskJson("/api/runs/one/section/" + section + time_range);
    EXPECT_EQ(part[member], report[member]) << section;
  }
}

TEST_F(ApiTest, LongTextsAreCutAndToldWholeWhenAskedFor) {
  const std::string name(1 << 20, 'k');
  store::MakeProfiledRun(folder_.path() / "long", 3, name);
  for (const char* target : {"/api/runs/long/report", "/api/runs/long/section/kernels",
                             "/api/runs/long/section/operators", "/api/runs/long/rules"}) {
    const Answer answer = Fetch(target);
    EXPECT_EQ(answer.status, 200) << target;
    EXPECT_LT(answer.body.size(), 64u << 10) << target;
  }
  const json kernels = AskJson("/api/runs/long/section/kernels")["kernels"]["rows"];
  ASSERT_EQ(kernels.size(), 1u);
  const std::string cut = kernels[0]["name"];
  EXPECT_EQ(cut, analyze::CutText(name, analyze::kMaxPageTextBytes));
  const std::string number = cut.substr(cut.size() - 17, 16);
  EXPECT_EQ(AskJson("/api/runs/long/text/" + number)["text"], name);
  for (const char* none : {"0", "x", "", "-1", "123456789012345678901"}) {
    EXPECT_EQ(Fetch("/api/runs/long/text/" + std::string(none)).status, 404) << none;
  }
}

TEST_F(ApiTest, RulesTakeParametersAndNameWhatIsWrongWithThem) {
  const json rules = AskJson("/api/runs/one/rules?set=BatchSize.cpu_threshold_p95=70&mode=compat");
  EXPECT_TRUE(rules.contains("cost"));
  EXPECT_EQ(Fetch("/api/runs/one/rules?set=NoSuchRule.x=1").status, 400);
  EXPECT_EQ(Fetch("/api/runs/one/rules?mode=odd").status, 400);
}

TEST_F(ApiTest, ArrowComesWithItsType) {
  for (const char* target :
       {"/api/runs/one/table/slices?limit=3&columns=name,ts_ns", "/api/runs/one/series?points=10",
        "/api/runs/one/timeline/view?width=100&from_ns=0&to_ns=1000&tracks=1,2",
        "/api/runs/one/timeline/flows", "/api/runs/one/timeline/statistics?tracks=1"}) {
    const Answer answer = Fetch(target);
    EXPECT_EQ(answer.status, 200) << target << answer.body;
    EXPECT_EQ(answer.type, kArrowType) << target;
    EXPECT_GT(answer.body.size(), 100u);
  }
  EXPECT_EQ(AskJson("/api/runs/one/timeline/search?q=MM")["total"], 50);
  EXPECT_EQ(AskJson("/api/runs/one/timeline/slice/0")["slice"], 0);
  EXPECT_TRUE(AskJson("/api/runs/one/samples?threads=worker&rank=0")["nodes"].empty());
  EXPECT_TRUE(AskJson("/api/runs/one/tensors?module=head")["role"].is_null());
  EXPECT_TRUE(
      AskJson("/api/runs/one/tensors/histogram?tensor=head&role=weight")["columns"].empty());
  EXPECT_EQ(AskJson("/api/runs/one/timeline/tree")["tracks"].size(), 4u);
}

TEST_F(ApiTest, BoundsAreHeld) {
  for (const char* target : {"/api/runs/one/timeline/view?width=0",
                             "/api/runs/one/timeline/view?width=8193",
                             "/api/runs/one/timeline/view?width=ten",
                             "/api/runs/one/timeline/view?from_ns=1e9",
                             "/api/runs/one/timeline/view?from_ns=9&to_ns=9",
                             "/api/runs/one/timeline/view?from_ns=99999999999999999999",
                             "/api/runs/one/series?points=4097",
                             "/api/runs/one/timeline/search?limit=1001",
                             "/api/runs/one/timeline/flows?limit=10001",
                             "/api/runs/one/timeline/view?tracks=1,x",
                             "/api/runs/one/table/slices?limit=1000001",
                             "/api/runs/one/table/slices?columns=none",
                             "/api/runs/one/table/slices?where=odd",
                             "/api/runs/one/samples?threads=all",
                             "/api/runs/one/samples?rank=x",
                             "/api/runs/one/tensors?statistic=odd",
                             "/api/runs/one/tensors?module=(",
                             "/api/runs/one/tensors?columns=1025",
                             "/api/runs/one/tensors/histogram?role=weight",
                             "/api/runs/one/section/kernels?top=0",
                             "/api/runs/one/report?from_ns=2&to_ns=1",
                             "/api/runs/one/rules?from_ns=2&to_ns=1",
                             "/api/runs/one/section/kernels?from_ns=2&to_ns=1",
                             "/api/runs/one/samples?from_ns=2&to_ns=1",
                             "/api/runs/one/series?from_ns=2&to_ns=1",
                             "/api/runs/one/timeline/search?q=mm&from_ns=2&to_ns=1",
                             "/api/runs/one/timeline/statistics?from_ns=2&to_ns=1",
                             "/api/runs/one/timeline/search",
                             "/api/runs/one/timeline/search?q="}) {
    const Answer answer = Fetch(target);
    EXPECT_EQ(answer.status, 400) << target << " " << answer.body;
    EXPECT_FALSE(json::parse(answer.body)["error"]["cause"].get<std::string>().empty());
  }
  std::string tracks = "0";
  for (int i = 0; i < 512; ++i) tracks += ",1";
  EXPECT_EQ(Fetch("/api/runs/one/timeline/view?tracks=" + tracks).status, 400);
  // The widest time range that has a length, and one beyond.
  EXPECT_EQ(
      Fetch("/api/runs/one/timeline/view?width=1&from_ns=-1&to_ns=9223372036854775806").status,
      200);
  EXPECT_EQ(Fetch("/api/runs/one/timeline/view?from_ns=-2&to_ns=9223372036854775807").status, 400);
}

TEST_F(ApiTest, UnknownPathsAreNotFound) {
  for (const char* target :
       {"/api/runs/none/report", "/api/runs//report", "/api/runs/one/none", "/api/none", "/api",
        "/api/runs/one", "/api/runs/one/table/none", "/api/runs/one/section/none",
        "/api/runs/one/timeline/none", "/api/runs/one/timeline/slice/999999",
        "/api/runs/one/timeline/slice/-1", "/api/runs/one/timeline/slice/x",
        "/api/runs/one/compare/none", "/api/runs/one/report/more"}) {
    EXPECT_EQ(Fetch(target).status, 404) << target;
  }
  const auto next_step = [&](const char* target) {
    return json::parse(Fetch(target).body)["error"]["next_step"].get<std::string>();
  };
  EXPECT_EQ(next_step("/api/runs/none/report"),
            "look at the list of all runs: it may have been moved or removed");
  EXPECT_THAT(next_step("/api/runs/one/section/none"), HasSubstr("they are devices, operators"));
  EXPECT_THAT(next_step("/api/runs/one/timeline/slice/999999"), HasSubstr("timeline/view"));
}

TEST_F(ApiTest, EventStreamSendsOnlyChanges) {
  Api::EventState state;
  EXPECT_TRUE(api_->RunsEvent(state).has_value());
  EXPECT_FALSE(api_->RunsEvent(state).has_value());
  Api::EventState run;
  const auto event = api_->RunEvent("one", run);
  ASSERT_TRUE(event.has_value());
  EXPECT_THAT(*event, HasSubstr("\"steps\":50"));
  EXPECT_THAT(*event, HasSubstr("\"stopped_since_ns\":null"));
  EXPECT_FALSE(api_->RunEvent("one", run).has_value());
  EXPECT_FALSE(api_->RunEvent("none", run).has_value());
}

TEST_F(ApiTest, ComparesTwoRuns) {
  const json both = AskJson("/api/runs/one/compare/two%20words");
  EXPECT_EQ(both["runs"], json({"one", "two words"}));
  EXPECT_EQ(both["rows"][0]["kind"], "step");
  EXPECT_EQ(both["headline"]["kind"], "comparison.may_be_chance");
  EXPECT_EQ(both["notes"], json::array());  // neither tells more than the other
  EXPECT_EQ(both["back"]["headline"]["kind"], "comparison.may_be_chance");
}

// As a run says it whose slices are so many.
void SaySlices(const std::filesystem::path& run, int64_t rows) {
  store::Manifest manifest = *store::ReadManifest(run);
  manifest.tables.at("slices").segments.at(0).rows = rows;
  ASSERT_TRUE(store::WriteManifest(run, manifest).ok());
}

TEST_F(ApiTest, TheHelperAnswersForLargeRunsAlone) {
  SaySlices(folder_.path() / "one", 300'000);
  HelperOptions helps;
  helps.command = {"/bin/sh", "-c",
                   "while read t; do printf '{\"status\":200,\"type\":\"application/json\","
                   "\"bytes\":%s}\\n%s' ${#t} $t; done"};
  ApiOptions options;
  options.folder = folder_.path();
  options.helper = std::make_shared<Helper>(std::move(helps));
  const std::string here = Fetch("/api/runs/one/report").body;  // of one without a helper
  EXPECT_EQ(json::parse(here)["steps"]["count"], 50);
  api_ = std::make_unique<Api>(options);
  const std::string small = "/api/runs/two%20words/";
  for (const std::string what :
       {"report", "report?from_ns=0&to_ns=10000000", "section/kernels?top=1", "text/0", "rules",
        "samples", "table/slices?limit=1", "compare/two%20words"}) {
    const std::string target = "/api/runs/one/" + what;
    EXPECT_EQ(Fetch(target).body, target);
    EXPECT_NE(Fetch(small + what).body, small + what);
  }
  EXPECT_EQ(Fetch(small + "compare/one").body, small + "compare/one") << "the other is large";
  for (const std::string what :
       {"series", "timeline/tree", "timeline/view", "none", "none/report"}) {
    const std::string target = "/api/runs/one/" + what;
    EXPECT_NE(Fetch(target).body, target) << "no report, no table";
  }
  EXPECT_EQ(Fetch("/api/runs/none/report").status, 404);
  api_->Stop();
  EXPECT_EQ(Fetch("/api/runs/one/report").status, 503);
  EXPECT_EQ(Fetch(small + "report").status, 200);
}

}  // namespace
}  // namespace steptrace::http
