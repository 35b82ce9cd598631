// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/pending_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOtherPlace = "name a place that can be written";
constexpr int kMostLinks = 40;  // as the kernel follows

// The descriptor of ours that a path names by /proc/self/fd, which /dev/stdout leads to.
std::optional<int> OwnDescriptor(const fs::path& path) {
  std::error_code failed;
  const fs::path folder = fs::canonical(path.parent_path(), failed);
  if (failed || folder != fmt::format("/proc/{}/fd", ::getpid())) return std::nullopt;
  const std::string name = path.filename();
  int number = -1;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// The end of a path's links, which need not be there; or the descriptor of ours that it leads to.
struct LinkEnd {
  fs::path path;
  std::optional<int> descriptor;
};

// Whether another user may have put a link there to have something of ours written over. The kernel
// refuses to follow those (fs.protected_symlinks), but we follow by ourselves.
bool MayBePlanted(const fs::path& link) {
  constexpr mode_t kShared = S_ISVTX | S_IWOTH;
  struct stat facts {};
  struct stat folder {};
  const fs::path parent = link.has_parent_path() ? link.parent_path() : ".";
  if (::lstat(link.c_str(), &facts) != 0 || ::stat(parent.c_str(), &folder) != 0) return true;
  const bool shared = (folder.st_mode & kShared) == kShared;
  return shared && facts.st_uid != ::geteuid() && facts.st_uid != folder.st_uid;
}

Result<LinkEnd> Follow(const fs::path& destination) {
  LinkEnd end{destination, OwnDescriptor(destination)};
  for (int links = 0; !end.descriptor; ++links) {
    std::error_code failed;
    if (!fs::is_symlink(fs::symlink_status(end.path, failed))) return end;
    if (links == kMostLinks) {
      errno = ELOOP;
      return OsError(destination, kOtherPlace);
    }
    if (MayBePlanted(end.path)) {
      errno = EACCES;
      return OsError(destination, kOtherPlace);
    }
    end.path = end.path.parent_path() / fs::read_symlink(end.path, failed);
    if (failed) {
      errno = failed.value();
      return OsError(destination, kOtherPlace);
    }
    end.descriptor = OwnDescriptor(end.path);
  }
  return end;
}

}  // namespace

// A list that a handler of signals walks while others add to it: nodes stay, and do not change but
// for the mark.
struct PendingFile::Listed {
  std::string path;
  Listed* next = nullptr;
  std::atomic<bool> is_pending{true};
};

namespace {
std::atomic<void*> g_newest{nullptr};
static_assert(std::atomic<void*>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
}  // namespace

PendingFile::Listed* PendingFile::List(std::string path) {
  auto* listed = new Listed{std::move(path)};
  void* newest = g_newest.load(std::memory_order_relaxed);
  do {
    listed->next = static_cast<Listed*>(newest);
  } while (!g_newest.compare_exchange_weak(newest, listed, std::memory_order_release));
  return listed;
}

const PendingFile::Listed* PendingFile::NewestListed() {
  return static_cast<const Listed*>(g_newest.load(std::memory_order_acquire));
}

void UnlinkPendingFiles() {
  const int kept = errno;
  for (const auto* one = PendingFile::NewestListed(); one != nullptr; one = one->next) {
    if (!one->is_pending.load(std::memory_order_relaxed)) continue;
    // A folder, which was listed before what lies in it; it stays where that is more.
    if (::unlink(one->path.c_str()) != 0 && errno == EISDIR) ::rmdir(one->path.c_str());
  }
  errno = kept;
}

Error OsError(const fs::path& thing, std::string_view next_step) {
  return Error{fmt::format("{}: {}", thing.string(), std::strerror(errno)), std::string(next_step)};
}

Error PartlyDone(const Error& error, size_t done, size_t of) {
  if (of < 2) return error;
  const std::string state =
      fmt::format("{} of {} files are new, the others as they were", done, of);
  return Error{error.cause, error.next_step.empty() ? state : error.next_step + "; " + state,
               error.kind};
}

namespace {

std::atomic<int> g_held{0};  // the signal that came first; a handler can reach nothing else
static_assert(std::atomic<int>::is_always_lock_free);

void Hold(int signal) {
  int none = 0;
  g_held.compare_exchange_strong(none, signal, std::memory_order_relaxed);
}

}  // namespace

HeldSignals::HeldSignals() {
  g_held.store(0, std::memory_order_relaxed);
  handlers_.emplace(Hold, SA_RESTART);
}

HeldSignals::~HeldSignals() {
  handlers_.reset();
  if (const int held = g_held.load(std::memory_order_relaxed); held != 0) ::raise(held);
}

Result<PendingFile> PendingFile::Create(const fs::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(LinkEnd end, Follow(destination));
  struct stat facts {};
  const bool is_there = !end.descriptor && ::stat(end.path.c_str(), &facts) == 0;
  if (is_there && S_ISDIR(facts.st_mode)) {
    return Error{fmt::format("{}: is a folder", destination.string()), "name a file"};
  }
  if (end.descriptor || (is_there && !S_ISREG(facts.st_mode))) {
    UniqueFd fd(end.descriptor ? ::fcntl(*end.descriptor, F_DUPFD_CLOEXEC, 0)
                               : ::open(end.path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
    if (!fd.valid()) return OsError(destination, kOtherPlace);
    return PendingFile(destination, std::move(fd));
  }
  const std::string pending = fmt::format("{}.{}.partial", end.path.string(), ::getpid());
  // Listed before it is there: a signal that comes as soon as it is must find it.
  Listed* listed = List(pending);
  UniqueFd fd(::open(pending.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!fd.valid()) {
    listed->is_pending.store(false, std::memory_order_relaxed);
    return OsError(destination, kOtherPlace);
  }
  PendingFile file(destination, std::move(fd));
  file.end_ = std::move(end.path);
  file.pending_ = listed;
  return file;
}

Result<OutputFolder> OutputFolder::Make(const fs::path& folder) {
  std::error_code error;
  const bool was_there = fs::exists(folder, error);
  fs::create_directories(folder, error);
  if (error) {
    return Error{fmt::format("{}: {}", folder.string(), error.message()),
                 "name a folder that can be written with -o"};
  }
  if (was_there) return OutputFolder("");
  PendingFile::List(folder.string());
  return OutputFolder(folder.string());
}

OutputFolder::OutputFolder(OutputFolder&& other) noexcept : made_(std::exchange(other.made_, {})) {}

OutputFolder::~OutputFolder() {
  if (!made_.empty()) ::rmdir(made_.c_str());
}

PendingFile::PendingFile(PendingFile&& other) noexcept
    : destination_(std::move(other.destination_)),
      end_(std::move(other.end_)),
      pending_(std::exchange(other.pending_, nullptr)),
      fd_(std::move(other.fd_)) {}

PendingFile::~PendingFile() {
  if (pending_ == nullptr) return;
  ::unlink(pending_->path.c_str());
  pending_->is_pending.store(false, std::memory_order_relaxed);
}

Status PendingFile::Close() {
  if (fd_.valid() && ::close(fd_.release()) != 0) {
    return OsError(destination_, "make room or name another place");
  }
  return {};
}

Status PendingFile::Commit() {
  STEPTRACE_RETURN_IF_ERROR(Close());
  if (pending_ == nullptr) return {};
  if (::rename(pending_->path.c_str(), end_.c_str()) != 0) {
    return OsError(destination_, "make room or name another place");
  }
  pending_->is_pending.store(false, std::memory_order_relaxed);
  pending_ = nullptr;
  return {};
}

}  // namespace steptrace::rpc
