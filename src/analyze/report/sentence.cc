// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/sentence.h"

#include "analyze/report/quantity.h"

namespace steptrace::analyze {

Sentence& Sentence::operator+=(const Sentence& more) {
  for (const Figure& figure : more.figures) {
    figures.push_back(figure);
    figures.back().at += text.size();
  }
  text += more.text;
  return *this;
}

std::string_view internal::NextPlace(std::string_view& format, std::string& text) {
  while (!format.empty()) {
    const size_t brace = format.find_first_of("{}");
    text += format.substr(0, brace);
    if (brace == std::string_view::npos) break;
    format.remove_prefix(brace);
    // Two of them are one that stands in the text; the compiler has checked the rest.
    if (format.size() > 1 && format[0] == format[1]) {
      text += format[0];
      format.remove_prefix(2);
      continue;
    }
    const std::string_view form = format.substr(0, format.find('}') + 1);
    format.remove_prefix(form.size());
    return form;
  }
  format = {};
  return {};
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
  return {FormatShareNumber(share), share, "share"};
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
}  // namespace steptrace::analyze
