// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// The tables as data, made from the declarations in tables.h: what `steptrace schema` prints and
// docs/reference/schema.md is generated from.
namespace steptrace::store {

struct ColumnSchema {
  std::string name;
  std::string type;  // int32, int64, double, bool, string, dictionary<string>
  bool nullable = false;
  std::string unit;  // ns, bytes, count, share, json, metric or empty
  std::string sentence;
  bool in_path = false;  // stands in a segment's path (node=…/rank=…), not in its columns
};

struct TableSchema {
  std::string name;
  std::string sentence;
  std::vector<ColumnSchema> columns;
};

std::vector<TableSchema> AllTableSchemas();

std::string SchemaAsText();      // for 80 columns
std::string SchemaAsMarkdown();  // docs/reference/schema.md
std::string SchemaAsJson();
std::string SchemaAsTypeScript();  // ui/src/api/tables.ts

}  // namespace steptrace::store
