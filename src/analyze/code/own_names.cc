// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/own_names.h"

#include <cctype>
#include <string>

#include "analyze/code/code_place.h"
#include "analyze/code/glob.h"
#include "analyze/code/packages.h"

namespace steptrace::analyze {
namespace {

std::string InSmallLetters(std::string_view name) {
  std::string lower;
  for (const char c : name) {
    if (c != '_') lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return lower;
}

// "Flip" of "Flip.forward"; nothing of a function that is none of a class's.
std::string_view ClassOf(std::string_view function) {
  const size_t dot = function.rfind('.');
  return dot == std::string_view::npos ? std::string_view()
                                       : ShortFunction(function.substr(0, dot));
}

}  // namespace

std::optional<WorkStage> StageOfOwnName(std::string_view function) {
  const std::string_view name = ShortFunction(function);
  const std::string of_class = InSmallLetters(ClassOf(function));
  // What is called as its class is: a transform, a module.
  const bool called = name == "__call__" || name == "forward";
  const std::string own = called ? of_class : InSmallLetters(name);
  for (const KnownName& one : OwnNames()) {
    if (FitsGlob(own, one.pattern)) return one.stage;
  }
  if (of_class.ends_with("logger")) return WorkStage::kLogging;
  return std::nullopt;
}

std::optional<WorkStage> StageOfMethod(std::string_view method) {
  for (const KnownName& known : MethodNames()) {
    if (FitsGlob(method, known.pattern)) return known.stage;
  }
  return std::nullopt;
}

}  // namespace steptrace::analyze
