// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/trace_merge.h"

#include <gtest/gtest.h>

#include "testing/test_run.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kImportedEpochNs = 1'790'000'000'123'456'789;
constexpr int64_t kRunEpochNs = kImportedEpochNs - 5'000'000'007;  // the run began 5 s before

// A profile of process 40 as `steptrace import` stores it: threads 40 and 41, a stream, a span.
class TraceMergeTest : public ::testing::Test {
 protected:
  void MakeImported(int64_t epoch_utc_ns = kImportedEpochNs) {
    store::Manifest manifest = store::SampleManifest();
    manifest.epoch_utc_ns = epoch_utc_ns;
    auto made = store::RunWriter::Create(imported_, manifest, store::QuietOptions());
    ASSERT_OK(made);
    store::RunWriter& writer = *made;
    Track(writer, 1, "process", 40, std::nullopt);
    Track(writer, 2, "thread", 40, 40);
    Track(writer, 3, "thread", 40, 41);
    Track(writer, 4, "thread", 40, 1LL << 40);  // no thread of a system
    Track(writer, 5, "stream", std::nullopt, std::nullopt);
    Slice(writer, 100, 2, "aten::mm", "cpu_op", R"({"Input Dims":[[2,2],[2,2]]})");
    Slice(writer, 110, 3, "train.py(7): step", "python_function", "");
    Slice(writer, 120, 4, "aten::lost", "cpu_op", "");
    Slice(writer, 130, 5, "gemm", "kernel", "");
    Slice(writer, 90, 2, "Iteration Start", "Trace", "");
    store::MemoryRow memory;
    memory.ts_ns = 105;
    memory.rank = 0;
    memory.track = 2;
    memory.address = 4096;
    memory.bytes = 64;
    writer.Append(memory);
    store::DataLossRow loss;
    loss.table = writer.strings().Intern("slices");
    loss.cause = writer.strings().Intern("cut_off");
    loss.count = 1;
    loss.detail = "the file ends at byte 77";
    writer.Append(loss);
    manifest.status = store::kStatusCompleted;
    ASSERT_OK(writer.Close(manifest));
  }

  static void Track(store::RunWriter& writer, int32_t number, const char* kind,
                    std::optional<int64_t> pid, std::optional<int64_t> tid) {
    store::TrackRow row;
    row.track = number;
    row.kind = writer.strings().Intern(kind);
    row.rank = 0;
    row.pid = pid;
    row.tid = tid;
    row.name = "t" + std::to_string(number);
    if (!pid) row.device = 0;
    if (!pid) row.stream = 7;
    writer.Append(row);
  }
  static void Slice(store::RunWriter& writer, int64_t ts_ns, int32_t track, const char* name,
                    const char* category, const char* details) {
    store::SliceRow row;
    row.ts_ns = ts_ns;
    row.dur_ns = 5;
    row.track = track;
    row.rank = 0;
    row.name = writer.strings().Intern(name);
    row.category = writer.strings().Intern(category);
    row.details = writer.strings().Intern(details);
    writer.Append(row);
  }

  store::TempDir dir_;
  const fs::path imported_ = dir_.path() / "imported";
  const fs::path run_ = dir_.path() / "run";
  const TraceOwner owner_{.pid = 40, .epoch_utc_ns = kRunEpochNs, .now_ns = 9'000'000'000};
};

TEST_F(TraceMergeTest, RowsComeOnTheRunsClockTracksAndRank) {
  MakeImported();
  store::RunWriter writer = store::MakeWriter(run_);
  TrackRegistry tracks(0, writer.strings());
  LossBook losses(0, writer.strings());
  const int32_t process = tracks.AddProcess(store::TrackKind::kProcess, 3, 40, "python");
  const int32_t thread = tracks.AddThread(process, 3, 40, 40, "main");
  const auto merged = MergeTrace(imported_, owner_, writer, tracks, losses);
  ASSERT_OK(merged);
  EXPECT_EQ(merged->slices, 3);
  EXPECT_EQ(merged->allocations, 1);
  EXPECT_EQ(merged->left_out, 2);
  for (const auto& row : tracks.TakeRows()) writer.Append(row);
  ASSERT_OK(writer.Flush());

  store::RunReader reader = store::OpenRun(run_);
  const auto slices = reader.Read<store::SliceRow>();
  ASSERT_OK(slices);
  ASSERT_EQ(slices->size(), 3u);
  const store::SliceRow& mm = (*slices)[0];
  EXPECT_EQ(mm.ts_ns, 5'000'000'107);  // to the nanosecond
  EXPECT_EQ(mm.dur_ns, 5);
  EXPECT_EQ(mm.track, thread);
  EXPECT_EQ(mm.rank, 3);
  EXPECT_EQ(reader.Text(mm.name), "aten::mm");
  EXPECT_EQ(reader.Text(mm.category), "operator");
  EXPECT_EQ(reader.Text(mm.details), R"({"Input Dims":[[2,2],[2,2]]})");
  EXPECT_EQ(reader.Text((*slices)[1].category), "python_function");

  const auto rows = reader.Read<store::TrackRow>();
  ASSERT_OK(rows);
  const auto track_of = [&](const store::SliceRow& slice) {
    for (const auto& row : *rows) {
      if (row.track == slice.track) return row;
    }
    return store::TrackRow();
  };
  EXPECT_EQ(track_of((*slices)[1]).tid, 41);  // new here
  EXPECT_EQ(track_of((*slices)[1]).parent, process);
  EXPECT_EQ(track_of((*slices)[2]).stream, 7);
  EXPECT_EQ(track_of((*slices)[2]).rank, 3);

  const auto memory = reader.Read<store::MemoryRow>();
  ASSERT_OK(memory);
  ASSERT_EQ(memory->size(), 1u);
  EXPECT_EQ(memory->front().ts_ns, 5'000'000'112);
  EXPECT_EQ(memory->front().track, thread);

  const auto lost = losses.TakeRows(owner_.now_ns, true);
  ASSERT_EQ(lost.size(), 1u);
  EXPECT_NE(lost.front().detail.find("the file ends at byte 77"), std::string::npos);
}

TEST_F(TraceMergeTest, AProcessThatTheRunDoesNotKnowIsAnError) {
  MakeImported();
  store::RunWriter writer = store::MakeWriter(run_);
  TrackRegistry tracks(0, writer.strings());
  LossBook losses(0, writer.strings());
  tracks.AddProcess(store::TrackKind::kProcess, 0, 39, "python");
  EXPECT_FALSE(MergeTrace(imported_, owner_, writer, tracks, losses).ok());
}

TEST_F(TraceMergeTest, AProfileWithoutAClockIsAnError) {
  MakeImported(0);
  store::RunWriter writer = store::MakeWriter(run_);
  TrackRegistry tracks(0, writer.strings());
  LossBook losses(0, writer.strings());
  tracks.AddProcess(store::TrackKind::kProcess, 0, 40, "python");
  EXPECT_FALSE(MergeTrace(imported_, owner_, writer, tracks, losses).ok());
  EXPECT_FALSE(MergeTrace(dir_.path() / "nothing", owner_, writer, tracks, losses).ok());
}

}  // namespace
}  // namespace steptrace::agent
