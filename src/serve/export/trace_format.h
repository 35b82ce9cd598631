// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace steptrace::exporter {

enum class TraceFormat {
  kChrome,    // JSON with traceEvents, in the dialect of PyTorch's profiler; a file holds one rank
  kPerfetto,  // Perfetto's protobuf; all ranks in a file
  kSpeedscope,  // speedscope's JSON: the stacks that were sampled, a profile for each thread
  kFolded       // the same summed up, a line for each stack: "thread;outer;inner <nanoseconds>"
};

}  // namespace steptrace::exporter
