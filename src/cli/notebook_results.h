// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace steptrace::cli {

struct FilledNotebook {
  std::string text;
  std::string complaint;  // why results are missing, in one line; empty: none is
};

// The notebook with the outputs of its cells, which Python computes in that folder: that of the
// environment that the package is installed in, else python3 of PATH. It imports the package alone
// from there. Without a Python the notebook as it is.
FilledNotebook WithResults(const std::string& notebook, const std::filesystem::path& folder);

}  // namespace steptrace::cli
