// SPDX-License-Identifier: Apache-2.0
#include "store/string_table.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "store/closed_run.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

using ::testing::ElementsAreArray;

// In Latin-1, and with the character that replaces what is no UTF-8: cleaned all but the last two
// are one text.
const std::vector<std::string> kNames = {"data \xE9", "data \xE8",   "data \uFFFD",
                                         "data \xFF", "data \u00E9", "sound"};
const std::vector<std::string> kStored = {"data \uFFFD", "data \uFFFD", "data \uFFFD",
                                          "data \uFFFD", "data \u00E9", "sound"};

TEST(StringTable, TextsAreCleanBeforeTheyAreNumbered) {
  StringTable strings;
  const StringId first = strings.Intern(kNames[0]);
  for (size_t i = 0; i < kNames.size(); ++i) {
    const StringId id = strings.Intern(kNames[i]);
    EXPECT_EQ(id == first, i < 4) << i;
    EXPECT_EQ(strings.Text(id), kStored[i]);
    StringId found{};
    EXPECT_TRUE(strings.Find(kNames[i], &found));
    EXPECT_EQ(found, id);
  }
  EXPECT_EQ(strings.size(), 4);  // with the empty one
  StringId none{};
  EXPECT_FALSE(strings.Find("\xFF", &none));
}

std::vector<std::string> NamesIn(const std::filesystem::path& run) {
  RunReader reader = OpenRun(run);
  const auto rows = reader.Read<SliceRow>();
  std::vector<std::string> names;
  if (!rows.ok()) return {rows.error().text()};
  for (const SliceRow& row : *rows) names.push_back(reader.Text(row.name));
  return names;
}

// As the agent writes it: journals, and the segments that are made of them.
TEST(StringTable, ARecordedRunOfTextsThatBecomeAlikeCanBeRead) {
  TempDir dir;
  RunWriter writer = MakeWriter(dir.path());
  for (size_t i = 0; i < kNames.size(); ++i) {
    SliceRow row = SampleSlice(writer.strings(), static_cast<int64_t>(i));
    row.name = writer.strings().Intern(kNames[i]);
    writer.Append(row);
    ASSERT_OK(writer.Flush());
  }
  EXPECT_THAT(NamesIn(dir.path()), ElementsAreArray(kStored));
  ASSERT_OK(writer.Close(CompletedManifest()));
  EXPECT_THAT(NamesIn(dir.path()), ElementsAreArray(kStored));
}

// As imports write it: slices column by column.
TEST(StringTable, AnImportedRunOfTextsThatBecomeAlikeCanBeRead) {
  TempDir dir;
  StringTable strings;
  SliceColumns columns;
  for (const std::string& name : kNames) {
    columns.ts_ns.push_back(static_cast<int64_t>(columns.ts_ns.size()));
    columns.dur_ns.push_back(1);
    columns.track.push_back(0);
    columns.depth.push_back(0);
    columns.name.push_back(strings.Intern(name));
    columns.category.push_back(strings.Intern(name + " kind"));
    columns.details.push_back(strings.Intern(name + " more"));
    columns.args.push_back(strings.Intern(name + " args"));
  }
  ClosedRun run(dir.path());
  ASSERT_OK(run.Write(columns, strings, 0, 0, 0));
  ASSERT_OK(run.Close(CompletedManifest()));
  EXPECT_THAT(NamesIn(dir.path()), ElementsAreArray(kStored));
}

}  // namespace
}  // namespace steptrace::store
