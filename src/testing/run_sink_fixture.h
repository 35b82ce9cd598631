// SPDX-License-Identifier: Apache-2.0
// A folder for a run, and what is read of it: shared by the tests of RunSink.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "import/core/rows/run_sink.h"
#include "store/run_reader.h"

namespace steptrace::import {

class RunSinkFixture : public testing::Test {
 protected:
  RunSinkFixture() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "run_sink_test.XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~RunSinkFixture() override { std::filesystem::remove_all(folder_); }

  static int32_t Thread(RunSink& sink) { return sink.AddTrack({}, store::TrackKind::kThread); }

  static Slice At(RunSink& sink, int32_t track, int64_t ts_ns, int64_t dur_ns, const char* name) {
    Slice slice;
    slice.track = track;
    slice.ts_ns = ts_ns;
    slice.dur_ns = dur_ns;
    slice.name = sink.Intern(name);
    return slice;
  }

  std::vector<store::SliceRow> Slices() {
    reader_.emplace(*store::RunReader::Open(folder_));
    return *reader_->Read<store::SliceRow>();
  }

  template <class Row>
  std::vector<Row> Rows() {
    return *reader_->Read<Row>();
  }

  std::filesystem::path folder_;
  std::optional<store::RunReader> reader_;
};

}  // namespace steptrace::import
