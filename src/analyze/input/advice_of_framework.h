// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyze/input/job_facts.h"
#include "model/finding.h"

// Which framework's advice fits a run.
namespace steptrace::analyze {

// Whether the run may be of this framework's training: a profile by its writer, and by frameworks
// that told of themselves. A run that was recorded may be of any.
bool MayBeOf(std::string_view framework, const JobFacts& facts);

// Whether an advice has words of a framework that the run is not of.
bool IsForeign(const model::Finding& advice, const JobFacts& facts);

}  // namespace steptrace::analyze
