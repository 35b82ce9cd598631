// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "base/result.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/string_table.h"

namespace steptrace::store {

// What RunReader::Scan does: reads part by part, merges by time and writes batch by batch.
Status ScanTable(const std::filesystem::path& run, const Manifest& manifest, StringTable& strings,
                 const std::string& table, const ScanOptions& options, int fd);

}  // namespace steptrace::store
