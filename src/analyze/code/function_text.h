// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/stages/stage_row.h"

namespace steptrace::analyze {

// What is called there, as people name it: "read_row_group", else the function: "hash_features".
std::string CalledText(const StageFunction& function);
// "dataset.py:24"; without a line "dataset.py".
std::string PlaceText(const StageFunction& function);
// Whether both are one line of one function, whichever C code was seen in most of each.
bool IsSameLine(const StageFunction& a, const StageFunction& b);
// "read_row_group (dataset.py:24)".
std::string FunctionText(const StageFunction& function);
// Empty: there is none.
inline std::string FunctionText(const StageFunction* function) {
  return function == nullptr ? std::string() : FunctionText(*function);
}
// The same of a model's call, with the script's function: "Net.forward in holdout (train.py:12)".
std::string ModuleText(const StageFunction& function);

}  // namespace steptrace::analyze
