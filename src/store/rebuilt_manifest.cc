// SPDX-License-Identifier: Apache-2.0
#include "store/rebuilt_manifest.h"

#include <arrow/array.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "store/all_tables.h"
#include "store/arrow_support.h"
#include "store/journal_reader.h"
#include "store/loss_causes.h"
#include "store/run_files.h"
#include "store/salvage.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

// The number in "node=3"; of ranks also "rank=-1".
std::optional<int32_t> NumberBehind(std::string_view text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Table, node and rank by the place of a file, tables/<table>/[writer=<w>/]node=<n>[/rank=<r>]/
// <k>.parquet.
struct NamedPlace {
  std::string table;
  SegmentInfo segment;
};
std::optional<NamedPlace> PlaceByName(const fs::path& run, const std::string& writer,
                                      const fs::path& file) {
  const fs::path relative = file.lexically_relative(run);
  std::vector<std::string> parts(relative.begin(), relative.end());
  if (!writer.empty() && parts.size() > 2) parts.erase(parts.begin() + 2);
  NamedPlace place;
  std::optional<NamedPlace> found;
  if (parts.size() < 4 || file.extension() != ".parquet") return found;
  place.table = TableName(parts[1]);
  place.segment.file = relative;
  const auto node = NumberBehind(parts[2], "node=");
  VisitTable(place.table, [&]<class Row>() {
    if (!node || *node < 0 || parts.size() != (kHasRank<Row> ? 5u : 4u)) return;
    place.segment.node = *node;
    if constexpr (kHasRank<Row>) {
      place.segment.rank = NumberBehind(parts[3], "rank=");
      if (!place.segment.rank) return;
    }
    found = place;
  });
  return found;
}

std::vector<fs::path> FilesUnder(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::recursive_directory_iterator it(folder, failed);
  for (; !failed && it != fs::recursive_directory_iterator(); it.increment(failed)) {
    std::error_code ignored;
    const bool is_part = it->path().extension() == ".parquet";  // also a folder of such a name
    if (is_part) it.disable_recursion_pending();
    if (is_part || !it->is_directory(ignored)) files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// What lies below tables/, of a writer that has a name only in its own folders.
std::vector<fs::path> FilesOf(const fs::path& run, const std::string& writer) {
  std::vector<fs::path> files;
  if (writer.empty()) return FilesUnder(run / "tables");
  for (const fs::path& table : Entries(run / "tables")) {
    const std::vector<fs::path> own = FilesUnder(table / ("writer=" + writer));
    files.insert(files.end(), own.begin(), own.end());
  }
  std::sort(files.begin(), files.end());
  return files;
}

int64_t RowsOf(const JournalFile& file) {
  auto reader = JournalReader::Open(file.path);
  int64_t rows = 0;
  while (reader.ok()) {
    const auto batch = reader->Next();
    if (batch == nullptr) break;
    rows += batch->num_rows();
  }
  return rows;
}

// As the rows of a journal say, which are all of one.
std::optional<int32_t> NodeOf(const JournalFile& file) {
  auto reader = JournalReader::Open(file.path);
  if (!reader.ok()) return std::nullopt;
  const auto batch = reader->Next();
  const auto column = batch == nullptr ? nullptr : batch->GetColumnByName("node");
  if (column == nullptr || column->type_id() != arrow::Type::INT32) return std::nullopt;
  const auto& nodes = static_cast<const arrow::Int32Array&>(*column);
  if (nodes.length() == 0 || nodes.IsNull(0) || nodes.Value(0) < 0) return std::nullopt;
  return nodes.Value(0);
}

using PartKey = std::pair<std::string, int32_t>;  // table, node

struct Part {
  std::vector<SegmentInfo> segments;
  std::vector<JournalFile> journals;
};

class Rebuilder {
 public:
  Rebuilder(const fs::path& run, const std::string& writer, StringTable& strings)
      : run_(run), writer_(writer), strings_(strings) {}

  Result<RebuiltRun> Rebuild(const std::string& why, const std::optional<KnownManifest>& known) {
    Manifest& manifest = rebuilt_.manifest;
    if (known) {
      manifest = known->manifest;
      manifest.tables.clear();
    } else {
      NameByFolder();
    }
    const bool has_end = known && known->is_older && known->manifest.status != kStatusInProgress;
    if (!has_end) manifest.status.clear();
    for (const fs::path& file : FilesOf(run_, writer_)) {
      STEPTRACE_RETURN_IF_ERROR(AddSegment(file));
    }
    if (!writer_.empty()) manifest.journal_nodes.try_emplace(writer_, OwnNode());
    for (JournalFile& file : JournalsOf(run_, manifest)) {
      parts_[{file.table, file.node}].journals.push_back(std::move(file));
    }
    for (auto& [key, part] : parts_) Choose(key, std::move(part));
    AddManifestLoss(why, known);
    return std::move(rebuilt_);
  }

 private:
  void NameByFolder() {
    Manifest& manifest = rebuilt_.manifest;
    manifest.id = fs::absolute(run_).lexically_normal().filename();
    if (manifest.id.empty()) {  // the path ends with a slash
      manifest.id = fs::absolute(run_).lexically_normal().parent_path().filename();
    }
    manifest.name = manifest.id;
    manifest.writer = writer_;
    manifest.format = writer_.empty() ? 1 : kFormatNumber;
    if (!writer_.empty()) manifest.first_number = -1;
  }

  // Of which the writer's journals are: as their rows say, else as its segments lie.
  int32_t OwnNode() const {
    for (const JournalFile& file : ListJournals(run_, writer_)) {
      if (const auto node = NodeOf(file)) return *node;
    }
    return parts_.empty() ? 0 : parts_.begin()->first.second;
  }

  // The first, before all other losses.
  void AddManifestLoss(const std::string& why, const std::optional<KnownManifest>& known) {
    const char* taken =
        "the command, the dates, the nodes, the versions and how it ended are unknown, and the "
        "name is the folder's";
    const std::string& status = rebuilt_.manifest.status;
    if (known && !known->is_older) {
      taken =
          "the nodes and how it ended are unknown, what the rows do not say is taken from another "
          "writer's manifest";
    } else if (known) {
      taken = status.empty() || status == kStatusInProgress
                  ? "how it ended is unknown, what the rows do not say is taken from the manifest "
                    "before it"
                  : "what the rows do not say is taken from the manifest before it";
    }
    DataLossRow loss;
    loss.cause = strings_.Intern(NameOf(LossCause::kManifestDamaged));
    loss.count = -1;
    loss.detail = fmt::format("{}; {} was made anew from the run's other files: {}", why,
                              writer_.empty() ? "run.json" : "the manifest", taken);
    rebuilt_.losses.insert(rebuilt_.losses.begin(), std::move(loss));
  }

  // An error: there was no memory, or the system does not give the file.
  Status AddSegment(const fs::path& file) {
    const auto place = PlaceByName(run_, writer_, file);
    if (!place) {
      rebuilt_.left_over.push_back(file);
      return {};
    }
    if (!CanBeOpened(file)) return SystemError("cannot read " + file.string(), errno);
    std::optional<Error> failed;
    VisitTable(place->table, [&]<class Row>() {
      auto segment = DescribeSegment<Row>(run_, place->segment);
      if (segment.ok()) {
        parts_[{place->table, segment->node}].segments.push_back(*std::move(segment));
      } else {
        failed = segment.error();
      }
    });
    if (!failed) return {};
    if (failed->kind == Error::Kind::kOutOfMemory) return *failed;
    DataLossRow loss;
    loss.node = place->segment.node;
    loss.rank = place->segment.rank.value_or(-1);
    loss.table = strings_.Intern(place->table);
    loss.cause = strings_.Intern(NameOf(LossCause::kSegmentDamaged));
    loss.count = -1;
    loss.detail = fmt::format(
        "{}: its contents are damaged, and how many rows it had stood in "
        "the manifest; it was put aside in {}/",
        place->segment.file, kDamagedFolder);
    rebuilt_.losses.push_back(std::move(loss));
    rebuilt_.left_over.push_back(file);
    return {};
  }

  void Choose(const PartKey& key, Part part) {
    int64_t in_segments = 0;
    int64_t in_journals = 0;
    for (const SegmentInfo& segment : part.segments) in_segments += segment.rows;
    for (const JournalFile& file : part.journals) in_journals += RowsOf(file);
    TableParts& table = rebuilt_.manifest.tables[key.first];
    if (part.journals.empty() || (!part.segments.empty() && in_segments >= in_journals)) {
      for (const JournalFile& file : part.journals) {
        table.absorbed_journals[file.folder] = file.number + 1;
        rebuilt_.left_over.push_back(file.path);
      }
      table.segments.insert(table.segments.end(), part.segments.begin(), part.segments.end());
      return;
    }
    rebuilt_.manifest.status = kStatusInProgress;  // it was not closed
    for (const SegmentInfo& segment : part.segments) {
      rebuilt_.left_over.push_back(run_ / segment.file);
    }
  }

  const fs::path& run_;
  const std::string& writer_;
  StringTable& strings_;
  std::map<PartKey, Part> parts_;
  RebuiltRun rebuilt_;
};

}  // namespace

Result<RebuiltRun> RebuildRun(const fs::path& run, const std::string& writer,
                              const std::string& why, const std::optional<KnownManifest>& known,
                              StringTable& strings) {
  return Rebuilder(run, writer, strings).Rebuild(why, known);
}

}  // namespace steptrace::store
