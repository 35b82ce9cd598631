// SPDX-License-Identifier: Apache-2.0
#include "store/written_manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <set>

#include "store/add_rows.h"
#include "store/recovery.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

Manifest Of(const std::string& writer, const std::string& host, int32_t first_number) {
  Manifest manifest = CompletedManifest();
  manifest.writer = writer;
  manifest.nodes.at(0).host = host;
  manifest.first_number = first_number;
  return manifest;
}

fs::path FileOf(const fs::path& run, const std::string& writer, int generation) {
  return run / kManifestFolder / writer / (std::to_string(generation) + ".json");
}

TEST(WrittenManifests, AWriterIsCalledByHostBootAndProcess) {
  const std::string name = OwnWriterName();
  const std::string pid = std::to_string(::getpid());
  EXPECT_THAT(name, testing::MatchesRegex("[A-Za-z0-9._-]+-[0-9a-f]+-" + pid + "-[0-9a-f]{8}"));
  EXPECT_EQ(OwnWriterName(), name) << "a process has one name";
}

// Containers share the host's name and its boot, and each has a process of the same number.
TEST(WrittenManifests, AProcessHasANameByChance) {
  const std::string name = OwnWriterName();
  int in_child[2];
  ASSERT_EQ(::pipe(in_child), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string own = OwnWriterName();
    _exit(::write(in_child[1], own.data(), own.size()) == static_cast<ssize_t>(own.size()) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  char text[256];
  const ssize_t size = ::read(in_child[0], text, sizeof text);
  ASSERT_GT(size, 0);
  ::close(in_child[0]);
  ::close(in_child[1]);
  const auto digits = [](std::string_view of) { return of.substr(of.rfind('-')); };
  EXPECT_NE(digits({text, static_cast<size_t>(size)}), digits(name));
}

TEST(WrittenManifests, TheNewestGenerationCountsAndTakesTheOldersPlace) {
  TempDir dir;
  Manifest manifest = Of("w", "host", 0);
  for (int i = 1; i <= 3; ++i) {
    manifest.name = std::to_string(i);
    ASSERT_OK(WriteManifest(dir.path(), manifest));
    EXPECT_EQ(ReadManifest(dir.path())->name, manifest.name);
  }
  EXPECT_THAT(ManifestFiles(dir.path(), "w"), ElementsAre(FileOf(dir.path(), "w", 3)));
}

TEST(WrittenManifests, AFileIsNeverWrittenTwice) {
  TempDir dir;
  const fs::path file = dir.path() / "1.json";
  ASSERT_OK(WriteOnce(file, "first"));
  EXPECT_FALSE(WriteOnce(file, "second").ok());
  EXPECT_EQ(*ReadFile(file, 100), "first");
  auto entries = fs::directory_iterator(dir.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "a temporary file stayed";
}

TEST(WrittenManifests, ANumberThatIsTooHighIsNoGeneration) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  for (const char* name : {"9223372036854775807.json", "9007199254740993.json", "02.json"}) {
    std::ofstream(dir.path() / kManifestFolder / "w" / name) << "{}";
  }
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  EXPECT_THAT(ManifestFiles(dir.path(), "w"), ElementsAre(FileOf(dir.path(), "w", 2)));
  fs::rename(FileOf(dir.path(), "w", 2),
             dir.path() / kManifestFolder / "w" / "9007199254740992.json");
  EXPECT_EQ(ReadManifest(dir.path())->id, SampleManifest().id);
  const Status refused = WriteManifest(dir.path(), Of("w", "host", 0));
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().cause, HasSubstr("its number is the last one"));
}

TEST(WrittenManifests, WhatAWriteLeftIsRemovedWhenItIsOld) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  const fs::path folder = dir.path() / kManifestFolder / "w";
  const fs::path of_copy = dir.path() / "run.json.7.tmp";
  const fs::path others = dir.path() / "notes.tmp";
  for (const fs::path& file : {folder / "2.json.7.tmp", folder / "2.json.8.tmp", of_copy, others}) {
    std::ofstream(file) << "{";
    if (file != folder / "2.json.8.tmp") {
      fs::last_write_time(file, fs::file_time_type::clock::now() - std::chrono::hours(2));
    }
  }
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  EXPECT_FALSE(fs::exists(folder / "2.json.7.tmp"));
  EXPECT_TRUE(fs::exists(folder / "2.json.8.tmp")) << "somebody may be writing it";
  EXPECT_FALSE(fs::exists(of_copy));
  EXPECT_TRUE(fs::exists(others)) << "not ours";
}

// Torn, as an upload leaves it, or damaged on the disk.
TEST(WrittenManifests, ANewestThatIsDamagedIsToldAndTheOneBeforeItRead) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  const std::string whole = *ReadFile(FileOf(dir.path(), "w", 1), 1 << 20);
  for (const std::string& torn : {std::string(), whole.substr(0, whole.size() / 2), whole + " "}) {
    std::ofstream(FileOf(dir.path(), "w", 2)) << torn;
    RunReader reader = OpenRun(dir.path());
    EXPECT_EQ(reader.manifest().status, kStatusCompleted);
    const auto losses = reader.Read<DataLossRow>();
    ASSERT_OK(losses);
    ASSERT_EQ(losses->size(), 1u);
    EXPECT_EQ(reader.Text(losses->front().cause), "manifest_damaged");
    EXPECT_THAT(losses->front().detail, HasSubstr("2.json"));
    EXPECT_THAT(losses->front().detail, HasSubstr("steptrace recover"));
  }
}

// What an older generation says holds no more where its journals are gone.
TEST(WrittenManifests, AnOlderOneWhoseRowsWereMovedIsNotRead) {
  TempDir dir;
  const fs::path run = dir.path() / "run";
  fs::path first;
  std::string in_progress;
  {
    RunWriter writer = MakeWriter(run);
    writer.Append(SampleStep(writer.strings(), 0));
    first = NewestManifest(run);
    in_progress = *ReadFile(first, 1 << 20);
    ASSERT_OK(writer.Close(CompletedManifest()));
  }
  std::ofstream(first) << in_progress;
  ASSERT_EQ(OpenRun(run).Read<StepRow>()->size(), 1u);
  std::ofstream(NewestManifest(run)) << "damaged";
  const auto refused = RunReader::Open(run);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("`steptrace recover "));
  ASSERT_OK(RecoverRun(run));
  EXPECT_EQ(OpenRun(run).Read<StepRow>()->size(), 1u);
}

TEST(WrittenManifests, ANewerFormatIsNotTakenForDamage) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  Manifest newer = Of("w", "host", 0);
  newer.format = 99;
  std::ofstream(FileOf(dir.path(), "w", 2)) << ManifestToJson(newer);
  const auto read = ReadManifest(dir.path());
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().text(), HasSubstr("format 99 is newer"));
  EXPECT_FALSE(RecoverRun(dir.path()).ok());
}

// A bit of the number changed: the seal is that of another text.
TEST(WrittenManifests, ADamagedFormatNumberIsNoNewerFormat) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  std::string json = *ReadFile(FileOf(dir.path(), "w", 1), 1 << 20);
  json.at(json.find("\"format\": 2") + 10) = '6';
  std::ofstream(FileOf(dir.path(), "w", 2)) << json;
  RunReader reader = OpenRun(dir.path());
  const auto losses = reader.Read<DataLossRow>();
  ASSERT_OK(losses);
  ASSERT_EQ(losses->size(), 1u);
  EXPECT_THAT(losses->front().detail, HasSubstr("its checksum does not match"));
}

TEST(WrittenManifests, AManifestOfAnotherWriterIsDamage) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  fs::rename(dir.path() / kManifestFolder / "w", dir.path() / kManifestFolder / "v");
  EXPECT_THAT(ReadManifest(dir.path()).error().text(), HasSubstr("of another writer"));
}

TEST(WrittenManifests, RunJsonIsACopyThatNothingReads) {
  TempDir dir;
  ASSERT_OK(WriteManifest(dir.path(), Of("w", "host", 0)));
  EXPECT_EQ(*ReadFile(dir.path() / "run.json", 1 << 20),
            *ReadFile(FileOf(dir.path(), "w", 1), 1 << 20));
  std::ofstream(dir.path() / "run.json") << "damaged";
  EXPECT_TRUE(ReadManifest(dir.path()).ok());
  fs::remove(dir.path() / "run.json");
  EXPECT_TRUE(ReadManifest(dir.path()).ok());
  EXPECT_TRUE(HasManifest(dir.path()));
}

TEST(UnionOfWriters, NumbersNodesByHost) {
  Manifest a = Of("a", "one", 0);
  a.nodes.push_back(a.nodes.at(0));  // a profile of two machines that call themselves alike
  a.nodes.at(1).node = 1;
  Manifest b = Of("b", "two", 100);
  b.ranks = {{1, 0, 0, 2, 7}};
  Manifest c = Of("c", "one", 200);
  c.ranks = {{2, 0, 0, 2, 8}};
  const auto numbers = NumberNodes({a, b, c});
  EXPECT_EQ(numbers.at(0), (NodeNumbers{{0, 0}, {1, 1}}));
  EXPECT_EQ(numbers.at(1), (NodeNumbers{{0, 2}}));
  EXPECT_EQ(numbers.at(2), (NodeNumbers{{0, 0}}));
  const Manifest all = UnionOf({a, b, c});
  ASSERT_EQ(all.nodes.size(), 3u);
  EXPECT_EQ(all.nodes.at(2).host, "two");
  ASSERT_EQ(all.ranks.size(), 3u);
  EXPECT_EQ(all.ranks.at(1).node, 2);
  EXPECT_EQ(all.ranks.at(2).node, 0);
}

// Two machines that call themselves alike, in a profile that was imported later.
TEST(UnionOfWriters, KeepsTheNodesOfALaterWriterApart) {
  Manifest a = Of("a", "one", 0);
  Manifest b = Of("b", "one", 100);
  b.nodes.push_back(b.nodes.at(0));
  b.nodes.at(1).node = 1;
  const auto numbers = NumberNodes({a, b});
  EXPECT_EQ(numbers.at(0), (NodeNumbers{{0, 0}}));
  EXPECT_EQ(numbers.at(1), (NodeNumbers{{0, 0}, {1, 1}}));
  EXPECT_EQ(UnionOf({a, b}).nodes.size(), 2u);
}

TEST(UnionOfWriters, TellsTheIdentityThatItsWritersAgreeOn) {
  Manifest a = Of("a", "one", 0);
  Manifest b = Of("b", "two", 100);
  Manifest c = Of("c", "three", 200);
  b.identity = {"job-7", 1, std::nullopt, "abc", {{"team", "vision"}, {"try", "1"}}};
  c.identity = {"job-7", 2, "rail", std::nullopt, {{"site", "north"}, {"try", "2"}}};
  const RunIdentity all = UnionOf({a, b, c}).identity;
  EXPECT_EQ(all.job_id, "job-7") << "the first does not know";
  EXPECT_EQ(all.attempt, std::nullopt) << "they differ";
  EXPECT_EQ(all.topology, "rail");
  EXPECT_EQ(all.git_commit, "abc");
  EXPECT_THAT(all.tags,
              ElementsAre(testing::Pair("site", "north"), testing::Pair("team", "vision")));
}

// Each rank and node costs the same, however many a manifest names.
TEST(UnionOfWriters, OfManyRanksTakesAMoment) {
  constexpr int32_t kMany = 50'000;
  Manifest a = Of("a", "one", 0);
  Manifest b = Of("b", "two", 100);
  for (Manifest* writer : {&a, &b}) {
    writer->nodes.clear();
    writer->ranks.clear();
    for (int32_t i = 0; i < kMany; ++i) {
      writer->ranks.push_back({i, i, 0, kMany, i});
      NodeInfo& node = writer->nodes.emplace_back();
      node.node = i;
      node.host = "host" + std::to_string(i);
    }
  }
  const Manifest all = UnionOf({std::move(a), std::move(b)});
  EXPECT_EQ(all.ranks.size(), static_cast<size_t>(kMany));
  EXPECT_EQ(all.nodes.size(), static_cast<size_t>(kMany));
}

TEST(UnionOfWriters, OneWritersNumbersStayAsTheyAre) {
  Manifest only = Of("w", "host", 0);
  only.nodes.at(0).node = 5;
  EXPECT_EQ(UnionOf({only}).nodes.at(0).node, 5);
}

TEST(UnionOfWriters, EndsAsTheWorstOfThem) {
  Manifest a = Of("a", "one", 0);
  Manifest b = Of("b", "two", 100);
  EXPECT_EQ(UnionOf({a, b}).status, kStatusCompleted);
  b.status = kStatusFailed;
  b.exit_code = 3;
  b.end_ns = *a.end_ns + 5;
  const Manifest all = UnionOf({a, b});
  EXPECT_EQ(all.status, kStatusFailed);
  EXPECT_EQ(all.exit_code, 3);
  EXPECT_EQ(all.end_ns, b.end_ns);
  a.status = kStatusInProgress;
  EXPECT_EQ(UnionOf({a, b}).status, kStatusInProgress);
}

// A run whose second writer's files came from another machine, as from an object store.
class TwoWriters : public testing::Test {
 protected:
  TwoWriters() {
    Make(run(), "one", 0, 0);
    Make(dir_.path() / "other", "two", 1, 100);
    const fs::path other = dir_.path() / "other";
    // Another process's: of the same host here, so that the name is given anew.
    Rename(other, OwnWriterName(), "z-0-1");
    for (const char* part : {"manifest", "journal"}) {
      fs::copy(other / part, run() / part, fs::copy_options::recursive);
    }
  }

  fs::path run() const { return dir_.path() / "run"; }

  void Make(const fs::path& path, const char* host, int32_t rank, int32_t first_number) {
    Manifest manifest = SampleManifest();
    manifest.nodes.at(0).host = host;
    manifest.ranks = {{rank, 0, 0, 2, 10 + rank}};
    manifest.first_number = first_number;
    auto writer = RunWriter::Create(path, manifest, QuietOptions());
    ASSERT_OK(writer);
    for (int64_t step = 0; step < 3; ++step) {
      writer->Append(SampleStep(writer->strings(), step, rank));
    }
    ASSERT_OK(writer->Flush());
  }

  static void Rename(const fs::path& path, const std::string& from, const std::string& to) {
    fs::rename(path / "journal" / from, path / "journal" / to);
    Manifest manifest = *ReadManifestOf(path, from);
    fs::remove_all(path / kManifestFolder);
    manifest.writer = to;
    manifest.journal_nodes = {{to, 0}};
    ASSERT_OK(WriteManifest(path, manifest));
  }

  static Result<Manifest> ReadManifestOf(const fs::path& path, const std::string& writer) {
    return ManifestFromJson(*ReadFile(ManifestFiles(path, writer).front(), 1 << 20), "test");
  }

  static void ExpectRows(RunReader reader) {
    const auto steps = reader.Read<StepRow>();
    ASSERT_OK(steps);
    ASSERT_EQ(steps->size(), 6u);
    for (const StepRow& step : *steps) EXPECT_EQ(step.node, step.rank);
    EXPECT_EQ(*reader.CountRows("steps"), 6);
    EXPECT_EQ(reader.manifest().nodes.size(), 2u);
  }

 private:
  TempDir dir_;
};

TEST_F(TwoWriters, AreOneRunToAReader) {
  EXPECT_THAT(WritersOf(run()), ElementsAre(OwnWriterName(), "z-0-1"));
  ExpectRows(OpenRun(run()));
}

TEST_F(TwoWriters, AreBothRecovered) {
  ASSERT_OK(RecoverRun(run()));
  RunReader reader = OpenRun(run());
  EXPECT_EQ(reader.state(), RunState::kClosed);
  EXPECT_EQ(reader.manifest().status, kStatusInterrupted);
  EXPECT_FALSE(fs::exists(run() / "journal"));
  ExpectRows(std::move(reader));
}

TEST_F(TwoWriters, LoseNoRowsWithAManifestOfOne) {
  ASSERT_OK(RecoverRun(run()));
  for (const fs::path& file : ManifestFiles(run(), "z-0-1")) fs::remove(file);
  EXPECT_FALSE(RunReader::Open(run()).ok());
  ASSERT_OK(RecoverRun(run()));
  RunReader reader = OpenRun(run());
  EXPECT_EQ(reader.manifest().id, SampleManifest().id) << "the other knows of the run";
  EXPECT_EQ(reader.manifest().epoch_utc_ns, SampleManifest().epoch_utc_ns);
  EXPECT_EQ(reader.Read<StepRow>()->size(), 6u);
  const auto losses = reader.Read<DataLossRow>();
  ASSERT_OK(losses);
  int damaged = 0;
  for (const DataLossRow& loss : *losses) damaged += reader.Text(loss.cause) == "manifest_damaged";
  EXPECT_EQ(damaged, 1);
}

TEST_F(TwoWriters, TakeRowsThatAreAddedByTheirNode) {
  ASSERT_OK(RecoverRun(run()));
  StringTable strings;
  std::vector<StepRow> rows = {SampleStep(strings, 7, 0), SampleStep(strings, 7, 1)};
  rows[0].node = 0;
  rows[1].node = 1;
  ASSERT_OK(AddRows<StepRow>(run(), rows, strings));
  RunReader reader = OpenRun(run());
  const auto steps = reader.Read<StepRow>();
  ASSERT_OK(steps);
  ASSERT_EQ(steps->size(), 8u);
  for (const StepRow& step : *steps) EXPECT_EQ(step.node, step.rank);
}

TEST_F(TwoWriters, TakeNoRowsOfANodeThatNobodyHas) {
  ASSERT_OK(RecoverRun(run()));
  StringTable strings;
  std::vector<StepRow> rows = {SampleStep(strings, 7, 0), SampleStep(strings, 7, 1)};
  rows[1].node = 9;
  const Status refused = AddRows<StepRow>(run(), rows, strings);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().cause, HasSubstr("no writer of the run has node 9"));
  ExpectRows(OpenRun(run()));
}

TEST_F(TwoWriters, TakeRowsThatAreAddedAllOrNone) {
  ASSERT_OK(RecoverRun(run()));
  const auto parts = [&] {
    std::set<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(run() / "tables")) {
      files.insert(entry.path());
    }
    return files;
  };
  const auto before = parts();
  // The second cannot write its manifest.
  const fs::path last = run() / kManifestFolder / "z-0-1" / "9007199254740992.json";
  fs::rename(ManifestFiles(run(), "z-0-1").front(), last);
  StringTable strings;
  std::vector<StepRow> rows = {SampleStep(strings, 7, 0), SampleStep(strings, 7, 1)};
  rows[1].node = 1;
  ASSERT_FALSE(AddRows<StepRow>(run(), rows, strings).ok());
  ExpectRows(OpenRun(run()));
  EXPECT_EQ(parts(), before);
  EXPECT_FALSE(fs::exists(run() / "journal"));
}

TEST_F(TwoWriters, TakeNoRowsWhileOneIsInProgress) {
  ASSERT_OK(RecoverRun(run()));
  Manifest second = *ReadManifestOf(run(), "z-0-1");
  second.status = kStatusInProgress;
  ASSERT_OK(WriteManifest(run(), second));
  StringTable strings;
  const std::vector<StepRow> rows = {SampleStep(strings, 7, 0)};
  ASSERT_FALSE(AddRows<StepRow>(run(), rows, strings).ok());
  ExpectRows(OpenRun(run()));
}

// Neither knows its numbers then, which is not the same number.
TEST_F(TwoWriters, CanBothBeMadeAnew) {
  ASSERT_OK(RecoverRun(run()));
  for (const std::string& writer : WritersOf(run())) {
    for (const fs::path& file : ManifestFiles(run(), writer)) fs::remove(file);
  }
  ASSERT_OK(RecoverRun(run()));
  RunReader reader = OpenRun(run());
  EXPECT_EQ(reader.Read<StepRow>()->size(), 6u);
}

// More than a few leave run.json to one who comes later.
TEST(ManyWriters, HaveNoCopyUntilOneIsAskedFor) {
  TempDir dir;
  constexpr int kWriters = 70;
  for (int i = 0; i < kWriters; ++i) {
    const std::string name = "w" + std::to_string(i);
    ASSERT_OK(WriteManifest(dir.path(), Of(name, name.c_str(), 1000 * i)));
  }
  EXPECT_FALSE(fs::exists(dir.path() / "run.json"));
  ASSERT_OK(RecoverRun(dir.path()));
  EXPECT_TRUE(fs::exists(dir.path() / "run.json"));
  EXPECT_EQ(ReadManifest(dir.path())->nodes.size(), static_cast<size_t>(kWriters));
}

TEST_F(TwoWriters, AreRefusedWhereTheirTracksHaveTheSameNumbers) {
  Manifest manifest = *ReadManifestOf(run(), "z-0-1");
  manifest.first_number = 0;
  ASSERT_OK(WriteManifest(run(), manifest));
  EXPECT_THAT(ReadManifest(run()).error().text(), HasSubstr("give their tracks the same numbers"));
}

}  // namespace
}  // namespace steptrace::store
