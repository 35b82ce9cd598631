// SPDX-License-Identifier: Apache-2.0
#include "agent/hooks_marks.h"

#include <dirent.h>

#include <charconv>
#include <utility>

namespace steptrace::agent {
namespace {

constexpr std::pair<std::string_view, HooksMark> kMarkNames[] = {
    {"hooks.", HooksMark::kLoaded},           {"hooks_off.", HooksMark::kOff},
    {"hooks_no_probe.", HooksMark::kNoProbe}, {"hooks_other_build.", HooksMark::kOtherBuild},
    {"hooks_no_ring.", HooksMark::kNoRing},   {"hooks_aside.", HooksMark::kAside},
};

}  // namespace

std::optional<HooksMarkName> ParseHooksMark(std::string_view name) {
  for (const auto& [prefix, mark] : kMarkNames) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view number = name.substr(prefix.size());
    int32_t slot = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), slot);
    const bool whole = error == std::errc() && end == number.data() + number.size();
    if (!whole || slot < 0 || slot >= HooksMarks::kSlots) return std::nullopt;
    return HooksMarkName{mark, slot};
  }
  return std::nullopt;
}

HooksMarks HooksMarks::Read(const std::filesystem::path& folder) {
  HooksMarks marks;
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return marks;
  while (dirent* entry = readdir(entries)) {
    if (const auto name = ParseHooksMark(entry->d_name)) marks.Add(name->mark, name->slot);
  }
  closedir(entries);
  return marks;
}

}  // namespace steptrace::agent
