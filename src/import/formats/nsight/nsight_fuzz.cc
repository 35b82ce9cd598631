// SPDX-License-Identifier: Apache-2.0
// Any bytes as an export: no crash, no endless loop, and rows that the store takes.
#include <cstdint>
#include <cstdlib>
#include <fstream>

#include "import/formats/nsight/importer.h"
#include "testing/fuzz_bytes.h"

using namespace steptrace::import;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Limits limits;
  limits.max_rows_in_memory = 4096;
  const std::filesystem::path folder = FuzzFolder("nsight_fuzz");
  const std::filesystem::path file = folder / "fuzz.sqlite";
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
  DetectedSource detected;
  detected.source.path = detected.source.inside = "fuzz.sqlite";
  detected.source.bytes = static_cast<int64_t>(size);
  detected.source.file = file;
  {
    std::filesystem::create_directory(folder / "run");
    RunSink sink(folder / "run", limits);
    ImportContext context{limits, {}};
    const steptrace::Status status =
        nsight::kNsightImporter.import(std::span(&detected, 1), context, sink);
    if (status.ok() && size % 16 == 0 && !sink.Finish({}).ok()) std::abort();
  }
  std::filesystem::remove_all(folder);
  return 0;
}
