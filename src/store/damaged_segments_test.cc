// SPDX-License-Identifier: Apache-2.0
#include "store/damaged_segments.h"

#include <gmock/gmock.h>

#include "store/arrow_support.h"
#include "store/recovery.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class DamagedSegmentsTest : public ::testing::Test {
 protected:
  // Its folder and its only table have a name that errors of the memory have too.
  DamagedSegmentsTest() {
    fs::create_directories(run().parent_path());
    RunWriter writer = MakeWriter(run());
    MemoryRow row;
    row.bytes = 5;
    writer.Append(row);
    EXPECT_TRUE(writer.Close(CompletedManifest()).ok());
  }
  fs::path run() const { return dir_.path() / "memory-study" / "out-of-memory"; }
  SegmentInfo Segment() const {
    return OpenRun(run()).manifest().tables.at("memory").segments.front();
  }

  TempDir dir_;
};

TEST_F(DamagedSegmentsTest, ThatARunIsNamedMemoryIsNoWantOfIt) {
  const auto files = DamageWithin(run(), "memory");
  ASSERT_EQ(files.size(), 1u);
  RunReader reader = OpenRun(run());
  ASSERT_OK(reader.Read<MemoryRow>());
  ASSERT_EQ(reader.damaged().size(), 1u);
  EXPECT_EQ(reader.damaged()[0].segment.file, files[0]);
  EXPECT_THAT(reader.damaged()[0].why.text(), HasSubstr("its contents are damaged"));
  const auto aside = PutDamagedAside(run());
  ASSERT_OK(aside);
  ASSERT_EQ(aside->size(), 1u);
  EXPECT_TRUE(OpenRun(run()).Read<MemoryRow>()->empty());
}

TEST_F(DamagedSegmentsTest, WhereThereIsNoMemoryTheFileIsNotToBlame) {
  const Error failed = ArrowError("cannot read x", arrow::Status::OutOfMemory("malloc of 7"), "…");
  const auto reported = DescribeDamage(run(), "memory", Segment(), failed);
  ASSERT_FALSE(reported.ok());
  EXPECT_EQ(reported.error().text(), failed.text());
}

TEST_F(DamagedSegmentsTest, AFileThatTheSystemDoesNotGiveIsToldWithTheNextStep) {
  const SegmentInfo segment = Segment();
  const auto why = [&] {
    return DescribeDamage(run(), "memory", segment, Error{"failed"})->why.text();
  };
  fs::remove(run() / segment.file);
  EXPECT_EQ(why(), "the file is gone; restore it from a copy");
  fs::create_symlink(fs::path(segment.file).filename(), run() / segment.file);  // to itself
  EXPECT_THAT(why(), HasSubstr("it cannot be read: "));
  EXPECT_THAT(why(), EndsWith("; check the disk and its mount"));
}

}  // namespace
}  // namespace steptrace::store
