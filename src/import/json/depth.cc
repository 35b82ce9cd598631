// SPDX-License-Identifier: Apache-2.0
#include "import/json/depth.h"

#include <fmt/format.h>

#include "import/json/json_text.h"

namespace steptrace::import::json {

Error TooDeep(const std::string& name, int32_t max_depth, int64_t position) {
  return Error{fmt::format("{}: its JSON is nested more than {} deep, at byte {}", name, max_depth,
                           position),
               "if that is meant, raise --max-depth"};
}

bool IsTooDeep(std::string head, int32_t max_depth) {
  head.append(kPadding, '\0');
  Scan scan{head.data() + head.size() - kPadding, max_depth};
  const char* first = SkipSpace(head.data());
  if (*first == '{' || *first == '[') SkipNested(first, scan);
  return scan.too_deep;
}

}  // namespace steptrace::import::json
