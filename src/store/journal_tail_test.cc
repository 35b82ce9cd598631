// SPDX-License-Identifier: Apache-2.0
#include "store/journal_tail.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "store/run_files.h"
#include "store/tables.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

namespace fs = std::filesystem;

class JournalTailTest : public testing::Test {
 protected:
  JournalTailTest() : writer_(MakeWriter(folder_.path() / "run")) {}

  void Write(int from, int to) {
    for (int i = from; i < to; ++i) {
      SliceRow row = SampleSlice(writer_.strings(), i);
      row.name = writer_.strings().Intern("name " + std::to_string(i));  // dictionaries grow
      writer_.Append(std::move(row));
    }
    ASSERT_TRUE(writer_.Flush().ok());
  }
  fs::path Journal() const { return OwnJournal(folder_.path() / "run", "slices-0.arrows"); }
  std::vector<std::string> Names(JournalTail<SliceRow>& tail) {
    std::vector<std::string> names;
    const Status read = tail.Read([&](std::vector<SliceRow>&& rows) -> Status {
      for (const SliceRow& row : rows) names.push_back(strings_.Text(row.name));
      return {};
    });
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().text());
    return names;
  }

  TempDir folder_;
  RunWriter writer_;
  StringTable strings_;
};

TEST_F(JournalTailTest, GivesEachRowOnceAsItComes) {
  Write(0, 3);
  auto tail = JournalTail<SliceRow>::Open(Journal(), strings_, {"name"});
  ASSERT_TRUE(tail.ok());
  EXPECT_EQ(Names(*tail), (std::vector<std::string>{"name 0", "name 1", "name 2"}));
  EXPECT_TRUE(Names(*tail).empty());
  for (int i = 3; i < 40; ++i) {
    Write(i, i + 1);
    EXPECT_EQ(Names(*tail), std::vector<std::string>{"name " + std::to_string(i)});
  }
  fs::remove(Journal());  // as when the run closes
  EXPECT_TRUE(Names(*tail).empty());
}

// A batch that is half on the disk is none yet: cut at every byte, in turn.
TEST_F(JournalTailTest, ABatchThatComesInPartsComesOnce) {
  Write(0, 2);
  const auto begin = static_cast<size_t>(fs::file_size(Journal()));
  Write(2, 5);
  std::ifstream file(Journal(), std::ios::binary);
  const std::string all((std::istreambuf_iterator<char>(file)), {});
  const fs::path copy = folder_.path() / "copy.arrows";
  std::ofstream(copy, std::ios::binary) << all.substr(0, begin);
  auto tail = JournalTail<SliceRow>::Open(copy, strings_, {"name"});
  ASSERT_TRUE(tail.ok());
  EXPECT_EQ(Names(*tail).size(), 2u);
  std::vector<std::string> found;
  for (size_t at = begin; at < all.size(); ++at) {
    std::ofstream(copy, std::ios::binary | std::ios::app).put(all[at]);
    for (std::string& name : Names(*tail)) found.push_back(std::move(name));
  }
  EXPECT_EQ(found, (std::vector<std::string>{"name 2", "name 3", "name 4"}));
}

TEST_F(JournalTailTest, DamageEndsItAndAShorterFileIsAnError) {
  Write(0, 2);
  const fs::path copy = folder_.path() / "copy.arrows";
  fs::copy_file(Journal(), copy);
  auto tail = JournalTail<SliceRow>::Open(copy, strings_, {"name"});
  ASSERT_TRUE(tail.ok());
  EXPECT_EQ(Names(*tail).size(), 2u);
  std::ofstream(copy, std::ios::binary | std::ios::app) << std::string(4096, 'x');
  EXPECT_TRUE(Names(*tail).empty());
  std::ofstream(copy, std::ios::binary | std::ios::app) << std::string(4096, 'x');
  EXPECT_TRUE(Names(*tail).empty());
  fs::resize_file(copy, 10);
  EXPECT_FALSE(tail->Read([](std::vector<SliceRow>&&) -> Status { return {}; }).ok());
  EXPECT_FALSE(JournalTail<SliceRow>::Open(folder_.path() / "none", strings_, {}).ok());
}

}  // namespace
}  // namespace steptrace::store
