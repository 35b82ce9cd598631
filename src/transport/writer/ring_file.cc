// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/ring_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "transport/writer/fixed_text.h"
#include "wire/ring_layout.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace steptrace::transport {
namespace {

// An image that replaced itself by exec finds the names of the images before it taken.
constexpr uint32_t kMaxImagesPerProcess = 100;

// fstat() of glibc carries version 2.33; the system call is the same everywhere.
bool Stat(int fd, struct stat* out) {
  return syscall(SYS_fstat, fd, out) == 0;
}

// A folder that others can write is a place where others choose what we map.
const char* CheckFolder(int dir_fd) {
  struct stat info;
  if (!Stat(dir_fd, &info)) return "the ring folder cannot be examined";
  if (!S_ISDIR(info.st_mode)) return "STEPTRACE_RING_DIR is not a folder";
  if (info.st_uid != geteuid()) return "the ring folder belongs to another user";
  if ((info.st_mode & 077) != 0) return "the ring folder is open to other users";
  return nullptr;
}

// Growing a file over the limit would end the host by SIGXFSZ.
bool LimitAllows(uint64_t bytes) {
  rlimit limit;
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur >= bytes;
}

int CreateNew(int dir_fd, const char* name) {
  return openat(dir_fd, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
}

}  // namespace

const char* RingFile::Create(const char* dir, uint64_t start_time_ticks, uint64_t bytes) {
  if (!LimitAllows(bytes)) return "RLIMIT_FSIZE is below the size of a ring file";
  const int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (dir_fd < 0) return "the ring folder cannot be opened";
  const char* failure = CheckFolder(dir_fd);
  int fd = -1;
  for (uint32_t image = 0; failure == nullptr && fd < 0; ++image) {
    if (!NameFile(dir, start_time_ticks, image, ".ring")) {
      failure = "the path of the ring folder is too long";
    } else if ((fd = CreateNew(dir_fd, path_ + name_offset_)) < 0 &&
               (errno != EEXIST || image == kMaxImagesPerProcess)) {
      failure = "the ring file cannot be created";
    }
  }
  if (failure == nullptr) failure = MapNew(fd, bytes);
  if (fd >= 0) {
    close(fd);
    if (failure != nullptr) unlinkat(dir_fd, path_ + name_offset_, 0);
  }
  if (failure != nullptr && base_ == nullptr && errno == ENOSPC &&
      NameFile(dir, start_time_ticks, 0, ".no_space")) {
    // An empty file takes no memory: its name is all that can still be said.
    const int marker = CreateNew(dir_fd, path_ + name_offset_);
    if (marker >= 0) close(marker);
  }
  close(dir_fd);
  return failure;
}

bool RingFile::NameFile(const char* dir, uint64_t start_time_ticks, uint32_t image,
                        const char* suffix) {
  FixedText path(path_, sizeof path_);
  path.Add(dir).Add("/");
  name_offset_ = path.size();
  path.Add(static_cast<uint64_t>(getpid())).Add(".").Add(start_time_ticks);
  if (image > 0) path.Add(".").Add(uint64_t{image});
  path.Add(suffix);
  return !path.cut();
}

const char* RingFile::MapNew(int fd, uint64_t bytes) {
  struct stat info;
  if (!Stat(fd, &info) || ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    return "the ring file cannot be sized";
  }
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
  if (base == MAP_FAILED) return "the ring file cannot be mapped";
  madvise(base, bytes, MADV_DONTDUMP);  // core dumps are the host's
  base_ = static_cast<uint8_t*>(base);
  bytes_ = bytes;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  if (Commit(0, wire::kControlOffset + wire::kMaxRings * sizeof(wire::RingControl))) return nullptr;
  Unmap();
  errno = ENOSPC;
  return "no memory for the ring file";
}

bool RingFile::Commit(uint64_t offset, uint64_t bytes) {
  if (offset + bytes > bytes_) return false;
  if (madvise(base_ + offset, bytes, MADV_POPULATE_WRITE) == 0) return true;
  return errno == EINVAL && AllocateByPath(offset, bytes);
}

// Before Linux 5.14, and where a sandbox does not know the advice.
bool RingFile::AllocateByPath(uint64_t offset, uint64_t bytes) {
  const int fd = open(path_, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return false;
  struct stat info;
  const bool ours = Stat(fd, &info) && info.st_dev == device_ && info.st_ino == inode_;
  const bool done =
      ours && posix_fallocate(fd, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
  close(fd);
  return done;
}

void RingFile::Touch() const {
  utimensat(AT_FDCWD, path_, nullptr, AT_SYMLINK_NOFOLLOW);
}

void RingFile::Unmap() {
  if (base_ != nullptr) munmap(base_, bytes_);
  base_ = nullptr;
  bytes_ = 0;
}

}  // namespace steptrace::transport
