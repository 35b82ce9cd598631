// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "analyze/trace/trace.h"

// Profiles drawn as text, for tests alone. A line is an event; blank lines and what follows " # "
// are left out; times are ns.
//
//   rank 1                                     what follows is of rank 1 (0 until one is named)
//   t1 op aten::mm 0 100 ext=5                 lane, kind, name, begin, end, then keys
//   t1 runtime cudaLaunchKernel 10 15 corr=1   (a name with blanks stands in quotes: "a b")
//   s7 kernel gemm 40 90 corr=1 details={"grid":[1,1,1]}       details: the rest of the line
//   d1s7 memcpy "Memcpy HtoD" 90 95 bytes=64                   device 1, stream 7
//   t1 step ProfilerStep#3 0 200
//   t1 memory 20 bytes=512 device=0 address=16 allocated=512 reserved=1024
//   fact device {"id":0,"numSms":80}
//
// Lanes: tN a thread (tid N of pid 1), sN stream N of device 0, dMsN of device M. Kinds: op,
// annotation, step, runtime, driver, python, overhead, host, kernel, memcpy, memset, sync,
// gpu_annotation, or cat:NAME for a category by its stored name. Keys: corr, ext, seq, bytes,
// group, flow_out, flow_in, details.
namespace steptrace::analyze {

struct DrawnRank {
  int32_t rank = 0;
  std::vector<store::SliceRow> slices;
  std::vector<store::TrackRow> tracks;
  std::vector<store::MemoryRow> memory;
};

struct DrawnRows {
  std::vector<DrawnRank> ranks;  // in the order of the text
  std::vector<store::RunMetadataRow> facts;
};

// Throws std::invalid_argument that names the line where the text makes no sense.
DrawnRows DrawRows(std::string_view text, store::StringTable& strings);

// All ranks, linked. `strings` outlives the value.
Trace DrawTrace(std::string_view text, store::StringTable& strings);

// The first rank alone.
RankTrace DrawRank(std::string_view text, store::StringTable& strings);

}  // namespace steptrace::analyze
