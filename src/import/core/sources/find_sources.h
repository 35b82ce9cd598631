// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "import/core/bytes/byte_stream.h"
#include "import/core/sources/source.h"

namespace steptrace::import {

struct FoundSources {
  std::vector<Source> sources;
  std::vector<Error> refused;  // folders below the path that may not be read, a reason each
};

// What a user's path holds: the file, the files of a folder and its folders, the members of an
// archive. In the order of their paths, numbers by value. A path that is not there, or may not be
// read, is an error.
Result<FoundSources> FindSources(const std::string& path, const Limits& limits);

}  // namespace steptrace::import
