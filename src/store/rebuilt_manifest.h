// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::store {

// What is left of a run whose run.json cannot be read.
struct RebuiltRun {
  Manifest manifest;            // in progress where rows come from journals; else without a status
  std::vector<LossRow> losses;  // `manifest_damaged`, and a row for each file that cannot be used
  // Files that are no part of it: damaged, of no table, or with rows that others of its files have.
  std::vector<std::filesystem::path> left_over;
};

// From the run's other files. Name and id are the folder's; what no row tells (command, epoch, how
// it ended) stays unknown. Where a table of a node has both journals and segments, one of them is a
// part of the other: the one with more rows counts. `why`: what is wrong with run.json. Nothing is
// changed on the disk.
Result<RebuiltRun> RebuildRun(const std::filesystem::path& run, const std::string& why,
                              StringTable& strings);

}  // namespace steptrace::store
