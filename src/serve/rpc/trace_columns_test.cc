// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/trace_columns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <type_traits>

#include "store/all_tables.h"
#include "testing/trace_text.h"

namespace steptrace::rpc {
namespace {

constexpr const char* kDrawn = R"(
t1 step ProfilerStep#3 0 200
t1 op record_param_comms 0 60 ext=5 seq=3
t1 runtime cudaLaunchKernel 10 15 corr=1 ext=5
t1 op aten::mm 62 90 ext=6 flow_out=8
t1 op MmBackward0 95 120 ext=7 flow_in=8
t1 runtime cudaMemcpyAsync 100 105 corr=2
s7 kernel ncclDevKernel_AllReduce 40 90 corr=1 ext=5 seq=3 group=4 bytes=64 details={"grid":[1,1,1]}
s7 memcpy "Memcpy HtoD" 110 125 bytes=64 corr=2
)";

// What is not asked for is null in one of two readings, and something in the other.
template <class Value>
void Spoil(Value& value) {
  if constexpr (std::is_same_v<Value, std::optional<int64_t>>) value = 77;
  if constexpr (std::is_same_v<Value, std::string>) value = R"({"spoilt":1})";
  if constexpr (std::is_same_v<Value, int32_t>) value = 77;
}

std::vector<store::SliceRow> Read(std::vector<store::SliceRow> rows, bool spoilt) {
  const std::vector<std::string> asked = TraceColumns();
  for (store::SliceRow& row : rows) {
    store::ForEachField<store::SliceRow>([&](const auto& field) {
      if (std::find(asked.begin(), asked.end(), field.name) != asked.end()) return;
      row.*field.member = std::remove_cvref_t<decltype(row.*field.member)>{};
      if (spoilt) Spoil(row.*field.member);
    });
  }
  return rows;
}

auto Values(const analyze::TraceEvent& event) {
  return std::tuple(event.ts_ns, event.dur_ns, event.name, event.details, event.lane, event.parent,
                    event.step, event.launch, event.op, event.kind, event.role,
                    event.in_collective);
}
auto Values(const analyze::HostNumber& number) {
  return std::tuple(number.event, number.number);
}
auto Values(const analyze::DeviceNumbers& numbers) {
  return std::tuple(numbers.sequence, numbers.bytes);
}

template <class T>
bool Same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const T& x, const T& y) { return Values(x) == Values(y); });
}

// A column that the trace is made of is one of those that are asked for.
TEST(TraceColumns, AreAllThatTheTraceIsMadeOf) {
  store::StringTable strings;
  const analyze::DrawnRows drawn = analyze::DrawRows(kDrawn, strings);
  const analyze::DrawnRank& rank = drawn.ranks.at(0);
  const auto built = [&](bool spoilt) {
    return analyze::BuildRankTrace(0, Read(rank.slices, spoilt), rank.tracks, rank.memory, strings);
  };
  const analyze::RankTrace plain = built(false), spoilt = built(true);
  EXPECT_EQ(plain.host.size(), 6u);
  EXPECT_EQ(plain.device.size(), 2u);
  EXPECT_TRUE(Same(plain.host, spoilt.host));
  EXPECT_TRUE(Same(plain.device, spoilt.device));
  EXPECT_TRUE(Same(plain.numbers, spoilt.numbers));
  EXPECT_TRUE(Same(plain.sequences, spoilt.sequences));
  EXPECT_TRUE(Same(plain.flows_out, spoilt.flows_out));
  EXPECT_TRUE(Same(plain.flows_in, spoilt.flows_in));
}

}  // namespace
}  // namespace steptrace::rpc
