// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>

#include "import/part_sink.h"

namespace steptrace::import {

using LossCounts = std::map<LossCause, int64_t>;

// Whose rows are lost for a cause, and what is said of it.
struct LossText {
  LossCause cause;
  std::string_view table;
  std::string_view detail;
};

// A loss for each of these causes that was counted.
template <class Sink>
void AddLosses(Sink& sink, std::span<const LossText> texts, const LossCounts& counts) {
  for (const LossText& text : texts) {
    const auto found = counts.find(text.cause);
    if (found != counts.end()) sink.Loss(text.table, text.cause, found->second, text.detail);
  }
}

}  // namespace steptrace::import
