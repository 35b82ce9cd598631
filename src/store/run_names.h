// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace steptrace::store {

// A name as a folder's: letters, digits and ._- alone, never hidden.
std::string FolderName(const std::string& name);
// The id of a run that is made: its folder's name and a random tail.
std::string NewRunId(const std::filesystem::path& output);

}  // namespace steptrace::store
