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
  int64_t chunk_bytes = 6 << 20;  // rows in memory at once
  std::vector<LossRow> losses;    // go into `losses` with the rows of the journals
  Status (*write_manifest)(const std::filesystem::path& run, const Manifest&) = WriteManifest;
};

// Journals of which nothing is left, as rows of `losses`.
std::vector<LossRow> LostJournalLosses(const std::filesystem::path& run, const Manifest& manifest,
                                       StringTable& strings);

// The same, and what journals without a writer hold beyond their last whole batch, as rows of
// `losses`.
Result<std::vector<LossRow>> JournalLosses(const std::filesystem::path& run,
                                           const Manifest& manifest, StringTable& strings);

// What is missing of a run whose agent died, beyond its journals.
LossRow AgentGapLoss(const std::filesystem::path& run, const Manifest& manifest,
                     StringTable& strings);

// Moves all journals of a writer into segments and writes the manifest, which names both, once at
// the end: before that write the run is as it was, after it the journals are waste and are removed.
// Slices are told the step of their rank in which they begin, as far as none was told.
// On a full disk table by table instead, so that each one's journals make room for the next; what
// then still fails stays in its journals, and the error says so. The manifest is written in any
// case; an end and ranks that it lacks are taken from the rows. The caller holds the writer's lock.
Status CloseRun(const std::filesystem::path& run, Manifest* manifest, StringTable& strings,
                const CompactionOptions& options);

}  // namespace steptrace::store
