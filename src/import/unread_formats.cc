// SPDX-License-Identifier: Apache-2.0
#include "import/unread_formats.h"

#include <algorithm>
#include <array>
#include <span>

namespace steptrace::import {
namespace {

using Format = UnreadFormat;

constexpr std::string_view kSample =
    "run the training under `steptrace run`, which samples its functions step by step";
constexpr std::string_view kOfTheProfiler =
    "import the trace of the same torch.profiler (`export_chrome_trace`)";
constexpr std::string_view kWithMemory =
    "import the trace of the same torch.profiler (`export_chrome_trace`), recorded with "
    "profile_memory=True";
constexpr std::string_view kKernels =
    "record with torch.profiler, or run the training under `steptrace run`, whose windows hold "
    "kernels";

struct Row {
  Format format;
  UnreadWords words;
};
constexpr std::array<Row, static_cast<size_t>(Format::kCount)> kWords = {{
    {Format::kPythonProfile,
     {"a Python profile of cProfile (pstats), which has counts and no moments", kSample}},
    {Format::kCollapsedStacks,
     {"stacks of a sampling profiler, one a line (py-spy's raw form, flame graphs)",
      "record with `py-spy record --format chrometrace`"}},
    {Format::kFlameGraph,
     {"a picture of a flame graph", "record with `py-spy record --format chrometrace`"}},
    {Format::kSpeedscope,
     {"a speedscope profile (of py-spy, perhaps)",
      "record with `py-spy record --format chrometrace`"}},
    {Format::kPyinstrument, {"a profile of pyinstrument", kSample}},
    {Format::kScalene, {"a profile of Scalene, which has shares and no moments", kSample}},
    {Format::kFirefoxProfile,
     {"a profile in Firefox Profiler's form (of samply, perhaps)", kSample}},
    {Format::kCpuProfile, {"a CPU profile of V8", kSample}},
    {Format::kPprof, {"a pprof profile", kSample}},
    {Format::kPerfData, {"data of Linux perf", kSample}},
    {Format::kMemray,
     {"a memory profile of memray",
      "run the training under `steptrace run`, which follows how its memory grows"}},
    {Format::kVizTracerPage,
     {"a page of VizTracer", "save it as JSON (`viztracer -o result.json`)"}},
    {Format::kExecutionTrace, {"a PyTorch execution trace (a graph of operators)", kOfTheProfiler}},
    {Format::kMemoryTimeline, {"a PyTorch memory timeline", kWithMemory}},
    {Format::kMemorySnapshot,
     {"a PyTorch memory snapshot (a pickle)",
      "look at it on pytorch.org/memory_viz, or import a trace of torch.profiler with "
      "profile_memory=True"}},
    {Format::kMemorySnapshotJson, {"a PyTorch memory snapshot, written as JSON", kWithMemory}},
    {Format::kPickle, {"a Python pickle, which is not opened because that would run code", ""}},
    {Format::kRocprof, {"JSON of rocprofv3", "record with `rocprofv3 --output-format pftrace`"}},
    {Format::kRocprofDatabase,
     {"a database of rocprofv3 (rocpd)",
      "convert it with `rocpd convert --output-format pftrace -i FILE`"}},
    {Format::kNsightSystems,
     {"a report of Nsight Systems", "export it with `nsys export --type=sqlite`, and import that"}},
    {Format::kNvprofDatabase, {"an SQLite file of nvprof", kKernels}},
    {Format::kNsightCompute, {"a report of Nsight Compute", kKernels}},
    {Format::kAscendDatabase,
     {"a database of Ascend's profiler", "import the trace_view.json beside it"}},
    {Format::kDatabase, {"an SQLite file", ""}},
    {Format::kEventFile,
     {"an event file of TensorBoard (scalars and graphs)",
      "import the folder plugins/profile beside it, where there is one"}},
    {Format::kSpans, {"spans of OpenTelemetry", ""}},
}};

constexpr bool EachAtItsPlace() {
  for (size_t i = 0; i < kWords.size(); ++i) {
    if (kWords[i].format != static_cast<Format>(i)) return false;
  }
  return true;
}
static_assert(EachAtItsPlace());

bool Has(std::string_view text, std::string_view mark) {
  return text.find(mark) != std::string_view::npos;
}

// Marks of which each alone may stand in any file, and which together only this format has.
struct Marks {
  Format format;
  std::array<std::string_view, 2> all;  // the second may be empty: it is always there
};

constexpr std::array<Marks, 14> kJson = {{
    {Format::kSpeedscope, {"speedscope.app/file-format-schema"}},
    {Format::kExecutionTrace, {"\"nodes\"", "\"ctrl_deps\""}},
    {Format::kExecutionTrace, {"\"nodes\"", "[pytorch|profiler|execution_"}},
    {Format::kExecutionTrace, {"\"schema\"", "chakra"}},
    {Format::kRocprof, {"\"rocprofiler-sdk-tool\""}},
    {Format::kScalene, {"\"elapsed_time_sec\"", "\"alloc_samples\""}},
    {Format::kScalene, {"\"n_cpu_percent_python\""}},
    {Format::kScalene, {"\"max_footprint_mb\""}},
    {Format::kFirefoxProfile, {"\"preprocessedProfileVersion\""}},
    {Format::kCpuProfile, {"\"nodes\"", "\"callFrame\""}},
    {Format::kPyinstrument, {"\"root_frame\"", "\"sample_count\""}},
    {Format::kPyinstrument, {"\"frame_records\""}},
    {Format::kSpans, {"\"resourceSpans\""}},
    {Format::kMemorySnapshotJson, {"\"segments\"", "\"device_traces\""}},
}};

constexpr std::array<Marks, 6> kPages = {{
    {Format::kMemoryTimeline, {"Memory Timeline"}},
    {Format::kVizTracerPage, {"viztracer"}},
    {Format::kVizTracerPage, {"VizTracer"}},
    {Format::kFlameGraph, {"<svg", "py-spy"}},
    {Format::kFlameGraph, {"<svg", "Flame Graph"}},
    {Format::kFlameGraph, {"<svg", "flamegraph"}},
}};

// Names of tables, which stand in the first pages of a file.
constexpr std::array<Marks, 5> kDatabases = {{
    {Format::kRocprofDatabase, {"rocpd_"}},
    {Format::kNvprofDatabase, {"CUPTI_ACTIVITY_KIND", "StringTable"}},
    {Format::kAscendDatabase, {"CANN_API"}},
    {Format::kAscendDatabase, {"STRING_IDS", "COMMUNICATION_OP"}},
    {Format::kDatabase, {"SQLite format 3"}},
}};

std::optional<Format> ByMarks(std::string_view text, std::span<const Marks> known) {
  for (const Marks& marks : known) {
    if (Has(text, marks.all[0]) && Has(text, marks.all[1])) return marks.format;
  }
  return std::nullopt;
}

// [[time, action, bytes, category], ...] or [[times], [sizes]]
bool IsMemoryTimeline(std::string_view text) {
  constexpr size_t kFew = 256;
  text = text.substr(0, kFew);
  return text.starts_with("[[") && text.size() > 2 && Has(text, ",") &&
         text.find_first_not_of("[]-+.,0123456789eE \t\r\n") == std::string_view::npos;
}

// {(file, line, function): ...} as marshal writes it, with or without marks of references.
bool IsMarshalledProfile(std::string_view head) {
  const auto type = [&](size_t at) { return static_cast<char>(head[at] & 0x7F); };
  if (head.size() < 6 || type(0) != '{') return false;
  if (type(1) == ')') return head[2] == 3;
  return type(1) == '(' && head.substr(2, 4) == std::string_view("\x03\0\0\0", 4);
}

bool IsPickle(std::string_view head) {
  return head.size() > 2 && head[0] == '\x80' && 2 <= head[1] && head[1] <= 5;
}

// Whose first key stands in its first bytes.
bool IsMemorySnapshot(std::string_view pickle) {
  constexpr size_t kFirstKey = 96;
  const std::string_view begin = pickle.substr(0, kFirstKey);
  return Has(begin, "segments") || Has(begin, "device_traces") || Has(begin, "allocator_settings");
}

// "main;train;forward 12"
bool IsCollapsedStacks(std::string_view text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  const size_t space = line.rfind(' ');
  if (space == std::string_view::npos || !Has(line.substr(0, space), ";")) return false;
  const std::string_view count = line.substr(space + 1);
  return !count.empty() && count.find_first_not_of("0123456789\r") == std::string_view::npos;
}

// A message of two short numbers, type and unit of what was sampled, comes first.
bool IsPprof(std::string_view head) {
  return head.size() > 6 && head[0] == '\x0A' && head[1] == 4 && head[2] == 0x08 && head[4] == 0x10;
}

std::optional<Format> OfBinary(std::string_view head, std::string_view name) {
  constexpr size_t kFirstRecord = 64;
  if (IsMarshalledProfile(head)) return Format::kPythonProfile;
  if (IsPickle(head)) return IsMemorySnapshot(head) ? Format::kMemorySnapshot : Format::kPickle;
  if (head.starts_with("SQLite format 3")) return ByMarks(head, kDatabases);
  if (Has(head.substr(0, kFirstRecord), "brain.Event:")) return Format::kEventFile;
  if (head.starts_with("PERFILE2")) return Format::kPerfData;
  if (head.starts_with("memray")) return Format::kMemray;
  if (IsPprof(head)) return Format::kPprof;
  if (head.starts_with("NVR") || name.ends_with(".ncu-rep")) return Format::kNsightCompute;
  for (const std::string_view end : {".nsys-rep", ".qdrep", ".qdstrm"}) {
    if (name.ends_with(end)) return Format::kNsightSystems;
  }
  return std::nullopt;
}

bool IsBinary(std::string_view head) {
  return std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
}

}  // namespace

UnreadWords WordsOf(UnreadFormat format) {
  return kWords[static_cast<size_t>(format)].words;
}

std::optional<UnreadFormat> RecogniseUnread(std::string_view head, std::string_view name) {
  if (IsBinary(head)) return OfBinary(head, name);
  std::string_view text = head;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with('<') && !IsCollapsedStacks(text)) return ByMarks(text, kPages);
  if (text.starts_with('{') || text.starts_with('[')) {
    return IsMemoryTimeline(text) ? Format::kMemoryTimeline : ByMarks(text, kJson);
  }
  if (IsCollapsedStacks(text)) return Format::kCollapsedStacks;
  return std::nullopt;
}

}  // namespace steptrace::import
