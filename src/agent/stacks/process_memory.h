// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace steptrace::agent {

// So many bytes of another process from an address on, and where their copy goes.
struct MemoryPiece {
  uint64_t address = 0;
  std::byte* into = nullptr;
  size_t bytes = 0;
};

enum class ReadOutcome {
  kOk,
  kFault,        // something of it is not mapped there
  kGone,         // no such process
  kForbidden,    // rights are missing
  kUnsupported,  // the kernel, or a filter before it, has no such call
};

// Memory of another process, which goes on while it is read.
class ProcessMemory {
 public:
  virtual ~ProcessMemory() = default;
  // All pieces or a failure, after which the copies hold anything. The pieces are copied one after
  // the other, not at one moment.
  virtual ReadOutcome Read(std::span<const MemoryPiece> pieces) = 0;
};

// By process_vm_readv: needs the rights of a debugger and stops nobody.
class LiveMemory : public ProcessMemory {
 public:
  explicit LiveMemory(int32_t pid) : pid_(pid) {}
  ReadOutcome Read(std::span<const MemoryPiece> pieces) override;

 private:
  int32_t pid_;
};

// One plain value.
template <class Value>
ReadOutcome ReadValue(ProcessMemory& memory, uint64_t address, Value& value) {
  const MemoryPiece piece{address, reinterpret_cast<std::byte*>(&value), sizeof(Value)};
  return memory.Read({&piece, 1});
}

}  // namespace steptrace::agent
