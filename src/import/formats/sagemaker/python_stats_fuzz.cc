// SPDX-License-Identifier: Apache-2.0
// Any bytes as a Python profile, and as the names of files: no crash, nothing executed, no index
// beyond the functions.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/formats/sagemaker/detect.h"
#include "import/formats/sagemaker/file_names.h"
#include "import/formats/sagemaker/python_stats.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace::import;
  using namespace steptrace::import::sagemaker;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto stats = ParsePythonStats(bytes); stats.ok()) {
    if (stats->totals.size() != stats->functions.size()) std::abort();
    for (const auto& edge : stats->edges) {
      if (edge.caller >= stats->functions.size()) std::abort();
      if (edge.callee >= stats->functions.size()) std::abort();
    }
  }
  (void)ParseProfileWindow(bytes);
  (void)ParseMetadataName(bytes);
  (void)EventFileProcess(bytes);
  if (NaturalLess(bytes, bytes)) std::abort();
  Source source;
  source.path = bytes.substr(0, size / 2);
  (void)DetectDialect(source, bytes.substr(size / 2));
  return 0;
}
