// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "import/formats/perfetto/perfetto_importer.h"
#include "store/run_reader.h"

// For tests: a trace in, the rows that it becomes out as text.
namespace steptrace::import::perfetto {

// A process and its thread, which most traces of the tests have.
inline constexpr const char* kTracks = R"(
seq:1 track:{uuid:1 process:{pid:10 process_name:"proc"}}
seq:1 track:{uuid:2 parent:1 thread:{pid:10 tid:11 thread_name:"main"}}
)";

class TextStream : public ByteStream {
 public:
  explicit TextStream(std::string text) : text_(std::move(text)) {}
  Result<size_t> Read(char* out, size_t size) override {
    size_t count = std::min(size, text_.size() - at_);
    text_.copy(out, count, at_);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }

 private:
  std::string text_;
  size_t at_ = 0;
};

// What a trace becomes, as text: slices by begin, counters, losses by cause.
class PerfettoImport : public testing::Test {
 protected:
  PerfettoImport() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "perfetto_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~PerfettoImport() override { std::filesystem::remove_all(folder_); }

  void Read(const std::string& bytes, Limits limits = {}) {
    DetectedSource detected;
    Source& source = detected.source;
    source.path = source.inside = "trace";
    source.bytes = static_cast<int64_t>(bytes.size());
    source.open = [&]() -> StreamResult {
      return std::unique_ptr<ByteStream>(std::make_unique<TextStream>(bytes));
    };
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    RunSink sink(folder_, limits);
    ImportContext context{limits, {}};
    status_ = kPerfettoImporter.import(std::span(&detected, 1), context, sink);
    if (!status_.ok()) return;
    store::Manifest manifest;
    manifest.status = store::kStatusCompleted;
    ASSERT_TRUE(sink.Finish(std::move(manifest)).ok());
    tracks_.clear();
    reader_.emplace(*store::RunReader::Open(folder_));
    auto rows = *reader_->Read<store::TrackRow>();
    for (const auto& row : rows) tracks_[row.track] = row;
  }

  std::string TrackName(int32_t track) {
    const store::TrackRow& row = tracks_[track];
    if (row.device) return fmt::format("GPU{}.{}", *row.device, row.stream.value_or(-1));
    return row.name;
  }

  std::string Slices() {
    std::string text;
    auto rows = *reader_->Read<store::SliceRow>();
    for (const auto& row : rows) {
      text += fmt::format("{}+{} {} {}", row.ts_ns, row.dur_ns, reader_->Text(row.name),
                          TrackName(row.track));
      auto add = [&](const char* name, const auto& value) {
        if (value) text += fmt::format(" {}={}", name, *value);
      };
      if (!reader_->Text(row.category).empty()) text += " " + reader_->Text(row.category);
      add("correlation", row.correlation);
      add("out", row.flow_out);
      add("in", row.flow_in);
      if (!reader_->Text(row.details).empty()) text += " " + reader_->Text(row.details);
      text += '\n';
    }
    return text;
  }

  std::string Counters() {
    std::string text;
    auto rows = *reader_->Read<store::CounterRow>();
    for (const auto& row : rows) {
      text += fmt::format("{} {}={}\n", row.ts_ns, TrackName(row.track), row.value);
    }
    return text;
  }

  // But for the date, which most of these traces have none of.
  std::string Losses() {
    std::map<std::string, int64_t> counts;
    auto rows = *reader_->Read<store::DataLossRow>();
    for (const auto& row : rows) {
      counts[reader_->Text(row.cause)] += row.count;
    }
    counts.erase("date_unknown");
    std::string text;
    for (const auto& [cause, count] : counts) text += fmt::format("{}={} ", cause, count);
    return text;
  }

  std::filesystem::path folder_;
  Status status_;
  std::optional<store::RunReader> reader_;
  std::map<int32_t, store::TrackRow> tracks_;
};

}  // namespace steptrace::import::perfetto
