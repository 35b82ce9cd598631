// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <arrow/util/crc32.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/inert_text.h"
#include "base/text_hash.h"
#include "store/all_tables.h"
#include "store/manifest_seal.h"
#include "store/run_files.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// The last member, so that all before it can be summed up.
constexpr std::string_view kChecksum = ",\n  \"crc32\": ";
constexpr std::string_view kEnd = "\n}\n";

uint32_t ChecksumOf(std::string_view text) {
  return arrow::internal::crc32(0, text.data(), text.size());
}

std::string Sealed(std::string json) {
  json.erase(json.size() - kEnd.size());
  const uint32_t checksum = ChecksumOf(json);
  return json + fmt::format("{}{}{}", kChecksum, checksum, kEnd);
}

template <class T>
void Put(Json* json, const char* key, const std::optional<T>& value) {
  if (value) (*json)[key] = *value;
}

// What is absent or of another type keeps its default: the file may be damaged or of another build.
template <class T>
void Get(const Json& json, const char* key, T* value) {
  auto found = json.is_object() ? json.find(key) : json.end();
  if (found == json.end()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (found->is_string()) *value = found->template get<std::string>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (found->is_number()) *value = found->template get<T>();
  } else {
    if (found->is_number_integer()) *value = found->template get<T>();
  }
}

template <class T>
void Get(const Json& json, const char* key, std::optional<T>* value) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_number_integer()) return;
  *value = json[key].get<T>();
}

void Get(const Json& json, const char* key, std::optional<std::string>* value) {
  if (!json.is_object() || !json.contains(key) || !json[key].is_string()) return;
  *value = json[key].get<std::string>();
}

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json IdentityToJson(const RunIdentity& identity) {
  return {{"job_id", OrNull(identity.job_id)},
          {"attempt", OrNull(identity.attempt)},
          {"topology", OrNull(identity.topology)},
          {"git_commit", OrNull(identity.git_commit)},
          {"tags", identity.tags}};
}

const Json& Member(const Json& json, const char* key) {
  static const Json nothing;
  auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? nothing : *found;
}

Json ClockToJson(const ClockInfo& clock) {
  return {{"source", clock.source},
          {"ticks_per_ns", clock.ticks_per_ns},
          {"uncertainty_ns", clock.uncertainty_ns},
          {"monotonic_ns", clock.monotonic_ns},
          {"tsc", clock.tsc}};
}

// A machine has at least one; what no source told is not none.
Json KnownOrNull(int64_t amount) {
  return amount > 0 ? Json(amount) : Json(nullptr);
}

Json NodesToJson(const std::vector<NodeInfo>& nodes, int format) {
  Json all = Json::array();
  for (const NodeInfo& node : nodes) {
    all.push_back({{"node", node.node},
                   {"host", node.host},
                   {"cpus", KnownOrNull(node.cpus)},
                   {"memory_bytes", KnownOrNull(node.memory_bytes)},
                   {"kernel", node.kernel},
                   {"boot_id", node.boot_id},
                   {"clock", ClockToJson(node.clock)}});
    if (format > 1) all.back()["gpu_uuids"] = node.gpu_uuids;
  }
  return all;
}

Json RanksToJson(const std::vector<RankInfo>& ranks, int format) {
  Json all = Json::array();
  for (const RankInfo& rank : ranks) {
    all.push_back({{"rank", rank.rank},
                   {"node", rank.node},
                   {"local_rank", rank.local_rank},
                   {"world_size", rank.world_size},
                   {"pid", rank.pid}});
    if (format == 1) continue;
    all.back().update({{"dp", OrNull(rank.dp)},
                       {"tp", OrNull(rank.tp)},
                       {"pp", OrNull(rank.pp)},
                       {"ep", OrNull(rank.ep)}});
  }
  return all;
}

Json SegmentToJson(const SegmentInfo& segment) {
  Json json = {{"file", segment.file}, {"node", segment.node}};
  Put(&json, "rank", segment.rank);
  json["rows"] = segment.rows;
  json["bytes"] = segment.bytes;
  Put(&json, "ts_min_ns", segment.ts_min_ns);
  Put(&json, "ts_max_ns", segment.ts_max_ns);
  Put(&json, "footer_crc32", segment.footer_crc32);
  return json;
}

// A writer has journals of its own alone: their number says it all. Format 1 has them by node.
Json AbsorbedToJson(const Manifest& manifest, const TableParts& parts) {
  const auto& absorbed = parts.absorbed_journals;
  if (manifest.format > 1) {
    const auto own = absorbed.find(manifest.writer);
    return own == absorbed.end() ? 0 : own->second;
  }
  Json all = Json::array();
  for (const auto& [folder, journals] : absorbed) {
    if (const auto node = NodeOfFolder(folder)) {
      all.push_back({{"node", *node}, {"journals", journals}});
    }
  }
  return all;
}

Json TablesToJson(const Manifest& manifest) {
  Json all = Json::object();
  for (const auto& [name, parts] : manifest.tables) {
    int64_t rows = 0;
    Json segments = Json::array();
    for (const SegmentInfo& segment : parts.segments) {
      rows += segment.rows;
      segments.push_back(SegmentToJson(segment));
    }
    const Json absorbed = AbsorbedToJson(manifest, parts);
    all[name] = {{"rows", rows}, {"absorbed", absorbed}, {"segments", segments}};
  }
  return all;
}

ClockInfo ClockFromJson(const Json& json) {
  ClockInfo clock;
  Get(json, "source", &clock.source);
  Get(json, "ticks_per_ns", &clock.ticks_per_ns);
  Get(json, "uncertainty_ns", &clock.uncertainty_ns);
  Get(json, "monotonic_ns", &clock.monotonic_ns);
  Get(json, "tsc", &clock.tsc);
  return clock;
}

NodeInfo NodeFromJson(const Json& json) {
  NodeInfo node;
  Get(json, "node", &node.node);
  Get(json, "host", &node.host);
  Get(json, "cpus", &node.cpus);
  Get(json, "memory_bytes", &node.memory_bytes);
  Get(json, "kernel", &node.kernel);
  Get(json, "boot_id", &node.boot_id);
  node.clock = ClockFromJson(Member(json, "clock"));
  for (const Json& uuid : Member(json, "gpu_uuids")) {
    if (uuid.is_string()) node.gpu_uuids.push_back(uuid.get<std::string>());
  }
  return node;
}

RankInfo RankFromJson(const Json& json) {
  RankInfo rank;
  Get(json, "rank", &rank.rank);
  Get(json, "node", &rank.node);
  Get(json, "local_rank", &rank.local_rank);
  Get(json, "world_size", &rank.world_size);
  Get(json, "pid", &rank.pid);
  Get(json, "dp", &rank.dp);
  Get(json, "tp", &rank.tp);
  Get(json, "pp", &rank.pp);
  Get(json, "ep", &rank.ep);
  return rank;
}

RunIdentity IdentityFromJson(const Json& json) {
  RunIdentity identity;
  Get(json, "job_id", &identity.job_id);
  Get(json, "attempt", &identity.attempt);
  Get(json, "topology", &identity.topology);
  Get(json, "git_commit", &identity.git_commit);
  for (const auto& [tag, value] : Member(json, "tags").items()) {
    if (value.is_string()) identity.tags[tag] = value.get<std::string>();
  }
  return identity;
}

// The names in a manifest may come from anywhere: none leads out of the run's folder.
bool IsSafeSegment(const std::string& file) {
  fs::path path(file);
  if (path.is_absolute() || !file.starts_with("tables/")) return false;
  return std::none_of(path.begin(), path.end(), [](const fs::path& p) { return p == ".."; });
}

Result<SegmentInfo> SegmentFromJson(const Json& json) {
  SegmentInfo segment;
  Get(json, "file", &segment.file);
  Get(json, "node", &segment.node);
  Get(json, "rank", &segment.rank);
  Get(json, "rows", &segment.rows);
  Get(json, "bytes", &segment.bytes);
  Get(json, "ts_min_ns", &segment.ts_min_ns);
  Get(json, "ts_max_ns", &segment.ts_max_ns);
  Get(json, "footer_crc32", &segment.footer_crc32);
  if (!IsSafeSegment(segment.file)) {
    return Error{"it names a segment outside its tables ('" + segment.file + "')"};
  }
  if (segment.rows < 0 || segment.bytes < 0) {
    return Error{fmt::format("its segment '{}' has {} rows in {} bytes", segment.file, segment.rows,
                             segment.bytes)};
  }
  return segment;
}

Result<TableParts> TableFromJson(const Json& json, const Manifest& manifest) {
  TableParts parts;
  for (const Json& item : Member(json, "segments")) {
    STEPTRACE_ASSIGN_OR_RETURN(SegmentInfo segment, SegmentFromJson(item));
    parts.segments.push_back(std::move(segment));
  }
  if (manifest.format > 1) {
    int32_t journals = 0;
    Get(json, "absorbed", &journals);
    if (journals > 0) parts.absorbed_journals[manifest.writer] = journals;
    return parts;
  }
  for (const Json& item : Member(json, "absorbed")) {
    int32_t node = 0;
    int32_t journals = 0;
    Get(item, "node", &node);
    Get(item, "journals", &journals);
    parts.absorbed_journals[JournalFolder(node)] = journals;
  }
  return parts;
}

bool IsStatus(const std::string& text) {
  static constexpr const char* kKnown[] = {kStatusInProgress, kStatusCompleted, kStatusFailed,
                                           kStatusStopped, kStatusInterrupted};
  return std::any_of(std::begin(kKnown), std::end(kKnown),
                     [&](const char* known) { return text == known; });
}

// What no writer of ours writes: readers would count rows twice, or never end.
Status CheckSense(const Manifest& manifest) {
  if (!manifest.status.empty() && !IsStatus(manifest.status)) {
    return Error{"its status is '" + manifest.status.substr(0, 40) + "', which is not a status"};
  }
  if (manifest.end_ns.value_or(0) < 0) {
    return Error{fmt::format("its end_ns is {}", *manifest.end_ns)};
  }
  SeededSet<std::string> files;
  for (const auto& [table, parts] : manifest.tables) {
    for (const SegmentInfo& segment : parts.segments) {
      if (!files.insert(fs::path(segment.file).lexically_normal()).second) {
        return Error{"it names the segment '" + segment.file + "' twice"};
      }
    }
  }
  return {};
}

// Of tables/<table>/...: the table; empty: it lies in none.
std::string TableOfSegment(const std::string& file) {
  const size_t begin = file.find('/') + 1;
  const size_t end = file.find('/', begin);
  return end == std::string::npos ? "" : TableName(file.substr(begin, end - begin));
}

// Adds what stands under another name of the same table.
void Add(const TableParts& more, TableParts* parts) {
  parts->segments.insert(parts->segments.end(), more.segments.begin(), more.segments.end());
  for (const auto& [folder, journals] : more.absorbed_journals) {
    int32_t& known = parts->absorbed_journals[folder];
    known = std::max(known, journals);
  }
}

// A letter that changed in a name or number must not take rows away without a word.
Status CheckTable(const std::string& name, const Json& json, const TableParts& parts) {
  int64_t found = 0;
  for (const SegmentInfo& segment : parts.segments) {
    if (__builtin_add_overflow(found, segment.rows, &found)) return Error{"it has too many rows"};
    if (TableOfSegment(segment.file) != TableName(name)) {
      return Error{"it names the segment '" + segment.file + "' for the table '" + name + "'"};
    }
  }
  int64_t rows = found;
  Get(json, "rows", &rows);
  if (rows == found) return {};
  return Error{fmt::format("its table '{}' has {} rows, its segments {}", name, rows, found)};
}

// More than any job has of either: they are kept in memory, and reports go through them.
constexpr size_t kMostNodesOrRanks = 1 << 20;

Status CheckCounts(const Json& json) {
  const size_t nodes = Member(json, "nodes").size(), ranks = Member(json, "ranks").size();
  if (std::max(nodes, ranks) <= kMostNodesOrRanks) return {};
  return Error{fmt::format("it has {} nodes and {} ranks, more than {} of one", nodes, ranks,
                           kMostNodesOrRanks)};
}

// Imports of before the format stood in the manifest: their command alone tells them.
constexpr const char* kSomeProfile = "profile";
bool WasImported(const std::vector<std::string>& command) {
  return command.size() > 1 && command[0] == "steptrace" && command[1] == "import";
}

Status FillFromJson(const Json& json, Manifest* manifest) {
  STEPTRACE_RETURN_IF_ERROR(CheckCounts(json));
  Get(json, "writer", &manifest->writer);
  Get(json, "id", &manifest->id);
  Get(json, "name", &manifest->name);
  Get(json, "status", &manifest->status);
  for (const Json& word : Member(json, "command")) {
    if (word.is_string()) manifest->command.push_back(word.get<std::string>());
  }
  Get(json, "imported_as", &manifest->imported_as);
  if (manifest->imported_as.empty() && WasImported(manifest->command)) {
    manifest->imported_as = kSomeProfile;
  }
  Get(json, "epoch_utc_ns", &manifest->epoch_utc_ns);
  Get(json, "epoch_monotonic_ns", &manifest->epoch_monotonic_ns);
  Get(json, "end_ns", &manifest->end_ns);
  Get(json, "exit_code", &manifest->exit_code);
  Get(json, "signal", &manifest->signal);
  Get(json, "steptrace_version", &manifest->steptrace_version);
  Get(json, "writer_pid", &manifest->writer_pid);
  manifest->identity = IdentityFromJson(Member(json, "identity"));
  for (const Json& node : Member(json, "nodes")) manifest->nodes.push_back(NodeFromJson(node));
  for (const Json& rank : Member(json, "ranks")) manifest->ranks.push_back(RankFromJson(rank));
  for (const auto& [name, version] : Member(json, "versions").items()) {
    if (version.is_string()) manifest->versions[name] = version.get<std::string>();
  }
  std::map<std::string, TableParts> reported;  // by the names that stand there
  for (const auto& [name, table] : Member(json, "tables").items()) {
    STEPTRACE_ASSIGN_OR_RETURN(reported[name], TableFromJson(table, *manifest));
    Add(reported[name], &manifest->tables[TableName(name)]);
  }
  if (manifest->format > 1) {
    int32_t node = 0;
    Get(json, "journal_node", &node);
    Get(json, "first_number", &manifest->first_number);
    manifest->journal_nodes[manifest->writer] = node;
  }
  STEPTRACE_RETURN_IF_ERROR(CheckSense(*manifest));
  for (const auto& [name, table] : Member(json, "tables").items()) {
    STEPTRACE_RETURN_IF_ERROR(CheckTable(name, table, reported[name]));
  }
  return {};
}

}  // namespace

bool IsSealed(std::string_view json) {
  const size_t at = json.rfind(kChecksum);
  if (at == std::string_view::npos || !json.ends_with(kEnd)) return false;
  const std::string_view number = json.substr(at + kChecksum.size());
  return number == fmt::format("{}{}", ChecksumOf(json.substr(0, at)), kEnd);
}

std::string ManifestToJson(const Manifest& manifest) {
  Json json;
  json["format"] = manifest.format;
  if (manifest.format > 1) json["writer"] = manifest.writer;
  json["id"] = manifest.id;
  json["name"] = manifest.name;
  json["status"] = manifest.status;
  Put(&json, "exit_code", manifest.exit_code);
  Put(&json, "signal", manifest.signal);
  json["command"] = manifest.command;
  if (!manifest.imported_as.empty()) json["imported_as"] = manifest.imported_as;
  json["epoch_utc_ns"] = manifest.epoch_utc_ns;
  json["epoch_monotonic_ns"] = manifest.epoch_monotonic_ns;
  Put(&json, "end_ns", manifest.end_ns);
  json["steptrace_version"] = manifest.steptrace_version;
  json["writer_pid"] = manifest.writer_pid;
  if (manifest.format > 1) {
    json["identity"] = IdentityToJson(manifest.identity);
    const auto node = manifest.journal_nodes.find(manifest.writer);
    json["first_number"] = manifest.first_number;
    json["journal_node"] = node == manifest.journal_nodes.end() ? 0 : node->second;
  }
  json["nodes"] = NodesToJson(manifest.nodes, manifest.format);
  json["ranks"] = RanksToJson(manifest.ranks, manifest.format);
  json["versions"] = manifest.versions;
  json["tables"] = TablesToJson(manifest);
  // Commands and host names need not be UTF-8; JSON must be.
  std::string text = InertJson(json.dump(2, ' ', false, Json::error_handler_t::replace)) + "\n";
  return manifest.format > 1 ? Sealed(std::move(text)) : text;
}

int FormatOfJson(const std::string& json) {
  int format = 0;
  Get(Json::parse(json, nullptr, /*allow_exceptions=*/false), "format", &format);
  return format;
}

Result<Manifest> ManifestFromJson(const std::string& json, const std::string& where) {
  Json parsed = Json::parse(json, nullptr, /*allow_exceptions=*/false);
  if (!parsed.is_object()) {
    return Error{where + ": not a manifest (damaged or empty)", "restore it from a backup"};
  }
  Manifest manifest;
  manifest.format = 0;
  manifest.status.clear();
  Get(parsed, "format", &manifest.format);
  if (manifest.format > 1 && !IsSealed(json)) {
    return Error{where + ": its checksum does not match", "restore it from a backup"};
  }
  if (manifest.format > kFormatNumber) {
    return Error{fmt::format("{}: format {} is newer than this build knows ({})", where,
                             manifest.format, kFormatNumber),
                 "update Steptrace"};
  }
  if (manifest.format < 1) {
    return Error{where + ": it has no format number", "check that this is a run of Steptrace"};
  }
  Status filled = FillFromJson(parsed, &manifest);
  if (!filled.ok()) {
    return Error{where + ": " + filled.error().cause, "do not trust this run"};
  }
  return manifest;
}

}  // namespace steptrace::store
