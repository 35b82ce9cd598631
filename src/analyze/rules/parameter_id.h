// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "analyze/rules/rule_list.h"

namespace steptrace::analyze {

// A parameter of a rule. One that the rule does not declare does not compile.
class ParameterId {
 public:
  consteval ParameterId(RuleId rule, std::string_view name) : rule_(rule) {
    for (const ParameterInfo& parameter : kRuleInfos[static_cast<size_t>(rule)].parameters) {
      if (parameter.name == name) return;
      ++index_;
    }
    throw "no such parameter";
  }
  constexpr RuleId rule() const { return rule_; }
  constexpr size_t index() const { return index_; }

 private:
  RuleId rule_;
  size_t index_ = 0;
};

// Of CPUBottleneck, and IOBottleneck's for the same.
struct BottleneckParameter {
  consteval BottleneckParameter(const char* name) : BottleneckParameter(name, name) {}
  consteval BottleneckParameter(const char* of_cpu, const char* of_io)
      : cpu(RuleId::kCpuBottleneck, of_cpu), io(RuleId::kIoBottleneck, of_io) {}
  constexpr ParameterId Of(RuleId rule) const { return rule == RuleId::kIoBottleneck ? io : cpu; }

  ParameterId cpu, io;
};

}  // namespace steptrace::analyze
