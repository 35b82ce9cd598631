// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "import/formats/xplane/importer.h"
#include "store/run_reader.h"

// For tests: a profile in, the rows that it becomes out as text.
namespace steptrace::import::xplane {

class BytesOfSpace : public ByteStream {
 public:
  explicit BytesOfSpace(std::string text) : text_(std::move(text)) {}
  Result<size_t> Read(char* out, size_t size) override {
    const size_t count = text_.copy(out, size, at_);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }

 private:
  std::string text_;
  size_t at_ = 0;
};

class XPlaneImport : public testing::Test {
 protected:
  XPlaneImport() {
    std::string pattern = (std::filesystem::temp_directory_path() / "xplane_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~XPlaneImport() override { std::filesystem::remove_all(folder_); }

  void Read(const std::string& bytes, Limits limits = {}) {
    DetectedSource detected;
    Source& source = detected.source;
    source.path = source.inside = "vm.xplane.pb";
    source.bytes = static_cast<int64_t>(bytes.size());
    source.open = [&]() -> StreamResult {
      return std::unique_ptr<ByteStream>(std::make_unique<BytesOfSpace>(bytes));
    };
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
    RunSink sink(folder_, limits);
    ImportContext context{limits, {}};
    status_ = kXPlaneImporter.import(std::span(&detected, 1), context, sink);
    if (!status_.ok()) return;
    store::Manifest manifest;
    manifest.status = store::kStatusCompleted;
    ASSERT_TRUE(sink.Finish(std::move(manifest)).ok());
    tracks_.clear();
    reader_.emplace(*store::RunReader::Open(folder_));
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
      text += fmt::format("{}+{} {} ({})", row.ts_ns, row.dur_ns, reader_->Text(row.name),
                          reader_->Text(row.category));
      if (track.device) text += fmt::format(" GPU{}.{}", *track.device, track.stream.value_or(-1));
      const auto add = [&](const char* name, const auto& value) {
        if (value) text += fmt::format(" {}={}", name, *value);
      };
      add("tid", track.tid);
      add("step", row.step);
      add("correlation", row.correlation);
      add("bytes", row.bytes);
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

  std::string Metadata(const std::string& kind) {
    std::string text;
    for (const auto& row : Rows<store::RunMetadataRow>()) {
      if (reader_->Text(row.kind) == kind) text += row.json + '\n';
    }
    return text;
  }

  std::filesystem::path folder_;
  Status status_;
  std::optional<store::RunReader> reader_;
  std::map<int32_t, store::TrackRow> tracks_;
};

}  // namespace steptrace::import::xplane
