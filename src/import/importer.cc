// SPDX-License-Identifier: Apache-2.0
#include "import/importer.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/time.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;

constexpr size_t kHeadBytes = 256 << 10;  // devices and groups of a large job precede the events
constexpr size_t kMostNamed = 3;

// The sources by the importer that reads them.
struct Sorted {
  std::vector<Source> kineto;
  std::vector<Source> chrome;
  std::vector<Source> perfetto;
  std::vector<Source> sagemaker;
  std::vector<Format> sagemaker_formats;
  std::vector<std::string> unknown;  // path: what it looks like
  std::vector<Error> refused;

  size_t files() const {
    return kineto.size() + chrome.size() + perfetto.size() + sagemaker.size();
  }
};

void Sort(const Source& source, Sorted& sorted) {
  auto head = ReadHead(source, kHeadBytes);
  if (!head.ok()) {
    sorted.refused.push_back(head.error());
    return;
  }
  Format format = Detect(source, *head);
  switch (format) {
    case Format::kKineto:
      sorted.kineto.push_back(source);
      return;
    case Format::kChrome:
      sorted.chrome.push_back(source);
      return;
    case Format::kPerfetto:
      sorted.perfetto.push_back(source);
      return;
    case Format::kUnknown: {
      std::string what = head->empty() ? "is empty" : "looks like " + LooksLike(*head);
      sorted.unknown.push_back(fmt::format("{}: {}", source.path, what));
      return;
    }
    default:
      sorted.sagemaker.push_back(source);
      sorted.sagemaker_formats.push_back(format);
  }
}

// Removes the folder of an import that came to no end.
class PartialFolder {
 public:
  static Result<PartialFolder> Make(const fs::path& output) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(output, error))) {
      return Error{output.string() + ": exists already; give another folder with -o"};
    }
    fs::path parent = output.has_parent_path() ? output.parent_path() : fs::path(".");
    fs::create_directories(parent, error);
    if (error)
      return Error{
          fmt::format("{}: {}; give another folder with -o", parent.string(), error.message())};
    fs::path path = parent / fmt::format(".{}.{}.partial", output.filename().string(), getpid());
    fs::remove_all(path, error);
    fs::create_directory(path, error);
    if (error)
      return Error{
          fmt::format("{}: {}; give another folder with -o", parent.string(), error.message())};
    return PartialFolder(std::move(path));
  }
  PartialFolder(PartialFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  PartialFolder& operator=(PartialFolder&&) = delete;
  ~PartialFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  // RENAME_NOREPLACE by another name: a folder that came up meanwhile is not empty, and stays.
  Status MoveTo(const fs::path& output) {
    if (::rename(path_.c_str(), output.c_str()) != 0) {
      return Error{fmt::format("{}: {}; give another folder with -o", output.string(),
                               std::strerror(errno))};
    }
    path_.clear();
    return {};
  }

 private:
  explicit PartialFolder(fs::path path) : path_(std::move(path)) {}
  fs::path path_;
};

std::string RandomTail() {
  uint32_t bits = 0;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != static_cast<ssize_t>(sizeof bits)) {
    bits = static_cast<uint32_t>(MonotonicNowNs());
  }
  return fmt::format("{:08x}", bits);
}

Error NothingKnown(const Sorted& sorted) {
  if (!sorted.refused.empty()) return sorted.refused.front();
  std::string first = sorted.unknown.empty() ? "nothing" : sorted.unknown.front();
  std::string more = sorted.unknown.size() > 1
                         ? fmt::format(" (and {} more files)", sorted.unknown.size() - 1)
                         : "";
  return Error{first + more +
               "; give a profile by PyTorch Profiler, SageMaker Debugger, Perfetto, or Chrome "
               "trace events"};
}

void TellLeftOut(const Sorted& sorted, RunSink& sink, std::vector<std::string>& notes) {
  for (const Error& error : sorted.refused) {
    sink.RunLoss("slices", "file_refused", 1, error.message);
    notes.push_back(error.message);
  }
  if (sorted.unknown.empty()) return;
  std::string list;
  for (size_t i = 0; i < sorted.unknown.size() && i < kMostNamed; ++i) {
    list += (i == 0 ? "" : ", ") + sorted.unknown[i];
  }
  if (sorted.unknown.size() > kMostNamed) list += ", ...";
  std::string note =
      fmt::format("{} files are no profiles and were left out: {}", sorted.unknown.size(), list);
  sink.RunLoss("slices", "no_profile", static_cast<int64_t>(sorted.unknown.size()), note);
  notes.push_back(std::move(note));
}

Status ImportAll(const Sorted& sorted, const ImportContext& context, RunSink& sink) {
  Status failed;
  bool any = false;
  auto take = [&](const Status& status) {
    any = any || status.ok();
    if (!status.ok() && failed.ok()) failed = status;
  };
  if (!sorted.kineto.empty()) {
    take(ImportTraceEvents(sorted.kineto, Format::kKineto, context, sink));
  }
  if (!sorted.chrome.empty()) {
    take(ImportTraceEvents(sorted.chrome, Format::kChrome, context, sink));
  }
  if (!sorted.perfetto.empty()) take(ImportPerfetto(sorted.perfetto, context, sink));
  if (!sorted.sagemaker.empty()) {
    take(ImportSageMaker(sorted.sagemaker, sorted.sagemaker_formats, context, sink));
  }
  return any ? Status() : failed;
}

}  // namespace

std::string NameOfPath(const std::string& path) {
  fs::path given = fs::path(path).lexically_normal();
  std::string name = (given.has_filename() ? given : given.parent_path()).filename().string();
  for (const char* end :
       {".gz", ".json", ".trace", ".pt", ".zip", ".tar", ".tgz", ".pftrace", ".perfetto-trace"}) {
    size_t length = std::strlen(end);
    if (name.size() > length && name.ends_with(end)) name.resize(name.size() - length);
  }
  return name.empty() || name == "." ? "profile" : name;
}

std::string FolderName(const std::string& name) {
  constexpr size_t kMostBytes = 100;
  std::string safe;
  for (char c : name.substr(0, kMostBytes)) {
    bool kept = std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
    safe += kept ? c : '-';
  }
  size_t first = safe.find_first_not_of(".-");
  return first == std::string::npos ? "profile" : safe.substr(first);
}

Result<ImportSummary> Import(const std::vector<std::string>& paths, const ImportOptions& options,
                             const Progress& progress) {
  Sorted sorted;
  int64_t total = 0;
  for (const std::string& path : paths) {
    STEPTRACE_ASSIGN_OR_RETURN(auto sources, FindSources(path, options.limits));
    for (const Source& source : sources) Sort(source, sorted);
  }
  if (sorted.files() == 0) return NothingKnown(sorted);
  for (const auto* list : {&sorted.kineto, &sorted.chrome, &sorted.perfetto, &sorted.sagemaker}) {
    for (const Source& source : *list) total += source.bytes;
  }
  STEPTRACE_ASSIGN_OR_RETURN(PartialFolder folder, PartialFolder::Make(options.output));
  RunSink sink(folder.path(), options.limits);
  int64_t done = 0;
  ImportContext context{options.limits, [&](int64_t bytes) {
                          done += bytes;
                          if (progress) progress(done, total);
                        }};
  ImportSummary summary;
  TellLeftOut(sorted, sink, summary.notes);
  STEPTRACE_RETURN_IF_ERROR(ImportAll(sorted, context, sink));
  summary.run = options.output;
  summary.name = options.name.empty() ? NameOfPath(paths.front()) : options.name;
  summary.files = static_cast<int64_t>(sorted.files());
  summary.events = sink.rows();
  store::Manifest manifest;
  manifest.name = summary.name;
  manifest.id = options.output.filename().string() + "-" + RandomTail();
  manifest.status = store::kStatusCompleted;
  manifest.writer_pid = getpid();
  manifest.command = {"steptrace", "import"};
  manifest.command.insert(manifest.command.end(), paths.begin(), paths.end());
  STEPTRACE_ASSIGN_OR_RETURN(SinkSummary written, sink.Finish(std::move(manifest)));
  summary.ranks = written.ranks;
  summary.losses = written.losses;
  summary.notes.insert(summary.notes.end(), written.notes.begin(), written.notes.end());
  STEPTRACE_RETURN_IF_ERROR(folder.MoveTo(options.output));
  return summary;
}

}  // namespace steptrace::import
