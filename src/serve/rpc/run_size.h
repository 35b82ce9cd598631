// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace steptrace::rpc {

// Whether a report or a table of the run may take more memory than a server has for it: more than
// 200,000 rows in all, or 32 MiB of files. By the manifest and the sizes of files, in no time; of a
// run that cannot be opened: no.
bool IsLargeRun(const std::filesystem::path& run);

}  // namespace steptrace::rpc
