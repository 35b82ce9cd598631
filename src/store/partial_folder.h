// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <utility>

#include "base/inherited_mode.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::store {

// The folder in which a run is made, `.NAME.PID.partial` beside the place where it will stand. It
// is removed with the object, unless MoveTo put it there.
//
// A process that was killed leaves its folder. It holds a lock (flock) in it while it lives, so the
// next import beside it can tell, also on another machine or under another count of process
// numbers, and removes it.
class PartialFolder {
 public:
  // `mode`: of the folder.
  static Result<PartialFolder> Make(const std::filesystem::path& output,
                                    mode_t mode = kPrivateFolder);

  PartialFolder(PartialFolder&& other) noexcept
      : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}
  PartialFolder& operator=(PartialFolder&&) = delete;
  ~PartialFolder();

  const std::filesystem::path& path() const { return path_; }

  // A run that came up there meanwhile stays, and is an error.
  Status MoveTo(const std::filesystem::path& output);

 private:
  PartialFolder(std::filesystem::path path, UniqueFd lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  UniqueFd lock_;
};

}  // namespace steptrace::store
