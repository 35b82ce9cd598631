// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "analyze/tensors/tensor_figures.h"
#include "serve/rpc/json_out.h"
#include "serve/rpc/reading_columns.h"
#include "serve/rpc/tensor_grid.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

using HistogramJson = nlohmann::ordered_json;

constexpr int32_t kLeastExponent = -40;
constexpr int32_t kMostExponent = 23;

// The last reading of a column.
struct LastLook {
  int64_t step = -1;
  int64_t zeros = 0;
  int64_t not_finite = 0;
  std::map<int32_t, int64_t> counts;  // by exponent
};

// Whether a row is of the tensor that is asked for; texts are compared once each.
class OfTensor {
 public:
  OfTensor(const store::RunReader& run, const TensorHistogramQuery& query)
      : run_(run), query_(query) {}
  template <class Row>
  bool operator()(const Row& row) {
    return Is(tensors_, row.tensor, query_.tensor) && Is(roles_, row.role, query_.role);
  }

 private:
  using Known = std::map<store::StringId, bool>;
  bool Is(Known& known, store::StringId id, const std::string& text) const {
    const auto [found, is_new] = known.try_emplace(id, false);
    if (is_new) found->second = run_.Text(id) == text;
    return found->second;
  }
  const store::RunReader& run_;
  const TensorHistogramQuery& query_;
  Known tensors_, roles_;
};

using ReadingsOfRanks = std::map<int32_t, std::map<int64_t, LastLook>>;  // by rank and step

Result<ReadingsOfRanks> LooksAt(store::RunReader& run, OfTensor& is_it,
                                const TensorHistogramQuery& query) {
  ReadingsOfRanks readings;
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::TensorStatRow>(
      {.columns = {}, .rank = query.rank, .from_ns = {}, .to_ns = {}},
      [&](std::span<const store::TensorStatRow> rows) -> Status {
        for (const store::TensorStatRow& row : rows) {
          if (!is_it(row)) continue;
          readings[row.rank][row.step] = {row.step, row.zeros, analyze::NotFiniteOf(row), {}};
        }
        return {};
      }));
  return readings;
}

Status AddCounts(store::RunReader& run, OfTensor& is_it, int32_t rank,
                 std::vector<LastLook>& columns, const ReadingColumns& places) {
  return run.ReadBatches<store::TensorHistogramRow>(
      {.columns = {}, .rank = rank, .from_ns = {}, .to_ns = {}},
      [&](std::span<const store::TensorHistogramRow> rows) -> Status {
        for (const store::TensorHistogramRow& row : rows) {
          if (row.rank != rank || !is_it(row)) continue;
          const size_t column = places.Of(row.step);
          if (column >= columns.size() || columns[column].step != row.step) continue;
          if (row.exponent < kLeastExponent || row.exponent > kMostExponent) continue;
          columns[column].counts[row.exponent] += std::max<int64_t>(row.count, 0);
        }
        return {};
      });
}

// Exponents that some column has, and those between them.
std::pair<int32_t, int32_t> Ends(const std::vector<LastLook>& columns) {
  int32_t low = kMostExponent, high = kLeastExponent;
  for (const LastLook& one : columns) {
    if (one.counts.empty()) continue;
    low = std::min(low, one.counts.begin()->first);
    high = std::max(high, one.counts.rbegin()->first);
  }
  return {low, high};
}

HistogramJson CountsJson(const std::vector<LastLook>& columns, int32_t low, int32_t high) {
  HistogramJson rows = HistogramJson::array();
  for (int32_t exponent = low; exponent <= high; ++exponent) {
    HistogramJson counts = HistogramJson::array();
    for (const LastLook& one : columns) {
      const auto found = one.counts.find(exponent);
      counts.push_back(found == one.counts.end() ? 0 : found->second);
    }
    rows.push_back({{"exponent", exponent}, {"counts", std::move(counts)}});
  }
  return rows;
}

template <class Get>
HistogramJson EachColumn(const std::vector<LastLook>& columns, Get get) {
  HistogramJson values = HistogramJson::array();
  for (const LastLook& one : columns) values.push_back(get(one));
  return values;
}

}  // namespace

Result<std::string> TensorHistogramJson(const std::filesystem::path& path,
                                        const TensorHistogramQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  OfTensor is_it(run, query);
  STEPTRACE_ASSIGN_OR_RETURN(const ReadingsOfRanks ranks, LooksAt(run, is_it, query));
  HistogramJson json = {{"tensor", query.tensor}, {"role", query.role}, {"rank", HistogramJson()}};
  std::set<int64_t> steps;
  std::vector<LastLook> columns;
  if (!ranks.empty()) {
    for (const auto& [step, reading] : ranks.begin()->second) steps.insert(step);
  }
  const ReadingColumns places(steps, query.columns);
  columns.resize(places.size());
  if (!ranks.empty()) {
    const auto& [rank, readings] = *ranks.begin();
    json["rank"] = rank;
    for (const auto& [step, reading] : readings) columns[places.Of(step)] = reading;
    STEPTRACE_RETURN_IF_ERROR(AddCounts(run, is_it, rank, columns, places));
  }
  const auto [low, high] = Ends(columns);
  json["columns"] = EachColumn(columns, [](const LastLook& one) { return one.step; });
  json["exponents"] = CountsJson(columns, low, high);
  json["zeros"] = EachColumn(columns, [](const LastLook& one) { return one.zeros; });
  json["not_finite"] = EachColumn(columns, [](const LastLook& one) { return one.not_finite; });
  return ToText(json);
}

}  // namespace steptrace::rpc
