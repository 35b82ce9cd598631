// SPDX-License-Identifier: Apache-2.0
// Any bytes as a manifest: one that comes back from its own JSON, of each format, or an error in
// one line. No bytes of chance have the checksum of format 2, so that those of format 1 are told as
// both.
#include <cstdlib>

#include "store/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace::store;
  auto manifest = ManifestFromJson({reinterpret_cast<const char*>(data), size}, "run.json");
  if (!manifest.ok()) return 0;
  for (const int format : {manifest->format, kFormatNumber}) {
    manifest->format = format;
    const std::string json = ManifestToJson(*manifest);
    const auto again = ManifestFromJson(json, "run.json");
    if (!again.ok() || ManifestToJson(*again) != json) std::abort();
  }
  return 0;
}
