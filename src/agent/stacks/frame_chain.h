// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/stacks/memory_copy.h"
#include "agent/stacks/python_layout.h"

namespace steptrace::agent {

struct FrameSeen {
  uint64_t frame = 0;  // its address
  uint64_t code = 0;   // of its code object
  uint64_t instruction = 0;

  bool operator==(const FrameSeen&) const = default;
};

// A stack as it was found in a copy of memory, innermost frame first.
struct FrameChain {
  // Beyond it the outer frames are left out: recursion that deep is cut off anyway to be shown.
  static constexpr size_t kMaxFrames = 256;
  // With the interpreter's own frames between; more is a cycle or damage.
  static constexpr size_t kMaxSteps = 4 * kMaxFrames;

  std::vector<FrameSeen> frames;
  std::vector<uint64_t>
      visited;        // addresses of all frames, also of those without code of their own
  bool cut = false;   // outer frames were left out
  bool open = false;  // so were inner ones: the thread went on while they were read
  // What the innermost frame of those that are kept called, of the frames that are not.
  std::optional<FrameSeen> called;

  // The same frames of the same code, at the same instruction but for the innermost, which runs.
  bool SameAs(const FrameChain& other) const;
  // How many outer frames both have; in the innermost of them they may be at different
  // instructions. 0 where outer frames were left out.
  size_t CallersSharedWith(const FrameChain& other) const;
  void KeepOuter(size_t count);
};

struct ChainWalk {
  enum class End {
    kComplete,
    kMissing,  // a frame lies in no range of the copy
    kBroken,   // what is there is no chain of frames
  };
  End end = End::kBroken;
  uint64_t missing = 0;  // address of that frame
};

// Follows the chain of frames from `head` outwards, in the copy alone. Takes any bytes.
ChainWalk WalkChain(const PythonLayout& layout, const MemoryCopy& copy, uint64_t head,
                    FrameChain& chain);

// Adds ranges that hold these frames, neighbours together; false: there are too many.
bool AddFrames(const PythonLayout& layout, const std::vector<uint64_t>& frames, MemoryCopy& copy);

}  // namespace steptrace::agent
