// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"

namespace steptrace::rpc {

// The run that a user means, whether it can be read or not: a path, or in `folder` the name of a
// run's own folder, its id, or the newest run's of that name, in this order; for an empty text the
// newest run in `folder`.
Result<std::filesystem::path> ResolveRun(const std::string& text,
                                         const std::filesystem::path& folder);

// The shortest text for which ResolveRun, asked where this process is, gives this very run: its
// name while no newer run has it, its folder's name, or a path. Its path where none does.
std::string ShortestName(const std::filesystem::path& run, const std::string& name,
                         const std::filesystem::path& folder);

}  // namespace steptrace::rpc
