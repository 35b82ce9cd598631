// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/hooks_marks.h"

#include <dirent.h>

#include <charconv>

namespace steptrace::agent {

std::optional<HooksMarkName> ParseHooksMark(std::string_view name) {
  for (const auto& [prefix, mark] : kHooksMarkPrefixes) {
    if (!name.starts_with(prefix)) continue;
    const std::string_view number = name.substr(prefix.size());
    int32_t slot = -1;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), slot);
    const bool whole = error == std::errc() && end == number.data() + number.size();
    if (!whole || slot < 0 || slot >= kHooksMarkSlots) return std::nullopt;
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
