// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace steptrace::agent {

// Where the command's script lies: the folder of its first word that is a file of Python or a
// shell, else the one that the command runs in.
std::filesystem::path ScriptFolder(const std::vector<std::string>& command);

// The commit that is checked out where a folder lies. Git is not asked: it runs programs that a
// repository's settings name. A few files of .git are read, bounded, and nothing of them is kept
// but the commit. nullopt: no repository, nothing committed, or one that keeps its refs in other
// files.
std::optional<std::string> GitCommitAt(const std::filesystem::path& folder);

}  // namespace steptrace::agent
