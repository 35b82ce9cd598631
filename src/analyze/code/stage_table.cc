// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/stage_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "analyze/code/glob.h"
#include "analyze/code/own_names.h"
#include "analyze/code/packages.h"
#include "base/lock_name.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostPatterns = 256;
constexpr size_t kLongestPattern = 256;

// The module itself or one beneath it.
bool FitsModule(std::string_view module, std::string_view pattern) {
  if (FitsGlob(module, pattern)) return true;
  for (size_t dot = module.find('.'); dot != std::string_view::npos;
       dot = module.find('.', dot + 1)) {
    if (FitsGlob(module.substr(0, dot), pattern)) return true;
  }
  return false;
}

bool FitsUserModule(std::string_view module, std::string_view pattern) {
  constexpr std::string_view kFile = ".py";
  if (pattern.size() > kFile.size() && pattern.ends_with(kFile)) {
    const std::string_view name = module.substr(module.find_last_of('.') + 1);
    return FitsGlob(name, pattern.substr(0, pattern.size() - kFile.size()));
  }
  for (;;) {  // from each folder of the path
    if (FitsModule(module, pattern)) return true;
    const size_t dot = module.find('.');
    if (dot == std::string_view::npos) return false;
    module.remove_prefix(dot + 1);
  }
}

bool FitsFunction(std::string_view function, std::string_view pattern) {
  return FitsGlob(function, pattern) || FitsGlob(ShortFunction(function), pattern);
}

// "self.lock.acquire", "cache_lock.__enter__".
bool TakesLock(std::string_view function) {
  const size_t dot = function.rfind('.');
  if (dot == std::string_view::npos) return false;
  const std::string_view method = function.substr(dot + 1);
  return (method == "acquire" || method == "__enter__") && NamesLock(function.substr(0, dot));
}

// "with con": the entry or the end of the block, of which the name says nothing.
bool IsWith(std::string_view function) {
  return function.starts_with("with ");
}

// How random draws, for whatever it draws: what calls that says what for.
bool OnlyDraws(const CodePlace& place, std::string_view function) {
  return place.origin == CodeOrigin::kStandard && place.module == "random" &&
         FitsFunction(function, "_randbelow*");
}

Result<std::pair<std::string, std::string>> SplitPattern(const std::string& text) {
  const auto wrong = [&](const char* why) { return Error{fmt::format("'{}' {}", text, why)}; };
  if (text.size() > kLongestPattern) return wrong("is longer than 256 bytes; shorten it");
  const size_t colon = text.find(':');
  if (colon == std::string::npos || text.find(':', colon + 1) != std::string::npos) {
    return wrong("is not MODULE:FUNCTION; write for example \"mypkg.io:read_*\"");
  }
  std::string module = text.substr(0, colon);
  std::string function = text.substr(colon + 1);
  if (module.empty() || function.empty()) {
    return wrong("has no module or no function; `*` stands for any");
  }
  if (module == "*" && function == "*") return wrong("fits every function; name a part of one");
  return std::pair{std::move(module), std::move(function)};
}

}  // namespace

Result<StageTable> StageTable::Create(std::vector<std::pair<std::string, std::string>> patterns) {
  if (patterns.size() > kMostPatterns) {
    return Error{fmt::format("{} patterns", patterns.size()),
                 fmt::format("at most {} are looked at", kMostPatterns)};
  }
  StageTable table;
  for (const auto& [text, name] : patterns) {
    const auto stage = WorkStageNamed(name);
    if (!stage) {
      return Error{fmt::format("'{}' of '{}' is not a stage", name, text),
                   fmt::format("the stages are {}", WorkStageNames())};
    }
    STEPTRACE_ASSIGN_OR_RETURN(auto parts, SplitPattern(text));
    table.patterns_.push_back({std::move(parts.first), std::move(parts.second), *stage});
  }
  // The one that says most of a function wins, in whatever order they were written.
  std::stable_sort(
      table.patterns_.begin(), table.patterns_.end(), [](const auto& a, const auto& b) {
        return a.module.size() + a.function.size() > b.module.size() + b.function.size();
      });
  return table;
}

std::optional<StageTable::Match> StageTable::Find(const CodePlace& place,
                                                  std::string_view function) const {
  const bool users = place.origin == CodeOrigin::kUser;
  for (const Pattern& pattern : patterns_) {
    // C code of which the source does not tell the module is called by code of the user's.
    const bool any = users || (place.origin == CodeOrigin::kBuiltIn && place.module.empty());
    const bool module = users                   ? FitsUserModule(place.module, pattern.module)
                        : pattern.module == "*" ? any
                                                : FitsModule(place.module, pattern.module);
    if (module && FitsFunction(function, pattern.function)) {
      return Match{pattern.stage, true, false};
    }
  }
  if (users) {
    const auto stage = StageOfOwnName(function);
    return stage ? std::optional(Match{*stage, false, true}) : std::nullopt;
  }
  if (OnlyDraws(place, function)) return std::nullopt;
  const KnownFunctions* best = nullptr;
  for (const KnownFunctions& known : PackageFunctions()) {
    if (best != nullptr && known.module.size() + known.function.size() <=
                               best->module.size() + best->function.size()) {
      continue;
    }
    if (FitsModule(place.module, known.module) && FitsFunction(function, known.function)) {
      best = &known;
    }
  }
  if (best != nullptr) return Match{best->stage, false, false};
  if (place.origin != CodeOrigin::kBuiltIn) return std::nullopt;
  if (TakesLock(function)) return Match{WorkStage::kLock, false, false};
  if (IsWith(function)) return std::nullopt;
  // By its own name; what it is a method of may be called anything: "augmented.to".
  auto stage = StageOfMethod(function);
  if (!stage) stage = StageOfOwnName(ShortFunction(function));
  return stage ? std::optional(Match{*stage, false, true}) : std::nullopt;
}

}  // namespace steptrace::analyze
