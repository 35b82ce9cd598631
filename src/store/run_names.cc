// SPDX-License-Identifier: Apache-2.0
#include "store/run_names.h"

#include <cctype>

#include "base/random_digits.h"

namespace steptrace::store {

std::string FolderName(const std::string& name) {
  constexpr size_t kMostBytes = 100;
  std::string safe;
  for (char c : name.substr(0, kMostBytes)) {
    bool kept = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
    safe += kept ? c : '-';
  }
  size_t first = safe.find_first_not_of(".-");
  return first == std::string::npos ? "profile" : safe.substr(first);
}

std::string NewRunId(const std::filesystem::path& output) {
  return output.filename().string() + "-" + RandomDigits();
}

}  // namespace steptrace::store
