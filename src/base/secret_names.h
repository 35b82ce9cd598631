// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The one list of what is secret: names whose value is a secret, and shapes of tokens that are
// known without a name.
namespace steptrace {

enum class NameKind {
  kPlain,
  kWeak,    // its value is a secret if it looks random: key, signature
  kSecret,  // its value is a secret: password, api_key
};

// Of an option, a variable, a member of JSON or a part of an address: --api-key, WANDB_API_KEY,
// wandb.api_key, apiKey.
NameKind KindOfName(std::string_view name);

// In lower case, its parts with underscores between them: wandb_api_key of all of those.
std::string NormalName(std::string_view name);

// Whether a text looks random: long, with letters and digits mixed.
bool LooksRandom(std::string_view text);

// The length of the token of known shape (hf_..., ghp_..., AKIA..., a JWT) that begins a text; 0:
// none does.
size_t KnownTokenLength(std::string_view text);

// A short option that is a secret in one program alone: `sshpass -p`.
struct ProgramOption {
  std::string_view program;
  std::string_view option;
  bool value_may_follow;  // as a word of its own
};
// nullptr: none such. `program` is a name without a folder.
const ProgramOption* OptionOfProgram(std::string_view program, std::string_view word);
bool HasSecretOption(std::string_view program);

}  // namespace steptrace
