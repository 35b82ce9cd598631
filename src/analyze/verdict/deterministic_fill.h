// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "analyze/trace/trace.h"
#include "analyze/verdict/verdict_input.h"
#include "analyze/verdict/verdict_value.h"

// With torch.use_deterministic_algorithms(True) PyTorch fills each new tensor whose memory is not
// initialized: aten::fill_ within aten::empty and its like, which call nothing otherwise.
namespace steptrace::analyze {

struct DeterministicFill {
  double share = 0;  // of the time in operators
  std::string call;  // within which most of it is: "aten::empty"
};

// nullopt: it is none, or so little that it is not worth a word.
std::optional<DeterministicFill> FindDeterministicFill(const Trace& operators);

std::optional<model::Finding> DeterministicFillEvidence(const VerdictInput& input);
std::optional<Advice> AdviseDeterministicFill(const VerdictInput& input);

}  // namespace steptrace::analyze
