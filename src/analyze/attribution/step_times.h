// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <span>
#include <vector>

#include "analyze/attribution/attribution.h"
#include "analyze/input/report_input.h"
#include "analyze/input/step_selection.h"
#include "analyze/stages/stages.h"
#include "analyze/stats/bootstrap.h"

namespace steptrace::analyze {

struct RankTimes {
  int64_t steps = 0;
  StageTimes stages{};
  int64_t last_in_steps = 0;           // steps in which the others waited for it
  int64_t caused_wait_ns = 0;          // how long all of them did
  std::map<int32_t, int64_t> waiters;  // of that, each of them
  StageTimes excess{};                 // of its own time in those steps over the others' mean
};

// A rank's steady step beside the other ranks' of the same number.
struct RankStep {
  int32_t rank = 0;
  int32_t node = 0;
  int64_t step = 0;
  int64_t total_ns = 0;
  int64_t computation_ns = 0;  // the model's
  int64_t transfer_ns = 0;     // the exchange itself
  int64_t wait_ns = 0;         // for the rank that came last
};

// What a share is of. The mean step itself lies in an interval: what a part of it takes varies with
// it, where its share of the time may not.
enum class Per : uint8_t { kTime, kMeanStep };

struct Outlier {
  int32_t rank = 0;
  int64_t step = 0;
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  std::string cause;      // the cause that grew most against its median, as a sub-stage
  int64_t excess_ns = 0;  // by how much it grew
};

// What the rows count, beside times.
struct StepCounts {
  int64_t waits = 0;
  int64_t starved_waits = 0;
  int64_t checkpoints = 0;  // steps that saved or loaded
  int64_t evaluations = 0;  // steps that evaluated
  int64_t collections = 0;  // steps with garbage collection
  int64_t explicit_communication_ns = 0;
  int64_t steps = 0;  // of all ranks
  int64_t backwards = 0;
  int64_t optimizer_steps = 0;
};

// All steady steps of all ranks, summed: for the whole, by rank, and by cells of neighbouring
// steps from which intervals are drawn. Integers throughout; memory does not grow with the run, but
// for kept steps.
class StepTimes {
 public:
  StepTimes(const ReportInput& input, const StepSelection& selection,
            const AttributionRules& rules);

  const StageTimes& total() const { return total_; }
  int64_t total_ns() const { return total_ns_; }
  const std::map<int32_t, RankTimes>& ranks() const { return ranks_; }
  const StepCounts& counts() const { return counts_; }
  int64_t shared_steps() const { return shared_steps_; }  // seen on two ranks or more
  // In order of (step, rank), where the rules ask for them.
  const std::vector<RankStep>& kept_steps() const { return kept_steps_; }

  // Whether the intervals below were drawn: of few steps of a profile, or of few that were chosen,
  // they have no width.
  bool spread_known() const { return !few_chosen_; }
  // ns that all ranks together would save, were the late rank of each step as early as the next.
  int64_t straggler_gain_ns() const { return straggler_gain_ns_; }
  Interval StragglerGainShare() const;
  Interval Share(SuspectId suspect, Per per = Per::kTime) const;
  Interval Share(SubStage stage, Per per = Per::kTime) const;
  // Of the difference of two suspects' shares: clear of 0 means one is ahead.
  Interval Lead(SuspectId first, SuspectId second) const;

  // What a step took in the mean, of neighbours each: in order of the steps.
  std::vector<StageTimes> MeanOfCells() const;

  int64_t outlier_count() const { return outlier_count_; }
  const std::vector<Outlier>& outliers() const { return outliers_; }

 private:
  struct Member {
    store::StepRow row;
    StageTimes times;
  };
  struct Cell {
    StageTimes stages{};
    int64_t rows = 0;
    int64_t straggler_gain_ns = 0;
  };
  void FindOutlierRules(const ReportInput& input, const StepSelection& selection);
  void AddStep(std::span<Member> members, Cell& cell);
  void SplitCommunication(std::span<Member> members, Cell& cell);
  void Count(const store::StepRow& row);
  void Keep(const Member& member);
  void NoteOutlier(const Member& member);
  void SampleStages(const Member& member);
  void NameOutliers();
  Interval IntervalOf(const std::vector<int64_t>& numerators, Per per = Per::kTime) const;
  double DispatchShare() const;
  const DispatchSplit* split_ = nullptr;
  bool few_chosen_ = false;  // so few that redrawing them says nothing

  struct OutlierCandidate {
    Outlier outlier;
    StageTimes times;
  };
  StageTimes total_{};
  int64_t total_ns_ = 0;
  StepCounts counts_;
  std::map<int32_t, RankTimes> ranks_;
  std::vector<Cell> cells_;
  int64_t shared_steps_ = 0;
  bool keeps_steps_ = false;
  std::vector<RankStep> kept_steps_;
  int64_t straggler_gain_ns_ = 0;

  std::map<int32_t, int64_t> outlier_threshold_ns_;
  int64_t outlier_count_ = 0;
  std::vector<OutlierCandidate> longest_;
  std::map<int32_t, std::vector<StageTimes>> samples_;  // evenly spaced, for the stages' medians
  int64_t sample_every_ = 1;
  std::vector<Outlier> outliers_;
};

// What makes a rank late: of what it spends beyond the others, the most.
StragglerCause LateCause(const StageTimes& excess);

}  // namespace steptrace::analyze
