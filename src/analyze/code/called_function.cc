// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/called_function.h"

#include "analyze/code/code_place.h"

namespace steptrace::analyze {

Called CalledAt(int32_t frame, std::span<const store::StackRow> stacks,
                const store::StringTable& strings) {
  if (frame < 0) return {};
  const store::StackRow& row = stacks[static_cast<size_t>(frame)];
  const CodePlace place = PlaceOf(strings.Text(row.file));
  if (place.origin == CodeOrigin::kBuiltIn) return {row.function, "", true};
  return {row.function, ModuleToName(place, strings.Text(row.function)), false};
}

}  // namespace steptrace::analyze
