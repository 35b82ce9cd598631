// SPDX-License-Identifier: Apache-2.0
#include "import/format.h"

#include <algorithm>
#include <utility>

#include "import/perfetto/packet_stream.h"
#include "import/sagemaker/detect.h"

namespace steptrace::import {
namespace {

bool Has(std::string_view head, std::string_view text) {
  return head.find(text) != std::string_view::npos;
}

std::string_view WithoutSpace(std::string_view head) {
  if (head.starts_with("\xEF\xBB\xBF")) head.remove_prefix(3);
  size_t first = head.find_first_not_of(" \t\r\n");
  return head.substr(std::min(first, head.size()));
}

Format DetectTraceEvents(std::string_view head) {
  std::string_view text = WithoutSpace(head);
  bool object = text.starts_with('{');
  if (!object && !text.starts_with('[')) return Format::kUnknown;
  bool kineto = Has(head, "\"schemaVersion\"") || Has(head, "\"deviceProperties\"") ||
                Has(head, "\"baseTimeNanoseconds\"") || Has(head, "\"distributedInfo\"") ||
                Has(head, "\"cpu_op\"") || Has(head, "\"cuda_runtime\"");
  if (object) {
    if (!Has(head, "\"traceEvents\"") && !kineto) return Format::kUnknown;
    return kineto ? Format::kKineto : Format::kChrome;
  }
  if (!Has(head, "\"ph\"")) return Format::kUnknown;
  return kineto ? Format::kKineto : Format::kChrome;
}

// XLA's own protobuf is a row of planes as Perfetto's is one of packets; the first has a name.
bool IsXPlanes(std::string_view head) {
  constexpr size_t kMostBefore = 16;  // two tags, a size and a number
  if (!head.starts_with('\n')) return false;
  for (std::string_view name : {"/host:", "/device:"}) {
    const size_t at = head.find(name);
    if (at != head.npos && 2 < at && at < kMostBefore && head[at - 2] == '\x12') return true;
  }
  return false;
}

}  // namespace

const char* NameOf(Format format) {
  switch (format) {
    case Format::kKineto:
      return "kineto";
    case Format::kChrome:
      return "chrome";
    case Format::kPerfetto:
      return "perfetto";
    case Format::kSageMakerSystem:
      return "sagemaker system metrics";
    case Format::kSageMakerFramework:
      return "sagemaker framework events";
    case Format::kHorovod:
      return "horovod timeline";
    case Format::kTensorFlow:
      return "tensorflow timeline";
    case Format::kSageMakerPythonStats:
      return "sagemaker python profile";
    case Format::kUnknown:
      break;
  }
  return "unknown";
}

Format Detect(const Source& source, std::string_view head) {
  if (IsXPlanes(head)) return Format::kUnknown;
  if (perfetto::LooksLikeTrace(head)) return Format::kPerfetto;
  // Kineto first: its marks are surer than those of the others.
  const Format events = DetectTraceEvents(head);
  if (events == Format::kKineto) return events;
  const Format sagemaker = sagemaker::DetectSageMaker(source, head);
  return sagemaker == Format::kUnknown ? events : sagemaker;
}

std::string LooksLike(std::string_view head) {
  std::string_view text = WithoutSpace(head);
  if (text.empty()) return "an empty file";
  if (head.starts_with(std::string_view("PAR1", 4))) return "a Parquet file";
  if (head.starts_with(std::string_view("\x89PNG", 4))) return "a PNG picture";
  if (head.starts_with("SQLite format 3")) return "an SQLite file (of Nsight, perhaps)";
  if (head.starts_with(std::string_view("\x7F"
                                        "ELF",
                                        4)))
    return "a program";
  for (const auto& [magic, packed] :
       {std::pair(std::string_view("\x28\xB5\x2F\xFD", 4), "a zstd file; unpack it first"),
        {std::string_view("BZh"), "a bzip2 file; unpack it first"},
        {std::string_view("\xFD"
                          "7zXZ"),
         "an xz file; unpack it first"},
        {std::string_view("7z\xBC\xAF\x27\x1C", 6), "a 7z archive; unpack it first"},
        {std::string_view("\x1F\x8B", 2), "gzip inside gzip; unpack it once"}}) {
    if (head.starts_with(magic)) return packed;
  }
  if (head.starts_with("version https://git-lfs.")) {
    return "a pointer of Git LFS, not the file itself; fetch it with `git lfs pull`";
  }
  if (IsXPlanes(head)) {
    return "an XPlane profile of JAX or TensorFlow; import the .trace.json.gz beside it";
  }
  if (text.starts_with('<')) return "HTML or XML";
  if (text.starts_with('{') || text.starts_with('[')) return "JSON without trace events";
  bool binary = std::any_of(head.begin(), head.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\r' && c != '\t';
  });
  return binary ? "a binary file of no known format" : "text";
}

}  // namespace steptrace::import
