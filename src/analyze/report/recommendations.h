// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/input/job_facts.h"
#include "analyze/report/report.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// torch-tb-profiler's seven with its thresholds, then what it does not
// look for. All of them, in a fixed order: what does not apply says so. `report` holds what is made
// before: stages, distributed, and the profile's devices. `unbegun_work`: as the verdict sees it
// (verdict/unbegun_work.h). By `facts` advice of a framework that the profile is not of is left
// out.
std::vector<Recommendation> MakeRecommendations(const Trace& trace, const Report& report,
                                                const JobFacts& facts, bool unbegun_work);

}  // namespace steptrace::analyze
