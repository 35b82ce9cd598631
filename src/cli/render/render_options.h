// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace steptrace::cli {

struct RenderOptions {
  int width = 80;                       // no line is wider; less than 60 is taken as 60
  bool color = false;                   // ANSI colours
  bool unicode = true;                  // false: ASCII alone
  std::string run{};                    // what a command is given to find the run; empty: its name
  std::optional<int64_t> last_steps{};  // the report is of so many of each rank's steady steps
};

}  // namespace steptrace::cli
