// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/importer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "import/core/rank_in_name.h"
#include "import/formats/nsight/database.h"
#include "import/formats/nsight/file_rows.h"
#include "import/formats/nsight/places.h"
#include "import/formats/nsight/texts.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/profile_writers.h"

namespace steptrace::import::nsight {
namespace finding = model::finding;

namespace {

using Json = nlohmann::json;

constexpr ReadFiles kReads[] = {
    {"NVIDIA Nsight Systems, exported: `nsys export --type=sqlite`",
     "SQLite with the tables `META_DATA_EXPORT` and `StringIds`",
     "one rank for each process that used a GPU"},
};
constexpr const char* kEndings[] = {".sqlite", ".sqlite3", ".db"};
constexpr std::string_view kMagic("SQLite format 3\0", 16);

// Tables that are read, and those that hold no events. All others are counted, so that nobody takes
// what they hold for absent.
constexpr std::array kRead = {"CUPTI_ACTIVITY_KIND_KERNEL",
                              "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                              "CUPTI_ACTIVITY_KIND_MEMCPY",
                              "CUPTI_ACTIVITY_KIND_MEMSET",
                              "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                              "CUPTI_ACTIVITY_KIND_RUNTIME",
                              "CUPTI_ACTIVITY_KIND_DRIVER",
                              "CUPTI_ACTIVITY_KIND_OVERHEAD",
                              "PROFILER_OVERHEAD",
                              "OSRT_API",
                              "CUDNN_EVENTS",
                              "CUBLAS_EVENTS",
                              "NVTX_EVENTS",
                              "GPU_METRICS",
                              "DIAGNOSTIC_EVENT",
                              "StringIds",
                              "PROCESSES",
                              "ProcessStreams",
                              "ThreadNames"};
constexpr std::array kNoEvents = {"ENUM_",     "META_DATA_",    "TARGET_INFO_",
                                  "ANALYSIS_", "NVTX_PAYLOAD_", "sqlite_"};

bool IsUnread(std::string_view table) {
  return std::find(kRead.begin(), kRead.end(), table) == kRead.end() &&
         std::none_of(kNoEvents.begin(), kNoEvents.end(),
                      [table](std::string_view begin) { return table.starts_with(begin); });
}

// nvprof's databases have tables of CUPTI, too, and keep their texts elsewhere.
bool IsExport(const Database& database) {
  return database.Has("StringIds") &&
         (database.Has("META_DATA_EXPORT") || database.Has("TARGET_INFO_SESSION_START_TIME"));
}

// As it lies on the disk: the head may be of what is packed in it.
bool BeginsAsDatabase(const std::filesystem::path& file) {
  std::string begin(kMagic.size(), 0);
  std::ifstream(file, std::ios::binary)
      .read(begin.data(), static_cast<std::streamsize>(begin.size()));
  return begin == kMagic;
}

Detection Detect(std::string_view head, const Source& source) {
  if (!head.starts_with(kMagic)) return {};
  if (!source.file) {
    const bool marks =
        head.find("StringIds") != head.npos && head.find("META_DATA_EXPORT") != head.npos;
    if (!marks) return {};
    return {Confidence::kNone, "an SQLite export of Nsight Systems inside an archive", 0,
            "unpack it first"};
  }
  if (!BeginsAsDatabase(*source.file)) {
    return {Confidence::kNone, "a packed SQLite file", 0, "unpack it first"};
  }
  const auto database = Database::Open(*source.file);
  if (!database.ok()) {
    return {Confidence::kNone, "a damaged SQLite file (" + database.error().cause + ")", 0,
            "copy it again, or export it again"};
  }
  return {IsExport(*database) ? Confidence::kOwnMarks : Confidence::kNone};
}

class FileImport {
 public:
  FileImport(const Source& source, const ImportContext& context, RunSink& sink,
             const Database& database)
      : source_(source),
        context_(context),
        database_(database),
        texts_(database),
        places_(database, texts_, sink),
        rows_{database_, texts_, places_} {
    rows_.stopped = context.stopped;
  }

  Status Run() {
    Status status = Read();
    if (status.ok() && !rows_.damaged_device.empty()) status = NoDevice();
    if (status.ok() && rows_.events == 0) status = NoEvent();
    if (!status.ok()) {
      places_.Drop();
      return status;
    }
    // Damage that these meet is counted, too.
    RecordDiagnostics(First());
    RecordSource();
    const PartFacts facts = Facts();
    RecordLosses();
    places_.End(facts);
    return {};
  }

 private:
  Status Read() {
    STEPTRACE_RETURN_IF_ERROR(places_.Begin());
    constexpr std::array kReaders = {ReadDeviceRows, ReadHostRows, ReadNvtxRows, ReadGpuMetrics};
    int64_t reported = 0;
    for (size_t i = 0; i < kReaders.size(); ++i) {
      STEPTRACE_RETURN_IF_ERROR(kReaders[i](rows_));
      const int64_t now =
          source_.bytes * static_cast<int64_t>(i + 1) / static_cast<int64_t>(kReaders.size());
      if (context_.advanced) context_.advanced(now - std::exchange(reported, now));
    }
    return {};
  }

  // What is left of a table may be all or nearly nothing, and nothing tells which: of half of its
  // kernels a training looks like another one.
  Error NoDevice() const {
    return Error{source_.path + ": " + rows_.damaged_device, "copy it again, or export it again"};
  }

  Error NoEvent() const {
    if (!rows_.damage.empty()) return Error{source_.path + ": " + rows_.damage, "copy it again"};
    return Error{source_.path + ": holds no event of CUDA, NVTX or the operating system",
                 "record with `nsys profile --trace=cuda,nvtx,osrt` and export it again"};
  }

  // What is said of the whole file goes to its first part.
  PartSink& First() { return *places_.all().front(); }

  void RecordLosses() {
    PartSink& part = First();
    const std::string& file = source_.path;
    if (!rows_.damage.empty()) {
      // How many rows lay behind the damage, nobody knows: it counts as one.
      part.Loss(
          "slices", LossCause::kFileDamaged, 1,
          Make(finding::LossFileDamaged{.whole = false, .file = file, .damage = rows_.damage}));
    }
    if (texts_.missing() > 0) rows_.lost[LossCause::kInternedTextMissing] += texts_.missing();
    if (texts_.cut() > 0) rows_.lost[LossCause::kNameTooLong] += texts_.cut();
    AddLosses(part, rows_.lost, file);
    RecordUnread(part);
  }

  void RecordUnread(PartSink& part) {
    std::string names;
    int64_t count = 0;
    for (const std::string& table : database_.tables()) {
      const int64_t rows = IsUnread(table) ? database_.Rows(table) : 0;
      if (rows == 0) continue;
      count += rows;
      if (names.size() < kMostText) names += fmt::format("{}{}", names.empty() ? "" : ", ", table);
    }
    part.Loss("slices", LossCause::kTablesLeftOut, count,
              Make(finding::LossTablesLeftOut{.file = file(), .tables = names}));
  }

  // What Nsight warns of: of warnings and errors, the first text.
  void RecordDiagnostics(PartSink& part) {
    constexpr int64_t kWarning = 2, kError = 3;  // of ENUM_DIAGNOSTIC_SEVERITY_LEVEL
    enum { kSeverity, kText };
    constexpr std::array kColumns = {"severity", "text"};
    std::string first;
    int64_t count = 0;
    const Status read =
        ForEachRow("DIAGNOSTIC_EVENT", kColumns, kColumns.size(), rows_, [&](const Cursor& row) {
          const auto severity = row.Integer(kSeverity);
          if (severity != kWarning && severity != kError) return Status();
          if (count++ == 0) first = row.Text(kText).substr(0, kMostText);
          return Status();
        });
    if (!read.ok() || count == 0) return;
    part.Loss("slices", LossCause::kProfilerWarned, count,
              Make(finding::LossProfilerWarned{.file = file(), .said = first}));
  }

  // By name: a value of a table of names and values.
  std::string Value(std::string_view table, std::string_view name) {
    std::string value;
    constexpr std::array kColumns = {"name", "value"};
    const Status read = ForEachRow(table, kColumns, kColumns.size(), rows_, [&](const Cursor& row) {
      if (row.Text(0) == name) value = row.Text(1).substr(0, kMostText);
      return Status();
    });
    return read.ok() ? value : std::string();
  }

  void RecordSource() {
    Json source;
    source["file"] = source_.path;
    source["format"] = NameOf(kNsightImporter.format);
    source["dialect"] = "schema " + Value("META_DATA_EXPORT", "EXPORT_SCHEMA_VERSION");
    source["writer"] = InfoOf(rows_.any_pytorch ? store::ProfileWriter::kNsightPytorch
                                                : store::ProfileWriter::kNsight)
                           .id;
    source["events"] = rows_.events;
    source["bytes"] = source_.bytes;
    for (PartSink* part : places_.all()) {
      part->Fact(std::nullopt, NameOf(store::MetadataKind::kSource), Dumped(source));
    }
  }

  // Since 2024 times are of the machine's own clock, whose value at the begin stands in the file;
  // before, of the recording.
  std::optional<int64_t> UtcOffsetNs() {
    std::optional<int64_t> offset;
    constexpr std::array kColumns = {"utcEpochNs", "systemClockNs"};
    const Status read =
        ForEachRow("TARGET_INFO_SESSION_START_TIME", kColumns, 1, rows_, [&](const Cursor& row) {
          int64_t difference = 0;
          const auto utc = row.Integer(0);
          if (utc && !__builtin_sub_overflow(*utc, row.Integer(1).value_or(0), &difference)) {
            offset = difference;
          }
          return Status();
        });
    return read.ok() ? offset : std::nullopt;
  }

  PartFacts Facts() {
    PartFacts facts;
    facts.rank = RankInName(source_.inside);
    facts.utc_offset_ns = UtcOffsetNs();
    facts.source = source_.path;
    facts.is_profile = true;
    return facts;
  }

  const std::string& file() const { return source_.path; }
  static std::string Dumped(const Json& value) {
    return value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  static constexpr size_t kMostText = 512;

  const Source& source_;
  const ImportContext& context_;
  const Database& database_;
  Texts texts_;
  Places places_;
  FileRows rows_;
};

Status ImportFile(const Source& source, const ImportContext& context, RunSink& sink) {
  auto database = Database::Open(*source.file);
  if (!database.ok()) return database.error().Of(source.path);
  return FileImport(source, context, sink, *database).Run();
}

Status Import(std::span<const DetectedSource> sources, const ImportContext& context,
              RunSink& sink) {
  Status first_failure;
  bool any = false;
  for (const DetectedSource& detected : sources) {
    Status status = ImportFile(detected.source, context, sink);
    any = any || status.ok();
    if (status.ok()) continue;
    sink.RunLoss("slices", LossCause::kFileRefused, 1,
                 Make(finding::LossFileRefused{.reason = status.error().text()}));
    if (first_failure.ok()) first_failure = status;
  }
  return any ? Status() : first_failure;
}

}  // namespace

constinit const Importer kNsightImporter{.format = store::ProfileFormat::kNsight,
                                         .writer = "Nsight Systems",
                                         .detect = Detect,
                                         .import = Import,
                                         .title = "Nsight Systems (SQLite export)",
                                         .reads = kReads,
                                         .endings = kEndings};

}  // namespace steptrace::import::nsight
