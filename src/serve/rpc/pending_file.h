// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::rpc {

inline Error OsError(const std::filesystem::path& thing, std::string_view next_step) {
  return Error{fmt::format("{}: {}; {}", thing.string(), std::strerror(errno), next_step)};
}

// A file under another name until Commit(); removed when that does not come.
class PendingFile {
 public:
  static Result<PendingFile> Create(const std::filesystem::path& destination) {
    std::filesystem::path pending = destination;
    pending += fmt::format(".{}.partial", getpid());
    UniqueFd fd(::open(pending.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!fd.valid()) return OsError(destination, "name a place that can be written");
    return PendingFile(destination, std::move(pending), std::move(fd));
  }
  PendingFile(PendingFile&& other) noexcept
      : destination_(std::move(other.destination_)),
        pending_(std::exchange(other.pending_, {})),
        fd_(std::move(other.fd_)) {}
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile() {
    if (!pending_.empty()) ::unlink(pending_.c_str());
  }

  int fd() const { return fd_.get(); }
  Status Commit() {
    if (::close(fd_.release()) != 0 || ::rename(pending_.c_str(), destination_.c_str()) != 0) {
      return OsError(destination_, "make room or name another place");
    }
    pending_.clear();
    return {};
  }

 private:
  PendingFile(std::filesystem::path destination, std::filesystem::path pending, UniqueFd fd)
      : destination_(std::move(destination)), pending_(std::move(pending)), fd_(std::move(fd)) {}

  std::filesystem::path destination_;
  std::filesystem::path pending_;
  UniqueFd fd_;
};

}  // namespace steptrace::rpc
