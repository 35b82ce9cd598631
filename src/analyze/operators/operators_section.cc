// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/operators_section.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

#include "analyze/operators/detail_members.h"
#include "analyze/operators/pair_index.h"
#include "analyze/operators/vector_index.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

std::optional<double> Share(int64_t part, int64_t whole) {
  if (whole <= 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(whole);
}

OperatorSums SumsOf(const TraceEvent& event, const OperatorTree& tree, size_t i) {
  OperatorSums sums;
  sums.calls = 1;
  sums.host_total_ns = event.dur_ns;
  sums.host_self_ns = tree.host_self_ns[i];
  const LaunchedTimes launched = tree.LaunchedBy(i);
  sums.device_total_ns = launched.device_total_ns;
  sums.device_self_ns = launched.device_self_ns;
  sums.kernel_total_ns = launched.kernel_total_ns;
  sums.kernel_self_ns = launched.kernel_self_ns;
  sums.tensor_core_total_ns = launched.tensor_total_ns;
  sums.tensor_core_self_ns = launched.tensor_self_ns;
  sums.tensor_core_eligible = tree.tensor_eligible[i] != 0;
  if (event.step != kNone) {
    sums.host_self_in_steps_ns = sums.host_self_ns;
    sums.device_self_in_steps_ns = sums.device_self_ns;
  }
  return sums;
}

// The order of all tables of operators.
template <class Row>
bool MoreTime(const Row& a, const Row& b) {
  return std::tuple(-a.sums.device_self_ns, -a.sums.host_self_ns, -a.sums.calls) <
         std::tuple(-b.sums.device_self_ns, -b.sums.host_self_ns, -b.sums.calls);
}

void SortVariants(std::vector<OperatorVariant>& variants) {
  std::sort(variants.begin(), variants.end(), [](const auto& a, const auto& b) {
    return MoreTime(a, b) || (!MoreTime(b, a) && a.key < b.key);
  });
}

// Sums of the variants of one kind (shapes, stacks), by row and key.
class Variants {
 public:
  explicit Variants(std::string_view member) : member_(member) {}

  void Add(size_t row, std::string_view details, const OperatorSums& sums) {
    const std::string_view value = DetailMember(details, member_);
    if (value.empty()) return;
    auto key = keys_.try_emplace(value, static_cast<int32_t>(keys_.size())).first;
    const auto number = At(index_.Of(static_cast<int32_t>(row), key->second));
    if (number == sums_.size()) sums_.push_back({DetailText(value), {}});
    sums_[number].sums += sums;
  }

  void MoveTo(std::vector<OperatorRow>& rows, std::vector<OperatorVariant> OperatorRow::*field) {
    for (size_t i = 0; i < sums_.size(); ++i) {
      (rows[At(index_[i].first)].*field).push_back(std::move(sums_[i]));
    }
    for (OperatorRow& row : rows) SortVariants(row.*field);
  }

 private:
  std::string_view member_;
  SeededMap<std::string_view, int32_t> keys_;  // views of the string table's texts
  PairIndex index_;
  std::vector<OperatorVariant> sums_;
};

void SortRows(std::vector<OperatorRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return MoreTime(a, b) || (!MoreTime(b, a) && a.name < b.name);
  });
}

// Of a row or of one of its variants.
void SetShares(auto& one, const OperatorSums& all) {
  one.host_self_share = Share(one.sums.host_self_ns, all.host_self_ns).value_or(0);
  one.device_self_share = Share(one.sums.device_self_ns, all.device_self_ns).value_or(0);
}

void SetShares(const StepTime& steps, std::vector<OperatorRow>& rows) {
  OperatorSums all;
  for (const OperatorRow& row : rows) all += row.sums;
  for (OperatorRow& row : rows) {
    row.steps = steps;
    SetShares(row, all);
    for (OperatorVariant& shape : row.shapes) SetShares(shape, all);
    for (OperatorVariant& stack : row.stacks) SetShares(stack, all);
  }
}

std::vector<OperatorRow> RowsOf(const Trace& trace, const RankTrace& rank,
                                const OperatorTree& tree) {
  // First by name and details: all that is left to do is then done once for each of those.
  PairIndex pairs;
  std::vector<OperatorSums> sums;
  for (size_t i = 0; i < rank.host.size(); ++i) {
    if (!tree.listed[i]) continue;
    const TraceEvent& event = rank.host[i];
    const auto pair =
        At(pairs.Of(static_cast<int32_t>(event.name), static_cast<int32_t>(event.details)));
    if (pair == sums.size()) sums.emplace_back();
    sums[pair] += SumsOf(event, tree, i);
  }
  std::vector<OperatorRow> rows;
  std::vector<int32_t> row_of(At(trace.strings->size()), kNone);
  Variants shapes("Input Dims");
  Variants stacks("Call stack");
  for (size_t i = 0; i < sums.size(); ++i) {
    int32_t& row = row_of[At(pairs[i].first)];
    if (row == kNone) {
      row = static_cast<int32_t>(rows.size());
      rows.emplace_back();
      rows.back().rank = rank.rank;
      rows.back().name = trace.Text(static_cast<store::StringId>(pairs[i].first));
    }
    rows[At(row)].sums += sums[i];
    const std::string& details = trace.Text(static_cast<store::StringId>(pairs[i].second));
    shapes.Add(At(row), details, sums[i]);
    stacks.Add(At(row), details, sums[i]);
  }
  shapes.MoveTo(rows, &OperatorRow::shapes);
  stacks.MoveTo(rows, &OperatorRow::stacks);
  SetShares(StepTimeOf(rank), rows);
  SortRows(rows);
  return rows;
}

OperatorTotals TotalsOf(const RankTrace& rank, const std::vector<OperatorRow>& rows) {
  OperatorTotals totals;
  totals.rank = rank.rank;
  totals.steps = StepTimeOf(rank);
  for (const OperatorRow& row : rows) totals.sums += row.sums;
  for (const TraceEvent& event : rank.device) {
    if (IsDeviceWork(event)) totals.device_outside_ns += event.dur_ns;
  }
  totals.device_outside_ns -= totals.sums.device_self_ns;
  return totals;
}

std::vector<OperatorRow> AllRanks(const StepTime& steps, const std::vector<OperatorRow>& rows) {
  std::map<std::string_view, OperatorSums> by_name;
  for (const OperatorRow& row : rows) by_name[row.name] += row.sums;
  std::vector<OperatorRow> all;
  for (const auto& [name, sums] : by_name) {
    all.emplace_back();
    all.back().name = name;
    all.back().sums = sums;
  }
  SetShares(steps, all);
  SortRows(all);
  return all;
}

}  // namespace

OperatorSums& OperatorSums::operator+=(const OperatorSums& other) {
  calls += other.calls;
  host_total_ns += other.host_total_ns;
  host_self_ns += other.host_self_ns;
  device_total_ns += other.device_total_ns;
  device_self_ns += other.device_self_ns;
  kernel_total_ns += other.kernel_total_ns;
  kernel_self_ns += other.kernel_self_ns;
  tensor_core_total_ns += other.tensor_core_total_ns;
  tensor_core_self_ns += other.tensor_core_self_ns;
  host_self_in_steps_ns += other.host_self_in_steps_ns;
  device_self_in_steps_ns += other.device_self_in_steps_ns;
  tensor_core_eligible = tensor_core_eligible || other.tensor_core_eligible;
  return *this;
}

std::optional<double> OperatorSums::tensor_core_total_share() const {
  return Share(tensor_core_total_ns, kernel_total_ns);
}

std::optional<double> OperatorSums::tensor_core_self_share() const {
  return Share(tensor_core_self_ns, kernel_self_ns);
}

OperatorsSection BuildOperators(const Trace& trace, std::span<const OperatorTree> trees) {
  OperatorsSection section;
  for (size_t i = 0; i < trace.ranks.size(); ++i) {
    std::vector<OperatorRow> rows = RowsOf(trace, trace.ranks[i], trees[i]);
    section.totals.push_back(TotalsOf(trace.ranks[i], rows));
    std::move(rows.begin(), rows.end(), std::back_inserter(section.rows));
  }
  if (trace.ranks.size() > 1) section.all_ranks = AllRanks(StepTimeOf(trace), section.rows);
  return section;
}

OperatorsSection BuildOperators(const Trace& trace) {
  return BuildOperators(trace, BuildOperatorTrees(trace));
}

}  // namespace steptrace::analyze
