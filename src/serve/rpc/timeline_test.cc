// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/timeline.h"

#include <arrow/api.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "analyze/json/cut_texts.h"
#include "base/time.h"
#include "serve/rpc/import.h"
#include "serve/rpc/table.h"
#include "testing/profiled_run.h"
#include "timeline/run_index.h"

namespace steptrace::rpc {
namespace {

using nlohmann::json;
using store::TempDir;
using ::testing::HasSubstr;

constexpr int64_t kSteps = 50;
constexpr int64_t kStepNs = 1'000'000;

std::shared_ptr<arrow::RecordBatch> Decode(const Result<std::string>& bytes) {
  EXPECT_TRUE(bytes.ok()) << (bytes.ok() ? "" : bytes.error().text());
  auto buffer = std::make_shared<arrow::Buffer>(*bytes);
  auto reader =
      arrow::ipc::RecordBatchStreamReader::Open(std::make_shared<arrow::io::BufferReader>(buffer));
  EXPECT_TRUE(reader.ok());
  std::shared_ptr<arrow::RecordBatch> batch;
  EXPECT_TRUE((*reader)->ReadNext(&batch).ok());
  EXPECT_TRUE(batch->ValidateFull().ok());
  // The bytes go with this function: what is returned holds a copy.
  auto copy = batch->CopyTo(arrow::default_cpu_memory_manager());
  EXPECT_TRUE(copy.ok());
  return *copy;
}

int64_t Int(const arrow::RecordBatch& batch, const char* column, int64_t row) {
  const auto array = batch.GetColumnByName(column);
  if (array->type_id() == arrow::Type::INT32) {
    return static_cast<const arrow::Int32Array&>(*array).Value(row);
  }
  return static_cast<const arrow::Int64Array&>(*array).Value(row);
}
double Real(const arrow::RecordBatch& batch, const char* column, int64_t row) {
  return static_cast<const arrow::DoubleArray&>(*batch.GetColumnByName(column)).Value(row);
}
std::string Text(const arrow::RecordBatch& batch, const char* column, int64_t row) {
  const auto& array = static_cast<const arrow::DictionaryArray&>(*batch.GetColumnByName(column));
  return static_cast<const arrow::StringArray&>(*array.dictionary())
      .GetString(array.GetValueIndex(row));
}

class TimelineTest : public testing::Test {
 protected:
  void SetUp() override { store::MakeProfiledRun(run(), kSteps, kernel_, details_); }
  std::filesystem::path run() const { return folder_.path() / "run"; }
  std::shared_ptr<const RunTimeline> Open() {
    auto timeline = RunTimeline::Open(run());
    EXPECT_TRUE(timeline.ok()) << (timeline.ok() ? "" : timeline.error().text());
    return *timeline;
  }

  TempDir folder_;
  std::string kernel_ = "kernel";
  std::string details_ = store::kKernelDetails;
};

TEST_F(TimelineTest, TheTreeHasEveryTrackWithWhatIsDrawnOnIt) {
  const json tree = json::parse(TreeJson(*Open()));
  EXPECT_EQ(tree["to_ns"], kSteps * kStepNs);
  ASSERT_EQ(tree["tracks"].size(), 4u);
  const json& thread = tree["tracks"][1];
  EXPECT_EQ(thread["kind"], "thread");
  EXPECT_EQ(thread["parent"], 0);
  EXPECT_EQ(thread["lanes"], 3);
  EXPECT_EQ(thread["slices"], 3 * kSteps);
  EXPECT_EQ(tree["tracks"][2]["stream"], 7);
  EXPECT_EQ(tree["tracks"][3]["values"], kSteps);
  EXPECT_EQ(tree["tracks"][3]["lanes"], 0);
  EXPECT_TRUE(tree["tracks"][0]["first_ns"].is_null());
}

TEST_F(TimelineTest, AViewHoldsSlicesOrSumsOfThem) {
  const auto timeline = Open();
  const auto all = Decode(ViewArrow(*timeline, {{}, {}, std::vector<int32_t>{2}}, 10));
  ASSERT_EQ(all->num_rows(), 10);
  EXPECT_EQ(Int(*all, "count", 0), kSteps / 10);
  EXPECT_EQ(Int(*all, "busy_ns", 0), kSteps / 10 * 300'000);
  EXPECT_EQ(Text(*all, "category", 0), "kernel");
  const auto one = Decode(ViewArrow(*timeline, {0, kStepNs, {}}, 1000));
  ASSERT_EQ(one->num_rows(), 4);
  EXPECT_EQ(Int(*one, "track", 0), 1);
  EXPECT_EQ(Text(*one, "name", 1), "aten::mm");
  EXPECT_EQ(Int(*one, "lane", 2), 2);
  EXPECT_EQ(Int(*one, "dur_ns", 3), 300'000);
  EXPECT_FALSE(ViewArrow(*timeline, {5, 5, {}}, 10).ok());
  EXPECT_EQ(Decode(ViewArrow(*timeline, {0, 1, std::vector<int32_t>{77}}, 10))->num_rows(), 0);
}

TEST_F(TimelineTest, TheIndexIsKeptBesideTheRunAndMadeAgainWhenDamagedOrStale) {
  Open();
  const auto path = timeline::IndexPath(run());
  ASSERT_TRUE(std::filesystem::exists(path));
  const auto whole = std::filesystem::file_size(path);
  std::filesystem::resize_file(path, whole / 2);
  EXPECT_EQ(json::parse(TreeJson(*Open()))["tracks"][1]["slices"], 3 * kSteps);
  EXPECT_EQ(std::filesystem::file_size(path), whole);
  std::ofstream(path, std::ios::binary) << "not an index";
  EXPECT_EQ(json::parse(TreeJson(*Open()))["tracks"][1]["slices"], 3 * kSteps);
  // Of another run: its fingerprint tells.
  store::MakeProfiledRun(folder_.path() / "other", 7);
  ASSERT_TRUE(RunTimeline::Open(folder_.path() / "other").ok());
  std::filesystem::copy_file(timeline::IndexPath(folder_.path() / "other"), path,
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(json::parse(TreeJson(*Open()))["tracks"][1]["slices"], 3 * kSteps);
}

// Without what the tracks are: lines of their numbers, in the ranks whose files hold their rows.
TEST_F(TimelineTest, ARunWhoseTracksAreDamagedIsShown) {
  const auto expect_shown = [&](size_t files, const std::string& why) {
    const auto timeline = Open();
    const json tree = json::parse(TreeJson(*timeline));
    ASSERT_EQ(tree["damaged"].size(), files) << tree["damaged"];
    EXPECT_EQ(tree["damaged"][0]["table"], "tracks");
    EXPECT_GT(tree["damaged"][0]["rows"], 0);
    EXPECT_THAT(tree["damaged"][0]["why"].get<std::string>(), HasSubstr(why));
    ASSERT_EQ(tree["tracks"].size(), 3u) << "the node holds nothing";
    const json& thread = tree["tracks"][0];
    EXPECT_EQ(thread["name"], "track 1 (unknown)");
    EXPECT_EQ(thread["kind"], "thread");
    EXPECT_EQ(thread["rank"], 0);
    EXPECT_EQ(thread["slices"], 3 * kSteps);
    EXPECT_EQ(tree["tracks"][2]["name"], "track 3 (unknown)");
    EXPECT_EQ(tree["tracks"][2]["kind"], "counter");
    EXPECT_EQ(tree["tracks"][2]["rank"], -1);
    EXPECT_EQ(Decode(ViewArrow(*timeline, {0, kStepNs, {}}, 1000))->num_rows(), 4);
  };
  const auto files = store::DamageWithin(run(), "tracks");
  expect_shown(files.size(), "keeps what is sound of it");
  for (const auto& file : files) std::filesystem::resize_file(run() / file, 100);
  expect_shown(files.size(), "100 of its");
  for (const auto& file : files) std::filesystem::remove(run() / file);
  expect_shown(files.size(), "the file is gone");
}

TEST_F(TimelineTest, SlicesThatAreCutOffAreTold) {
  const auto slices = (*store::RunReader::Open(run())).manifest().tables.at("slices").segments;
  std::filesystem::resize_file(run() / slices[0].file, 5);
  const json tree = json::parse(TreeJson(*Open()));
  ASSERT_EQ(tree["damaged"].size(), 1u);
  EXPECT_EQ(tree["damaged"][0]["file"], slices[0].file);
  EXPECT_EQ(tree["damaged"][0]["rows"], slices[0].rows);
  EXPECT_EQ(tree["tracks"].size(), 4u);
}

TEST_F(TimelineTest, ALiveRunIsShownAsItStands) {
  store::RunWriter writer = store::MakeWriter(folder_.path() / "live");
  for (int i = 0; i < 3; ++i) writer.Append(store::SampleSlice(writer.strings(), i));
  ASSERT_OK(writer.Flush());
  const auto before = RunTimeline::Open(folder_.path() / "live");
  ASSERT_OK(before);
  EXPECT_EQ((*before)->fingerprint(), TimelineStamp(folder_.path() / "live"));
  writer.Append(store::SampleSlice(writer.strings(), 3));
  ASSERT_OK(writer.Flush());
  EXPECT_NE((*before)->fingerprint(), TimelineStamp(folder_.path() / "live"));
  const auto after = RunTimeline::Open(folder_.path() / "live");
  ASSERT_OK(after);
  uint64_t slices = 0;
  for (const auto& track : (*after)->index().tracks()) slices += track.slices;
  EXPECT_EQ(slices, 4u);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "live" / "timeline"))
      << "nothing is left in a run that is being written";
}

// What is kept between looks gives what a first look gives; also when a range of the whole run
// ends, and when the run closes.
TEST_F(TimelineTest, ALiveRunGrowsAsItWouldBeReadAnew) {
  const auto path = folder_.path() / "live";
  store::RunWriter writer = store::MakeWriter(path);
  timeline::LiveRunIndex live;
  const auto same = [&] {
    const auto grown = RunTimeline::Open(path, &live);
    const auto anew = RunTimeline::Open(path);
    ASSERT_OK(grown);
    ASSERT_OK(anew);
    EXPECT_EQ((*grown)->fingerprint(), (*anew)->fingerprint());
    EXPECT_EQ(TreeJson(**grown), TreeJson(**anew));
    const auto a = ViewArrow(**grown, {}, 500);
    const auto b = ViewArrow(**anew, {}, 500);
    ASSERT_OK(a);
    ASSERT_OK(b);
    EXPECT_EQ(*a, *b);
  };
  const auto write = [&](int64_t number, int64_t ts_ns, int64_t dur_ns) {
    store::SliceRow row = store::SampleSlice(writer.strings(), number);
    row.ts_ns = ts_ns;
    row.dur_ns = dur_ns;
    row.track = 1;
    row.name = writer.strings().Intern("name " + std::to_string(number % 13));
    writer.Append(row);
    store::CounterRow counter;
    counter.ts_ns = ts_ns + dur_ns;
    counter.track = 2;
    counter.value = static_cast<double>(number);
    writer.Append(counter);
  };
  ASSERT_OK(RunTimeline::Open(path, &live));  // of nothing
  for (int64_t i = 0; i < 3000; ++i) {
    write(i, i * kNsPerSecond / 10, kNsPerSecond / 20);
    if (i % 700 != 0) continue;
    ASSERT_OK(writer.Flush());
    same();
  }
  write(3000, kNsPerSecond / 100, 299 * kNsPerSecond);  // ends now, and began before all that
  ASSERT_OK(writer.Flush());
  same();
  write(3001, 300 * kNsPerSecond, 5);
  ASSERT_OK(writer.Flush());
  same();
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  same();
}

TEST_F(TimelineTest, SliceDetailsHaveParentsArgumentsAndLinks) {
  const auto timeline = Open();
  const json found = json::parse(SearchJson(*timeline, {kStepNs, 2 * kStepNs, {}}, "KERN", 10));
  EXPECT_EQ(found["total"], 2) << "the kernel and its launch";
  const json match = found["matches"][1];
  const auto answer = SliceJson(*timeline, match["slice"].get<uint64_t>());
  ASSERT_TRUE(answer.ok() && answer->has_value());
  const json slice = json::parse(**answer);
  EXPECT_EQ(slice["name"], "kernel");
  EXPECT_EQ(slice["ts_ns"], kStepNs + 20'000);
  EXPECT_EQ(slice["self_ns"], 300'000);
  EXPECT_EQ(slice["args"]["grid"], json({1, 2, 3}));
  EXPECT_EQ(slice["args"]["occupancy"], 0.5);
  EXPECT_EQ(slice["args"]["correlation"], 101);
  EXPECT_EQ(slice["operator"], "aten::mm");
  EXPECT_EQ(slice["step"], 1);
  ASSERT_EQ(slice["correlated"].size(), 1u);
  EXPECT_EQ(slice["correlated"][0]["name"], "cudaLaunchKernel");
  EXPECT_EQ(slice["correlated"][0]["relation"], "launch");
  EXPECT_EQ(slice["previous"], match["slice"].get<int64_t>() - 1);
  EXPECT_TRUE(slice["parent"].is_null());
  const auto launch = SliceJson(*timeline, slice["correlated"][0]["slice"].get<uint64_t>());
  const json call = json::parse(**launch);
  EXPECT_EQ(call["depth"], 2);
  EXPECT_EQ(call["stack"], json({"aten::mm", "forward"}));
  EXPECT_FALSE((*SliceJson(*timeline, 1'000'000)).has_value());
}

TEST_F(TimelineTest, FlowsGoFromALaunchToItsKernel) {
  const auto timeline = Open();
  const auto flows = Decode(FlowsArrow(*timeline, {0, 3 * kStepNs, {}}, std::nullopt, 100));
  ASSERT_EQ(flows->num_rows(), 3);
  EXPECT_EQ(Text(*flows, "kind", 0), "launch");
  EXPECT_EQ(Int(*flows, "from_track", 0), 1);
  EXPECT_EQ(Int(*flows, "from_lane", 0), 2);
  EXPECT_EQ(Int(*flows, "from_ns", 0), 2000);
  EXPECT_EQ(Int(*flows, "to_track", 0), 2);
  EXPECT_EQ(Int(*flows, "to_ns", 0), 20'000);
  EXPECT_EQ(Decode(FlowsArrow(*timeline, {}, std::nullopt, 2))->num_rows(), 2);
  const json kernel = json::parse(SearchJson(*timeline, {{}, {}, std::vector<int32_t>{2}}, "k", 1));
  const auto one =
      Decode(FlowsArrow(*timeline, {}, kernel["matches"][0]["slice"].get<uint64_t>(), 100));
  ASSERT_EQ(one->num_rows(), 1);
  EXPECT_EQ(Int(*one, "to_ns", 0), 20'000);
}

TEST_F(TimelineTest, StatisticsAreCutAtTheTimeRange) {
  const auto sums = Decode(StatisticsArrow(*Open(), {100'000, 200'000, {}}));
  ASSERT_EQ(sums->num_rows(), 3);
  for (int64_t row = 0; row < 3; ++row) {
    EXPECT_EQ(Int(*sums, "total_ns", row), 100'000);
    EXPECT_EQ(Int(*sums, "self_ns", row), Text(*sums, "name", row) == "forward" ? 0 : 100'000);
  }
}

TEST_F(TimelineTest, SeriesHaveABucketAPoint) {
  const auto timeline = Open();
  SeriesQuery query;
  query.metrics = {"cpu.*"};
  const auto each = Decode(SeriesArrow(*timeline, query));
  ASSERT_EQ(each->num_rows(), kSteps);
  EXPECT_EQ(Int(*each, "bucket_ns", 3), 3 * kStepNs);
  EXPECT_EQ(Real(*each, "mean", 3), 0.3);
  query.points = 5;
  const auto five = Decode(SeriesArrow(*timeline, query));
  ASSERT_EQ(five->num_rows(), 5);
  EXPECT_EQ(Int(*five, "count", 1), 10);
  // A bucket's edge is no reading's time; its first and last reading are.
  EXPECT_LE(Int(*five, "bucket_ns", 1), Int(*five, "first_ns", 1));
  EXPECT_EQ(Int(*five, "first_ns", 1), 10 * kStepNs);
  EXPECT_EQ(Int(*five, "last_ns", 1), 19 * kStepNs);
  EXPECT_EQ(Int(*each, "last_ns", 3), 3 * kStepNs);
  EXPECT_EQ(Real(*five, "max", 1), 0.9);
  EXPECT_EQ(Real(*five, "min", 1), 0);
  EXPECT_NEAR(Real(*five, "mean", 1), 0.45, 1e-12);
  query.metrics = {"gpu.*", "cpu.busy"};
  EXPECT_EQ(Decode(SeriesArrow(*timeline, query))->num_rows(), 0);
}

std::string BytesOf(const TableFile& table) {
  std::string bytes(table.bytes, '\0');
  EXPECT_EQ(::pread(table.fd.get(), bytes.data(), bytes.size(), 0),
            static_cast<ssize_t>(bytes.size()));
  return bytes;
}

TEST_F(TimelineTest, ATableIsAStreamInAFile) {
  TableQuery query;
  query.run = run();
  query.table = "slices";
  query.columns = {"name", "ts_ns", "correlation"};
  query.where = "category = 'kernel'";
  query.limit = 7;
  const auto table = TableArrow(query);
  ASSERT_OK(table);
  const auto rows = Decode(BytesOf(*table));
  ASSERT_EQ(rows->num_rows(), 7);
  EXPECT_EQ(Text(*rows, "name", 6), "kernel");
  EXPECT_EQ(Int(*rows, "correlation", 6), 106);
}

class HugeName : public TimelineTest {
 protected:
  HugeName() { kernel_ = "<script>alert(1)</script>" + std::string(1 << 20, 'k'); }
};

TEST_F(HugeName, IsCutInViewsAndWholeInTheSlice) {
  const auto timeline = Open();
  const auto view = ViewArrow(*timeline, {0, kStepNs, std::vector<int32_t>{2}}, 100);
  EXPECT_EQ(Text(*Decode(view), "name", 0), analyze::CutText(kernel_, 512)) << "as a report has it";
  const json found = json::parse(SearchJson(*timeline, {}, "<SCRIPT", 1));
  EXPECT_EQ(found["total"], kSteps);
  const auto slice = SliceJson(*timeline, found["matches"][0]["slice"].get<uint64_t>());
  ASSERT_TRUE(slice.ok());
  EXPECT_EQ(json::parse(**slice)["name"].get<std::string>(), kernel_);
}

// Two kernels whose names differ behind the cut are two in the statistics, and each has its own
// details and links.
TEST_F(TimelineTest, LongNamesThatBeginAlikeAreTwoRows) {
  const auto path = folder_.path() / "alike";
  const std::string names[] = {std::string(1999, 'k') + "1", std::string(1999, 'k') + "2"};
  store::RunWriter writer = store::MakeWriter(path);
  for (int32_t i = 0; i < 4; ++i) {
    store::SliceRow row = store::SampleSlice(writer.strings(), i);
    row.ts_ns = 1000;  // told apart by their names alone
    row.dur_ns = 100;
    row.track = i / 2;
    row.rank = 0;
    row.category = writer.strings().Intern("kernel");
    row.name = writer.strings().Intern(names[i % 2]);
    row.flow_out = i == 0 ? std::optional<int64_t>(7) : std::nullopt;
    row.flow_in = i == 3 ? std::optional<int64_t>(7) : std::nullopt;
    row.correlation = row.group = row.sequence = std::nullopt;
    writer.Append(row);
  }
  ASSERT_OK(writer.Close(store::CompletedManifest()));
  const auto timeline = RunTimeline::Open(path);
  ASSERT_OK(timeline);
  const auto sums = Decode(StatisticsArrow(**timeline, {}));
  ASSERT_EQ(sums->num_rows(), 2);
  EXPECT_EQ(Int(*sums, "count", 0), 2);
  EXPECT_NE(Text(*sums, "name", 0), Text(*sums, "name", 1));
  const json found = json::parse(SearchJson(**timeline, {}, "kk2", 10));
  ASSERT_EQ(found["total"], 2);
  for (const json& match : found["matches"]) {
    const auto slice = SliceJson(**timeline, match["slice"].get<uint64_t>());
    ASSERT_TRUE(slice.ok() && slice->has_value());
    EXPECT_EQ(json::parse(**slice)["name"].get<std::string>(), names[1]);
  }
  EXPECT_EQ(Decode(FlowsArrow(**timeline, {}, std::nullopt, 10))->num_rows(), 1);
}

// A trace of one rank: kernels of two collectives, a transfer that has the number of the first in
// each rank, and an operator that autograd numbers as the second is. `ranks` is JSON.
std::string CollectiveTrace(int rank, const std::string& group, const std::string& ranks) {
  const auto event = [&](const char* category, const char* name, int ts, const std::string& args) {
    const bool device = std::string_view(category) == "kernel";
    return fmt::format(
        R"({{"ph":"X","cat":"{}","name":"{}","pid":{},"tid":7,"ts":{},"dur":5,"args":{{{}}}}},)",
        category, name, device ? 0 : 100 + rank, ts, args);
  };
  std::string events;
  for (int i = 0; i < 2; ++i) {
    const std::string args = fmt::format(
        R"("Collective name":"allreduce","Process Group Name":"{}","Process Group Ranks":{},)"
        R"("Seq":{},"correlation":{},"device":0,"stream":7)",
        group, ranks, 4 + i, 10 * rank + i);
    events += event("kernel", "ncclDevKernel_AllReduce_Sum", 100 * i + rank, args);
  }
  events += event("kernel", "SendRecv", 200,
                  fmt::format(R"("Process Group Name":"{}","Process Group Ranks":{},"Seq":4,)"
                              R"("Collective name":"{}","Dst Rank":{},"device":0,"stream":7)",
                              group, ranks, rank == 0 ? "send" : "recv", 1));
  events += event("cpu_op", "autograd", 300,
                  fmt::format(R"("Process Group Name":"{}","Sequence number":5)", group));
  events.pop_back();
  return fmt::format(R"({{"distributedInfo":{{"rank":{},"world_size":2}},)"
                     R"("baseTimeNanoseconds":1700000000000000000,"traceEvents":[{}]}})",
                     rank, events);
}

std::shared_ptr<const RunTimeline> ImportRanks(const std::filesystem::path& folder,
                                               const std::vector<std::string>& ranks,
                                               const std::string& group) {
  std::filesystem::create_directories(folder / "traces");
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    std::ofstream(folder / "traces" / fmt::format("rank{}.json", rank))
        << CollectiveTrace(static_cast<int>(rank), group, ranks[rank]);
  }
  ImportRequest request;
  request.paths = {(folder / "traces").string()};
  request.folder = folder / "runs";
  const auto imported = ImportProfiles(request, {});
  EXPECT_TRUE(imported.ok()) << (imported.ok() ? "" : imported.error().text());
  auto timeline = RunTimeline::Open(imported->run);
  EXPECT_TRUE(timeline.ok());
  return *timeline;
}

TEST_F(TimelineTest, CollectivesOfAnImportAreJoinedAcrossRanks) {
  const auto timeline = ImportRanks(folder_.path() / "same", {R"("[0, 1]")", R"("[0, 1]")"}, "dp");
  const auto flows = Decode(FlowsArrow(*timeline, {}, std::nullopt, 100));
  ASSERT_EQ(flows->num_rows(), 2) << "one of each collective, none of autograd's numbers";
  for (int64_t row = 0; row < 2; ++row) {
    EXPECT_EQ(Text(*flows, "kind", row), "collective");
    EXPECT_NE(Int(*flows, "from_track", row), Int(*flows, "to_track", row));
    EXPECT_EQ(Int(*flows, "to_ns", row) - Int(*flows, "from_ns", row), 1000);
  }
  const json found = json::parse(SearchJson(*timeline, {}, "nccl", 10));
  ASSERT_EQ(found["total"], 4);
  const auto slice = SliceJson(*timeline, found["matches"][0]["slice"].get<uint64_t>());
  ASSERT_TRUE(slice.ok() && slice->has_value());
  const json shown = json::parse(**slice);
  EXPECT_EQ(shown["args"]["Process Group Name"], "dp") << "stays where analysis reads it";
  ASSERT_EQ(shown["correlated"].size(), 1u);
  EXPECT_EQ(shown["correlated"][0]["relation"], "collective");
}

TEST_F(TimelineTest, GroupsOfOtherRanksAreOthersThoughTheirNamesAreEqual) {
  const auto arrows = [&](const char* folder, const std::vector<std::string>& ranks) {
    const auto timeline = ImportRanks(folder_.path() / folder, ranks, "dp");
    return Decode(FlowsArrow(*timeline, {}, std::nullopt, 100))->num_rows();
  };
  EXPECT_EQ(arrows("texts", {R"("[0, 2]")", R"("[1, 3]")"}), 0);
  EXPECT_EQ(arrows("lists", {"[0, 2]", "[1, 3]"}), 0);
  EXPECT_EQ(arrows("one", {"[0, 1]", "[0, 1]"}), 2);
}

TEST_F(TimelineTest, AGroupWithoutRanksHasTheNumberOfItsName) {
  const auto timeline = ImportRanks(folder_.path() / "number", {R"("")", R"("")"}, "12");
  EXPECT_EQ(Decode(FlowsArrow(*timeline, {}, std::nullopt, 100))->num_rows(), 2);
  const json found = json::parse(SearchJson(*timeline, {}, "nccl", 1));
  const auto slice = SliceJson(*timeline, found["matches"][0]["slice"].get<uint64_t>());
  ASSERT_TRUE(slice.ok() && slice->has_value());
  EXPECT_EQ(json::parse(**slice)["args"]["group"], 12);
}

class NestedDetails : public TimelineTest {
 protected:
  NestedDetails() { details_ = R"({"grid":)" + std::string(100'000, '['); }
};

TEST_F(NestedDetails, AreShownAsTheyAreWritten) {
  const auto timeline = Open();
  const json found = json::parse(SearchJson(*timeline, {{}, {}, std::vector<int32_t>{2}}, "k", 1));
  const auto slice = SliceJson(*timeline, found["matches"][0]["slice"].get<uint64_t>());
  ASSERT_TRUE(slice.ok() && slice->has_value());
  const json args = json::parse(**slice)["args"];
  EXPECT_EQ(args["details"].get<std::string>(), details_);
  EXPECT_EQ(args["occupancy"], 0.5);
}

}  // namespace
}  // namespace steptrace::rpc
