// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/secret_names.h"

namespace steptrace {

// The word of settings that stores secrets too.
inline constexpr std::string_view kRedactNothing = "off";

// What stands for a secret.
inline constexpr std::string_view kRedacted = "REDACTED";

// Takes the secrets out of command lines and messages before they are stored: values whose name
// says so (secret_names.h), passwords in addresses, Authorization headers, tokens of known shape.
// A secret without any of these cannot be told from other text.
//
// A value. Takes time in proportion to the text, cuts at ASCII characters alone, so that valid
// UTF-8 stays valid, and leaves what it made as it is.
class Redactor {
 public:
  Redactor() = default;
  // `names`: further ones, as options, variables or members: --my-secret. One that is
  // kRedactNothing leaves all as it is.
  explicit Redactor(const std::vector<std::string>& names);
  static Redactor Off();

  bool on() const { return on_; }
  // As the constructor takes them.
  std::vector<std::string> names() const {
    return on_ ? names_ : std::vector<std::string>{std::string(kRedactNothing)};
  }

  // A message, or a command as a shell reads it.
  std::string Text(std::string_view text) const;
  // A command, word by word. One that follows `-c` is read as a shell does.
  std::vector<std::string> Words(const std::vector<std::string>& words) const;
  // The value of a member of JSON.
  std::string Member(std::string_view name, std::string_view value) const;

  NameKind KindOf(std::string_view name) const;

 private:
  bool on_ = true;
  std::vector<std::string> names_;  // normal (NormalName)
};

}  // namespace steptrace
