// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/rules/rule_catalogue.h"

namespace steptrace::analyze {

// The table of parameters in docs/reference/rules.md; rules_test proves the page current.
inline std::string RuleParametersMarkdown() {
  const auto number = [](double value) {
    if (value < 0) return std::string("-");
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
    return text;
  };
  std::string page =
      "| parameter | compat | sdk | aws-docs | modern | meaning |\n"
      "| --- | --- | --- | --- | --- | --- |\n";
  for (const RuleInfo& rule : RuleCatalogue()) {
    for (const ParameterInfo& one : rule.parameters) {
      const bool text = one.kind == ParameterKind::kText;
      const auto cell = [&](double value) { return text ? std::string("None") : number(value); };
      page += "| `" + std::string(rule.name) + "." + one.name + "` | " + cell(one.code) + " | " +
              cell(one.sdk) + " | " + cell(one.aws_docs) + " | " + cell(one.modern) + " | " +
              one.sentence + " |\n";
    }
  }
  return page;
}

}  // namespace steptrace::analyze
