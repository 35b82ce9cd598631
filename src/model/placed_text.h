// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Texts that name lines of files, and which these are: nobody has to read them out of a sentence.
namespace steptrace::model {

// A line of a file where a text has it: "train.py:21".
struct PlaceInText {
  size_t at = 0;  // where in the text, in bytes
  size_t size = 0;
  std::string file = {};  // as the process reported it
  int32_t line = 0;
};

struct PlacedText {
  PlacedText() = default;
  PlacedText(std::string said) : value(std::move(said)) {}
  PlacedText(std::string_view said) : value(said) {}
  PlacedText(const char* said) : value(said) {}

  bool empty() const { return value.empty(); }

  PlacedText& operator+=(const PlacedText& more) {
    AddPlaces(more.places, value.size(), &places);
    value += more.value;
    return *this;
  }

  // Those of a text that now stands `behind` so many bytes.
  static void AddPlaces(const std::vector<PlaceInText>& more, size_t behind,
                        std::vector<PlaceInText>* places) {
    for (const PlaceInText& one : more) {
      places->push_back(one);
      places->back().at += behind;
    }
  }

  std::string value;
  std::vector<PlaceInText> places;  // in the order in which they stand in it
};

// "train.py:21"; without a line, which is no place then, "train.py".
inline PlacedText PlaceText(std::string_view name, const std::string& file, int32_t line) {
  PlacedText text(name);
  if (line <= 0) return text;
  text.value += ":" + std::to_string(line);
  text.places.push_back({0, text.value.size(), file, line});
  return text;
}

}  // namespace steptrace::model
