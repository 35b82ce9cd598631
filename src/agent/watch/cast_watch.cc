// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/cast_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {
namespace {

using wire::ElementType;

struct Narrow {
  ElementType type;
  double largest;    // that it can hold, rounded to
  double vanishing;  // below it all is rounded to 0: half of its least
  bool scaled;       // to the largest element of each tensor
};
constexpr Narrow kNarrow[] = {
    {ElementType::kFloat16, 65520, 0x1p-25, false},
    {ElementType::kFloat8E4m3fn, 448, 0x1p-10, true},
    {ElementType::kFloat8E5m2, 57344, 0x1p-17, true},
};

bool IsWide(ElementType type) {
  return type == ElementType::kFloat64 || type == ElementType::kFloat32 ||
         type == ElementType::kBfloat16;
}

// The first bin holds what is smaller, too, the last one what is larger.
int64_t CountBelow(const ReportedTensor& tensor, double limit) {
  int64_t count = 0;
  for (size_t bin = 0; bin < tensor.bins.size(); ++bin) {
    const int exponent = static_cast<int>(bin) + wire::kTensorLowestExponent;
    if (std::ldexp(1.0, exponent + 1) > limit) break;
    count += tensor.bins[bin];
  }
  return count;
}

int64_t CountFrom(const ReportedTensor& tensor, double limit) {
  int64_t count = 0;
  for (size_t bin = tensor.bins.size(); bin-- > 0;) {
    const int exponent = static_cast<int>(bin) + wire::kTensorLowestExponent;
    if (std::ldexp(1.0, exponent) < limit) break;
    count += tensor.bins[bin];
  }
  return count;
}

double LargestOf(const ReportedTensor& tensor) {
  return tensor.finite() == 0 ? 0 : std::max(std::fabs(tensor.min), std::fabs(tensor.max));
}

}  // namespace

void CastWatch::OnTensors(const EventSource&, std::span<const ReportedTensor> tensors) {
  static_assert(std::size(kNarrow) == kTypes);
  for (const ReportedTensor& tensor : tensors) {
    const bool is_weight = tensor.role == wire::TensorRole::kWeight;
    if (!is_weight && tensor.role != wire::TensorRole::kGradient) continue;
    const double largest = LargestOf(tensor);
    if (!IsWide(tensor.type) || largest == 0) continue;
    Role& role = is_weight ? weights_ : gradients_;
    role.elements += tensor.finite() - tensor.zeros;
    for (size_t i = 0; i < kTypes; ++i) {
      const Narrow& narrow = kNarrow[i];
      Lost& lost = role.lost[i];
      const double unit = narrow.scaled ? largest / narrow.largest : 1;
      const int64_t zero = CountBelow(tensor, narrow.vanishing * unit);
      lost.zero += zero;
      if (zero > lost.worst) {
        lost.worst = zero;
        lost.worst_name = tensor.name;
      }
      if (narrow.scaled || largest < narrow.largest) continue;
      lost.over += std::max<int64_t>(CountFrom(tensor, narrow.largest), 1);
    }
  }
}

std::optional<Alert> CastWatch::Tell(const Role& role, bool weights) const {
  using Found = model::finding::LiveCastRange;
  std::vector<Found::Item> items;
  for (size_t i = 0; i < kTypes; ++i) {
    const Lost& lost = role.lost[i];
    const double share = static_cast<double>(lost.zero) / static_cast<double>(role.elements);
    if (share < kLeastShare && lost.over == 0) continue;
    Found::Item item{.scaled = kNarrow[i].scaled, .type = ElementTypeText(kNarrow[i].type)};
    if (share >= kLeastShare) {
      item.zero = share;
      item.tensor = CleanUtf8(strings_.Text(lost.worst_name));
    }
    if (lost.over > 0) item.over = lost.over;
    items.push_back(std::move(item));
  }
  if (items.empty()) return std::nullopt;
  return Alert{.found = Make(Found{.weights = weights, .items = std::move(items)}),
               .severity = store::Severity::kInfo,
               .subject = weights ? "range of weights" : "range of gradients"};
}

std::vector<Alert> CastWatch::Check(Moment moment, int64_t, const Job&) {
  std::vector<Alert> alerts;
  if (moment != Moment::kFinished) return alerts;
  for (const bool weights : {false, true}) {
    const Role& role = weights ? weights_ : gradients_;
    if (role.elements == 0) continue;
    if (auto alert = Tell(role, weights)) alerts.push_back(*std::move(alert));
  }
  return alerts;
}

std::vector<Unjudged> CastWatch::WhyUnjudged() const {
  if (gradients_.elements + weights_.elements > 0) return {};
  return {{model::FindingKind::kLiveCastRange, MissingInput::kWide}};
}

}  // namespace steptrace::agent
