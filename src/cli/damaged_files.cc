// SPDX-License-Identifier: Apache-2.0
#include "cli/damaged_files.h"

#include <fmt/format.h>

#include "cli/terminal.h"

namespace steptrace::cli {

void PrintDamaged(const std::vector<store::DamagedSegment>& damaged, const char* what) {
  for (const store::DamagedSegment& part : damaged) {
    PrintMessage(fmt::format("{}: its {} rows of {} are not in {}: {}", part.segment.file,
                             part.segment.rows, part.table, what, part.why.text()));
  }
}

}  // namespace steptrace::cli
