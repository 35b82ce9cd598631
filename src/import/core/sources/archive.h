// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/core/sources/source.h"

namespace steptrace::import {

// Whether unpacked bytes begin as a tar or ZIP archive does.
bool IsArchive(std::string_view head);

struct Archive {
  std::vector<Source> members;  // files
  std::string damage;           // why further ones may be missing; empty: none is
};

// The files in an archive, tar (also gzipped) or ZIP, in their order there: read in that order each
// is unpacked once. One at a time may be open. Of a damaged archive those before the damage; the
// last of them may end early, which its stream tells. An error: nothing of it can be read.
Result<Archive> ListArchive(const std::string& path, const Limits& limits);

}  // namespace steptrace::import
