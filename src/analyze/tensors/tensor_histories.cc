// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensor_histories.h"

#include <algorithm>
#include <utility>

#include "analyze/tensors/tensor_figures.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kLossRole = "loss";

void Widen(std::optional<double>& low, std::optional<double>& high, std::optional<double> value) {
  if (!value) return;
  low = std::min(low.value_or(*value), *value);
  high = std::max(high.value_or(*value), *value);
}

// Of two readings of one step the one of the lower rank stands for it.
bool IsBefore(const store::TensorStatRow& a, const store::TensorStatRow& b) {
  return std::pair(a.step, a.rank) < std::pair(b.step, b.rank);
}

void NoteLoss(const store::TensorStatRow& row, LossHistory& history) {
  ++history.readings;
  const auto loss = NotFiniteOf(row) == 0 ? MeanOf(row) : std::nullopt;
  if (!loss) {
    ++history.not_finite;
    history.not_finite_step = std::min(history.not_finite_step.value_or(row.step), row.step);
    return;
  }
  const LossAt at{row.step, *loss};
  if (!history.first || at.step < history.first->step) history.first = at;
  if (!history.last || at.step >= history.last->step) history.last = at;
  if (!history.best || at.loss < history.best->loss) history.best = at;
}

}  // namespace

size_t TensorHistories::HashOfKey::operator()(const Key& key) const {
  const auto tensor = static_cast<uint64_t>(static_cast<uint32_t>(key.first));
  return std::hash<uint64_t>()(tensor << 32 | static_cast<uint32_t>(key.second));
}

void TensorHistories::Add(std::span<const store::TensorStatRow> rows) {
  for (const store::TensorStatRow& row : rows) {
    const bool loss = Text(row.role) == kLossRole;
    Steps& steps = steps_[{row.role, row.rank, row.node}];
    if (loss || row.step != steps.last) ++steps.count;
    steps.last = row.step;
    if (loss) {
      AddLoss(row);
    } else {
      AddHistory(row);
    }
  }
}

void TensorHistories::AddLoss(const store::TensorStatRow& row) {
  Loss& loss = losses_[{row.tensor, row.rank, row.node}];
  NoteLoss(row, loss.history);
  loss.curve.Add(row.step, NotFiniteOf(row) == 0 ? MeanOf(row) : std::nullopt);
}

void TensorHistories::AddHistory(const store::TensorStatRow& row) {
  History& history = histories_[{row.tensor, row.role}];
  const auto norm = NormOf(row);
  if (history.readings++ == 0) {
    history.first = history.last = row;
    history.first_ns = row.ts_ns;
    history.norm_low = history.norm_high = norm;
  } else {
    history.first_ns = std::min(history.first_ns, row.ts_ns);
    if (IsBefore(row, history.first)) history.first = row;
    if (row.step > history.last.step) {
      history.last = row;
      history.norm_low = history.norm_high = norm;
    } else if (row.step == history.last.step) {
      if (row.rank <= history.last.rank) history.last = row;
      Widen(history.norm_low, history.norm_high, norm);
    }
  }
  if (norm && (!history.largest_norm || *norm > *history.largest_norm)) {
    history.largest_norm = norm;
    history.largest_step = row.step;
  }
  if (NotFiniteOf(row) == 0) return;
  ++history.not_finite;
  if (!history.not_finite_first || IsBefore(row, *history.not_finite_first)) {
    history.not_finite_first = row;
  }
}

TensorHistory TensorHistories::Made(const History& history) const {
  const store::TensorStatRow& last = history.last;
  TensorHistory made{.tensor = Text(last.tensor),
                     .role = Text(last.role),
                     .type = Text(last.type),
                     .readings = history.readings,
                     .first_step = history.first.step,
                     .last_step = last.step,
                     .rank = last.rank,
                     .numel = last.numel,
                     .norm = NormOf(last),
                     .rms = RmsOf(last),
                     .min = last.min,
                     .max = last.max,
                     .zero_share = ZeroShareOf(last),
                     .norm_low = history.norm_low,
                     .norm_high = history.norm_high,
                     .first_norm = NormOf(history.first),
                     .largest_norm = history.largest_norm,
                     .largest_step = history.largest_step,
                     .not_finite = history.not_finite};
  if (history.not_finite_first) {
    made.not_finite_step = history.not_finite_first->step;
    made.not_finite_rank = history.not_finite_first->rank;
  }
  return made;
}

// What was not finite first, by when; then in the order in which they were first looked at.
std::vector<const TensorHistories::History*> TensorHistories::InOrder() const {
  std::vector<const History*> order;
  for (const auto& [key, history] : histories_) order.push_back(&history);
  const auto place = [](const History* history) {
    const auto& bad = history->not_finite_first;
    return std::tuple(!bad, bad ? bad->step : 0, bad ? bad->ts_ns : 0, history->first_ns,
                      history->last.tensor, history->last.role);
  };
  std::ranges::sort(order, [&](const History* a, const History* b) { return place(a) < place(b); });
  return order;
}

void TensorHistories::Fill(TensorsSection& section) const {
  section.history_count = static_cast<int64_t>(histories_.size());
  for (const History* history : InOrder()) {
    if (section.histories.size() == kMostHistories) break;
    section.histories.push_back(Made(*history));
  }
  for (const auto& [key, loss] : losses_) {
    LossHistory history = loss.history;
    history.name = Text(std::get<0>(key));
    history.rank = std::get<1>(key);
    section.losses.push_back(std::move(history));
    section.losses.back().curve = loss.curve.Parts();
  }
  std::ranges::stable_sort(section.losses, [](const LossHistory& a, const LossHistory& b) {
    return std::tie(a.name, a.rank) < std::tie(b.name, b.rank);
  });
  if (section.losses.size() > kMostLosses) section.losses.resize(kMostLosses);
}

std::map<std::string, int64_t> TensorHistories::Readings() const {
  std::map<std::string, int64_t> readings;
  for (const auto& [key, steps] : steps_) {
    for (const std::string& role : {Text(std::get<0>(key)), std::string()}) {
      readings[role] = std::max(readings[role], steps.count);
    }
  }
  return readings;
}

}  // namespace steptrace::analyze
