// SPDX-License-Identifier: Apache-2.0
#include "import/json/fields.h"

#include <charconv>
#include <cstdint>
#include <optional>

#include "base/utf8.h"
#include "import/json/characters.h"
#include "import/json/unicode_escape.h"

namespace steptrace::import::json {
namespace {

bool EndsScalar(char c) {
  return c == ',' || c == '}' || c == ']' || IsSpace(c);
}

// Past the closing quote of the string that begins at `at`; npos: it does not close.
size_t StringEnd(std::string_view text, size_t at) {
  for (size_t i = at + 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == '"') {
      return i + 1;
    }
  }
  return std::string_view::npos;
}

// `at` stands on the u of an escape; moves it to the last character used.
void AppendEscapedUnit(std::string_view text, size_t& at, std::string& out) {
  const UnicodeEscape escaped = ReadUnicodeEscape(text, at + 1);
  AppendUtf8(escaped.used == 0 ? kReplacementCharacter : escaped.code, out);
  at += escaped.used;
}

}  // namespace

Fields::Fields(std::string_view object, int32_t max_depth) : text_(object), max_depth_(max_depth) {}

void Fields::SkipSpace() {
  while (at_ < text_.size() && IsSpace(text_[at_])) ++at_;
}

bool Fields::Fail() {
  state_ = State::kBroken;
  return false;
}

bool Fields::Finish() {
  ++at_;
  SkipSpace();
  state_ = at_ == text_.size() ? State::kDone : State::kBroken;
  return false;
}

bool Fields::TakeString(std::string_view& inside) {
  const size_t end = StringEnd(text_, at_);
  if (end == std::string_view::npos) return false;
  inside = text_.substr(at_ + 1, end - at_ - 2);
  at_ = end;
  return true;
}

// Brackets are counted, not matched by kind: what they hold is passed on as text.
bool Fields::TakeNested() {
  int32_t depth = 0;
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '"') {
      std::string_view ignored;
      if (!TakeString(ignored)) return false;
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') {
      if (++depth >= max_depth_) {
        too_deep_ = true;
        return false;
      }
    } else if ((c == '}' || c == ']') && --depth == 0) {
      return true;
    }
  }
  return false;
}

bool Fields::TakeValue(std::string_view& value) {
  const size_t from = at_;
  std::string_view ignored;
  if (at_ >= text_.size()) return false;
  if (text_[at_] == '"') {
    if (!TakeString(ignored)) return false;
  } else if (text_[at_] == '{' || text_[at_] == '[') {
    if (!TakeNested()) return false;
  } else {
    while (at_ < text_.size() && !EndsScalar(text_[at_])) {
      if (text_[at_] == '"' || text_[at_] == '{' || text_[at_] == ':') return false;
      ++at_;
    }
    if (at_ == from) return false;
  }
  value = text_.substr(from, at_ - from);
  return true;
}

bool Fields::Next(Field& field) {
  if (state_ == State::kDone || state_ == State::kBroken) return false;
  SkipSpace();
  if (at_ >= text_.size()) return Fail();
  if (state_ == State::kBegin) {
    if (text_[at_] != '{') return Fail();
    ++at_;
    SkipSpace();
    if (at_ < text_.size() && text_[at_] == '}') return Finish();
    state_ = State::kMembers;
  } else {
    if (text_[at_] == '}') return Finish();
    if (text_[at_] != ',') return Fail();
    ++at_;
    SkipSpace();
  }
  if (at_ >= text_.size() || text_[at_] != '"' || !TakeString(field.key)) return Fail();
  SkipSpace();
  if (at_ >= text_.size() || text_[at_] != ':') return Fail();
  ++at_;
  SkipSpace();
  return TakeValue(field.value) || Fail();
}

bool IsString(std::string_view value) {
  return value.size() >= 2 && value.front() == '"' && value.back() == '"';
}

std::string_view Bare(std::string_view value) {
  return IsString(value) ? value.substr(1, value.size() - 2) : value;
}

std::string Unescaped(std::string_view inside) {
  std::string out;
  out.reserve(inside.size());
  for (size_t i = 0; i < inside.size(); ++i) {
    if (inside[i] != '\\' || i + 1 == inside.size()) {
      out.push_back(inside[i]);
      continue;
    }
    switch (const char c = inside[++i]; c) {
      case 'b':
        out.push_back('\b');
        break;
      case 'f':
        out.push_back('\f');
        break;
      case 'n':
        out.push_back('\n');
        break;
      case 'r':
        out.push_back('\r');
        break;
      case 't':
        out.push_back('\t');
        break;
      case 'u':
        AppendEscapedUnit(inside, i, out);
        break;
      default:
        out.push_back(c);
    }
  }
  return out;
}

std::string Text(std::string_view value) {
  return IsString(value) ? Unescaped(Bare(value)) : std::string(value);
}

}  // namespace steptrace::import::json
