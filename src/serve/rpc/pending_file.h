// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::rpc {

// "thing: errno's text; next step".
Error OsError(const std::filesystem::path& thing, std::string_view next_step);

// Where output goes that a user named. A file, or none yet: under another name until Commit(),
// and removed when that does not come. A link: the same at its end, so that the link stays. What is
// neither (a device, a pipe, a descriptor as /dev/stdout) is written straight, as by a shell's `>`;
// opening a pipe waits for its reader.
class PendingFile {
 public:
  static Result<PendingFile> Create(const std::filesystem::path& destination);
  PendingFile(PendingFile&& other) noexcept;
  PendingFile& operator=(PendingFile&&) = delete;
  ~PendingFile();

  int fd() const { return fd_.get(); }
  // All is written. Nothing appears yet; frees the descriptor.
  Status Close();
  // Closes, then lets the file appear.
  Status Commit();

 private:
  PendingFile(std::filesystem::path destination, UniqueFd fd)
      : destination_(std::move(destination)), fd_(std::move(fd)) {}

  struct Listed;
  static Listed* List(std::string path);
  static const Listed* NewestListed();
  friend void UnlinkPendingFiles();

  std::filesystem::path destination_;  // as the user named it
  std::filesystem::path end_;          // of its links
  Listed* pending_ = nullptr;          // the name until then; null: is written straight
  UniqueFd fd_;
};

// Removes what is pending. For handlers of signals that end the process: async-signal-safe.
void UnlinkPendingFiles();

}  // namespace steptrace::rpc
