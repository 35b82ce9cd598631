// SPDX-License-Identifier: Apache-2.0
// Old runs stay readable: tests/compat holds one of each format number, as a build of its day wrote
// it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>

#include "store/add_rows.h"
#include "store/recovery.h"
#include "store/run_files.h"
#include "store/written_manifests.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// A copy, so that recovery has something to write to.
fs::path CopyOf(const TempDir& dir, const char* name) {
  fs::path run = dir.path() / "run";
  fs::copy(fs::path(STEPTRACE_SOURCE_DIR) / "tests/compat" / name, run,
           fs::copy_options::recursive);
  return run;
}

// Four steps of rank 0 with two slices and a counter each.
void ExpectRows(RunReader& reader) {
  auto steps = reader.Read<StepRow>();
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 4u);
  const StepRow& step = steps->at(3);
  EXPECT_EQ(step.step, 3);
  EXPECT_EQ(step.ts_ns, 30'000'000);
  EXPECT_EQ(step.dur_ns, 9'385'335);
  EXPECT_EQ(step.data_ns + step.forward_ns + step.backward_ns + step.optimizer_ns, step.dur_ns);
  EXPECT_EQ(step.min_queue_depth, 0);
  EXPECT_EQ(reader.Text(step.kind), "train");
  EXPECT_EQ(reader.Text(steps->at(0).kind), "warm-up");

  auto slices = reader.Read<SliceRow>();
  ASSERT_OK(slices);
  ASSERT_EQ(slices->size(), 8u);
  EXPECT_EQ(reader.Text(slices->at(7).name), "forward");
  EXPECT_EQ(slices->at(7).step, 3);
  EXPECT_EQ(slices->at(7).rank, 0);
  EXPECT_EQ(slices->at(7).bytes, std::nullopt);

  auto tracks = reader.Read<TrackRow>();
  ASSERT_OK(tracks);
  ASSERT_EQ(tracks->size(), 3u);
  auto counters = reader.Read<CounterRow>();
  ASSERT_OK(counters);
  ASSERT_EQ(counters->size(), 4u);
  EXPECT_DOUBLE_EQ(counters->at(3).value, 0.03);
}

TEST(Compat, AClosedRunOfFormat1) {
  TempDir dir;
  RunReader reader = OpenRun(CopyOf(dir, "format-1/closed"));
  EXPECT_EQ(reader.state(), RunState::kClosed);
  EXPECT_EQ(reader.manifest().format, 1);
  EXPECT_EQ(reader.manifest().status, "completed");
  EXPECT_EQ(reader.manifest().exit_code, 0);
  EXPECT_EQ(reader.manifest().nodes.at(0).host, "host");
  ExpectRows(reader);
}

TEST(Compat, AnInterruptedRunOfFormat1) {
  TempDir dir;
  fs::path run = CopyOf(dir, "format-1/interrupted");
  {
    RunReader reader = OpenRun(run);
    EXPECT_EQ(reader.state(), RunState::kDead);
    ExpectRows(reader);
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.manifest().status, "interrupted");
  EXPECT_EQ(reader.manifest().format, 1) << "a run keeps its format";
  EXPECT_FALSE(fs::exists(run / "manifest"));
  ExpectRows(reader);
}

TEST(Compat, AClosedRunOfFormat2) {
  TempDir dir;
  RunReader reader = OpenRun(CopyOf(dir, "format-2/closed"));
  EXPECT_EQ(reader.state(), RunState::kClosed);
  EXPECT_EQ(reader.manifest().format, 2);
  EXPECT_EQ(reader.manifest().status, "completed");
  ExpectRows(reader);
}

TEST(Compat, AnInterruptedRunOfFormat2) {
  TempDir dir;
  fs::path run = CopyOf(dir, "format-2/interrupted");
  {
    RunReader reader = OpenRun(run);
    EXPECT_EQ(reader.state(), RunState::kDead);
    ExpectRows(reader);
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.manifest().status, "interrupted");
  EXPECT_FALSE(fs::exists(run / "journal"));
  ExpectRows(reader);
}

// Tables that have another name now, as builds of before wrote them: one run of each format.
constexpr const char* kRunsOfFormerNames[] = {"format-1/closed", "format-2/closed"};

DataLossRow LossOf(StringTable& strings, int64_t count) {
  DataLossRow row;
  row.table = strings.Intern("slices");
  row.cause = strings.Intern("ring_full");
  row.count = count;
  row.detail = "full";
  return row;
}

// Gives the table the name that it had, in the folders and in the manifest.
template <class Row>
void CallAsBefore(const fs::path& run) {
  const std::string now = std::string("tables/") + TableOf<Row>::kName;
  const std::string before = std::string("tables/") + TableOf<Row>::kFormerName;
  auto manifest = ReadManifest(run);
  ASSERT_OK(manifest);
  auto node = manifest->tables.extract(TableOf<Row>::kName);
  ASSERT_FALSE(node.empty());
  node.key() = TableOf<Row>::kFormerName;
  for (SegmentInfo& segment : node.mapped().segments) segment.file.replace(0, now.size(), before);
  manifest->tables.insert(std::move(node));
  fs::rename(run / now, run / before);
  ASSERT_OK(WriteManifest(run, *manifest));
}

std::vector<int64_t> LostCounts(RunReader& reader) {
  std::vector<int64_t> counts;
  const auto rows = reader.Read<DataLossRow>();
  if (!rows.ok()) return {-1};
  for (const DataLossRow& row : *rows) {
    if (reader.Text(row.cause) == "ring_full") counts.push_back(row.count);
  }
  return counts;
}

int64_t ScannedRows(RunReader& reader, const char* table) {
  std::FILE* file = std::tmpfile();
  ScanOptions options;
  options.format = ScanFormat::kCsv;
  const Status scanned = reader.Scan(table, options, fileno(file));
  EXPECT_TRUE(scanned.ok()) << table;
  std::rewind(file);
  int64_t rows = 0;
  char line[1024];
  while (std::fgets(line, sizeof(line), file))
    rows += std::string(line).find("ring_full") != std::string::npos;
  std::fclose(file);
  return rows;
}

TEST(Compat, ATableIsFoundByTheNameThatItHad) {
  for (const char* name : kRunsOfFormerNames) {
    SCOPED_TRACE(name);
    TempDir dir;
    const fs::path run = CopyOf(dir, name);
    StringTable strings;
    ASSERT_OK(AddRows<DataLossRow>(run, std::vector{LossOf(strings, 7)}, strings));
    CallAsBefore<DataLossRow>(run);
    {
      RunReader reader = OpenRun(run);
      EXPECT_EQ(LostCounts(reader), std::vector<int64_t>{7});
      EXPECT_EQ(ScannedRows(reader, "data_loss"), 1);
      EXPECT_EQ(ScannedRows(reader, "losses"), 1);
      EXPECT_FALSE(reader.manifest().tables.contains("losses"));
    }
    // What is written to it later stands next to it, under the name of today.
    ASSERT_OK(AddRows<DataLossRow>(run, std::vector{LossOf(strings, 8)}, strings));
    RunReader reader = OpenRun(run);
    EXPECT_EQ(LostCounts(reader), (std::vector<int64_t>{7, 8}));
    EXPECT_TRUE(fs::exists(run / "tables/losses"));
    EXPECT_TRUE(fs::exists(run / "tables/data_loss"));
    ExpectRows(reader);
  }
}

TEST(Compat, AManifestMadeAnewFindsATableByTheNameThatItHad) {
  for (const char* name : kRunsOfFormerNames) {
    SCOPED_TRACE(name);
    TempDir dir;
    const fs::path run = CopyOf(dir, name);
    StringTable strings;
    ASSERT_OK(AddRows<DataLossRow>(run, std::vector{LossOf(strings, 7)}, strings));
    CallAsBefore<DataLossRow>(run);
    for (const std::string& writer : WritersOf(run)) {
      for (const fs::path& file : ManifestFiles(run, writer)) fs::remove(file);
    }
    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    EXPECT_EQ(LostCounts(reader), std::vector<int64_t>{7});
    ExpectRows(reader);
  }
}

TEST(Compat, AJournalIsFoundByTheNameThatItsTableHad) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  {
    RunWriter writer = MakeWriter(run);
    writer.Append(LossOf(writer.strings(), 7));
    ASSERT_OK(writer.Flush());
    fs::rename(OwnJournal(run, "data_loss-0.arrows"), OwnJournal(run, "losses-0.arrows"));
    RunReader reader = OpenRun(run);
    EXPECT_EQ(LostCounts(reader), std::vector<int64_t>{7});
  }
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  EXPECT_EQ(LostCounts(reader), std::vector<int64_t>{7});
  EXPECT_FALSE(fs::exists(OwnJournal(run, "losses-0.arrows")));
}

}  // namespace
}  // namespace steptrace::store
