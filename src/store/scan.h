// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/read_options.h"
#include "store/string_table.h"

namespace steptrace::store {

struct ScanHooks {
  // Of a segment that cannot be read; an error ends the scan.
  std::function<Status(const SegmentInfo&, const Error&)> failed;
  // Rows of `data_loss` that stand in no file. Asked for behind all others.
  std::function<Status(std::vector<DataLossRow>*)> more_losses;
};

// What RunReader::Scan does: reads part by part, merges by time and writes batch by batch.
Status ScanTable(const std::filesystem::path& run, const Manifest& manifest, StringTable& strings,
                 const std::string& table, const ScanHooks& hooks, const ScanOptions& options,
                 int fd);

}  // namespace steptrace::store
