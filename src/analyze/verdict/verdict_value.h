// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/stages/stage_row.h"
#include "analyze/stages/stages.h"
#include "model/finding.h"

// The verdict as a value: who is to blame for the steps' length, what speaks for it and what to do.
namespace steptrace::analyze {

enum class VerdictStatus { kFound, kNoSingleSuspect, kTooFewSteps, kNoSteps, kNoTraining };

struct Advice {
  model::Finding what;
  std::string setting;  // e.g. DataLoader.num_workers, empty: not a setting
  std::string current;  // its value now
  std::string proposed;
};

// A rule that found something and points at the same suspect.
struct AgreeingRule {
  std::string name;
  model::Finding first;  // of its evidence
};

// What the whole run's report says, beside one on a few of its steps.
struct RunVerdict {
  int64_t steady = 0;  // its steady steps
  VerdictStatus status = VerdictStatus::kNoSteps;
  std::string suspect;
  std::optional<model::Finding> headline;
  double share = 0, share_low = 0, share_high = 0;
};

struct Verdict {
  VerdictStatus status = VerdictStatus::kNoSteps;
  std::string suspect;    // of schema/stages.toml; empty: none
  std::string sub_stage;  // likewise
  std::optional<model::Finding> headline;
  bool healthy = false;  // the model fills the step, and nothing is in its way
  double share = 0, share_low = 0, share_high = 0;  // 95 % interval
  std::optional<double> at_most_speedup;            // step time over step time without it
  std::optional<int64_t> at_most_saving_ns;         // over the whole run's training time
  std::optional<double> at_most_saving_money;
  // communication / straggler only: who is late, and by what of its own
  std::optional<int32_t> straggler_rank;
  std::optional<StragglerCause> straggler_cause;
  std::optional<StageFunction> function;  // of the sub-stage, the one with most time
  std::vector<model::Finding> evidence;
  std::vector<AgreeingRule> rules;
  std::vector<Advice> advice;
  std::optional<RunVerdict> whole_run;  // where these steps are a few of it, and it was asked for
};

}  // namespace steptrace::analyze
