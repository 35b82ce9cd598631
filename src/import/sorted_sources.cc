// SPDX-License-Identifier: Apache-2.0
#include "import/sorted_sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text_hash.h"
#include "import/core/sources/archive.h"
#include "import/importers.h"
#include "import/json/depth.h"
#include "import/looks_like.h"

namespace steptrace::import {
namespace {

constexpr size_t kHeadBytes = 256 << 10;  // devices and groups of a large job precede the events

// What a file is that no importer takes. `relative`: what an importer knows it as.
void SortUnknown(const Source& source, const std::string& head, const std::string& damage,
                 const Detection& relative, const Limits& limits, SortedSources& sorted) {
  if (json::IsTooDeep(head, limits.max_depth)) {
    sorted.refused.push_back(json::TooDeep(source.path, limits.max_depth, 0));
    return;
  }
  if (!damage.empty()) {
    sorted.damaged.push_back(fmt::format("{}: {}; nothing of it can be used", source.path, damage));
    return;
  }
  Error unknown{"is empty"};
  if (!head.empty()) {
    FormatGuess likeness{relative.reason, relative.way};
    if (relative.reason.empty()) likeness = GuessFormat(head, source.path);
    unknown = {"looks like " + likeness.what, likeness.way};
  }
  if (source.archive && IsArchive(head)) {
    unknown = {"is an archive inside an archive", "unpack it and import the folder"};
  }
  sorted.unknown.push_back(unknown.Of(source.path));
}

}  // namespace

SortedSources::SortedSources() : by_importer(Importers().size()) {}

bool SortedSources::empty() const {
  return std::all_of(by_importer.begin(), by_importer.end(),
                     [](const auto& sources) { return sources.empty(); });
}

int64_t SortedSources::bytes() const {
  int64_t bytes = 0;
  for (const auto& sources : by_importer) {
    for (const DetectedSource& detected : sources) bytes += detected.source.bytes;
  }
  return bytes;
}

void Sort(const Source& source, const Limits& limits, SortedSources& sorted) {
  if (!source.archive_damage.empty()) sorted.damaged.push_back(source.archive_damage);
  std::string damage;
  auto head = ReadHead(source, kHeadBytes, &damage);
  if (!head.ok()) {
    sorted.refused.push_back(head.error());
    return;
  }
  Detection surest;
  Detection relative;
  size_t of = 0;
  for (size_t i = 0; i < Importers().size(); ++i) {
    Detection found = Importers()[i]->detect(*head, source);
    if (found.confidence == Confidence::kNone && relative.reason.empty()) relative = found;
    if (found.confidence <= surest.confidence) continue;
    surest = std::move(found);
    of = i;
  }
  if (surest.confidence == Confidence::kNone) {
    return SortUnknown(source, *head, damage, relative, limits, sorted);
  }
  sorted.by_importer[of].push_back({source, surest.dialect});
}

void LeaveOutCopies(SortedSources& sorted) {
  SeededMap<std::string, std::string> copies;  // of which file, by path
  for (size_t i = 0; i < Importers().size(); ++i) {
    if (Importers()[i]->copies == nullptr) continue;
    for (const DetectedSource& own : sorted.by_importer[i]) {
      for (std::string& copy : Importers()[i]->copies(own.source)) {
        copies.emplace(std::move(copy), own.source.path);
      }
    }
  }
  if (copies.empty()) return;
  for (size_t i = 0; i < Importers().size(); ++i) {
    if (Importers()[i]->copies != nullptr) continue;
    std::erase_if(sorted.by_importer[i], [&](const DetectedSource& detected) {
      const auto found = copies.find(detected.source.path);
      if (found == copies.end()) return false;
      sorted.copied.push_back({found->first, found->second});
      return true;
    });
  }
}

}  // namespace steptrace::import
