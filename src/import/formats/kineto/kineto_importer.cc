// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/kineto_importer.h"

#include <algorithm>
#include <string_view>

#include "import/formats/kineto/import_trace_events.h"

namespace steptrace::import::kineto {
namespace {

constexpr ReadFiles kKinetoReads[] = {
    {"PyTorch Profiler (Kineto), 2021 until now, CUDA, ROCm, MTIA, XPU",
     "`schemaVersion`, `deviceProperties`, `cpu_op`, …", "one rank a file"},
    {"Ascend PyTorch Profiler (`torch_npu`: `trace_view.json` of `ASCEND_PROFILER_OUTPUT`), "
     "msprof's `msprof*.json`",
     "`cpu_op`, or as any Chrome trace events", "one rank a file"},
};
constexpr ReadFiles kChromeReads[] = {
    {"JAX and TensorFlow (`*.trace.json.gz`, `perfetto_trace.json.gz`)",
     "as any Chrome trace events", "one rank a file"},
    {"any Chrome trace events: `{\"traceEvents\": […]}` or `[…]`, closed or not",
     "`traceEvents`, `ph`", "one rank a file"},
};
constexpr const char* kEndings[] = {".json", ".trace", ".pt"};

bool Has(std::string_view head, std::string_view text) {
  return head.find(text) != std::string_view::npos;
}

std::string_view WithoutSpace(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  const size_t first = head.find_first_not_of(" \t\r\n");
  return head.substr(std::min(first, head.size()));
}

bool IsOfKineto(std::string_view head) {
  return Has(head, "\"schemaVersion\"") || Has(head, "\"deviceProperties\"") ||
         Has(head, "\"baseTimeNanoseconds\"") || Has(head, "\"distributedInfo\"") ||
         Has(head, "\"cpu_op\"") || Has(head, "\"cuda_runtime\"") ||
         Has(head, "\"Ascend Hardware\"");  // msprof's lies next to PyTorch's
}

// {"traceEvents": [...]}, whose key may stand behind the head where Kineto's marks stand in it, or
// [...] with the phase of an event.
Detection DetectKineto(std::string_view head, const Source&) {
  const std::string_view text = WithoutSpace(head);
  const bool events = text.starts_with('[') && Has(head, "\"ph\"");
  if (!text.starts_with('{') && !events) return {};
  return {IsOfKineto(head) ? Confidence::kOwnMarks : Confidence::kNone};
}

Detection DetectChrome(std::string_view head, const Source&) {
  const std::string_view text = WithoutSpace(head);
  const bool fits = (text.starts_with('{') && Has(head, "\"traceEvents\"")) ||
                    (text.starts_with('[') && Has(head, "\"ph\""));
  return {fits ? Confidence::kShape : Confidence::kNone};
}

Status ImportKineto(std::span<const DetectedSource> sources, const ImportContext& context,
                    RunSink& sink) {
  return ImportTraceEvents(sources, NameOf(kKinetoImporter.format), context, sink);
}

Status ImportChrome(std::span<const DetectedSource> sources, const ImportContext& context,
                    RunSink& sink) {
  return ImportTraceEvents(sources, NameOf(kChromeImporter.format), context, sink);
}

}  // namespace

constinit const Importer kKinetoImporter{.format = store::ProfileFormat::kKineto,
                                         .writer = "PyTorch Profiler",
                                         .detect = DetectKineto,
                                         .import = ImportKineto,
                                         .title = "PyTorch Profiler (Kineto)",
                                         .reads = kKinetoReads,
                                         .endings = kEndings};
constinit const Importer kChromeImporter{.format = store::ProfileFormat::kChrome,
                                         .writer = "a tool that writes Chrome trace events",
                                         .detect = DetectChrome,
                                         .import = ImportChrome,
                                         .title = "Chrome trace events",
                                         .reads = kChromeReads,
                                         .endings = kEndings};

}  // namespace steptrace::import::kineto
