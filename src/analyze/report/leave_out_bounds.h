// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "analyze/critical_path/path_section.h"
#include "analyze/distributed/distributed.h"
#include "analyze/report/recommendation.h"
#include "analyze/verdict/verdict_input.h"

// What a step would be without something is not known where the verdict has no bound of it
// (verdict/bound.h): no other section says one then.
namespace steptrace::analyze {

struct WithoutBound {
  bool all = false;
  bool communication = false;
  bool data = false;
};

WithoutBound WithoutBoundIn(const VerdictInput& known);

void LeaveOutBounds(const WithoutBound& of, std::vector<Recommendation>& recommendations);

// `calls`: of communication where ranks are absent there, too, for waiting for those is in it.
void LeaveOutBounds(const WithoutBound& of, const ProfileDistributed& calls,
                    std::vector<WhatIf>& changes);

}  // namespace steptrace::analyze
