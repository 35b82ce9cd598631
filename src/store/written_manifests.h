// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/run_files.h"

// The manifests of a run, one of each writer: manifest/<writer>/<generation>.json. A file is
// written once and never replaced; the newest that is valid counts, and those before it are removed
// once it is on the disk. A run of format 1 has one, run.json, of a writer without a name.
namespace steptrace::store {

inline constexpr const char* kManifestFolder = "manifest";

// This process, as a writer: <host>-<boot>-<pid>-<digits by chance>, which no other process of any
// machine is called.
std::string OwnWriterName();

// The writers of a run by name, of whom it has a manifest, or of whom it only has rows. A run of
// format 1 has one without a name. None: the folder is not a run's.
std::vector<std::string> WritersOf(const std::filesystem::path& run);

// What a writer says now.
struct WriterManifest {
  Manifest manifest;
  // Files of a newer generation that say nothing valid, and what is wrong with the newest.
  std::vector<std::filesystem::path> damaged;
  std::string why;
};

// An error where nothing valid is there; or where something is, but the rows that it speaks of have
// been moved since, as a newer generation says that is damaged.
Result<WriterManifest> ReadWriter(const std::filesystem::path& run, const std::string& writer);
// An error that leads to RecoverRun where that can help.
Result<std::vector<Manifest>> ReadWriters(const std::filesystem::path& run);

// As WriteManifest, but leaves run.json to RestoreCopy: for one who writes for many writers. The
// manifest names its writer.
Status WriteManifestAlone(const std::filesystem::path& run, const Manifest& manifest);
// Makes run.json anew where it is missing or says what was before, of a run of which it is a copy.
void RestoreCopy(const std::filesystem::path& run);

// Whether what cannot be read of a writer can be made anew of the run's other files: not where a
// newer build wrote it, or where the right to read it is all that is missing.
bool CanBeRebuilt(const std::filesystem::path& run, const std::string& writer);
// Its files, the newest first: what stands in their place.
std::vector<std::filesystem::path> ManifestFiles(const std::filesystem::path& run,
                                                 const std::string& writer);

// By writer: the number of a node in the run for its number at that writer. Nodes of different
// writers with the same host are the same; one writer's nodes stay apart, so that of those with the
// same host the first alone is another writer's too.
using NodeNumbers = std::map<int32_t, int32_t>;
std::vector<NodeNumbers> NumberNodes(const std::vector<Manifest>& writers);
// The run as all of its writers tell it; at least one is given.
Manifest UnionOf(std::vector<Manifest> writers);

// The journals that a manifest's writers own, and of which node their rows are.
std::vector<JournalFile> JournalsOf(const std::filesystem::path& run, const Manifest& manifest);
std::vector<JournalFile> LostJournalsOf(const std::filesystem::path& run, const Manifest& manifest);

}  // namespace steptrace::store
