// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/setting_advice.h"

#include <optional>
#include <utility>

#include "analyze/verdict/deterministic_fill.h"
#include "analyze/verdict/exchange_advice.h"
#include "analyze/verdict/framework_advice.h"
#include "analyze/verdict/gradient_exchange.h"
#include "analyze/verdict/slowed_operators_advice.h"

namespace steptrace::analyze {

std::vector<Advice> AdviseSettings(const VerdictInput& input) {
  std::vector<Advice> all;
  for (auto one :
       {AdviseUnusedParameters(input), AdviseNoSync(input), AdviseDeterministicFill(input),
        AdviseFlushDenormals(input), AdviseNotCompiled(input)}) {
    if (one) all.push_back(*std::move(one));
  }
  return all;
}

}  // namespace steptrace::analyze
