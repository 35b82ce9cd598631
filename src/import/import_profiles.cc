// SPDX-License-Identifier: Apache-2.0
#include "import/import_profiles.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <mutex>
#include <new>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "import/core/bytes/out_of_memory.h"
#include "import/core/sources/find_sources.h"
#include "import/importers.h"
#include "import/sorted_sources.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "store/partial_folder.h"
#include "store/run_names.h"
#include "store/run_reader.h"

namespace steptrace::import {
namespace finding = model::finding;

namespace {

namespace fs = std::filesystem;

constexpr size_t kMostNamed = 3;

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

// "PyTorch Profiler, Perfetto or ..."
std::string Writers() {
  std::string writers;
  for (const Importer* importer : Importers()) {
    if (!writers.empty()) writers += importer == Importers().back() ? " or " : ", ";
    writers += importer->writer;
  }
  return writers;
}

Error NothingKnown(const SortedSources& sorted) {
  if (!sorted.refused.empty()) return sorted.refused.front();
  if (!sorted.damaged.empty()) return Error{sorted.damaged.front()};
  const Error first = sorted.unknown.empty() ? Error{"nothing"} : sorted.unknown.front();
  std::string more = sorted.unknown.size() > 1
                         ? fmt::format(" (and {} more file{})", sorted.unknown.size() - 1,
                                       sorted.unknown.size() == 2 ? "" : "s")
                         : "";
  return Error{first.cause + more, first.next_step.empty()
                                       ? "name a profile written by " + Writers()
                                       : first.next_step};
}

void RecordLeftOut(const SortedSources& sorted, RunSink& sink, std::vector<std::string>& notes) {
  for (const Error& error : sorted.refused) {
    sink.RunLoss("slices", LossCause::kFileRefused, 1,
                 Make(finding::LossFileRefused{.reason = error.text()}));
    notes.push_back(error.text());
  }
  for (const std::string& damaged : sorted.damaged) {
    sink.RunLoss("slices", LossCause::kFileDamaged, 1,
                 Make(finding::LossFileRefused{.reason = damaged}));
    notes.push_back(damaged);
  }
  for (const CopiedSource& copied : sorted.copied) {
    model::Finding said = Make(finding::LossSameProfile{
        .work = false, .rank = std::nullopt, .file = copied.path, .other = copied.of});
    notes.push_back(present::SentenceOf(said).text);
    sink.RunLoss("slices", LossCause::kSameProfileTwice, 1, std::move(said));
  }
  if (sorted.unknown.empty()) return;
  std::vector<finding::LossNotProfiles::Item> items;
  for (size_t i = 0; i < sorted.unknown.size() && i < kMostNamed; ++i) {
    items.push_back({.reason = sorted.unknown[i].text()});
  }
  model::Finding said =
      Make(finding::LossNotProfiles{.count = static_cast<int64_t>(sorted.unknown.size()),
                                    .others = sorted.unknown.size() > kMostNamed,
                                    .items = std::move(items)});
  notes.push_back(present::SentenceOf(said).text);
  sink.RunLoss("slices", LossCause::kNoProfile, static_cast<int64_t>(sorted.unknown.size()),
               std::move(said));
}

// The files of which something is in the run; one that was named twice counts once.
int64_t FilesIn(const SortedSources& sorted, const SinkSummary& written) {
  std::set<std::string> files;
  for (size_t i = 0; i < Importers().size(); ++i) {
    for (const DetectedSource& detected : sorted.by_importer[i]) {
      const std::string& path = detected.source.path;
      const bool is_in = Importers()[i]->joins_files ? !written.doubles.contains(path)
                                                     : written.sources.contains(path);
      if (is_in) files.insert(path);
    }
  }
  return static_cast<int64_t>(files.size());
}

Status ImportAll(const SortedSources& sorted, const ImportContext& context, RunSink& sink) {
  Status failed;
  Status ran_out;
  bool any = false;
  for (size_t i = 0; i < Importers().size(); ++i) {
    if (sorted.by_importer[i].empty()) continue;
    const Status status = Importers()[i]->import(sorted.by_importer[i], context, sink);
    if (status.ok()) {
      any = true;
    } else if (status.error().kind == Error::Kind::kOutOfMemory) {
      ran_out = status;
    } else if (failed.ok()) {
      failed = status;
    }
  }
  // What one format gave does not stand for what there was no memory to read.
  if (!ran_out.ok()) return ran_out;
  return any ? Status() : failed;
}

// Of several the first, as the report has it.
store::ProfileFormat FormatOf(const SortedSources& sorted) {
  size_t first = 0;
  while (first + 1 < sorted.by_importer.size() && sorted.by_importer[first].empty()) ++first;
  return Importers()[first]->format;
}

}  // namespace

std::string NameOfPath(const std::string& path) {
  fs::path given = fs::path(path).lexically_normal();
  std::string name = (given.has_filename() ? given : given.parent_path()).filename().string();
  const auto leave_out = [&name](std::string_view end) {
    if (name.size() > end.size() && name.ends_with(end)) name.resize(name.size() - end.size());
  };
  for (const char* packed : {".gz", ".zip", ".tar", ".tgz"}) leave_out(packed);
  std::set<std::string_view> known;  // two formats may have one ending: it is left out once
  for (const Importer* importer : Importers()) {
    for (const char* end : importer->endings) {
      if (known.insert(end).second) leave_out(end);
    }
  }
  return name.empty() || name == "." ? "profile" : name;
}

namespace {

// What a reader says of a run that is gone with the error: its cause alone is of use.
Error OfRunThatWasMade(const std::string& source, const Error& error) {
  return Error{
      fmt::format("{}: the run that was made of it cannot be read: {}", source, error.cause),
      "import it again, and report this as a bug if it stays so", error.kind};
}

// What was written is what readers find. The contents of its segments were read back before.
Status CheckRun(const fs::path& run) {
  STEPTRACE_ASSIGN_OR_RETURN(const store::RunReader reader, store::RunReader::Open(run));
  if (!reader.damaged().empty()) {
    const store::DamagedSegment& part = reader.damaged().front();
    return part.why.Of(part.segment.file);
  }
  if (reader.state() != store::RunState::kClosed) return Error{"it is not closed"};
  return {};
}

Result<ImportSummary> ImportSorted(const std::vector<std::string>& paths,
                                   const SortedSources& sorted, const ImportOptions& options,
                                   const Progress& progress) {
  const int64_t total = sorted.bytes();
  STEPTRACE_ASSIGN_OR_RETURN(store::PartialFolder folder,
                             store::PartialFolder::Make(options.output, options.folder_mode));
  RunSink sink(folder.path(), options.limits, options.redactor);
  std::mutex mutex;  // files are read by several threads
  int64_t done = 0;
  ImportContext context{options.limits,
                        [&](int64_t bytes) {
                          std::lock_guard lock(mutex);
                          done += bytes;
                          if (progress) progress(done, total);
                        },
                        options.parallel, options.stopped};
  ImportSummary summary;
  RecordLeftOut(sorted, sink, summary.notes);
  STEPTRACE_RETURN_IF_ERROR(ImportAll(sorted, context, sink));
  summary.run = options.output;
  summary.name = options.name.empty() ? NameOfPath(paths.front()) : options.name;
  store::Manifest manifest;
  manifest.name = summary.name;
  manifest.id = store::NewRunId(options.output);
  manifest.steptrace_version = STEPTRACE_VERSION;
  manifest.status = store::kStatusCompleted;
  manifest.imported_as = store::NameOf(FormatOf(sorted));
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
      const bool unreadable = error.kind == Error::Kind::kNeedsRecovery;
      return unreadable ? OfRunThatWasMade(paths.front(), error) : error;
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
  SortedSources sorted;
  for (const std::string& path : paths) {
    STEPTRACE_ASSIGN_OR_RETURN(auto found, FindSources(path, options.limits));
    MakeStoppable(found.sources, options.stopped);
    for (const Source& source : found.sources) Sort(source, options.limits, sorted);
    sorted.refused.insert(sorted.refused.end(), found.refused.begin(), found.refused.end());
  }
  if (sorted.empty()) return NothingKnown(sorted);
  LeaveOutCopies(sorted);
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
    return Error{options.output.string() + ": the import was stopped",
                 "nothing of it is left, start it again"};
  }
  return imported;
}

}  // namespace steptrace::import
