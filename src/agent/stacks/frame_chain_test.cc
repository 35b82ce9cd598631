// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/frame_chain.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

namespace steptrace::agent {
namespace {

constexpr uint32_t kVersion = 0x030c01f0;  // 3.12.1
constexpr uint64_t kBottom = 0x7f0000001020;
constexpr uint64_t kStep = 0x80;

// Memory of which only what was written is mapped, in words of eight bytes.
class WordMemory : public ProcessMemory {
 public:
  ReadOutcome Read(std::span<const MemoryPiece> pieces) override {
    for (const MemoryPiece& piece : pieces) {
      for (size_t i = 0; i < piece.bytes; ++i) {
        const uint64_t address = piece.address + i;
        const auto word = words.find(address / 8);
        if (word == words.end()) return ReadOutcome::kFault;
        piece.into[i] = static_cast<std::byte>(word->second >> address % 8 * 8);
      }
    }
    return ReadOutcome::kOk;
  }
  void Set(uint64_t address, uint64_t value) { words[address / 8] = value; }

  std::map<uint64_t, uint64_t> words;
};

class FrameChainTest : public ::testing::Test {
 protected:
  FrameChainTest() : layout_(*KnownLayout(kVersion)) {}

  // Frame number `i` of a thread, called by the one before it; its code is at 0x1000 * (i + 1).
  void AddFrame(uint64_t i, uint8_t owner = 0) {
    const uint64_t at = At(i);
    for (uint64_t word = 0; word < layout_.frame_bytes() + 8; word += 8) memory_.Set(at + word, 0);
    memory_.Set(at + layout_.frame.code, 0x1000 * (i + 1));
    memory_.Set(at + layout_.frame.previous, i == 0 ? 0 : At(i - 1));
    memory_.Set(at + layout_.frame.instruction, 0x1000 * (i + 1) + 200);
    const uint64_t word = layout_.frame.owner / 8 * 8;
    memory_.Set(at + word, uint64_t{owner} << (layout_.frame.owner - word) * 8);
  }
  static uint64_t At(uint64_t i) { return kBottom + i * kStep; }

  ChainWalk Walk(uint64_t head) {
    for (int missing = 0; missing < 3000; ++missing) {
      const ChainWalk walk = WalkChain(layout_, copy_, head, chain_);
      if (walk.end != ChainWalk::End::kMissing) return walk;
      if (copy_.AddAndRead(memory_, walk.missing, layout_.frame_bytes()) != ReadOutcome::kOk) {
        return walk;
      }
    }
    return {};
  }

  PythonLayout layout_;
  WordMemory memory_;
  MemoryCopy copy_;
  FrameChain chain_;
};

TEST_F(FrameChainTest, InnermostFirstWithoutTheInterpretersOwn) {
  AddFrame(0);
  AddFrame(1, 3);  // put there by the interpreter: a call out of C
  AddFrame(2, 1);  // of a generator
  ASSERT_EQ(Walk(At(2)).end, ChainWalk::End::kComplete);
  ASSERT_EQ(chain_.frames.size(), 2u);
  EXPECT_EQ(chain_.frames[0].code, 0x3000u);
  EXPECT_EQ(chain_.frames[1].code, 0x1000u);
  EXPECT_EQ(chain_.visited, (std::vector<uint64_t>{At(2), At(1), At(0)}));
}

TEST_F(FrameChainTest, OneThatEndsElsewhereThanAtTheBottomIsNone) {
  AddFrame(0);
  AddFrame(1);
  memory_.Set(At(1) + layout_.frame.previous, 0);  // a generator that is just left
  EXPECT_EQ(Walk(At(1)).end, ChainWalk::End::kBroken);
}

TEST_F(FrameChainTest, ACycleIsSeen) {
  for (uint64_t i = 0; i < 3; ++i) AddFrame(i);
  memory_.Set(At(0) + layout_.frame.previous, At(2));
  EXPECT_EQ(Walk(At(2)).end, ChainWalk::End::kBroken);
  AddFrame(0, 3);
  memory_.Set(At(0) + layout_.frame.previous, At(0));
  EXPECT_EQ(Walk(At(0)).end, ChainWalk::End::kBroken) << "of frames without code";
}

TEST_F(FrameChainTest, DeepStacksLoseTheirOuterFrames) {
  for (uint64_t i = 0; i < 1000; ++i) AddFrame(i);
  ASSERT_EQ(Walk(At(999)).end, ChainWalk::End::kComplete);
  EXPECT_TRUE(chain_.cut);
  EXPECT_EQ(chain_.frames.size(), FrameChain::kMaxFrames);
  EXPECT_EQ(chain_.frames.front().code, 0x1000u * 1000);
}

TEST_F(FrameChainTest, NoPointerIsFollowedThatCanBeNone) {
  AddFrame(0);
  memory_.Set(At(0) + layout_.frame.code, 0);
  EXPECT_EQ(Walk(At(0)).end, ChainWalk::End::kBroken);
  EXPECT_EQ(Walk(At(0) + 1).end, ChainWalk::End::kBroken) << "not aligned";
  EXPECT_EQ(Walk(At(7)).end, ChainWalk::End::kMissing) << "not mapped";
  EXPECT_EQ(Walk(0).end, ChainWalk::End::kComplete);
  EXPECT_TRUE(chain_.frames.empty());
}

TEST_F(FrameChainTest, SharedCallersEndWhereTheTwoDiffer) {
  for (uint64_t i = 0; i < 4; ++i) AddFrame(i);
  Walk(At(3));
  FrameChain other = chain_;
  EXPECT_EQ(chain_.CallersSharedWith(other), 4u);
  other.frames[0].code += 0x1000;
  EXPECT_EQ(chain_.CallersSharedWith(other), 3u) << "another callee of the same call";
  const FrameSeen callee = other.frames[0];
  other.KeepOuter(3);
  EXPECT_EQ(other.called, callee);
  EXPECT_EQ(chain_.CallersSharedWith(other), 3u) << "it has returned";
  other.frames[1].instruction += 2;
  EXPECT_EQ(chain_.CallersSharedWith(other), 2u) << "what stands further in is another call's";
  other.frames[2].frame += kStep;
  EXPECT_EQ(chain_.CallersSharedWith(other), 0u);
  other = chain_;
  other.cut = true;
  EXPECT_EQ(chain_.CallersSharedWith(other), 0u) << "whose outer frames nobody knows";
  other.KeepOuter(9);
  EXPECT_EQ(other.frames.size(), 4u);
}

TEST_F(FrameChainTest, SameFramesMayRunOnInTheInnermostOnly) {
  for (uint64_t i = 0; i < 3; ++i) AddFrame(i);
  Walk(At(2));
  FrameChain other = chain_;
  other.frames[0].instruction += 2;
  EXPECT_TRUE(chain_.SameAs(other));
  other.frames[1].instruction += 2;
  EXPECT_FALSE(chain_.SameAs(other));
  other = chain_;
  other.frames[0].code += 0x1000;
  EXPECT_FALSE(chain_.SameAs(other));
}

TEST_F(FrameChainTest, AdjacentFramesAreReadInOneRange) {
  for (uint64_t i = 0; i < 20; ++i) AddFrame(i);
  Walk(At(19));
  MemoryCopy together;
  std::vector<uint64_t> frames = chain_.visited;
  frames.insert(frames.begin() + 10, 0x600000000008);  // on the C stack
  ASSERT_TRUE(AddFrames(layout_, frames, together));
  EXPECT_EQ(together.ranges(), 3u);
  for (uint64_t frame : frames) EXPECT_NE(together.Find(frame, layout_.frame_bytes()), nullptr);
}

TEST_F(FrameChainTest, DamageEndsTheWalk) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 300; ++round) {
    memory_.words.clear();
    copy_.Clear();
    for (uint64_t i = 0; i < 40; ++i) AddFrame(i);
    for (int damage = 0; damage < 4; ++damage) {
      auto word = std::next(memory_.words.begin(), static_cast<ptrdiff_t>(random() % 300));
      const uint64_t wild[] = {random(), At(random() % 40), 0, UINT64_MAX, UINT64_MAX - 7};
      word->second = wild[random() % 5];
    }
    Walk(At(39));
    EXPECT_LE(chain_.frames.size(), FrameChain::kMaxFrames);
    EXPECT_LE(chain_.visited.size(), FrameChain::kMaxSteps);
  }
}

TEST(MemoryCopy, ReadSeveralTimesOverItIsAsManyCopies) {
  // Each word that is read is one more than the one before.
  class CountingMemory : public ProcessMemory {
   public:
    ReadOutcome Read(std::span<const MemoryPiece> pieces) override {
      ++calls;
      for (const MemoryPiece& piece : pieces) {
        std::memcpy(piece.into, &count, sizeof count);
        if (counts) ++count;
      }
      return ReadOutcome::kOk;
    }
    bool counts = true;
    uint64_t count = 0;
    int calls = 0;
  } memory;
  const auto word = [](const MemoryCopy& copy, uint64_t address) {
    const std::byte* at = copy.Find(address, sizeof(uint64_t));
    return at == nullptr ? UINT64_MAX : Load<uint64_t>(at);
  };
  MemoryCopy copy;
  ASSERT_TRUE(copy.Add(0x1000, 8) && copy.Add(0x2000, 8));
  ASSERT_EQ(copy.Read(memory, 3), ReadOutcome::kOk);
  EXPECT_EQ(memory.calls, 1);
  EXPECT_EQ(word(copy, 0x1000), 0u);
  EXPECT_EQ(word(copy, 0x2000), 1u) << "a copy is complete before the next one begins";
  EXPECT_FALSE(copy.SameAsBefore()) << "before the first there is none";
  EXPECT_FALSE(copy.UseBefore());
  ASSERT_TRUE(copy.UseNext());
  EXPECT_EQ(word(copy, 0x2000), 3u);
  EXPECT_FALSE(copy.SameAsBefore());
  ASSERT_EQ(copy.AddAndRead(memory, 0x3000, 8), ReadOutcome::kOk);
  EXPECT_EQ(word(copy, 0x1000), 2u) << "the one in use is kept";
  EXPECT_EQ(word(copy, 0x3000), 6u);
  EXPECT_FALSE(copy.UseNext()) << "older than what was added";
  memory.counts = false;
  ASSERT_EQ(copy.Read(memory, 2), ReadOutcome::kOk);
  ASSERT_TRUE(copy.UseNext());
  EXPECT_TRUE(copy.SameAsBefore());
  EXPECT_FALSE(copy.UseNext());
  copy.Clear();
  ASSERT_TRUE(copy.Add(0, MemoryCopy::kMaxBytes / 2));
  ASSERT_EQ(copy.Read(memory, 4), ReadOutcome::kOk);
  EXPECT_TRUE(copy.UseNext());
  EXPECT_FALSE(copy.UseNext()) << "there is room for two";
}

TEST(MemoryCopy, IsBounded) {
  MemoryCopy copy;
  EXPECT_FALSE(copy.Add(0x1000, MemoryCopy::kMaxBytes + 1));
  EXPECT_FALSE(copy.Add(UINT64_MAX - 3, 8)) << "around the end of all addresses";
  for (size_t i = 0; i < MemoryCopy::kMaxRanges; ++i) EXPECT_TRUE(copy.Add(i * 64, 8));
  EXPECT_FALSE(copy.Add(0, 8));
  EXPECT_EQ(copy.Find(0, 9), nullptr);
  EXPECT_EQ(copy.Find(UINT64_MAX, 8), nullptr);
}

}  // namespace
}  // namespace steptrace::agent
