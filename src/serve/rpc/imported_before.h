// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>

#include "serve/rpc/import_request.h"

// Whether a profile was imported before and has not changed since: then its run serves again.
namespace steptrace::rpc {

// The files that a request names, each once; nullopt: one is gone, or there are too many.
std::optional<std::set<std::filesystem::path>> SourceFiles(const ImportRequest& request);

// By which build and limits they are read: others may make something else of the same files.
std::string LimitsStamp(const ImportRequest& request);

// Whether a run still holds all that was imported, as far as sizes tell: what is wrong within a
// file only reading it does.
bool IsWholeImport(const std::filesystem::path& run);

// What tells the files of an import from any others without reading them: of each its path, size,
// inode and times (modified, changed), and by which limits and which build it is read. Empty where
// that cannot be told: a file is gone, or a folder holds too many.
std::string SourceStamp(const ImportRequest& request);

// Leaves the stamp in a run that was just made of these files, as import.json. A run that cannot
// keep it is imported anew the next time: no failure.
void KeepStamp(const std::filesystem::path& run, const std::string& stamp);

// The newest run in `folder` that was made of files with this stamp and lacks nothing of them: one
// that lost a file since is no answer about files that are whole.
std::optional<std::filesystem::path> ImportedBefore(const std::filesystem::path& folder,
                                                    const std::string& stamp);

}  // namespace steptrace::rpc
