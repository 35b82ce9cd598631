// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <errno.h>

namespace steptrace::transport {

// For a scope that makes system calls: the host may stand between a call of its own that failed and
// its look at errno.
class KeepErrno {
 public:
  KeepErrno() = default;
  ~KeepErrno() { errno = kept_; }
  KeepErrno(const KeepErrno&) = delete;
  KeepErrno& operator=(const KeepErrno&) = delete;

 private:
  const int kept_ = errno;
};

}  // namespace steptrace::transport
