// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensors.h"

#include <regex.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

// libc's: a pattern of the user's own, on names that are short.
class Pattern {
 public:
  static Result<Pattern> Of(const std::string& text) {
    Pattern pattern;
    if (text.empty()) return pattern;
    auto compiled = std::make_unique<regex_t>();
    if (const int code = regcomp(compiled.get(), text.c_str(), REG_EXTENDED | REG_NOSUB);
        code != 0) {
      char why[128] = {};
      regerror(code, compiled.get(), why, sizeof why);
      return Error{"--module: not a regular expression: " + std::string(why),
                   "as 'layer4.*weight'"};
    }
    pattern.compiled_.reset(compiled.release());
    return pattern;
  }
  bool In(const std::string& name) const {
    return !compiled_ || regexec(compiled_.get(), name.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  struct Free {
    void operator()(regex_t* compiled) const {
      regfree(compiled);
      delete compiled;
    }
  };
  std::unique_ptr<regex_t, Free> compiled_;
};

SeenTensor ToSeen(const store::TensorStatRow& row, const store::RunReader& run) {
  SeenTensor seen{.tensor = run.Text(row.tensor),
                  .role = run.Text(row.role),
                  .type = run.Text(row.type),
                  .rank = row.rank,
                  .step = row.step,
                  .numel = row.numel,
                  .not_finite = row.nan + row.positive_inf + row.negative_inf,
                  .zeros = row.zeros,
                  .min = row.min,
                  .max = row.max};
  const auto finite = static_cast<double>(seen.numel - seen.not_finite);
  if (finite > 0) {
    seen.mean = row.sum / finite;
    seen.mean_abs = row.abs_sum / finite;
    seen.rms = std::sqrt(row.square_sum / finite);
  }
  return seen;
}

// The newest row of each tensor, and in which order they came first.
class Newest {
 public:
  explicit Newest(const TensorsQuery& query) : query_(query) {}

  void Add(const store::TensorStatRow& row) {
    if (query_.step && row.step > *query_.step) return;
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
  STEPTRACE_ASSIGN_OR_RETURN(const Pattern pattern, Pattern::Of(query.module));
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
