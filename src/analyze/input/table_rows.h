// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "model/rows.h"
#include "store/tables.h"

namespace steptrace::analyze {

// How the rows of an input stand to those of the run's tables.
struct TableRows {
  bool whole =
      true;  // all that begin in the time range below; false: who counts them counts too few
  bool has_steps = true;   // false: those of the input are the analysis' own and stand in no table
  bool has_tracks = true;  // false: some are lost, and what lies on them was not read
  std::optional<int64_t> from_ns = std::nullopt;  // of a chosen time range; of the run: nothing
  std::optional<int64_t> to_ns = std::nullopt;
  // Begin in the time range and end behind it: no view counts them, the table has them.
  std::span<const store::StepRow> cut_steps = {};
  // Those that the input's samples were summed of.
  std::optional<model::Rows> samples = std::nullopt;
};

}  // namespace steptrace::analyze
