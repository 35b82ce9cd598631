// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "analyze/rules/rule_scan.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

using DeviceKey = std::pair<int32_t, int32_t>;  // node, device

// What the published rules share: parameters, counts and the rows of what triggered. A rule that
// tells by device calls Tell; another one fills result_.evidence itself.
class CompatBase : public CompatRule {
 public:
  CompatBase(RuleId rule, const RuleSettings& settings) : settings_(settings), rule_(rule) {
    result_ = EmptyResult(rule, settings);
  }

  RuleResult Result() const override {
    RuleResult result = result_;
    for (const auto& [key, evidence] : evidence_) result.evidence.push_back(evidence);
    if (result.triggered > 0) {
      result.status = RuleStatus::kIssuesFound;
      result.advice = AdviceOf(rule_);
    } else if (result.datapoints == 0) {
      result.reason = Make(model::finding::ReasonNoData{});
    }
    return result;
  }

 protected:
  double Get(ParameterId parameter) const { return settings_.Number(parameter); }
  size_t Count(ParameterId parameter) const { return settings_.Count(parameter); }
  void AddEvidence(DeviceKey key, model::Finding evidence) {
    constexpr size_t kMostEvidence = 64;
    if (evidence_.size() < kMostEvidence || evidence_.contains(key)) {
      evidence_[key] = std::move(evidence);
    }
  }
  RuleResult result_;

 private:
  RuleSettings settings_;
  RuleId rule_;
  std::map<DeviceKey, model::Finding> evidence_;
};

}  // namespace steptrace::analyze
