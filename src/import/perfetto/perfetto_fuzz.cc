// SPDX-License-Identifier: Apache-2.0
// Any bytes as a trace: no crash, no endless loop, and rows that the store takes.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "import/importer.h"

namespace {

using namespace steptrace::import;

class Bytes : public ByteStream {
 public:
  Bytes(const uint8_t* data, size_t size) : data_(data), size_(size) {}
  steptrace::Result<size_t> Read(char* out, size_t size) override {
    size_t count = std::min(size, size_ - at_);
    if (count > 0) std::memcpy(out, data_ + at_, count);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }

 private:
  const uint8_t* data_;
  size_t size_;
  size_t at_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Limits limits;
  limits.max_event_bytes = 1 << 16;
  limits.max_bytes = 1 << 20;
  limits.max_depth = 32;
  limits.max_rows_in_memory = 4096;
  Source source;
  source.path = source.inside = "fuzz";
  source.bytes = static_cast<int64_t>(size);
  source.open = [&]() -> StreamResult {
    return std::unique_ptr<ByteStream>(std::make_unique<Bytes>(data, size));
  };
  static const auto folder =
      std::filesystem::temp_directory_path() / ("perfetto_fuzz." + std::to_string(getpid()));
  std::filesystem::remove_all(folder);
  std::filesystem::create_directory(folder);
  {
    RunSink sink(folder, limits);
    ImportContext context{limits, {}};
    steptrace::Status status = ImportPerfetto(std::span<const Source>(&source, 1), context, sink);
    // Writing is slow and reads no foreign bytes: a part of the inputs is enough.
    if (status.ok() && size % 16 == 0 && !sink.Finish({}).ok()) std::abort();
  }
  std::filesystem::remove_all(folder);
  return 0;
}
