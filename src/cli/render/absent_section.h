// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "analyze/report/report.h"
#include "cli/render/page.h"

namespace steptrace::cli {

// A section that a run has nothing of, and how it is had.
struct AbsentSection {
  std::string_view what;     // "kernels: none"
  std::string_view capture;  // the command that records it while the run goes on
  std::string_view torch;    // the profile of PyTorch's that holds it
};

// Of a profile that another framework's tool wrote nothing is said of PyTorch's.
void RenderAbsent(const analyze::Report& report, const AbsentSection& section, Page& page);

}  // namespace steptrace::cli
