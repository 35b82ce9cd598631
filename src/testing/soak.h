// SPDX-License-Identifier: Apache-2.0
// How thorough a test is that could go on for as long as one likes: all of it in `make soak`, which
// sets STEPTRACE_SOAK, and with every change the part that the time allows.
#pragma once

#include <cstdlib>

namespace steptrace {

template <typename T>
T InSoakElse(T in_soak, T otherwise) {
  return std::getenv("STEPTRACE_SOAK") != nullptr ? in_soak : otherwise;
}

}  // namespace steptrace
