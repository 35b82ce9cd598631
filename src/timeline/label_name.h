// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "timeline/format.h"

// How an index holds names and categories.
namespace steptrace::timeline {

// A text of at most kMaxNameBytes as it is; of a longer one its beginning, cut between characters,
// and the mark that a report's cut texts have (analyze/json/cut_texts.h): how long it is, and 64
// bits of it, by which texts that begin alike stay apart. Such a label is always longer than
// kMaxNameBytes: no whole text is taken for it.
std::string LabelName(std::string_view text);

// Whether that is what the index holds of the text. Texts that begin otherwise cost no look at all
// of them.
bool IsLabelOf(std::string_view text, std::string_view label);

inline bool IsCutLabel(std::string_view label) {
  return label.size() > kMaxNameBytes;
}

// What of a label was in the text: without the mark.
std::string_view WithoutMark(std::string_view label);

}  // namespace steptrace::timeline
