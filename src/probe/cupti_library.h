// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/cupti_abi.h"

namespace steptrace::probe {

// The process's own CUPTI. Never brings one in: a second copy would be another CUPTI.
struct CuptiLibrary {
  cupti::Functions functions{};
  uint32_t version = 0;
  bool has_subscribers_calls = false;  // activity calls of each subscriber's own, from 13.2 on
  bool other_tool = false;             // Nsight is loaded, or a variable names another collector
};

// Fills `out`; null: all is there. Else why CUPTI is not for us here: none is loaded, no driver is,
// or it lacks a function that we need.
const char* FindCupti(CuptiLibrary* out);

}  // namespace steptrace::probe
