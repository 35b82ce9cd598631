// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/path_section.h"

#include <algorithm>
#include <cstddef>

namespace steptrace::analyze {

std::vector<PathShare> SharesOf(const PathSums& sums, int64_t whole_ns) {
  const auto share_of = [whole_ns](int64_t ns) {
    return whole_ns == 0 ? 0 : static_cast<double>(ns) / static_cast<double>(whole_ns);
  };
  std::vector<PathShare> shares;
  for (size_t cause = 0; cause < sums.size(); ++cause) {
    if (sums[cause] == 0) continue;
    shares.push_back({static_cast<PathCause>(cause), sums[cause], share_of(sums[cause])});
  }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const auto& a, const auto& b) { return a.ns > b.ns; });
  return shares;
}

}  // namespace steptrace::analyze
