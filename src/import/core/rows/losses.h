// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "store/loss_causes.h"

namespace steptrace::import {

using store::LossCause;

struct LossEntry {
  int64_t count = 0;
  std::string detail;
};
using Losses = std::map<std::pair<std::string, LossCause>, LossEntry>;  // by table and cause

// Counts of one cause add up, of the details the first stays.
void AddLoss(Losses& losses, std::string_view table, LossCause cause, int64_t count,
             std::string_view detail);

// What an importer counts by itself.
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
