// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// What a report says to people. Its figures are rounded to be read; the values that they were
// rounded from stand beside the text: pages show them on hover and copy them.
namespace steptrace::analyze {

struct Figure {
  std::string text;  // as it stands in the sentence: "62.1 ms"
  std::variant<int64_t, double> value;
  std::string_view unit;  // ns, share, bytes, count, cores, times; empty: a bare number
  size_t at = 0;          // where in the sentence, in bytes
};

// As quantity.h writes them.
namespace figure {

Figure Number(double value);
Figure Duration(int64_t ns);
Figure Share(double share);        // 65 %
Figure ShareNumber(double share);  // 65
Figure Bytes(double bytes);
Figure Count(int64_t count);
Figure Cores(double cores);
Figure Ratio(double times);

}  // namespace figure

struct Sentence {
  std::string text;
  std::vector<Figure> figures;  // in the order in which they stand in the text

  Sentence() = default;
  Sentence(std::string said) : text(std::move(said)) {}
  Sentence(const char* said) : text(said) {}

  Sentence& operator+=(const Sentence& more);
  friend Sentence operator+(Sentence first, const Sentence& second) {
    return std::move(first += second);
  }
  bool empty() const { return text.empty(); }
};

namespace internal {

inline Sentence ToSentence(const Figure& figure) {
  Sentence sentence(figure.text);
  sentence.figures.push_back(figure);
  return sentence;
}
inline const Sentence& ToSentence(const Sentence& sentence) {
  return sentence;
}
template <typename Argument>
Sentence ToSentence(const Argument& argument) {
  return fmt::to_string(argument);
}

// Each "{}" is the next of them.
Sentence Fill(std::string_view format, std::initializer_list<Sentence> arguments);

}  // namespace internal

// As fmt::format, of arguments in their order and without forms of their own: "{}" alone. Figures
// are kept, those of sentences within it too.
template <typename... Arguments>
Sentence Phrase(fmt::format_string<const Arguments&...> format, const Arguments&... arguments) {
  const fmt::string_view whole = format;
  return internal::Fill({whole.data(), whole.size()}, {internal::ToSentence(arguments)...});
}

}  // namespace steptrace::analyze

// Where they become part of a plain text.
template <>
struct fmt::formatter<steptrace::analyze::Figure> : fmt::formatter<std::string_view> {
  auto format(const steptrace::analyze::Figure& figure, format_context& context) const {
    return formatter<std::string_view>::format(figure.text, context);
  }
};

template <>
struct fmt::formatter<steptrace::analyze::Sentence> : fmt::formatter<std::string_view> {
  auto format(const steptrace::analyze::Sentence& sentence, format_context& context) const {
    return formatter<std::string_view>::format(sentence.text, context);
  }
};
