// SPDX-License-Identifier: Apache-2.0
// A disk that takes no more, made of a small tmpfs. Needs the right to mount: skipped without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>

#include <fstream>
#include <random>

#include "store/recovery.h"
#include "store/run_reader.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class FullDisk : public testing::Test {
 protected:
  void SetUp() override {
    disk_ = dir_.path() / "disk";
    fs::create_directories(disk_);
    if (::mount("tmpfs", disk_.c_str(), "tmpfs", 0, "size=2m") != 0) {
      GTEST_SKIP() << "no right to mount a small disk";
    }
    mounted_ = true;
    run_ = disk_ / "run";
  }
  void TearDown() override {
    if (mounted_) {
      EXPECT_EQ(::umount2(disk_.c_str(), MNT_DETACH), 0);
    }
  }

  void FillDisk() {
    std::ofstream filler(disk_ / "filler", std::ios::binary);
    std::string block(4096, 'x');
    while (filler.write(block.data(), static_cast<std::streamsize>(block.size())).flush()) {
    }
  }
  void FreeDisk() { fs::remove(disk_ / "filler"); }

  RunReader OpenRun() {
    auto reader = RunReader::Open(run_);
    EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : reader.error().text());
    if (!reader.ok()) std::abort();
    return *std::move(reader);
  }
  std::vector<StepRow> ReadSteps(RunReader& reader) {
    auto steps = reader.Read<StepRow>();
    EXPECT_TRUE(steps.ok()) << (steps.ok() ? "" : steps.error().text());
    return steps.ok() ? *std::move(steps) : std::vector<StepRow>();
  }

  TempDir dir_;
  fs::path disk_;
  fs::path run_;
  bool mounted_ = false;
};

void AppendSteps(RunWriter& writer, int64_t begin, int64_t end) {
  for (int64_t step = begin; step < end; ++step) writer.Append(SampleStep(writer.strings(), step));
}

// Rows that were written and rows lost make up the rows that were appended.
void ExpectAllAccounted(RunReader& reader, size_t steps_read, int64_t appended) {
  int64_t lost = 0;
  auto losses = reader.Read<DataLossRow>();
  ASSERT_OK(losses);
  for (const DataLossRow& loss : *losses) {
    if (reader.Text(loss.cause) != "disk_refused") continue;
    EXPECT_EQ(reader.Text(loss.table), "steps");
    EXPECT_TRUE(loss.from_ns && loss.to_ns);
    lost += loss.count;
  }
  EXPECT_EQ(static_cast<int64_t>(steps_read) + lost, appended);
}

TEST_F(FullDisk, FailsOnceThenHoldsRowsUntilThereIsRoom) {
  auto writer = MakeWriter(run_);
  AppendSteps(writer, 0, 100);
  ASSERT_OK(writer.Flush());
  FillDisk();
  AppendSteps(writer, 100, 400);
  Status refused = writer.Flush();
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("No space left"));
  EXPECT_THAT(refused.error().text(), HasSubstr("free some space"));
  AppendSteps(writer, 400, 500);
  ASSERT_OK(writer.Flush());  // told once
  RunReader meanwhile = OpenRun();
  EXPECT_EQ(ReadSteps(meanwhile).size(), 100u);
  FreeDisk();
  ASSERT_OK(writer.Flush());
  ASSERT_OK(writer.Close(CompletedManifest()));
  RunReader reader = OpenRun();
  auto steps = ReadSteps(reader);
  ASSERT_EQ(steps.size(), 500u);
  for (int64_t i = 0; i < 500; ++i) EXPECT_EQ(steps[static_cast<size_t>(i)].step, i);
}

TEST_F(FullDisk, RowsThatDoNotFitAreCountedUntilThereIsRoom) {
  WriterOptions options = QuietOptions();
  options.pending_bytes = 1;  // the least that it holds: a batch
  auto writer = MakeWriter(run_, options);
  AppendSteps(writer, 0, 100);
  ASSERT_OK(writer.Flush());
  FillDisk();
  constexpr int64_t kMany = 20'000;
  AppendSteps(writer, 100, kMany);
  EXPECT_FALSE(writer.Flush().ok());
  FreeDisk();
  ASSERT_OK(writer.Flush());
  AppendSteps(writer, kMany, kMany + 10);
  Status closed = writer.Close(CompletedManifest());
  RunReader reader = OpenRun();
  EXPECT_EQ(reader.manifest().status, "completed") << (closed.ok() ? "" : closed.error().text());
  auto steps = ReadSteps(reader);
  ASSERT_FALSE(steps.empty());
  EXPECT_LT(steps.size(), static_cast<size_t>(kMany)) << "rows were lost";
  EXPECT_EQ(steps.back().step, kMany + 9);
  ExpectAllAccounted(reader, steps.size(), kMany + 10);
}

TEST_F(FullDisk, ClosesASmallRunInTheRoomThatItKeptForThat) {
  auto writer = MakeWriter(run_);
  AppendSteps(writer, 0, 100);
  ASSERT_OK(writer.Flush());
  FillDisk();
  AppendSteps(writer, 100, 200);
  ASSERT_OK(writer.Close(CompletedManifest()));
  RunReader reader = OpenRun();
  EXPECT_EQ(reader.manifest().status, "completed");
  EXPECT_EQ(ReadSteps(reader).size(), 200u);
}

// Steps that no encoding makes small.
void AppendNoise(RunWriter& writer, int64_t steps) {
  std::mt19937_64 random(1);
  for (int64_t step = 0; step < steps; ++step) {
    StepRow row = SampleStep(writer.strings(), step);
    ForEachField<StepRow>([&]<class Member>(const Field<StepRow, Member>& field) {
      if constexpr (std::is_same_v<Member, int64_t>) {
        row.*field.member = static_cast<int64_t>(random() >> 8);
      }
    });
    writer.Append(row);
  }
}

TEST_F(FullDisk, ALargeRunKeepsItsJournalUntilThereIsRoom) {
  auto writer = MakeWriter(run_);
  AppendNoise(writer, 3000);
  ASSERT_OK(writer.Flush());
  FillDisk();
  Status closed = writer.Close(CompletedManifest());
  ASSERT_FALSE(closed.ok());
  EXPECT_THAT(closed.error().text(), HasSubstr("No space left"));
  EXPECT_EQ(closed.error().text().find('\n'), std::string::npos);
  {
    RunReader reader = OpenRun();
    EXPECT_EQ(reader.manifest().status, "completed");
    EXPECT_EQ(reader.manifest().exit_code, 0);
    EXPECT_EQ(ReadSteps(reader).size(), 3000u);
  }
  FreeDisk();
  { RunWriter gone = std::move(writer); }
  ASSERT_OK(RecoverRun(run_));
  RunReader reader = OpenRun();
  EXPECT_EQ(reader.manifest().status, "completed");
  EXPECT_EQ(ReadSteps(reader).size(), 3000u);
  EXPECT_FALSE(fs::exists(run_ / "journal"));
}

TEST_F(FullDisk, MakesNoRunWhereThereIsNoRoom) {
  FillDisk();
  auto writer = RunWriter::Create(run_, SampleManifest(), QuietOptions());
  ASSERT_FALSE(writer.ok());
  EXPECT_THAT(writer.error().text(), HasSubstr("No space left"));
}

TEST_F(FullDisk, AReadOnlyDiskIsAnErrorAndItsRunsAreReadable) {
  {
    auto writer = MakeWriter(run_);
    AppendSteps(writer, 0, 10);
    ASSERT_OK(writer.Flush());
  }
  ASSERT_EQ(::mount(nullptr, disk_.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
  Status recovered = RecoverRun(run_);
  ASSERT_FALSE(recovered.ok());
  EXPECT_THAT(recovered.error().text(), HasSubstr("Read-only file system"));
  RunReader reader = OpenRun();
  EXPECT_EQ(reader.state(), RunState::kDead);
  EXPECT_EQ(ReadSteps(reader).size(), 10u);
  EXPECT_FALSE(RunWriter::Create(disk_ / "other", SampleManifest(), QuietOptions()).ok());
}

}  // namespace
}  // namespace steptrace::store
