// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensor_grid.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "analyze/tensors/tensor_figures.h"
#include "serve/rpc/json_out.h"
#include "serve/rpc/reading_columns.h"
#include "serve/rpc/tensor_pattern.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;
using store::StringId;
using store::TensorStatRow;

constexpr std::string_view kLossRole = "loss";

std::optional<double> ValueOf(const TensorStatRow& row, TensorStatistic statistic) {
  switch (statistic) {
    case TensorStatistic::kRms:
      return analyze::RmsOf(row);
    case TensorStatistic::kNorm:
      return analyze::NormOf(row);
    case TensorStatistic::kMean:
      return analyze::MeanOf(row);
    case TensorStatistic::kMeanAbs:
      return analyze::MeanAbsOf(row);
    case TensorStatistic::kMaxAbs:
      return analyze::MaxAbsOf(row);
    case TensorStatistic::kMin:
      return row.min;
    case TensorStatistic::kMax:
      return row.max;
    case TensorStatistic::kZeroShare:
      return analyze::ZeroShareOf(row);
  }
  return std::nullopt;
}

// What there is: by role and rank the steps at which was looked, and the tensors by role.
struct Inventory {
  std::map<StringId, std::map<int32_t, std::set<int64_t>>> steps;
  std::map<StringId, std::set<StringId>> tensors;
};

Result<Inventory> TakeInventory(store::RunReader& run) {
  Inventory inventory;
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<TensorStatRow>(
      {.columns = {"rank", "step", "tensor", "role"}, .rank = {}, .from_ns = {}, .to_ns = {}},
      [&](std::span<const TensorStatRow> rows) -> Status {
        for (const TensorStatRow& row : rows) {
          inventory.steps[row.role][row.rank].insert(row.step);
          inventory.tensors[row.role].insert(row.tensor);
        }
        return {};
      }));
  return inventory;
}

// The role that is asked for; else the first but for the loss, by name.
std::optional<StringId> RoleOf(const Inventory& inventory, const store::RunReader& run,
                               const std::string& asked) {
  std::optional<StringId> chosen;
  for (const auto& [role, ranks] : inventory.steps) {
    const std::string& text = run.Text(role);
    if (text == asked) return role;
    if (!asked.empty() || text == kLossRole) continue;
    if (!chosen || text < run.Text(*chosen)) chosen = role;
  }
  return chosen;
}

// Of some readings in a row: the last value, and between which all are.
struct GridCell {
  int64_t step = -1;
  std::optional<double> last, low, high;
  int64_t not_finite = 0;  // readings

  void Add(const TensorStatRow& row, TensorStatistic statistic) {
    const auto value = ValueOf(row, statistic);
    if (row.step >= step) {
      step = row.step;
      last = value;
    }
    if (value) {
      low = std::min(low.value_or(*value), *value);
      high = std::max(high.value_or(*value), *value);
    }
    if (analyze::NotFiniteOf(row) > 0) ++not_finite;
  }
};

struct TensorLine {
  int64_t first_ns = 0;
  int64_t numel = 0;
  StringId type{};
  std::vector<GridCell> cells;
};
using TensorLines = std::map<StringId, TensorLine>;

Json NumberJson(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

template <class Get>
Json CellsJson(const TensorLine& line, Get get) {
  Json::array_t values;
  values.reserve(line.cells.size());
  for (const GridCell& cell : line.cells) values.push_back(get(cell));
  return Json(std::move(values));
}

Json LineJson(const std::string& name, const std::string& type, const TensorLine& line,
              bool spread) {
  Json json = {{"tensor", name}, {"type", type}, {"numel", line.numel}};
  json["values"] = CellsJson(line, [](const GridCell& cell) { return NumberJson(cell.last); });
  if (spread) {
    json["low"] = CellsJson(line, [](const GridCell& cell) { return NumberJson(cell.low); });
    json["high"] = CellsJson(line, [](const GridCell& cell) { return NumberJson(cell.high); });
  }
  json["looked"] = CellsJson(line, [](const GridCell& cell) { return Json(cell.step >= 0); });
  json["not_finite"] = CellsJson(line, [](const GridCell& cell) { return Json(cell.not_finite); });
  return json;
}

Json LinesJson(const TensorLines& lines, const store::RunReader& run, bool spread,
               int64_t& left_out) {
  std::vector<std::pair<StringId, const TensorLine*>> order;
  for (const auto& [tensor, line] : lines) {
    if (line.cells.empty()) {
      ++left_out;
    } else {
      order.emplace_back(tensor, &line);
    }
  }
  std::ranges::stable_sort(
      order, [](const auto& a, const auto& b) { return a.second->first_ns < b.second->first_ns; });
  const size_t most = std::min(order.size(), static_cast<size_t>(kMostGridTensors));
  left_out += static_cast<int64_t>(order.size() - most);
  Json list = Json::array();
  for (const auto& [tensor, line] : std::span(order).first(most)) {
    list.push_back(LineJson(run.Text(tensor), run.Text(line->type), *line, spread));
  }
  return list;
}

Json RolesJson(const Inventory& inventory, const store::RunReader& run) {
  std::map<std::string, size_t> roles;
  for (const auto& [role, tensors] : inventory.tensors) roles[run.Text(role)] = tensors.size();
  Json list = Json::array();
  for (const auto& [role, tensors] : roles) list.push_back({{"role", role}, {"tensors", tensors}});
  return list;
}

Json RanksJson(const std::map<int32_t, std::set<int64_t>>& ranks) {
  constexpr size_t kMostRanks = 4096;
  Json list = Json::array();
  for (const auto& [rank, steps] : ranks) {
    if (list.size() < kMostRanks) list.push_back(rank);
  }
  return list;
}

// Of many more tensors than are shown no cells are kept.
Result<TensorLines> ReadLines(store::RunReader& run, const TensorGridQuery& query, StringId role,
                              int32_t rank, const ReadingColumns& columns) {
  STEPTRACE_ASSIGN_OR_RETURN(const TensorPattern pattern, TensorPattern::Of(query.module));
  std::map<StringId, bool> wanted;
  TensorLines lines;
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<TensorStatRow>(
      {.columns = {}, .rank = rank, .from_ns = {}, .to_ns = {}},
      [&](std::span<const TensorStatRow> rows) -> Status {
        for (const TensorStatRow& row : rows) {
          if (row.role != role || row.rank != rank) continue;
          const auto [known, is_new] = wanted.try_emplace(row.tensor, false);
          if (is_new) known->second = pattern.In(run.Text(row.tensor));
          const size_t column = columns.Of(row.step);
          if (!known->second || column >= columns.size()) continue;
          TensorLine& line = lines[row.tensor];
          if (line.numel == 0 || row.ts_ns < line.first_ns) line.first_ns = row.ts_ns;
          line.numel = row.numel;
          line.type = row.type;
          if (line.cells.empty() && lines.size() <= static_cast<size_t>(2 * kMostGridTensors)) {
            line.cells.resize(columns.size());
          }
          if (!line.cells.empty()) line.cells[column].Add(row, query.statistic);
        }
        return {};
      }));
  return lines;
}

}  // namespace

std::optional<TensorStatistic> ParseTensorStatistic(std::string_view name) {
  const auto found = std::ranges::find(kTensorStatistics, name);
  if (found == std::end(kTensorStatistics)) return std::nullopt;
  return static_cast<TensorStatistic>(found - std::begin(kTensorStatistics));
}

Result<std::string> TensorGridJson(const std::filesystem::path& path,
                                   const TensorGridQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  STEPTRACE_ASSIGN_OR_RETURN(const Inventory inventory, TakeInventory(run));
  Json json = {{"roles", RolesJson(inventory, run)}};
  json["statistic"] = kTensorStatistics[static_cast<size_t>(query.statistic)];
  const auto role = RoleOf(inventory, run, query.role);
  static const std::map<int32_t, std::set<int64_t>> kNobody;
  const auto& ranks = role ? inventory.steps.at(*role) : kNobody;
  json["role"] = role ? Json(run.Text(*role)) : Json();
  json["ranks"] = RanksJson(ranks);
  const int32_t rank = query.rank.value_or(ranks.empty() ? -1 : ranks.begin()->first);
  const auto of_rank = ranks.find(rank);
  const ReadingColumns columns(of_rank == ranks.end() ? std::set<int64_t>() : of_rank->second,
                               query.columns);
  json["rank"] = rank;
  json["columns"] = columns.Json();
  json["readings_in_column"] = columns.readings();
  int64_t left_out = 0;
  json["tensors"] = Json::array();
  if (role && columns.size() > 0) {
    STEPTRACE_ASSIGN_OR_RETURN(const TensorLines lines,
                               ReadLines(run, query, *role, rank, columns));
    json["tensors"] = LinesJson(lines, run, columns.readings() > 1, left_out);
  }
  json["left_out"] = left_out;
  return ToText(json);
}

}  // namespace steptrace::rpc
