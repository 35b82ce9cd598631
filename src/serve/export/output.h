// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <string_view>

#include "serve/rpc/pending_file.h"

namespace steptrace::exporter {

// Bytes on their way to a file, which is there only after Commit(), or to standard output.
class Output {
 public:
  static Result<Output> To(const std::filesystem::path& destination) {
    if (destination == "-") return Output(STDOUT_FILENO, std::nullopt, destination);
    STEPTRACE_ASSIGN_OR_RETURN(rpc::PendingFile file, rpc::PendingFile::Create(destination));
    const int fd = file.fd();
    return Output(fd, std::move(file), destination);
  }

  Status Write(std::string_view bytes) {
    buffer_.append(bytes);
    return buffer_.size() < kBufferBytes ? Status() : Flush();
  }
  // All is written; the file appears with Commit().
  Status Finish() {
    STEPTRACE_RETURN_IF_ERROR(Flush());
    std::string().swap(buffer_);  // of many ranks as many wait for the last
    return file_ ? file_->Close() : Status();
  }
  Status Commit() {
    STEPTRACE_RETURN_IF_ERROR(Finish());
    return file_ ? file_->Commit() : Status();
  }

 private:
  static constexpr size_t kBufferBytes = 1 << 18;

  Output(int fd, std::optional<rpc::PendingFile> file, std::filesystem::path destination)
      : fd_(fd), file_(std::move(file)), destination_(std::move(destination)) {}

  Status Flush() {
    std::string_view rest = buffer_;
    while (!rest.empty()) {
      const ssize_t written = ::write(fd_, rest.data(), rest.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return rpc::OsError(destination_, "make room or name another place");
      rest.remove_prefix(static_cast<size_t>(written));
    }
    buffer_.clear();
    return {};
  }

  int fd_;
  std::optional<rpc::PendingFile> file_;
  std::filesystem::path destination_;
  std::string buffer_;
};

}  // namespace steptrace::exporter
