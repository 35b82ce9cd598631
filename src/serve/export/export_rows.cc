// SPDX-License-Identifier: Apache-2.0
#include "serve/export/export_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "serve/rpc/table.h"
#include "store/tables.h"

namespace steptrace::exporter {
namespace {

// The cells of a row, taken one after the other in the order in which they were asked for.
class CellCursor {
 public:
  explicit CellCursor(std::span<const rpc::Cell> cells) : cells_(cells) {}

  std::optional<int64_t> MaybeInteger() {
    const auto* value = std::get_if<int64_t>(&cells_[at_++]);
    return value ? std::optional(*value) : std::nullopt;
  }
  int64_t Integer(int64_t otherwise = 0) { return MaybeInteger().value_or(otherwise); }
  int32_t Number(int32_t otherwise = 0) { return static_cast<int32_t>(Integer(otherwise)); }
  double Decimal() {
    const auto* value = std::get_if<double>(&cells_[at_++]);
    return value ? *value : 0;
  }
  std::string Text() {
    const auto* value = std::get_if<std::string_view>(&cells_[at_++]);
    return value ? std::string(*value) : std::string();
  }

  // What is null leaves its cell as it is.
  void TakeInto(int64_t& to) { to = Integer(to); }
  void TakeInto(int32_t& to) { to = Number(to); }
  void TakeInto(std::optional<int64_t>& to) { to = MaybeInteger(); }
  void TakeInto(std::string& to) { to = Text(); }

 private:
  std::span<const rpc::Cell> cells_;
  size_t at_ = 0;
};

class Visitor : public rpc::RowVisitor {
 public:
  explicit Visitor(std::function<Status(CellCursor)> row) : row_(std::move(row)) {}
  Status Begin(const std::vector<rpc::Column>&) override { return {}; }
  Status Row(std::span<const rpc::Cell> cells) override { return row_(CellCursor(cells)); }

 private:
  std::function<Status(CellCursor)> row_;
};

Status Visit(const RowSource& source, const char* table, std::vector<std::string> columns,
             std::string where, std::function<Status(CellCursor)> row) {
  rpc::TableQuery query{source.run,       table,        std::move(columns),
                        std::move(where), std::nullopt, &source.damaged};
  Visitor visitor(std::move(row));
  return rpc::VisitRows(query, visitor);
}

Status Visit(const RowSource& source, const char* table, std::vector<std::string> columns,
             RankFilter rank, std::function<Status(CellCursor)> row) {
  return Visit(source, table, std::move(columns), rank ? fmt::format("rank = {}", *rank) : "",
               std::move(row));
}

// Holds the slices that begin at one moment until the next one begins.
class Together {
 public:
  explicit Together(const std::function<Status(const SliceCells&)>& visit) : visit_(visit) {}

  Status Add(SliceCells slice) {
    if (!waiting_.empty() && waiting_.front().ts_ns != slice.ts_ns) {
      STEPTRACE_RETURN_IF_ERROR(Flush());
    }
    waiting_.push_back(std::move(slice));
    return {};
  }
  Status Flush() {
    if (waiting_.size() > 1) {
      std::stable_sort(waiting_.begin(), waiting_.end(), [](const auto& a, const auto& b) {
        return std::tuple(-a.dur_ns, a.depth) < std::tuple(-b.dur_ns, b.depth);
      });
    }
    for (const SliceCells& slice : waiting_) STEPTRACE_RETURN_IF_ERROR(visit_(slice));
    waiting_.clear();
    return {};
  }

 private:
  const std::function<Status(const SliceCells&)>& visit_;
  std::vector<SliceCells> waiting_;
};

// An export holds all that a run knows of a slice.
constexpr bool HasCell(std::string_view column) {
  return std::apply([&](const auto&... cell) { return ((column == cell.first) || ...); },
                    kSliceCells);
}
static_assert(std::apply([](const auto&... field) { return (HasCell(field.name) && ...); },
                         store::TableOf<store::SliceRow>::kFields),
              "a column of slices has no cell in SliceCells");

}  // namespace

Status ForEachSlice(const RowSource& source, RankFilter rank,
                    const std::function<Status(const SliceCells&)>& visit) {
  Together together(visit);
  auto columns = std::apply(
      [](const auto&... cell) { return std::vector<std::string>{cell.first...}; }, kSliceCells);
  STEPTRACE_RETURN_IF_ERROR(
      Visit(source, "slices", std::move(columns), rank, [&](CellCursor cells) {
        SliceCells slice;
        std::apply([&](const auto&... cell) { (cells.TakeInto(slice.*cell.second), ...); },
                   kSliceCells);
        slice.dur_ns = std::max<int64_t>(0, slice.dur_ns);
        return together.Add(std::move(slice));
      }));
  return together.Flush();
}

Status ForEachCounter(const RowSource& source,
                      const std::function<Status(const CounterCells&)>& visit) {
  return Visit(source, "counters", {"ts_ns", "track", "value"}, std::nullopt,
               [&](CellCursor cells) {
                 CounterCells counter;
                 counter.ts_ns = cells.Integer();
                 counter.track = cells.Number();
                 counter.value = cells.Decimal();
                 return visit(counter);
               });
}

Status ForEachMemory(const RowSource& source, RankFilter rank,
                     const std::function<Status(const MemoryCells&)>& visit) {
  return Visit(source, "memory",
               {"ts_ns", "rank", "device", "track", "address", "bytes", "total_allocated_bytes",
                "total_reserved_bytes"},
               rank, [&](CellCursor cells) {
                 MemoryCells memory;
                 memory.ts_ns = cells.Integer();
                 memory.rank = cells.Number(-1);
                 memory.device = cells.Number(-1);
                 if (auto track = cells.MaybeInteger()) {
                   memory.track = static_cast<int32_t>(*track);
                 }
                 memory.address = cells.Integer();
                 memory.bytes = cells.Integer();
                 memory.total_allocated_bytes = cells.MaybeInteger();
                 memory.total_reserved_bytes = cells.MaybeInteger();
                 return visit(memory);
               });
}

Status ForEachStack(const RowSource& source,
                    const std::function<Status(const StackCells&)>& visit) {
  return Visit(source, "stacks", {"stack", "parent", "function", "file", "line"}, std::string(),
               [&](CellCursor cells) {
                 StackCells stack;
                 stack.stack = cells.Number();
                 if (auto parent = cells.MaybeInteger()) {
                   stack.parent = static_cast<int32_t>(*parent);
                 }
                 stack.function = cells.Text();
                 stack.file = cells.Text();
                 stack.line = cells.Number();
                 return visit(stack);
               });
}

Status ForEachSample(const RowSource& source, std::optional<int32_t> track,
                     const std::function<Status(const SampleCells&)>& visit) {
  return Visit(source, "samples", {"ts_ns", "track", "stack", "interval_ns"},
               track ? fmt::format("track = {}", *track) : std::string(), [&](CellCursor cells) {
                 SampleCells sample;
                 sample.ts_ns = cells.Integer();
                 sample.track = cells.Number();
                 sample.stack = cells.Number();
                 sample.interval_ns = std::max<int64_t>(0, cells.Integer());
                 return visit(sample);
               });
}

}  // namespace steptrace::exporter
