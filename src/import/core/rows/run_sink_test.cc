// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <new>
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
using testing::ElementsAre;

class RunSinkTest : public RunSinkFixture {};

// Sorting has a way of its own for times that lie so far apart that they and a row's place do not
// fit into 64 bits.
TEST_F(RunSinkTest, SortsWhateverTheTimesSpan) {
  for (int64_t far_ns : {int64_t{1'000'000}, int64_t{1} << 40, int64_t{1} << 61}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    RunSink sink(folder_, {});
    sink.BeginPart();
    int32_t track = Thread(sink);
    constexpr int64_t kRows = 40'000;                 // in several blocks
    std::vector<std::pair<int64_t, int64_t>> wanted;  // begin, and duration negated
    for (int64_t i = 0; i < kRows; ++i) {
      int64_t ts_ns = i == 7 ? far_ns : i * 7919 % 30'011 * 10;
      int64_t dur_ns = i % 3;
      ASSERT_TRUE(sink.Append(At(sink, track, ts_ns, dur_ns, "x")).ok());
      wanted.emplace_back(ts_ns, -dur_ns);
    }
    sink.EndPart({});
    ASSERT_TRUE(sink.Finish({}).ok());
    std::sort(wanted.begin(), wanted.end());
    auto rows = Slices();
    ASSERT_EQ(rows.size(), wanted.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      ASSERT_EQ(std::pair(rows[i].ts_ns, -rows[i].dur_ns), wanted[i]) << far_ns << " row " << i;
    }
  }
}

// Different texts that are the same one once what is no UTF-8 was replaced: in memory, in several
// parts, and in rows that wait on the disk.
TEST_F(RunSinkTest, TextsThatBecomeAlikeAreOne) {
  for (const int64_t in_memory : {Limits{}.max_rows_in_memory, int64_t{1}}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    Limits limits;
    limits.max_rows_in_memory = in_memory;
    RunSink sink(folder_, limits);
    for (int part = 0; part < 2; ++part) {
      sink.BeginPart();
      int32_t track = Thread(sink);
      for (const char* name : {"a\xBA", "b", "a\xD4", "a\uFFFD", "a\xBA", "c"}) {
        Slice slice = At(sink, track, part, 1, name);
        slice.details = sink.Intern(std::string(name) + "!");
        slice.args = sink.Intern(std::string(name) + "?");
        ASSERT_TRUE(sink.Append(slice).ok());
      }
      PartFacts facts;
      facts.rank = part;
      sink.EndPart(std::move(facts));
    }
    ASSERT_TRUE(sink.Finish({}).ok());
    std::vector<std::string> names;
    for (const store::SliceRow& row : Slices()) {
      const std::string& name = names.emplace_back(reader_->Text(row.name));
      EXPECT_EQ(reader_->Text(row.details), name + "!");
      EXPECT_EQ(row.args, name + "?");
    }
    const std::string alike = "a\uFFFD";
    EXPECT_THAT(names, ElementsAre(alike, "b", alike, alike, alike, "c",  //
                                   alike, "b", alike, alike, alike, "c"));
  }
}

TEST_F(RunSinkTest, ATextThatWasReplacedSaysSoEachTime) {
  RunSink sink(folder_, {});
  sink.BeginPart();
  TextFacts facts;
  const store::StringId sound = sink.part().Intern("a\uFFFD", &facts);
  EXPECT_TRUE(facts.added && facts.is_utf8);
  for (int i = 0; i < 2; ++i) {
    facts = {};
    EXPECT_EQ(sink.part().Intern("a\xBA", &facts), sound);
    EXPECT_FALSE(facts.added || facts.is_utf8);
  }
  facts = {};
  EXPECT_EQ(sink.part().Intern("a\uFFFD", &facts), sound);
  EXPECT_FALSE(facts.added);
  EXPECT_TRUE(facts.is_utf8);
}

// A small one is packed harder, for as long as several large ones take.
TEST_F(RunSinkTest, OfManySegmentsTheLastIsNoSmallOne) {
  RunSink sink(folder_, {});
  sink.BeginPart();
  int32_t track = Thread(sink);
  constexpr int64_t kRows = 4 * 65'536 + 100;
  for (int64_t i = 0; i < kRows; ++i) {
    ASSERT_TRUE(sink.Append(At(sink, track, i * 10, 5, "x")).ok());
  }
  sink.EndPart({});
  ASSERT_TRUE(sink.Finish({}).ok());
  auto reader = store::RunReader::Open(folder_);
  ASSERT_TRUE(reader.ok());
  int64_t rows = 0;
  for (const auto& segment : reader->manifest().tables.at("slices").segments) {
    EXPECT_GE(segment.rows, 65'536);
    EXPECT_EQ(segment.ts_min_ns, rows * 10);
    rows += segment.rows;
  }
  EXPECT_EQ(rows, kRows);
}

TEST_F(RunSinkTest, AWriterWithoutMemoryIsAnError) {
  RunSink sink(folder_, {});
  sink.BeginPart();
  ASSERT_TRUE(sink.Append(At(sink, Thread(sink), 10, 5, "x")).ok());
  sink.EndPart({});
  const auto finished = sink.Finish({}, []() -> bool { throw std::bad_alloc(); });
  ASSERT_FALSE(finished.ok());
  EXPECT_THAT(finished.error().text(), testing::HasSubstr("not enough memory"));
}

TEST_F(RunSinkTest, NestsAndBindsFlows) {
  RunSink sink(folder_, {});
  sink.BeginPart();
  int32_t track = Thread(sink);
  //  outer  |--------------------|      100..200
  //  inner     |-----|                  110..130
  //  second             |----------|    150..210: pokes out of outer
  for (auto [ts, dur, name] :
       {std::tuple{150, 60, "second"}, {110, 20, "inner"}, {100, 100, "outer"}}) {
    ASSERT_TRUE(sink.Append(At(sink, track, ts, dur, name)).ok());
  }
  ASSERT_TRUE(sink.AddFlow(track, 120, 7, true).ok());
  ASSERT_TRUE(sink.AddFlow(track, 140, 8, false).ok());
  ASSERT_TRUE(sink.AddFlow(track, 500, 9, false).ok());  // nothing there
  sink.EndPart({});
  ASSERT_TRUE(sink.Finish({}).ok());
  auto rows = Slices();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_THAT((std::vector{rows[0].depth, rows[1].depth, rows[2].depth}), ElementsAre(0, 1, 0));
  EXPECT_EQ(rows[1].flow_out, 7);
  EXPECT_EQ(rows[0].flow_in, 8);
  EXPECT_EQ(rows[2].flow_in, std::nullopt);
}

TEST_F(RunSinkTest, ClocksOfRanksMeetInUtc) {
  RunSink sink(folder_, {});
  for (auto [first_ns, offset_ns, rank] : {std::tuple{500, 1'000'000, 1}, {2'000'000, 0, 0}}) {
    sink.BeginPart();
    ASSERT_TRUE(sink.Append(At(sink, Thread(sink), first_ns, 5, "x")).ok());
    PartFacts facts;
    facts.rank = rank;
    facts.utc_offset_ns = offset_ns;
    sink.EndPart(facts);
  }
  ASSERT_TRUE(sink.Finish({}).ok());
  auto rows = Slices();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(reader_->manifest().epoch_utc_ns, 1'000'500);
  EXPECT_EQ(std::pair(rows[0].rank, rows[0].ts_ns), std::pair(1, int64_t{0}));
  EXPECT_EQ(std::pair(rows[1].rank, rows[1].ts_ns), std::pair(0, int64_t{999'500}));
  EXPECT_EQ(reader_->manifest().end_ns, 999'505);
}

// What a file claims as its date is any number: sums must stay in range.
TEST_F(RunSinkTest, ADateBeyondAllClocksIsNone) {
  constexpr int64_t kFarNs = (int64_t{1} << 62) - 1;
  for (int64_t offset_ns : {std::numeric_limits<int64_t>::max(), -kFarNs * 2, kFarNs}) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    RunSink sink(folder_, {});
    for (auto [first_ns, offset] : {std::pair{kFarNs, offset_ns}, {-kFarNs, int64_t{0}}}) {
      sink.BeginPart();
      ASSERT_TRUE(sink.Append(At(sink, Thread(sink), first_ns, 5, "x")).ok());
      PartFacts facts;
      facts.utc_offset_ns = offset;
      sink.EndPart(facts);
    }
    ASSERT_TRUE(sink.Finish({}).ok());
    auto rows = Slices();
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].ts_ns, 0);
    EXPECT_EQ(rows[1].ts_ns, 0);
    EXPECT_EQ(reader_->manifest().epoch_utc_ns, -kFarNs);
  }
}

TEST_F(RunSinkTest, PartsGrowTogether) {
  RunSink sink(folder_, {});
  const size_t first = sink.BeginPart();
  const int32_t track = Thread(sink);
  const size_t second = sink.BeginPart();
  const int32_t other = Thread(sink);
  const size_t dropped = sink.BeginPart();
  ASSERT_TRUE(sink.Append(At(sink, other, 1, 1, "none")).ok());
  EXPECT_EQ(sink.rows(), 1);
  for (int64_t ts_ns : {10, 20}) {
    sink.SelectPart(first);
    ASSERT_TRUE(sink.Append(At(sink, track, ts_ns, 5, "a")).ok());
    sink.SelectPart(second);
    ASSERT_TRUE(sink.Append(At(sink, other, ts_ns + 1, 5, "b")).ok());
  }
  sink.SelectPart(dropped);
  sink.DropPart();
  EXPECT_EQ(sink.rows(), 4);
  for (size_t part : {second, first}) {
    sink.SelectPart(part);
    PartFacts facts;
    facts.rank = part == first ? 7 : 3;
    sink.EndPart(facts);
  }
  ASSERT_TRUE(sink.Finish({}).ok());
  auto rows = Slices();
  ASSERT_EQ(rows.size(), 4u);
  std::vector<std::pair<int32_t, int32_t>> places;
  for (const auto& row : rows) places.emplace_back(row.rank, row.track);
  // Numbered within their parts, then through the run.
  EXPECT_THAT(places,
              ElementsAre(std::pair(7, 0), std::pair(3, 1), std::pair(7, 0), std::pair(3, 1)));
}

TEST_F(RunSinkTest, TextsMayComeBeforeAnyPart) {
  RunSink sink(folder_, {});
  const store::StringId early = sink.Intern("early");
  sink.BeginPart();
  EXPECT_EQ(sink.Intern("early"), early);
  EXPECT_EQ(sink.strings().Text(early), "early");
}

TEST_F(RunSinkTest, AParentMayBeInAnotherPart) {
  RunSink sink(folder_, {});
  const size_t node = sink.BeginPart();
  Thread(sink);
  const int32_t parent = Thread(sink);
  const size_t rank = sink.BeginPart();
  const int32_t child = Thread(sink);
  ASSERT_TRUE(sink.Append(At(sink, child, 1, 1, "a")).ok());
  sink.SetParent(child, node, parent);
  PartFacts facts;
  facts.rank = 0;
  sink.EndPart(facts);
  sink.SelectPart(node);
  facts.rank = -1;
  sink.EndPart(facts);
  ASSERT_EQ(rank, node + 1);
  ASSERT_TRUE(sink.Finish({}).ok());
  store::RunReader reader = *store::RunReader::Open(folder_);
  const auto tracks = reader.Read<store::TrackRow>();
  ASSERT_TRUE(tracks.ok());
  ASSERT_EQ(tracks->size(), 3u);
  EXPECT_EQ(tracks->back().track, 2);
  EXPECT_EQ(tracks->back().parent, 1);
}

template <class Value>
bool IsSet(const Value& value) {
  return value != Value{};
}

// A column that an importer fills is one of the run's: none is dropped on the way.
TEST_F(RunSinkTest, FillsTheColumnsOfSlices) {
  RunSink sink(folder_, {});
  sink.BeginPart();
  Thread(sink);
  const int32_t track = Thread(sink);
  ASSERT_TRUE(sink.Append(At(sink, track, 0, 10, "outer")).ok());
  Slice inner = At(sink, track, 1, 5, "inner");
  inner.category = sink.Intern("cpu_op");
  inner.details = sink.Intern("{\"grid\": 1}");
  inner.args = sink.Intern("{\"more\": 1}");
  inner.correlation = inner.external_id = inner.sequence = inner.flow_out = inner.flow_in = 7;
  inner.bytes = inner.group = inner.step = 7;
  ASSERT_TRUE(sink.Append(inner).ok());
  PartFacts facts;
  facts.rank = 3;
  sink.EndPart(std::move(facts));
  ASSERT_TRUE(sink.Finish({}).ok());
  const std::vector<store::SliceRow> rows = Slices();
  ASSERT_EQ(rows.size(), 2u);
  const auto look = [&](const auto& field) {
    EXPECT_TRUE(IsSet(rows[1].*(field.member))) << field.name;
  };
  std::apply([&](const auto&... fields) { (look(fields), ...); },
             store::TableOf<store::SliceRow>::kFields);
}

TEST_F(RunSinkTest, TextsBeyondTheLimitAreCounted) {
  Limits limits;
  limits.max_text_bytes = 1000;
  RunSink sink(folder_, limits);
  sink.BeginPart();
  int32_t track = Thread(sink);
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(sink.Append(At(sink, track, i, 1, std::to_string(i).c_str())).ok());
  }
  sink.EndPart({});
  auto finished = sink.Finish({});
  ASSERT_TRUE(finished.ok());
  EXPECT_EQ(finished->losses, 2);  // text_limit, and date_unknown
  EXPECT_EQ(Slices().size(), 100u);
}

}  // namespace
}  // namespace steptrace::import
