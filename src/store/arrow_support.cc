// SPDX-License-Identifier: Apache-2.0
#include "store/arrow_support.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace steptrace::store {
namespace {

constexpr const char* kPoolVariable = "ARROW_DEFAULT_MEMORY_POOL";

// Some of Arrow's paths use its default pool whatever they are given, and the environment is the
// only way to choose that. It is put back at once: children must not inherit it.
void ChooseDefaultPool() {
  bool ours = std::getenv(kPoolVariable) == nullptr;
  if (ours) ::setenv(kPoolVariable, "system", 0);
  arrow::default_memory_pool();
  if (ours) ::unsetenv(kPoolVariable);
}

std::string OneLine(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  constexpr size_t kLongest = 300;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "…";
  return text;
}

const char* NextStep(int error_number) {
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return "free some space there";
    case EROFS:
      return "it is mounted read-only: copy the run to where you may write";
    case EACCES:
    case EPERM:
      return "ask its owner for the right to it, or copy what you may read";
    case ENOENT:
      return "check the path; `steptrace ls` lists runs";
    case EMFILE:
    case ENFILE:
      return "raise the limit of open files (ulimit -n)";
    default:
      return "check the disk and its mount";
  }
}

}  // namespace

arrow::MemoryPool* Pool() {
  static std::once_flag once;
  std::call_once(once, ChooseDefaultPool);
  return arrow::system_memory_pool();
}

Error ArrowError(const std::string& thing, const arrow::Status& status, const std::string& next) {
  return Error{OneLine(thing + ": " + status.message()), next,
               status.IsOutOfMemory() ? Error::Kind::kOutOfMemory : Error::Kind::kOther};
}

Error SystemError(const std::string& thing, int error_number) {
  return Error{OneLine(thing + ": " + std::strerror(error_number)), NextStep(error_number),
               error_number == EPIPE ? Error::Kind::kNobodyReads : Error::Kind::kOther};
}

int WriteAll(int fd, const void* data, size_t size) {
  auto* at = static_cast<const char*>(data);
  while (size > 0) {
    ssize_t n = ::write(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    if (n == 0) return EIO;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return 0;
}

arrow::Status FdOutputStream::Write(const void* data, int64_t size) {
  int error = WriteAll(fd_, data, static_cast<size_t>(size));
  if (error != 0) {
    error_number_ = error;
    return arrow::Status::IOError(std::strerror(error));
  }
  written_ += size;
  return arrow::Status::OK();
}

arrow::Status FdOutputStream::Close() {
  closed_ = true;
  return arrow::Status::OK();
}

}  // namespace steptrace::store
