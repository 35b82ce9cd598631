// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/source.h"

namespace steptrace::import {

// Whether unpacked bytes begin as a tar or ZIP archive does.
bool IsArchive(std::string_view head);

// The files in an archive, tar (also gzipped) or ZIP, in their order there: read in that order each
// is unpacked once. One at a time may be open.
Result<std::vector<Source>> ListArchive(const std::string& path, const Limits& limits);

}  // namespace steptrace::import
