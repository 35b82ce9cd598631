// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/report/report.h"

namespace steptrace::analyze {

// [{at, text, value, unit}]: `at` counts the sentence's characters (of Unicode) before the figure;
// a value that is no number is null.
nlohmann::ordered_json FiguresJson(const Sentence& sentence);

// {text, figures}
nlohmann::ordered_json SentenceJson(const Sentence& sentence);

// {text, figures, table, where}
nlohmann::ordered_json EvidenceJson(const Evidence& evidence);

}  // namespace steptrace::analyze
