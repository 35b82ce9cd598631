// SPDX-License-Identifier: Apache-2.0
// Any bytes as a profile: no crash, no endless loop, and rows that the store takes.
#include <cstdint>
#include <cstdlib>

#include "import/formats/kineto/kineto_importer.h"
#include "testing/fuzz_bytes.h"

using namespace steptrace::import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Limits limits;
  limits.max_event_bytes = 4096;
  limits.max_depth = 32;
  DetectedSource detected;
  Source& source = detected.source;
  source.path = source.inside = "fuzz";
  source.open = [&]() -> StreamResult {
    return MaybeUnzip(std::make_unique<FuzzBytes>(data, size), "fuzz", static_cast<int64_t>(size),
                      limits);
  };
  const std::filesystem::path folder = FuzzFolder("kineto_fuzz");
  RunSink sink(folder, limits);
  ImportContext context{limits, {}};
  steptrace::Status status = kineto::kKinetoImporter.import(std::span(&detected, 1), context, sink);
  // Writing is slow and reads no foreign bytes: a part of the inputs is enough.
  if (status.ok() && size % 16 == 0 && !sink.Finish({}).ok()) std::abort();
  std::filesystem::remove_all(folder);
  return 0;
}
