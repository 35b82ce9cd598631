// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace steptrace::store {

// CRC-32 of the end of a Parquet file: what its columns are, where their pages lie, and how long
// that is. Pages carry checksums; of this only the one in the manifest tells that it was changed.
// None: the file ends otherwise, or cannot be read.
std::optional<uint32_t> FooterChecksum(int fd);

}  // namespace steptrace::store
