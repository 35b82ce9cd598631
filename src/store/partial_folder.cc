// SPDX-License-Identifier: Apache-2.0
#include "store/partial_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLock = "lock";
constexpr const char* kFreshLock = "lock.fresh";  // until it is held
constexpr std::string_view kEnding = ".partial";

Error Refused(const fs::path& place, const std::string& cause) {
  return Error{fmt::format("{}: {}", place.string(), cause), "give another folder with -o"};
}

// The process in a name as PartialFolder makes them.
std::optional<pid_t> ProcessIn(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return std::nullopt;
  name.remove_suffix(kEnding.size());
  size_t dot = name.rfind('.');
  if (dot == 0 || dot == std::string_view::npos) return std::nullopt;
  std::string_view number = name.substr(dot + 1);
  pid_t pid = 0;
  auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), pid);
  bool sound = error == std::errc() && end == number.data() + number.size() && pid > 0;
  return sound ? std::optional<pid_t>(pid) : std::nullopt;
}

// Whether nobody makes a run in it. Where there is no lock (its maker is about to take it) and on a
// file system that has none, the number of the process decides.
bool IsLeftOver(const fs::path& folder, pid_t pid) {
  struct stat facts {};
  if (::lstat(folder.c_str(), &facts) != 0) return false;
  if (!S_ISDIR(facts.st_mode) || facts.st_uid != ::geteuid()) return false;
  UniqueFd lock(::open((folder / kLock).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  bool locks = false;
  if (lock.valid()) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return true;
    locks = errno == EWOULDBLOCK;
  } else {
    locks = errno != ENOENT;  // it cannot be told
  }
  return !locks && ::kill(pid, 0) != 0 && errno == ESRCH;
}

void RemoveLeftOvers(const fs::path& parent) {
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    auto pid = ProcessIn(it->path().filename().string());
    std::error_code ignored;
    if (pid && IsLeftOver(it->path(), *pid)) fs::remove_all(it->path(), ignored);
  }
}

}  // namespace

Result<PartialFolder> PartialFolder::Make(const fs::path& output, mode_t mode) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(output, error))) {
    return Error{output.string() + ": exists already", "give another folder with -o"};
  }
  fs::path parent = output.has_parent_path() ? output.parent_path() : fs::path(".");
  fs::create_directories(parent, error);
  if (error) return Refused(parent, error.message());
  RemoveLeftOvers(parent);
  fs::path path = parent / fmt::format(".{}.{}{}", output.filename().string(), ::getpid(), kEnding);
  fs::remove_all(path, error);
  if (::mkdir(path.c_str(), mode) != 0) return Refused(parent, std::strerror(errno));
  // A lock that is there and not held would say that its maker has died.
  const fs::path fresh = path / kFreshLock;
  UniqueFd lock(::open(fresh.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (lock.valid()) (void)::flock(lock.get(), LOCK_EX | LOCK_NB);
  if (!lock.valid() || ::rename(fresh.c_str(), (path / kLock).c_str()) != 0) {
    int cause = errno;
    fs::remove_all(path, error);
    return Refused(parent, std::strerror(cause));
  }
  return PartialFolder(std::move(path), std::move(lock));
}

PartialFolder::~PartialFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

// rename(2) does not replace a folder that holds something.
Status PartialFolder::MoveTo(const fs::path& output) {
  ::unlink((path_ / kLock).c_str());
  if (::rename(path_.c_str(), output.c_str()) != 0) return Refused(output, std::strerror(errno));
  path_.clear();
  return {};
}

}  // namespace steptrace::store
