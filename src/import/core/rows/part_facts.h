// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace steptrace::import {

// What becomes known of a part of the run, at the latest when it ends.
struct PartFacts {
  std::optional<int32_t> rank;  // none: it gets the next free number; -1: belongs to no rank
  int32_t node = 0;
  std::string host;
  int32_t local_rank = -1;
  int32_t world_size = -1;
  int64_t pid = 0;
  // What to add to the part's times to get UTC; none: its clock is not known.
  std::optional<int64_t> utc_offset_ns;
  std::string source;            // its file, for messages
  std::string job;               // as the profile calls it
  bool host_is_guessed = false;  // by the name of its file: a copy's is another
  bool is_profile = false;       // one recording of a rank, which belongs to those of one job
};

}  // namespace steptrace::import
