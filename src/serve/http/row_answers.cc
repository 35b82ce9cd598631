// SPDX-License-Identifier: Apache-2.0
#include "serve/http/row_answers.h"

#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "base/inert_text.h"
#include "serve/rpc/samples.h"
#include "serve/rpc/table.h"

namespace steptrace::http {
namespace {

constexpr int64_t kMaxTableRows = 1'000'000;

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
  const auto rank = parameters.Integer("rank", INT32_MIN, INT32_MAX);
  if (rank) query.rank = static_cast<int32_t>(*rank);
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (const auto threads = parameters.Text("threads")) {
    query.threads = rpc::ParseThreadKind(*threads);
    if (!query.threads) return Refuse(400, {"threads: no such", "give training, worker or other"});
  }
  auto samples = rpc::SamplesJson(run, query);
  if (!samples.ok()) return Refuse(500, samples.error());
  Answer answer;
  answer.body = InertJson(*std::move(samples));
  return answer;
}

}  // namespace steptrace::http
