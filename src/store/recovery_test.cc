// SPDX-License-Identifier: Apache-2.0
#include "store/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>

#include "store/run_list.h"
#include "store/run_reader.h"
#include "testing/soak.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A run whose writer died: `flushes` batches of `rows_each` counters and steps.
void MakeDeadRun(const fs::path& run, int flushes, int rows_each = 3) {
  auto writer = MakeWriter(run);
  for (int64_t row = 0; row < flushes * rows_each; ++row) {
    writer.Append(CounterRow{row * 10, 1, static_cast<double>(row)});
    writer.Append(SampleStep(writer.strings(), row));
    if (row % rows_each == rows_each - 1) ASSERT_OK(writer.Flush());
  }
}

template <class Row>
std::vector<Row> ReadAll(RunReader& reader) {
  auto rows = reader.Read<Row>();
  EXPECT_TRUE(rows.ok()) << (rows.ok() ? "" : rows.error().text());
  return rows.ok() ? *std::move(rows) : std::vector<Row>();
}

// Losses of a cause, as "<table> <count>".
std::vector<std::string> Losses(RunReader& reader, const std::string& cause) {
  std::vector<std::string> found;
  for (const DataLossRow& loss : ReadAll<DataLossRow>(reader)) {
    if (reader.Text(loss.cause) != cause) continue;
    found.push_back(reader.Text(loss.table) + " " + std::to_string(loss.count));
  }
  return found;
}

void ExpectSteps(RunReader& reader, int64_t count) {
  auto steps = ReadAll<StepRow>(reader);
  ASSERT_EQ(static_cast<int64_t>(steps.size()), count);
  for (int64_t i = 0; i < count; ++i) EXPECT_EQ(steps[static_cast<size_t>(i)].step, i);
}

TEST(Recovery, KeepsFlushedRowsAndReportsThatTheAgentDied) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 3);
  EXPECT_EQ(OpenRun(run).state(), RunState::kDead);
  EXPECT_EQ(OpenRun(run).manifest().status, "interrupted");
  ASSERT_OK(RecoverRun(run));

  RunReader reader = OpenRun(run);
  EXPECT_EQ(reader.state(), RunState::kClosed);
  EXPECT_EQ(reader.manifest().status, "interrupted");
  EXPECT_EQ(reader.manifest().end_ns, 8 * 1'000'000 + 900'001);  // the end of the last step
  ExpectSteps(reader, 9);
  EXPECT_EQ(ReadAll<CounterRow>(reader).size(), 9u);
  EXPECT_THAT(Losses(reader, "agent_gap"), testing::ElementsAre(" -1"));
  EXPECT_THAT(Losses(reader, "journal_cut_off"), testing::IsEmpty());
  EXPECT_FALSE(fs::exists(run / "journal"));
}

TEST(Recovery, ADeadRunReadsTheSameBeforeAndAfter) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 2);
  fs::resize_file(OwnJournal(run, "steps-0.arrows"),
                  fs::file_size(OwnJournal(run, "steps-0.arrows")) - 1);
  RunReader before = OpenRun(run);
  ExpectSteps(before, 3);
  auto cut = Losses(before, "journal_cut_off");
  ASSERT_EQ(cut.size(), 1u);
  ASSERT_OK(RecoverRun(run));
  RunReader after = OpenRun(run);
  ExpectSteps(after, 3);
  EXPECT_EQ(Losses(after, "journal_cut_off"), cut);
}

TEST(Recovery, TakesStatusFromOneWhoKnowsIt) {
  TempDir dir;
  MakeDeadRun(dir.path() / "run", 1);
  RecoverOptions options;
  options.status = kStatusFailed;
  options.signal = SIGSEGV;
  options.end_ns = 77;
  ASSERT_OK(RecoverRun(dir.path() / "run", options));
  Manifest manifest = OpenRun(dir.path() / "run").manifest();
  EXPECT_EQ(manifest.status, "failed");
  EXPECT_EQ(manifest.signal, SIGSEGV);
  EXPECT_EQ(manifest.end_ns, 77);
}

TEST(Recovery, DoneTwiceChangesNothing) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 2);
  ASSERT_OK(RecoverRun(run));
  auto before = ManifestToJson(OpenRun(run).manifest());
  ASSERT_OK(RecoverRun(run));
  EXPECT_EQ(ManifestToJson(OpenRun(run).manifest()), before);
}

// The heart of the format: whatever byte the machine stopped at, whole batches stay.
// Of the sizes to which a journal is cut: all in a soak; else those near the ends of its batches
// and, of those between, one of five.
bool IsTried(uintmax_t size, const std::vector<uintmax_t>& ends) {
  constexpr uintmax_t kNear = 16;
  const auto end = std::lower_bound(ends.begin(), ends.end(), size > kNear ? size - kNear : 0);
  const bool is_near = end != ends.end() && *end <= size + kNear;
  return is_near || size % InSoakElse<uintmax_t>(1, 5) == 0;
}

TEST(RecoveryProperty, ACutAtAnyByteKeepsAllWholeBatches) {
  TempDir dir;
  fs::path made = dir.path() / "made";
  std::vector<uintmax_t> ends = {0};  // of the journal after each flush
  {
    auto writer = MakeWriter(made);
    for (int64_t row = 0; row < 6; ++row) {
      writer.Append(CounterRow{row, 1, 0.5});
      if (row % 2 == 0) continue;
      ASSERT_OK(writer.Flush());
      ends.push_back(fs::file_size(OwnJournal(made, "counters-0.arrows")));
    }
  }
  for (uintmax_t size = 0; size <= ends.back(); ++size) {
    if (!IsTried(size, ends)) continue;
    SCOPED_TRACE(size);
    fs::path run = dir.path() / "cut";
    fs::copy(made, run, fs::copy_options::recursive);
    fs::resize_file(OwnJournal(run, "counters-0.arrows"), size);
    auto whole = std::upper_bound(ends.begin(), ends.end(), size) - ends.begin() - 1;
    uintmax_t lost = size - ends[static_cast<size_t>(whole)];

    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    ASSERT_EQ(ReadAll<CounterRow>(reader).size(), static_cast<size_t>(2 * whole));
    auto losses = Losses(reader, "journal_cut_off");
    ASSERT_EQ(losses.size(), lost > 0 ? 1u : 0u);
    if (lost > 0) {
      ASSERT_EQ(losses[0], "counters " + std::to_string(lost));
    }
    fs::remove_all(run);
  }
}

TEST(RecoveryProperty, AStepJournalCutAtAnyByteReadsUpToItsLastWholeBatch) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  fs::path journal = OwnJournal(run, "steps-0.arrows");
  std::vector<uintmax_t> ends = {0};
  {
    auto writer = MakeWriter(run);
    for (int64_t row = 0; row < 3; ++row) {
      writer.Append(SampleStep(writer.strings(), row));
      ASSERT_OK(writer.Flush());
      ends.push_back(fs::file_size(journal));
    }
  }
  for (uintmax_t size = ends.back(); size > 0; --size) {
    if (!IsTried(size - 1, ends)) continue;
    fs::resize_file(journal, size - 1);
    auto whole = std::upper_bound(ends.begin(), ends.end(), size - 1) - ends.begin() - 1;
    RunReader reader = OpenRun(run);
    ASSERT_EQ(ReadAll<StepRow>(reader).size(), static_cast<size_t>(whole)) << size - 1;
  }
}

TEST(Recovery, DamageInTheMiddleOfAJournalIsALossOfItsRest) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 1);
  fs::path journal = OwnJournal(run, "steps-0.arrows");
  std::ofstream(journal, std::ios::app) << std::string(1000, '\x7f');
  ASSERT_OK(RecoverRun(run));
  RunReader reader = OpenRun(run);
  ExpectSteps(reader, 3);
  // A length of 0x7f7f7f7f reads as a batch that is not all there.
  EXPECT_EQ(Losses(reader, "journal_cut_off").size() + Losses(reader, "journal_damaged").size(),
            1u);
}

// ---- death in the middle of Close ---------------------------------------------------------------

// A run as it was before Close, after it, and both at once in `mixed`.
struct MiddleOfClose {
  explicit MiddleOfClose(const fs::path& dir) : before(dir / "before"), run(dir / "run") {
    MakeDeadRun(before, 2);
    fs::copy(before, run, fs::copy_options::recursive);
    EXPECT_TRUE(RecoverRun(run).ok());
    fs::copy(before / "journal", run / "journal", fs::copy_options::recursive);
  }
  void TakeBackManifest() const {
    fs::remove_all(run / "manifest");
    fs::copy(before / "manifest", run / "manifest", fs::copy_options::recursive);
  }

  fs::path before;
  fs::path run;
};

TEST(RecoveryMidClose, JournalsLeftAfterTheManifestAreNotReadTwice) {
  TempDir dir;
  MiddleOfClose middle(dir.path());
  RunReader reader = OpenRun(middle.run);
  ExpectSteps(reader, 6);
  ASSERT_OK(RecoverRun(middle.run));
  RunReader recovered = OpenRun(middle.run);
  ExpectSteps(recovered, 6);
  EXPECT_FALSE(fs::exists(middle.run / "journal"));
}

TEST(RecoveryMidClose, SegmentsWithoutAManifestAreMadeAnew) {
  TempDir dir;
  MiddleOfClose middle(dir.path());
  middle.TakeBackManifest();
  for (const auto& entry : fs::recursive_directory_iterator(middle.run / "tables")) {
    if (entry.is_regular_file()) fs::resize_file(entry.path(), entry.file_size() / 2);
  }
  fs::create_directories((middle.run / OwnSegment("steps", 9, 5)).parent_path());
  std::ofstream(middle.run / OwnSegment("steps", 9, 5)) << "half";
  RunReader reader = OpenRun(middle.run);
  ExpectSteps(reader, 6);
  ASSERT_OK(RecoverRun(middle.run));
  RunReader recovered = OpenRun(middle.run);
  ExpectSteps(recovered, 6);
  EXPECT_FALSE(fs::exists(middle.run / OwnSegment("steps", 9, 5)));
}

// A process that closes a run, killed after a while.
void KillInClose(const fs::path& run, useconds_t after_us, int64_t rows) {
  pid_t child = ::fork();
  if (child == 0) {
    WriterOptions options = QuietOptions();
    options.chunk_bytes = 4096;  // many segments: many places to die
    auto writer = MakeWriter(run, options);
    for (int64_t row = 0; row < rows; ++row) writer.Append(SampleStep(writer.strings(), row));
    if (!writer.Flush().ok()) ::_exit(3);
    std::ofstream(run.string() + ".flushed").flush();
    (void)writer.Close(CompletedManifest()).ok();
    ::_exit(0);
  }
  while (!fs::exists(run.string() + ".flushed") && ::waitpid(child, nullptr, WNOHANG) == 0) {
    ::usleep(200);
  }
  ::usleep(after_us);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

TEST(RecoveryMidClose, KilledAtAnyMomentNeitherLosesNorDoublesRows) {
  constexpr int64_t kRows = 400;
  TempDir dir;
  int interrupted = 0;
  for (useconds_t after_us = 0; after_us < 60'000; after_us += 4'000) {
    SCOPED_TRACE(after_us);
    fs::path run = dir.path() / std::to_string(after_us);
    KillInClose(run, after_us, kRows);
    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    ExpectSteps(reader, kRows);
    interrupted += reader.manifest().status == kStatusInterrupted;
  }
  EXPECT_GT(interrupted, 0) << "no kill came in time: the test proves nothing";
}

// ---- other damage -------------------------------------------------------------------------------

void WriteFile(const fs::path& path, const std::string& content) {
  std::ofstream(path, std::ios::trunc) << content;
}

TEST(RecoveryDamage, AManifestThatIsGoneIsMadeAnew) {
  for (const char* content : {"", "{", "[]", "garbage \xff\x00", "missing"}) {
    SCOPED_TRACE(content);
    TempDir dir;
    fs::path run = dir.path() / "name-of-run";
    MakeDeadRun(run, 2);
    const fs::path manifest = NewestManifest(run);
    WriteFile(manifest, content);
    if (content == std::string("missing")) fs::remove(manifest);
    EXPECT_FALSE(RunReader::Open(run).ok());
    ASSERT_OK(RecoverRun(run));
    RunReader reader = OpenRun(run);
    ExpectSteps(reader, 6);
    EXPECT_EQ(reader.manifest().id, "name-of-run");
    EXPECT_EQ(Losses(reader, "manifest_damaged").size(), 1u);
  }
}

std::string RecoverError(const fs::path& run) {
  Status status = RecoverRun(run);
  EXPECT_FALSE(status.ok());
  std::string message = status.ok() ? "" : status.error().text();
  EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  return message;
}

TEST(RecoveryDamage, FolderThatIsNoRunIsAnErrorInOneLine) {
  TempDir dir;
  EXPECT_THAT(RecoverError(dir.path() / "absent"), HasSubstr("no such run"));
  fs::create_directories(dir.path() / "empty");
  EXPECT_THAT(RecoverError(dir.path() / "empty"), HasSubstr("run.json"));
  fs::create_directories(dir.path() / "garbage");
  WriteFile(dir.path() / "garbage/run.json", "\x01\x02");
  EXPECT_THAT(RecoverError(dir.path() / "garbage"), HasSubstr("not a manifest"));
  WriteFile(dir.path() / "file", "x");
  EXPECT_THAT(RecoverError(dir.path() / "file"), HasSubstr("no such run"));
}

TEST(RecoveryDamage, ANewerFormatIsLeftAlone) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 1);
  Manifest newer = SampleManifest();
  newer.format = 99;
  WriteFile(NewestManifest(run), ManifestToJson(newer));
  EXPECT_THAT(RecoverError(run), HasSubstr("format 99 is newer"));
  EXPECT_TRUE(fs::exists(OwnJournal(run, "steps-0.arrows")));
}

TEST(RecoveryDamage, ALiveRunIsLeftAlone) {
  TempDir dir;
  auto writer = MakeWriter(dir.path() / "run");
  writer.Append(SampleStep(writer.strings(), 0));
  ASSERT_OK(writer.Flush());
  EXPECT_THAT(RecoverError(dir.path() / "run"), HasSubstr("still being written"));
  writer.Append(SampleStep(writer.strings(), 1));
  ASSERT_OK(writer.Close(CompletedManifest()));
  RunReader reader = OpenRun(dir.path() / "run");
  ExpectSteps(reader, 2);
}

// Root may write everywhere: as root, the test takes the rights of nobody for a while.
class WithoutRights {
 public:
  WithoutRights() : was_(::geteuid()) { EXPECT_EQ(was_ == 0 ? ::seteuid(65534) : 0, 0); }
  ~WithoutRights() { EXPECT_EQ(::seteuid(was_), 0); }

 private:
  uid_t was_;
};

TEST(RecoveryDamage, AFolderThatMayNotBeWrittenIsAnErrorAndStaysReadable) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 1);
  for (const auto& entry : fs::recursive_directory_iterator(run)) {  // as runs of a group are
    ::chmod(entry.path().c_str(), entry.is_directory() ? 0755 : 0644);
  }
  ::chmod(dir.path().c_str(), 0755);
  ::chmod(run.c_str(), 0555);
  ::chmod(OwnJournal(run, "").c_str(), 0555);
  {
    WithoutRights without;
    EXPECT_THAT(RecoverError(run), HasSubstr("cannot"));
    RunReader reader = OpenRun(run);
    ExpectSteps(reader, 3);
  }
  ::chmod(run.c_str(), 0000);
  {
    WithoutRights without;
    EXPECT_THAT(RecoverError(run), HasSubstr("Permission denied"));
    EXPECT_FALSE(RunReader::Open(run).ok());
  }
  ::chmod(run.c_str(), 0700);
  ::chmod(OwnJournal(run, "").c_str(), 0700);
}

TEST(RecoveryDamage, ASegmentThatIsGoneOrCutOffIsLeftOutAndCounted) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 1);
  ASSERT_OK(RecoverRun(run));
  const fs::path segment = run / OwnSegment("steps", 0, 0);
  std::ifstream in(segment, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  const auto expect_left_out = [&] {
    RunReader reader = OpenRun(run);
    EXPECT_TRUE(ReadAll<StepRow>(reader).empty());
    EXPECT_EQ(ReadAll<CounterRow>(reader).size(), 3u);
    EXPECT_EQ(*reader.CountRows("steps"), 0);
    EXPECT_EQ(Losses(reader, "segment_damaged"), std::vector<std::string>{"steps 3"});
    int scanned = 0;
    std::FILE* file = std::tmpfile();
    ScanOptions csv;
    csv.format = ScanFormat::kCsv;
    ASSERT_OK(reader.Scan("data_loss", csv, fileno(file)));
    std::rewind(file);
    char line[1024];
    while (std::fgets(line, sizeof(line), file)) {
      scanned += std::string(line).find("segment_damaged") != std::string::npos;
    }
    std::fclose(file);
    EXPECT_EQ(scanned, 1);
  };
  for (const char* content : {"", "PAR1", "garbage garbage garbage"}) {
    WriteFile(segment, content);
    expect_left_out();
  }
  fs::remove(segment);
  expect_left_out();
  // Recovery takes nothing from it that a copy could bring back.
  const auto damaged = PutDamagedAside(run);
  ASSERT_OK(damaged);
  EXPECT_TRUE(damaged->empty());
  expect_left_out();
  EXPECT_FALSE(fs::exists(run / "journal"));
  WriteFile(segment, whole);
  RunReader reader = OpenRun(run);
  EXPECT_EQ(ReadAll<StepRow>(reader).size(), 3u);
  EXPECT_TRUE(Losses(reader, "segment_damaged").empty());
}

TEST(RecoveryDamage, AFileThatTheSystemDoesNotGiveIsNotPutAside) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read all";
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 1);
  ASSERT_OK(RecoverRun(run));
  const fs::path segment = run / OwnSegment("steps", 0, 0);
  ::chmod(segment.c_str(), 0);
  EXPECT_FALSE(PutDamagedAside(run).ok());
  ::chmod(segment.c_str(), 0600);
  RunReader reader = OpenRun(run);
  EXPECT_EQ(ReadAll<StepRow>(reader).size(), 3u);
}

TEST(RecoveryDamage, ASegmentThatIsDamagedWithinIsNamedAndCanBePutAside) {
  TempDir dir;
  fs::path run = dir.path() / "run";
  MakeDeadRun(run, 1);
  ASSERT_OK(RecoverRun(run));
  const fs::path segment = run / OwnSegment("steps", 0, 0);
  const std::string garbage(fs::file_size(segment), '?');
  WriteFile(segment, garbage.c_str());
  {
    RunReader reader = OpenRun(run);
    EXPECT_TRUE(ReadAll<StepRow>(reader).empty());
    ASSERT_EQ(reader.damaged().size(), 1u);
    EXPECT_EQ(reader.damaged()[0].segment.file, OwnSegment("steps", 0, 0));
    EXPECT_THAT(reader.damaged()[0].why.text(), HasSubstr("steptrace recover"));
    EXPECT_EQ(ReadAll<CounterRow>(reader).size(), 3u);
    EXPECT_EQ(Losses(reader, "segment_damaged"), std::vector<std::string>{"steps 3"});
  }
  ASSERT_OK(PutDamagedAside(run));
  RunReader reader = OpenRun(run);
  EXPECT_TRUE(ReadAll<StepRow>(reader).empty());
  EXPECT_EQ(ReadAll<CounterRow>(reader).size(), 3u);
  EXPECT_EQ(Losses(reader, "segment_damaged"), std::vector<std::string>{"steps 3"});
  EXPECT_EQ(fs::file_size(AsideOf(run, run / OwnSegment("steps", 0, 0))), garbage.size());
}

// Every eighth byte of every file in turn: an error or fewer rows, never a crash or rows from
// nowhere.
TEST(RecoveryDamage, AnyByteMayBeWrong) {
  TempDir dir;
  fs::path dead = dir.path() / "dead";
  MakeDeadRun(dead, 1, 2);
  fs::path closed = dir.path() / "closed";
  fs::copy(dead, closed, fs::copy_options::recursive);
  ASSERT_OK(RecoverRun(closed));
  std::vector<fs::path> files = {OwnJournal(dead, "steps-0.arrows"),
                                 closed / OwnSegment("steps", 0, 0), NewestManifest(closed)};
  for (const fs::path& file : files) {
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(stream), {});
    for (size_t at = 0; at < content.size(); at += InSoakElse(8, 40)) {
      stream.seekp(static_cast<std::streamoff>(at))
          .put(static_cast<char>(content[at] ^ 0x55))
          .flush();
      auto reader = RunReader::Open(file.string().starts_with(dead.string()) ? dead : closed);
      if (reader.ok()) {
        auto steps = reader->Read<StepRow>();
        if (steps.ok()) {
          ASSERT_LE(steps->size(), 2u) << file << " " << at;
        }
      }
      stream.seekp(static_cast<std::streamoff>(at)).put(content[at]).flush();
    }
  }
}

}  // namespace
}  // namespace steptrace::store
