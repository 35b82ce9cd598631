// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/journal_reader.h"
#include "store/manifest.h"
#include "store/run_files.h"
#include "store/string_table.h"
#include "store/tables.h"

// What journals do not hold any more, as rows of `data_loss`.
namespace steptrace::store {

// Whether the rows of a journal are in segments by what the manifest says.
bool IsAbsorbed(const Manifest& manifest, const JournalFile& file);

// For how a journal ends that was read to its end; nothing where nothing is lost. `last_ns`: the
// last time in its rows.
std::optional<DataLossRow> LossOfJournal(const JournalFile& file, const JournalReader& reader,
                                         std::optional<int64_t> last_ns, StringTable& strings);

// Journals of which nothing is left, as rows of `data_loss`.
std::vector<DataLossRow> LostJournalLosses(const std::filesystem::path& run,
                                           const Manifest& manifest, StringTable& strings);

// The same, and what journals without a writer hold beyond their last whole batch, as rows of
// `data_loss`.
Result<std::vector<DataLossRow>> JournalLosses(const std::filesystem::path& run,
                                               const Manifest& manifest, StringTable& strings);

// What is missing of a run whose agent died, beyond its journals.
DataLossRow AgentGapLoss(const std::filesystem::path& run, const Manifest& manifest,
                         StringTable& strings);

}  // namespace steptrace::store
