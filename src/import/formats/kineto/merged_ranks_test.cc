// SPDX-License-Identifier: Apache-2.0
// Files into which the profiles of several ranks were merged.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "import/import_profiles.h"
#include "store/run_reader.h"
#include "testing/test_run.h"

namespace steptrace::import::kineto {
namespace {

using testing::UnorderedElementsAre;

// A step, an operator, its launch and its kernel, by the ids that every rank counts alike.
std::string EventsOf(const std::string& mark, int pid, int device, int late_us) {
  const auto event = [&](const char* category, const char* name, const std::string& at, int ts,
                         int dur, const char* args) {
    return fmt::format(R"({{"ph":"X","cat":"{}","name":"{}",{},"ts":{},"dur":{},"args":{{{}}}}},)",
                       category, name, at, 1'700'000'000'000'000 + late_us + ts, dur, args);
  };
  const std::string host = fmt::format(R"("pid":"{}{}","tid":{})", mark, pid, pid);
  const std::string stream = fmt::format(R"("pid":"{}{}","tid":7)", mark, device);
  return event("user_annotation", "ProfilerStep#3", host, 0, 100, "") +
         event("cpu_op", "aten::mm", host, 10, 20, R"("External id":1)") +
         event("cuda_runtime", "cudaLaunchKernel", host, 12, 5,
               R"("External id":1,"correlation":1)") +
         event("kernel", "gemm", stream, 40, 30, R"("External id":1,"correlation":1)");
}

class MergedRanksTest : public testing::Test {
 protected:
  ImportSummary Imported(const std::string& events) {
    const auto file = dir_.path() / "merged.json";
    std::ofstream(file) << R"({"schemaVersion":1,"traceEvents":[)" << events
                        << R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"x"}}]})";
    ImportOptions options;
    options.output = dir_.path() / "run";
    auto summary = Import({file.string()}, options);
    EXPECT_TRUE(summary.ok()) << summary.error().text();
    reader_.emplace(*store::RunReader::Open(options.output));
    return *std::move(summary);
  }
  // By rank, the names of its slices.
  std::map<int32_t, std::vector<std::string>> SlicesByRank() {
    std::map<int32_t, int32_t> ranks;
    const auto tracks = *reader_->Read<store::TrackRow>();
    for (const store::TrackRow& track : tracks) {
      ranks[track.track] = track.rank;
    }
    std::map<int32_t, std::vector<std::string>> names;
    const auto slices = *reader_->Read<store::SliceRow>();
    for (const store::SliceRow& row : slices) {
      names[ranks.at(row.track)].push_back(reader_->strings().Text(row.name));
    }
    return names;
  }

  store::TempDir dir_;
  std::optional<store::RunReader> reader_;
};

TEST_F(MergedRanksTest, EachMarkIsARank) {
  const ImportSummary summary =
      Imported(EventsOf("[TP00] ", 4037, 0, 0) + EventsOf("[TP01] ", 4045, 0, 7));
  EXPECT_EQ(summary.ranks, 2);
  EXPECT_EQ(summary.files, 1);
  const auto slices = SlicesByRank();
  ASSERT_EQ(slices.size(), 2u);
  for (const int32_t rank : {0, 1}) {
    EXPECT_THAT(slices.at(rank),
                UnorderedElementsAre("ProfilerStep#3", "aten::mm", "cudaLaunchKernel", "gemm"));
  }
  const store::Manifest& manifest = reader_->manifest();
  ASSERT_EQ(manifest.ranks.size(), 2u);
  EXPECT_EQ(manifest.ranks[0].pid, 4037);
  EXPECT_EQ(manifest.ranks[1].pid, 4045);
}

TEST_F(MergedRanksTest, RanksAreThoseOfTheirMarks) {
  EXPECT_EQ(Imported(EventsOf("[TP05] ", 1, 0, 0) + EventsOf("[TP04] ", 1, 0, 7)).ranks, 2);
  const auto slices = SlicesByRank();
  EXPECT_TRUE(slices.contains(4) && slices.contains(5));
}

TEST_F(MergedRanksTest, OneMarkIsOneRank) {
  EXPECT_EQ(Imported(EventsOf("[TP00] ", 1, 0, 0)).ranks, 1);
}

TEST_F(MergedRanksTest, WhatHasNoMarkIsNoRanks) {
  EXPECT_EQ(
      Imported(EventsOf("[TP00] ", 1, 0, 0) + EventsOf("[TP01] ", 1, 0, 7) + EventsOf("", 9, 9, 5))
          .ranks,
      2);
  EXPECT_EQ(SlicesByRank().at(-1).size(), 4u);
}

}  // namespace
}  // namespace steptrace::import::kineto
