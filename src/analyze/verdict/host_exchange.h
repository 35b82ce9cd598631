// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/verdict/verdict_input.h"

// An exchange that the processor does (gloo, MPI), on the cores on which the model computes: while
// it runs beside backward it slows that down. Without it the rest of the step is shorter too, by
// how much nobody can tell: what is exposed of it is no bound of what taking it away saves.
namespace steptrace::analyze {

// Its backend; empty: none is known to be there. For VerdictInput::host_exchange: it reads all of a
// profile's strings.
std::string FindHostExchange(const VerdictInput& input);

}  // namespace steptrace::analyze
