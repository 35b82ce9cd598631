// SPDX-License-Identifier: Apache-2.0
// Any bytes as a profile: no crash, no endless loop, and rows that the store takes.
#include <cstdint>
#include <cstdlib>

#include "import/formats/xplane/importer.h"
#include "testing/fuzz_bytes.h"

using namespace steptrace::import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Limits limits;
  limits.max_event_bytes = 1 << 16;
  limits.max_bytes = 1 << 20;
  limits.max_rows_in_memory = 4096;
  DetectedSource detected;
  Source& source = detected.source;
  source.path = source.inside = "fuzz.xplane.pb";
  source.bytes = static_cast<int64_t>(size);
  source.open = [&]() -> StreamResult {
    return std::unique_ptr<ByteStream>(std::make_unique<FuzzBytes>(data, size));
  };
  const std::filesystem::path folder = FuzzFolder("xplane_fuzz");
  {
    RunSink sink(folder, limits);
    ImportContext context{limits, {}};
    const steptrace::Status status =
        xplane::kXPlaneImporter.import(std::span(&detected, 1), context, sink);
    // Writing is slow and reads no foreign bytes: a part of the inputs is enough.
    if (status.ok() && size % 16 == 0 && !sink.Finish({}).ok()) std::abort();
  }
  std::filesystem::remove_all(folder);
  return 0;
}
