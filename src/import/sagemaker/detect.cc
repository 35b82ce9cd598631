// SPDX-License-Identifier: Apache-2.0
#include "import/sagemaker/detect.h"

#include <algorithm>

#include "import/sagemaker/layout.h"
#include "import/sagemaker/python_stats.h"
#include "import/sagemaker/system_metrics.h"

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

Format DetectEvents(const Source& source, std::string_view head, bool object) {
  if (object) {
    const bool tensorflow =
        Has(head, "\"traceEvents\"") && (Has(head, "\"/host:CPU") || Has(head, "\"/device:"));
    return tensorflow ? Format::kTensorFlow : Format::kUnknown;
  }
  if (!Has(head, "\"ph\"")) return Format::kUnknown;
  const EventFileKind kind = EventFileKindOf(source.path);
  if (kind == EventFileKind::kHorovod || Has(head, "\"NEGOTIATE_") ||
      Has(head, "\"CYCLE_START\"")) {
    return Format::kHorovod;
  }
  if (kind != EventFileKind::kNone || Has(head, "\"start_time_since_epoch_in_micros\"")) {
    return Format::kSageMakerFramework;
  }
  return Format::kUnknown;
}

}  // namespace

Format DetectSageMaker(const Source& source, std::string_view head) {
  if (head.empty()) {
    return ParseMetadataName(source.path) ? Format::kTensorFlow : Format::kUnknown;
  }
  if (const auto stats = ParsePythonStats(head); stats.ok() && !stats->functions.empty()) {
    return Format::kSageMakerPythonStats;
  }
  if (head.substr(0, 3) == "\xEF\xBB\xBF") head.remove_prefix(3);
  const size_t begin = head.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return Format::kUnknown;
  const std::string_view text = head.substr(begin);
  if (text[0] == '{' && IsSystemMetrics(text)) return Format::kSageMakerSystem;
  if (text[0] == '{' || text[0] == '[') return DetectEvents(source, text, text[0] == '{');
  return Format::kUnknown;
}

}  // namespace steptrace::import::sagemaker
