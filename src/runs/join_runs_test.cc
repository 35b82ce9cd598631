// SPDX-License-Identifier: Apache-2.0
#include "runs/join_runs.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "testing/test_run.h"

namespace steptrace::runs {
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
    store::DataLossRow loss;
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
    EXPECT_NE(joined.error().text().find(part), std::string::npos) << joined.error().text();
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
  for (const auto& row : Rows<store::DataLossRow>()) {
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

// What agent/capture/run_captures.cc and the agent's findings write.
TEST_F(JoinTest, TimesNodesAndTracksInJsonMoveWithTheirRows) {
  auto manifest = NodeManifest(1, 1000, "b");
  auto a = MakeRun(0, NodeManifest(0, 0, "a"), "read");
  fs::path b = dir_.path() / "told";
  {
    auto writer = RunWriter::Create(b, manifest, store::QuietOptions());
    ASSERT_OK(writer);
    StringTable& strings = writer->strings();
    store::TrackRow track;
    track.track = 5;
    writer->Append(track);
    store::RunMetadataRow fact;
    fact.rank = 1;
    fact.kind = strings.Intern("window");
    fact.json =
        R"({"kinds":"kernels","from_ns":5,"to_ns":9,"steps":2,"stretches":[[5,6],[8,9]],"x":1})";
    writer->Append(fact);
    fact.kind = strings.Intern("loader");
    writer->Append(fact);
    store::FindingRow finding;
    finding.kind = strings.Intern("alert");
    finding.evidence = R"({"since_ns":30,"from_ns":10,"to_ns":20,"rank":1,"processes":[)"
                       R"({"node":0,"in":{"since_ns":40,"name":"track = 5"},"quiet_ns":3}]})";
    writer->Append(finding);
    finding.evidence =
        R"({"evidence":[{"text":"ts_ns >= 3","where":"track = 5 and ts_ns >= 100 and ts_ns <= 200"},)"
        R"({"where":"rank = 1 and kind = 'train'"},{"where":"ts_ns <"},{"where":7}]})";
    writer->Append(finding);
    finding.evidence = "no JSON: since_ns 5";
    writer->Append(finding);
    finding.evidence = std::string(100'000, '[');
    finding.evidence += R"({"since_ns":1})" + std::string(100'000, ']');
    writer->Append(finding);
    ASSERT_OK(writer->Close(manifest));
  }
  ASSERT_OK(Join({a, b}));
  for (const auto& fact : Rows<store::RunMetadataRow>()) {
    const auto json = nlohmann::json::parse(fact.json);
    const bool window = reader_->Text(fact.kind) == "window";
    EXPECT_EQ(json["from_ns"], window ? 1005 : 5);
    EXPECT_EQ(json["to_ns"], window ? 1009 : 9);
    EXPECT_EQ(json["stretches"][1][0], window ? 1008 : 8);
    EXPECT_EQ(json["steps"], 2);
  }
  const auto findings = Rows<store::FindingRow>();
  ASSERT_EQ(findings.size(), 4u);
  const auto first = nlohmann::json::parse(findings[0].evidence);
  EXPECT_EQ(first["since_ns"], 1030);
  EXPECT_EQ(first["from_ns"], 10) << "of a duration";
  EXPECT_EQ(first["processes"][0]["in"]["since_ns"], 1040);
  EXPECT_EQ(first["processes"][0]["in"]["name"], "track = 5");
  EXPECT_EQ(first["processes"][0]["quiet_ns"], 3);
  EXPECT_EQ(first["processes"][0]["node"], 1);
  const auto second = nlohmann::json::parse(findings[1].evidence)["evidence"];
  EXPECT_EQ(second[0]["where"], "track = 2 and ts_ns >= 1100 and ts_ns <= 1200");
  EXPECT_EQ(second[0]["text"], "ts_ns >= 3");
  EXPECT_EQ(second[1]["where"], "rank = 1 and kind = 'train'");
  EXPECT_EQ(second[2]["where"], "ts_ns <");
  EXPECT_EQ(findings[2].evidence, "no JSON: since_ns 5");
  EXPECT_EQ(findings[3].evidence.find("since_ns\":1}"), 100'002u) << "too deep: as it was";
}

TEST_F(JoinTest, MissingTrackIsNotMappedToAnotherRuns) {
  auto a = MakeRun(0, NodeManifest(0, 0, "a"), "read");
  auto manifest = NodeManifest(1, 0, "b");
  fs::path damaged = dir_.path() / "damaged";
  {
    auto writer = RunWriter::Create(damaged, manifest, store::QuietOptions());
    ASSERT_OK(writer);
    StringTable& strings = writer->strings();
    for (int32_t number : {-7, 3, 1 << 30}) {
      store::TrackRow track;
      track.track = number;
      track.parent = number == 3 ? 4 : -7;
      writer->Append(track);
      store::StackRow stack;
      stack.stack = number;
      stack.parent = number - 1;
      stack.function = strings.Intern("f");
      writer->Append(stack);
      store::SampleRow sample;
      sample.track = number;
      sample.stack = number + 1;
      writer->Append(sample);
    }
    for (int32_t number : {3, 2, -1, INT32_MIN, INT32_MAX}) {
      store::SliceRow slice;
      slice.rank = 1;
      slice.track = number;
      slice.flow_out = number;
      slice.flow_in = number < 0 ? std::numeric_limits<int64_t>::max() : 0;
      writer->Append(slice);
      store::MemoryRow memory;
      memory.rank = 1;
      memory.track = number;
      writer->Append(memory);
    }
    ASSERT_OK(writer->Close(manifest));
  }
  auto c = MakeRun(2, NodeManifest(2, 0, "c"), "wait");
  ASSERT_OK(Join({a, damaged, c}));
  std::set<int32_t> tracks;
  for (const auto& track : Rows<store::TrackRow>()) {
    EXPECT_TRUE(tracks.insert(track.track).second);
    if (track.node != 1) continue;
    EXPECT_EQ(track.parent, track.track == 3 ? std::nullopt : std::optional(2));
  }
  EXPECT_EQ(tracks, (std::set<int32_t>{0, 1, 2, 3, 4, 5, 6}));
  const auto stacks = Rows<store::StackRow>();
  ASSERT_EQ(stacks.size(), 7u);
  for (int32_t i = 0; i < 7; ++i) EXPECT_EQ(stacks[i].stack, i) << "as many as rows";
  EXPECT_EQ(stacks[6].parent, 5);
  std::multiset<int32_t> of_rank;
  std::set<int64_t> flows_out;
  std::set<int32_t> sampled, used;
  int32_t last_track = -1;
  for (const auto& slice : Rows<store::SliceRow>()) {
    if (slice.rank == 1) of_rank.insert(slice.track);
    if (slice.rank == 2) last_track = slice.track;
    if (slice.rank > 0 && slice.flow_out) flows_out.insert(*slice.flow_out);
  }
  EXPECT_EQ(of_rank, (std::multiset<int32_t>{-1, -1, -1, -1, 3}));
  for (const auto& sample : Rows<store::SampleRow>()) {
    if (sample.track >= 2 && sample.track < 5) sampled.insert(sample.stack);
  }
  for (const auto& memory : Rows<store::MemoryRow>()) {
    if (memory.rank == 1 && memory.track) used.insert(*memory.track);
  }
  EXPECT_EQ(last_track, 6);
  EXPECT_FALSE(flows_out.contains(3)) << "of the first run";
  EXPECT_EQ(flows_out.size(), 6u);
  EXPECT_EQ(sampled, (std::set<int32_t>{-1}));
  EXPECT_EQ(used, (std::set<int32_t>{3}));
  std::map<std::string, int64_t> lost;
  for (const auto& loss : Rows<store::DataLossRow>()) {
    if (reader_->Text(loss.cause) != "leads_nowhere") continue;
    EXPECT_EQ(loss.node, 1);
    EXPECT_NE(loss.detail.find("damaged"), std::string::npos);
    lost[reader_->Text(loss.table)] = loss.count;
  }
  EXPECT_EQ(lost, (std::map<std::string, int64_t>{
                      {"tracks", 1}, {"slices", 4}, {"stacks", 3}, {"samples", 3}, {"memory", 4}}));
}

TEST_F(JoinTest, ImpossibleTimesOverflowNothing) {
  constexpr int64_t kMost = (int64_t{1} << 62) - 1;
  auto first = NodeManifest(0, 0, "the boot");
  first.epoch_utc_ns = kMost;
  first.epoch_monotonic_ns = 0;
  auto second = NodeManifest(1, 0, "the boot");
  second.epoch_monotonic_ns = kMost;
  auto third = NodeManifest(2, 0, "the boot");
  third.epoch_monotonic_ns = -kMost;
  auto fourth = NodeManifest(3, 0, "another");
  fourth.epoch_utc_ns = 1;
  fourth.end_ns = std::numeric_limits<int64_t>::max();
  std::vector<fs::path> runs;
  for (const Manifest& manifest : {first, second, third, fourth}) {
    runs.push_back(MakeRun(manifest.ranks[0].rank, manifest, "read"));
  }
  ASSERT_OK(Join(runs));
  std::map<int32_t, int64_t> begins;
  for (const auto& row : Rows<store::StepRow>()) begins[row.rank] = row.ts_ns;
  EXPECT_EQ(reader_->manifest().epoch_utc_ns, 1);
  EXPECT_EQ(begins,
            (std::map<int32_t, int64_t>{
                {0, kMost - 1 + 30}, {1, kEpochNs - 1 + 30}, {2, kEpochNs - 1 + 30}, {3, 30}}));
}

// Of two jobs' parts nobody can say which the whole is of.
TEST_F(JoinTest, TheWholeIsOfTheJobThatItsPartsTell) {
  Manifest first = NodeManifest(0, 0, "boot a");
  Manifest second = NodeManifest(1, 100, "boot b");
  first.identity = {"job-7", 1, "rail", std::nullopt, {{"team", "vision"}}};
  second.identity = {"job-7", 2, std::nullopt, "abc", {{"site", "north"}}};
  ASSERT_OK(Join({MakeRun(0, first, "read"), MakeRun(1, second, "wait")}));
  const auto reader = RunReader::Open(joined_);
  ASSERT_OK(reader);
  const store::RunIdentity& whole = reader->manifest().identity;
  EXPECT_EQ(whole.job_id, "job-7");
  EXPECT_EQ(whole.attempt, std::nullopt);
  EXPECT_EQ(whole.topology, "rail");
  EXPECT_EQ(whole.git_commit, "abc");
  EXPECT_EQ(whole.tags.size(), 2u);
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

TEST_F(JoinTest, RunsOfDifferentJobsAreRefused) {
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
  EXPECT_NE(joined.error().text().find("stopped; nothing of it is left"), std::string::npos);
  EXPECT_FALSE(fs::exists(joined_));
}

}  // namespace
}  // namespace steptrace::runs
