// SPDX-License-Identifier: Apache-2.0
#include "cli/damaged_files.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "cli/terminal.h"

namespace steptrace::cli {

void PrintDamaged(const std::vector<store::DamagedSegment>& damaged, const char* what) {
  for (const store::DamagedSegment& part : damaged) {
    const std::string line =
        fmt::format("{}: its {} rows of {} are not in {}: {}", part.segment.file, part.segment.rows,
                    part.table, what, part.why);
    fmt::print(stderr, "steptrace: {}\n", Printable(line));
  }
}

}  // namespace steptrace::cli
