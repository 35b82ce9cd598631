// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/attribution/step_times.h"
#include "analyze/distributed/distributed.h"
#include "analyze/report/report.h"

namespace steptrace::analyze {

// A live run shows its ranks twice: by the calls of collectives that were seen, and by the steady
// steps' own rows, which also hold what no call tells (DDP exchanges from within backward). The
// steps are reported where they explain a twentieth more waiting, else the calls, whole, and both
// sections get its figures, so that no two of them contradict each other. `times` must have kept
// its steps. Nothing is changed where no collective was seen.
void AgreeOnRanks(const StepTimes& times, DistributedSection& steps, ProfileDistributed& calls);

// Puts the ranks' times and the blame of `calls` into the steps' section: of an imported profile,
// whose calls were all seen.
void AddCallFigures(const ProfileDistributed& calls, DistributedSection& steps);

}  // namespace steptrace::analyze
