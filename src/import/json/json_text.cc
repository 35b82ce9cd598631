// SPDX-License-Identifier: Apache-2.0
#include "import/json/json_text.h"

#include <charconv>

#include "base/utf8.h"
#include "import/json/unicode_escape.h"

namespace steptrace::import::json {
namespace {

char EscapeOf(char c) {
  switch (c) {
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case '"':
    case '\\':
    case '/':
      return c;
    default:
      return '\0';
  }
}

// A string's text inside quotes: control characters, which JSON forbids there, as escapes, a
// backslash before anything else doubled, and U+FFFD for half a character. How many of the last.
int64_t AppendQuoted(std::string_view raw, std::string* out) {
  static constexpr char kHex[] = "0123456789abcdef";
  int64_t halves = 0;
  out->push_back('"');
  for (size_t i = 0; i < raw.size(); ++i) {
    auto c = static_cast<unsigned char>(raw[i]);
    if (c < 0x20) {
      *out += "\\u00";
      out->push_back(kHex[c >> 4]);
      out->push_back(kHex[c & 15]);
    } else if (c == '\\') {
      const bool unicode = i + 1 < raw.size() && raw[i + 1] == 'u';
      const UnicodeEscape escaped = unicode ? ReadUnicodeEscape(raw, i + 2) : UnicodeEscape();
      if (escaped.half) {
        ++halves;
        AppendUtf8(kReplacementCharacter, *out);
      } else if (escaped.used > 0) {
        out->append(raw.substr(i, 2 + escaped.used));
      } else {
        const bool sound = i + 1 < raw.size() && EscapeOf(raw[i + 1]) != '\0';
        *out += sound ? "\\" : "\\\\";
        if (sound) out->push_back(raw[++i]);
      }
      if (escaped.used > 0) i += 1 + escaped.used;
    } else {
      out->push_back(static_cast<char>(c));
    }
  }
  out->push_back('"');
  return halves;
}

// Looks at all of the text: without a way out of the loop it is one of vectors.
bool NeedsCare(std::string_view raw) {
  bool control = false;
  for (char c : raw) control |= static_cast<unsigned char>(c) < 0x20;
  return control;
}

Replaced AppendScalar(const Value& value, std::string* out) {
  if (value.kind == Value::Kind::kString) {
    if (value.escaped || NeedsCare(value.text)) return {0, AppendQuoted(value.text, out)};
    out->append(value.text.data() - 1, value.text.size() + 2);  // with the quotes around it
    return {};
  }
  bool word = value.text == "true" || value.text == "false" || value.text == "null";
  bool sound = word || IsNumber(value.text);
  out->append(sound ? value.text : std::string_view("null"));
  return {sound ? 0 : 1, 0};
}

}  // namespace

const char* SkipNested(const char* p, Scan& scan) {
  int32_t depth = 0;
  bool escaped = false;
  while (p < scan.end) {
    char c = *p;
    if (c == '"') {
      p = StringEnd(p + 1, scan, &escaped);
      if (p == nullptr) return nullptr;
    } else if (c == '{' || c == '[') {
      if (++depth > scan.max_depth) {
        scan.too_deep = true;
        return nullptr;
      }
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return p + 1;
    } else if (c != ',' && c != ':' && !IsSpace(c) && !IsBare(c)) {
      return Fail(p, scan);
    }
    ++p;
  }
  return Fail(p, scan);
}

bool IsKey(const char* p, const char* end, std::span<const std::string_view> keys) {
  if (p >= end || *p != '"') return false;
  ++p;
  for (std::string_view key : keys) {
    auto left = static_cast<size_t>(end - p);
    if (left > key.size() && std::memcmp(p, key.data(), key.size()) == 0 && p[key.size()] == '"') {
      return *SkipSpace(p + key.size() + 1) == ':';
    }
  }
  return false;
}

int64_t Unescape(std::string_view raw, std::string* out) {
  int64_t halves = 0;
  for (size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '\\' || i + 1 == raw.size()) {
      out->push_back(raw[i]);
      continue;
    }
    ++i;
    if (raw[i] == 'u') {
      const UnicodeEscape escaped = ReadUnicodeEscape(raw, i + 1);
      halves += escaped.half;
      if (escaped.used == 0)
        *out += "\\u";
      else
        AppendUtf8(escaped.code, *out);  // of a half the replacement character
      i += escaped.used;
    } else if (char c = EscapeOf(raw[i]); c != '\0') {
      out->push_back(c);
    } else {
      out->push_back('\\');
      out->push_back(raw[i]);
    }
  }
  return halves;
}

bool IsNumber(std::string_view text) {
  size_t i = 0;
  auto digits = [&] {
    size_t begin = i;
    while (i < text.size() && IsDigit(text[i])) ++i;
    return i - begin;
  };
  if (i < text.size() && text[i] == '-') ++i;
  size_t first = i;
  size_t whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (i < text.size() && text[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < text.size() && (text[i] | 0x20) == 'e') {
    ++i;
    if (i < text.size() && (text[i] == '+' || text[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == text.size();
}

Replaced AppendCompact(const Value& value, std::string* out) {
  if (value.kind != Value::Kind::kNested) return AppendScalar(value, out);
  Replaced replaced;
  Scan scan;
  scan.end = value.text.data() + value.text.size();
  const char* p = value.text.data();
  while (p < scan.end) {
    if (*p == '"' || IsBare(*p)) {
      Value scalar;
      const char* after = ReadValue(p, scan, &scalar);
      if (after == nullptr) return replaced;  // cannot be: SkipNested went over it
      const Replaced of_one = AppendScalar(scalar, out);
      replaced.values += of_one.values;
      replaced.characters += of_one.characters;
      p = after;
      continue;
    }
    if (!IsSpace(*p)) out->push_back(*p);
    ++p;
  }
  return replaced;
}

bool ReadInteger(const Value& value, int64_t* out) {
  if (value.kind != Value::Kind::kBare && value.kind != Value::Kind::kString) return false;
  std::string_view text = value.text;
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || text.empty() || end != text.data() + text.size()) return false;
  *out = number;
  return true;
}

}  // namespace steptrace::import::json
