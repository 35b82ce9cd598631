// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/rules/parameter_id.h"
#include "base/result.h"
#include "model/finding.h"

// The twelve profiler rules of SageMaker Debugger (schema/rules.toml), and what a user sets of
// them.
namespace steptrace::analyze {

// Three published sources disagree about the defaults of `compat`.
enum class RulePreset : uint8_t {
  kCode,     // what ran, and what real reports print
  kSdk,      // what the SDK sends
  kAwsDocs,  // what the guide says
};

inline const std::array<RuleInfo, kRuleCount>& RuleCatalogue() {
  return kRuleInfos;
}
const RuleInfo& InfoOf(RuleId rule);
std::optional<model::Finding> AdviceOf(RuleId rule);
const char* NameOf(RuleMode mode);

// A parameter as it was in force.
struct RuleParameter {
  std::string name;
  std::string value;      // "70", "0.2", "None"
  const char* unit = "";  // of the value; "": none
};

// The parameters of all rules. What a user sets is checked here.
class RuleSettings {
 public:
  explicit RuleSettings(RuleMode mode, RulePreset preset = RulePreset::kCode);

  // "Rule.param=value"; names in any case. Also as the Debugger's report took it:
  // "ProfilerReport.Rule_param=value". An error is one line with the known names.
  Status Set(std::string_view assignment);

  RuleMode mode() const { return mode_; }
  double Number(ParameterId parameter) const;
  size_t Count(ParameterId parameter) const { return static_cast<size_t>(Number(parameter)); }
  const std::string& step_mode() const { return step_mode_; }  // of StepOutlier; empty: all
  std::vector<RuleParameter> Parameters(RuleId rule) const;

 private:
  Status SetValue(const RuleInfo& rule, std::string_view parameter, std::string_view value);

  RuleMode mode_;
  std::array<std::vector<double>, kRuleCount> values_;
  std::string step_mode_;
};

Result<RuleMode> ParseRuleMode(std::string_view text);
Result<RulePreset> ParseRulePreset(std::string_view text);

}  // namespace steptrace::analyze
