// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace steptrace::cli {

// What is to be looked at of a training's tensors, and when:
//
//   WHAT[@WHEN]     WHAT: all, none, or a comma list of gradients, weights, loss
//                   WHEN: a comma list of every=STEPS, FROM:TO (steps; either may be left out, TO
//                   is the first one that is not)
//
// As the hooks read it (STEPTRACE_TENSORS): without spaces, words in that order; empty: nothing was
// said, which is none. Of what is none of that the error says only what is wrong with it: "does not
// …".
Result<std::string> TensorWords(std::string_view text);

}  // namespace steptrace::cli
