// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/hooks_marks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/ingest/ring_folder.h"

namespace steptrace::agent {
namespace {

TEST(HooksMarks, NamesOfTheFolder) {
  const auto mark = ParseHooksMark("hooks_no_ring.1023");
  ASSERT_TRUE(mark.has_value());
  EXPECT_EQ(mark->mark, HooksMark::kNoRing);
  EXPECT_EQ(mark->slot, 1023);
  EXPECT_EQ(ParseHooksMark("hooks.0")->mark, HooksMark::kLoaded);
  EXPECT_EQ(ParseHooksMark("hooks_off.7")->mark, HooksMark::kOff);
  EXPECT_EQ(ParseHooksMark("hooks_no_probe.7")->mark, HooksMark::kNoProbe);
  EXPECT_EQ(ParseHooksMark("hooks_other_build.7")->mark, HooksMark::kOtherBuild);
  for (const char* strange :
       {"hooks", "hooks.", "hooks.1024", "hooks.-1", "hooks.1x", "hooks_on.1", "a hooks.1"}) {
    EXPECT_FALSE(ParseHooksMark(strange).has_value()) << strange;
    EXPECT_FALSE(IsOwnFile(strange)) << strange;
  }
}

TEST(HooksMarks, MarksKnownFromElsewhereAreRemoved) {
  HooksMarks marks;
  for (int32_t pid : {5, 6}) marks.Add(HooksMark::kNoRing, pid);
  marks.Add(HooksMark::kLoaded, 5);
  HooksMarks known;
  known.Add(HooksMark::kNoRing, 5);
  marks.Remove(known);
  EXPECT_FALSE(marks.Has(HooksMark::kNoRing, 5));
  EXPECT_TRUE(marks.Has(HooksMark::kNoRing, 6));
  EXPECT_TRUE(marks.Reached(5));
}

TEST(HooksMarks, AreReadFromTheFolderAndGoWithIt) {
  char name[] = "/tmp/steptrace-hooks-marks-XXXXXX";
  ASSERT_NE(mkdtemp(name), nullptr);
  auto folder = MakeRingFolder({name}, "run");
  ASSERT_TRUE(folder.ok());
  std::ofstream(folder->path / "hooks.5");  // as the hooks leave it
  std::ofstream(folder->path / "hooks_off.6");
  const HooksMarks marks = HooksMarks::Read(folder->path);
  EXPECT_TRUE(marks.Reached(kHooksMarkSlots * 3 + 5));
  EXPECT_TRUE(marks.Reached(6)) << "switched off, but there";
  EXPECT_FALSE(marks.Reached(7));
  EXPECT_TRUE(marks.Any(HooksMark::kOff));
  EXPECT_FALSE(marks.Any(HooksMark::kNoRing));
  RemoveRingFolder(folder->path);
  EXPECT_FALSE(std::filesystem::exists(folder->path));
  EXPECT_FALSE(HooksMarks::Read(folder->path).Any(HooksMark::kLoaded));
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace steptrace::agent
