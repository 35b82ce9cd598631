// SPDX-License-Identifier: Apache-2.0
// Each tests/data/derive/*.txt is a test: events as text, and the rows that must come of them,
// however the events are delivered.
#include "analyze/derive/rank_deriver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <tuple>

#include "analyze/derive/event_text.h"
#include "analyze/derive/phase_sums.h"

namespace steptrace::analyze {
namespace {

class DerivationData : public testing::TestWithParam<std::filesystem::path> {};

std::vector<std::vector<std::string>> Cells(const std::vector<store::StepRow>& rows,
                                            const std::vector<std::string>& columns,
                                            const store::StringTable& strings) {
  std::vector<std::vector<std::string>> cells;
  for (const store::StepRow& row : rows) {
    cells.emplace_back();
    for (const std::string& column : columns) {
      const auto cell = CellText(row, column, strings);
      cells.back().push_back(cell.ok() ? *cell : cell.error().text());
    }
  }
  return cells;
}

TEST_P(DerivationData, GivesTheRows) {
  std::ifstream file(GetParam());
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  store::StringTable strings;
  const auto text = ParseEventText(content, strings);
  ASSERT_TRUE(text.ok()) << text.error().text();
  ASSERT_FALSE(text->columns.empty()) << "no expectation";
  for (Delivery delivery : {Delivery::kByTime, Delivery::kInBatches, Delivery::kAtOnce,
                            Delivery::kThreadByThread, Delivery::kWorkersLast}) {
    const auto rows = DeriveText(*text, delivery, strings);
    EXPECT_EQ(Cells(rows, text->columns, strings), text->rows)
        << "delivery " << static_cast<int>(delivery) << " gives\n"
        << RowsText(rows, text->columns, strings) << "\nin full\n"
        << RowsText(rows, {}, strings);
    for (const auto& row : rows) EXPECT_TRUE(SumsExactly(row)) << "step " << row.step;
  }
}

std::vector<std::filesystem::path> DataFiles() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(STEPTRACE_DERIVE_DATA)) {
    if (entry.path().extension() == ".txt") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// Columns that nothing sets would be read as zeros: each tells something of some of these
// trainings.
TEST(Derivation, FillsTheColumnsOfSteps) {
  std::set<std::string> unset;
  std::apply([&](const auto&... fields) { (unset.insert(fields.name), ...); },
             store::TableOf<store::StepRow>::kFields);
  for (const std::filesystem::path& path : DataFiles()) {
    std::ifstream file(path);
    const std::string content{std::istreambuf_iterator<char>(file), {}};
    store::StringTable strings;
    const auto text = ParseEventText(content, strings);
    ASSERT_TRUE(text.ok()) << path << text.error().text();
    for (const store::StepRow& row : DeriveText(*text, Delivery::kByTime, strings)) {
      std::erase_if(unset, [&](const std::string& column) {
        const std::string cell = *CellText(row, column, strings);
        return cell != "0" && cell != "-";
      });
    }
  }
  // Whose steps they are is its owner's to say; that time was read from storage, stacks tell alone.
  EXPECT_EQ(unset, (std::set<std::string>{"node", "rank", "storage_read_ns"}));
}

INSTANTIATE_TEST_SUITE_P(Derive, DerivationData, testing::ValuesIn(DataFiles()),
                         [](const auto& param_info) { return param_info.param.stem().string(); });

}  // namespace
}  // namespace steptrace::analyze
