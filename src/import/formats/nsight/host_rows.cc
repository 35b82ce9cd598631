// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string_view>

#include "import/formats/nsight/file_rows.h"

namespace steptrace::import::nsight {
namespace {

// cudaLaunchKernel of "cudaLaunchKernel_v7000" and of "cudaLaunchKernel_ptsz_v7000".
std::string_view WithoutVersion(std::string_view name) {
  const size_t version = name.rfind("_v");
  if (version != name.npos && version + 2 < name.size() &&
      name.find_first_not_of("0123456789", version + 2) == name.npos) {
    name = name.substr(0, version);
  }
  for (const std::string_view end : {"_ptsz", "_ptds"}) {
    if (name.ends_with(end)) name.remove_suffix(end.size());
  }
  return name;
}

bool IsOfRuntime(std::string_view call) {
  return call.starts_with("cuda");
}

Status ReadCalls(FileRows& rows, std::string_view table, std::string_view category) {
  enum { kStart, kEnd, kThread, kName, kCorrelation };
  constexpr std::array kColumns = {"start", "end", "globalTid", "nameId", "correlationId"};
  const bool launches = category.empty();  // others have a column of that name, and launch nothing
  return ForEachRow(table, kColumns, kCorrelation, rows, [&](const Cursor& row) -> Status {
    const auto times = TimesOf(row, rows, kStart, kEnd);
    if (!times) return {};
    const auto thread = row.Integer(kThread);
    if (!thread) {
      ++rows.lost[LossCause::kMissingMetadata];
      return {};
    }
    const RowPlace place = rows.places.Thread(*thread);
    const std::string_view name = WithoutVersion(rows.texts.Of(row.Integer(kName).value_or(-1)));
    Slice slice;
    slice.ts_ns = times->begin_ns;
    slice.dur_ns = times->dur_ns;
    slice.name = place.part->Intern(name);
    // Of CUDA one table holds the calls of both libraries.
    slice.category = place.part->Intern(!category.empty()   ? category
                                        : IsOfRuntime(name) ? "cuda_runtime"
                                                            : "cuda_driver");
    const auto correlation = row.Integer(kCorrelation);
    // They repeat from process to process, and launch what a device ran for this one alone.
    if (launches && correlation && *correlation != 0 && rows.places.IsRank(*thread)) {
      slice.correlation = *correlation;
    }
    return Put(place, slice, rows);
  });
}

}  // namespace

Status ReadHostRows(FileRows& rows) {
  STEPTRACE_RETURN_IF_ERROR(ReadCalls(rows, "CUPTI_ACTIVITY_KIND_RUNTIME", {}));
  STEPTRACE_RETURN_IF_ERROR(ReadCalls(rows, "CUPTI_ACTIVITY_KIND_DRIVER", {}));
  STEPTRACE_RETURN_IF_ERROR(ReadCalls(rows, "OSRT_API", "os_runtime"));
  STEPTRACE_RETURN_IF_ERROR(ReadCalls(rows, "CUDNN_EVENTS", "library_range"));
  STEPTRACE_RETURN_IF_ERROR(ReadCalls(rows, "CUBLAS_EVENTS", "library_range"));
  STEPTRACE_RETURN_IF_ERROR(ReadCalls(rows, "CUPTI_ACTIVITY_KIND_OVERHEAD", "overhead"));
  return ReadCalls(rows, "PROFILER_OVERHEAD", "overhead");
}

}  // namespace steptrace::import::nsight
