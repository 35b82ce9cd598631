// SPDX-License-Identifier: Apache-2.0
#include "store/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "store/all_tables.h"
#include "store/row_columns.h"
#include "store/step_columns.h"

namespace steptrace::store {
namespace {

template <class Value>
std::string TypeName() {
  if constexpr (std::is_same_v<Value, int32_t>) return "int32";
  if constexpr (std::is_same_v<Value, int64_t>) return "int64";
  if constexpr (std::is_same_v<Value, double>) return "double";
  if constexpr (std::is_same_v<Value, bool>) return "bool";
  if constexpr (std::is_same_v<Value, std::string>) return "string";
  if constexpr (std::is_same_v<Value, StringId>) return "dictionary<string>";
}

std::string UnitName(Unit unit) {
  switch (unit) {
    case Unit::kNone:
      return "";
    case Unit::kNs:
      return "ns";
    case Unit::kBytes:
      return "bytes";
    case Unit::kCount:
      return "count";
    case Unit::kShare:
      return "share";
    case Unit::kJson:
      return "json";
    case Unit::kSeeMetric:
      return "metric";
  }
  return "";
}

// A list of the columns' names for the pages.
template <size_t N>
std::string TypeScriptList(std::string_view name, const std::array<StepColumn, N>& columns) {
  std::string text = fmt::format("export const {} = [\n", name);
  for (const StepColumn& column : columns) text += fmt::format("  '{}',\n", column.name);
  return text + "] as const;\n";
}

// Words of a sentence in lines of at most `width`, the further ones after `indent`.
std::string Wrap(const std::string& sentence, size_t width, const std::string& indent) {
  std::string lines;
  size_t column = 0;
  size_t begin = 0;
  while (begin < sentence.size()) {
    size_t end = std::min(sentence.find(' ', begin), sentence.size());
    if (column > 0 && column + 1 + end - begin > width) {
      lines += "\n" + indent;
      column = 0;
    }
    if (column > 0) lines += ' ';
    column += (column > 0) + end - begin;
    lines += sentence.substr(begin, end - begin);
    begin = end + 1;
  }
  return lines;
}

// As JSON and Arrow give a value to the pages.
std::string TypeScriptName(const ColumnSchema& column) {
  const bool is_text = column.type.find("string") != std::string::npos;
  std::string name = is_text ? "string" : column.type == "bool" ? "boolean" : "number";
  return column.nullable ? name + " | null" : name;
}

std::string Escaped(std::string text) {
  for (size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

}  // namespace

std::vector<TableSchema> AllTableSchemas() {
  std::vector<TableSchema> tables;
  ForEachTable([&]<class Row>() {
    TableSchema table{TableOf<Row>::kName, TableOf<Row>::kSentence, {}};
    if constexpr (requires { TableOf<Row>::kFormerName; }) {
      table.sentence += fmt::format(" Runs of earlier versions have it in the folder `{}`.",
                                    TableOf<Row>::kFormerName);
    }
    ForEachField<Row>([&]<class Member>(const Field<Row, Member>& field) {
      using Type = OptionalOf<Member>;
      table.columns.push_back({.name = field.name,
                               .type = TypeName<typename Type::Value>(),
                               .nullable = Type::kNullable,
                               .unit = UnitName(field.unit),
                               .sentence = field.sentence,
                               .in_path = IsPathColumn(field.name)});
    });
    tables.push_back(std::move(table));
  });
  return tables;
}

std::string SchemaAsText() {
  std::string text;
  for (const TableSchema& table : AllTableSchemas()) {
    if (!text.empty()) text += '\n';
    text += table.name + "\n  " + Wrap(table.sentence, 78, "  ") + "\n";
    for (const ColumnSchema& column : table.columns) {
      std::string type = column.type + (column.nullable ? "?" : "");
      std::string head = fmt::format("    {:<23}{:<20}{:<7}", column.name, type, column.unit);
      text +=
          head + "\n" + std::string(6, ' ') + Wrap(column.sentence, 74, std::string(6, ' ')) + "\n";
    }
  }
  return text;
}

std::string SchemaAsMarkdown() {
  std::string text =
      "<!-- Generated from src/store/tables.h by `steptrace schema --markdown`; do not edit. -->\n"
      "# Tables of a run\n\n"
      "Each table lies in `tables/<table>/writer=<w>/node=<n>/rank=<r>/<k>.parquet` (without "
      "`rank=` where it has no\nsuch column); `<w>` names who wrote it. Times are int64 "
      "ns since the run began (its epoch), which\nthe manifest holds as UTC. Columns marked *path* "
      "stand in the folders' names (Hive partitioning), not in the files.\n`?` marks columns that "
      "may be null. Only a closed run has these files ([SQL](../how-to/share.md#sql)).\n";
  for (const TableSchema& table : AllTableSchemas()) {
    text += fmt::format(
        "\n## {}\n\n{}\n\n| column | type | unit | meaning |\n| --- | --- | --- | "
        "--- |\n",
        table.name, table.sentence);
    for (const ColumnSchema& column : table.columns) {
      text += fmt::format("| `{}` | {}{} | {} | {} |\n", column.name, column.type,
                          column.nullable ? "?" : "", column.in_path ? "*path*" : column.unit,
                          Escaped(column.sentence));
    }
  }
  return text;
}

std::string SchemaAsJson() {
  nlohmann::ordered_json tables = nlohmann::ordered_json::array();
  for (const TableSchema& table : AllTableSchemas()) {
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    for (const ColumnSchema& column : table.columns) {
      columns.push_back({{"name", column.name},
                         {"type", column.type},
                         {"nullable", column.nullable},
                         {"unit", column.unit},
                         {"meaning", column.sentence},
                         {"in_path", column.in_path}});
    }
    tables.push_back({{"name", table.name}, {"meaning", table.sentence}, {"columns", columns}});
  }
  return tables.dump(2) + "\n";
}

std::string SchemaAsTypeScript() {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Generated from src/store/tables.h by its test; do not edit.\n\n"
      "/** The tables of a run, and the columns of a row of each (docs/reference/schema.md). */\n"
      "export interface Tables {\n";
  for (const TableSchema& table : AllTableSchemas()) {
    text += fmt::format("  {}: {{\n", table.name);
    for (const ColumnSchema& column : table.columns) {
      text += fmt::format("    {}: {};\n", column.name, TypeScriptName(column));
    }
    text += "  };\n";
  }
  return text +
         "}\n\nexport type TableName = keyof Tables;\n"
         "export type ColumnOf<Table extends TableName> = keyof Tables[Table];\n\n"
         "// Columns of `steps` that sum, without their unit.\n" +
         TypeScriptList("STEP_PHASES", kStepPhases) + TypeScriptList("STEP_CAUSES", kStepCauses) +
         TypeScriptList("STEP_STAGES", kStepStages);
}

}  // namespace steptrace::store
