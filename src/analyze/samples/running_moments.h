// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyze/stats/distribution.h"

namespace steptrace::analyze {

// When threads of one process were seen running, of the samples at hand. A round looks at one
// thread after the other, which takes some 50 us each.
class RunningMoments {
 public:
  // Six threads lie so near; of more the outermost are taken for another round.
  static constexpr int64_t kOneRoundNs = 300'000;

  void Begin() { moments_ns_.clear(); }
  void Note(int64_t ts_ns) { moments_ns_.push_back(ts_ns); }
  void Sort() { std::sort(moments_ns_.begin(), moments_ns_.end()); }
  // In the same round as that moment.
  bool AnyAt(int64_t ts_ns) const {
    const auto first = std::lower_bound(moments_ns_.begin(), moments_ns_.end(),
                                        SaturatingAdd(ts_ns, -kOneRoundNs));
    return first != moments_ns_.end() && *first <= SaturatingAdd(ts_ns, kOneRoundNs);
  }

 private:
  std::vector<int64_t> moments_ns_;
};

}  // namespace steptrace::analyze
