// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "transport/reader.h"

// The input is cut into the parts of a ring file that are read: header from its changeable fields
// on, controls of two rings, arena, records. The fixed fields are right, or nothing would be
// reached.
namespace steptrace::transport {
namespace {

constexpr uint64_t kArenaPart = 512;

class Scratch {
 public:
  Scratch() {
    std::string pattern = "/dev/shm/steptrace-fuzz-XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr) abort();
    folder_ = UniqueFd(open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    file_ = UniqueFd(openat(folder_.get(), "f.ring", O_RDWR | O_CREAT | O_EXCL, 0600));
    path_ = pattern;
  }
  ~Scratch() {
    unlinkat(folder_.get(), "f.ring", 0);
    rmdir(path_.c_str());
  }
  int folder() const { return folder_.get(); }

  void Put(uint64_t offset, const void* bytes, size_t count) {
    if (pwrite(file_.get(), bytes, count, static_cast<off_t>(offset)) < 0) abort();
  }
  void Empty() {
    if (ftruncate(file_.get(), 0) != 0) abort();
    if (ftruncate(file_.get(), static_cast<off_t>(wire::RingOffset(2))) != 0) abort();
  }

 private:
  std::string path_;
  UniqueFd folder_, file_;
};

void Fill(Scratch& scratch, const uint8_t* data, size_t size) {
  scratch.Empty();
  wire::FileHeader header{};
  const size_t changeable = offsetof(wire::FileHeader, start_time_ticks);
  std::copy_n(data, std::min(size, sizeof header - changeable),
              reinterpret_cast<uint8_t*>(&header) + changeable);
  header.magic = wire::kMagic;
  header.version = wire::kVersion;
  header.ready = 1;
  header.ring_count = 2;
  header.file_bytes = wire::RingOffset(2);
  header.clock_source = 1;
  header.pid = 1;
  scratch.Put(0, &header, sizeof header);
  const auto take = [&](uint64_t offset, size_t bytes, size_t skip) {
    if (skip < size) scratch.Put(offset, data + skip, std::min(bytes, size - skip));
  };
  size_t at = sizeof header - changeable;
  take(wire::kControlOffset, 2 * sizeof(wire::RingControl), at);
  at += 2 * sizeof(wire::RingControl);
  take(wire::kArenaOffset, kArenaPart, at);
  at += kArenaPart;
  take(wire::RingOffset(0), size, at);
}

void ReadAll(int folder) {
  auto file = UntrustedRingFile::Open(folder, "f.ring", geteuid());
  if (!file.ok()) return;
  std::array<wire::Record, 64> batch;
  for (int poll = 0; poll < 2; ++poll) {
    const int rings = file->thread_count();
    for (int ring = 0; ring < rings; ++ring) {
      // A ring gives at most its capacity for one snapshot: more would be a loop without end.
      uint64_t given = 0;
      while (const size_t count = file->Drain(ring, batch)) {
        given += count;
        if (given > wire::kLargeRingRecords) abort();
        for (size_t i = 0; i < count; ++i) {
          if (batch[i].name == 0 || batch[i].name > file->name_count()) abort();
        }
      }
      (void)file->ThreadEnded(ring);
    }
  }
  for (uint32_t id = 0; id <= file->name_count() + 1; ++id) (void)file->Name(id);
}

}  // namespace
}  // namespace steptrace::transport

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static steptrace::transport::Scratch scratch;
  steptrace::transport::Fill(scratch, data, size);
  steptrace::transport::ReadAll(scratch.folder());
  return 0;
}
