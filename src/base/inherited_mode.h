// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <filesystem>

// Who may read what a run holds is decided once, by the permissions of its folder: whatever is made
// in it, then or later, by whichever process, takes them over. A stricter umask stays stricter.
namespace steptrace {

inline constexpr mode_t kPrivateFolder = 0700;
inline constexpr mode_t kGroupFolder = 0750;

// Of a folder that is made in `parent`.
inline mode_t FolderModeIn(const std::filesystem::path& parent) {
  struct stat facts {};
  if (::stat(parent.empty() ? "." : parent.c_str(), &facts) != 0) return kPrivateFolder;
  return (facts.st_mode & 0777) | kPrivateFolder;
}

// Of a file in a folder of these permissions.
inline mode_t FileModeOf(mode_t folder_mode) {
  return folder_mode & 0666;
}

// Of the file at this path, which is about to be made.
inline mode_t FileModeAt(const std::filesystem::path& path) {
  return FileModeOf(FolderModeIn(path.parent_path()));
}

}  // namespace steptrace
