// SPDX-License-Identifier: Apache-2.0
#include "store/watched_calls.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

namespace {

std::mutex g_mutex;
std::vector<std::string>* g_calls = nullptr;  // null: nobody watches
std::atomic<int> g_left = 0;                  // calls until the one that kills; 0: none does

const char** g_died_in = nullptr;

void BeforeCall(const char* name) {
  if (g_left.load() <= 0 || g_left.fetch_sub(1) != 1) return;
  if (g_died_in != nullptr) *g_died_in = name;
  _exit(steptrace::store::kDiedInCall);
}

void Note(const std::string& call) {
  std::lock_guard lock(g_mutex);
  if (g_calls != nullptr) g_calls->push_back(call);
}

void NoteSync(int fd) {
  char path[4096];
  const ssize_t length =
      readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), path, sizeof path);
  if (length > 0) Note("sync " + std::string(path, static_cast<size_t>(length)));
}

int Done(const char* what, const char* path, long result) {
  if (result == 0) Note(std::string(what) + " " + path);
  return static_cast<int>(result);
}

}  // namespace

// Seen by other libraries, which call them too: std::filesystem is in one.
#define STEPTRACE_WATCHED extern "C" __attribute__((visibility("default"), used))

STEPTRACE_WATCHED int fsync(int fd) {
  BeforeCall("fsync");
  const auto done = static_cast<int>(syscall(SYS_fsync, fd));
  if (done == 0) NoteSync(fd);
  return done;
}
STEPTRACE_WATCHED int fdatasync(int fd) {
  BeforeCall("fdatasync");
  const auto done = static_cast<int>(syscall(SYS_fdatasync, fd));
  if (done == 0) NoteSync(fd);
  return done;
}
STEPTRACE_WATCHED int link(const char* from, const char* to) noexcept {
  BeforeCall("link");
  return Done("link", to, syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0));
}
STEPTRACE_WATCHED int rename(const char* from, const char* to) noexcept {
  BeforeCall("rename");
  return Done("rename", to, syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}
STEPTRACE_WATCHED int unlink(const char* path) noexcept {
  BeforeCall("unlink");
  return Done("remove", path, syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}
STEPTRACE_WATCHED int rmdir(const char* path) noexcept {
  BeforeCall("rmdir");
  return Done("remove", path, syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}
STEPTRACE_WATCHED int unlinkat(int folder, const char* path, int flags) noexcept {
  BeforeCall("unlinkat");
  return Done("remove", path, syscall(SYS_unlinkat, folder, path, flags));
}
// What std::filesystem removes with.
STEPTRACE_WATCHED int remove(const char* path) noexcept {
  BeforeCall("remove");
  if (syscall(SYS_unlinkat, AT_FDCWD, path, 0) == 0) return Done("remove", path, 0);
  return Done("remove", path, syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}
STEPTRACE_WATCHED int mkdir(const char* path, mode_t mode) noexcept {
  BeforeCall("mkdir");
  return Done("mkdir", path, syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

namespace steptrace::store {

void WatchCalls(std::vector<std::string>* calls) {
  std::lock_guard lock(g_mutex);
  g_calls = calls;
}

void DieInsteadOfCall(int number, const char** died_in) {
  g_died_in = died_in;
  g_left = number;
}

}  // namespace steptrace::store
