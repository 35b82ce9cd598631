// SPDX-License-Identifier: Apache-2.0
#include "import/sagemaker/json_elements.h"

#include <utility>

#include "import/sagemaker/characters.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr size_t kMaxKeyBytes = 64;  // "traceEvents" is what is looked for

}  // namespace

JsonElements::JsonElements(size_t max_bytes, size_t max_depth, OnElement on_element)
    : max_bytes_(max_bytes), max_depth_(max_depth), on_element_(std::move(on_element)) {}

void JsonElements::Push(std::string_view bytes) {
  begin_ = bytes.data();
  element_ = place_ == Place::kElement ? begin_ : nullptr;
  for (at_ = begin_; at_ != begin_ + bytes.size(); ++at_) Step(*at_);
  if (place_ == Place::kElement) carry_.append(element_, static_cast<size_t>(at_ - element_));
}

void JsonElements::Finish() {
  losses_.cut_off = place_ == Place::kElement;
  carry_.clear();
}

void JsonElements::Step(char c) {
  switch (place_) {
    case Place::kStart:
      return StartChar(c);
    case Place::kTopObject:
      return TopObjectChar(c);
    case Place::kArray:
      return ArrayChar(c);
    case Place::kElement:
      return ElementChar(c);
    case Place::kSkipLine:
      if (c == '\n') place_ = Place::kArray;
      return;
    case Place::kAfterArray:
      if (in_object_) return TopObjectChar(c);
      [[fallthrough]];
    case Place::kEnd:
      if (!IsSpace(c) || losses_.trailing_bytes > 0) ++losses_.trailing_bytes;
  }
}

// What stands before the first bracket is a byte order mark or nothing.
void JsonElements::StartChar(char c) {
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
bool JsonElements::StringChar(char c) {
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

void JsonElements::TopObjectChar(char c) {
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

void JsonElements::ArrayChar(char c) {
  if (c == '{') {
    junk_ = false;
    BeginElement();
  } else if (c == ']') {
    place_ = Place::kAfterArray;
    key_.clear();
  } else if (!IsSpace(c) && c != ',' && !junk_) {
    junk_ = true;
    ++losses_.damaged;
  }
}

void JsonElements::BeginElement() {
  place_ = Place::kElement;
  element_ = at_;
  carry_.clear();
  open_.assign(1, '{');
  in_string_ = escaped_ = false;
  last_ = '{';
}

void JsonElements::DropElement(int64_t& counter, Place next) {
  ++counter;
  carry_.clear();
  in_string_ = escaped_ = false;
  junk_ = true;
  place_ = next;
}

void JsonElements::EndElement() {
  place_ = Place::kArray;
  const auto size = static_cast<size_t>(at_ + 1 - element_);
  if (carry_.empty()) return on_element_({element_, size});
  carry_.append(element_, size);
  on_element_(carry_);
  carry_.clear();
}

void JsonElements::ElementChar(char c) {
  if (carry_.size() + static_cast<size_t>(at_ - element_) >= max_bytes_) {
    return DropElement(losses_.too_long, Place::kSkipLine);
  }
  // No string of JSON holds a line's end: the object was broken off in this one.
  if (in_string_ && c == '\n') return DropElement(losses_.damaged, Place::kArray);
  if (StringChar(c)) {
    last_ = '"';
  } else if (c == '{' || c == '[') {
    OpenInElement(c);
  } else if (c == '}' || c == ']') {
    CloseInElement(c);
  } else if (!IsSpace(c)) {
    last_ = c;
  }
}

void JsonElements::OpenInElement(char c) {
  const bool expected = open_.back() == '{' ? last_ == ':' : last_ == '[' || last_ == ',';
  if (!expected) {
    ++losses_.damaged;
    if (c == '{') return BeginElement();  // the next one: the one before was broken off
    --losses_.damaged;
    return DropElement(losses_.damaged, Place::kSkipLine);
  }
  if (open_.size() >= max_depth_) return DropElement(losses_.too_deep, Place::kSkipLine);
  open_.push_back(c);
  last_ = c;
}

void JsonElements::CloseInElement(char c) {
  if (open_.back() != (c == '}' ? '{' : '[')) {
    return DropElement(losses_.damaged, Place::kSkipLine);
  }
  open_.pop_back();
  last_ = c;
  if (open_.empty()) EndElement();
}

}  // namespace steptrace::import::sagemaker
