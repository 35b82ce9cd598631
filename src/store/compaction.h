// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/string_table.h"
#include "store/tables.h"

// From journals to segments: how a run is closed, by its writer or by recovery.
namespace steptrace::store {

struct CompactionOptions {
  int64_t chunk_bytes = 6 << 20;    // rows in memory at once
  std::vector<DataLossRow> losses;  // go into `data_loss` with the rows of the journals
  Status (*write_manifest)(const std::filesystem::path& run, const Manifest&) = WriteManifest;
};

// Moves all journals of a writer into segments and writes the manifest, which names both, once at
// the end: before that write the run is as it was, after it the journals are waste and are removed.
// Slices are told the step of their rank in which they begin, as far as none was told.
// On a full disk table by table instead, so that each one's journals make room for the next; what
// then still fails stays in its journals, and the error says so. The manifest is written in any
// case; an end and ranks that it lacks are taken from the rows. The caller holds the writer's lock.
Status CloseRun(const std::filesystem::path& run, Manifest* manifest, StringTable& strings,
                const CompactionOptions& options);

}  // namespace steptrace::store
