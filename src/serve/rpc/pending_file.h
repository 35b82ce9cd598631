// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/signal_handlers.h"
#include "base/unique_fd.h"

namespace steptrace::rpc {

// "thing: errno's text; next step".
Error OsError(const std::filesystem::path& thing, std::string_view next_step);

// What stopped the files from appearing one by one, and how many have by then.
Error PartlyDone(const Error& error, size_t done, size_t of);

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

  friend class OutputFolder;
  struct Listed;
  static Listed* List(std::string path);
  static const Listed* NewestListed();
  friend void UnlinkPendingFiles();

  std::filesystem::path destination_;  // as the user named it
  std::filesystem::path end_;          // of its links
  Listed* pending_ = nullptr;          // the name until then; null: is written straight
  UniqueFd fd_;
};

// A folder for such files. One that was not there before goes again where none of them appears.
class OutputFolder {
 public:
  static Result<OutputFolder> Make(const std::filesystem::path& folder);
  OutputFolder(OutputFolder&& other) noexcept;
  OutputFolder& operator=(OutputFolder&&) = delete;
  ~OutputFolder();

 private:
  explicit OutputFolder(std::string made) : made_(std::move(made)) {}
  std::string made_;  // empty: it was there
};

// While it lives, SIGHUP, SIGINT and SIGTERM are only noted, whichever thread they come to; the
// first of them is raised when it ends. One at a time.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();

 private:
  std::optional<SignalHandlers<SIGHUP, SIGINT, SIGTERM>> handlers_;
};

// Lets files appear that are all whole: new ones beside old ones would be of two runs. A signal
// that comes meanwhile ends the process only afterwards; a rename that fails ends this, and the
// error says how many are new.
template <class Files>
Status CommitAll(Files& files) {
  const HeldSignals held;
  size_t done = 0;
  for (auto& one : files) {
    const Status committed = one.Commit();
    if (!committed.ok()) return PartlyDone(committed.error(), done, files.size());
    ++done;
  }
  return {};
}

// Removes what is pending, and the folders that were made for it. For handlers of signals that end
// the process: async-signal-safe.
void UnlinkPendingFiles();

}  // namespace steptrace::rpc
