// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agent/ingest/record_converter.h"
#include "store/all_tables.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {
namespace {

using wire::Category;
using wire::RecordKind;

// The columns that any of these rows has something in.
std::set<std::string_view> ColumnsSet(const std::vector<store::SliceRow>& rows) {
  std::set<std::string_view> set = {"track"};  // the first is 0
  for (const store::SliceRow& row : rows) {
    store::ForEachField<store::SliceRow>([&](const auto& field) {
      const auto& value = row.*field.member;
      if (value != std::remove_cvref_t<decltype(value)>{}) set.insert(field.name);
    });
  }
  return set;
}

// A column that a record does not fill is named here, with what fills it.
TEST(SliceColumns, RecordsFillThem) {
  const std::set<std::string_view> others = {
      "step",         // the importer of a window's profile
      "external_id",  // the importer of a window's profile
  };
  std::map<uint32_t, RecordConverter::Name> names = {
      {1, {"mine", static_cast<uint16_t>(Category::kUser)}},
      {2, {"data", static_cast<uint16_t>(Category::kPhase)}},
      {3, {"all_reduce", static_cast<uint16_t>(Category::kCommunication)}},
      {4,
       {R"({"Process Group Name":"12","Group size":2})",
        static_cast<uint16_t>(Category::kDetails)}},
      {10, {std::string(wire::kDeviceClockName), 0}},
      {11, {"cudaLaunchKernel", 0}},
      {12, {"gemm", 0}},
      {20, {R"({"thread":7})", 0}},
      {21, {R"({"device":0,"stream":7})", 0}},
  };
  RecordConverter::Settings settings;
  settings.pid = 42;
  settings.name_of = [&names](uint32_t id) -> std::optional<RecordConverter::Name> {
    return names.contains(id) ? std::optional(names[id]) : std::nullopt;
  };
  settings.rank_of = [](int32_t, bool) { return 3; };
  settings.thread_name_of = [](int32_t) { return "main"; };
  store::StringTable strings;
  TrackRegistry tracks{0, strings};
  RecordConverter converter(std::move(settings), strings, tracks);
  ThreadState thread;
  thread.tid = 7;
  RunClock clock;
  clock.epoch_monotonic_ns = 1000;
  RowBatch out;
  const auto feed = [&](RecordKind kind, uint64_t at, uint32_t name, uint64_t a = 0,
                        uint64_t b = 0) {
    const wire::Record record = wire::MakeRecord(kind, at, name, 0, a, b);
    converter.Convert(thread, std::span(&record, 1), clock, out);
  };
  feed(RecordKind::kBegin, 1050, 1);
  feed(RecordKind::kFlowIn, 1060, 1, 4);
  feed(RecordKind::kFlowOut, 1070, 1, 5);
  feed(RecordKind::kBegin, 1080, 2, 9);
  feed(RecordKind::kBegin, 1100, 3, 4096, uint64_t{7} << 24 | 4);
  for (const uint32_t name : {3u, 2u, 1u}) feed(RecordKind::kEnd, 1200, name);
  const auto feed_device = [&](Category category, uint64_t at, uint32_t name, uint64_t a,
                               uint64_t b) {
    wire::Record record = wire::MakeRecord(RecordKind::kActivity, at, name, 0, a, b);
    record.category = static_cast<uint16_t>(category);
    converter.Convert(thread, std::span(&record, 1), clock, out);
  };
  feed_device(Category::kWindow, 1300, 10, 300, 0);  // 300 of the device is 1300 of the host
  feed_device(Category::kRuntime, 310, 11, 320, uint64_t{20} << 32 | 77);
  feed_device(Category::kKernel, 330, 12, 340, uint64_t{21} << 32 | 77);
  ASSERT_EQ(out.slices.size(), 5u);
  const std::set<std::string_view> set = ColumnsSet(out.slices);
  store::ForEachField<store::SliceRow>([&](const auto& field) {
    EXPECT_NE(set.contains(field.name), others.contains(field.name)) << field.name;
  });
}

}  // namespace
}  // namespace steptrace::agent
