// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/frame_chain.h"

#include <algorithm>

#include "agent/stacks/sizes.h"

namespace steptrace::agent {
namespace {

constexpr uint64_t kAlignment = 8;
// Frames nearer than that are read in one range: a range of its own costs more than the bytes.
constexpr uint64_t kNeighbourBytes = 512;

bool IsPointer(uint64_t address) {
  return address != 0 && address % kAlignment == 0;
}

// The outermost frame lies at the bottom of its thread's data stack: in the second slot after the
// head of a chunk, which begins a page (Python/pystate.c). A frame that was left, and whose caller
// has been taken from it, lies elsewhere.
bool IsBottom(const FrameSeen& outermost) {
  constexpr uint64_t kChunkHeadBytes = 24;
  constexpr uint64_t kSlotBytes = 8;
  return outermost.frame % kPageBytes == kChunkHeadBytes + kSlotBytes;
}

bool HaveDuplicates(std::vector<uint64_t> addresses) {
  std::sort(addresses.begin(), addresses.end());
  return std::adjacent_find(addresses.begin(), addresses.end()) != addresses.end();
}

// Where the chain goes on; nothing: the frame is damaged.
bool TakeFrame(const PythonLayout& layout, const std::byte* at, uint64_t address,
               FrameChain& chain) {
  const auto owner = Load<uint8_t>(at + layout.frame.owner);
  constexpr uint8_t kLastOwner = 4;  // 3.14 has five
  if (owner > kLastOwner) return false;
  chain.visited.push_back(address);
  if (owner >= layout.frame.first_shim_owner) return true;
  FrameSeen seen;
  seen.frame = address;
  seen.code = Load<uint64_t>(at + layout.frame.code) & ~layout.frame.tag_mask;
  seen.instruction = Load<uint64_t>(at + layout.frame.instruction);
  if (!IsPointer(seen.code)) return false;
  chain.frames.push_back(seen);
  return true;
}

}  // namespace

bool FrameChain::SameAs(const FrameChain& other) const {
  if (visited != other.visited || frames.size() != other.frames.size() || cut != other.cut) {
    return false;
  }
  for (size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].code != other.frames[i].code) return false;
    if (i > 0 && frames[i].instruction != other.frames[i].instruction) return false;
  }
  return true;
}

size_t FrameChain::CallersSharedWith(const FrameChain& other) const {
  if (cut || other.cut) return 0;
  const size_t most = std::min(frames.size(), other.frames.size());
  for (size_t shared = 0; shared < most; ++shared) {
    const FrameSeen& ours = frames[frames.size() - 1 - shared];
    const FrameSeen& theirs = other.frames[other.frames.size() - 1 - shared];
    if (ours.frame != theirs.frame || ours.code != theirs.code) return shared;
    if (ours.instruction != theirs.instruction) return shared + 1;
  }
  return most;
}

void FrameChain::KeepOuter(size_t count) {
  if (count >= frames.size()) return;
  called = frames[frames.size() - count - 1];
  frames.erase(frames.begin(), frames.end() - static_cast<ptrdiff_t>(count));
}

ChainWalk WalkChain(const PythonLayout& layout, const MemoryCopy& copy, uint64_t head,
                    FrameChain& chain) {
  chain.frames.clear();
  chain.visited.clear();
  chain.cut = chain.open = false;
  chain.called.reset();
  for (uint64_t address = head; address != 0;) {
    if (chain.visited.size() >= FrameChain::kMaxSteps || !IsPointer(address)) return {};
    if (chain.frames.size() >= FrameChain::kMaxFrames) {
      chain.cut = true;
      break;
    }
    const std::byte* at = copy.Find(address, layout.frame_bytes());
    if (at == nullptr) return {ChainWalk::End::kMissing, address};
    if (!TakeFrame(layout, at, address, chain)) return {};
    address = Load<uint64_t>(at + layout.frame.previous);
  }
  if (!chain.cut && !chain.frames.empty() && !IsBottom(chain.frames.back())) return {};
  // A cycle never comes to its end.
  if (chain.cut && HaveDuplicates(chain.visited)) return {};
  return {ChainWalk::End::kComplete, 0};
}

bool AddFrames(const PythonLayout& layout, const std::vector<uint64_t>& frames, MemoryCopy& copy) {
  const uint64_t bytes = layout.frame_bytes();
  for (size_t i = 0; i < frames.size();) {
    uint64_t begin = frames[i];
    uint64_t end = begin + bytes;
    // The thread may have gone deeper when it is read: frames lie one above the other.
    if (i == 0) end = std::max(end, std::min(end + kNeighbourBytes, (end | (kPageBytes - 1)) + 1));
    for (++i; i < frames.size(); ++i) {
      const uint64_t frame = frames[i];
      const bool near = frame + bytes + kNeighbourBytes > begin && frame < end + kNeighbourBytes;
      if (!near) break;
      begin = std::min(begin, frame);
      end = std::max(end, frame + bytes);
    }
    if (!copy.Add(begin, end - begin)) return false;
  }
  return true;
}

}  // namespace steptrace::agent
