// SPDX-License-Identifier: Apache-2.0
#include "serve/export/export.h"

#include <fmt/format.h>

#include "serve/export/formats.h"

namespace steptrace::exporter {
namespace {

namespace fs = std::filesystem;

Status WriteFormat(const fs::path& run, RunFrame& frame, TraceFormat format, RankFilter rank,
                   Output& output) {
  switch (format) {
    case TraceFormat::kChrome:
      return WriteChrome(run, frame, rank, output);
    case TraceFormat::kPerfetto:
      return WritePerfetto(run, frame, output);
    case TraceFormat::kSpeedscope:
      return WriteSpeedscope(run, frame, output);
    case TraceFormat::kFolded:
      return WriteFolded(run, frame, output);
  }
  return {};
}

Status WriteOne(const fs::path& run, RunFrame& frame, TraceFormat format, RankFilter rank,
                const fs::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(Output output, Output::To(destination));
  STEPTRACE_RETURN_IF_ERROR(WriteFormat(run, frame, format, rank, output));
  return output.Commit();
}

// A file of PyTorch's dialect is one rank's: several go into a folder.
Status WriteRanks(const fs::path& run, RunFrame& frame, const fs::path& folder) {
  if (folder == "-") {
    return Error{
        fmt::format("export: standard output holds one rank and the run has {}; name a "
                    "folder with -o, or use --format perfetto",
                    frame.ranks.size())};
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error{fmt::format("{}: {}; name a folder that can be written with -o", folder.string(),
                             error.message())};
  }
  for (int32_t rank : frame.ranks) {
    STEPTRACE_RETURN_IF_ERROR(WriteOne(run, frame, TraceFormat::kChrome, rank,
                                       folder / fmt::format("rank{}.pt.trace.json", rank)));
  }
  return {};
}

}  // namespace

Status ExportTrace(const fs::path& run, TraceFormat format, const fs::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(RunFrame frame, ReadFrame(run));
  if (format == TraceFormat::kChrome && frame.ranks.size() > 1) {
    return WriteRanks(run, frame, destination);
  }
  return WriteOne(run, frame, format, std::nullopt, destination);
}

}  // namespace steptrace::exporter
