// SPDX-License-Identifier: Apache-2.0
#include "serve/http/row_answers.h"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/inert_text.h"
#include "serve/rpc/samples.h"
#include "serve/rpc/table.h"
#include "serve/rpc/tensor_grid.h"
#include "serve/rpc/tensor_pattern.h"

namespace steptrace::http {
namespace {

constexpr int64_t kMaxTableRows = 1'000'000;

std::optional<int32_t> RankOf(Parameters& parameters) {
  const auto rank = parameters.Integer("rank", INT32_MIN, INT32_MAX);
  return rank ? std::optional(static_cast<int32_t>(*rank)) : std::nullopt;
}

Answer FromJson(Result<std::string> json, int otherwise) {
  if (!json.ok()) return Refuse(otherwise, json.error());
  Answer answer;
  answer.body = InertJson(*std::move(json));
  return answer;
}

}  // namespace

Answer TableAnswer(const std::filesystem::path& run, const std::string& name,
                   Parameters& parameters) {
  if (const auto table = rpc::FindTable(name); !table.ok()) {
    return Refuse(404, table.error().Of("table"));
  }
  rpc::TableQuery query;
  query.run = run;
  query.table = name;
  query.columns = SplitAtCommas(parameters.Text("columns").value_or(""));
  query.where = parameters.Text("where").value_or("");
  query.limit = parameters.Integer("limit", 0, kMaxTableRows).value_or(kMaxTableRows);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (const Status status = rpc::CheckQuery(query); !status.ok()) {
    return Refuse(400, status.error());
  }
  std::vector<store::DamagedSegment> damaged;
  query.damaged = &damaged;
  auto table = rpc::TableArrow(query);
  if (!table.ok()) return Refuse(500, table.error());
  // Rows alone cannot say that some are missing.
  if (!damaged.empty()) return Refuse(500, damaged[0].why.Of(damaged[0].segment.file));
  return FromFile(std::move(table->fd), table->bytes, kArrowType);
}

Answer SamplesAnswer(const std::filesystem::path& run, Parameters& parameters) {
  rpc::SamplesQuery query;
  std::tie(query.from_ns, query.to_ns) = parameters.TimeRange();
  query.rank = RankOf(parameters);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (const auto threads = parameters.Text("threads")) {
    query.threads = rpc::ParseThreadKind(*threads);
    if (!query.threads) return Refuse(400, {"threads: no such", "give training, worker or other"});
  }
  return FromJson(rpc::SamplesJson(run, query), 500);
}

Answer TensorsAnswer(const std::filesystem::path& run, Parameters& parameters) {
  rpc::TensorGridQuery query;
  query.role = parameters.Text("role").value_or("");
  query.module = parameters.Text("module").value_or("");
  query.rank = RankOf(parameters);
  query.columns = parameters.Integer("columns", 1, rpc::kMostGridColumns).value_or(query.columns);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (const Status valid = rpc::CheckTensorPattern(query.module); !valid.ok()) {
    return Refuse(400, valid.error());
  }
  if (const auto name = parameters.Text("statistic")) {
    const auto statistic = rpc::ParseTensorStatistic(*name);
    if (!statistic) return Refuse(400, {"statistic: no such", "give rms, norm or max_abs"});
    query.statistic = *statistic;
  }
  return FromJson(rpc::TensorGridJson(run, query), 500);
}

Answer TensorHistogramAnswer(const std::filesystem::path& run, Parameters& parameters) {
  rpc::TensorHistogramQuery query;
  query.tensor = parameters.Text("tensor").value_or("");
  query.role = parameters.Text("role").value_or("");
  query.rank = RankOf(parameters);
  query.columns = parameters.Integer("columns", 1, rpc::kMostGridColumns).value_or(query.columns);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (query.tensor.empty() || query.role.empty()) {
    return Refuse(400, {"tensor, role: one is absent", "give both, as in /tensors"});
  }
  return FromJson(rpc::TensorHistogramJson(run, query), 500);
}

}  // namespace steptrace::http
