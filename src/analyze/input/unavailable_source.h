// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "store/tables.h"

namespace steptrace::analyze {

// What a row of cause `unavailable` is about.
struct UnavailableSource {
  std::string source;  // "gpu", "steps"; empty: the row tells none
  std::string reason;  // why nothing of it is there; of runs of before with the next step
  std::string remedy;  // the next step; empty: there is none, or it stands in the reason
};

// By its values; of runs of before by its sentence, "SOURCE: REASON", which had no ": " in the
// source.
UnavailableSource UnavailableIn(const store::DataLossRow& row);

}  // namespace steptrace::analyze
