// SPDX-License-Identifier: Apache-2.0
#include "base/secret_names.h"

#include <algorithm>
#include <bitset>
#include <iterator>

#include "base/ascii.h"

namespace steptrace {
namespace {

using std::string_view;

// Ends of the last part of a name.
constexpr string_view kSecrets[] = {
    "password", "passwords",   "passwd", "passphrase", "passcode",      "secret", "secrets",
    "apikey",   "credentials", "cookie", "credential", "authorization", "cookies"};

// Tokens of text and images, of which models are made: pad_token, next_token.
constexpr string_view kPlainTokens[] = {
    "pad",         "padding",   "eos",    "bos",   "unk",    "unknown",  "mask",    "sep",
    "cls",         "class",     "start",  "end",   "stop",   "next",     "prev",    "first",
    "last",        "special",   "image",  "img",   "video",  "audio",    "vision",  "patch",
    "prompt",      "text",      "word",   "input", "output", "per",      "by",      "num",
    "max",         "min",       "n",      "sub",   "memory", "dist",     "think",   "tool",
    "latent",      "draft",     "decode", "added", "pre",    "register", "distill", "distillation",
    "placeholder", "separator", "sot",    "eot",   "bot",    "new"};
// Of several tokens those that are secrets.
constexpr string_view kSecretTokens[] = {"api", "access", "auth", "refresh", "session", "secret"};

// Whose key, or which, is a secret; other keys (sort_key, key) are if they look random.
constexpr string_view kSecretKeys[] = {
    "api",   "access",  "secret",  "private",   "auth",    "account",  "encryption",   "signing",
    "sign",  "service", "shared",  "storage",   "master",  "admin",    "deploy",       "client",
    "hmac",  "webhook", "license", "encrypt",   "host",    "session",  "subscription", "write",
    "wandb", "openai",  "comet",   "anthropic", "neptune", "hf",       "huggingface",  "mlflow",
    "aws",   "azure",   "gcp",     "datadog",   "dd",      "security", "cohere",       "mistral"};
constexpr string_view kSecretPasses[] = {
    "user", "db", "my",    "smtp",  "mail", "email", "ftp", "ssh",   "admin",    "root",
    "http", "pg", "proxy", "redis", "auth", "mongo", "sql", "mysql", "rabbitmq", "login"};
constexpr string_view kWeak[] = {"key",       "pass",    "sig",    "signature", "pat",
                                 "sas",       "license", "code",   "sid",       "session",
                                 "sessionid", "login",   "bearer", "jwt",       "nonce"};
// --no-auth takes no value, --use-auth next to none.
constexpr string_view kSwitches[] = {"no",      "use",     "with", "enable", "disable",
                                     "require", "without", "skip", "needs"};

template <size_t kCount>
bool IsOneOf(const string_view (&list)[kCount], string_view text) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

// What stands before `word` in the last part of a name, else the part before: hf of hf_token and
// of hftoken.
string_view Before(string_view word, string_view last, string_view previous) {
  return last.size() == word.size() ? previous : last.substr(0, last.size() - word.size());
}

NameKind KindOfParts(string_view first, string_view previous, string_view last) {
  const auto secret_if = [](bool secret) { return secret ? NameKind::kSecret : NameKind::kPlain; };
  const bool ends_secret = std::any_of(std::begin(kSecrets), std::end(kSecrets),
                                       [&](string_view end) { return last.ends_with(end); });
  if (first == "no") return NameKind::kPlain;
  if (ends_secret) return NameKind::kSecret;
  if (last == "auth") return secret_if(!IsOneOf(kSwitches, previous));
  if (last == "tokens") return secret_if(IsOneOf(kSecretTokens, previous));
  if (last.ends_with("token")) {
    return secret_if(!IsOneOf(kPlainTokens, Before("token", last, previous)));
  }
  if (last.ends_with("pwd")) return NameKind::kSecret;
  if (last.ends_with("key") && IsOneOf(kSecretKeys, Before("key", last, previous))) {
    return NameKind::kSecret;
  }
  if (last.ends_with("pass") && IsOneOf(kSecretPasses, Before("pass", last, previous))) {
    return NameKind::kSecret;
  }
  return IsOneOf(kWeak, last) ? NameKind::kWeak : NameKind::kPlain;
}

enum class Letters { kAlnum, kUpper, kWord, kDotted };

bool IsOf(Letters letters, char c) {
  switch (letters) {
    case Letters::kAlnum:
      return IsAlnum(c);
    case Letters::kUpper:
      return IsUpper(c) || IsDigit(c);
    case Letters::kWord:
      return IsAlnum(c) || c == '_' || c == '-';
    case Letters::kDotted:
      return IsAlnum(c) || c == '_' || c == '-' || c == '.';
  }
  return false;
}

struct TokenShape {
  string_view begin;
  Letters letters;  // of what follows
  size_t least;     // of them
};

// As the services document their tokens, which they began to mark so that they can be found.
constexpr TokenShape kShapes[] = {
    {"hf_", Letters::kAlnum, 16},        {"ghp_", Letters::kAlnum, 16},
    {"gho_", Letters::kAlnum, 16},       {"ghu_", Letters::kAlnum, 16},
    {"ghs_", Letters::kAlnum, 16},       {"ghr_", Letters::kAlnum, 16},
    {"github_pat_", Letters::kWord, 16}, {"glpat-", Letters::kWord, 16},
    {"sk-", Letters::kWord, 20},         {"sk_live_", Letters::kAlnum, 16},
    {"sk_test_", Letters::kAlnum, 16},   {"rk_live_", Letters::kAlnum, 16},
    {"AKIA", Letters::kUpper, 16},       {"ASIA", Letters::kUpper, 16},
    {"xoxb-", Letters::kWord, 10},       {"xoxp-", Letters::kWord, 10},
    {"xoxa-", Letters::kWord, 10},       {"xoxr-", Letters::kWord, 10},
    {"xoxs-", Letters::kWord, 10},       {"xapp-", Letters::kWord, 10},
    {"eyJ", Letters::kDotted, 16},       {"AIza", Letters::kWord, 30},
    {"ya29.", Letters::kWord, 20},       {"npm_", Letters::kAlnum, 30},
    {"pypi-Ag", Letters::kWord, 30},     {"dckr_pat_", Letters::kWord, 16},
    {"nvapi-", Letters::kWord, 20},      {"gsk_", Letters::kAlnum, 20},
    {"r8_", Letters::kAlnum, 30},        {"SG.", Letters::kDotted, 30},
    {"tskey-", Letters::kWord, 16},      {"GOCSPX-", Letters::kWord, 20},
    {"wandb_v1_", Letters::kWord, 20}};

constexpr ProgramOption kProgramOptions[] = {{"sshpass", "-p", true},
                                             {"curl", "-u", true},
                                             {"mysql", "-p", false},
                                             {"mysqldump", "-p", false},
                                             {"mariadb", "-p", false}};

bool IsHexOrDash(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || c == '-';
}

// Enough different characters, letters and digits: no word, no number, no run of one character.
bool IsMixed(string_view text) {
  constexpr size_t kLeastDifferent = 8;
  std::bitset<256> seen;
  for (const char c : text) seen.set(static_cast<unsigned char>(c));
  return seen.count() >= kLeastDifferent && std::any_of(text.begin(), text.end(), IsDigit) &&
         std::any_of(text.begin(), text.end(), [](char c) { return IsLower(c) || IsUpper(c); });
}

}  // namespace

std::string NormalName(string_view name) {
  constexpr size_t kMostBytes = 128;  // what it ends with decides
  if (name.size() > kMostBytes) name.remove_prefix(name.size() - kMostBytes);
  std::string normal;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool hump = IsUpper(c) && i > 0 && IsLower(name[i - 1]);
    if ((hump || !IsAlnum(c)) && !normal.empty() && normal.back() != '_') normal += '_';
    if (IsAlnum(c)) normal += ToLower(c);
  }
  while (!normal.empty() && normal.back() == '_') normal.pop_back();
  return normal;
}

NameKind KindOfName(string_view name) {
  const std::string normal = NormalName(name);
  const string_view parts = normal;
  const size_t last_at = parts.rfind('_') + 1;  // npos + 1 is 0
  const string_view before = parts.substr(0, last_at == 0 ? 0 : last_at - 1);
  return KindOfParts(parts.substr(0, parts.find('_')), before.substr(before.rfind('_') + 1),
                     parts.substr(last_at));
}

bool LooksRandom(string_view text) {
  constexpr size_t kLeast = 16;
  constexpr size_t kLeastHex = 32;  // in groups, as a UUID
  if (text.size() >= kLeastHex && std::all_of(text.begin(), text.end(), IsHexOrDash)) {
    return IsMixed(text);
  }
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && (IsAlnum(text[i]) || text[i] == '+' || text[i] == '=')) continue;
    if (i - begin >= kLeast && IsMixed(text.substr(begin, i - begin))) return true;
    begin = i + 1;
  }
  return false;
}

size_t KnownTokenLength(string_view text) {
  // With digits, or too long to be a word: hf_transformers_model is a name.
  constexpr size_t kLeastWithoutDigit = 30;
  for (const TokenShape& shape : kShapes) {
    if (!text.starts_with(shape.begin)) continue;
    const string_view rest = text.substr(shape.begin.size());
    const auto end =
        std::find_if(rest.begin(), rest.end(), [&](char c) { return !IsOf(shape.letters, c); });
    const auto length = static_cast<size_t>(end - rest.begin());
    if (length < shape.least) continue;
    if (length < kLeastWithoutDigit && std::none_of(rest.begin(), end, IsDigit)) continue;
    return shape.begin.size() + length;
  }
  return 0;
}

const ProgramOption* OptionOfProgram(string_view program, string_view word) {
  for (const ProgramOption& one : kProgramOptions) {
    const bool fits = one.value_may_follow ? word.starts_with(one.option)
                                           : word.starts_with(one.option) && word != one.option;
    if (one.program == program && fits) return &one;
  }
  return nullptr;
}

bool HasSecretOption(string_view program) {
  return std::any_of(std::begin(kProgramOptions), std::end(kProgramOptions),
                     [&](const ProgramOption& one) { return one.program == program; });
}

}  // namespace steptrace
