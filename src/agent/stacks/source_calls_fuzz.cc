// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Python source: what is named lies in the text, and a name is no more than a name.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/stacks/source_calls.h"

namespace {

void RequireNamed(bool holds) {
  if (!holds) std::abort();
}

bool IsWithin(std::string_view part, std::string_view whole) {
  return !part.empty() && part.data() >= whole.data() &&
         part.data() + part.size() <= whole.data() + whole.size();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace::agent;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto imports = ImportsOf(text);
  RequireNamed(!imports.contains(""));
  const auto definitions = DefinitionsIn(text);
  RequireNamed(!definitions.contains(""));
  // Each line, and from each line to the end, as the interpreter's ranges begin and end anywhere.
  for (size_t begin = 0; begin <= size;) {
    const size_t end = std::min(text.find('\n', begin), size);
    for (const std::string_view expression :
         {text.substr(begin, end - begin), text.substr(begin)}) {
      if (const auto callee = CalleeOf(expression)) {
        RequireNamed(IsWithin(*callee, expression));
        RequireNamed(callee->find('(') == std::string_view::npos);
      }
    }
    if (const auto entered = EnteredBy(text, begin, end)) RequireNamed(IsWithin(*entered, text));
    begin = end + 1;
  }
  return 0;
}
