// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>

namespace steptrace::cli {

// A bar of `share` of `cells`, exact to an eighth of a cell (ASCII: to a cell). What is not
// nothing shows as something. Not padded.
std::string Bar(double share, int cells, bool unicode);

// One character a value, from `low` to `high`; at most `cells` of them: neighbours are averaged.
std::string SparklineText(std::span<const double> values, double low, double high, int cells,
                          bool unicode);

}  // namespace steptrace::cli
