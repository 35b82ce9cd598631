// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/function_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <tuple>
#include <utility>

#include "analyze/code/code_place.h"

namespace steptrace::analyze {

namespace {

// Every module has a forward, every optimizer and every environment a step, every sampler an
// __iter__, every metric a compute: such a name goes with its class.
std::string WithOwner(std::string_view function) {
  const std::string_view name = ShortFunction(function);
  const size_t dot = function.rfind("." + std::string(name));
  constexpr std::array<std::string_view, 5> kOfMany = {"forward", "step", "__iter__", "__next__",
                                                       "compute"};
  const bool of_many = std::find(kOfMany.begin(), kOfMany.end(), name) != kOfMany.end();
  if (!of_many || dot == std::string_view::npos || dot == 0) {
    return std::string(name);
  }
  return fmt::format("{}.{}", ShortFunction(function.substr(0, dot)), name);
}

// "loads" of the json module is "json.loads", "Random.gauss" of random "random.gauss"; methods go
// with their class: "Pool.imap". Nobody knows a base class by its name.
std::string WithModule(std::string_view module, std::string_view called) {
  called = EnclosingFunction(called);
  const std::string_view name = ShortFunction(called);
  const size_t dot = called.rfind("." + std::string(name));
  if (name == called) return fmt::format("{}.{}", module, name);
  if (dot == std::string_view::npos || dot == 0) return std::string(name);
  const std::string_view owner = ShortFunction(called.substr(0, dot));
  if (owner.starts_with("Base") || owner.starts_with("_")) return std::string(name);
  const bool alike = std::equal(
      owner.begin(), owner.end(), module.begin(), module.end(),
      [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  return fmt::format("{}.{}", alike ? module : owner, name);
}

// "torch's fetch": without it the name reads as the user's own.
std::string OfPackage(const StageFunction& function, std::string name) {
  const CodePlace place = PlaceOf(function.file);
  if (place.origin != CodeOrigin::kLibrary) return name;
  return fmt::format("{}'s {}", place.module.substr(0, place.module.find('.')), name);
}

// What the class alone stands for: entering "SemLock" is what is done with one.
bool IsUseOfClass(std::string_view name) {
  return name == "__init__" || name == "__enter__" || name == "__exit__" || name == "__call__";
}

// What reads a clock is not what takes the time.
bool ReadsClock(std::string_view call) {
  constexpr std::string_view kModule = "time.";
  constexpr std::string_view kNanoseconds = "_ns";
  constexpr std::array<std::string_view, 6> kClocks = {
      "clock_gettime", "monotonic", "perf_counter", "process_time", "thread_time", "time"};
  if (!call.starts_with(kModule)) return false;
  call.remove_prefix(kModule.size());
  if (call.ends_with(kNanoseconds)) call.remove_suffix(kNanoseconds.size());
  return std::find(kClocks.begin(), kClocks.end(), call) != kClocks.end();
}

// "float", "sorted" or "time.perf_counter" by itself says less than the function that calls it, if
// that has a name of its own.
bool IsLessSpecific(const StageFunction& function) {
  const std::string_view own = ShortFunction(function.function);
  const bool little = function.call.find('.') == std::string::npos || ReadsClock(function.call);
  return little && !own.empty() && own[0] != '<' && !own.starts_with("__");
}

}  // namespace

std::string CalledText(const StageFunction& function) {
  std::string_view called = function.call;
  if (called.empty() || (function.in_c && IsLessSpecific(function))) {
    return OfPackage(function, WithOwner(function.function));
  }
  if (function.in_c) return function.call;
  const std::string_view name = ShortFunction(called);
  // "SemLock.__enter__" says more by its class.
  const size_t dot = called.rfind("." + std::string(name));
  if (name.starts_with("__") && dot != std::string_view::npos && dot > 0) {
    const std::string_view owner = ShortFunction(called.substr(0, dot));
    return IsUseOfClass(name) ? std::string(owner) : fmt::format("{}.{}", owner, name);
  }
  return function.call_module.empty() ? WithOwner(called)
                                      : WithModule(function.call_module, called);
}

bool IsSameLine(const StageFunction& a, const StageFunction& b) {
  return std::tie(a.file, a.function, a.line) == std::tie(b.file, b.function, b.line) &&
         (a.call == b.call || ((a.in_c || a.call.empty()) && (b.in_c || b.call.empty())));
}

model::PlacedText PlaceText(const StageFunction& function) {
  return model::PlaceText(FileName(function.file), function.file, function.line);
}

model::PlacedText TextAt(std::string called, const StageFunction& function) {
  model::PlacedText text(std::move(called));
  text += " (";
  text += PlaceText(function);
  text += ")";
  return text;
}

model::PlacedText FunctionText(const StageFunction& function) {
  return TextAt(CalledText(function), function);
}

model::PlacedText ModuleText(const StageFunction& function) {
  const std::string called = CalledText(function);
  const std::string own = WithOwner(function.function);
  const bool alone = !called.ends_with(".forward") || own.starts_with('<') || own == called;
  return alone ? FunctionText(function) : TextAt(fmt::format("{} in {}", called, own), function);
}

}  // namespace steptrace::analyze
