// SPDX-License-Identifier: Apache-2.0
#include "import/core/sources/source.h"

#include <fmt/format.h>

namespace steptrace::import {

Result<std::string> ReadHead(const Source& source, size_t size, std::string* damage) {
  STEPTRACE_ASSIGN_OR_RETURN(auto stream, source.Open());
  std::string head(size, '\0');
  STEPTRACE_ASSIGN_OR_RETURN(size_t got, ReadFully(*stream, head.data(), size));
  head.resize(got);
  if (damage != nullptr) *damage = stream->damage();
  return head;
}

Result<std::string> ReadAll(const Source& source, size_t at_most) {
  STEPTRACE_ASSIGN_OR_RETURN(std::string all, ReadHead(source, at_most + 1));
  if (all.size() > at_most) {
    return Error{fmt::format("{}: has more than the {} bytes that a file of its kind may have",
                             source.path, at_most)};
  }
  return all;
}

}  // namespace steptrace::import
