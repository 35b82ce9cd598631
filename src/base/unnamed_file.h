// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace {

// A file without a name in that folder, or in /tmp where that may not be written: it goes with its
// descriptor.
inline Result<UniqueFd> UnnamedFile(const std::filesystem::path& folder) {
  for (const std::filesystem::path& place : {folder, std::filesystem::path("/tmp")}) {
    UniqueFd fd(::open(place.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    if (fd.valid()) return fd;
  }
  return Error{folder.string() + " and /tmp: " + std::strerror(errno),
               "make one of them a place that can be written"};
}

}  // namespace steptrace
