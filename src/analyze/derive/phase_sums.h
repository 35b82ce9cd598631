// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "store/step_columns.h"
#include "store/tables.h"

namespace steptrace::analyze {

// What the training thread was at: exclusive, the innermost range wins. In the order of the columns
// that they fill, kStepPhases.
enum class Phase : uint8_t {
  kData,
  kForward,
  kBackward,
  kOptimizer,
  kCommunication,
  kCheckpoint,
  kEvaluation,
  kLogging,
  kGc,
  kCompile,
  kCapture,
  kOther,
};
inline constexpr size_t kPhaseCount = static_cast<size_t>(Phase::kOther) + 1;
static_assert(kPhaseCount == store::kStepPhases.size(), "a phase is a column of `steps`");

// What a time range of phase `data` was spent on, in the order of kStepStages; that the dataset was
// blocked on storage, stacks tell alone.
enum class Stage : uint8_t {
  kStorageRead,
  kGetitem,
  kCollate,
  kReceive,
  kCpuShortage,
  kWorkerStart
};
inline constexpr size_t kStageCount = static_cast<size_t>(Stage::kWorkerStart) + 1;
static_assert(kStageCount == store::kStepStages.size(), "a stage is a column of `steps`");

// Own time of the user's ranges by name. Few names: a search from the front beats a hash.
class UserTimes {
 public:
  void Add(store::StringId name, int64_t ns);
  void Add(const UserTimes& other);
  void Clear() { times_.clear(); }
  bool empty() const { return times_.empty(); }
  // In the order in which the names were seen first.
  std::span<const std::pair<store::StringId, int64_t>> times() const { return times_; }
  // The name with the most time; the first seen of equals.
  std::pair<store::StringId, int64_t> Longest() const;

 private:
  // Names beyond this are not told apart: a name per step would grow without end.
  static constexpr size_t kMaxNames = 64;
  std::vector<std::pair<store::StringId, int64_t>> times_;
};

// Whether an evaluation's own row has a count; the step around it counts training alone.
enum class InEvaluation : uint8_t { kNone, kItsOwn };

// Where a time range of the training thread's time went, were it all training.
// What is a column of its own and adds up as it is stands in kCounts below.
// Invariant once its waits are resolved: the stages sum to phase `data`.
struct PhaseSums {
  std::array<int64_t, kPhaseCount> phase_ns{};
  std::array<int64_t, kStageCount> stage_ns{};
  int64_t blocked_in_backward_ns = 0;  // of phase backward
  int64_t blocked_in_fetch_ns = 0;     // of stage getitem
  int64_t in_window_ns = 0;            // time with a window of operators open
  // Of forward, backward and optimizer: own time of operators that compute, what lies between
  // operators for too long to be a way from one to the next, and how many operators began.
  int64_t computing_ns = 0;
  int64_t script_ns = 0;
  int64_t operators = 0;
  int32_t lost = 0;  // places where records are missing
  int32_t batches = 0;
  int32_t backwards = 0;
  int32_t optimizer_steps = 0;
  int32_t waits = 0;
  int32_t starved_waits = 0;
  int32_t min_queue_depth = -1;  // -1: not known
  UserTimes user_in_other;

  int64_t& operator[](Phase phase) { return phase_ns[static_cast<size_t>(phase)]; }
  int64_t operator[](Phase phase) const { return phase_ns[static_cast<size_t>(phase)]; }
  int64_t& operator[](Stage stage) { return stage_ns[static_cast<size_t>(stage)]; }
  int64_t operator[](Stage stage) const { return stage_ns[static_cast<size_t>(stage)]; }

  void Add(const PhaseSums& other);
  void SawQueueDepth(int32_t depth);
  int64_t TotalNs() const;
};

// What adds up.
template <class Number>
struct Count {
  Number PhaseSums::*sum;
  Number store::StepRow::*column;  // that it fills
  InEvaluation in_evaluation;
};
template <class Number>  // clang 14 does not deduce aggregates by itself
Count(Number PhaseSums::*, Number store::StepRow::*, InEvaluation)->Count<Number>;

inline constexpr auto kCounts = std::make_tuple(
    Count{&PhaseSums::blocked_in_backward_ns, &store::StepRow::blocked_in_backward_ns,
          InEvaluation::kNone},
    Count{&PhaseSums::blocked_in_fetch_ns, &store::StepRow::blocked_in_fetch_ns,
          InEvaluation::kItsOwn},
    Count{&PhaseSums::batches, &store::StepRow::batches, InEvaluation::kItsOwn},
    Count{&PhaseSums::backwards, &store::StepRow::backwards, InEvaluation::kNone},
    Count{&PhaseSums::optimizer_steps, &store::StepRow::optimizer_steps, InEvaluation::kNone},
    Count{&PhaseSums::waits, &store::StepRow::waits, InEvaluation::kItsOwn},
    Count{&PhaseSums::starved_waits, &store::StepRow::starved_waits, InEvaluation::kItsOwn});

// The same time range as part of an evaluation: what no range of a kind of its own (collective,
// checkpoint, garbage collection, compilation, a window's boundary) covers is phase `evaluation`.
PhaseSums AsEvaluation(const PhaseSums& sums);
// The same time range as an evaluation's own row: as above, but its data waits stay data waits.
PhaseSums AsEvaluationRow(const PhaseSums& sums);

struct CauseRule {
  // Time blocked in backward is communication: several ranks, and autograd runs on the host.
  bool blocked_backward_is_communication = false;
};
// Fills the phases, causes, stages and counts of `row`.
void FillRow(const PhaseSums& sums, CauseRule rule, store::StepRow& row);

// Whether the phases and the causes sum to the duration and the stages to the data pipeline.
bool SumsExactly(const store::StepRow& row);

}  // namespace steptrace::analyze
