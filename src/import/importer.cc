// SPDX-License-Identifier: Apache-2.0
#include "import/importer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/random_digits.h"
#include "import/bytes/archive.h"
#include "import/kineto/event_reader.h"
#include "import/kineto/json_text.h"
#include "import/out_of_memory.h"
#include "import/partial_folder.h"
#include "store/run_reader.h"

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
  std::vector<Error> refused;        // files, and folders with all that is in them
  std::vector<std::string> damaged;  // archives, and files of which nothing is left

  size_t files() const {
    return kineto.size() + chrome.size() + perfetto.size() + sagemaker.size();
  }
};

// Whether the begin of a file is JSON beyond the depth that may be read.
bool IsTooDeep(std::string head, int32_t max_depth) {
  head.append(json::kPadding, '\0');
  json::Scan scan{head.data() + head.size() - json::kPadding, max_depth};
  const char* first = json::SkipSpace(head.data());
  if (*first == '{' || *first == '[') json::SkipNested(first, scan);
  return scan.too_deep;
}

// What a file is of which no importer knows.
void SortUnknown(const Source& source, const std::string& head, const std::string& damage,
                 const Limits& limits, Sorted& sorted) {
  if (IsTooDeep(head, limits.max_depth)) {
    sorted.refused.push_back(TooDeep(source.path, limits.max_depth, 0));
    return;
  }
  if (!damage.empty()) {
    sorted.damaged.push_back(fmt::format("{}: {}; nothing of it can be used", source.path, damage));
    return;
  }
  std::string what = head.empty() ? "is empty" : "looks like " + LooksLike(head);
  if (source.archive && IsArchive(head)) {
    what = "is an archive inside an archive; unpack it and import the folder";
  }
  sorted.unknown.push_back(fmt::format("{}: {}", source.path, what));
}

void Sort(const Source& source, const Limits& limits, Sorted& sorted) {
  if (!source.archive_damage.empty()) sorted.damaged.push_back(source.archive_damage);
  std::string damage;
  auto head = ReadHead(source, kHeadBytes, &damage);
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
    case Format::kUnknown:
      return SortUnknown(source, *head, damage, limits, sorted);
    default:
      sorted.sagemaker.push_back(source);
      sorted.sagemaker_formats.push_back(format);
  }
}

// A stream that ends with an error when the import is to stop.
class StoppableStream : public ByteStream {
 public:
  StoppableStream(std::unique_ptr<ByteStream> stream, const std::function<bool()>& stopped)
      : stream_(std::move(stream)), stopped_(stopped) {}

  Result<size_t> Read(char* out, size_t size) override {
    if (stopped_()) return Error{"stopped"};
    return stream_->Read(out, size);
  }
  int64_t consumed() const override { return stream_->consumed(); }
  std::string damage() const override { return stream_->damage(); }
  bool is_packed() const override { return stream_->is_packed(); }
  std::unique_ptr<ByteStream> Range(int64_t begin, int64_t end) const override {
    auto range = stream_->Range(begin, end);
    if (!range) return nullptr;
    return std::make_unique<StoppableStream>(std::move(range), stopped_);
  }
  void SkipTo(int64_t position) override { stream_->SkipTo(position); }

 private:
  std::unique_ptr<ByteStream> stream_;
  const std::function<bool()>& stopped_;
};

// All that reads a source then comes to its end soon, whatever its format.
void MakeStoppable(std::vector<Source>& sources, const std::function<bool()>& stopped) {
  if (!stopped) return;
  for (Source& source : sources) {
    source.open = [open = std::move(source.open), &stopped]() -> StreamResult {
      if (stopped()) return Error{"stopped"};
      STEPTRACE_ASSIGN_OR_RETURN(auto stream, open());
      return std::unique_ptr<ByteStream>(
          std::make_unique<StoppableStream>(std::move(stream), stopped));
    };
  }
}

Error NothingKnown(const Sorted& sorted) {
  if (!sorted.refused.empty()) return sorted.refused.front();
  if (!sorted.damaged.empty()) return Error{sorted.damaged.front()};
  std::string first = sorted.unknown.empty() ? "nothing" : sorted.unknown.front();
  std::string more = sorted.unknown.size() > 1
                         ? fmt::format(" (and {} more file{})", sorted.unknown.size() - 1,
                                       sorted.unknown.size() == 2 ? "" : "s")
                         : "";
  return Error{first + more +
               "; give a profile by PyTorch Profiler, SageMaker Debugger, Perfetto, or Chrome "
               "trace events"};
}

void TellLeftOut(const Sorted& sorted, RunSink& sink, std::vector<std::string>& notes) {
  for (const Error& error : sorted.refused) {
    sink.RunLoss("slices", LossCause::kFileRefused, 1, error.message);
    notes.push_back(error.message);
  }
  for (const std::string& damaged : sorted.damaged) {
    sink.RunLoss("slices", LossCause::kFileDamaged, 1, damaged);
    notes.push_back(damaged);
  }
  if (sorted.unknown.empty()) return;
  std::string list;
  for (size_t i = 0; i < sorted.unknown.size() && i < kMostNamed; ++i) {
    list += (i == 0 ? "" : ", ") + sorted.unknown[i];
  }
  if (sorted.unknown.size() > kMostNamed) list += ", ...";
  const size_t count = sorted.unknown.size();
  std::string note =
      fmt::format("{} left out: {}",
                  count == 1 ? "1 file is no profile and was"
                             : fmt::format("{} files are no profiles and were", count),
                  list);
  sink.RunLoss("slices", LossCause::kNoProfile, static_cast<int64_t>(sorted.unknown.size()), note);
  notes.push_back(std::move(note));
}

// The files of which something is in the run; one that was named twice counts once.
int64_t FilesIn(const Sorted& sorted, const SinkSummary& written) {
  std::set<std::string> files;
  for (const auto* list : {&sorted.kineto, &sorted.chrome, &sorted.perfetto}) {
    for (const Source& source : *list) {
      if (written.sources.contains(source.path)) files.insert(source.path);
    }
  }
  // What is in the run of a process's many files is theirs together.
  for (const Source& source : sorted.sagemaker) {
    if (!written.doubles.contains(source.path)) files.insert(source.path);
  }
  return static_cast<int64_t>(files.size());
}

Status ImportAll(const Sorted& sorted, const ImportContext& context, RunSink& sink) {
  Status failed;
  Status ran_out;
  bool any = false;
  auto take = [&](const Status& status) {
    if (status.ok()) {
      any = true;
    } else if (status.error().kind == Error::Kind::kOutOfMemory) {
      ran_out = status;
    } else if (failed.ok()) {
      failed = status;
    }
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
  // What one format gave does not stand for what there was no memory to read.
  if (!ran_out.ok()) return ran_out;
  return any ? Status() : failed;
}

}  // namespace

size_t Parallel::Threads() const {
  return threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
}

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

std::string NewRunId(const fs::path& output) {
  return output.filename().string() + "-" + RandomDigits();
}

namespace {

// What a reader says of a run that is gone with the error: its cause alone is of use.
Error OfRunThatWasMade(const std::string& source, Error error) {
  error.message = fmt::format(
      "{}: the run that was made of it cannot be read: {}; import it again, and report this as a "
      "bug if it stays so",
      source, error.message.substr(0, error.message.rfind("; ")));
  return error;
}

bool AdvisesRecovery(const Error& error) {
  return error.message.find("; `steptrace recover ") != std::string::npos;
}

// What was written is what readers find. The contents of its segments were read back before.
Status CheckRun(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(const store::RunReader reader, store::RunReader::Open(run));
  if (!reader.damaged().empty()) {
    const store::DamagedSegment& part = reader.damaged().front();
    return Error{part.segment.file + ": " + part.why};
  }
  if (reader.state() != store::RunState::kClosed) return Error{"it is not closed"};
  return {};
}

Result<ImportSummary> ImportSorted(const std::vector<std::string>& paths, const Sorted& sorted,
                                   const ImportOptions& options, const Progress& progress) {
  int64_t total = 0;
  for (const auto* list : {&sorted.kineto, &sorted.chrome, &sorted.perfetto, &sorted.sagemaker}) {
    for (const Source& source : *list) total += source.bytes;
  }
  STEPTRACE_ASSIGN_OR_RETURN(PartialFolder folder,
                             PartialFolder::Make(options.output, options.folder_mode));
  RunSink sink(folder.path(), options.limits, options.redactor);
  std::mutex mutex;  // files are read by several threads
  int64_t done = 0;
  ImportContext context{options.limits,
                        [&](int64_t bytes) {
                          std::lock_guard lock(mutex);
                          done += bytes;
                          if (progress) progress(done, total);
                        },
                        options.parallel};
  ImportSummary summary;
  TellLeftOut(sorted, sink, summary.notes);
  STEPTRACE_RETURN_IF_ERROR(ImportAll(sorted, context, sink));
  summary.run = options.output;
  summary.name = options.name.empty() ? NameOfPath(paths.front()) : options.name;
  store::Manifest manifest;
  manifest.name = summary.name;
  manifest.id = NewRunId(options.output);
  manifest.steptrace_version = STEPTRACE_VERSION;
  manifest.status = store::kStatusCompleted;
  manifest.writer_pid = getpid();
  manifest.command = {"steptrace", "import"};
  manifest.command.insert(manifest.command.end(), paths.begin(), paths.end());
  STEPTRACE_ASSIGN_OR_RETURN(SinkSummary written,
                             sink.Finish(std::move(manifest), options.stopped));
  if (options.stopped && options.stopped()) return Error{"stopped"};
  summary.ranks = written.ranks;
  summary.events = sink.rows();
  summary.files = FilesIn(sorted, written);
  summary.losses = written.losses;
  summary.notes.insert(summary.notes.end(), written.notes.begin(), written.notes.end());
  if (options.complete) {
    if (const Status complete = options.complete(folder.path()); !complete.ok()) {
      const Error& error = complete.error();
      return AdvisesRecovery(error) ? OfRunThatWasMade(paths.front(), error) : error;
    }
  }
  if (const Status sound = CheckRun(folder.path()); !sound.ok()) {
    return OfRunThatWasMade(paths.front(), sound.error());
  }
  STEPTRACE_RETURN_IF_ERROR(folder.MoveTo(options.output));
  return summary;
}

Result<ImportSummary> ImportFound(const std::vector<std::string>& paths,
                                  const ImportOptions& options, const Progress& progress) {
  Sorted sorted;
  for (const std::string& path : paths) {
    STEPTRACE_ASSIGN_OR_RETURN(auto found, FindSources(path, options.limits));
    MakeStoppable(found.sources, options.stopped);
    for (const Source& source : found.sources) Sort(source, options.limits, sorted);
    sorted.refused.insert(sorted.refused.end(), found.refused.begin(), found.refused.end());
  }
  if (sorted.files() == 0) return NothingKnown(sorted);
  return ImportSorted(paths, sorted, options, progress);
}

Result<ImportSummary> ImportInMemory(const std::vector<std::string>& paths,
                                     const ImportOptions& options, const Progress& progress) {
  try {
    return ImportFound(paths, options, progress);
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::system_error& error) {
    // No thread can be started: its stack is memory, too.
    if (error.code() != std::errc::resource_unavailable_try_again) throw;
    return OutOfMemory();
  }
}

}  // namespace

Result<ImportSummary> Import(const std::vector<std::string>& paths, const ImportOptions& options,
                             const Progress& progress) {
  auto imported = ImportInMemory(paths, options, progress);
  // What failed because it was stopped says nothing of the profile.
  if (!imported.ok() && options.stopped && options.stopped()) {
    return Error{options.output.string() +
                 ": the import was stopped; nothing of it is left, start it again"};
  }
  return imported;
}

}  // namespace steptrace::import
