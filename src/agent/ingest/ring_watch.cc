// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/ring_watch.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "agent/capture/capture_port.h"
#include "agent/ingest/ring_folder.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMaxStrangeNames = 1024;

}  // namespace

Result<RingWatch> RingWatch::Open(const std::filesystem::path& folder) {
  RingWatch watch;
  watch.folder_ = UniqueFd(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!watch.folder_.valid()) {
    return Error{folder.string() + ": " + strerror(errno),
                 "the folder of rings must stay while the run lives"};
  }
  watch.notify_ = UniqueFd(inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  // IN_ATTRIB: a writer that has much to say touches its file.
  const uint32_t events = IN_CREATE | IN_MOVED_TO | IN_ATTRIB | IN_ONLYDIR;
  if (watch.notify_.valid() && inotify_add_watch(watch.notify_.get(), folder.c_str(), events) < 0) {
    watch.notify_.reset();
  }
  return watch;
}

bool RingWatch::TakeNotices() {
  if (!notify_.valid()) return false;
  alignas(inotify_event) char buffer[4096];
  bool any = false;
  while (read(notify_.get(), buffer, sizeof buffer) > 0) any = true;
  return any;
}

std::vector<RingFileSeen> RingWatch::TakeNew(bool forced) {
  std::vector<RingFileSeen> found;
  if (!TakeNotices() && !forced) return found;
  const int listed = openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* entries = listed >= 0 ? fdopendir(listed) : nullptr;
  if (entries == nullptr) {
    if (listed >= 0) close(listed);
    return found;
  }
  beyond_limit_now_ = 0;
  while (dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != ".." && !IsOwnFile(name)) Inspect(name, found);
  }
  closedir(entries);
  beyond_limit_ = std::max(beyond_limit_, beyond_limit_now_);
  return found;
}

void RingWatch::Inspect(const std::string& name, std::vector<RingFileSeen>& found) {
  auto parts = ParseRingFileName(name);
  if (!parts) {
    if (strange_.size() < kMaxStrangeNames) strange_.emplace(name, 0);
    return;
  }
  struct stat info {};
  if (fstatat(folder_.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  auto known = seen_.find(name);
  if (known != seen_.end() && known->second == info.st_ino) return;
  if (known == seen_.end() && seen_.size() >= kMaxFiles) {
    ++beyond_limit_now_;
    return;
  }
  seen_[name] = info.st_ino;
  found.push_back({name, *parts, info.st_ino});
}

void RingWatch::Remove(const RingFileSeen& file) {
  struct stat info {};
  if (fstatat(folder_.get(), file.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
      info.st_ino == file.inode) {
    unlinkat(folder_.get(), file.name.c_str(), 0);
  }
  seen_.erase(file.name);
}

}  // namespace steptrace::agent
