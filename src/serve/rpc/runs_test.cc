// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/runs.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <chrono>
#include <fstream>
#include <functional>
#include <mutex>
#include <new>
#include <nlohmann/json.hpp>
#include <semaphore>
#include <thread>

#include "analyze/report/report_json.h"
#include "serve/rpc/compare.h"
#include "serve/rpc/load_report.h"
#include "store/manifest.h"
#include "testing/profiled_run.h"

namespace steptrace::rpc {
namespace {

using nlohmann::json;
using store::TempDir;

constexpr std::chrono::seconds kLongWait{60};  // longer than any report of these tests takes

TEST(RunCatalog, ListsRunsWithTheirVerdicts) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  store::MakeProfiledRun(folder.path() / "two", 3);
  std::filesystem::create_directory(folder.path() / "empty");
  RunCatalog catalog(folder.path(), std::nullopt);
  CostRequest cost;
  cost.price_per_hour = 3600;
  const auto list = catalog.ListJson(cost, kLongWait);
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
  EXPECT_EQ(*catalog.ListJson(cost, kLongWait), *list);
  RunCatalog only(folder.path(), "two");
  EXPECT_EQ(json::parse(*only.ListJson({}, kLongWait))["runs"].size(), 1u);
  EXPECT_TRUE(only.Find("two").has_value());
  EXPECT_FALSE(only.Find("one").has_value());
  for (const char* bad : {"", ".", "..", "../one", "/", "one/", "empty", "one/../two"}) {
    EXPECT_FALSE(catalog.Find(bad).has_value()) << bad;
  }
}

TEST(RunCatalog, AStartThatIsNotKnownIsEmpty) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "undated", 3);
  store::Manifest manifest = *store::ReadManifest(folder.path() / "undated");
  manifest.epoch_utc_ns = 0;
  ASSERT_TRUE(store::WriteManifest(folder.path() / "undated", manifest).ok());
  RunCatalog catalog(folder.path(), std::nullopt);
  EXPECT_EQ(json::parse(*catalog.ListJson({}, kLongWait))["runs"][0]["started_utc"], "");
}

TEST(RunCatalog, ARunWhoseReportIsNotMadeIsListedAsPendingAndItsStampTellsWhenItIs) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  std::mutex busy;
  std::unique_lock held(busy);
  RunCatalog catalog(folder.path(), std::nullopt, [&] { return std::unique_lock(busy); });
  const uint64_t before = catalog.Stamp();
  const json pending = json::parse(*catalog.ListJson({}, std::chrono::milliseconds(0)))["runs"][0];
  EXPECT_EQ(pending["id"], "one");
  EXPECT_EQ(pending["status"], "completed");
  EXPECT_EQ(pending["pending"], true);
  EXPECT_TRUE(pending["verdict"].is_null());
  EXPECT_EQ(catalog.Stamp(), before);
  held.unlock();
  const json made = json::parse(*catalog.ListJson({}, kLongWait))["runs"][0];
  EXPECT_FALSE(made.contains("pending"));
  EXPECT_TRUE(made["verdict"].is_object());
  EXPECT_EQ(made["steps"], 60);
  EXPECT_NE(catalog.Stamp(), before);
}

TEST(RunCatalog, ALiveRunIsNotPendingOnceItWasListed) {
  TempDir folder;
  store::RunWriter writer = store::MakeWriter(folder.path() / "live");
  writer.Append(store::SampleSlice(writer.strings(), 0));
  ASSERT_TRUE(writer.Flush().ok());
  RunCatalog catalog(folder.path(), std::nullopt);
  EXPECT_TRUE(catalog.ListJson({}, kLongWait).ok());
  const uint64_t before = catalog.Stamp();
  for (int i = 0; i < 100; ++i) writer.Append(store::SampleSlice(writer.strings(), i));
  ASSERT_TRUE(writer.Flush().ok());
  const json row = json::parse(*catalog.ListJson({}, std::chrono::milliseconds(0)))["runs"][0];
  EXPECT_FALSE(row.contains("pending"));
  EXPECT_TRUE(catalog.ListJson({}, kLongWait).ok());
  EXPECT_EQ(catalog.Stamp(), before);  // or each answer would ask for the next
}

TEST(RunCatalog, ARunThatEndedIsListedAsItEndedBeforeItsReportIsMade) {
  TempDir folder;
  store::RunWriter writer = store::MakeWriter(folder.path() / "live");
  for (int i = 0; i < 3; ++i) writer.Append(store::SampleStep(writer.strings(), i));
  ASSERT_TRUE(writer.Flush().ok());
  std::mutex busy;
  RunCatalog catalog(folder.path(), std::nullopt, [&] { return std::unique_lock(busy); });
  const json live = json::parse(*catalog.ListJson({}, kLongWait))["runs"][0];
  EXPECT_EQ(live["status"], "in_progress");
  ASSERT_TRUE(writer.Close(store::CompletedManifest()).ok());
  std::unique_lock held(busy);
  const json ended = json::parse(*catalog.ListJson({}, std::chrono::milliseconds(0)))["runs"][0];
  EXPECT_EQ(ended["status"], "completed");
  EXPECT_EQ(ended["duration_ns"], *store::CompletedManifest().end_ns);
  EXPECT_EQ(ended["pending"], true);
  EXPECT_EQ(ended["steps"], live["steps"]);
  EXPECT_EQ(ended["verdict"], live["verdict"]);
}

// Whether its stamp changes when the first of three rows is made.
void ExpectTold(bool of_the_first, std::chrono::milliseconds most_unreported) {
  TempDir folder;
  for (const char* name : {"one", "two", "three"}) store::MakeProfiledRun(folder.path() / name, 3);
  std::mutex memory;
  std::counting_semaphore<> may_be_made(0);
  const auto take_memory = [&] {
    may_be_made.acquire();
    return std::unique_lock(memory);
  };
  RunCatalog catalog(folder.path(), std::nullopt, take_memory, most_unreported);
  const auto pending = [&](std::chrono::milliseconds wait) {
    int count = 0;
    const json list = json::parse(*catalog.ListJson({}, wait));
    for (const json& run : list["runs"]) count += run.contains("pending") ? 1 : 0;
    return count;
  };
  const uint64_t before = catalog.Stamp();
  EXPECT_EQ(pending(std::chrono::milliseconds(0)), 3);
  may_be_made.release();
  while (pending(std::chrono::milliseconds(1)) == 3) std::this_thread::yield();
  const uint64_t after_one = catalog.Stamp();
  EXPECT_EQ(after_one != before, of_the_first);
  may_be_made.release(2);
  EXPECT_EQ(pending(kLongWait), 0);
  EXPECT_NE(catalog.Stamp(), after_one);
}

TEST(RunCatalog, ItsStampTellsOfManyRowsOnceNotOfEach) {
  ExpectTold(false, std::chrono::hours(1));
}

TEST(RunCatalog, ItsStampTellsOfRowsThatWaitedLong) {
  ExpectTold(true, std::chrono::milliseconds(0));
}

TEST(RunCatalog, AListIsAnsweredWhereNoThreadCanBeStartedAndRowsAreMadeOnceOneCan) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 3);
  RunCatalog catalog(folder.path(), std::nullopt);
  pthread_attr_t usual, huge;
  ASSERT_EQ(pthread_getattr_default_np(&usual), 0);
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, size_t{1} << 46), 0);  // more than there is room for
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  for (int again = 0; again < 2; ++again) {
    const auto list = catalog.ListJson({}, std::chrono::milliseconds(0));
    EXPECT_TRUE(list.ok() && json::parse(*list)["runs"][0]["pending"] == true);
  }
  const uint64_t before = catalog.Stamp();
  ASSERT_EQ(pthread_setattr_default_np(&usual), 0);
  while (catalog.Stamp() == before) std::this_thread::yield();  // as a stream of events looks
  EXPECT_FALSE(json::parse(*catalog.ListJson({}, kLongWait))["runs"][0].contains("pending"));
}

TEST(RunCatalog, ARowThatFailsIsTriedAgainAtTheNextListAndCallsForNone) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 3);
  std::mutex memory;
  int fails = 3;
  RunCatalog catalog(folder.path(), std::nullopt, [&] {
    if (fails-- > 0) throw std::bad_alloc();
    return std::unique_lock(memory);
  });
  const json failed = json::parse(*catalog.ListJson({}, kLongWait))["runs"][0];
  EXPECT_EQ(failed["status"], "completed");
  EXPECT_TRUE(failed["verdict"].is_null());
  EXPECT_FALSE(failed.contains("pending"));
  const uint64_t before = catalog.Stamp();
  EXPECT_TRUE(json::parse(*catalog.ListJson({}, kLongWait))["runs"][0]["verdict"].is_null());
  EXPECT_TRUE(json::parse(*catalog.ListJson({}, kLongWait))["runs"][0]["verdict"].is_null());
  EXPECT_EQ(catalog.Stamp(), before);  // or each answer would ask for the next
  EXPECT_TRUE(json::parse(*catalog.ListJson({}, kLongWait))["runs"][0]["verdict"].is_object());
}

TEST(RunCatalog, AReportThatIsNestedWithoutEndIsNone) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  constexpr size_t kDeep = 1'000'000;
  const std::string deep = std::string(kDeep, '[') + std::string(kDeep, ']');
  std::ofstream(folder.path() / "one" / "report.json")
      << R"({"schema":")" << analyze::kReportSchema << R"(","verdict":{"status":)" << deep << "}}";
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).verdict, "");
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).steps, std::nullopt);
  RunCatalog catalog(folder.path(), std::nullopt);
  const json row = json::parse(*catalog.ListJson({}, kLongWait))["runs"][0];
  EXPECT_EQ(row["verdict"]["status"], "found");
}

TEST(RunCatalog, OfAVerdictOnlyTextsAndNumbersAreTaken) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  std::ofstream(folder.path() / "one" / "report.json")
      << R"({"schema":")" << analyze::kReportSchema << R"(","steps":{"count":7},)"
      << R"("verdict":{"status":["found"],"suspect":"model","share":0.5,"headline":{}}})";
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).verdict, "model 50 %");
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).steps, 7);
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).suspect, "model");
  RunCatalog catalog(folder.path(), std::nullopt);
  const json row = json::parse(*catalog.ListJson({}, kLongWait))["runs"][0];
  EXPECT_TRUE(row["verdict"]["status"].is_null() && row["verdict"]["headline"].is_null());
  EXPECT_EQ(row["verdict"]["share"], 0.5);
}

TEST(RunCatalog, AReportOfAnOlderSchemaIsMadeAnew) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  std::ofstream(folder.path() / "one" / "report.json")
      << R"({"schema":"steptrace.report/1","verdict":{"status":"no_steps","suspect":"","share":0}})";
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).verdict, "");
  RunCatalog catalog(folder.path(), std::nullopt);
  const json row = json::parse(*catalog.ListJson({}, kLongWait))["runs"][0];
  EXPECT_EQ(row["verdict"]["status"], "found");
}

TEST(RunCatalog, WhyThereIsNoVerdictIsSaid) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  std::ofstream(folder.path() / "one" / "report.json")
      << R"({"schema":")" << analyze::kReportSchema << R"(","verdict":{"status":"cannot_tell",)"
      << R"("reason":{"id":"too_few_steps","text":"x"},"suspect":"","share":0}})";
  EXPECT_EQ(FiguresOf(folder.path() / "one", ReportSource::kKept).verdict, "too few steps");
}

TEST(RunCatalog, ItsEndWaitsForNoMoreThanTheRowThatIsMade) {
  TempDir folder;
  for (const char* name : {"one", "two", "three"}) store::MakeProfiledRun(folder.path() / name, 3);
  int made = 0;
  {
    std::mutex memory;
    RunCatalog catalog(folder.path(), std::nullopt, [&] {
      ++made;
      return std::unique_lock(memory);
    });
    EXPECT_TRUE(catalog.ListJson({}, std::chrono::milliseconds(0)).ok());
  }
  EXPECT_LE(made, 2);
}

TEST(RunCatalog, AnUnreadableRunIsListedWithItsProblem) {
  TempDir folder;
  std::filesystem::create_directories(folder.path() / "broken");
  std::ofstream(folder.path() / "broken" / "run.json") << "{";
  RunCatalog catalog(folder.path(), std::nullopt);
  const json runs = json::parse(*catalog.ListJson({}, kLongWait))["runs"];
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
  const json runs = json::parse(*catalog.ListJson({}, kLongWait))["runs"];
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

TEST(Report, TimeRangeHasOnlyItsSteps) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 60);
  ReportRequest options;
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
  EXPECT_EQ(both["headline"]["text"], "Their steps take the same time, within the intervals.");
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
