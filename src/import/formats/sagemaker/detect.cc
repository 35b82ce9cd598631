// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/detect.h"

#include <algorithm>

#include "import/formats/sagemaker/file_names.h"
#include "import/formats/sagemaker/python_stats.h"
#include "import/formats/sagemaker/system_metrics.h"

namespace steptrace::import::sagemaker {
namespace {

bool Has(std::string_view head, std::string_view text) {
  return head.find(text) != std::string_view::npos;
}

std::string_view FirstLine(std::string_view text) {
  return text.substr(0, text.find('\n'));
}

// A line of metrics; the first of a file may be damaged, so the second may speak for it.
bool IsSystemMetrics(std::string_view text) {
  SystemSample sample;
  for (int i = 0; i < 2 && !text.empty(); ++i) {
    const std::string_view line = FirstLine(text);
    const bool fits = Has(line, "\"Timestamp\"") && Has(line, "\"Value\"");
    if (fits && ParseSystemLine(line, sample) != LineFault::kNoObject) return true;
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return false;
}

// cProfile's own files have no moments: only the folder that Debugger puts them into tells when.
bool IsOfAWindow(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string_view name =
      std::string_view(path).substr(slash == std::string::npos ? 0 : slash + 1);
  return name == "python_stats" || ParseProfileWindow(path).start_ns.has_value();
}

std::optional<Dialect> DetectEvents(const Source& source, std::string_view head, bool object) {
  if (object) {
    // Others write the same, JAX among them: Debugger's lie in its own folder.
    const bool tensorflow = Has(source.path, "detailed_profiling") &&
                            Has(head, "\"traceEvents\"") &&
                            (Has(head, "\"/host:CPU") || Has(head, "\"/device:"));
    return tensorflow ? std::optional(Dialect::kTensorFlow) : std::nullopt;
  }
  if (!Has(head, "\"ph\"")) return std::nullopt;
  const EventFileKind kind = EventFileKindOf(source.path);
  if (kind == EventFileKind::kHorovod || Has(head, "\"NEGOTIATE_") ||
      Has(head, "\"CYCLE_START\"")) {
    return Dialect::kHorovod;
  }
  if (kind != EventFileKind::kNone || Has(head, "\"start_time_since_epoch_in_micros\"")) {
    return Dialect::kFramework;
  }
  return std::nullopt;
}

}  // namespace

const char* NameOf(Dialect dialect) {
  switch (dialect) {
    case Dialect::kSystem:
      return "sagemaker system metrics";
    case Dialect::kFramework:
      return "sagemaker framework events";
    case Dialect::kHorovod:
      return "horovod timeline";
    case Dialect::kTensorFlow:
      return "tensorflow timeline";
    case Dialect::kPythonStats:
      return "sagemaker python profile";
  }
  return "";
}

std::optional<Dialect> DetectDialect(const Source& source, std::string_view head) {
  if (head.empty()) {
    return ParseMetadataName(source.path) ? std::optional(Dialect::kTensorFlow) : std::nullopt;
  }
  if (const auto stats = ParsePythonStats(head); stats.ok() && !stats->functions.empty()) {
    return IsOfAWindow(source.path) ? std::optional(Dialect::kPythonStats) : std::nullopt;
  }
  if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return std::nullopt;
  const std::string_view text = head.substr(begin);
  if (text[0] == '{' && IsSystemMetrics(text)) return Dialect::kSystem;
  if (text[0] == '{' || text[0] == '[') return DetectEvents(source, text, text[0] == '{');
  return std::nullopt;
}

}  // namespace steptrace::import::sagemaker
