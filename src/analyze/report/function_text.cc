// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/function_text.h"

#include <fmt/format.h>

#include <tuple>

#include "analyze/samples/code_place.h"

namespace steptrace::analyze {

namespace {

// Every module has a forward, every optimizer and every environment a step: such a name goes with
// its class.
std::string WithOwner(std::string_view function) {
  const std::string_view name = ShortFunction(function);
  const size_t dot = function.rfind("." + std::string(name));
  if ((name != "forward" && name != "step") || dot == std::string_view::npos || dot == 0) {
    return std::string(name);
  }
  return fmt::format("{}.{}", ShortFunction(function.substr(0, dot)), name);
}

// "float" or "sorted" by itself says less than the function that calls it, if that has a name of
// its own.
bool SaysLess(const StageFunction& function) {
  const std::string_view own = ShortFunction(function.function);
  return function.call.find('.') == std::string::npos && !own.empty() && own[0] != '<' &&
         !own.starts_with("__");
}

}  // namespace

std::string CalledText(const StageFunction& function) {
  std::string_view called = function.call;
  if (called.empty() || (function.in_c && SaysLess(function))) return WithOwner(function.function);
  if (function.in_c) return function.call;
  const std::string_view name = ShortFunction(called);
  // "SemLock.__enter__" says more by its class.
  const size_t dot = called.rfind("." + std::string(name));
  if (name.starts_with("__") && dot != std::string_view::npos && dot > 0) {
    return std::string(ShortFunction(called.substr(0, dot)));
  }
  return WithOwner(called);
}

bool IsSameLine(const StageFunction& a, const StageFunction& b) {
  return std::tie(a.file, a.function, a.line) == std::tie(b.file, b.function, b.line) &&
         (a.call == b.call || ((a.in_c || a.call.empty()) && (b.in_c || b.call.empty())));
}

std::string PlaceText(const StageFunction& function) {
  const std::string_view file = FileName(function.file);
  return function.line > 0 ? fmt::format("{}:{}", file, function.line) : std::string(file);
}

std::string FunctionText(const StageFunction& function) {
  return fmt::format("{} ({})", CalledText(function), PlaceText(function));
}

}  // namespace steptrace::analyze
