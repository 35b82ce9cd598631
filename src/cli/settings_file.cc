// SPDX-License-Identifier: Apache-2.0
#include "cli/settings_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/unique_fd.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadBytes = 64 << 10;

Error CannotUse(const fs::path& file, std::string_view cause) {
  return Error{fmt::format("{}: {}", file.string(), cause), "correct or remove the file"};
}

// By which a shell says "none".
bool IsNullDevice(const struct stat& facts) {
  constexpr unsigned kMajor = 1, kMinor = 3;  // Documentation/admin-guide/devices.txt of Linux
  return S_ISCHR(facts.st_mode) && facts.st_rdev == makedev(kMajor, kMinor);
}

Status CheckKind(const fs::path& file, const struct stat& facts) {
  if (S_ISDIR(facts.st_mode)) return CannotUse(file, "is a folder and no file of settings");
  if (!S_ISREG(facts.st_mode)) return CannotUse(file, "is a pipe or a device and no regular file");
  return {};
}

Result<std::string> ReadBounded(const fs::path& file, int fd) {
  std::string text;
  for (;;) {
    const size_t had = text.size();
    text.resize(had + kReadBytes);
    const ssize_t got = ::read(fd, text.data() + had, kReadBytes);
    text.resize(had + static_cast<size_t>(got > 0 ? got : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotUse(file, std::string("cannot be read: ") + std::strerror(errno));
    if (got == 0) return text;
    if (text.size() > static_cast<size_t>(kMaxSettingsBytes)) {
      return CannotUse(file, fmt::format("has over {} MiB, more than settings may have",
                                         kMaxSettingsBytes >> 20));
    }
  }
}

}  // namespace

Result<std::optional<std::string>> ReadSettingsFile(const fs::path& file, SettingsNeed need) {
  struct stat facts {};
  // Asked before it is opened: opening a device or a pipe may already do something to it.
  if (::stat(file.c_str(), &facts) != 0) {
    const int error = errno;
    struct stat link {};
    const bool is_link = ::lstat(file.c_str(), &link) == 0;
    if (!is_link && need == SettingsNeed::kMayBeAbsent) return std::optional<std::string>();
    if (is_link && error == ENOENT) return CannotUse(file, "is a link to nothing");
    return CannotUse(file, std::string("cannot be read: ") + std::strerror(error));
  }
  if (IsNullDevice(facts)) return std::optional<std::string>("");
  STEPTRACE_RETURN_IF_ERROR(CheckKind(file, facts));
  // It may have become a pipe since.
  UniqueFd fd(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!fd.valid() && errno == ENOENT && need == SettingsNeed::kMayBeAbsent) {
    return std::optional<std::string>();
  }
  if (!fd.valid() || ::fstat(fd.get(), &facts) != 0) {
    return CannotUse(file, std::string("cannot be read: ") + std::strerror(errno));
  }
  STEPTRACE_RETURN_IF_ERROR(CheckKind(file, facts));
  STEPTRACE_ASSIGN_OR_RETURN(std::string text, ReadBounded(file, fd.get()));
  return std::optional<std::string>(std::move(text));
}

}  // namespace steptrace::cli
