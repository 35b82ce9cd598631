// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/runs.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "serve/rpc/compare.h"
#include "serve/rpc/report.h"
#include "serve/rpc/test_runs.h"

namespace steptrace::rpc {
namespace {

using nlohmann::json;
using store::TempDir;

TEST(RunCatalog, ListsRunsWithTheirVerdicts) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  store::MakeProfiledRun(folder.path() / "two", 3);
  std::filesystem::create_directory(folder.path() / "empty");
  RunCatalog catalog(folder.path(), std::nullopt);
  CostRequest cost;
  cost.price_per_hour = 3600;
  const auto list = catalog.ListJson(cost);
  ASSERT_TRUE(list.ok());
  const json runs = json::parse(*list)["runs"];
  ASSERT_EQ(runs.size(), 2u);
  for (const json& run : runs) {
    EXPECT_TRUE(run["id"] == "one" || run["id"] == "two");
    EXPECT_EQ(run["status"], "completed");
    EXPECT_TRUE(run["verdict"].is_object());
    const double seconds = run["duration_ns"].get<double>() / 1e9;
    EXPECT_NEAR(run["cost"]["amount"].get<double>(), seconds, 1e-9);
  }
  EXPECT_EQ(*catalog.ListJson(cost), *list);
  RunCatalog only(folder.path(), "two");
  EXPECT_EQ(json::parse(*only.ListJson({}))["runs"].size(), 1u);
  EXPECT_TRUE(only.Find("two").has_value());
  EXPECT_FALSE(only.Find("one").has_value());
  for (const char* bad : {"", ".", "..", "../one", "/", "one/", "empty", "one/../two"}) {
    EXPECT_FALSE(catalog.Find(bad).has_value()) << bad;
  }
}

TEST(RunCatalog, AnUnreadableRunIsListedWithItsProblem) {
  TempDir folder;
  std::filesystem::create_directories(folder.path() / "broken");
  std::ofstream(folder.path() / "broken" / "run.json") << "{";
  RunCatalog catalog(folder.path(), std::nullopt);
  const json runs = json::parse(*catalog.ListJson({}))["runs"];
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0]["status"], "unreadable");
  EXPECT_FALSE(runs[0]["problem"].get<std::string>().empty());
  EXPECT_TRUE(runs[0]["verdict"].is_null());
}

TEST(RunCatalog, ARunThatIsWrittenHasTheSizeOfItsJournals) {
  TempDir folder;
  store::RunWriter writer = store::MakeWriter(folder.path() / "live");
  for (int i = 0; i < 100; ++i) writer.Append(store::SampleSlice(writer.strings(), i));
  ASSERT_TRUE(writer.Flush().ok());
  RunCatalog catalog(folder.path(), std::nullopt);
  const json runs = json::parse(*catalog.ListJson({}))["runs"];
  ASSERT_EQ(runs.size(), 1u);
  int64_t bytes = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (file.path().extension() == ".arrows") bytes += static_cast<int64_t>(file.file_size());
  }
  EXPECT_GT(bytes, 0);
  EXPECT_EQ(runs[0]["bytes"], bytes);
}

TEST(RunCatalog, ItsStampTellsThatARunCame) {
  TempDir folder;
  RunCatalog catalog(folder.path(), std::nullopt);
  const uint64_t before = catalog.Stamp();
  EXPECT_EQ(catalog.Stamp(), before);
  store::MakeProfiledRun(folder.path() / "one", 3);
  EXPECT_NE(catalog.Stamp(), before);
}

TEST(Report, OfAStretchHasItsStepsAlone) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  ReportOptions options;
  options.from_ns = 10'000'000;
  options.to_ns = 30'000'000;
  const auto part = LoadReport(folder.path() / "one", options);
  ASSERT_TRUE(part.ok());
  EXPECT_EQ(part->steps.count, 20);
  EXPECT_EQ(LoadReport(folder.path() / "one", {})->steps.count, 60);
}

TEST(Compare, PutsTwoRunsBesideEachOther) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  store::MakeProfiledRun(folder.path() / "two", 40);
  const auto compared = CompareJson(folder.path() / "one", folder.path() / "two", {});
  ASSERT_TRUE(compared.ok());
  const json both = json::parse(*compared);
  EXPECT_EQ(both["runs"], json({"one", "two"}));
  EXPECT_EQ(both["sentence"], "Their steps take the same time, as far as can be told.");
  std::map<std::string, double> shares;
  std::map<std::string, int64_t> ns;
  for (const json& row : both["rows"]) {
    const std::string kind = row["kind"];
    shares[kind] += row["a"]["share"].get<double>();
    ns[kind] += row["a"]["ns"].get<int64_t>();
    EXPECT_EQ(row["change_ns"], row["b"]["ns"].get<int64_t>() - row["a"]["ns"].get<int64_t>());
  }
  for (const char* kind : {"step", "phase", "suspect", "sub_stage"}) {
    EXPECT_NEAR(shares[kind], 1, 1e-6) << kind;
    EXPECT_NEAR(static_cast<double>(ns[kind]), 1e6, 40) << kind;
  }
}

}  // namespace
}  // namespace steptrace::rpc
