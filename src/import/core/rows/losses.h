// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "model/finding.h"
#include "store/loss_causes.h"

namespace steptrace::import {

using store::LossCause;

struct LossEntry {
  int64_t count = 0;
  std::optional<model::Finding> said;  // none: what its cause says
};
using Losses = std::map<std::pair<std::string, LossCause>, LossEntry>;  // by table and cause

// Counts of one cause add up, of what is said the first stays.
void AddLoss(Losses& losses, std::string_view table, LossCause cause, int64_t count,
             std::optional<model::Finding> said = std::nullopt);

// What its cause says, of a file.
model::Finding InFile(std::string_view file, LossCause cause);

// What an importer counts by itself.
using LossCounts = std::map<LossCause, int64_t>;

// All of them, each with what its cause says, as far as it is of one file: of that.
template <class Sink>
void AddLosses(Sink& sink, const LossCounts& counts, std::string_view file = {}) {
  for (const auto& [cause, count] : counts) {
    sink.Loss(store::FirstTableOf(cause), cause, count,
              file.empty() ? std::nullopt : std::optional(InFile(file, cause)));
  }
}

}  // namespace steptrace::import
