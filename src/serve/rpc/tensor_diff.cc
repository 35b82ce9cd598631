// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/tensor_diff.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "store/run_reader.h"

namespace steptrace::rpc {
namespace {

using StepsByRole = std::map<std::string, std::set<int64_t>>;
using StepByRole = std::map<std::string, int64_t>;

Result<StepsByRole> StepsOfRun(const std::filesystem::path& path, const TensorsQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  std::map<store::StringId, std::set<int64_t>> steps;
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::TensorStatRow>(
      {.columns = {"step", "role"}, .rank = {}, .from_ns = {}, .to_ns = {}},
      [&](std::span<const store::TensorStatRow> rows) -> Status {
        for (const store::TensorStatRow& row : rows) {
          if (!query.step || row.step <= *query.step) steps[row.role].insert(row.step);
        }
        return {};
      }));
  StepsByRole by_role;
  for (auto& [role, of_role] : steps) by_role[run.Text(role)] = std::move(of_role);
  return by_role;
}

// The last that both have.
StepByRole CommonSteps(const StepsByRole& a, const StepsByRole& b) {
  StepByRole common;
  for (const auto& [role, steps] : a) {
    const auto other = b.find(role);
    if (other == b.end()) continue;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      if (!other->second.contains(*step)) continue;
      common[role] = *step;
      break;
    }
  }
  return common;
}

// How much is to be seen first; nothing more than what is finite in one alone.
double ChangeOf(const ComparedTensor& one) {
  constexpr double kMost = std::numeric_limits<double>::max();
  if (!one.a || !one.b) return kMost / 4;
  if ((one.a->not_finite > 0) != (one.b->not_finite > 0)) return kMost;
  const auto ratio = one.ratio();
  if (ratio && *ratio > 0) return std::fabs(std::log(*ratio));
  return one.alike() ? 0 : kMost / 2;
}

}  // namespace

std::optional<double> ComparedTensor::ratio() const {
  if (!a || !b || !a->rms || !b->rms || *a->rms == 0) return std::nullopt;
  const double ratio = *b->rms / *a->rms;
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

bool ComparedTensor::alike() const {
  if (!a || !b) return false;
  const auto figures = [](const SeenTensor& one) {
    return std::tie(one.type, one.numel, one.not_finite, one.zeros, one.min, one.max, one.mean,
                    one.mean_abs, one.rms);
  };
  return figures(*a) == figures(*b);
}

Result<std::vector<ComparedTensor>> CompareTensors(const std::filesystem::path& a,
                                                   const std::filesystem::path& b,
                                                   const TensorsQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(const StepsByRole steps_a, StepsOfRun(a, query));
  STEPTRACE_ASSIGN_OR_RETURN(const StepsByRole steps_b, StepsOfRun(b, query));
  std::vector<ComparedTensor> compared;
  for (const auto& [role, step] : CommonSteps(steps_a, steps_b)) {
    if (!query.role.empty() && role != query.role) continue;
    const TensorsQuery at{query.module, role, step, true};
    STEPTRACE_ASSIGN_OR_RETURN(SeenTensors seen_a, ReadTensors(a, at));
    STEPTRACE_ASSIGN_OR_RETURN(SeenTensors seen_b, ReadTensors(b, at));
    std::map<std::pair<std::string, int32_t>, size_t> places;
    for (SeenTensor& one : seen_a.tensors) {
      places[{one.tensor, one.rank}] = compared.size();
      compared.push_back({one.tensor, role, one.rank, {}, {}});
      compared.back().a = std::move(one);
    }
    for (SeenTensor& one : seen_b.tensors) {
      const auto [place, added] = places.try_emplace({one.tensor, one.rank}, compared.size());
      if (added) compared.push_back({one.tensor, role, one.rank, {}, {}});
      compared[place->second].b = std::move(one);
    }
  }
  std::ranges::stable_sort(compared, [](const ComparedTensor& x, const ComparedTensor& y) {
    return ChangeOf(x) > ChangeOf(y);
  });
  return compared;
}

}  // namespace steptrace::rpc
