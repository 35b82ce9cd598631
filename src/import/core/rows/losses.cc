// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/losses.h"

#include <utility>

#include "model/finding_kinds.h"

namespace steptrace::import {

void AddLoss(Losses& losses, std::string_view table, LossCause cause, int64_t count,
             std::optional<model::Finding> said) {
  auto [found, added] = losses.try_emplace({std::string(table), cause});
  if (added) found->second.said = std::move(said);
  found->second.count += count;
}

model::Finding InFile(std::string_view file, LossCause cause) {
  return Make(model::finding::LossInFile{.file = std::string(file),
                                         .what = std::string(store::DetailOf(cause))});
}

}  // namespace steptrace::import
