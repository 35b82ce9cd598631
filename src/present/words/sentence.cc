// SPDX-License-Identifier: Apache-2.0
#include "present/words/sentence.h"

#include <algorithm>

#include "present/words/quantity.h"

namespace steptrace::present {

Sentence& Sentence::operator+=(const Sentence& more) {
  for (const Figure& figure : more.figures) {
    figures.push_back(figure);
    figures.back().at += text.size();
  }
  model::PlacedText::AddPlaces(more.places, text.size(), &places);
  text += more.text;
  return *this;
}

Sentence& Sentence::operator+=(const Figure& figure) {
  figures.push_back(figure);
  figures.back().at = text.size();
  text += figure.text;
  return *this;
}

void internal::AddText(Sentence& sentence, const void* text) {
  sentence.text += static_cast<const char*>(text);
}

Sentence internal::Fill(std::string_view format, std::initializer_list<Argument> arguments) {
  Sentence sentence;
  auto next = arguments.begin();
  while (!format.empty()) {
    const size_t brace = std::min(format.find_first_of("{}"), format.size());
    sentence.text += format.substr(0, brace);
    format.remove_prefix(brace);
    if (format.empty()) break;
    // Two of a kind are one that stands in the text; the compiler has checked the rest.
    if (format.starts_with("{}") && next != arguments.end()) {
      next->add(sentence, next->value);
      ++next;
    } else {
      sentence.text += format.front();
    }
    format.remove_prefix(std::min<size_t>(2, format.size()));
  }
  return sentence;
}

namespace figure {

Figure Number(double value) {
  return {FormatNumber(value), value, ""};
}

Figure Duration(int64_t ns) {
  return {FormatDuration(ns), ns, "ns"};
}

Figure Share(double share) {
  return {FormatShare(share), share, "share"};
}

Figure ShareNumber(double share) {
  return {FormatShareNumber(share), share, "share_number"};
}

Figure FineShare(double share) {
  return {FormatFineShare(share), share, "share"};
}

Figure Bytes(double bytes) {
  return {FormatBytes(bytes), bytes, "bytes"};
}

Figure Count(int64_t count) {
  return {FormatCount(count), count, "count"};
}

Figure Cores(double cores) {
  return {FormatCores(cores), cores, "cores"};
}

Figure Ratio(double times) {
  return {FormatRatio(times), times, "times"};
}

}  // namespace figure
}  // namespace steptrace::present
