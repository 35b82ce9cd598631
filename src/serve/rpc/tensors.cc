// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensors.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "analyze/tensors/tensor_figures.h"
#include "serve/rpc/tensor_pattern.h"
#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

SeenTensor ToSeen(const store::TensorStatRow& row, const store::RunReader& run) {
  return {.tensor = run.Text(row.tensor),
          .role = run.Text(row.role),
          .type = run.Text(row.type),
          .rank = row.rank,
          .step = row.step,
          .numel = row.numel,
          .not_finite = analyze::NotFiniteOf(row),
          .zeros = row.zeros,
          .min = row.min,
          .max = row.max,
          .mean = analyze::MeanOf(row),
          .mean_abs = analyze::MeanAbsOf(row),
          .rms = analyze::RmsOf(row)};
}

// The newest row of each tensor, and in which order they came first.
class Newest {
 public:
  explicit Newest(const TensorsQuery& query) : query_(query) {}

  void Add(const store::TensorStatRow& row) {
    if (query_.step && row.step > *query_.step) return;
    if (query_.only_then && row.step != query_.step) return;
    const Key key{row.tensor, row.role, row.node, row.rank};
    const auto [found, is_new] = rows_.try_emplace(key, row, row.ts_ns);
    if (is_new) return;
    found->second.second = std::min(found->second.second, row.ts_ns);
    if (row.ts_ns >= found->second.first.ts_ns) found->second.first = row;
  }

  std::vector<store::TensorStatRow> InOrder() const {
    std::multimap<std::pair<int32_t, int64_t>, const store::TensorStatRow*> by_time;
    for (const auto& [key, row] : rows_) {
      by_time.emplace(std::pair(row.first.rank, row.second), &row.first);
    }
    std::vector<store::TensorStatRow> rows;
    for (const auto& [time, row] : by_time) rows.push_back(*row);
    return rows;
  }

 private:
  using Key = std::tuple<store::StringId, store::StringId, int32_t, int32_t>;
  const TensorsQuery& query_;
  std::map<Key, std::pair<store::TensorStatRow, int64_t>> rows_;
};

}  // namespace

Result<SeenTensors> ReadTensors(const std::filesystem::path& path, const TensorsQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(const TensorPattern pattern, TensorPattern::Of(query.module));
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  Newest newest(query);
  SeenTensors seen;
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::TensorStatRow>(
      {}, [&](std::span<const store::TensorStatRow> rows) -> Status {
        seen.any = seen.any || !rows.empty();
        for (const store::TensorStatRow& row : rows) newest.Add(row);
        return {};
      }));
  for (const store::TensorStatRow& row : newest.InOrder()) {
    SeenTensor one = ToSeen(row, run);
    if (!query.role.empty() && one.role != query.role) continue;
    if (pattern.In(one.tensor)) seen.tensors.push_back(std::move(one));
  }
  return seen;
}

}  // namespace steptrace::rpc
