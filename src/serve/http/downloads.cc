// SPDX-License-Identifier: Apache-2.0
#include "serve/http/downloads.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "base/unnamed_file.h"
#include "serve/export/export.h"
#include "serve/pages/html_report.h"
#include "serve/pages/run_content.h"
#include "serve/rpc/table.h"

namespace steptrace::http {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostRank = INT32_MAX;

struct NamedTrace {
  const char* name;
  exporter::TraceFormat format;
};
constexpr NamedTrace kTraces[] = {
    {"perfetto", exporter::TraceFormat::kPerfetto},
    {"chrome", exporter::TraceFormat::kChrome},
    {"speedscope", exporter::TraceFormat::kSpeedscope},
    {"folded", exporter::TraceFormat::kFolded},
};

std::optional<exporter::TraceFormat> TraceOf(const std::string& name) {
  for (const NamedTrace& trace : kTraces) {
    if (name == trace.name) return trace.format;
  }
  return std::nullopt;
}

std::optional<store::ScanFormat> TableFormatOf(const std::string& name) {
  if (name == "parquet") return store::ScanFormat::kParquet;
  if (name == "csv") return store::ScanFormat::kCsv;
  return std::nullopt;
}

// A folder that goes with what is in it; a file of it that was opened stays until it is closed.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::error_code failed;
    const fs::path place = fs::temp_directory_path(failed);
    std::string name = ((failed ? fs::path("/tmp") : place) / "steptrace-export-XXXXXX").string();
    if (::mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const fs::path& path() const { return path_; }  // empty: there is no room for it

 private:
  fs::path path_;
};

Answer FromDamaged(const store::DamagedSegment& damaged) {
  Error why = damaged.why.Of(damaged.segment.file);
  why.next_step = "`steptrace export` writes the rest";
  return Refuse(500, why);
}

Answer FromDescriptor(UniqueFd fd) {
  struct stat about;
  if (!fd.valid() || ::fstat(fd.get(), &about) != 0) {
    return Refuse(500, {"export: cannot be read back", "make room where temporary files lie"});
  }
  return FromFile(std::move(fd), static_cast<uint64_t>(about.st_size), kDownloadType);
}

Answer TraceFile(const fs::path& run, exporter::TraceFormat format,
                 const std::optional<int64_t>& rank) {
  if (rank) {
    if (const Status known = exporter::CheckRank(run, *rank); !known.ok())
      return Refuse(400, known.error());
  }
  const ScratchFolder scratch;
  if (scratch.path().empty()) {
    return Refuse(500, {"export: no folder for temporary files", "set TMPDIR to one"});
  }
  fs::path file = scratch.path() / "trace";
  std::vector<store::DamagedSegment> damaged;
  const Status written = exporter::ExportTrace(run, format, file, &damaged);
  if (!written.ok()) return Refuse(400, written.error());
  if (!damaged.empty()) return FromDamaged(damaged[0]);
  std::error_code failed;
  if (fs::is_directory(file, failed)) {  // a file of PyTorch's dialect is one rank's
    file /= fmt::format("rank{}.pt.trace.json", rank.value_or(-1));
    if (!fs::exists(file, failed)) {
      return Refuse(400, {"export: such a file holds one rank, and the run has several",
                          "name one with rank, or take perfetto"});
    }
  }
  return FromDescriptor(UniqueFd(::open(file.c_str(), O_RDONLY | O_CLOEXEC)));
}

Answer TableRows(const fs::path& run, store::ScanFormat format, const std::string& table) {
  rpc::TableQuery query;
  query.run = run;
  query.table = table;
  if (const Status sound = rpc::CheckQuery(query); !sound.ok()) return Refuse(400, sound.error());
  std::vector<store::DamagedSegment> damaged;
  query.damaged = &damaged;
  auto file = UnnamedFile(run);
  if (!file.ok()) return Refuse(500, file.error());
  const Status written = rpc::ScanTo(query, format, file->get());
  if (!written.ok()) return Refuse(500, written.error());
  if (!damaged.empty()) return FromDamaged(damaged[0]);
  return FromDescriptor(*std::move(file));
}

}  // namespace

Answer HtmlReport(const fs::path& run, const analyze::Report& report, const fs::path& pages) {
  auto content = pages::RunContent(run, report);
  if (!content.ok()) return Refuse(500, content.error());
  auto page = pages::HtmlReport(pages, {{"report", *std::move(content)}});
  if (!page.ok()) return Refuse(500, page.error());
  Answer answer;
  answer.type = kDownloadType;
  answer.body = *std::move(page);
  return answer;
}

Answer ExportAs(const std::string& format, const fs::path& run, Parameters& parameters) {
  const auto rank = parameters.Integer("rank", 0, kMostRank);
  const std::string table = parameters.Text("table").value_or("");
  if (!parameters.status().ok()) return Refuse(400, parameters.status().error());
  if (const auto trace = TraceOf(format)) return TraceFile(run, *trace, rank);
  if (const auto rows = TableFormatOf(format)) return TableRows(run, *rows, table);
  return Refuse(404, {"export: no such format",
                      "they are perfetto, chrome, speedscope, folded, parquet and csv"});
}

}  // namespace steptrace::http
