// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string_view>

namespace steptrace::analyze {

// Which ranks and machines stand in a report's lists: no list grows with the job. Of more than 64
// ranks those for which the others waited most, at most half, and the first ones; the tables of the
// run have them all.
class ShownRanks {
 public:
  static constexpr size_t kMost = 64;

  // Adds `spread` to `distributed`: its ranks' figures over all ranks.
  explicit ShownRanks(nlohmann::ordered_json& report);

  // Leaves the rows of all others out of a section's lists; whether there were any.
  bool Keep(std::string_view section, nlohmann::ordered_json& rows) const;

 private:
  bool KeepIn(nlohmann::ordered_json& value) const;
  bool IsShown(const nlohmann::ordered_json& row) const;

  bool hides_ = false;       // whether there are more than stand here
  std::set<int64_t> ranks_;  // empty: all
  int64_t nodes_ = kMost;    // as many, by number
};

}  // namespace steptrace::analyze
