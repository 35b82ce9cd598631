// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/report/sentence.h"
#include "model/finding.h"

namespace steptrace::analyze {

// [{at, text, value, unit}]: `at` counts the sentence's characters (of Unicode) before the figure;
// a value that is no number is null.
nlohmann::ordered_json FiguresJson(const Sentence& sentence);

// {text, figures}
nlohmann::ordered_json SentenceJson(const Sentence& sentence);

// {text, figures, kind, values}: the sentence, and what it is made of: each figure and text by the
// name that its kind declares, null where it is not known, and `items` where it may have several.
nlohmann::ordered_json FindingJson(const model::Finding& finding);

// The same, with the rows that show it: table, where.
nlohmann::ordered_json EvidenceJson(const model::Finding& finding);

}  // namespace steptrace::analyze
