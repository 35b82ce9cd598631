// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analyze/tensors/loss_curve.h"
#include "model/finding.h"

// The tensors of a run, as a report shows them: what was looked at, how it went over the steps, and
// what each rule makes of it.
namespace steptrace::analyze {

struct LossAt {
  int64_t step = 0;
  double loss = 0;
};

// A loss of a rank: a backward that begins at several tensors has several.
struct LossHistory {
  std::string name;
  int32_t rank = -1;
  int64_t readings = 0;
  int64_t not_finite = 0;                       // of the readings
  std::optional<int64_t> not_finite_step = {};  // the first
  std::optional<LossAt> first = {};             // of those that are finite
  std::optional<LossAt> last = {};
  std::optional<LossAt> best = {};  // the least
  std::vector<LossPart> curve = {};
};

// A tensor in one role, of all ranks that looked at it.
struct TensorHistory {
  std::string tensor;
  std::string role;
  std::string type;
  int64_t readings = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  // At the last step, of the lowest rank that looked then: of its finite elements.
  int32_t rank = -1;
  int64_t numel = 0;
  std::optional<double> norm = {};
  std::optional<double> rms = {};
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::optional<double> zero_share = {};
  // ... and of all ranks that looked then.
  std::optional<double> norm_low = {};
  std::optional<double> norm_high = {};
  std::optional<double> first_norm = {};    // at the first step, of its lowest rank
  std::optional<double> largest_norm = {};  // at any step
  int64_t largest_step = 0;
  int64_t not_finite = 0;                       // readings with elements that are not finite
  std::optional<int64_t> not_finite_step = {};  // the first
  int32_t not_finite_rank = -1;
};

// How a process that was asked to look at its tensors does it.
struct TensorRecording {
  std::vector<std::string> roles;          // that were asked for: gradients, weights, loss
  std::optional<int64_t> every = {};       // steps from look to look, of the rank with most
  std::optional<int64_t> loss_every = {};  // ... at the loss
  std::optional<double> cost_share = {};   // of a step's time, of the rank with most
  std::vector<std::pair<std::string, int64_t>> uncovered = {};  // why, how often
};

enum class TensorRuleStatus : uint8_t { kFound, kNotFound, kCannotTell, kNotApplicable };

struct TensorRuleResult {
  model::FindingKind kind;
  TensorRuleStatus status = TensorRuleStatus::kNotApplicable;
  std::string needs;           // the role that it judges; empty: any
  int64_t readings = 0;        // that there were of that, of the rank with most
  int64_t least_readings = 0;  // with fewer it cannot tell
  int64_t findings = 0;
};
std::string_view NameOf(TensorRuleStatus status);

struct TensorsSection {
  std::optional<TensorRecording> recording;
  std::vector<LossHistory> losses;  // by name and rank, the first kMostLosses
  std::vector<TensorHistory>
      histories;  // the first kMostHistories: what was not finite, then as they came
  int64_t history_count = 0;
  std::vector<TensorRuleResult> rules;

  bool any() const { return !losses.empty() || !histories.empty(); }
};
inline constexpr size_t kMostLosses = 64;
inline constexpr size_t kMostHistories = 1000;

}  // namespace steptrace::analyze
