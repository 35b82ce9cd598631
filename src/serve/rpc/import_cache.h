// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "serve/rpc/import_request.h"

// Runs that were made only to be reported (`steptrace report FILE`) lie in the user's cache:
// private, found again by what the files hold, and removed, least recently used first, when there
// is no room.
namespace steptrace::rpc {

// The cache's folder: `xdg` (XDG_CACHE_HOME) where that is an absolute path, else below `home`.
// Empty: neither is known.
std::filesystem::path ImportCacheFolder(const std::string& xdg, const std::string& home);

// Whether runs may lie in this folder: one of this user's, no link, that nobody else may write to
// and this user may.
bool IsOwnCache(const std::filesystem::path& cache);

// SHA-256 of what the files of a request hold, with the limits by which they are read: the same for
// a copy at another place. Empty where they cannot be read, or hold more than `most_bytes`.
std::string ContentStamp(const ImportRequest& request, int64_t most_bytes);

// `content` if the files are still those of `source`, their SourceStamp of before it was made;
// else empty: what was read in between may have been something else.
std::string ContentOfUnchanged(const ImportRequest& request, const std::string& source,
                               std::string content);

// Leaves the content's stamp in a run of the cache.
void KeepContentStamp(const std::filesystem::path& run, const std::string& stamp);

// The newest run of the cache that was made of files with this content's stamp.
std::optional<std::filesystem::path> CachedContent(const std::filesystem::path& cache,
                                                   const std::string& stamp);

// While it is open nobody removes this run of the cache. Invalid: it is gone, or about to be.
UniqueFd HoldCached(const std::filesystem::path& run);

// Notes that a run of the cache was used just now, also of one that has no mark yet.
void TouchCached(const std::filesystem::path& run);

// Removes runs, least recently used first, until the cache holds at most `most_bytes`. The run
// `keep` stays, and so do runs that are held, or were used within the last ten minutes.
void TrimCache(const std::filesystem::path& cache, int64_t most_bytes,
               const std::filesystem::path& keep);

}  // namespace steptrace::rpc
