// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/steps.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "present/words/finding_sentence.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/rules.h"
#include "serve/rpc/table.h"
#include "testing/test_run.h"
#include "testing/trace_text.h"

namespace steptrace::rpc {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kMarked =
    "rank 0\n"
    "t1 step ProfilerStep#3 100 1100\nt1 op aten::mm 100 600\n"
    "t1 runtime cudaLaunchKernel 200 210 corr=1\ns7 kernel gemm 300 900 corr=1\n"
    "t1 step ProfilerStep#4 1100 2100\nt1 op aten::mm 1100 1600\n"
    "t1 runtime cudaLaunchKernel 1200 1210 corr=2\ns7 kernel gemm 1300 1900 corr=2\n"
    "rank 1\n"  // and one that marks nothing
    "t1 op aten::mm 0 600\n";
constexpr const char* kUnmarked =
    "t1 op aten::mm 100 600\nt1 runtime cudaLaunchKernel 200 210 corr=1\n"
    "s7 kernel gemm 300 900 corr=1\n";

class StepsTest : public ::testing::Test {
 protected:
  std::filesystem::path run() const { return dir_.path() / "run"; }
  void Make(const char* drawn) {
    store::RunWriter writer = store::MakeWriter(run());
    const analyze::DrawnRows rows = analyze::DrawRows(drawn, writer.strings());
    for (const analyze::DrawnRank& rank : rows.ranks) {
      for (const auto& track : rank.tracks) writer.Append(track);
      for (const auto& slice : rank.slices) writer.Append(slice);
    }
    writer.Append(store::RunMetadataRow{.kind = writer.strings().Intern("source"),
                                        .json = R"({"format":"kineto"})"});
    ASSERT_OK(writer.Close(store::CompletedManifest()));
  }
  // "rank step from to" of the table as it is stored.
  std::vector<std::string> Stored() {
    store::RunReader reader = store::OpenRun(run());
    std::vector<std::string> lines;
    const auto rows = reader.Read<store::StepRow>();
    EXPECT_TRUE(rows.ok());
    for (const store::StepRow& row : *rows) {
      lines.push_back(std::to_string(row.rank) + ' ' + std::to_string(row.step) + ' ' +
                      std::to_string(row.ts_ns) + ' ' + std::to_string(row.ts_ns + row.dur_ns));
    }
    return lines;
  }

  store::TempDir dir_;
};

struct CountRows : RowVisitor {
  Status Begin(const std::vector<Column>&) override { return {}; }
  Status Row(std::span<const Cell>) override {
    ++rows;
    return {};
  }
  int rows = 0;
};

TEST_F(StepsTest, TheMarkedRanksAreStored) {
  Make(kMarked);
  EXPECT_THAT(Stored(), IsEmpty());
  ASSERT_OK(StoreMarkedSteps(run()));
  EXPECT_THAT(Stored(), ElementsAre("0 3 100 1100", "0 4 1100 2100"));
  ASSERT_OK(StoreMarkedSteps(run()));  // once
  EXPECT_EQ(Stored().size(), 2u);
}

TEST_F(StepsTest, TableRequestReturnsMarkedSteps) {
  Make(kMarked);
  CountRows counted;
  ASSERT_OK(VisitRows({run(), "steps", {}, "", std::nullopt}, counted));
  EXPECT_EQ(counted.rows, 2);
}

TEST_F(StepsTest, LargeProfilesWaitUntilTheyAreAskedFor) {
  Make(kMarked);
  ASSERT_OK(StoreMarkedSteps(run(), 8));  // of 9 slices
  EXPECT_THAT(Stored(), IsEmpty());
  ASSERT_OK(StoreMarkedSteps(run(), 9));
  EXPECT_EQ(Stored().size(), 2u);
}

TEST_F(StepsTest, TheReportIsTheSameFromTheTableAndFromTheMarks) {
  Make(kMarked);
  const auto before = LoadReport(run(), {});
  ASSERT_OK(before);
  ASSERT_OK(StoreMarkedSteps(run()));
  const auto after = LoadReport(run(), {});
  ASSERT_OK(after);
  EXPECT_TRUE(before->steps.marked);
  EXPECT_TRUE(after->steps.marked);
  EXPECT_EQ(after->steps.count, 2);
  EXPECT_EQ(before->steps.count, after->steps.count);
  EXPECT_EQ(present::SentenceOf(before->verdict.headline).text,
            present::SentenceOf(after->verdict.headline).text);
  for (size_t i = 0; i < before->suspects.size(); ++i) {
    EXPECT_EQ(before->suspects[i].ns, after->suspects[i].ns) << before->suspects[i].name;
  }
}

TEST_F(StepsTest, TimeRangeHoldsOnlyWholeSteps) {
  Make(kMarked);
  const auto steps_in = [this](int64_t from_ns, int64_t to_ns) {
    ReportRequest options;
    options.from_ns = from_ns;
    options.to_ns = to_ns;
    const auto report = LoadReport(run(), options);
    EXPECT_TRUE(report.ok());
    return report->steps.count;
  };
  for (const bool stored : {false, true}) {
    if (stored) ASSERT_OK(StoreMarkedSteps(run()));
    EXPECT_EQ(steps_in(100, 1600), 1) << "the second ends behind it; stored: " << stored;
    EXPECT_EQ(steps_in(1100, 2100), 1) << stored;
    EXPECT_EQ(steps_in(0, 3000), 2) << stored;
    EXPECT_EQ(steps_in(1100, 1700), 0) << stored;
  }
}

// The report, which most views are made of, and the rules.
TEST_F(StepsTest, AllViewsOfATimeRangeCountTheSameSteps) {
  Make(kMarked);
  const auto counted = [this](const TimeBounds& time_range) {
    ReportRequest options;
    options.from_ns = time_range.from_ns;
    options.to_ns = time_range.to_ns;
    const auto report = LoadReport(run(), options);
    EXPECT_TRUE(report.ok());
    const analyze::RuleSettings settings(analyze::RuleMode::kModern);
    const auto rules = LoadRules(run(), settings, {}, time_range);
    EXPECT_TRUE(rules.ok());
    int64_t ruled = 0;
    for (const auto& rank : rules->report.step_durations.data) ruled += rank.count;
    EXPECT_EQ(ruled, report->steps.count) << *time_range.from_ns << " to " << *time_range.to_ns;
    return ruled;
  };
  EXPECT_EQ(counted({100, 2100}), 2);
  EXPECT_EQ(counted({100, 2099}), 1) << "the second ends behind it";
  EXPECT_EQ(counted({101, 2100}), 1) << "the first begins before it";
  EXPECT_EQ(counted({100, 1100}), 1);
  EXPECT_EQ(counted({101, 1099}), 0);
}

TEST_F(StepsTest, TheRulesSeeThem) {
  Make(kMarked);
  const auto answer = LoadRules(run(), analyze::RuleSettings(analyze::RuleMode::kModern), {});
  ASSERT_OK(answer);
  ASSERT_TRUE(answer->report.step_durations.applicable);
  EXPECT_EQ(answer->report.step_durations.data.front().count, 2);
}

TEST_F(StepsTest, AProfileWithoutMarksSaysSo) {
  Make(kUnmarked);
  ASSERT_OK(StoreMarkedSteps(run()));
  EXPECT_THAT(Stored(), IsEmpty());
  const auto report = LoadReport(run(), {});
  ASSERT_OK(report);
  EXPECT_FALSE(report->steps.marked);
  EXPECT_THAT(present::TextsOf(report->notes), ::testing::Contains(HasSubstr("no step marks")));
}

TEST_F(StepsTest, WhoAsksForTheTableHasThemWhereTheyCannotBeStored) {
  Make(kMarked);
  std::ofstream(run() / "tables" / "steps") << "in the way";
  ASSERT_FALSE(StoreMarkedSteps(run()).ok());
  CountRows counted;
  ASSERT_OK(VisitRows({run(), "steps", {}, "", std::nullopt}, counted));
  EXPECT_EQ(counted.rows, 2);
  std::filesystem::path left;
  {
    auto table = StepsTable::Of(run());
    ASSERT_OK(table);
    left = table->run();
    EXPECT_NE(left, run());
    EXPECT_TRUE(std::filesystem::exists(left));
  }
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(LoadRules(run(), analyze::RuleSettings(analyze::RuleMode::kModern), {}).ok());
}

TEST_F(StepsTest, AFolderThatCannotBeWrittenStaysAsItIs) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes everywhere";
  Make(kMarked);
  chmod(run().c_str(), 0500);
  ASSERT_OK(StoreMarkedSteps(run()));
  EXPECT_THAT(Stored(), IsEmpty());
  chmod(run().c_str(), 0700);
}

}  // namespace
}  // namespace steptrace::rpc
