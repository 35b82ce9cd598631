// SPDX-License-Identifier: Apache-2.0
#include "store/written_manifests.h"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <utility>

#include "base/shell_word.h"

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

// 0: that is no manifest's name.
int64_t GenerationOf(const fs::path& file) {
  const std::string stem = file.stem();
  int64_t number = 0;
  const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  const bool whole = error == std::errc() && end == stem.data() + stem.size();
  return file.extension() == ".json" && whole && number > 0 ? number : 0;
}

fs::path FolderOf(const fs::path& run, const std::string& writer) {
  return run / kManifestFolder / writer;
}

Result<Manifest> ReadOne(const fs::path& file, const std::string& writer) {
  STEPTRACE_ASSIGN_OR_RETURN(const std::string json, ReadFile(file, kLargestManifestBytes));
  STEPTRACE_ASSIGN_OR_RETURN(Manifest manifest, ManifestFromJson(json, file.string()));
  const bool has_own_format = (manifest.format == 1) == writer.empty();
  if (manifest.writer == writer && has_own_format) return manifest;
  return Error{file.string() + ": it is of another writer; bring it back from a copy"};
}

// Nobody of this build may judge what it says.
bool IsOfNewerBuild(const fs::path& file) {
  const auto json = ReadFile(file, kLargestManifestBytes);
  return json.ok() && FormatOfJson(*json) > kFormatNumber;
}

// A generation that a newer one stands behind still tells the whole, unless it was written before
// its journals were moved and removed.
bool StillHolds(const fs::path& run, const Manifest& manifest) {
  std::error_code failed;
  return manifest.status != kStatusInProgress ||
         fs::is_directory(JournalDir(run, manifest.writer), failed);
}

// The cause without its next step, which is another for a run than for a file alone.
std::string CauseOf(const Error& error) {
  return error.message.substr(0, error.message.rfind("; "));
}

// One try: generations come and go while a writer lives.
Result<WriterManifest> TryWriter(const fs::path& run, const std::string& writer) {
  WriterManifest found;
  const std::vector<fs::path> files = ManifestFiles(run, writer);
  if (files.empty()) {
    return Error{FolderOf(run, writer).string() + ": has no manifest; bring it back from a copy"};
  }
  std::optional<Error> first;
  for (const fs::path& file : files) {
    auto manifest = ReadOne(file, writer);
    if (manifest.ok() && (!first || StillHolds(run, *manifest))) {
      found.manifest = *std::move(manifest);
      if (first) found.why = CauseOf(*first);
      return found;
    }
    if (!manifest.ok() && !first) first = manifest.error();
    if (!IsGiven(file) || IsOfNewerBuild(file)) return manifest.error();
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

// What one field of the union is, of those of its writers.
std::string StatusOfAll(const std::vector<Manifest>& writers) {
  static constexpr const char* kWorstFirst[] = {kStatusInProgress, kStatusFailed,
                                                kStatusInterrupted, kStatusStopped, ""};
  for (const char* status : kWorstFirst) {
    const auto has = [&](const Manifest& manifest) { return manifest.status == status; };
    if (std::any_of(writers.begin(), writers.end(), has)) return status;
  }
  return kStatusCompleted;
}

void AddRanks(std::vector<RankInfo> more, NodeNumbers& numbers, std::vector<RankInfo>* ranks) {
  for (RankInfo& rank : more) {
    rank.node = numbers[rank.node];
    const auto same = std::find_if(ranks->begin(), ranks->end(),
                                   [&](const RankInfo& known) { return known.rank == rank.rank; });
    if (same == ranks->end()) {
      ranks->push_back(std::move(rank));
    } else {
      *same = std::move(rank);
    }
  }
}

void AddNodes(std::vector<NodeInfo> more, NodeNumbers& numbers, std::vector<NodeInfo>* nodes) {
  for (NodeInfo& node : more) {
    node.node = numbers[node.node];
    const bool known = std::any_of(nodes->begin(), nodes->end(),
                                   [&](const NodeInfo& other) { return other.node == node.node; });
    if (!known) nodes->push_back(std::move(node));
  }
}

void AddTables(std::map<std::string, TableParts> more, NodeNumbers& numbers,
               std::map<std::string, TableParts>* tables) {
  for (auto& [name, parts] : more) {
    TableParts& all = (*tables)[name];
    for (SegmentInfo& segment : parts.segments) {
      segment.node = numbers[segment.node];
      all.segments.push_back(std::move(segment));
    }
    all.absorbed_journals.merge(parts.absorbed_journals);
  }
}

void Add(Manifest writer, NodeNumbers& numbers, Manifest* all) {
  AddNodes(std::move(writer.nodes), numbers, &all->nodes);
  AddRanks(std::move(writer.ranks), numbers, &all->ranks);
  AddTables(std::move(writer.tables), numbers, &all->tables);
  for (const auto& [folder, node] : writer.journal_nodes)
    all->journal_nodes[folder] = numbers[node];
  all->versions.merge(writer.versions);
  all->identity.tags.merge(writer.identity.tags);
  all->damaged.insert(all->damaged.end(), writer.damaged.begin(), writer.damaged.end());
  if (writer.end_ns) all->end_ns = std::max(all->end_ns.value_or(0), *writer.end_ns);
  if (all->exit_code.value_or(0) == 0) all->exit_code = writer.exit_code;
  if (!all->signal) all->signal = writer.signal;
}

// The numbers that a writer uses, of nodes that it names and of rows alone.
std::set<int32_t> NodesOf(const Manifest& writer) {
  std::set<int32_t> nodes;
  for (const NodeInfo& node : writer.nodes) nodes.insert(node.node);
  for (const RankInfo& rank : writer.ranks) nodes.insert(rank.node);
  for (const auto& [folder, node] : writer.journal_nodes) nodes.insert(node);
  for (const auto& [table, parts] : writer.tables) {
    for (const SegmentInfo& segment : parts.segments) nodes.insert(segment.node);
  }
  return nodes;
}

std::string HostOf(const Manifest& writer, int32_t node) {
  for (const NodeInfo& info : writer.nodes) {
    if (info.node == node) return info.host;
  }
  return "";
}

// Manifests that a newer one stands behind.
void RemoveOlder(const fs::path& run, const std::string& writer, int64_t generation) {
  std::error_code ignored;
  for (const fs::path& file : ManifestFiles(run, writer)) {
    if (GenerationOf(file) < generation) fs::remove(file, ignored);
  }
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
  STEPTRACE_RETURN_IF_ERROR(WriteOnce(folder / fmt::format("{}.json", generation), json));
  RemoveOlder(run, manifest.writer, generation);
  return {};
}

// For people and tools beside the run: what no reader of ours looks at may be missing, but not say
// what was before.
void PutCopy(const fs::path& run, const std::string& json) {
  std::error_code ignored;
  if (!ReplaceCopy(run / kFormat1File, json).ok()) fs::remove(run / kFormat1File, ignored);
}

void RefreshCopy(const fs::path& run, const std::string& json) {
  if (Entries(run / kManifestFolder).size() == 1) {
    PutCopy(run, json);
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
                                : CauseOf(error);
  return Error{
      fmt::format("{}; `steptrace recover {}` rebuilds it", cause, ShellWord(run.string()))};
}

// Rows of writers that count otherwise cannot be put together as they stand.
Status CheckOneRun(const fs::path& run, const Manifest& a, const Manifest& b) {
  const char* what = nullptr;
  if (a.epoch_utc_ns != b.epoch_utc_ns) what = "count time from different moments";
  const bool known = a.first_number >= 0 && b.first_number >= 0;
  if (known && a.first_number == b.first_number) what = "give their tracks the same numbers";
  if (what == nullptr) return {};
  return Error{
      fmt::format("{}: the writers {} and {} {}, so that these are two runs in one folder; "
                  "take them apart, `steptrace join` makes one of them",
                  run.string(), a.writer, b.writer, what)};
}

}  // namespace

std::string OwnWriterName() {
  return fmt::format("{}-{}-{}", InName(HostName(), 64), InName(BootName(), 8), ::getpid());
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
  for (const std::string& writer : WritersOf(run)) {
    auto found = ReadWriter(run, writer);
    if (!found.ok()) return WithNextStep(run, writer, found.error());
    if (!found->damaged.empty()) found->manifest.damaged.push_back(found->why);
    for (const Manifest& other : manifests) {
      STEPTRACE_RETURN_IF_ERROR(CheckOneRun(run, other, found->manifest));
    }
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
  const auto is_ours = [](const fs::path& file) { return IsGiven(file) && !IsOfNewerBuild(file); };
  return HoldsRows(run) && std::all_of(files.begin(), files.end(), is_ours);
}

std::vector<NodeNumbers> NumberNodes(const std::vector<Manifest>& writers) {
  std::vector<NodeNumbers> all;
  std::map<std::string, int32_t> of_hosts;
  int32_t next = 0;
  for (const Manifest& writer : writers) {
    NodeNumbers& numbers = all.emplace_back();
    std::map<std::string, int32_t> of_own_hosts;
    for (const int32_t node : NodesOf(writer)) {
      const std::string host = HostOf(writer, node);
      const auto known = of_hosts.find(host);
      const bool same = !host.empty() && known != of_hosts.end();
      numbers[node] = writers.size() == 1 ? node : same ? known->second : next++;
      of_own_hosts.emplace(host, numbers[node]);
    }
    of_hosts.merge(of_own_hosts);
  }
  return all;
}

Manifest UnionOf(std::vector<Manifest> writers) {
  if (writers.size() == 1) return std::move(writers.front());
  std::vector<NodeNumbers> numbers = NumberNodes(writers);
  Manifest all = writers.front();
  all.writer.clear();
  all.status = StatusOfAll(writers);
  all.nodes.clear();
  all.ranks.clear();
  all.tables.clear();
  all.journal_nodes.clear();
  all.first_number = 0;
  all.damaged.clear();
  for (size_t i = 0; i < writers.size(); ++i) Add(std::move(writers[i]), numbers[i], &all);
  return all;
}

std::vector<JournalFile> JournalsOf(const Manifest& manifest, std::vector<JournalFile> all) {
  if (manifest.format == 1) {
    std::erase_if(all, [](const JournalFile& file) { return !NodeOfFolder(file.folder); });
    return all;
  }
  std::erase_if(
      all, [&](const JournalFile& file) { return !manifest.journal_nodes.contains(file.folder); });
  for (JournalFile& file : all) file.node = manifest.journal_nodes.at(file.folder);
  return all;
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

Status WriteManifest(const fs::path& run, const Manifest& manifest) {
  if (manifest.format == 1) return ReplaceFile(run / kFormat1File, ManifestToJson(manifest));
  if (manifest.writer.empty()) {
    Manifest own = manifest;
    own.writer = OwnWriterName();
    own.journal_nodes.clear();
    return WriteManifest(run, own);
  }
  const std::string json = ManifestToJson(manifest);
  STEPTRACE_RETURN_IF_ERROR(WriteGeneration(run, manifest, json));
  RefreshCopy(run, json);
  return {};
}

}  // namespace steptrace::store
