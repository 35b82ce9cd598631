// SPDX-License-Identifier: Apache-2.0
// Rows that memory has no room for: the run is the same.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "store/run_reader.h"
#include "testing/run_sink_fixture.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

class RunSinkSpillTest : public RunSinkFixture {};

TEST_F(RunSinkSpillTest, RowsBeyondTheLimitWaitInAFile) {
  Limits limits;
  limits.max_rows_in_memory = 64 << 10;
  RunSink sink(folder_, limits);
  sink.BeginPart();
  int32_t track = Thread(sink);
  constexpr int64_t kRows = 50'000;
  for (int64_t i = 0; i < kRows; ++i) {  // backwards: segments overlap, readers still sort
    ASSERT_TRUE(sink.Append(At(sink, track, (kRows - i) * 10, 5, "x")).ok());
  }
  EXPECT_TRUE(fs::exists(folder_ / "rows.partial"));
  sink.EndPart({});
  ASSERT_TRUE(sink.Finish({}).ok());
  EXPECT_FALSE(fs::exists(folder_ / "rows.partial"));
  auto rows = Slices();
  ASSERT_EQ(rows.size(), static_cast<size_t>(kRows));
  for (int64_t i = 0; i < kRows; ++i) ASSERT_EQ(rows[static_cast<size_t>(i)].ts_ns, i * 10);
}

// What encloses a slice came long after it: the functions of a file follow its operators.
TEST_F(RunSinkSpillTest, NestsAcrossTheGroupsInThatFile) {
  constexpr int64_t kCalls = 2000;
  std::vector<std::vector<std::tuple<int64_t, int32_t, int32_t, std::optional<int64_t>>>> found;
  for (const bool all_fit : {true, false}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Limits limits;
    if (!all_fit) limits.max_rows_in_memory = 64 << 10;
    RunSink sink(folder_, limits);
    sink.BeginPart();
    const int32_t first = Thread(sink), second = Thread(sink);
    for (int64_t i = 0; i < kCalls; ++i) {  // two operators of a call, and a flow to the inner one
      ASSERT_TRUE(sink.Append(At(sink, first, i * 100 + 10, 50, "op")).ok());
      ASSERT_TRUE(sink.Append(At(sink, first, i * 100 + 20, 10, "inner")).ok());
      ASSERT_TRUE(sink.Append(At(sink, second, i * 100 + 20, 10, "other")).ok());
      ASSERT_TRUE(sink.AddFlow(first, i * 100 + 25, i, true).ok());
      ASSERT_TRUE(sink.AddFlow(first, i * 100 + 5, i, false).ok());
    }
    ASSERT_TRUE(sink.Append(At(sink, first, 0, kCalls * 100, "step")).ok());
    for (int64_t i = 0; i < kCalls; ++i) {
      ASSERT_TRUE(sink.Append(At(sink, first, i * 100, 90, "function")).ok());
      // As long as the operator that came before it: in it.
      ASSERT_TRUE(sink.Append(At(sink, first, i * 100 + 10, 50, "alike")).ok());
    }
    sink.EndPart({});
    ASSERT_TRUE(sink.Finish({}).ok());
    auto& reported = found.emplace_back();
    for (const store::SliceRow& row : Slices()) {
      const std::string_view name = reader_->strings().Text(row.name);
      const int32_t depth = name == "op"         ? 2
                            : name == "alike"    ? 3
                            : name == "inner"    ? 4
                            : name == "function" ? 1
                                                 : 0;
      ASSERT_EQ(row.depth, depth) << name << " at " << row.ts_ns;
      ASSERT_EQ(row.flow_out.has_value(), name == "inner") << name << " at " << row.ts_ns;
      ASSERT_EQ(row.flow_in.has_value(), name == "function") << name << " at " << row.ts_ns;
      reported.emplace_back(row.ts_ns, row.depth, row.track, row.flow_out);
    }
    std::sort(reported.begin(), reported.end());
  }
  EXPECT_EQ(found[0].size(), static_cast<size_t>(5 * kCalls + 1));
  EXPECT_TRUE(found[0] == found[1]);
}

// Counters, memory, flows, steps and facts of three parts, two of which are filled in turn, the
// third after them: many at the same time, many at negative times, those of a part not in order.
void FillAllTables(RunSink& sink) {
  const auto ts_of = [](int64_t i) { return i * 7919 % 2003 - 1000; };
  constexpr int64_t kRows = 4000;
  sink.SetWorkers(2);
  for (const std::vector<int32_t>& ranks : {std::vector<int32_t>{1, 0}, {2}}) {
    std::vector<size_t> parts;
    for (size_t i = 0; i < ranks.size(); ++i) {
      parts.push_back(sink.BeginPart());
      for (int track = 0; track < 3; ++track) sink.AddTrack({}, store::TrackKind::kThread);
    }
    for (int64_t i = 0; i < kRows; ++i) {
      for (size_t part = 0; part < parts.size(); ++part) {
        sink.SelectPart(parts[part]);
        const auto track = static_cast<int32_t>(i % 3);
        Slice slice;
        slice.track = track;
        slice.ts_ns = ts_of(i) * 4;
        slice.dur_ns = i % 23;
        slice.name = sink.Intern(std::to_string(i % 50));
        ASSERT_TRUE(sink.Append(slice).ok());
        ASSERT_TRUE(sink.Append(store::CounterRow{ts_of(i), track, static_cast<double>(i)}).ok());
        store::MemoryRow memory;
        memory.ts_ns = ts_of(i + 1);
        memory.address = -i;
        if (i % 2 == 0) memory.track = track;
        if (i % 3 == 0) memory.total_allocated_bytes = i;
        ASSERT_TRUE(sink.Append(memory).ok());
        store::StepRow step;
        step.ts_ns = ts_of(i + 2);
        step.step = i;
        ASSERT_TRUE(sink.Append(step).ok());
        ASSERT_TRUE(sink.AddFlow(track, ts_of(i) * 4 + i % 5, i, i % 2 == 0).ok());
        sink.Fact(i % 4 == 0 ? std::nullopt : std::optional(ts_of(i)), "fact",
                  std::string(static_cast<size_t>(i % 9), 'x') + std::to_string(i), i % 5);
      }
    }
    for (size_t part = 0; part < parts.size(); ++part) {
      sink.SelectPart(parts[part]);
      PartFacts facts;
      facts.rank = ranks[part];
      facts.node = ranks[part] % 2;
      sink.EndPart(facts);
    }
  }
}

TEST_F(RunSinkSpillTest, WhatWaitedInAFileIsWhatWouldHaveWaitedInMemory) {
  struct Tables {
    std::vector<std::tuple<int64_t, int32_t, double>> counters;
    std::vector<std::tuple<int64_t, int32_t, int32_t, int64_t, std::optional<int64_t>>> memory;
    std::vector<std::tuple<int64_t, int32_t, int32_t, int64_t>> steps;
    std::vector<std::tuple<int64_t, int32_t, int64_t, std::string>> facts;
    std::vector<std::tuple<int32_t, int32_t, int64_t, int64_t, int32_t, std::optional<int64_t>,
                           std::optional<int64_t>, std::string>>
        slices;
    std::vector<std::tuple<std::string, int64_t, std::optional<int64_t>>> segments;
  };
  std::vector<Tables> found;
  // All fit; all but the slices wait; all wait.
  for (const int64_t bytes : {int64_t{160} << 20, int64_t{4} << 20, int64_t{64} << 10}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Limits limits;
    limits.max_rows_in_memory = bytes;
    RunSink sink(folder_, limits);
    FillAllTables(sink);
    EXPECT_EQ(fs::exists(folder_ / "rows.partial"), bytes < int64_t{160} << 20);
    ASSERT_TRUE(sink.Finish({}).ok());
    EXPECT_FALSE(fs::exists(folder_ / "rows.partial"));
    Tables& reported = found.emplace_back();
    for (const store::SliceRow& row : Slices()) {
      reported.slices.emplace_back(row.rank, row.track, row.ts_ns, row.dur_ns, row.depth,
                                   row.flow_out, row.flow_in,
                                   std::string(reader_->strings().Text(row.name)));
    }
    std::sort(reported.slices.begin(), reported.slices.end());
    for (const auto& row : Rows<store::CounterRow>()) {
      reported.counters.emplace_back(row.ts_ns, row.track, row.value);
    }
    for (const auto& row : Rows<store::MemoryRow>()) {
      reported.memory.emplace_back(row.ts_ns, row.rank, row.track.value_or(-1), row.address,
                                   row.total_allocated_bytes);
    }
    for (const auto& row : Rows<store::StepRow>()) {
      reported.steps.emplace_back(row.ts_ns, row.rank, row.node, row.step);
    }
    for (const auto& row : Rows<store::RunMetadataRow>()) {
      reported.facts.emplace_back(row.ts_ns, row.rank, row.pid, row.json);
    }
    for (const char* table : {"counters", "memory", "steps", "run_metadata"}) {
      for (const auto& segment : reader_->manifest().tables.at(table).segments) {
        reported.segments.emplace_back(segment.file, segment.rows, segment.ts_min_ns);
      }
    }
  }
  for (size_t other : {1u, 2u}) {
    EXPECT_EQ(found[0].counters.size(), 12'000u);
    EXPECT_TRUE(found[other].counters == found[0].counters);
    EXPECT_TRUE(found[other].memory == found[0].memory);
    EXPECT_TRUE(found[other].steps == found[0].steps);
    EXPECT_TRUE(found[other].facts == found[0].facts);
    EXPECT_TRUE(found[other].slices == found[0].slices);
    EXPECT_EQ(found[other].segments.size(), found[0].segments.size());
  }
  EXPECT_TRUE(found[1].segments == found[0].segments);
  int64_t flows = 0;
  for (const auto& slice : found[0].slices) {
    flows += std::get<5>(slice).has_value() + std::get<6>(slice).has_value();
  }
  EXPECT_GT(flows, 3000);
}

// Marks of steps, launches and what they launched come in different groups.
TEST_F(RunSinkSpillTest, FindsStepsAcrossTheGroupsInThatFile) {
  constexpr int64_t kSteps = 40, kCalls = 100;
  for (const bool all_fit : {true, false}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Limits limits;
    if (!all_fit) limits.max_rows_in_memory = 64 << 10;
    RunSink sink(folder_, limits);
    sink.BeginPart();
    const int32_t host = Thread(sink);
    const int32_t device = sink.AddTrack({}, store::TrackKind::kStream);
    for (const int32_t track : {device, host}) {  // a kernel begins long after its launch
      for (int64_t i = 0; i < kSteps * kCalls; ++i) {
        Slice slice = At(sink, track, i * 10 + (track == device ? 5000 : 0), 5,
                         track == device ? "kernel" : "launch");
        slice.correlation = i;
        if (i % 7 == 0) slice.step = -1 - i;  // as the source says
        ASSERT_TRUE(sink.Append(slice).ok());
      }
    }
    for (int64_t i = 0; i < kSteps; i += 2) {  // every other one is marked
      Slice mark = At(sink, host, i * kCalls * 10, kCalls * 10,
                      ("ProfilerStep#" + std::to_string(100 + i)).c_str());
      mark.category = sink.Intern("user_annotation");
      ASSERT_TRUE(sink.Append(mark).ok());
    }
    EXPECT_EQ(fs::exists(folder_ / "rows.partial"), !all_fit);
    sink.EndPart({});
    ASSERT_TRUE(sink.Finish({}).ok());
    int64_t seen = 0;
    for (const store::SliceRow& row : Slices()) {
      if (!row.correlation) continue;
      const int64_t step = *row.correlation / kCalls;
      std::optional<int64_t> wanted;
      if (step % 2 == 0) wanted = 100 + step;
      if (*row.correlation % 7 == 0) wanted = -1 - *row.correlation;
      ASSERT_EQ(row.step, wanted) << all_fit << " " << *row.correlation << " on " << row.track;
      ++seen;
    }
    EXPECT_EQ(seen, 2 * kSteps * kCalls);
  }
}

// As of a disk that is full; whoever reads the rows may not look at what Append says.
TEST_F(RunSinkSpillTest, AFullDiskFailsTheRunWithItsCause) {
  struct rlimit before;
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handled = std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 64 << 10, before.rlim_max };
  Limits limits;
  limits.max_rows_in_memory = 64 << 10;
  RunSink sink(folder_, limits);
  sink.BeginPart();
  const int32_t track = Thread(sink);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  bool refused = false;
  for (int64_t i = 0; i < 20'000; ++i) {
    refused = !sink.Append(store::CounterRow{i, track, 1}).ok() || refused;
  }
  EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handled);
  EXPECT_TRUE(refused);
  sink.EndPart({});
  const auto finished = sink.Finish({});
  ASSERT_FALSE(finished.ok());
  EXPECT_THAT(finished.error().text(), testing::HasSubstr("File too large; make room there"));
}

}  // namespace
}  // namespace steptrace::import
