// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arrow/io/interfaces.h>
#include <arrow/memory_pool.h>
#include <arrow/result.h>
#include <arrow/status.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

// What the sources of this folder need of Arrow. Never included from a header that others see.
namespace steptrace::store {

// malloc's pool: Arrow's own keeps tens of MiB that the agent's budget does not have.
arrow::MemoryPool* Pool();

// "<thing>: <cause>", in one line; `next` is the next step. Knows whether there was no memory.
Error ArrowError(const std::string& thing, const arrow::Status& status, const std::string& next);
// The same from errno; knows the next step for a full disk, a read-only folder and others.
Error SystemError(const std::string& thing, int error_number);

// An output stream on a descriptor that it does not own: files, pipes and terminals alike.
class FdOutputStream : public arrow::io::OutputStream {
 public:
  explicit FdOutputStream(int fd) : fd_(fd) {}

  arrow::Status Write(const void* data, int64_t size) override;
  arrow::Status Flush() override { return arrow::Status::OK(); }
  arrow::Status Close() override;
  bool closed() const override { return closed_; }
  arrow::Result<int64_t> Tell() const override { return written_; }
  using arrow::io::OutputStream::Write;

  int error_number() const { return error_number_; }  // of the write that failed; 0: none did

 private:
  int fd_;
  int64_t written_ = 0;
  int error_number_ = 0;
  bool closed_ = false;
};

// Writes all of it, over interruptions; 0 or the errno.
int WriteAll(int fd, const void* data, size_t size);

}  // namespace steptrace::store
