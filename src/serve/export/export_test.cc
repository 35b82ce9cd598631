// SPDX-License-Identifier: Apache-2.0
#include "serve/export/export.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "serve/export/output.h"
#include "testing/held_bytes.h"
#include "testing/test_run.h"

namespace steptrace::exporter {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

std::string Content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A thread that launches two kernels, which overlap on their stream.
class ExportTest : public ::testing::Test {
 protected:
  // `hosts`: the name of each rank's node; none: they share one.
  // `job`: a fact.
  void Make(int ranks, const std::vector<std::string>& hosts = {}, const std::string& job = "") {
    store::Manifest manifest = store::SampleManifest();
    if (!hosts.empty()) manifest.nodes.clear(), manifest.ranks.clear();
    for (size_t i = 0; i < hosts.size(); ++i) {
      const auto number = static_cast<int32_t>(i);
      store::NodeInfo node;
      node.node = number;
      node.host = hosts[i];
      manifest.nodes.push_back(node);
      store::RankInfo rank;
      rank.rank = rank.node = number;
      manifest.ranks.push_back(rank);
    }
    manifest.epoch_utc_ns = 1'700'000'000'000'000'123;
    store::RunWriter writer = store::MakeWriter(run());
    auto& strings = writer.strings();
    if (!job.empty()) {
      writer.Append(store::RunMetadataRow{.rank = 0, .kind = strings.Intern("job"), .json = job});
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const int32_t thread = rank * 2;
      store::TrackRow host;
      host.track = thread;
      host.kind = strings.Intern("thread");
      host.rank = rank;
      host.pid = 41;
      host.tid = 42;
      host.name = "python \"x\"";
      writer.Append(host);
      store::TrackRow stream;
      stream.track = thread + 1;
      stream.kind = strings.Intern("stream");
      stream.rank = rank;
      stream.device = rank;
      stream.stream = 7;
      writer.Append(stream);
      auto slice = [&](int32_t track, const char* category, const char* name, int64_t ts,
                       int64_t dur, std::optional<int64_t> correlation, const char* details) {
        store::SliceRow row;
        row.ts_ns = ts;
        row.dur_ns = dur;
        row.track = track;
        row.rank = rank;
        row.name = strings.Intern(name);
        row.category = strings.Intern(category);
        row.correlation = correlation;
        row.details = strings.Intern(details);
        writer.Append(row);
      };
      slice(thread, "cpu_op", "aten::mm\n", 1001, 999, {}, R"({"Input Dims":[[1,2]]})");
      slice(thread, "cuda_runtime", "cudaLaunchKernel", 1100, 100, 5, "");
      slice(thread + 1, "kernel", "gemm", 2001, 1'000'000'007, 5, R"({"grid":[1,1,1]})");
      slice(thread + 1, "kernel", "late", 3000, 2'000'000'000, 6, "{not json");
    }
    ASSERT_OK(writer.Close(manifest));
  }
  fs::path run() const { return dir_.path() / "run"; }
  fs::path out() const { return dir_.path() / "out"; }

  store::TempDir dir_;
};

std::vector<Json> Slices(const Json& trace) {
  std::vector<Json> slices;
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "X") slices.push_back(event);
  }
  return slices;
}

TEST_F(ExportTest, ChromeTellsTheNodeOfARank) {
  Make(2, {"one", "two"});
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out()));
  auto host = [&](int rank) {
    const auto file = out() / fmt::format("rank{}.pt.trace.json", rank);
    return Json::parse(Content(file))["host_name"].get<std::string>();
  };
  EXPECT_EQ(host(0), "one");
  EXPECT_EQ(host(1), "two");
}

TEST_F(ExportTest, MaliceAJobThatIsNestedWithoutEndIsLeftOut) {
  constexpr size_t kDeep = 500'000;
  Make(1, {}, R"({"backend":)" + std::string(kDeep, '[') + std::string(kDeep, ']') + "}");
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out()));
  EXPECT_EQ(Json::parse(Content(out()))["distributedInfo"], Json({{"rank", 0}}));
}

TEST_F(ExportTest, ChromeTellsNodesOfOneNameApart) {
  Make(2, {"gpu", "gpu"});
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out()));
  const auto text = Content(out() / "rank1.pt.trace.json");
  EXPECT_EQ(Json::parse(text)["host_name"], "gpu.node1");
}

TEST_F(ExportTest, ChromeKeepsEveryNanosecondAndWhatIsKnown) {
  Make(1);
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out()));
  const std::string text = Content(out());
  EXPECT_THAT(text, HasSubstr("\"ts\":2.001,\"dur\":1000000.007"));
  const Json trace = Json::parse(text);
  EXPECT_EQ(trace["baseTimeNanoseconds"], 1'700'000'000'000'000'123);
  EXPECT_EQ(trace["distributedInfo"]["rank"], 0);
  const auto slices = Slices(trace);
  ASSERT_EQ(slices.size(), 4u);
  EXPECT_EQ(slices[0]["name"], "aten::mm\n");
  EXPECT_EQ(slices[0]["args"]["Input Dims"], Json::parse("[[1,2]]"));
  EXPECT_EQ(slices[2]["args"]["correlation"], 5);
  EXPECT_EQ(slices[2]["args"]["stream"], 7);
  EXPECT_EQ(slices[2]["tid"], 7);
  EXPECT_EQ(slices[3]["args"].size(), 3u);  // details that are no JSON stay out
  int flows = 0;
  for (const Json& event : trace["traceEvents"]) flows += event["ph"] == "s" || event["ph"] == "f";
  EXPECT_EQ(flows, 3);
}

TEST_F(ExportTest, ACounterThatIsNoNumberIsNoneInJson) {
  {
    store::RunWriter writer = store::MakeWriter(run());
    store::TrackRow track;
    track.kind = writer.strings().Intern("counter");
    track.name = "gauge";
    writer.Append(track);
    for (double value : {0.5, std::nan(""), HUGE_VAL}) {
      store::CounterRow row;
      row.value = value;
      writer.Append(row);
    }
    ASSERT_OK(writer.Close(store::SampleManifest()));
  }
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out()));
  std::vector<Json> values;
  const Json trace = Json::parse(Content(out()));
  for (const Json& event : trace["traceEvents"]) {
    if (event["ph"] == "C") values.push_back(event["args"]["value"]);
  }
  EXPECT_THAT(values, ::testing::ElementsAre(Json(0.5), Json(), Json()));
}

TEST_F(ExportTest, RanksGetAFileEach) {
  Make(2);
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out()));
  const Json trace = Json::parse(Content(out() / "rank1.pt.trace.json"));
  EXPECT_EQ(trace["distributedInfo"]["rank"], 1);
  EXPECT_EQ(Slices(trace).size(), 4u);
  EXPECT_EQ(Slices(trace)[2]["pid"], 1);
  const Status refused = ExportTrace(run(), TraceFormat::kChrome, "-");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().text(), HasSubstr("name a folder with -o"));
}

TEST_F(ExportTest, AnOutputThatWaitsForOthersHoldsNoText) {
  constexpr size_t kTextBytes = 200 << 10;
  const size_t before = HeldBytes();
  auto output = Output::To(out());
  ASSERT_OK(output);
  ASSERT_OK(output->Write(std::string(kTextBytes, 'x')));
  EXPECT_GT(HeldBytes(), before + kTextBytes);
  ASSERT_OK(output->Finish());
  EXPECT_LT(HeldBytes(), before + kTextBytes / 8);
  EXPECT_FALSE(fs::exists(out()));
  ASSERT_OK(output->Commit());
  EXPECT_EQ(fs::file_size(out()), kTextBytes);
}

// Enough of a reader to see packets: a trace is a row of fields 1, each a message.
TEST_F(ExportTest, PerfettoIsARowOfPackets) {
  Make(2);
  ASSERT_OK(ExportTrace(run(), TraceFormat::kPerfetto, out()));
  const std::string bytes = Content(out());
  size_t at = 0;
  int packets = 0;
  while (at < bytes.size()) {
    ASSERT_EQ(bytes[at], '\x0a');
    ++at;
    uint64_t size = 0;
    for (int shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes[at++]);
      size |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) break;
    }
    at += size;
    ++packets;
  }
  EXPECT_EQ(at, bytes.size());
  // Clock, 2 processes, 4 tracks, 2 tracks for what overlaps, 8 begins, 8 ends.
  EXPECT_EQ(packets, 1 + 2 + 4 + 2 + 16);
}

TEST_F(ExportTest, WhatLiesOnTracksThatAreDamagedIsWritten) {
  Make(2);
  const auto files = store::DamageWithin(run(), "tracks");
  std::vector<store::DamagedSegment> damaged;
  // Still a file for each rank: the files of slices tell them.
  ASSERT_OK(ExportTrace(run(), TraceFormat::kChrome, out(), &damaged));
  ASSERT_EQ(damaged.size(), files.size());
  EXPECT_EQ(damaged[0].segment.file, files[0]);
  EXPECT_THAT(damaged[0].why.text(), HasSubstr("its contents are damaged"));
  const Json trace = Json::parse(Content(out() / "rank1.pt.trace.json"));
  const auto slices = Slices(trace);
  ASSERT_EQ(slices.size(), 4u);
  std::set<std::string> names;
  for (const Json& event : trace["traceEvents"]) {
    if (event["name"] == "thread_name") names.insert(event["args"]["name"].get<std::string>());
  }
  EXPECT_EQ(names, (std::set<std::string>{"track 2 (unknown)", "track 3 (unknown)"}));
  EXPECT_EQ(slices[0]["pid"], 1) << "its rank, for the process is not known";
  EXPECT_EQ(slices[0]["tid"], 2);
  fs::remove_all(out());
  ASSERT_OK(ExportTrace(run(), TraceFormat::kPerfetto, out(), &damaged));
  EXPECT_EQ(damaged.size(), files.size());
  EXPECT_THAT(Content(out()), HasSubstr("track 2 (unknown)"));
}

TEST_F(ExportTest, OnlyTheDamageOfWhatTheFormatHoldsIsTold) {
  {
    store::RunWriter writer = store::MakeWriter(run());
    writer.Append(store::SampleSlice(writer.strings(), 0));
    writer.Append(store::SampleStep(writer.strings(), 0));
    writer.Append(store::RunMetadataRow{.kind = writer.strings().Intern("job"), .json = "{}"});
    writer.Append(store::FindingRow());
    ASSERT_OK(writer.Close(store::CompletedManifest()));
  }
  const store::Manifest whole = store::OpenRun(run()).manifest();
  for (const char* table : {"run_metadata", "findings", "steps"}) {
    for (const auto& segment : whole.tables.at(table).segments) {
      fs::resize_file(run() / segment.file, 1);
    }
  }
  const auto reported = [this](TraceFormat format) {
    std::vector<store::DamagedSegment> damaged;
    EXPECT_TRUE(ExportTrace(run(), format, out(), &damaged).ok());
    std::vector<std::string> tables;
    for (const store::DamagedSegment& part : damaged) tables.push_back(part.table);
    return tables;
  };
  EXPECT_THAT(reported(TraceFormat::kChrome), ::testing::ElementsAre("run_metadata"));
  EXPECT_THAT(reported(TraceFormat::kPerfetto), ::testing::ElementsAre("run_metadata", "steps"));
}

TEST_F(ExportTest, AFolderThatCannotBeWrittenIsNamed) {
  Make(1);
  const Status status = ExportTrace(run(), TraceFormat::kPerfetto, dir_.path() / "no" / "x");
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(), HasSubstr("name a place that can be written"));
}

}  // namespace
}  // namespace steptrace::exporter
