// SPDX-License-Identifier: Apache-2.0
#include "testing/test_run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "store/run_files.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

// Gives each column in turn a value that no other has.
class ValueMaker {
 public:
  explicit ValueMaker(StringTable& strings) : strings_(strings) {}

  void operator()(int32_t& cell) { cell = ++count_; }
  void operator()(int64_t& cell) { cell = (int64_t{1} << 40) + ++count_; }
  void operator()(double& cell) { cell = 0.5 + ++count_; }
  void operator()(bool& cell) { cell = ++count_ > 0; }
  void operator()(std::string& cell) { cell = "text " + std::to_string(++count_); }
  void operator()(StringId& cell) { cell = strings_.Intern("name " + std::to_string(++count_)); }
  template <class T>
  void operator()(std::optional<T>& cell) {
    (*this)(cell.emplace());
  }

 private:
  StringTable& strings_;
  int32_t count_ = 0;
};

template <class Row>
void Fill(StringTable& strings, Row* row) {
  ValueMaker make(strings);
  ForEachField<Row>([&](const auto& field) { make(row->*field.member); });
  if constexpr (kHasNode<Row>) row->node = 0;
}

}  // namespace

TempDir::TempDir() {
  // In memory where that is possible: thousands of runs are made, and each is synced.
  bool memory = ::access("/dev/shm", W_OK) == 0;
  auto parent = memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  std::string pattern = parent / "steptrace_store_XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

TempDir::~TempDir() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

WriterOptions QuietOptions() {
  WriterOptions options;
  options.sync_interval_ms = 0;
  return options;
}

Manifest SampleManifest() {
  Manifest manifest;
  manifest.id = "sample-20260101T000000Z";
  manifest.name = "sample";
  manifest.command = {"python", "train.py", "--note=a \"b\""};
  manifest.epoch_utc_ns = 1'767'225'600'000'000'000;
  manifest.epoch_monotonic_ns = 5'000'000'000;
  manifest.steptrace_version = "0.2.0";
  NodeInfo node;
  node.host = "host";
  node.cpus = 2;
  node.memory_bytes = int64_t{8} << 30;
  node.clock = {"tsc", 2.5, 120, 5'000'000'000, 12'500'000'000ull};
  manifest.nodes = {node};
  manifest.ranks = {{0, 0, 0, 1, 4242}};
  manifest.versions = {{"torch", "2.13.0"}};
  return manifest;
}

Manifest CompletedManifest() {
  Manifest manifest = SampleManifest();
  manifest.status = kStatusCompleted;
  manifest.exit_code = 0;
  manifest.end_ns = 60'000'000'000;
  return manifest;
}

RunWriter MakeWriter(const std::filesystem::path& run, const WriterOptions& options) {
  auto writer = RunWriter::Create(run, SampleManifest(), options);
  EXPECT_TRUE(writer.ok()) << (writer.ok() ? "" : writer.error().text());
  if (!writer.ok()) std::abort();
  return *std::move(writer);
}

std::filesystem::path NewestManifest(const std::filesystem::path& run) {
  const auto files = ManifestFiles(run, WritersOf(run).front());
  EXPECT_FALSE(files.empty());
  return files.empty() ? run : files.front();
}

std::filesystem::path OwnJournal(const std::filesystem::path& run, const std::string& name) {
  return JournalDir(run, OwnWriterName()) / name;
}

std::string OwnSegment(const std::string& table, int32_t rank, int64_t number) {
  constexpr int32_t kNoRanks = -2;
  return SegmentFile(table, OwnWriterName(), 0,
                     rank == kNoRanks ? std::nullopt : std::optional(rank), number);
}

std::filesystem::path AsideOf(const std::filesystem::path& run, const std::filesystem::path& file) {
  std::string name = file.lexically_relative(run);
  std::replace(name.begin(), name.end(), '/', '_');
  return run / kDamagedFolder / name;
}

void MakeTwoRanks(const std::filesystem::path& run, int64_t steps) {
  WriterOptions options = QuietOptions();
  options.chunk_bytes = 10 * static_cast<int64_t>(sizeof(StepRow));
  auto writer = MakeWriter(run, options);
  for (int64_t step = steps - 1; step >= 0; --step) {
    for (int32_t rank = 0; rank < 2; ++rank) {
      StepRow row = SampleStep(writer.strings(), step, rank);
      row.ts_ns += rank * 500'000;
      writer.Append(row);
    }
  }
  ASSERT_OK(writer.Close(CompletedManifest()));
}

RunReader OpenRun(const std::filesystem::path& run) {
  auto reader = RunReader::Open(run);
  EXPECT_TRUE(reader.ok()) << (reader.ok() ? "" : reader.error().text());
  if (!reader.ok()) std::abort();
  return *std::move(reader);
}

AllRows SampleRows(StringTable& strings) {
  AllRows rows;
  std::apply([&](auto&... row) { (Fill(strings, &row), ...); }, rows);
  return rows;
}

StepRow SampleStep(StringTable& strings, int64_t step, int32_t rank) {
  StepRow row;
  Fill(strings, &row);
  row.rank = rank;
  row.step = step;
  row.ts_ns = step * 1'000'000;
  row.dur_ns = 900'000 + step % 7;
  row.kind = strings.Intern("train");
  if (step % 2 == 0) row.min_queue_depth.reset();
  return row;
}

SliceRow SampleSlice(StringTable& strings, int64_t number, int32_t rank) {
  SliceRow row;
  row.ts_ns = number * 250'000 + number % 13;
  row.dur_ns = 200'000 + number * 7919 % 10'007;
  row.track = 3 + rank;
  row.rank = rank;
  static constexpr const char* kNames[] = {"data", "forward", "backward", "optimizer"};
  row.name = strings.Intern(kNames[number % 4]);
  row.category = strings.Intern("phase");
  row.step = number / 4;
  return row;
}

std::vector<std::string> DamageWithin(const std::filesystem::path& run, const std::string& table) {
  std::vector<std::string> files;
  const RunReader reader = OpenRun(run);
  for (const SegmentInfo& segment : reader.manifest().tables.at(table).segments) {
    files.push_back(segment.file);
    std::ofstream(run / segment.file, std::ios::binary)
        << std::string(static_cast<size_t>(segment.bytes), '?');
  }
  return files;
}

}  // namespace steptrace::store
