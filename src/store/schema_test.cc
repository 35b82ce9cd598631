// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <type_traits>

#include "store/tables.h"

namespace steptrace::store {
namespace {

void ExpectCurrent(const std::string& file, const std::string& wanted) {
  const std::string path = std::string(STEPTRACE_SOURCE_DIR) + "/" + file;
  if (std::getenv("STEPTRACE_UPDATE_PAGES") != nullptr) {
    std::ofstream(path, std::ios::trunc) << wanted;
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_TRUE(text.str() == wanted)
      << "tables.h has changed; write " << file << " anew: STEPTRACE_UPDATE_PAGES=1 store_test";
}

TEST(Schema, WhatTheDocsAndThePagesKnowOfItIsCurrent) {
  ExpectCurrent("docs/reference/schema.md", SchemaAsMarkdown());
  ExpectCurrent("ui/src/api/tables.ts", SchemaAsTypeScript());
}

TEST(Schema, EveryColumnIsNamedOnceAndExplained) {
  std::set<std::string> tables;
  for (const TableSchema& table : AllTableSchemas()) {
    EXPECT_TRUE(tables.insert(table.name).second) << table.name;
    EXPECT_TRUE(table.sentence.ends_with(".")) << table.name;
    std::set<std::string> columns;
    for (const ColumnSchema& column : table.columns) {
      std::string where = table.name + "." + column.name;
      EXPECT_TRUE(columns.insert(column.name).second) << where;
      EXPECT_TRUE(column.sentence.find('.') != std::string::npos) << where;
      EXPECT_EQ(column.name.ends_with("_ns"), column.unit == "ns") << where;
    }
  }
  EXPECT_TRUE(tables.contains("steps") && tables.contains("data_loss"));
}

// What an event of a profile may have and what it must: who reads the page learns where it went.
TEST(Schema, ThePageOfImportsSaysWhatFillsTheColumnsOfSlices) {
  std::ostringstream file;
  file << std::ifstream(std::string(STEPTRACE_SOURCE_DIR) + "/docs/reference/import.md").rdbuf();
  const std::string page = file.str();
  const size_t begin = page.find("## Where each field goes");
  ASSERT_NE(begin, std::string::npos);
  const std::string section = page.substr(begin, page.find("\n## ", begin + 1) - begin);
  const auto look = [&](const auto& field) {
    using Value = std::remove_cvref_t<decltype(SliceRow().*field.member)>;
    const bool of_event =
        std::is_same_v<Value, std::optional<int64_t>> || field.unit == Unit::kJson;
    const std::string word = "`" + std::string(field.name) + "`";
    EXPECT_TRUE(!of_event || section.find(word) != std::string::npos) << word;
  };
  std::apply([&](const auto&... field) { (look(field), ...); }, TableOf<SliceRow>::kFields);
}

TEST(Schema, TheTextFitsEightyColumns) {
  std::istringstream text(SchemaAsText());
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace steptrace::store
