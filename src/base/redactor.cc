// SPDX-License-Identifier: Apache-2.0
#include "base/redactor.h"

#include <algorithm>
#include <iterator>

#include "base/ascii.h"

namespace steptrace {
namespace {

using std::string_view;
constexpr size_t kNone = string_view::npos;

bool IsNameChar(char c) {
  return IsAlnum(c) || c == '_' || c == '-' || c == '.';
}
bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool IsQuote(char c) {
  return c == '"' || c == '\'' || c == '`';
}

std::string Lower(string_view text) {
  std::string lower(text);
  for (char& c : lower) c = ToLower(c);
  return lower;
}

// What is no secret under any name.
bool IsPlainValue(string_view value) {
  constexpr string_view kPlain[] = {"", "true", "false", "none", "null"};
  return value.size() <= 5 &&
         std::find(std::begin(kPlain), std::end(kPlain), Lower(value)) != std::end(kPlain);
}

// Of PWD and --pwd.
bool IsFolder(string_view name, string_view value) {
  const bool may_be = name.ends_with("pwd") || name.ends_with("PWD");
  return may_be && !value.empty() && string_view("/.~$").find(value.front()) != kNone;
}

bool IsSecretValue(NameKind kind, string_view name, string_view value) {
  if (kind == NameKind::kPlain || IsPlainValue(value) || IsFolder(name, value)) return false;
  return kind == NameKind::kSecret || LooksRandom(value);
}

// A value in a word of its own may be the next option or, of a switch, the script.
bool MayBeValue(string_view word) {
  if (word.ends_with(".py")) return false;
  return word.size() < 2 || word[0] != '-' || LooksRandom(word);
}

// How a text ends what is not in quotes.
enum class Reading {
  kText,  // at a space
  kWord,  // a word of a command: at its end
};

// One text on its way from left to right.
class Scan {
 public:
  Scan(const Redactor& redactor, string_view text, Reading reading, std::string& program)
      : redactor_(redactor), text_(text), reading_(reading), program_(program) {}

  std::string Run() {
    while (at_ < text_.size()) Step();
    out_.append(text_.substr(copied_));
    return std::move(out_);
  }

 private:
  void Step() {
    const char c = text_[at_];
    if (text_.substr(at_, 3) == "://") return TakeAddress();
    if (text_.substr(at_, 10) == "-----BEGIN" && TakePrivateKey()) return;
    if (IsNameChar(c)) return TakeName();
    if (IsQuote(c)) ToggleQuote(c);
    ++at_;
  }

  void ToggleQuote(char c) {
    const bool apostrophe = c == '\'' && at_ > 0 && IsAlnum(text_[at_ - 1]) && quote_ == 0;
    if (quote_ == c) {
      quote_ = 0;
    } else if (quote_ == 0 && !apostrophe) {
      quote_ = c;
    }
  }

  void Redact(size_t begin, size_t end) {
    out_.append(text_.substr(copied_, begin - copied_));
    out_.append(kRedacted);
    copied_ = at_ = end;
  }

  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  size_t SkipSpaces(size_t i) const {
    while (i < text_.size() && IsSpace(text_[i])) ++i;
    return i;
  }

  size_t EndOf(size_t i, bool (*belongs)(char)) const {
    while (i < text_.size() && belongs(text_[i])) ++i;
    return i;
  }

  // -----BEGIN ... PRIVATE KEY----- to its end, or that of the text.
  bool TakePrivateKey() {
    constexpr string_view kKey = "PRIVATE KEY-----";
    constexpr size_t kHead = 64;
    const size_t key = text_.substr(at_, kHead).find(kKey);
    if (key == kNone) return false;
    const size_t begin = at_ + key + kKey.size();
    const size_t end = text_.find("-----END", begin);
    Redact(begin, end == kNone ? text_.size() : end);
    return true;
  }

  // scheme://user:password@host
  void TakeAddress() {
    const auto in_host = [](char c) {
      return !IsSpace(c) && !IsQuote(c) && string_view("/?#<>()").find(c) == kNone;
    };
    const size_t begin = at_ + 3;
    const size_t end = EndOf(begin, in_host);
    const string_view host = text_.substr(begin, end - begin);
    const size_t mark = host.rfind('@');
    const size_t colon = host.find(':');
    at_ = begin;
    if (mark != kNone) {
      TakeUser(begin, begin + mark, colon < mark ? begin + colon : kNone);
    } else if (colon != kNone && !host.starts_with('[')) {
      TakePort(begin + colon + 1, end);
    }
  }

  void TakeUser(size_t begin, size_t end, size_t colon) {
    if (colon != kNone && colon + 1 < end) {
      Redact(colon + 1, end);
    } else if (LooksRandom(text_.substr(begin, end - begin))) {
      Redact(begin, end);
    } else {
      at_ = end;
    }
  }

  // What stands at a port's place and is none: a password with a slash in it, or one that was cut
  // off.
  void TakePort(size_t begin, size_t end) {
    const auto is_word = [](char c) { return !IsSpace(c) && !IsQuote(c); };
    const string_view port = text_.substr(begin, end - begin);
    if (port.empty() || std::all_of(port.begin(), port.end(), IsDigit)) return;
    if (begin >= no_mark_before_) {
      const size_t word_end = EndOf(begin, is_word);
      const size_t mark = text_.substr(begin, word_end - begin).rfind('@');
      if (mark != kNone) return Redact(begin, begin + mark);
      no_mark_before_ = word_end;
    }
    if (end == text_.size()) Redact(begin, end);
  }

  // A name, or another word: at_ is its begin.
  void TakeName() {
    const size_t begin = at_;
    const size_t end = EndOf(begin, IsNameChar);
    if (TakeToken(begin, end) || TakeProgramOption(begin, end)) return;
    at_ = end;
    const string_view name = text_.substr(begin, end - begin);
    if (HasSecretOption(name)) program_ = name;
    Value value;
    if (!FindValue(begin, end, value)) return;
    const NameKind kind = redactor_.KindOf(name);
    if (kind != NameKind::kPlain) TakeValue(name, kind, value);
  }

  bool TakeToken(size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (i > 0 && (IsAlnum(text_[i - 1]) || text_[i - 1] == '_')) continue;
      const size_t length = KnownTokenLength(text_.substr(i));
      if (length > 0) return Redact(i, i + length), true;
    }
    return false;
  }

  bool TakeProgramOption(size_t begin, size_t end) {
    const string_view word = text_.substr(begin, end - begin);
    const ProgramOption* option = OptionOfProgram(program_, word);
    if (option == nullptr) return false;
    size_t from = begin + option->option.size();
    if (from == end) from = SkipSpaces(end);
    if (from == text_.size()) return false;
    if (IsQuote(text_[from])) ++from;
    program_.clear();  // what it starts has options of its own
    Redact(from, ValueEnd(from));
    return true;
  }

  struct Value {
    size_t begin = 0;
    bool assigned = false;  // by = or :
    bool of_address = false;
    bool bare = false;  // behind a word that is no option
    bool by_colon = false;
    bool name_quoted = false;
  };

  // What follows a name: =V, : V, "name": V; of an option also V in the next word, or of a list.
  bool FindValue(size_t begin, size_t end, Value& value) {
    size_t next = end;
    while (At(next) == '\\') ++next;
    value.name_quoted = begin > 0 && IsQuote(At(next)) && text_[begin - 1] == At(next);
    next = value.name_quoted ? next + 1 : end;
    const size_t behind = SkipSpaces(next);
    const char c = At(behind);
    value.of_address = begin > 0 && (text_[begin - 1] == '?' || text_[begin - 1] == '&');
    value.by_colon = c == ':';
    value.assigned = c == '=' || (c == ':' && At(behind + 1) != ':' && At(behind + 1) != '/');
    if (value.assigned) {
      const size_t mark = EndOf(behind, [](char m) { return m == '=' || m == ':' || m == '>'; });
      value.begin = value.of_address ? mark : SkipSpaces(mark);
      return value.begin < text_.size();
    }
    value.bare = text_[begin] != '-';
    size_t from = behind;
    if (value.name_quoted && c == ',') from = SkipSpaces(behind + 1);
    value.begin = from;
    return from > next && from < text_.size() && !IsSpace(text_[from]);
  }

  void TakeValue(string_view name, NameKind kind, const Value& value) {
    size_t begin = value.begin;
    const char c = text_[begin];
    if (value.bare && !value.assigned) kind = NameKind::kWeak;
    if (value.by_colon && c == '{') return;                        // its members are looked at
    if (!value.name_quoted && quote_ != 0 && c == quote_) return;  // it ends here
    // Before its end is sought, which may be that of the text.
    if (kind == NameKind::kWeak && !BeginsRandom(begin)) return;
    if (IsFolder(name, text_.substr(begin, 1))) return;
    if (value.assigned && TakeHeader(name, begin)) return;
    if (value.by_colon && c == '[') return RedactUnless(name, kind, begin + 1, ListEnd(begin));
    size_t end;
    if (const size_t quoted = QuoteAt(begin); quoted != kNone) {
      begin = quoted + 1;
      end = QuotedEnd(quoted);
    } else {
      end = PlainEnd(value);
    }
    const string_view found = text_.substr(begin, end - begin);
    if (!value.assigned && !value.bare && !MayBeValue(found)) return;
    if (value.name_quoted) quote_ = 0;
    RedactUnless(name, kind, begin, end);
  }

  bool BeginsRandom(size_t begin) const {
    constexpr size_t kEnough = 256;
    while (At(begin) == '\\' || IsQuote(At(begin))) ++begin;
    const string_view some = text_.substr(begin, kEnough);
    const auto ends = [](char c) { return IsSpace(c) || IsQuote(c); };
    return LooksRandom(some.substr(
        0, static_cast<size_t>(std::find_if(some.begin(), some.end(), ends) - some.begin())));
  }

  void RedactUnless(string_view name, NameKind kind, size_t begin, size_t end) {
    if (IsSecretValue(kind, name, text_.substr(begin, end - begin))) Redact(begin, end);
  }

  // Authorization: Bearer V, Cookie: a=V; b=V
  bool TakeHeader(string_view name, size_t begin) {
    const std::string lower = Lower(name);
    const bool cookie = lower.ends_with("cookie");
    if (!cookie && !lower.ends_with("authorization")) return false;
    if (IsQuote(text_[begin])) ++begin;
    const size_t word_end = EndOf(begin, IsAlnum);
    const std::string scheme = Lower(text_.substr(begin, word_end - begin));
    size_t end = begin;
    if (!cookie && (scheme == "bearer" || scheme == "basic" || scheme == "token")) {
      begin = SkipSpaces(word_end);
      if (begin == text_.size()) return at_ = begin, true;
      end = ValueEnd(begin);
    } else {
      end = EndOf(begin, [](char c) { return !IsQuote(c) && c != '\n' && c != '\r'; });
    }
    if (end > begin) Redact(begin, end);
    return end > begin;
  }

  size_t ListEnd(size_t begin) const {
    const size_t end = text_.find(']', begin);
    return end == kNone ? text_.size() : end;
  }

  // The quote that begins a value, also one that is escaped; kNone: there is none.
  size_t QuoteAt(size_t i) const {
    while (At(i) == '\\') ++i;
    return IsQuote(At(i)) ? i : kNone;
  }

  // The end of what stands in quotes; what follows without a space belongs to it, as in a shell.
  size_t QuotedEnd(size_t quote) {
    const bool escaped = quote > 0 && text_[quote - 1] == '\\';
    size_t end = quote + 1;
    while (end < text_.size() && text_[end] != text_[quote]) {
      end += text_[end] == '\\' && !escaped ? 2 : 1;
    }
    if (end >= text_.size()) return text_.size();
    if (escaped) return end - (text_[end - 1] == '\\' ? 1 : 0);
    const bool goes_on = IsAlnum(At(end + 1)) || IsQuote(At(end + 1));
    return goes_on && quote_ == 0 ? ValueEnd(end) : end;
  }

  size_t PlainEnd(const Value& value) {
    if (value.of_address) {
      return EndOf(value.begin,
                   [](char c) { return !IsSpace(c) && !IsQuote(c) && c != '&' && c != '#'; });
    }
    const bool to_the_end = reading_ == Reading::kWord && value.assigned && quote_ == 0;
    return to_the_end ? text_.size() : ValueEnd(value.begin);
  }

  // The end of a shell's word from here: quotes in it hold spaces.
  size_t ValueEnd(size_t i) {
    char open = 0;
    const size_t begin = i;
    size_t opened = i;
    for (; i < text_.size(); ++i) {
      const char c = text_[i];
      if (c == '\\') {
        ++i;
      } else if (open != 0) {
        if (c == open) open = 0;
      } else if (IsSpace(c) || (c == quote_ && quote_ != 0)) {
        break;
      } else if (IsQuote(c) && i > begin) {
        open = c;
        opened = i;
      }
    }
    // A quote that nobody closes holds no spaces.
    if (open != 0) i = EndOf(opened, [](char c) { return !IsSpace(c); });
    return std::min(i, text_.size());
  }

  const Redactor& redactor_;
  const string_view text_;
  const Reading reading_;
  std::string& program_;  // whose options follow
  std::string out_;
  size_t at_ = 0;
  size_t copied_ = 0;
  char quote_ = 0;             // that is open
  size_t no_mark_before_ = 0;  // none is sought twice
};

bool IsName(string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), IsNameChar);
}

// -c, -lc: what follows is a script of a shell.
bool TakesScript(string_view word) {
  return word.size() >= 2 && word.size() <= 4 && word[0] == '-' && word[1] != '-' &&
         word.back() == 'c';
}

}  // namespace

Redactor::Redactor(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    on_ = on_ && name != kRedactNothing;
    if (std::string normal = NormalName(name); !normal.empty()) names_.push_back(normal);
  }
}

Redactor Redactor::Off() {
  Redactor off;
  off.on_ = false;
  return off;
}

NameKind Redactor::KindOf(string_view name) const {
  if (!names_.empty()) {
    const std::string normal = NormalName(name);
    for (const std::string& own : names_) {
      if (normal == own || normal.ends_with("_" + own)) return NameKind::kSecret;
    }
  }
  return KindOfName(name);
}

std::string Redactor::Text(string_view text) const {
  std::string program;
  return on_ ? Scan(*this, text, Reading::kText, program).Run() : std::string(text);
}

std::vector<std::string> Redactor::Words(const std::vector<std::string>& words) const {
  if (!on_) return words;
  std::vector<std::string> redacted;
  std::string program;
  string_view before;  // the word before, where it may name this one
  bool script = false;
  for (const std::string& word : words) {
    const bool option = before.starts_with('-');
    NameKind kind = before.empty() ? NameKind::kPlain : KindOf(before);
    if (const auto* own = OptionOfProgram(program, before); own && before == own->option) {
      kind = NameKind::kSecret;
    }
    if (!option && kind == NameKind::kSecret) kind = NameKind::kWeak;
    const bool named = MayBeValue(word) && IsSecretValue(kind, before, word);
    if (named) program.clear();
    const Reading reading = script ? Reading::kText : Reading::kWord;
    redacted.push_back(named ? std::string(kRedacted) : Scan(*this, word, reading, program).Run());
    before = IsName(word) && !named ? string_view(word) : string_view();
    script = TakesScript(word);
    const string_view base = string_view(word).substr(word.rfind('/') + 1);
    if (HasSecretOption(base)) program = base;
  }
  return redacted;
}

std::string Redactor::Member(string_view name, string_view value) const {
  if (on_ && IsSecretValue(KindOf(name), name, value)) return std::string(kRedacted);
  return Text(value);
}

}  // namespace steptrace
