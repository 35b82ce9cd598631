// SPDX-License-Identifier: Apache-2.0
#include "store/written_manifests.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <mutex>
#include <set>
#include <utility>

#include "base/random_digits.h"
#include "base/shell_word.h"
#include "store/manifest_seal.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// A manifest names each segment in some 200 bytes: room for 10^5 of them.
constexpr int64_t kLargestManifestBytes = 64 << 20;
constexpr const char* kFormat1File = "run.json";
constexpr std::string_view kWriterPrefix = "writer=";

std::string InName(std::string_view text, size_t most) {
  std::string name(text.substr(0, most));
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
  };
  std::replace_if(
      name.begin(), name.end(), [&](char c) { return !is_plain(c) && c != '-'; }, '_');
  return name.empty() || name.front() == '.' ? "_" + name : name;
}

std::string HostName() {
  utsname names{};
  return ::uname(&names) == 0 ? names.nodename : "";
}

// Of the boot: its first hexadecimal digits, so that a process number that comes again after the
// next boot is no name that comes again.
std::string BootName() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot;
  std::getline(file, boot);
  return boot.empty() ? "0" : boot;
}

// As many as every reader of numbers can tell apart, and far from where they overflow.
constexpr int64_t kMostGenerations = int64_t{1} << 53;

// 0: that is no manifest's name.
int64_t GenerationOf(const fs::path& file) {
  const std::string stem = file.stem();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  const bool whole = error == std::errc() && end == stem.data() + stem.size();
  const bool is_name = file.extension() == ".json" && whole && stem.front() != '0';
  return is_name && number > 0 && number <= kMostGenerations ? number : 0;
}

fs::path FolderOf(const fs::path& run, const std::string& writer) {
  return run / kManifestFolder / writer;
}

Result<Manifest> ReadOne(const fs::path& file, const std::string& writer) {
  STEPTRACE_ASSIGN_OR_RETURN(const std::string json, ReadFile(file, kLargestManifestBytes));
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest, ManifestFromJson(json, file.string()));
  const bool has_own_format = (manifest.format == 1) == writer.empty();
  if (manifest.writer == writer && has_own_format) return manifest;
  return Error{file.string() + ": it is of another writer", "restore it from a backup"};
}

// Nobody of this build may judge what it says. A number that changed on the disk is no newer
// format: that has its seal.
bool IsOfNewerBuild(const fs::path& file) {
  const auto json = ReadFile(file, kLargestManifestBytes);
  return json.ok() && FormatOfJson(*json) > kFormatNumber && IsSealed(*json);
}

// A generation that a newer one stands behind still tells the whole, unless it was written before
// its journals were moved and removed.
bool StillHolds(const fs::path& run, const Manifest& manifest) {
  std::error_code failed;
  return manifest.status != kStatusInProgress ||
         fs::is_directory(JournalDir(run, manifest.writer), failed);
}

// One try: generations come and go while a writer lives.
Result<WriterManifest> TryWriter(const fs::path& run, const std::string& writer) {
  WriterManifest found;
  const std::vector<fs::path> files = ManifestFiles(run, writer);
  if (files.empty()) {
    return Error{FolderOf(run, writer).string() + ": has no manifest", "restore it from a backup"};
  }
  std::optional<Error> first;
  for (const fs::path& file : files) {
    auto manifest = ReadOne(file, writer);
    if (manifest.ok() && (!first || StillHolds(run, *manifest))) {
      found.manifest = *std::move(manifest);
      if (first) found.why = first->cause;
      return found;
    }
    if (!manifest.ok() && !first) first = manifest.error();
    if (!CanBeOpened(file) || IsOfNewerBuild(file)) return manifest.error();
    found.damaged.push_back(file);
  }
  return *first;
}

void AddWritersWithRows(const fs::path& run, std::set<std::string>* names) {
  for (const JournalFile& file : ListJournals(run)) {
    if (!NodeOfFolder(file.folder)) names->insert(file.folder);
  }
  for (const fs::path& table : Entries(run / "tables")) {
    for (const fs::path& folder : Entries(table)) {
      const std::string name = folder.filename();
      if (name.starts_with(kWriterPrefix)) names->insert(name.substr(kWriterPrefix.size()));
    }
  }
}

// Manifests that a newer one stands behind, and what a write left that came to no end.
void RemoveOlder(const fs::path& run, const std::string& writer, int64_t generation) {
  std::error_code ignored;
  for (const fs::path& file : ManifestFiles(run, writer)) {
    if (GenerationOf(file) < generation) fs::remove(file, ignored);
  }
  RemoveOldTemporaries(FolderOf(run, writer), "");
}

// Folders that were made for the manifest: their entries have to be on the disk with it.
Status MakeManifestFolder(const fs::path& run, const fs::path& folder) {
  std::error_code failed;
  if (fs::is_directory(folder, failed)) return {};
  STEPTRACE_RETURN_IF_ERROR(MakeDirs(folder));
  STEPTRACE_RETURN_IF_ERROR(SyncFile(folder.parent_path()));
  return SyncFile(run);
}

Status WriteGeneration(const fs::path& run, const Manifest& manifest, const std::string& json) {
  const fs::path folder = FolderOf(run, manifest.writer);
  STEPTRACE_RETURN_IF_ERROR(MakeManifestFolder(run, folder));
  const auto files = ManifestFiles(run, manifest.writer);
  const int64_t generation = files.empty() ? 1 : GenerationOf(files.front()) + 1;
  if (generation > kMostGenerations) {
    return Error{files.front().string() + ": its number is the last one", "move this file away"};
  }
  STEPTRACE_RETURN_IF_ERROR(WriteOnce(folder / fmt::format("{}.json", generation), json));
  RemoveOlder(run, manifest.writer, generation);
  return {};
}

// For people and tools beside the run: what no reader of ours looks at may be missing, but not say
// what was before.
void PutCopy(const fs::path& run, const std::string& json) {
  std::error_code ignored;
  if (!ReplaceCopy(run / kFormat1File, json).ok()) fs::remove(run / kFormat1File, ignored);
  RemoveOldTemporaries(run, kFormat1File);
}

// Of more writers, each of which reads all others then, a run has no copy while they write.
constexpr size_t kMostCopiedWriters = 64;

void RefreshCopy(const fs::path& run, const std::string& json) {
  const size_t writers = Entries(run / kManifestFolder).size();
  if (writers == 1) {
    PutCopy(run, json);
  } else if (writers > kMostCopiedWriters) {
    std::error_code ignored;
    fs::remove(run / kFormat1File, ignored);
  } else if (const auto manifest = ReadManifest(run); manifest.ok()) {
    PutCopy(run, ManifestToJson(*manifest));
  }
}

Error WithNextStep(const fs::path& run, const std::string& writer, const Error& error) {
  if (!CanBeRebuilt(run, writer)) return error;
  const bool missing = ManifestFiles(run, writer).empty();
  const std::string cause = missing
                                ? run.string() + ": is a run whose " +
                                      (writer.empty() ? kFormat1File : "manifest") + " is missing"
                                : error.cause;
  return Error{cause, fmt::format("`steptrace recover {}` rebuilds it", ShellWord(run.string())),
               Error::Kind::kNeedsRecovery};
}

Error TwoRuns(const fs::path& run, const std::string& a, const std::string& b, const char* what) {
  return Error{fmt::format("{}: the writers {} and {} {}, so that these are two runs in one folder",
                           run.string(), a, b, what),
               "take them apart, `steptrace join` makes one of them"};
}

// Rows of writers that count otherwise cannot be put together as they stand.
class OneRun {
 public:
  explicit OneRun(const fs::path& run) : run_(run) {}

  Status Take(const Manifest& writer) {
    if (!first_) first_ = {writer.writer, writer.epoch_utc_ns};
    if (writer.epoch_utc_ns != first_->second) {
      return TwoRuns(run_, first_->first, writer.writer, "count time from different moments");
    }
    if (writer.first_number < 0) return {};  // not known
    const auto [same, is_new] = by_first_number_.emplace(writer.first_number, writer.writer);
    if (is_new) return {};
    return TwoRuns(run_, same->second, writer.writer, "give their tracks the same numbers");
  }

 private:
  const fs::path& run_;
  std::optional<std::pair<std::string, int64_t>> first_;
  std::map<int32_t, std::string> by_first_number_;
};

// Looks into the folders of the manifest's writers alone.
std::vector<JournalFile> OfWriters(
    const fs::path& run, const Manifest& manifest,
    std::vector<JournalFile> (*list)(const fs::path&, const std::optional<std::string>&)) {
  std::vector<JournalFile> all;
  if (manifest.format == 1) {
    all = list(run, std::nullopt);
    std::erase_if(all, [](const JournalFile& file) { return !NodeOfFolder(file.folder); });
    return all;
  }
  for (const auto& [folder, node] : manifest.journal_nodes) {
    for (JournalFile& file : list(run, folder)) {
      file.node = node;
      all.push_back(std::move(file));
    }
  }
  return all;
}

}  // namespace

// The digits by chance: containers may share the host's name and boot, and each has a process 7.
std::string OwnWriterName() {
  static std::mutex mutex;
  static pid_t owner = 0;
  static std::string name;
  std::lock_guard lock(mutex);
  if (owner != ::getpid()) {  // also the child of a fork
    owner = ::getpid();
    name = fmt::format("{}-{}-{}-{}", InName(HostName(), 64), InName(BootName(), 8), owner,
                       RandomDigits());
  }
  return name;
}

std::vector<fs::path> ManifestFiles(const fs::path& run, const std::string& writer) {
  std::vector<fs::path> files;
  if (writer.empty()) {
    std::error_code failed;
    const fs::path file = run / kFormat1File;
    if (fs::exists(fs::symlink_status(file, failed))) files.push_back(file);
    return files;
  }
  for (const fs::path& file : Entries(FolderOf(run, writer))) {
    if (GenerationOf(file) > 0) files.push_back(file);
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& a, const fs::path& b) { return GenerationOf(a) > GenerationOf(b); });
  return files;
}

std::vector<std::string> WritersOf(const fs::path& run) {
  std::set<std::string> names;
  for (const fs::path& folder : Entries(run / kManifestFolder)) {
    // One that died before its first has rows nowhere.
    if (!ManifestFiles(run, folder.filename()).empty()) names.insert(folder.filename());
  }
  AddWritersWithRows(run, &names);
  // Of format 1, or a folder that is none of a run's: reading run.json tells.
  if (names.empty()) return {""};
  return {names.begin(), names.end()};
}

Result<WriterManifest> ReadWriter(const fs::path& run, const std::string& writer) {
  if (writer.empty()) {
    WriterManifest found;
    STEPTRACE_ASSIGN_OR_RETURN(found.manifest, ReadOne(run / kFormat1File, writer));
    return found;
  }
  constexpr int kTries = 5;
  for (int i = 1;; ++i) {
    const auto before = ManifestFiles(run, writer);
    auto found = TryWriter(run, writer);
    if ((found.ok() && found->damaged.empty()) || i == kTries ||
        before == ManifestFiles(run, writer)) {
      return found;
    }
  }
}

Result<std::vector<Manifest>> ReadWriters(const fs::path& run) {
  std::vector<Manifest> manifests;
  OneRun one(run);
  for (const std::string& writer : WritersOf(run)) {
    auto found = ReadWriter(run, writer);
    if (!found.ok()) return WithNextStep(run, writer, found.error());
    if (!found->damaged.empty()) found->manifest.damaged.push_back(found->why);
    STEPTRACE_RETURN_IF_ERROR(one.Take(found->manifest));
    manifests.push_back(std::move(found->manifest));
  }
  return manifests;
}

void RestoreCopy(const fs::path& run) {
  const auto manifest = ReadManifest(run);
  if (!manifest.ok() || manifest->format == 1) return;
  const std::string json = ManifestToJson(*manifest);
  const auto stands = ReadFile(run / kFormat1File, kLargestManifestBytes);
  if (!stands.ok() || *stands != json) PutCopy(run, json);
}

bool CanBeRebuilt(const fs::path& run, const std::string& writer) {
  const auto files = ManifestFiles(run, writer);
  const auto is_ours = [](const fs::path& file) {
    return CanBeOpened(file) && !IsOfNewerBuild(file);
  };
  return HoldsRows(run) && std::all_of(files.begin(), files.end(), is_ours);
}

std::vector<JournalFile> JournalsOf(const fs::path& run, const Manifest& manifest) {
  return OfWriters(run, manifest, ListJournals);
}

std::vector<JournalFile> LostJournalsOf(const fs::path& run, const Manifest& manifest) {
  return OfWriters(run, manifest, LostJournals);
}

bool HasManifest(const fs::path& run) {
  std::error_code failed;
  return fs::exists(fs::symlink_status(run / kFormat1File, failed)) ||
         fs::is_directory(run / kManifestFolder, failed);
}

Result<Manifest> ReadManifest(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(auto writers, ReadWriters(run));
  return UnionOf(std::move(writers));
}

Status WriteManifestAlone(const fs::path& run, const Manifest& manifest) {
  const std::string json = ManifestToJson(manifest);
  if (manifest.format == 1) return ReplaceFile(run / kFormat1File, json);
  return WriteGeneration(run, manifest, json);
}

Status WriteManifest(const fs::path& run, const Manifest& manifest) {
  if (manifest.format > 1 && manifest.writer.empty()) {
    Manifest own = manifest;
    own.writer = OwnWriterName();
    own.journal_nodes.clear();
    return WriteManifest(run, own);
  }
  if (manifest.format == 1) return WriteManifestAlone(run, manifest);
  const std::string json = ManifestToJson(manifest);
  STEPTRACE_RETURN_IF_ERROR(WriteGeneration(run, manifest, json));
  RefreshCopy(run, json);
  return {};
}

}  // namespace steptrace::store
