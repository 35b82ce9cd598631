// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace steptrace::transport {

// The mapping of this process's ring file. No descriptor is kept: a host that closes all it finds
// must not make us write to whatever gets the number next.
class RingFile {
 public:
  // Makes a new file for this process in `dir` and maps it. Null: done, else why not.
  const char* Create(const char* dir, uint64_t start_time_ticks, uint64_t bytes);

  // Makes sure that touching [offset, offset + bytes) cannot fail for want of memory.
  bool Commit(uint64_t offset, uint64_t bytes);

  // Shows whoever watches the folder that something of this file has changed.
  void Touch() const;

  void Unmap();

  uint8_t* base() const { return base_; }
  uint64_t bytes() const { return bytes_; }

 private:
  bool NameFile(const char* dir, uint64_t start_time_ticks, uint32_t image, const char* suffix);
  const char* MapNew(int fd, uint64_t bytes);
  bool AllocateByPath(uint64_t offset, uint64_t bytes);

  uint8_t* base_ = nullptr;
  uint64_t bytes_ = 0;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  size_t name_offset_ = 0;  // of the file's name in path_
  char path_[1024] = {};
};

}  // namespace steptrace::transport
