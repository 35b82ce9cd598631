// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "present/words/sentence.h"

// The names by which the analysis puts together what has no kind of its own yet.
namespace steptrace::analyze {

namespace figure = present::figure;
using present::Figure;
using present::Phrase;
using present::Sentence;

}  // namespace steptrace::analyze
