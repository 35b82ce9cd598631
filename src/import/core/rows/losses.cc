// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/losses.h"

namespace steptrace::import {

void AddLoss(Losses& losses, std::string_view table, LossCause cause, int64_t count,
             std::string_view detail) {
  auto [found, added] = losses.try_emplace({std::string(table), cause}, LossEntry{0, ""});
  if (added) found->second.detail = detail;
  found->second.count += count;
}

}  // namespace steptrace::import
