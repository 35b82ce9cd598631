// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "agent/ingest/ring_folder.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::agent {

// A file that appeared in the ring folder under a name that wire/ring_layout.h allows.
struct RingFileSeen {
  std::string name;
  RingFileName parts;
  ino_t inode = 0;
};

// Watches the folder of a run for new files: inotify says when to look, listing says what is there.
// Everything in the folder was put there by somebody else; other names are counted, not opened.
class RingWatch {
 public:
  // More processes than this in one run are not followed; each costs a descriptor and a mapping.
  static constexpr size_t kMaxFiles = 4096;

  static Result<RingWatch> Open(const std::filesystem::path& folder);

  // Readable when something happened in the folder, or the writer of a file asks to be read; -1
  // where the kernel gives no inotify.
  int fd() const { return notify_.get(); }
  int folder_fd() const { return folder_.get(); }

  // Files that the calls before did not return. `forced`: list even if nothing was notified.
  std::vector<RingFileSeen> TakeNew(bool forced);
  // Unlinks the file unless another has taken its name since.
  void Remove(const RingFileSeen& file);

  int64_t strange_files() const { return static_cast<int64_t>(strange_.size()); }
  // The most that were there at once without being followed.
  int64_t files_beyond_limit() const { return beyond_limit_; }

 private:
  bool TakeNotices();
  void Inspect(const std::string& name, std::vector<RingFileSeen>& found);

  UniqueFd folder_;
  UniqueFd notify_;
  std::map<std::string, ino_t> seen_;
  std::map<std::string, int> strange_;
  int64_t beyond_limit_ = 0;
  int64_t beyond_limit_now_ = 0;
};

}  // namespace steptrace::agent
