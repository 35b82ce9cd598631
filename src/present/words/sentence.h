// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "model/placed_text.h"

// What a report says to people. Its figures are rounded to be read; the values that they were
// rounded from stand next to the text: pages show them on hover and copy them.
namespace steptrace::present {

struct Figure {
  std::string text;  // as it stands in the sentence: "62.1 ms"
  std::variant<int64_t, double> value;
  // ns, share, share_number, bytes, count, cores, times; empty: a bare number
  std::string_view unit;
  size_t at = 0;  // where in the sentence, in bytes
};

// As quantity.h writes them.
namespace figure {

Figure Number(double value);
Figure Duration(int64_t ns);
Figure Share(double share);        // 65 %
Figure ShareNumber(double share);  // 65
Figure FineShare(double share);    // 3.04 %
Figure Bytes(double bytes);
Figure Count(int64_t count);
Figure Cores(double cores);
Figure Ratio(double times);

}  // namespace figure

struct Sentence {
  std::string text;
  std::vector<Figure> figures;             // in the order in which they stand in the text
  std::vector<model::PlaceInText> places;  // likewise: lines of files that it names

  Sentence() = default;
  Sentence(std::string said) : text(std::move(said)) {}
  Sentence(const char* said) : text(said) {}

  Sentence& operator+=(const Sentence& more);
  Sentence& operator+=(const Figure& figure);
  friend Sentence operator+(Sentence first, const Sentence& second) {
    return std::move(first += second);
  }
  bool empty() const { return text.empty(); }
};

namespace internal {

// A value, and how it is added to a sentence: calls of Phrase are many, and stay small.
struct Argument {
  const void* value;
  void (*add)(Sentence& sentence, const void* value);
};

void AddText(Sentence& sentence, const void* text);  // up to its 0

template <typename Value>
void AddValue(Sentence& sentence, const void* value) {
  const Value& one = *static_cast<const Value*>(value);
  if constexpr (std::is_same_v<Value, Figure> || std::is_same_v<Value, Sentence>) {
    sentence += one;
  } else if constexpr (std::is_same_v<Value, std::string>) {
    sentence.text += one;
  } else {
    sentence.text += fmt::to_string(one);
  }
}

template <typename Value>
Argument ArgumentOf(const Value& value) {
  if constexpr (std::is_convertible_v<const Value&, const char*>) {
    return {static_cast<const char*>(value), &AddText};
  } else {
    return {&value, &AddValue<Value>};
  }
}

// Each "{}" is the next of them.
Sentence Fill(std::string_view format, std::initializer_list<Argument> arguments);

}  // namespace internal

// As fmt::format, of arguments in their order and without forms of their own: "{}" alone. Figures
// are kept, those of sentences within it too.
template <typename... Arguments>
Sentence Phrase(fmt::format_string<const Arguments&...> format, const Arguments&... arguments) {
  const fmt::string_view whole = format;
  return internal::Fill({whole.data(), whole.size()}, {internal::ArgumentOf(arguments)...});
}

}  // namespace steptrace::present

// Where they become part of a plain text.
template <>
struct fmt::formatter<steptrace::present::Figure> : fmt::formatter<std::string_view> {
  auto format(const steptrace::present::Figure& figure, format_context& context) const {
    return formatter<std::string_view>::format(figure.text, context);
  }
};

template <>
struct fmt::formatter<steptrace::present::Sentence> : fmt::formatter<std::string_view> {
  auto format(const steptrace::present::Sentence& sentence, format_context& context) const {
    return formatter<std::string_view>::format(sentence.text, context);
  }
};
