// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/report.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steptrace::analyze {

// clang-format off
inline constexpr const char* kReportSchema = "steptrace.report/2";

enum class SectionStatus : uint8_t {
  kFound,
  kNotFound,
  kNotApplicable,
  kCannotTell,
  kError,
};

enum class SectionReason : uint8_t {
  kNotFailed,
  kNoThroughput,
  kNoSteps,
  kNotImported,
  kAllRecognised,
  kNoTraining,
  kTooFewSteps,
  kNoSingleSuspect,
  kNoLoader,
  kNoDeviceActivity,
  kNoDevicePhases,
  kNoOperators,
  kNoAllocations,
  kNoTensors,
  kNoModules,
  kOneRank,
  kNothingMatched,
  kNoMetrics,
  kNoMemoryLimits,
  kNoProcessMemory,
  kNoFacts,
  kNoRules,
  kNoIssue,
  kNothingNoticed,
  kNothingLost,
};

inline constexpr std::string_view kSectionStatuses[] = {"found", "not_found", "not_applicable", "cannot_tell", "error"};
struct SectionReasonInfo {
  std::string_view id;
  std::string_view text;  // where nobody knows more
};
inline constexpr SectionReasonInfo kSectionReasons[] = {
    {"not_failed", "the run did not fail"},
    {"no_throughput", "neither the loader's batch size nor the shapes of operators are known"},
    {"no_steps", "no step was seen"},
    {"not_imported", "the run was recorded"},
    {"all_recognised", "every event is of a known kind"},
    {"no_training", "the profile is not of a training"},
    {"too_few_steps", "too few steps were seen"},
    {"no_single_suspect", "no suspect takes most of the step"},
    {"no_loader", "no loader was seen"},
    {"no_device_activity", "no device activity was recorded"},
    {"no_device_phases", "no events at the boundaries of phases were recorded on a device"},
    {"no_operators", "no operators were recorded"},
    {"no_allocations", "no allocations were recorded"},
    {"no_tensors", "no tensors were looked at; steptrace run --tensors does"},
    {"no_modules", "no modules were recorded"},
    {"one_rank", "there is only one rank"},
    {"nothing_matched", "no call of a collective was matched with one on another rank"},
    {"no_metrics", "no metric was collected"},
    {"no_memory_limits", "memory use is known, but no limit of it"},
    {"no_process_memory", "no process's memory was measured"},
    {"no_facts", "no process reported what it is"},
    {"no_rules", "no rule ran"},
    {"no_issue", "no issue was found"},
    {"nothing_noticed", "the agent raised no alert"},
    {"nothing_lost", "no data was lost"},
};
// clang-format on

constexpr std::string_view NameOf(SectionStatus status) {
  return kSectionStatuses[static_cast<size_t>(status)];
}
constexpr const SectionReasonInfo& InfoOf(SectionReason reason) {
  return kSectionReasons[static_cast<size_t>(reason)];
}

}  // namespace steptrace::analyze
