// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Cuts a stream of JSON into the objects of its array of events: `[{...},...]`, with or without the
// closing bracket, or `{"traceEvents":[{...},...]}`. Damage costs the objects that it touches: an
// object that is broken off is dropped where the next one begins. That is on the next line; a file
// that is one line has none, so there an object may also begin where `{"` follows `,` or `[`. What
// begins so may be a part of the damaged object: it counts only if it has the `ph` of an event.
namespace steptrace::import::json {

struct ElementLosses {
  int64_t damaged = 0;         // pieces of text that are no object
  int64_t too_long = 0;        // objects over the limit of bytes
  int64_t too_deep = 0;        // objects over the limit of depth
  bool cut_off = false;        // the end is missing, in the middle of an object
  int64_t trailing_bytes = 0;  // after the end
  int64_t skipped_bytes = 0;   // of all that was dropped between the first and the last object
};

class Elements {
 public:
  using OnElement = std::function<void(std::string_view object)>;

  Elements(size_t max_bytes, size_t max_depth, OnElement on_element);

  // Bytes in order, in pieces of any size.
  void Push(std::string_view bytes);
  // No more bytes.
  void Finish();

  const ElementLosses& losses() const { return losses_; }
  // An array of events was found.
  bool found() const { return found_; }
  // The array was closed; Horovod and the TensorFlow profiler leave it open when they are killed.
  bool closed() const { return place_ == Place::kAfterArray || place_ == Place::kEnd; }

 private:
  enum class Place { kStart, kTopObject, kArray, kElement, kSkip, kAfterArray, kEnd };

  void Step(char c);
  void StartChar(char c);
  void TopObjectChar(char c);
  void ArrayChar(char c);
  void SkipChar(char c);
  void ElementChar(char c);
  bool IsBroken(char c) const;
  void OpenInElement(char c);
  void CloseInElement(char c);
  void BeginElement(bool doubtful);
  void EndElement();
  void DropElement(int64_t& counter, Place next);
  void LeaveElement(char c);
  size_t ElementBytes() const { return carry_.size() + static_cast<size_t>(at_ - element_); }
  bool StringChar(char c);

  size_t max_bytes_;
  size_t max_depth_;
  OnElement on_element_;
  ElementLosses losses_;
  Place place_ = Place::kStart;
  bool found_ = false;
  bool in_object_ = false;  // the array is a member of an object
  bool junk_ = false;       // damage since the last event: counted already
  bool new_line_ = false;   // nothing that tells anything stands on the line so far

  // of the piece that is being read
  const char* begin_ = nullptr;
  const char* at_ = nullptr;
  const char* element_ = nullptr;  // begin of the element in this piece

  std::string carry_;       // of the element, from earlier pieces
  std::vector<char> open_;  // brackets that are open in the element
  bool doubtful_ = false;   // the element began behind damage: it may be a part of another
  bool in_string_ = false;
  bool escaped_ = false;
  char last_ = 0;    // significant character before, in the element or in what is skipped
  std::string key_;  // last string at the top object's own level
  size_t top_depth_ = 0;
};

}  // namespace steptrace::import::json
