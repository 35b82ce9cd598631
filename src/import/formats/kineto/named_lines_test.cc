// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/named_lines.h"

#include <gmock/gmock.h>

namespace steptrace::import::kineto {
namespace {

// pid << 10 | layer << 5 | device, of process 4321 and device 3.
constexpr const char* kStreams = "4425123";      // layer 13
constexpr const char* kCann = "4424931";         // layer 7
constexpr const char* kCollectives = "4425187";  // layer 15
constexpr const char* kFigures = "4425443";      // layer 23

LineNames Named() {
  LineNames names;
  names.NameProcess("4321", "Python");
  names.NameProcess(kCann, "CANN");
  names.NameProcess(kCollectives, "HCCL");
  names.NameProcess(kStreams, "Ascend Hardware");
  names.NameProcess(kFigures, "Overlap Analysis");
  names.NameThread(kCollectives, "0", "Group 0 Communication");
  names.NameThread(kCollectives, "1", "Plane 0");
  return names;
}

TEST(LineNames, TellTheLinesOfAnAscendProfile) {
  const LineNames names = Named();
  EXPECT_EQ(names.Of(kStreams, "7").kind, LineKind::kNpuStream);
  EXPECT_EQ(names.Of(kStreams, "7").device, 3);
  EXPECT_EQ(names.Of(kCollectives, "0").kind, LineKind::kNpuCollectives);
  EXPECT_EQ(names.Of(kCollectives, "1").kind, LineKind::kNpuPlane);
  EXPECT_EQ(names.Of(kCollectives, "2").kind, LineKind::kNpuCollectives);
  EXPECT_EQ(names.Of(kFigures, "0").kind, LineKind::kNpuFigures);
  EXPECT_EQ(names.Of(kCann, "99").kind, LineKind::kNpuHost);
  EXPECT_EQ(names.Of(kCann, "99").host_pid, "4321");
  EXPECT_EQ(names.Of("4321", "1").kind, LineKind::kPlain);
}

TEST(LineNames, CallsIntoCannAreKnownByTheirNumberToo) {
  LineNames names;
  EXPECT_EQ(names.NpuHostOf(kCann), "");
  names.NameProcess(kStreams, "Ascend Hardware");
  EXPECT_EQ(names.NpuHostOf(kCann), "4321");
  EXPECT_EQ(names.NpuHostOf("4321"), "");
  EXPECT_EQ(names.NpuHostOf("5448931"), "");  // of process 5321
  EXPECT_EQ(names.NpuHostOf("x"), "");
}

TEST(LineNames, OfOtherProfilersTellNothing) {
  LineNames names;
  names.NameProcess("1", "Communication");
  names.NameProcess("2", "CANN");
  EXPECT_EQ(names.Of("1", "1").kind, LineKind::kPlain);
  EXPECT_EQ(names.Of("2", "1").kind, LineKind::kPlain);
}

TEST(LineNames, OfAProcessTheFirstNameCounts) {
  LineNames names = Named();
  const size_t before = names.version();
  names.NameProcess(kStreams, "HCCL");
  names.NameThread(kCollectives, "1", "Group 1 Communication");
  EXPECT_EQ(names.version(), before);
  EXPECT_EQ(names.Of(kStreams, "7").kind, LineKind::kNpuStream);
  EXPECT_EQ(names.Of(kCollectives, "1").kind, LineKind::kNpuPlane);
}

TEST(LineNames, ThoseOfAPieceFollow) {
  LineNames names;
  names.NameProcess(kStreams, "Ascend Hardware");
  names.Take(Named(), 0);
  EXPECT_EQ(names.version(), Named().version());
  EXPECT_EQ(names.Of(kCollectives, "1").kind, LineKind::kNpuPlane);
}

TEST(LineNames, AreBounded) {
  LineNames names;
  for (int i = 0; i < 10'000; ++i) names.NameProcess(std::to_string(i), "Ascend Hardware");
  EXPECT_LE(names.version(), 4096u);
}

TEST(LineNames, TellTheLinesOfXla) {
  LineNames names;
  names.NameProcess("1", "/device:GPU:0");
  names.NameThread("1", "14", "Stream #13(MemcpyH2D)");
  names.NameThread("1", "16", "XLA Modules");
  names.NameThread("1", "17", "XLA Ops");
  names.NameProcess("3", "worker7 /device:TPU:5");
  names.NameThread("3", "2", "Steps");
  names.NameThread("3", "4", "XLA Ops");
  names.NameProcess("4", "/device:CPU:0");
  names.NameProcess("701", "/host:CPU");
  EXPECT_EQ(names.Of("1", "14").kind, LineKind::kXlaStream);
  EXPECT_EQ(names.Of("1", "14").stream, 13);
  EXPECT_EQ(names.Of("1", "14").device, 0);
  EXPECT_EQ(names.Of("1", "16").kind, LineKind::kXlaDerived);
  EXPECT_EQ(names.Of("1", "17").kind, LineKind::kXlaDerived);  // of the streams, told again
  EXPECT_EQ(names.Of("3", "4").kind, LineKind::kXlaOps);
  EXPECT_EQ(names.Of("3", "4").device, 5);
  EXPECT_EQ(names.Of("3", "2").kind, LineKind::kXlaDerived);
  EXPECT_EQ(names.Of("4", "1").kind, LineKind::kPlain);
  EXPECT_EQ(names.Of("701", "9").kind, LineKind::kXlaHost);
  for (const char* odd : {"/device:", "/device:GPU", "/device:GPU:", "/device:GPU:x", "device:0"}) {
    LineNames other;
    other.NameProcess("1", odd);
    EXPECT_EQ(other.version(), 0u) << odd;
  }
}

TEST(LateNames, AreThoseThatMakeAnotherLineOfWhatWasRead) {
  LineNames names;
  LateNames late;
  late.TakeLine("1", "17", names.Of("1", "17").kind);
  names.NameProcess("701", "/host:CPU");
  late.Update(names);
  EXPECT_FALSE(late.came());
  names.NameProcess("1", "/device:GPU:0");
  late.Update(names);
  EXPECT_TRUE(late.came());
}

}  // namespace
}  // namespace steptrace::import::kineto
