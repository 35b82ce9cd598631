// SPDX-License-Identifier: Apache-2.0
#include "analyze/tensors/tensors_json.h"

#include "analyze/json/json_parts.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

Json LossAtJson(const std::optional<LossAt>& at) {
  if (!at) return nullptr;
  return {{"step", at->step}, {"loss", at->loss}};
}

Json PartJson(const LossPart& part) {
  return ObjectOf("from_step", part.from_step, "to_step", part.to_step, "readings", part.readings,
                  "not_finite", part.not_finite, "mean", OrNull(part.mean), "low", OrNull(part.low),
                  "high", OrNull(part.high));
}

Json LossJson(const LossHistory& loss) {
  return {{"name", loss.name},
          {"rank", loss.rank},
          {"readings", loss.readings},
          {"not_finite", loss.not_finite},
          {"not_finite_step", OrNull(loss.not_finite_step)},
          {"first", LossAtJson(loss.first)},
          {"last", LossAtJson(loss.last)},
          {"best", LossAtJson(loss.best)},
          {"curve", Each(loss.curve, PartJson)}};
}

Json CourseJson(const TensorHistory& one) {
  const bool bad = one.not_finite > 0;
  const bool has_largest = one.largest_norm.has_value();
  return ObjectOf("tensor", one.tensor, "role", one.role, "type", one.type, "readings",
                  one.readings, "first_step", one.first_step, "last_step", one.last_step, "rank",
                  one.rank, "numel", one.numel, "norm", OrNull(one.norm), "rms", OrNull(one.rms),
                  "min", OrNull(one.min), "max", OrNull(one.max), "zero_share",
                  OrNull(one.zero_share), "norm_low", OrNull(one.norm_low), "norm_high",
                  OrNull(one.norm_high), "first_norm", OrNull(one.first_norm), "largest_norm",
                  OrNull(one.largest_norm), "largest_step",
                  has_largest ? Json(one.largest_step) : Json(nullptr), "not_finite",
                  one.not_finite, "not_finite_step", OrNull(one.not_finite_step), "not_finite_rank",
                  bad ? Json(one.not_finite_rank) : Json(nullptr));
}

Json RecordingJson(const std::optional<TensorRecording>& recording) {
  if (!recording) return nullptr;
  const auto uncovered = [](const std::pair<std::string, int64_t>& one) -> Json {
    return {{"why", one.first}, {"times", one.second}};
  };
  return {{"roles", recording->roles},
          {"every", OrNull(recording->every)},
          {"loss_every", OrNull(recording->loss_every)},
          {"cost_share", OrNull(recording->cost_share)},
          {"uncovered", Each(recording->uncovered, uncovered)}};
}

}  // namespace

Json TensorRuleJson(const TensorRuleResult& rule) {
  return {{"rule", model::InfoOf(rule.kind).id},   {"status", NameOf(rule.status)},
          {"needs", TextOrNull(rule.needs)},       {"readings", rule.readings},
          {"least_readings", rule.least_readings}, {"findings", rule.findings}};
}

Json TensorsJson(const TensorsSection& section) {
  return {{"recording", RecordingJson(section.recording)},
          {"losses", Each(section.losses, LossJson)},
          {"histories", Each(section.histories, CourseJson)},
          {"rules", Each(section.rules, TensorRuleJson)}};
}

}  // namespace steptrace::analyze
