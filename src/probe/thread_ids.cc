// SPDX-License-Identifier: Apache-2.0
#include "probe/thread_ids.h"

#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "transport/writer/fixed_text.h"
#include "transport/writer/process_facts.h"

namespace steptrace::probe {
namespace {

namespace t = transport;

// Of glibc's struct pthread, in which a thread keeps its own id.
constexpr int32_t kThreadBytes = 2304;
// … and its address: among the first words.
constexpr int32_t kSelfBytes = 64;
// Of /proc/self/maps: a process with PyTorch and CUDA has some 3,000 lines of 100 bytes.
constexpr size_t kMostOfMaps = 8 << 20;

// Reads what may not be there; false: it is not, or that is forbidden.
bool ReadOwn(uint64_t address, void* out, size_t bytes) {
  iovec to{out, bytes};
  iovec from{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
}

bool IsOurThread(int32_t tid) {
  char path[64];
  t::FixedText(path, sizeof path)
      .Add("/proc/self/task/")
      .Add(static_cast<uint64_t>(tid < 0 ? 0 : tid));
  return tid > 0 && access(path, F_OK) == 0;
}

// Where `what` stands among the bytes; -1: nowhere.
int32_t Find(const unsigned char* bytes, int32_t from, int32_t to, const void* what, int32_t size) {
  for (int32_t at = from; at + size <= to; at += size) {
    if (memcmp(bytes + at, what, static_cast<size_t>(size)) == 0) return at;
  }
  return -1;
}

// The rangees of memory that may be written, one after the other: "7f00-7f01 rw-p …" a line.
class Maps {
 public:
  Maps() : fd_(open("/proc/self/maps", O_RDONLY | O_CLOEXEC)) {}
  ~Maps() {
    if (fd_ >= 0) close(fd_);
  }
  Maps(const Maps&) = delete;
  Maps& operator=(const Maps&) = delete;

  bool Next(uint64_t* begin, uint64_t* end) {
    for (char c = 0;;) {
      if (!Hex('-', begin) || !Hex(' ', end)) return false;
      const bool readable = Char(&c) && c == 'r';
      const bool writable = Char(&c) && c == 'w';
      do {
        if (!Char(&c)) return false;
      } while (c != '\n');
      if (readable && writable) return true;
    }
  }

 private:
  bool Char(char* c) {
    if (at_ == filled_) {
      const ssize_t got = fd_ >= 0 && total_ < kMostOfMaps ? read(fd_, bytes_, sizeof bytes_) : 0;
      if (got <= 0) return false;
      at_ = 0;
      filled_ = static_cast<size_t>(got);
      total_ += filled_;
    }
    *c = bytes_[at_++];
    return true;
  }
  bool Hex(char stop, uint64_t* value) {
    *value = 0;
    for (char c = 0; Char(&c);) {
      if (c == stop) return true;
      const char* digits = "0123456789abcdef";
      const char* digit = strchr(digits, c);
      if (digit == nullptr || c == 0) return false;
      *value = *value << 4 | static_cast<uint64_t>(digit - digits);
    }
    return false;
  }

  int fd_;
  size_t at_ = 0, filled_ = 0, total_ = 0;
  char bytes_[2048];
};

}  // namespace

void ThreadIds::Learn() {
  self_offset_ = id_offset_ = 0;
  const auto self = static_cast<uint64_t>(pthread_self());
  const int32_t id = t::ThreadId();
  unsigned char thread[kThreadBytes];
  if (!ReadOwn(self, thread, sizeof thread)) return;
  const int32_t self_at = Find(thread, 0, kSelfBytes, &self, sizeof self);
  const int32_t id_at = Find(thread, sizeof id, kThreadBytes, &id, sizeof id);
  if (self_at < 0 || id_at < 0) return;
  self_offset_ = self_at;
  id_offset_ = id_at;
}

int32_t ThreadIds::At(uint64_t address) const {
  uint64_t self = 0;
  int32_t id = 0;
  const bool is_thread =
      ReadOwn(address + static_cast<uint64_t>(self_offset_), &self, sizeof self) &&
      self == address && ReadOwn(address + static_cast<uint64_t>(id_offset_), &id, sizeof id) &&
      IsOurThread(id);
  return is_thread ? id : 0;
}

int32_t ThreadIds::Of(uint32_t lower_half) const {
  if (id_offset_ == 0) return 0;
  // Near this thread's, as stacks often are.
  const uint64_t upper = static_cast<uint64_t>(pthread_self()) >> 32;
  if (const int32_t id = At(upper << 32 | lower_half); id != 0) return id;
  Maps maps;
  for (uint64_t begin = 0, end = 0; maps.Next(&begin, &end);) {
    uint64_t address = (begin & ~uint64_t{0xFFFFFFFF}) | lower_half;
    if (address < begin) address += uint64_t{1} << 32;
    // A range of over 4 GiB has several such places: no stack is as large.
    if (address < begin || address >= end) continue;
    if (const int32_t id = At(address); id != 0) return id;
  }
  return 0;
}

}  // namespace steptrace::probe
