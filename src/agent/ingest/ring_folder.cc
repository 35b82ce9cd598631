// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/ring_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "agent/capture/capture_port.h"
#include "agent/ingest/hooks_marks.h"
#include "agent/system/process.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

constexpr long kTmpfsMagic = 0x01021994;
// A younger folder may be one that is just being made: its lock is not there yet, or not yet taken.
constexpr time_t kMayBeStaleAfterSeconds = 60;

uint64_t FreeBytes(const fs::path& path) {
  struct statfs info {};
  if (statfs(path.c_str(), &info) != 0) return 0;
  return static_cast<uint64_t>(info.f_bavail) * static_cast<uint64_t>(info.f_bsize);
}

bool IsTmpfs(const fs::path& path) {
  struct statfs info {};
  return statfs(path.c_str(), &info) == 0 && info.f_type == kTmpfsMagic;
}

// A folder of ours that nobody else can enter: made, or found and checked.
Status MakePrivateFolder(const fs::path& path) {
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return Error{path.string() + ": " + strerror(errno),
                 "name another place by --shm or STEPTRACE_SHM"};
  }
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & 077) != 0) {
    return Error{path.string() + ": not a folder that is ours alone",
                 "remove it or name another by --shm or STEPTRACE_SHM"};
  }
  return {};
}

fs::path UserFolder(const fs::path& shm) {
  return shm / ("steptrace-" + std::to_string(geteuid()));
}

Result<RingFolder> MakeIn(const fs::path& shm, const std::string& run_id) {
  RingFolder folder;
  folder.path = UserFolder(shm) / run_id;
  folder.in_shm = IsTmpfs(shm);
  // The last run of this user that ends takes the outer folder with it, maybe right now.
  constexpr int kTries = 20;
  Status made;
  for (int i = 0; i < kTries; ++i) {
    made = MakePrivateFolder(UserFolder(shm));
    if (made.ok()) made = MakePrivateFolder(folder.path);
    if (made.ok()) break;
  }
  STEPTRACE_RETURN_IF_ERROR(made);
  const fs::path lock = folder.path / kLockName;
  folder.lock = UniqueFd(open(lock.c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!folder.lock.valid() || flock(folder.lock.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error{lock.string() + ": " + strerror(errno),
                 "name another place by --shm or STEPTRACE_SHM"};
  }
  return folder;
}

template <class Visit>
void ForEachEntry(const fs::path& folder, Visit visit) {
  DIR* entries = opendir(folder.c_str());
  if (entries == nullptr) return;
  while (dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") visit(name);
  }
  closedir(entries);
}

bool HasLiveProcess(const fs::path& folder) {
  bool alive = false;
  ForEachEntry(folder, [&](const std::string& name) {
    auto ring = ParseRingFileName(name);
    if (ring) alive |= IsAlive(ring->pid, ring->start_time_ticks);
  });
  return alive;
}

bool IsStale(const fs::path& folder) {
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode) || info.st_uid != geteuid()) {
    return false;
  }
  UniqueFd lock(open((folder / kLockName).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  // Of a lock its maker's time, for the folder's changes with every process; and a young one is not
  // even tried, or its maker would find it taken.
  if (lock.valid() && fstat(lock.get(), &info) != 0) return false;
  if (time(nullptr) - info.st_mtime < kMayBeStaleAfterSeconds) return false;
  if (lock.valid() && flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return false;
  return !HasLiveProcess(folder);
}

template <class Number>
bool TakeNumber(std::string_view& text, Number& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool TakeText(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

}  // namespace

std::vector<fs::path> ShmCandidates(const fs::path& wished, const fs::path& run_dir) {
  if (!wished.empty()) return {wished};
  const char* tmp = getenv("TMPDIR");
  return {"/dev/shm", tmp != nullptr && tmp[0] == '/' ? tmp : "/tmp", run_dir};
}

Result<RingFolder> MakeRingFolder(const std::vector<fs::path>& candidates,
                                  const std::string& run_id) {
  const fs::path* chosen = nullptr;
  uint64_t chosen_free = 0;
  for (const fs::path& candidate : candidates) {
    const uint64_t free = FreeBytes(candidate);
    if (!MakePrivateFolder(UserFolder(candidate)).ok()) continue;
    if (chosen == nullptr || free > chosen_free) {
      chosen = &candidate;
      chosen_free = free;
    }
    if (free >= kMinFreeBytes) break;
  }
  for (const fs::path& candidate : candidates) {
    if (&candidate != chosen) rmdir(UserFolder(candidate).c_str());
  }
  // With no good one, the first one's error is the one to show.
  return MakeIn(chosen != nullptr ? *chosen : candidates.front(), run_id);
}

bool IsOwnFile(std::string_view name) {
  return name == kLockName || name == kCapturePortName || ParseHooksMark(name).has_value();
}

void RemoveRingFolder(const fs::path& folder) {
  ForEachEntry(folder, [&](const std::string& name) {
    if (IsOwnFile(name) || ParseRingFileName(name)) unlink((folder / name).c_str());
  });
  rmdir(folder.c_str());
  rmdir(folder.parent_path().c_str());  // only succeeds for the last run of this user
}

int SweepStaleRingFolders(const fs::path& folder) {
  int swept = 0;
  ForEachEntry(folder.parent_path(), [&](const std::string& name) {
    const fs::path other = folder.parent_path() / name;
    if (other == folder || !IsStale(other)) return;
    RemoveRingFolder(other);
    ++swept;
  });
  return swept;
}

std::optional<RingFileName> ParseRingFileName(std::string_view name) {
  RingFileName parsed;
  if (!TakeNumber(name, parsed.pid) || parsed.pid <= 0 || !TakeText(name, ".")) return std::nullopt;
  if (!TakeNumber(name, parsed.start_time_ticks)) return std::nullopt;
  if (name == ".ring") return parsed;
  parsed.no_space = name == ".no_space";
  if (parsed.no_space) return parsed;
  uint32_t incarnation = 0;
  const bool numbered = TakeText(name, ".") && TakeNumber(name, incarnation) && name == ".ring";
  return numbered ? std::optional(parsed) : std::nullopt;
}

}  // namespace steptrace::agent
