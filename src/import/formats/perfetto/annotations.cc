// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/annotations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "import/formats/perfetto/proto_fields.h"

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kMostEntries = 1 << 12;  // of one event

bool IsPlain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    auto u = static_cast<unsigned char>(c);
    return u >= 0x20 && u < 0x80 && c != '"' && c != '\\';
  });
}

}  // namespace

void Annotations::Clear() {
  text_.clear();
  entries_.clear();
}

void Annotations::AppendQuoted(std::string_view text) {
  text_ += '"';
  if (IsPlain(text)) {
    text_ += text;
  } else {
    std::string sound = SoundText(text, &counts_.no_text);
    for (char c : sound) {
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (static_cast<unsigned char>(c) < 0x20) {
        fmt::format_to(std::back_inserter(text_), "\\u{:04x}", static_cast<unsigned char>(c));
      } else {
        text_ += c;
      }
    }
  }
  text_ += '"';
}

void Annotations::AppendDouble(double value) {
  if (!std::isfinite(value)) {
    ++counts_.no_number;
    text_ += "null";
  } else {
    fmt::format_to(std::back_inserter(text_), "{}", value);
  }
}

void Annotations::Begin(std::string_view name) {
  Entry entry{};
  const size_t at = text_.size();
  AppendQuoted(name);
  entry.name_at = at + 1;
  entry.name_bytes = text_.size() - at - 2;
  entry.plain_name = entry.name_bytes == name.size();
  entry.value_at = text_.size();
  entries_.push_back(entry);
}

// The value lies behind its name; a text loses its quotes, as the scanner of JSON gives it.
void Annotations::End() {
  Entry& entry = entries_.back();
  entry.value_bytes = text_.size() - entry.value_at;
  const char first = entry.value_bytes == 0 ? '\0' : text_[entry.value_at];
  entry.kind = json::Value::Kind::kBare;
  if (first == '{' || first == '[') entry.kind = json::Value::Kind::kNested;
  if (first == '"') {
    entry.kind = json::Value::Kind::kString;
    ++entry.value_at;
    entry.value_bytes -= 2;
  }
}

std::string_view Annotations::Interned(const Sequence::Texts& texts, uint64_t number) {
  auto found = texts.find(number);
  if (found == texts.end()) {
    ++counts_.no_interned;
    return {};
  }
  const std::string_view text = sink_.strings().Text(found->second);
  interned_ += static_cast<int64_t>(text.size());
  return is_beyond_limit() ? std::string_view() : text;
}

std::string_view Annotations::NameIn(std::string_view message, const Sequence& sequence) {
  std::string_view name;
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    if (reader.tag_and_type() == Bytes(annotation::kName)) {
      name = ViewOf(reader);
    } else if (reader.tag_and_type() == Varint(annotation::kNameIid)) {
      name = Interned(sequence.annotation_names, reader.get_uint64());
    } else {
      reader.skip();
    }
  }
  return name;
}

void Annotations::Add(std::string_view message, const Sequence& sequence) {
  if (entries_.size() >= kMostEntries) {
    ++counts_.too_deep;
    return;
  }
  Begin(NameIn(message, sequence));
  try {
    AppendValue(message, sequence, 0);
  } catch (const protozero::exception&) {
    text_.resize(entries_.back().name_at - 1);
    entries_.pop_back();
    throw;
  }
  End();
}

void Annotations::AddInteger(std::string_view name, int64_t value) {
  Begin(name);
  fmt::format_to(std::back_inserter(text_), "{}", value);
  End();
}

void Annotations::AddText(std::string_view name, std::string_view value) {
  Begin(name);
  AppendQuoted(value);
  End();
}

void Annotations::AddJson(std::string_view name, std::string_view json) {
  Begin(name);
  text_ += json;
  End();
}

// Appends the value of a DebugAnnotation: a scalar, or entries or elements, which are
// DebugAnnotations themselves.
void Annotations::AppendValue(std::string_view message, const Sequence& sequence, int32_t depth) {
  if (depth > max_depth_) {
    ++counts_.too_deep;
    text_ += "null";
    return;
  }
  const size_t begin = text_.size();
  char close = '\0';
  auto next = [&](char open, char closing) {
    if (close != '\0' && close != closing) return false;  // a dictionary and an array at once
    if (close == '\0') text_.resize(begin);
    text_ += close == '\0' ? open : ',';
    close = closing;
    return true;
  };
  auto scalar = [&](auto append) {
    if (close != '\0') return;
    text_.resize(begin);
    append();
  };
  auto number = [&](auto value) {
    scalar([&] { fmt::format_to(std::back_inserter(text_), "{}", value); });
  };
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Varint(annotation::kBool):
        number(reader.get_uint64() != 0);
        break;
      case Varint(annotation::kUnsigned):
      case Varint(annotation::kPointer):
        number(reader.get_uint64());
        break;
      case Varint(annotation::kInteger):
        number(reader.get_int64());
        break;
      case Fixed64(annotation::kDouble): {
        double value = reader.get_double();
        scalar([&] { AppendDouble(value); });
        break;
      }
      case Bytes(annotation::kText):
      case Bytes(annotation::kJson): {  // JSON of strangers stays a text
        std::string_view text = ViewOf(reader);
        scalar([&] { AppendQuoted(text); });
        break;
      }
      case Varint(annotation::kTextIid): {
        std::string_view text = Interned(sequence.annotation_texts, reader.get_uint64());
        scalar([&] { AppendQuoted(text); });
        break;
      }
      case Bytes(annotation::kNested): {
        std::string_view nested = ViewOf(reader);
        scalar([&] { AppendNested(nested, depth + 1); });
        break;
      }
      case Bytes(annotation::kEntry): {
        std::string_view entry = ViewOf(reader);
        if (!next('{', '}')) break;
        AppendQuoted(NameIn(entry, sequence));
        text_ += ':';
        AppendValue(entry, sequence, depth + 1);
        break;
      }
      case Bytes(annotation::kElement): {
        std::string_view element = ViewOf(reader);
        if (next('[', ']')) AppendValue(element, sequence, depth + 1);
        break;
      }
      default:
        reader.skip();
    }
  }
  if (close != '\0') {
    text_ += close;
  } else if (text_.size() == begin) {
    text_ += "null";
  }
}

// The old form of nesting: keys and values in two lists.
void Annotations::AppendNested(std::string_view message, int32_t depth) {
  if (depth > max_depth_) {
    ++counts_.too_deep;
    text_ += "null";
    return;
  }
  std::vector<std::string_view> keys;
  std::vector<std::string_view> values;
  std::vector<std::string_view> elements;
  const size_t begin = text_.size();
  Reader reader = ReaderOf(message);
  while (reader.next()) {
    switch (reader.tag_and_type()) {
      case Bytes(annotation::kNestedKey):
        keys.push_back(ViewOf(reader));
        break;
      case Bytes(annotation::kNestedValue):
        values.push_back(ViewOf(reader));
        break;
      case Bytes(annotation::kNestedElement):
        elements.push_back(ViewOf(reader));
        break;
      case Varint(annotation::kNestedInteger):
        text_.resize(begin);
        fmt::format_to(std::back_inserter(text_), "{}", reader.get_int64());
        break;
      case Fixed64(annotation::kNestedDouble):
        text_.resize(begin);
        AppendDouble(reader.get_double());
        break;
      case Varint(annotation::kNestedBool):
        text_.resize(begin);
        text_ += reader.get_uint64() != 0 ? "true" : "false";
        break;
      case Bytes(annotation::kNestedText):
        text_.resize(begin);
        AppendQuoted(ViewOf(reader));
        break;
      default:
        reader.skip();
    }
  }
  if (!values.empty()) {
    text_.resize(begin);
    for (size_t i = 0; i < std::min(keys.size(), values.size()); ++i) {
      text_ += i == 0 ? '{' : ',';
      AppendQuoted(keys[i]);
      text_ += ':';
      AppendNested(values[i], depth + 1);
    }
    text_ += keys.empty() ? "null" : "}";
  } else if (!elements.empty()) {
    text_.resize(begin);
    for (size_t i = 0; i < elements.size(); ++i) {
      text_ += i == 0 ? '[' : ',';
      AppendNested(elements[i], depth + 1);
    }
    text_ += ']';
  }
  if (text_.size() == begin) text_ += "null";
}

std::string_view Annotations::NameOf(const Entry& entry) const {
  return std::string_view(text_).substr(entry.name_at, entry.name_bytes);
}

json::Value Annotations::ValueOf(const Entry& entry) const {
  json::Value value;
  value.kind = entry.kind;
  value.text = std::string_view(text_).substr(entry.value_at, entry.value_bytes);
  value.escaped =
      entry.kind == json::Value::Kind::kString && value.text.find('\\') != std::string_view::npos;
  return value;
}

const Annotations::Entry* Annotations::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.plain_name && NameOf(entry) == name) return &entry;
  }
  return nullptr;
}

std::optional<int64_t> Annotations::Integer(std::string_view name) const {
  const Entry* entry = Find(name);
  int64_t value = 0;
  if (entry == nullptr || !json::ReadInteger(ValueOf(*entry), &value)) return std::nullopt;
  return value;
}

std::optional<std::string> Annotations::Text(std::string_view name) const {
  const Entry* entry = Find(name);
  if (entry == nullptr || entry->kind != json::Value::Kind::kString) return std::nullopt;
  std::string text;
  json::Unescape(ValueOf(*entry).text, &text);
  return text;
}

SeededSet<std::string> Annotations::PlainNames() const {
  SeededSet<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.plain_name) names.emplace(NameOf(entry));
  }
  return names;
}

void Annotations::Remove(std::string_view name) {
  std::erase_if(entries_,
                [&](const Entry& entry) { return entry.plain_name && NameOf(entry) == name; });
}

void Annotations::Rename(std::string_view name, std::string_view to) {
  for (Entry& entry : entries_) {
    if (!entry.plain_name || NameOf(entry) != name) continue;
    entry.name_at = text_.size();
    entry.name_bytes = to.size();
    text_ += to;
  }
}

void Annotations::Sort(bool on_device, PartSink& sink, Slice* slice) {
  event_.args.clear();
  const size_t size = text_.size();
  text_.append(json::kPadding, '\0');  // values are read in blocks
  for (const Entry& entry : entries_) {
    event_.args.push_back({NameOf(entry), ValueOf(entry), kineto::FateOf(NameOf(entry))});
  }
  event_.duplicate_keys = 1;  // these do not stand in a text side by side
  sorter_.Sort(event_, on_device, sink, slice);
  text_.resize(size);
}

}  // namespace steptrace::import::perfetto
