// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/importer.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/run_reader.h"

namespace steptrace::import::nsight {
namespace {

namespace fs = std::filesystem;

// Two processes, 16 and 17, of one machine: ids as Nsight makes them.
constexpr int64_t kProcessA = int64_t{16} << 24;
constexpr int64_t kProcessB = int64_t{17} << 24;

constexpr const char* kBegin = R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0');
INSERT INTO StringIds VALUES (1, 'void gemm<float>(int)'), (2, 'gemm'), (3, 'cudaLaunchKernel_v7000'),
  (4, 'cuMemcpyAsync_ptsz_v2'), (5, 'read'), (6, 'NCCL'), (7, 'main');
)";
constexpr const char* kKernels = R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, "end" INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, gridX INTEGER,
  gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, registersPerThread INTEGER,
  staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);
)";
constexpr const char* kNvtx = R"(
CREATE TABLE NVTX_EVENTS (start INTEGER, "end" INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,
  textId INTEGER, domainId INTEGER);
)";

class NsightImport : public testing::Test {
 protected:
  NsightImport() {
    std::string pattern = (fs::temp_directory_path() / "nsight_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    run_ = folder_ / "run";
    file_ = folder_ / "a job.sqlite";
  }
  ~NsightImport() override { fs::remove_all(folder_); }

  void Make(const std::string& sql) {
    fs::remove(file_);
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(file_.c_str(), &database), SQLITE_OK);
    char* message = nullptr;
    const int code = sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message);
    EXPECT_EQ(code, SQLITE_OK) << (message == nullptr ? "" : message);
    sqlite3_free(message);
    ASSERT_EQ(sqlite3_close(database), SQLITE_OK);
  }

  Source Made() const {
    Source source;
    source.path = source.inside = file_.filename().string();
    source.bytes = static_cast<int64_t>(fs::file_size(file_));
    source.file = file_;
    return source;
  }

  void Read(const std::string& sql) {
    Make(sql);
    ReadFile();
  }

  void ReadFile() {
    fs::remove_all(run_);
    fs::create_directory(run_);
    RunSink sink(run_, {});
    const DetectedSource detected{Made()};
    status_ = kNsightImporter.import(std::span(&detected, 1), {}, sink);
    if (!status_.ok()) return;
    store::Manifest manifest;
    manifest.status = store::kStatusCompleted;
    ASSERT_TRUE(sink.Finish(std::move(manifest)).ok());
    reader_.emplace(*store::RunReader::Open(run_));
    for (const auto& row : Rows<store::TrackRow>()) tracks_[row.track] = row;
  }

  template <class Row>
  std::vector<Row> Rows() {
    return *reader_->Read<Row>();
  }

  std::string Slices() {
    std::string text;
    for (const auto& row : Rows<store::SliceRow>()) {
      const store::TrackRow& track = tracks_[row.track];
      text += fmt::format("{}+{} {} ({}) r{}", row.ts_ns, row.dur_ns, reader_->Text(row.name),
                          reader_->Text(row.category), row.rank);
      if (track.device) text += fmt::format(" GPU{}.{}", *track.device, track.stream.value_or(-1));
      const auto add = [&](const char* name, const auto& value) {
        if (value) text += fmt::format(" {}={}", name, *value);
      };
      add("tid", track.tid);
      add("step", row.step);
      add("correlation", row.correlation);
      add("bytes", row.bytes);
      add("sequence", row.sequence);
      if (!reader_->Text(row.details).empty()) text += " " + reader_->Text(row.details);
      text += '\n';
    }
    return text;
  }

  std::map<std::string, int64_t> Losses() {
    std::map<std::string, int64_t> counts;
    for (const auto& row : Rows<store::DataLossRow>()) {
      counts[reader_->Text(row.cause)] += row.count;
    }
    counts.erase("date_unknown");
    return counts;
  }

  fs::path folder_, run_, file_;
  Status status_;
  std::optional<store::RunReader> reader_;
  std::map<int32_t, store::TrackRow> tracks_;
};

std::string Kernel(int64_t start, int64_t end, int device, int64_t process, int correlation,
                   const char* node = "NULL") {
  return fmt::format(
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES "
      "({},{},{},7,{},{},1,2,4,2,1,128,1,1,32,16,16,{});",
      start, end, device, correlation, process, node);
}

std::string Range(int64_t start, const std::string& end, int type, const std::string& text,
                  int64_t thread, int domain = 0) {
  return fmt::format("INSERT INTO NVTX_EVENTS VALUES ({},{},{},'{}',{},NULL,{});", start, end, type,
                     text, thread, domain);
}

TEST_F(NsightImport, KernelAndItsLaunch) {
  Read(std::string(kBegin) + kKernels + Kernel(150, 190, 0, kProcessA, 5) +
       fmt::format(R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "end" INTEGER, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, {0}, 5, 3), (120, 121, 1, {0}, 0, 4);)",
                   kProcessA + 99));
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  EXPECT_EQ(Slices(),
            "0+10 cudaLaunchKernel (cuda_runtime) r0 tid=99 correlation=5\n"
            "20+1 cuMemcpyAsync (cuda_driver) r0 tid=99\n"
            "50+40 void gemm<float>(int) (kernel) r0 GPU0.7 correlation=5 "
            "{\"grid\":[4,2,1],\"block\":[128,1,1],\"registers per thread\":32,\"shared "
            "memory\":32}\n");
}

TEST_F(NsightImport, ProcessesWithDeviceWorkAreRanksInTheOrderOfTheirDevices) {
  Read(std::string(kBegin) + kKernels + Kernel(100, 110, 1, kProcessA, 1) +
       Kernel(100, 120, 0, kProcessB, 1));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), testing::HasSubstr("0+20 void gemm<float>(int) (kernel) r0 GPU0.7"));
  EXPECT_THAT(Slices(), testing::HasSubstr("0+10 void gemm<float>(int) (kernel) r1 GPU1.7"));
}

TEST_F(NsightImport, AProcessWithoutDeviceWorkIsTheOnlyRanks) {
  Read(std::string(kBegin) + kKernels + Kernel(100, 110, 0, kProcessA, 1) + kNvtx +
       Range(100, "105", 59, "load", kProcessB + 3));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), testing::HasSubstr("0+5 load (user_annotation) r0 tid=3"));
}

TEST_F(NsightImport, OfSeveralRanksAProcessWithoutDeviceWorkIsOfNone) {
  Read(std::string(kBegin) + kKernels + Kernel(100, 110, 0, kProcessA, 1) +
       Kernel(100, 110, 1, kProcessB, 1) + kNvtx +
       Range(100, "105", 59, "load", (int64_t{18} << 24) + 3));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), testing::HasSubstr("load (user_annotation) r-1 tid=3"));
}

TEST_F(NsightImport, CopiesAndFillsAsPyTorchNamesThem) {
  Read(std::string(kBegin) + fmt::format(R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, "end" INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 20, 0, 7, 1, {0}, 4096, 1, 1, 2);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, "end" INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, bytes INTEGER, memKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (30, 31, 0, 7, 2, {0}, 8, 2);)",
                                         kProcessA));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(),
            "0+10 Memcpy HtoD (Pinned -> Device) (gpu_memcpy) r0 GPU0.7 correlation=1 bytes=4096\n"
            "20+1 Memset (Device) (gpu_memset) r0 GPU0.7 correlation=2 bytes=8\n");
}

std::string Graph(int64_t start, int64_t end) {
  return fmt::format(R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, "end" INTEGER, deviceId INTEGER, streamId INTEGER,
  correlationId INTEGER, globalPid INTEGER, graphId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES ({}, {}, 0, 7, 9, {}, 3);)",
                     start, end, kProcessA);
}

TEST_F(NsightImport, AGraphThatIsRecordedAsAWholeIsWorkOfItsDevice) {
  Read(std::string(kBegin) + Graph(100, 400));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(), "0+300 CUDA graph 3 (kernel) r0 GPU0.7 correlation=9\n");
}

TEST_F(NsightImport, AGraphWhoseNodesAreRecordedIsNoMoreWork) {
  Read(std::string(kBegin) + kKernels + Kernel(100, 200, 0, kProcessA, 9, "44") + Graph(100, 400));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), testing::HasSubstr("0+300 CUDA graph 3 (gpu_user_annotation)"));
}

TEST_F(NsightImport, RangesOfEmitNvtxAreOperators) {
  Read(std::string(kBegin) + kNvtx +
       Range(5, "9", 59, "aten::mm, seq = 4, op_id = 1, sizes = [[2, 3], [3, 4]]", kProcessA + 1));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(),
            "0+4 aten::mm (cpu_op) r0 tid=1 sequence=4 {\"Input Dims\":[[2, 3], [3, 4]]}\n");
}

TEST_F(NsightImport, StepsAreTheRangesThatTakeMostOfTheTime) {
  const int64_t thread = kProcessA + 1;
  Read(std::string(kBegin) + kNvtx + Range(0, "90", 59, "iteration 7", thread) +
       Range(10, "20", 59, "batch 0", thread) + Range(100, "190", 59, "iteration 8", thread) +
       Range(110, "120", 59, "batch 1", thread));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(),
            "0+90 iteration 7 (step_annotation) r0 tid=1 step=7\n"
            "10+10 batch 0 (user_annotation) r0 tid=1 step=7\n"
            "100+90 iteration 8 (step_annotation) r0 tid=1 step=8\n"
            "110+10 batch 1 (user_annotation) r0 tid=1 step=8\n");
}

TEST_F(NsightImport, StepsWithoutNumbersAreCounted) {
  const int64_t thread = kProcessA + 1;
  Read(std::string(kBegin) + kNvtx + Range(100, "190", 59, "train_step", thread) +
       Range(0, "90", 59, "train_step", thread));
  ASSERT_TRUE(status_.ok());
  EXPECT_EQ(Slices(),
            "0+90 train_step (step_annotation) r0 tid=1 step=0\n"
            "100+90 train_step (step_annotation) r0 tid=1 step=1\n");
}

TEST_F(NsightImport, RangesOfLibrariesAreNoneOfTheScripts) {
  const int64_t thread = kProcessA + 1;
  Read(std::string(kBegin) + kNvtx +
       fmt::format("INSERT INTO NVTX_EVENTS VALUES (0,NULL,75,NULL,{},6,1);", thread) +
       Range(5, "9", 59, "ncclAllReduce", thread, 1) + Range(5, "9", 59, "mine", thread, 0));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), testing::HasSubstr("ncclAllReduce (library_range)"));
  EXPECT_THAT(Slices(), testing::HasSubstr("mine (user_annotation)"));
}

TEST_F(NsightImport, WhatCannotBeIsCountedByCause) {
  const int64_t thread = kProcessA + 1;
  Read(std::string(kBegin) + kNvtx + Range(5, "9", 59, "fine", thread) +
       Range(9, "5", 59, "backwards", thread) + Range(9, "NULL", 59, "open", thread) +
       "INSERT INTO NVTX_EVENTS VALUES ('x', 7, 59, 'text', 3, NULL, 0);" +
       "INSERT INTO NVTX_EVENTS VALUES (6, 7, 59, 'nobody', NULL, NULL, 0);");
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Losses(), testing::UnorderedElementsAre(testing::Pair("negative_duration", 1),
                                                      testing::Pair("bad_timestamp", 1),
                                                      testing::Pair("begin_without_end", 1),
                                                      testing::Pair("missing_metadata", 1)));
}

TEST_F(NsightImport, TablesThatAreNotReadAndWarningsAreSaid) {
  Read(std::string(kBegin) + kNvtx + Range(5, "9", 59, "fine", kProcessA + 1) + R"(
CREATE TABLE SCHED_EVENTS (start INTEGER);
INSERT INTO SCHED_EVENTS VALUES (1), (2);
CREATE TABLE DIAGNOSTIC_EVENT (severity INTEGER, text TEXT);
INSERT INTO DIAGNOSTIC_EVENT VALUES (1, 'started'), (4, 'verbose'), (3, 'Not all CUDA events were collected');)");
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Losses(), testing::UnorderedElementsAre(testing::Pair("tables_left_out", 2),
                                                      testing::Pair("profiler_warned", 1)));
}

TEST_F(NsightImport, GpuMetricsAreCounters) {
  Read(std::string(kBegin) + kNvtx + Range(5, "9", 59, "fine", kProcessA + 1) + R"(
CREATE TABLE TARGET_INFO_GPU_METRICS (typeId INTEGER, metricId INTEGER, metricName TEXT);
INSERT INTO TARGET_INFO_GPU_METRICS VALUES (1, 3, 'SMs Active [Throughput %]');
CREATE TABLE GPU_METRICS (timestamp INTEGER, typeId INTEGER, metricId INTEGER, value INTEGER);
INSERT INTO GPU_METRICS VALUES (6, 1, 3, 40), (7, 1, 4, 1);)");
  ASSERT_TRUE(status_.ok());
  const auto rows = Rows<store::CounterRow>();
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].value, 40);
  EXPECT_EQ(tracks_[rows[0].track].name, "SMs Active [Throughput %]");
  EXPECT_EQ(tracks_[rows[0].track].device, 1);
  EXPECT_THAT(Losses(), testing::UnorderedElementsAre(testing::Pair("bad_counter", 1)));
}

TEST_F(NsightImport, ViewsOfTheFileAreNotRun) {
  Read(std::string(kBegin) + R"(
CREATE VIEW NVTX_EVENTS AS SELECT 1 AS start, 2 AS "end", 59 AS eventType;)");
  EXPECT_FALSE(status_.ok());
  EXPECT_THAT(status_.error().text(), testing::HasSubstr("holds no event"));
}

// Ranges of some length, so that they fill many pages, with a page of them overwritten.
std::string ManyRanges() {
  std::string ranges;
  for (int i = 0; i < 2000; ++i) {
    ranges +=
        Range(i * 10, std::to_string(i * 10 + 5), 59, "a range of some length", kProcessA + 1);
  }
  return ranges;
}

void OverwriteAPage(const fs::path& file) {
  const auto size = fs::file_size(file);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(size * 3 / 4 / 1024 * 1024));
  bytes << std::string(1024, '\xEE');
}

TEST_F(NsightImport, ADamagedPageOfRangesCostsThemAlone) {
  Make("PRAGMA page_size=1024;" + std::string(kBegin) + kKernels + Kernel(1, 2, 0, kProcessA, 1) +
       kNvtx + ManyRanges());
  OverwriteAPage(file_);
  ReadFile();
  ASSERT_TRUE(status_.ok()) << status_.error().text();
  EXPECT_THAT(Slices(), testing::HasSubstr("(kernel)"));
  EXPECT_EQ(Losses()["file_damaged"], 1);
}

// Of half of its kernels a training would look like another one.
TEST_F(NsightImport, ADamagedPageOfKernelsRefusesTheFile) {
  std::string kernels;
  for (int i = 0; i < 2000; ++i) kernels += Kernel(i * 10, i * 10 + 5, 0, kProcessA, i + 1);
  Make("PRAGMA page_size=1024;" + std::string(kBegin) + kKernels + kernels);
  OverwriteAPage(file_);
  ReadFile();
  ASSERT_FALSE(status_.ok());
  EXPECT_THAT(status_.error().text(), testing::HasSubstr("CUPTI_ACTIVITY_KIND_KERNEL"));
  EXPECT_THAT(status_.error().text(), testing::HasSubstr("export it again"));
}

// Correlation ids repeat from process to process.
TEST_F(NsightImport, ACallOfAProcessWithoutDeviceWorkLaunchesNothing) {
  Read(std::string(kBegin) + kKernels + Kernel(150, 190, 0, kProcessA, 5) +
       fmt::format(R"(
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, "end" INTEGER, eventClass INTEGER, globalTid INTEGER,
  correlationId INTEGER, nameId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (100, 110, 0, {}, 5, 3);)",
                   kProcessB + 99));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Slices(), testing::HasSubstr("cudaLaunchKernel (cuda_runtime) r0 tid=99\n"));
}

TEST_F(NsightImport, AMarkWithoutATimeIsLost) {
  Read(std::string(kBegin) + kNvtx + Range(5, "9", 59, "fine", kProcessA + 1) +
       fmt::format("INSERT INTO NVTX_EVENTS VALUES (NULL,NULL,34,'mark',{},NULL,0);",
                   kProcessA + 1));
  ASSERT_TRUE(status_.ok());
  EXPECT_THAT(Losses(), testing::UnorderedElementsAre(testing::Pair("bad_timestamp", 1)));
}

TEST_F(NsightImport, IsStoppedBetweenRows) {
  Make(std::string(kBegin) + kNvtx + Range(5, "9", 59, "fine", kProcessA + 1));
  fs::create_directory(run_);
  RunSink sink(run_, {});
  const DetectedSource detected{Made()};
  ImportContext context;
  context.stopped = [] { return true; };
  const Status status = kNsightImporter.import(std::span(&detected, 1), context, sink);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text(), "stopped");
}

TEST_F(NsightImport, IsSureOfItsOwnExportsAlone) {
  const std::string head("SQLite format 3\0", 16);
  Make(kBegin);
  EXPECT_EQ(kNsightImporter.detect(head, Made()).confidence, Confidence::kOwnMarks);
  Make("CREATE TABLE other (a);");
  EXPECT_EQ(kNsightImporter.detect(head, Made()).confidence, Confidence::kNone);
  fs::resize_file(file_, 600);
  EXPECT_THAT(kNsightImporter.detect(head, Made()).reason, testing::HasSubstr("damaged"));
  std::ofstream(file_) << "\x1F\x8B";
  EXPECT_EQ(kNsightImporter.detect(head, Made()).reason, "a packed SQLite file");
  Source member;
  const Detection packed = kNsightImporter.detect(head + "StringIds META_DATA_EXPORT", member);
  EXPECT_EQ(packed.confidence, Confidence::kNone);
  EXPECT_EQ(packed.way, "unpack it first");
}

}  // namespace
}  // namespace steptrace::import::nsight
