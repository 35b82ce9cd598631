// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

// Files of other profilers that no importer reads: what each is called, and what works instead.
namespace steptrace::import {

enum class UnreadFormat : uint8_t {
  kPythonProfile,
  kCollapsedStacks,
  kFlameGraph,
  kSpeedscope,
  kPyinstrument,
  kScalene,
  kFirefoxProfile,
  kCpuProfile,
  kPprof,
  kPerfData,
  kMemray,
  kVizTracerPage,
  kExecutionTrace,
  kMemoryTimeline,
  kMemorySnapshot,
  kMemorySnapshotJson,
  kPickle,
  kRocprof,
  kRocprofDatabase,
  kNsightSystems,
  kNvprofDatabase,
  kNsightCompute,
  kAscendDatabase,
  kDatabase,
  kEventFile,
  kSpans,
  kCount
};

struct UnreadWords {
  std::string_view what;  // with its article
  std::string_view way;   // that works instead; empty: there is no better one than another file
};

UnreadWords WordsOf(UnreadFormat format);

// By the first bytes of a file; by its name alone only where the bytes of the format have no mark.
std::optional<UnreadFormat> RecogniseUnread(std::string_view head, std::string_view name);

}  // namespace steptrace::import
