// SPDX-License-Identifier: Apache-2.0
#include "import/runs/join_runs.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "store/test_run.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;
using store::CompletedManifest;
using store::Manifest;
using store::RunReader;
using store::RunWriter;
using store::StringTable;

constexpr int64_t kEpochNs = 1'767'225'600'000'000'000;

// A node's run: one rank, whose rows all say where they belong.
class JoinTest : public testing::Test {
 protected:
  Manifest NodeManifest(int32_t rank, int64_t epoch_offset_ns, const std::string& boot) {
    Manifest manifest = CompletedManifest();
    manifest.id = "run-of-rank-" + std::to_string(rank);
    manifest.epoch_utc_ns = kEpochNs + epoch_offset_ns;
    manifest.end_ns = 1000;
    manifest.nodes[0].boot_id = boot;
    manifest.nodes[0].host = "host" + std::to_string(rank);
    manifest.ranks = {{rank, 0, 0, 2, 100 + rank}};
    return manifest;
  }

  // Track 0 is the node, track 1 a thread of the rank in it.
  fs::path MakeRun(int32_t rank, const Manifest& manifest, const std::string& function) {
    fs::path path = dir_.path() / ("node" + std::to_string(rank));
    auto writer = RunWriter::Create(path, manifest, store::QuietOptions());
    EXPECT_TRUE(writer.ok());
    StringTable& strings = writer->strings();
    store::TrackRow node;
    node.track = 0;
    node.kind = strings.Intern("node");
    writer->Append(node);
    store::TrackRow thread;
    thread.track = 1;
    thread.parent = 0;
    thread.rank = rank;
    thread.kind = strings.Intern("thread");
    writer->Append(thread);
    store::SliceRow slice;
    slice.ts_ns = 10;
    slice.dur_ns = 5;
    slice.track = 1;
    slice.rank = rank;
    slice.name = strings.Intern(function);
    slice.flow_out = 3;
    slice.correlation = 7;
    writer->Append(slice);
    for (int32_t stack = 0; stack < 2; ++stack) {
      store::StackRow frame;
      frame.stack = stack;
      if (stack > 0) frame.parent = stack - 1;
      frame.function = strings.Intern(function);
      writer->Append(frame);
    }
    store::SampleRow sample;
    sample.ts_ns = 11;
    sample.track = 1;
    sample.stack = 1;
    writer->Append(sample);
    store::MemoryRow memory;
    memory.ts_ns = 12;
    memory.rank = rank;
    memory.track = 1;
    writer->Append(memory);
    store::LossRow loss;
    loss.from_ns = 20;
    loss.rank = rank;
    writer->Append(loss);
    store::StepRow step;
    step.rank = rank;
    step.ts_ns = 30;
    step.step = 4;
    writer->Append(step);
    EXPECT_TRUE(writer->Close(manifest).ok());
    return path;
  }

  Result<JoinSummary> Join(std::vector<fs::path> runs) {
    JoinOptions options;
    options.output = joined_;
    return JoinRuns(runs, options);
  }

  template <class Row>
  std::vector<Row> Rows() {
    if (!reader_) {
      auto reader = RunReader::Open(joined_);
      EXPECT_TRUE(reader.ok());
      reader_.emplace(*std::move(reader));
    }
    auto rows = reader_->Read<Row>();
    EXPECT_TRUE(rows.ok());
    return *rows;
  }

  void ExpectRefused(std::vector<fs::path> runs, const std::string& part) {
    auto joined = Join(std::move(runs));
    ASSERT_FALSE(joined.ok());
    EXPECT_NE(joined.error().message.find(part), std::string::npos) << joined.error().message;
    EXPECT_FALSE(fs::exists(joined_));
    for (const auto& entry : fs::directory_iterator(dir_.path())) {
      EXPECT_EQ(entry.path().string().find(".partial"), std::string::npos) << entry.path();
    }
  }

  store::TempDir dir_;
  fs::path joined_ = dir_.path() / "joined";
  std::optional<RunReader> reader_;
};

TEST_F(JoinTest, RowsKeepWhatTheyBelongTo) {
  // The second node's run was begun 100 ns later, by UTC.
  auto a = MakeRun(0, NodeManifest(0, 0, "boot a"), "read");
  auto b = MakeRun(1, NodeManifest(1, 100, "boot b"), "wait");
  auto joined = Join({a, b});
  ASSERT_OK(joined);
  EXPECT_EQ(joined->nodes, 2);
  EXPECT_EQ(joined->ranks, 2);
  EXPECT_EQ(joined->rows, 18);

  auto tracks = Rows<store::TrackRow>();
  ASSERT_EQ(tracks.size(), 4u);
  std::set<int32_t> numbers;
  for (const auto& track : tracks) {
    numbers.insert(track.track);
    EXPECT_EQ(track.node, track.track / 2);
    EXPECT_EQ(track.rank, track.track % 2 == 0 ? -1 : track.node);
    EXPECT_EQ(track.parent.has_value(), track.track % 2 == 1);
    EXPECT_EQ(track.parent.value_or(track.track - 1), track.track - 1);
  }
  EXPECT_EQ(numbers, (std::set<int32_t>{0, 1, 2, 3}));

  auto slices = Rows<store::SliceRow>();
  ASSERT_EQ(slices.size(), 2u);
  for (const auto& slice : slices) {
    EXPECT_EQ(slice.ts_ns, slice.rank == 0 ? 10 : 110);
    EXPECT_EQ(slice.track, slice.rank * 2 + 1);
    EXPECT_EQ(reader_->Text(slice.name), slice.rank == 0 ? "read" : "wait");
    EXPECT_EQ(*slice.flow_out, slice.rank == 0 ? 3 : 7) << "flows of two nodes stay apart";
    EXPECT_EQ(*slice.correlation, 7) << "of a rank";
  }
  auto stacks = Rows<store::StackRow>();
  ASSERT_EQ(stacks.size(), 4u);
  for (int32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stacks[i].stack, i);
    EXPECT_EQ(stacks[i].parent, i % 2 == 0 ? std::nullopt : std::optional(i - 1));
  }
  auto samples = Rows<store::SampleRow>();
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[1].ts_ns, 111);
  EXPECT_EQ(samples[1].track, 3);
  EXPECT_EQ(samples[1].stack, 3);
  for (const auto& row : Rows<store::MemoryRow>()) EXPECT_EQ(row.track, row.rank * 2 + 1);
  for (const auto& row : Rows<store::LossRow>()) {
    EXPECT_EQ(row.node, row.rank);
    EXPECT_EQ(row.from_ns, row.rank == 0 ? 20 : 120);
  }
  for (const auto& row : Rows<store::StepRow>()) {
    EXPECT_EQ(row.node, row.rank);
    EXPECT_EQ(row.ts_ns, row.rank == 0 ? 30 : 130);
    EXPECT_EQ(row.step, 4);
  }
  const Manifest& manifest = reader_->manifest();
  EXPECT_EQ(manifest.epoch_utc_ns, kEpochNs);
  EXPECT_EQ(manifest.end_ns, 1100);
  ASSERT_EQ(manifest.nodes.size(), 2u);
  EXPECT_EQ(manifest.nodes[1].host, "host1");
  ASSERT_EQ(manifest.ranks.size(), 2u);
  EXPECT_EQ(manifest.ranks[1].node, 1);
}

TEST_F(JoinTest, AnEarlierRunGivesTheEpochWhereverItStands) {
  auto a = MakeRun(0, NodeManifest(0, 500, "boot a"), "read");
  auto b = MakeRun(1, NodeManifest(1, 0, "boot b"), "wait");
  ASSERT_OK(Join({a, b}));
  for (const auto& row : Rows<store::StepRow>()) EXPECT_EQ(row.ts_ns, row.rank == 0 ? 530 : 30);
  EXPECT_EQ(reader_->manifest().epoch_utc_ns, kEpochNs);
  EXPECT_EQ(reader_->manifest().epoch_monotonic_ns, 5'000'000'000 - 500);
}

// UTC may be set while a machine runs; its monotonic clock is not.
TEST_F(JoinTest, RunsOfOneBootShareItsMonotonicClock) {
  auto first = NodeManifest(0, 0, "the boot");
  auto second = NodeManifest(1, -7'000, "the boot");  // by UTC it began before
  second.epoch_monotonic_ns = first.epoch_monotonic_ns + 40;
  auto a = MakeRun(0, first, "read");
  auto b = MakeRun(1, second, "wait");
  ASSERT_OK(Join({a, b}));
  for (const auto& row : Rows<store::StepRow>()) EXPECT_EQ(row.ts_ns, row.rank == 0 ? 30 : 70);
}

TEST_F(JoinTest, APartThatFailedIsTheWhole) {
  auto failed = NodeManifest(1, 0, "b");
  failed.status = store::kStatusFailed;
  failed.exit_code = 3;
  auto a = MakeRun(0, NodeManifest(0, 0, "a"), "read");
  auto b = MakeRun(1, failed, "wait");
  ASSERT_OK(Join({a, b}));
  Rows<store::StepRow>();
  EXPECT_EQ(reader_->manifest().status, store::kStatusFailed);
  EXPECT_EQ(reader_->manifest().exit_code, 3);
}

TEST_F(JoinTest, WhatDoesNotBelongTogetherIsRefused) {
  auto a = MakeRun(0, NodeManifest(0, 0, "a"), "read");
  auto again = NodeManifest(0, 0, "b");
  again.id = "another";
  fs::rename(a, dir_.path() / "first");
  a = dir_.path() / "first";
  auto b = MakeRun(0, again, "wait");
  ExpectRefused({a, b}, "has rank 0, as ");
  ExpectRefused({a, a}, "the same run as ");
  ExpectRefused({a}, "nothing to join");
  ExpectRefused({a, dir_.path() / "absent"}, "absent");
  auto undated = NodeManifest(1, 0, "c");
  undated.epoch_utc_ns = 0;
  ExpectRefused({a, MakeRun(1, undated, "wait")}, "its times have no date");
}

TEST_F(JoinTest, ARunThatIsWrittenIsRefused) {
  auto a = MakeRun(0, NodeManifest(0, 0, "a"), "read");
  Manifest open = NodeManifest(1, 0, "b");
  open.status = store::kStatusInProgress;
  open.end_ns.reset();
  fs::path live = dir_.path() / "live";
  {
    auto writer = RunWriter::Create(live, open, store::QuietOptions());
    ASSERT_OK(writer);
    ExpectRefused({a, live}, "is still being recorded");
  }
  ExpectRefused({a, live}, "steptrace recover");
}

TEST_F(JoinTest, StoppedLeavesNothing) {
  auto a = MakeRun(0, NodeManifest(0, 0, "a"), "read");
  auto b = MakeRun(1, NodeManifest(1, 0, "b"), "wait");
  JoinOptions options;
  options.output = joined_;
  options.stopped = [] { return true; };
  auto joined = JoinRuns(std::vector<fs::path>{a, b}, options);
  ASSERT_FALSE(joined.ok());
  EXPECT_NE(joined.error().message.find("stopped; nothing of it is left"), std::string::npos);
  EXPECT_FALSE(fs::exists(joined_));
}

}  // namespace
}  // namespace steptrace::import
