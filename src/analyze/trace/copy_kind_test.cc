// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/copy_kind.h"

#include <gtest/gtest.h>

#include <string>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::string KindOfCopy(const std::string& name) {
  store::StringTable strings;
  const RankTrace trace = DrawRank("s7 memcpy \"" + name + "\" 0 10\n", strings);
  return CopyKind(trace.device.at(0), strings);
}

TEST(CopyKindTest, NamesOfEveryMakerAreKnown) {
  EXPECT_EQ(KindOfCopy("Memcpy HtoD (Pinned -> Device)"), "HtoD");
  EXPECT_EQ(KindOfCopy("CopyDeviceToHost"), "DtoH");
  EXPECT_EQ(KindOfCopy("Memcpy M2D (Memory -> Device)"), "HtoD");
  EXPECT_EQ(KindOfCopy("Memcpy D2H (Device -> Host)"), "DtoH");
  EXPECT_EQ(KindOfCopy("Memcpy D2D (Device -> Device)"), "DtoD");
  EXPECT_EQ(KindOfCopy("Memcpy H2M (Host -> Memory)"), "HtoH");
  EXPECT_EQ(KindOfCopy("MemcpyH2D"), "HtoD");
  EXPECT_EQ(KindOfCopy("MemcpyP2P"), "PtoP");
  EXPECT_EQ(KindOfCopy("infeed.2"), "HtoD");
  EXPECT_EQ(KindOfCopy("outfeed-done.1"), "DtoH");
  EXPECT_EQ(KindOfCopy("MEMCPY_ASYNC"), "MEMCPY_ASYNC");
}

TEST(CopyKindTest, AscendTellsTheDirectionBesideTheName) {
  store::StringTable strings;
  const RankTrace trace =
      DrawRank("s2 memcpy MEMCPY_ASYNC 0 10 details={\"operation\":\"device to host\"}\n", strings);
  EXPECT_EQ(CopyKind(trace.device.at(0), strings), "DtoH");
}

TEST(CopyKindTest, AnyOtherIsItsName) {
  EXPECT_EQ(KindOfCopy("Memcpy M2S (Memory -> Shared)"), "Memcpy M2S (Memory -> Shared)");
  EXPECT_EQ(KindOfCopy("Memcpy M2"), "Memcpy M2");
  EXPECT_EQ(KindOfCopy("dma_of_none"), "dma_of_none");
}

}  // namespace
}  // namespace steptrace::analyze
