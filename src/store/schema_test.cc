// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

namespace steptrace::store {
namespace {

TEST(Schema, ThePageInTheDocsIsCurrent) {
  std::string path = std::string(STEPTRACE_SOURCE_DIR) + "/docs/reference/schema.md";
  if (std::getenv("STEPTRACE_UPDATE_PAGES") != nullptr) {
    std::ofstream(path, std::ios::trunc) << SchemaAsMarkdown();
  }
  std::ostringstream page;
  page << std::ifstream(path).rdbuf();
  EXPECT_TRUE(page.str() == SchemaAsMarkdown())
      << "tables.h has changed; write the page anew: STEPTRACE_UPDATE_PAGES=1 store_test";
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
  EXPECT_TRUE(tables.contains("steps") && tables.contains("losses"));
}

TEST(Schema, TheTextFitsEightyColumns) {
  std::istringstream text(SchemaAsText());
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace steptrace::store
