// SPDX-License-Identifier: Apache-2.0
// Any bytes as run.json: a manifest that comes back from its own JSON, or an error in one line.
#include <cstdlib>

#include "store/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steptrace::store;
  auto manifest = ManifestFromJson({reinterpret_cast<const char*>(data), size}, "run.json");
  if (!manifest.ok()) return 0;
  std::string json = ManifestToJson(*manifest);
  auto again = ManifestFromJson(json, "run.json");
  if (!again.ok() || ManifestToJson(*again) != json) std::abort();
  return 0;
}
