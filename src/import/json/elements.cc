// SPDX-License-Identifier: Apache-2.0
#include "import/json/elements.h"

#include <utility>

#include "import/json/characters.h"
#include "import/json/fields.h"

namespace steptrace::import::json {
namespace {

constexpr size_t kMaxKeyBytes = 64;  // "traceEvents" is what is looked for

// Has a phase at its own level: nested objects have none.
bool IsEvent(std::string_view object) {
  bool has_phase = false;
  Fields fields(object);
  for (Field field; fields.Next(field);) has_phase |= field.key == "ph";
  return has_phase && fields.ok();
}

}  // namespace

Elements::Elements(size_t max_bytes, size_t max_depth, OnElement on_element)
    : max_bytes_(max_bytes), max_depth_(max_depth), on_element_(std::move(on_element)) {}

void Elements::Push(std::string_view bytes) {
  begin_ = bytes.data();
  element_ = place_ == Place::kElement ? begin_ : nullptr;
  for (at_ = begin_; at_ != begin_ + bytes.size(); ++at_) Step(*at_);
  if (place_ == Place::kElement) carry_.append(element_, static_cast<size_t>(at_ - element_));
}

void Elements::Finish() {
  losses_.cut_off = place_ == Place::kElement;
  carry_.clear();
}

void Elements::Step(char c) {
  switch (place_) {
    case Place::kStart:
      return StartChar(c);
    case Place::kTopObject:
      return TopObjectChar(c);
    case Place::kArray:
      return ArrayChar(c);
    case Place::kElement:
      return ElementChar(c);
    case Place::kSkip:
      return SkipChar(c);
    case Place::kAfterArray:
      if (in_object_) return TopObjectChar(c);
      [[fallthrough]];
    case Place::kEnd:
      if (!IsSpace(c) || losses_.trailing_bytes > 0) ++losses_.trailing_bytes;
  }
}

// What stands before the first bracket is a byte order mark or nothing.
void Elements::StartChar(char c) {
  if (c == '[') {
    found_ = true;
    place_ = Place::kArray;
  } else if (c == '{') {
    in_object_ = true;
    top_depth_ = 1;
    place_ = Place::kTopObject;
  }
}

// Passes the character of a string; true: it belongs to one.
bool Elements::StringChar(char c) {
  if (!in_string_) {
    in_string_ = c == '"';
    return in_string_;
  }
  if (escaped_) {
    escaped_ = false;
  } else if (c == '\\') {
    escaped_ = true;
  } else if (c == '"') {
    in_string_ = false;
  }
  return true;
}

void Elements::TopObjectChar(char c) {
  const bool begins = !in_string_ && c == '"';
  if (StringChar(c)) {
    if (begins) key_.clear();
    if (!begins && in_string_ && key_.size() < kMaxKeyBytes) key_.push_back(c);
    return;
  }
  if (c == '[' && top_depth_ == 1 && key_ == "traceEvents" && !found_) {
    found_ = true;
    place_ = Place::kArray;
  } else if (c == '{' || c == '[') {
    ++top_depth_;
  } else if ((c == '}' || c == ']') && --top_depth_ == 0) {
    place_ = Place::kEnd;
  }
}

void Elements::ArrayChar(char c) {
  if (c == '{') {
    BeginElement(junk_ && !new_line_);
  } else if (c == ']') {
    if (junk_) return LeaveElement(c);  // it may be that of a list in the damaged object
    place_ = Place::kAfterArray;
    key_.clear();
  } else if (c == '\n') {
    new_line_ = true;
  } else if (!IsSpace(c) && c != ',') {
    if (!junk_) ++losses_.damaged;
    junk_ = true;
    new_line_ = false;
    ++losses_.skipped_bytes;
  }
}

// Strings are not told apart: which quote begins one is what damage makes unknown. Inside a string
// `{"` can only be its end, for other quotes have a backslash; what begins there breaks at once.
void Elements::SkipChar(char c) {
  if (c == '{' && (last_ == ',' || last_ == '[')) return BeginElement(true);
  ++losses_.skipped_bytes;
  if (!IsSpace(c)) last_ = c;
  if (c != '\n') return;
  place_ = Place::kArray;
  new_line_ = true;
}

void Elements::BeginElement(bool doubtful) {
  place_ = Place::kElement;
  element_ = at_;
  carry_.clear();
  open_.assign(1, '{');
  in_string_ = escaped_ = new_line_ = false;
  doubtful_ = doubtful;
  last_ = '{';
}

void Elements::DropElement(int64_t& counter, Place next) {
  ++counter;
  losses_.skipped_bytes += static_cast<int64_t>(ElementBytes());
  carry_.clear();
  in_string_ = escaped_ = false;
  junk_ = new_line_ = true;
  place_ = next;
}

// From a character on that is skipped already.
void Elements::LeaveElement(char c) {
  place_ = Place::kSkip;
  new_line_ = false;
  last_ = 0;
  SkipChar(c);
}

void Elements::EndElement() {
  const auto size = static_cast<size_t>(at_ + 1 - element_);
  if (!carry_.empty()) carry_.append(element_, size);
  const std::string_view object = carry_.empty() ? std::string_view(element_, size) : carry_;
  // Behind damage an object that is no event may be a part of one, on a line of its own, too.
  junk_ = junk_ && !IsEvent(object);
  const bool drop = junk_ && doubtful_;
  place_ = drop ? Place::kSkip : Place::kArray;
  if (drop) {
    ++losses_.damaged;
    losses_.skipped_bytes += static_cast<int64_t>(object.size());
  } else {
    on_element_(object);
  }
  carry_.clear();
}

// Whether the character, outside of strings, tells that the object is damaged: a value behind a
// string, or a string behind a value. A lost quote shows so, before it swallows what follows.
bool Elements::IsBroken(char c) const {
  if (c == '"') return last_ != '{' && last_ != '[' && last_ != ',' && last_ != ':';
  constexpr std::string_view kStructure = ",:{}[]";
  return last_ == '"' && kStructure.find(c) == std::string_view::npos;
}

void Elements::ElementChar(char c) {
  if (ElementBytes() >= max_bytes_) {
    DropElement(losses_.too_long, Place::kSkip);
    return LeaveElement(c);
  }
  // No string of JSON holds a line's end: the object was broken off in this one.
  if (in_string_ && c == '\n') return DropElement(losses_.damaged, Place::kArray);
  if (!in_string_) {
    if (IsSpace(c)) {
      new_line_ |= c == '\n';
      return;
    }
    if (doubtful_ && last_ == '{' && open_.size() == 1 && c != '"') {
      int64_t was_none = 0;
      DropElement(was_none, Place::kSkip);
      return LeaveElement(c);
    }
    if (IsBroken(c)) {
      DropElement(losses_.damaged, Place::kSkip);
      return LeaveElement(c);
    }
  }
  if (StringChar(c)) {
    last_ = '"';
  } else if (c == '{' || c == '[') {
    return OpenInElement(c);
  } else if (c == '}' || c == ']') {
    CloseInElement(c);
  } else {
    last_ = c;
  }
  new_line_ = false;
}

void Elements::OpenInElement(char c) {
  const bool expected = open_.back() == '{' ? last_ == ':' : last_ == '[' || last_ == ',';
  if (!expected && c == '{') {  // the next one: the one before was broken off
    ++losses_.damaged;
    junk_ = true;
    losses_.skipped_bytes += static_cast<int64_t>(ElementBytes());
    return BeginElement(!new_line_);
  }
  if (!expected || open_.size() >= max_depth_) {
    DropElement(expected ? losses_.too_deep : losses_.damaged, Place::kSkip);
    return LeaveElement(c);
  }
  open_.push_back(c);
  last_ = c;
  new_line_ = false;
}

void Elements::CloseInElement(char c) {
  if (open_.back() != (c == '}' ? '{' : '[')) {
    DropElement(losses_.damaged, Place::kSkip);
    return LeaveElement(c);
  }
  open_.pop_back();
  last_ = c;
  if (open_.empty()) EndElement();
}

}  // namespace steptrace::import::json
