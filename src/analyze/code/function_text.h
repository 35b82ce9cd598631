// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/stages/stage_row.h"
#include "model/placed_text.h"

namespace steptrace::analyze {

// What is called there, as people name it: "read_row_group", else the function: "hash_features".
std::string CalledText(const StageFunction& function);
// "dataset.py:24"; without a line "dataset.py".
model::PlacedText PlaceText(const StageFunction& function);
// Whether both are one line of one function, whichever C code was seen in most of each.
bool IsSameLine(const StageFunction& a, const StageFunction& b);
// What is called where: "read_row_group (dataset.py:24)".
model::PlacedText TextAt(std::string called, const StageFunction& function);
// The same of what CalledText says.
model::PlacedText FunctionText(const StageFunction& function);
// Empty: there is none.
inline model::PlacedText FunctionText(const StageFunction* function) {
  return function == nullptr ? model::PlacedText() : FunctionText(*function);
}
// The same of a model's call, with the script's function: "Net.forward in holdout (train.py:12)".
model::PlacedText ModuleText(const StageFunction& function);

}  // namespace steptrace::analyze
