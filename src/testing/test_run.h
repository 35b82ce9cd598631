// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "store/all_tables.h"
#include "store/run_reader.h"
#include "store/run_writer.h"

// Runs for tests, and what is done to their files.
namespace steptrace::store {

#define ASSERT_OK(expression)                                                     \
  do {                                                                            \
    const auto& outcome_ = (expression);                                          \
    ASSERT_TRUE(outcome_.ok()) << (outcome_.ok() ? "" : outcome_.error().text()); \
  } while (false)

class TempDir {
 public:
  TempDir();
  ~TempDir();
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

WriterOptions QuietOptions();  // no sync thread
RunWriter MakeWriter(const std::filesystem::path& run,
                     const WriterOptions& options = QuietOptions());
Manifest SampleManifest();
Manifest CompletedManifest();

// Two ranks whose steps interleave in time, in several segments, written out of order.
void MakeTwoRanks(const std::filesystem::path& run, int64_t steps);
RunReader OpenRun(const std::filesystem::path& run);
// Where this process, as a writer, has its files in a run.
std::filesystem::path NewestManifest(const std::filesystem::path& run);
std::filesystem::path OwnJournal(const std::filesystem::path& run, const std::string& name);
// Relative to the run; `rank` -2: of a table without ranks.
std::string OwnSegment(const std::string& table, int32_t rank, int64_t number);
// As PutAside calls it, in the folder of damaged files.
std::filesystem::path AsideOf(const std::filesystem::path& run, const std::filesystem::path& file);
// Writes another content into every segment of a table, of the same size; returns the files' names.
std::vector<std::string> DamageWithin(const std::filesystem::path& run, const std::string& table);

// Rows of which every column has a value of its own.
AllRows SampleRows(StringTable& strings);
StepRow SampleStep(StringTable& strings, int64_t step, int32_t rank = 0);
SliceRow SampleSlice(StringTable& strings, int64_t number, int32_t rank = 0);

// Texts are compared as texts: readers number them anew.
template <class Row>
void ExpectSameRow(const Row& row, const StringTable& strings, const Row& expected,
                   const StringTable& expected_strings) {
  ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
    if constexpr (std::is_same_v<Member, StringId>) {
      EXPECT_EQ(strings.Text(row.*field.member), expected_strings.Text(expected.*field.member))
          << field.name;
    } else {
      EXPECT_EQ(row.*field.member, expected.*field.member) << field.name;
    }
  });
}

}  // namespace steptrace::store
