// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::store {

// What is left of a writer whose manifest cannot be read.
struct RebuiltRun {
  Manifest manifest;  // in progress where rows come from journals; else without a status
  std::vector<DataLossRow>
      losses;  // `manifest_damaged`, and a row for each file that cannot be used
  // Files that are no part of it: damaged, of no table, or with rows that others of its files have.
  std::vector<std::filesystem::path> left_over;
};

// A manifest that can be read.
struct KnownManifest {
  Manifest manifest;
  bool is_older = true;  // of the writer itself; else what another writer says of the run
};

// From the writer's other files. What no row tells (command, epoch, nodes) is as `known` has it,
// and from an older manifest of its own also how it ended; without one it stays unknown, and name
// and id are the folder's. Where a table of a node has both journals and segments, one of them is a
// part of the other: the one with more rows counts. `why`: what is wrong with the manifest. Nothing
// is changed on the disk.
Result<RebuiltRun> RebuildRun(const std::filesystem::path& run, const std::string& writer,
                              const std::string& why, const std::optional<KnownManifest>& known,
                              StringTable& strings);

}  // namespace steptrace::store
