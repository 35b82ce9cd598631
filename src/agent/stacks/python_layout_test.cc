// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/python_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;

struct Group {
  size_t at;
  std::vector<uint64_t> words;
};

// What an interpreter says of itself: groups of offsets, each after the size of its structure.
std::vector<uint64_t> Words(uint64_t version, const std::vector<Group>& groups) {
  std::vector<uint64_t> words(kDebugOffsetWords, 0);
  std::memcpy(words.data(), "xdebugpy", 8);
  words[1] = version;
  words[5] = 700;
  for (const Group& group : groups) {
    std::copy(group.words.begin(), group.words.end(),
              words.begin() + static_cast<ptrdiff_t>(group.at));
  }
  return words;
}

// As the headers of 3.14 order them; numbers of a build.
std::vector<uint64_t> Words314() {
  return Words(0x030e00f0, {{6, {1 << 17, 7000, 7008, 7200}},
                            {22, {1000, 0, 8, 16, 72, 152, 160, 200, 24}},
                            {31, {88, 8, 0, 56, 80, 74, 64, 0}},
                            {39, {220, 112, 120, 128, 136, 68, 52, 96, 104, 208, 0}},
                            {50, {16, 8}},
                            {74, {40, 16, 32}},
                            {77, {64, 32, 16, 40}}});
}

TEST(PythonLayout, Python314LayoutIsReadFromItsDebugOffsets) {
  const auto layout = LayoutFromDebugOffsets(Words314());
  ASSERT_TRUE(layout.ok()) << layout.error().text();
  EXPECT_EQ(layout->runtime.interpreters_head, 700u);
  EXPECT_EQ(layout->interpreter.next, 7008u);
  EXPECT_EQ(layout->interpreter.threads_head, 7200u);
  EXPECT_EQ(layout->thread.frame, 72u);
  EXPECT_FALSE(layout->thread.frame_in_c_frame);
  EXPECT_EQ(layout->thread.native_thread_id, 160u);
  EXPECT_EQ(layout->frame.owner, 74u);
  EXPECT_EQ(layout->frame.tag_mask, 3u) << "references carry tags since 3.14";
  EXPECT_EQ(layout->code.bytecode, 208u);
  EXPECT_EQ(layout->code.line_table, 136u);
  EXPECT_EQ(layout->text.compact_data, 56u);
}

TEST(PythonLayout, AnotherOrderOfTheWordsIsSeen) {
  for (size_t at : {size_t{22}, size_t{31}, size_t{39}, size_t{50}, size_t{74}}) {
    std::vector<uint64_t> words = Words314();
    words.insert(words.begin() + static_cast<ptrdiff_t>(at), 12345);
    EXPECT_FALSE(LayoutFromDebugOffsets(words).ok()) << "a word more before word " << at;
    words = Words314();
    words.erase(words.begin() + static_cast<ptrdiff_t>(at));
    words.push_back(0);
    EXPECT_FALSE(LayoutFromDebugOffsets(words).ok()) << "a word less at " << at;
  }
}

TEST(PythonLayout, HugeOffsetsAreRefused) {
  for (size_t at : {5, 9, 23, 26, 36, 40, 48, 51, 76, 80}) {
    std::vector<uint64_t> words = Words314();
    words[at] = UINT64_MAX - 7;
    EXPECT_FALSE(LayoutFromDebugOffsets(words).ok()) << "word " << at;
  }
}

TEST(PythonLayout, UnknownLayoutIsReported) {
  std::vector<uint64_t> words = Words314();
  words[2] = 1;
  EXPECT_THAT(LayoutFromDebugOffsets(words).error().text(),
              HasSubstr("free-threaded CPython 3.14.0"));
  words = Words314();
  words[1] = 0x030f00a1;
  EXPECT_THAT(LayoutFromDebugOffsets(words).error().text(), HasSubstr("CPython 3.15.0: "));
  EXPECT_FALSE(LayoutFromDebugOffsets(std::vector<uint64_t>(kDebugOffsetWords)).ok());
  EXPECT_FALSE(LayoutFromDebugOffsets({}).ok());
  EXPECT_TRUE(KnownLayout(0x030b02f0).ok());
  EXPECT_TRUE(KnownLayout(0x030c01f0).ok());
  EXPECT_THAT(KnownLayout(0x030d00f0).error().text(),
              HasSubstr("CPython 3.13.0 without debug offsets"));
  EXPECT_THAT(KnownLayout(0x030f00f0).error().text(), HasSubstr("CPython 3.15.0: "));
  EXPECT_THAT(KnownLayout(0x030a0df0).error().text(), HasSubstr("CPython 3.10.13: "));
}

}  // namespace
}  // namespace steptrace::agent
