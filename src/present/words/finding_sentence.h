// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/finding.h"
#include "present/words/sentence.h"

namespace steptrace::present {

// What is said of it, by the words that its kind declares (schema/findings.toml).
Sentence SentenceOf(const model::Finding& finding);

}  // namespace steptrace::present
