// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/finding.h"
#include "present/words/sentence.h"

namespace steptrace::present {

// What is said of it, by the words that its kind declares (schema/findings.toml).
Sentence SentenceOf(const model::Finding& finding);

// Empty where there is none.
Sentence SentenceOf(const std::optional<model::Finding>& finding);

// Of each what is said.
std::vector<std::string> TextsOf(std::span<const model::Finding> findings);

}  // namespace steptrace::present
