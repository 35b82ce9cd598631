// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "analyze/verdict/verdict_input.h"

// What a step would be shorter at most without a suspect. It holds whatever was not understood, or
// there is none: nobody passes it by taking the suspect away.
//
// What remains of a step is what is known to be others'. So unattributed time goes with the
// suspect, as does waiting for a late rank, which a suspect of that rank's may cause, an exchange
// that the host does on the cores that it shares with the suspect, and, on a
// host that computes itself, what of the model's phases windows of operators do not show to be the
// model's: giving back a large batch lies there. And where the host computes, what remains gets
// faster too: caches stay warm (kWarmsBy).
namespace steptrace::analyze {

struct Bound {
  std::optional<double> share;           // of the steps, that goes at most; empty: nobody can say
  std::optional<model::Finding> reason;  // why, where no other evidence says it
  std::optional<model::Finding> more;    // why it is above that of the suspect's share alone
};

Bound BoundWithout(const VerdictInput& input, SuspectId suspect);
// Were the late rank as early as the next one; `gain`: of the steps, in waiting.
Bound BoundOfStraggler(const VerdictInput& input, double gain);

// Whether another reason than the time that remains forbids one. For what is known of a suspect's
// time by other ways than the steps' stages.
bool HasNoBound(const VerdictInput& input, SuspectId suspect);

}  // namespace steptrace::analyze
