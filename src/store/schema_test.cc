// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

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

TEST(Schema, TheTextFitsEightyColumns) {
  std::istringstream text(SchemaAsText());
  for (std::string line; std::getline(text, line);) EXPECT_LE(line.size(), 80u) << line;
}

}  // namespace
}  // namespace steptrace::store
