// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/verdict/verdict_value.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

// Advice in the order in which it is given; what gives it derives from this.
class AdviceList {
 public:
  std::vector<Advice> Take() { return std::move(advice_); }

 protected:
  template <typename Kind>
  void AddAdvice(Kind what) {
    Set(std::move(what), "", "", "");
  }
  // With the setting, its value now and the value to try.
  template <typename Kind>
  void Set(Kind what, std::string setting, std::string now, std::string proposed) {
    advice_.push_back(
        {Make(std::move(what)), std::move(setting), std::move(now), std::move(proposed)});
  }
  void Add(std::optional<Advice> one) {
    if (one) advice_.push_back(*std::move(one));
  }
  // Those of kinds that have not been given yet.
  void AddOthers(std::vector<Advice> all) {
    for (Advice& one : all) {
      const auto same = [&one](const Advice& given) { return given.what.kind == one.what.kind; };
      if (std::ranges::none_of(advice_, same)) advice_.push_back(std::move(one));
    }
  }

  std::vector<Advice> advice_;
};

}  // namespace steptrace::analyze
