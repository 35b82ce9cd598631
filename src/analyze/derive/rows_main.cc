// SPDX-License-Identifier: Apache-2.0
// steptrace_derive_rows FILE...: prints the steps that come of events as text (event_text.h).
#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "analyze/derive/event_text.h"

int main(int argc, char** argv) {
  using namespace steptrace;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    store::StringTable strings;
    const auto text = analyze::ParseEventText(content, strings);
    if (!file || !text.ok()) {
      fmt::print(stderr, "{}: {}\n", argv[i], text.ok() ? "cannot be read" : text.error().text());
      return 2;
    }
    const auto rows = analyze::DeriveText(*text, analyze::Delivery::kByTime, strings);
    fmt::print("# {}\n{}", argv[i], analyze::RowsText(rows, text->columns, strings));
  }
  return 0;
}
