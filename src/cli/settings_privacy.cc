// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_privacy.h"

#include <algorithm>

#include "base/redactor.h"
#include "cli/settings_limits.h"

namespace steptrace::cli {

Status AddRedact(std::string_view names, Settings& settings) {
  constexpr size_t kMostNames = 100;
  for (size_t begin = 0; begin <= names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    const std::string name(names.substr(begin, end - begin));
    begin = end + 1;
    if (NormalName(name).empty()) return Error{"is not a list of names, as my-secret,OTHER"};
    if (name != kRedactNothing) std::erase(settings.redact, std::string(kRedactNothing));
    settings.redact.push_back(name);
  }
  if (settings.redact.size() > kMostNames) return Error{"has more than 100 names"};
  return {};
}

Status SetReadableBy(std::string_view who, Settings& settings) {
  if (who != kReadersOwner && who != kReadersGroup) {
    return Error{"is not one of \"owner\", \"group\""};
  }
  settings.folder_mode = who == kReadersGroup ? kGroupFolder : kPrivateFolder;
  return {};
}

}  // namespace steptrace::cli
