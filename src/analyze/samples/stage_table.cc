// SPDX-License-Identifier: Apache-2.0
#include "analyze/samples/stage_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "analyze/samples/known_functions.h"
#include "analyze/verdict/stages.h"
#include "base/lock_name.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostPatterns = 256;
constexpr size_t kLongestPattern = 256;

constexpr std::array<const char*, kWorkStageCount> kNames = {
    StageName(SubStage::kStorageRead),
    StageName(SubStage::kDecode),
    StageName(SubStage::kAugmentation),
    StageName(SubStage::kTokenise),
    StageName(SubStage::kCollate),
    StageName(SubStage::kCopy),
    StageName(SubStage::kLock),
    "user_code",  // of a batch, or beside the model: kDatasetCode or kLoopCode
    SuspectName(SuspectId::kModel),
    StageName(SubStage::kLogging)};

std::optional<WorkStage> StageNamed(std::string_view name) {
  for (size_t i = 0; i < kWorkStageCount; ++i) {
    if (name == kNames[i]) return static_cast<WorkStage>(i);
  }
  return std::nullopt;
}

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

const char* WorkStageName(WorkStage stage) {
  return kNames[static_cast<size_t>(stage)];
}

bool FitsGlob(std::string_view text, std::string_view pattern) {
  size_t t = 0, p = 0;
  size_t star = std::string_view::npos, resume = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = t;
    } else if (p < pattern.size() && pattern[p] == text[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

Result<StageTable> StageTable::Create(std::vector<std::pair<std::string, std::string>> patterns) {
  if (patterns.size() > kMostPatterns) {
    return Error{
        fmt::format("{} patterns; at most {} are looked at", patterns.size(), kMostPatterns)};
  }
  StageTable table;
  for (const auto& [text, name] : patterns) {
    const auto stage = StageNamed(name);
    if (!stage) {
      return Error{fmt::format("'{}' of '{}' is no stage; the stages are {}", name, text,
                               fmt::join(kNames, ", "))};
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
  for (const KnownFunctions& known : BuiltInFunctions()) {
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
