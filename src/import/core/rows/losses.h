// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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

// All of them, each with what its cause says, as far as it is of one file: of that.
template <class Sink>
void AddLosses(Sink& sink, const LossCounts& counts, std::string_view file = {}) {
  for (const auto& [cause, count] : counts) {
    std::string detail(store::DetailOf(cause));
    if (!file.empty()) detail = std::string(file) + ": " + detail;
    sink.Loss(store::FirstTableOf(cause), cause, count, detail);
  }
}

}  // namespace steptrace::import
