// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "model/finding.h"
#include "present/words/sentence.h"

namespace steptrace::analyze {

// [{at, text, value, unit}]: `at` counts the sentence's characters (of Unicode) before the figure;
// a value that is no number is null.
nlohmann::ordered_json FiguresJson(const present::Sentence& sentence);

// {text, figures}
nlohmann::ordered_json SentenceJson(const present::Sentence& sentence);

// Each figure and text by the name that its kind declares, null where it is not known, and `items`
// where it may have several.
nlohmann::ordered_json ValuesJson(const model::Finding& finding);

// What it is about: the members of model::Subject that apply.
nlohmann::ordered_json SubjectJson(const model::Finding& finding);

// {text, figures, id, kind, subject, values}: the sentence, and what it is made of.
nlohmann::ordered_json FindingJson(const model::Finding& finding);

// The same; of nothing an empty text, no kind, no subject and no values.
nlohmann::ordered_json FindingOrNullJson(const std::optional<model::Finding>& said);

// The same, with the rows that show it: {table, where, count}, or null.
nlohmann::ordered_json EvidenceJson(const model::Finding& finding);

}  // namespace steptrace::analyze
