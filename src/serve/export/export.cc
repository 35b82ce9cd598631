// SPDX-License-Identifier: Apache-2.0
#include "serve/export/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "serve/export/formats.h"
#include "store/manifest.h"

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

Result<Output> WriteOne(const fs::path& run, RunFrame& frame, TraceFormat format, RankFilter rank,
                        const fs::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(Output output, Output::To(destination));
  STEPTRACE_RETURN_IF_ERROR(WriteFormat(run, frame, format, rank, output));
  STEPTRACE_RETURN_IF_ERROR(output.Finish());
  return output;
}

// A file of PyTorch's dialect is one rank's: several go into a folder.
Status WriteRanks(const fs::path& run, RunFrame& frame, const fs::path& folder) {
  if (folder == "-") {
    return Error{fmt::format("export: standard output holds one rank and the run has {}",
                             frame.ranks.size()),
                 "name a folder with -o, or use --format perfetto"};
  }
  STEPTRACE_ASSIGN_OR_RETURN(const rpc::OutputFolder made, rpc::OutputFolder::Make(folder));
  // None appears before all are whole: beside those of an older export it would be another run's.
  std::vector<Output> written;
  for (int32_t rank : frame.ranks) {
    STEPTRACE_ASSIGN_OR_RETURN(Output one,
                               WriteOne(run, frame, TraceFormat::kChrome, rank,
                                        folder / fmt::format("rank{}.pt.trace.json", rank)));
    written.push_back(std::move(one));
  }
  return rpc::CommitAll(written);
}

}  // namespace

Status CheckRank(const fs::path& run, int64_t rank) {
  STEPTRACE_ASSIGN_OR_RETURN(const store::Manifest manifest, store::ReadManifest(run));
  const bool has = std::ranges::any_of(
      manifest.ranks, [&](const store::RankInfo& one) { return one.rank == rank; });
  if (has) return {};
  return Error{fmt::format("rank: the run has no rank {}", rank), "name one of its ranks"};
}

Status ExportTrace(const fs::path& run, TraceFormat format, const fs::path& destination,
                   std::vector<store::DamagedSegment>* damaged) {
  STEPTRACE_ASSIGN_OR_RETURN(RunFrame frame, ReadFrame(run, format));
  Status written;
  if (format == TraceFormat::kChrome && frame.ranks.size() > 1) {
    written = WriteRanks(run, frame, destination);
  } else {
    STEPTRACE_ASSIGN_OR_RETURN(Output output,
                               WriteOne(run, frame, format, std::nullopt, destination));
    written = output.Commit();
  }
  if (damaged != nullptr) *damaged = std::move(frame.damaged);
  return written;
}

}  // namespace steptrace::exporter
