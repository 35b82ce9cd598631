// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/function_text.h"

#include <fmt/format.h>

#include <tuple>

#include "analyze/samples/code_place.h"

namespace steptrace::analyze {

std::string CalledText(const StageFunction& function) {
  std::string_view called = function.call;
  if (called.empty()) return std::string(ShortFunction(function.function));
  if (function.in_c) return function.call;
  const std::string_view name = ShortFunction(called);
  // "SemLock.__enter__" says more by its class.
  const size_t dot = called.rfind("." + std::string(name));
  if (name.starts_with("__") && dot != std::string_view::npos && dot > 0) {
    return std::string(ShortFunction(called.substr(0, dot)));
  }
  // Every module has a forward, every optimizer a step.
  const std::string_view owner =
      dot == std::string_view::npos ? std::string_view() : ShortFunction(called.substr(0, dot));
  if ((name == "forward" || name == "step") && !owner.empty()) {
    return fmt::format("{}.{}", owner, name);
  }
  return std::string(name);
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
