// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/process_memory.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>

namespace steptrace::agent {
namespace {

constexpr size_t kPiecesOfACall = 256;  // of the kernel's 1,024

ReadOutcome OutcomeOf(int error) {
  if (error == ESRCH) return ReadOutcome::kGone;
  if (error == EPERM || error == EACCES) return ReadOutcome::kForbidden;
  if (error == ENOSYS) return ReadOutcome::kUnsupported;
  return ReadOutcome::kFault;
}

}  // namespace

ReadOutcome LiveMemory::Read(std::span<const MemoryPiece> pieces) {
  iovec local[kPiecesOfACall];
  iovec remote[kPiecesOfACall];
  while (!pieces.empty()) {
    const size_t count = std::min(pieces.size(), kPiecesOfACall);
    size_t bytes = 0;
    for (size_t i = 0; i < count; ++i) {
      local[i] = {pieces[i].into, pieces[i].bytes};
      remote[i] = {reinterpret_cast<void*>(pieces[i].address), pieces[i].bytes};
      bytes += pieces[i].bytes;
    }
    const ssize_t got = process_vm_readv(pid_, local, count, remote, count, 0);
    if (got < 0) return OutcomeOf(errno);
    if (static_cast<size_t>(got) != bytes) return ReadOutcome::kFault;
    pieces = pieces.subspan(count);
  }
  return ReadOutcome::kOk;
}

}  // namespace steptrace::agent
