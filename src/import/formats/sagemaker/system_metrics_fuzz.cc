// SPDX-License-Identifier: Apache-2.0
// Any bytes as lines of system metrics: no crash; what is accepted has a name and a finite value.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/formats/sagemaker/read_source.h"
#include "import/formats/sagemaker/system_metrics.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace::import::sagemaker;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  CoreMeans means;
  LineSplitter lines(512, [&](std::string_view line, bool) {
    SystemSample sample;
    if (ParseSystemLine(line, sample) != LineFault::kNone) return;
    if (sample.key.metric.empty() || !std::isfinite(sample.value)) std::abort();
    if (sample.key.device) means.Add(sample.ts_ns / 2, *sample.key.device, sample.value);
  });
  lines.Push(text.substr(0, size / 3));
  lines.Push(text.substr(size / 3));
  lines.Finish();
  if (means.Take().size() > size) std::abort();
  return 0;
}
