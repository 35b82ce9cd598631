// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "base/result.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/string_table.h"

namespace steptrace::store {

// What RunReader::Scan does: reads part by part, merges by time and writes batch by batch.
// `more_losses` are rows of `losses` that stand in no file; they come last.
Status ScanTable(const std::filesystem::path& run, const Manifest& manifest, StringTable& strings,
                 const std::string& table, std::span<const LossRow> more_losses,
                 const ScanOptions& options, int fd);

}  // namespace steptrace::store
