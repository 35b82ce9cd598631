// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/result.h"
#include "store/damaged_segments.h"

// A run's rows by time, one after the other, in bounded memory.
namespace steptrace::exporter {

struct SliceCells {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int32_t track = 0;
  int32_t rank = -1;
  int64_t depth = 0;
  std::string name;
  std::string category;
  std::optional<int64_t> step, correlation, flow_out, flow_in, bytes, group, sequence, external_id;
  std::string details;
  std::string args;

  int64_t end_ns() const { return ts_ns + dur_ns; }

  // What may be absent, each by the name of its column.
  template <class F>
  void ForEachNumber(F&& f) const;
};

// By name. What reads them proves that these are the table's.
inline constexpr auto kSliceCells = std::make_tuple(
    std::pair("ts_ns", &SliceCells::ts_ns), std::pair("dur_ns", &SliceCells::dur_ns),
    std::pair("track", &SliceCells::track), std::pair("rank", &SliceCells::rank),
    std::pair("depth", &SliceCells::depth), std::pair("name", &SliceCells::name),
    std::pair("category", &SliceCells::category), std::pair("step", &SliceCells::step),
    std::pair("correlation", &SliceCells::correlation),
    std::pair("external_id", &SliceCells::external_id), std::pair("bytes", &SliceCells::bytes),
    std::pair("group", &SliceCells::group), std::pair("sequence", &SliceCells::sequence),
    std::pair("flow_out", &SliceCells::flow_out), std::pair("flow_in", &SliceCells::flow_in),
    std::pair("details", &SliceCells::details), std::pair("args", &SliceCells::args));

template <class F>
void SliceCells::ForEachNumber(F&& f) const {
  const auto take = [&](const char* column, const auto& value) {
    if constexpr (std::is_same_v<decltype(value), const std::optional<int64_t>&>) f(column, value);
  };
  std::apply([&](const auto&... cell) { (take(cell.first, this->*cell.second), ...); },
             kSliceCells);
}

struct CounterCells {
  int64_t ts_ns = 0;
  int32_t track = 0;
  double value = 0;
};

struct MemoryCells {
  int64_t ts_ns = 0;
  int32_t rank = -1;
  int32_t device = -1;
  std::optional<int32_t> track;
  int64_t address = 0;
  int64_t bytes = 0;
  std::optional<int64_t> total_allocated_bytes, total_reserved_bytes;
};

struct StackCells {
  int32_t stack = 0;
  std::optional<int32_t> parent;
  std::string function;
  std::string file;
  int32_t line = 0;
};

struct SampleCells {
  int64_t ts_ns = 0;
  int32_t track = 0;
  int32_t stack = 0;
  int64_t interval_ns = 0;
};

using RankFilter = std::optional<int32_t>;  // only this rank

struct RowSource {
  const std::filesystem::path& run;
  std::vector<store::DamagedSegment>& damaged;  // takes files that could not be used, each once
};

// By begin; of those that begin together the longer first, so that parents precede children.
Status ForEachSlice(const RowSource& source, RankFilter rank,
                    const std::function<Status(const SliceCells&)>& visit);
Status ForEachCounter(const RowSource& source,
                      const std::function<Status(const CounterCells&)>& visit);
Status ForEachMemory(const RowSource& source, RankFilter rank,
                     const std::function<Status(const MemoryCells&)>& visit);
// By number, so that a caller comes before its callees.
Status ForEachStack(const RowSource& source, const std::function<Status(const StackCells&)>& visit);
// `track`: only its samples.
Status ForEachSample(const RowSource& source, std::optional<int32_t> track,
                     const std::function<Status(const SampleCells&)>& visit);

}  // namespace steptrace::exporter
