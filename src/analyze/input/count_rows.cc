// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/count_rows.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace steptrace::analyze {
namespace {

using model::Compare;
using model::Condition;

template <class A, class B>
bool Holds(Compare is, const A& a, const B& b) {
  switch (is) {
    case Compare::kEqual:
      return a == b;
    case Compare::kLess:
      return a < b;
    case Compare::kAtMost:
      return a <= b;
    case Compare::kMore:
      return a > b;
    case Compare::kAtLeast:
      return a >= b;
  }
  return false;
}

template <class T>
struct IsOptional : std::false_type {};
template <class T>
struct IsOptional<std::optional<T>> : std::true_type {};

// A null meets no comparison, and a text none with a number.
template <class T>
bool Meets(const Condition& condition, const T& value, const store::StringTable& strings) {
  if constexpr (IsOptional<T>::value) {
    return value && Meets(condition, *value, strings);
  } else if constexpr (std::is_same_v<T, store::StringId>) {
    return Meets(condition, strings.Text(value), strings);
  } else if constexpr (std::is_same_v<T, std::string>) {
    const auto* text = std::get_if<std::string>(&condition.value);
    return text != nullptr && Holds(condition.is, value, *text);
  } else {
    const auto* number = std::get_if<int64_t>(&condition.value);
    return number != nullptr && Holds(condition.is, value, static_cast<T>(*number));
  }
}

template <class Row>
using Test = std::function<bool(const Row&)>;

// A condition on a column of whole numbers, or of texts: the same texts have the same number.
// Tables of millions of rows are asked for a column at a time, of as many rows as lie side by side,
// where not all of these are alike by what they lie within.
template <class Row>
struct NumberTest {
  using Block = store::PackedBlock<Row>;
  int64_t (*of_row)(const Row& row);
  // Null where the table is not packed.
  store::ColumnBounds (*bounds)(const Block& block);
  void (*of_rows)(const Block& block, std::span<int64_t> numbers);
  Compare is;
  int64_t wanted;
};

template <class Row, size_t kField>
constexpr auto kMemberOf = std::get<kField>(store::TableOf<Row>::kFields).member;

// Of millions of rows; a table that is small holds its rows as they are.
template <class Row>
constexpr bool kIsPacked = std::is_same_v<Row, store::StepRow>;

template <class Row, size_t kField>
NumberTest<Row> TestOfColumn(Compare is, int64_t wanted) {
  const auto of_row = [](const Row& row) {
    return static_cast<int64_t>(row.*kMemberOf<Row, kField>);
  };
  if constexpr (!kIsPacked<Row>) {
    return {of_row, nullptr, nullptr, is, wanted};
  } else {
    using Block = store::PackedBlock<Row>;
    const auto bounds = [](const Block& block) { return block.template BoundsOf<kField>(); };
    const auto of_rows = [](const Block& block, std::span<int64_t> numbers) {
      block.template ReadColumn<kField>(numbers);
    };
    return {of_row, bounds, of_rows, is, wanted};
  }
}

// Whether numbers within such bounds meet a comparison: true, false, or some do.
std::optional<bool> AllHold(const store::ColumnBounds& bounds, Compare is, int64_t wanted) {
  if (is == Compare::kEqual && (wanted < bounds.least || wanted > bounds.most)) return false;
  if (is == Compare::kEqual && bounds.least < bounds.most) return std::nullopt;
  const bool least = Holds(is, bounds.least, wanted);
  return least == Holds(is, bounds.most, wanted) ? std::optional(least) : std::nullopt;
}

constexpr int64_t kNoText = -1;  // no text has this number

template <class Row, size_t kField>
std::optional<NumberTest<Row>> NumberTestOf(const Condition& condition,
                                            const store::StringTable& strings) {
  using Value = std::remove_cvref_t<decltype(std::declval<Row>().*kMemberOf<Row, kField>)>;
  if constexpr (std::is_same_v<Value, store::StringId>) {
    const auto* text = std::get_if<std::string>(&condition.value);
    // Which text comes before which the numbers do not say.
    if (text == nullptr || condition.is != Compare::kEqual) return std::nullopt;
    store::StringId found{};
    const int64_t wanted = strings.Find(*text, &found) ? static_cast<int64_t>(found) : kNoText;
    return TestOfColumn<Row, kField>(condition.is, wanted);
  } else if constexpr (std::integral<Value>) {
    const auto* number = std::get_if<int64_t>(&condition.value);
    if (number == nullptr) return std::nullopt;
    return TestOfColumn<Row, kField>(condition.is, *number);
  } else {
    return std::nullopt;
  }
}

template <class Row>
std::optional<NumberTest<Row>> NumberTestOf(const Condition& condition,
                                            const store::StringTable& strings) {
  std::optional<NumberTest<Row>> test;
  using Fields = std::remove_cvref_t<decltype(store::TableOf<Row>::kFields)>;
  const auto try_fields = [&]<size_t... kField>(std::index_sequence<kField...>) {
    ((std::get<kField>(store::TableOf<Row>::kFields).name == condition.column &&
      (test = NumberTestOf<Row, kField>(condition, strings))),
     ...);
  };
  try_fields(std::make_index_sequence<std::tuple_size_v<Fields>>());
  return test;
}

// Empty: the table has no such column.
template <class Row>
Test<Row> TestOf(const Condition& condition, const store::StringTable& strings) {
  Test<Row> test;
  const auto try_field = [&](const auto& field) {
    if (condition.column != field.name) return;
    test = [&condition, &strings, member = field.member](const Row& row) {
      return Meets(condition, row.*member, strings);
    };
  };
  std::apply([&](const auto&... fields) { (try_field(fields), ...); },
             store::TableOf<Row>::kFields);
  return test;
}

// The predicates on one table, each counted once whoever names it, all in one pass.
template <class Row>
class Predicates {
 public:
  explicit Predicates(const store::StringTable& strings) : strings_(strings) {}

  void Add(model::Rows& rows) {
    const auto [found, added] = by_text_.try_emplace(WhereText(rows.where), counted_.size());
    if (added) {
      counted_.emplace_back();
      for (const Condition& one : rows.where) AddCondition(one, counted_.back());
    }
    asked_.emplace_back(&rows, found->second);
  }
  bool empty() const { return counted_.empty(); }

  void Count(const Row& row) {
    for (Counted& one : counted_) one.count += one.known && one.Holds(row);
  }
  void Count(const store::PackedRows<Row>& rows) {
    size_t left = rows.size();
    for (const store::PackedBlock<Row>& block : rows.blocks()) {
      const size_t many = std::min(kSideBySide, left);
      left -= many;
      for (Counted& one : counted_) {
        if (one.known) one.count += one.CountOf(block, many);
      }
    }
  }
  void Answer() const {
    for (const auto& [rows, at] : asked_) {
      if (counted_[at].known) rows->count = counted_[at].count;
    }
  }

 private:
  static constexpr size_t kSideBySide = store::PackedBlock<Row>::kMostRows;

  struct Counted {
    std::vector<NumberTest<Row>> numbers;
    std::vector<Test<Row>> others;
    bool known = true;
    int64_t count = 0;

    bool Holds(const Row& row) const {
      return std::ranges::all_of(numbers,
                                 [&row](const NumberTest<Row>& test) {
                                   return analyze::Holds(test.is, test.of_row(row), test.wanted);
                                 }) &&
             OthersHold(row);
    }
    bool OthersHold(const Row& row) const {
      return std::ranges::all_of(others, [&row](const Test<Row>& holds) { return holds(row); });
    }
    int64_t CountOf(const store::PackedBlock<Row>& block, size_t many) const {
      bool all = others.empty();
      for (const NumberTest<Row>& test : numbers) {
        const auto holds = AllHold(test.bounds(block), test.is, test.wanted);
        if (holds == false) return 0;
        all &= holds.has_value();
      }
      return all ? static_cast<int64_t>(many) : CountByRow(block, many);
    }
    int64_t CountByRow(const store::PackedBlock<Row>& block, size_t many) const {
      std::array<bool, kSideBySide> held;
      std::fill_n(held.begin(), many, true);
      std::array<int64_t, kSideBySide> column;
      for (const NumberTest<Row>& test : numbers) {
        if (AllHold(test.bounds(block), test.is, test.wanted)) continue;
        test.of_rows(block, std::span(column.data(), many));
        for (size_t i = 0; i < many; ++i) {
          held[i] &= analyze::Holds(test.is, column[i], test.wanted);
        }
      }
      if (!others.empty()) {
        for (size_t i = 0; i < many; ++i) held[i] = held[i] && OthersHold(block.At(i));
      }
      return std::count(held.begin(), held.begin() + many, true);
    }
  };

  void AddCondition(const Condition& condition, Counted& to) {
    if (const auto test = NumberTestOf<Row>(condition, strings_)) {
      to.numbers.push_back(*test);
      return;
    }
    to.others.push_back(TestOf<Row>(condition, strings_));
    to.known &= static_cast<bool>(to.others.back());
  }

  const store::StringTable& strings_;
  std::map<std::string, size_t> by_text_;
  std::vector<Counted> counted_;
  std::vector<std::pair<model::Rows*, size_t>> asked_;
};

bool IsTimed(std::string_view table) {
  return table == store::TableOf<store::StepRow>::kName ||
         table == store::TableOf<store::CounterRow>::kName ||
         table == store::TableOf<store::SliceRow>::kName;
}

void Narrow(const TableRows& which, model::Rows& rows) {
  if (!IsTimed(rows.table)) return;
  if (which.from_ns) rows.where.push_back({"ts_ns", Compare::kAtLeast, *which.from_ns});
  if (which.to_ns) rows.where.push_back({"ts_ns", Compare::kLess, *which.to_ns});
}

bool IsTimeBound(const TableRows& which, const Condition& one) {
  if (one.column != "ts_ns") return false;
  const auto is = [&one](const std::optional<int64_t>& bound) {
    const auto* ns = std::get_if<int64_t>(&one.value);
    return bound && ns != nullptr && *ns == *bound;
  };
  return (one.is == Compare::kAtLeast && is(which.from_ns)) ||
         (one.is == Compare::kLess && is(which.to_ns));
}

// Of one category, in the time range that was read: of other rows nobody counted how many there
// are.
std::optional<int64_t> SlicesOf(const ReadTables& read, const model::Conditions& where) {
  const auto* category = where.empty() ? nullptr : std::get_if<std::string>(&where[0].value);
  if (category == nullptr || where[0].column != "category") return std::nullopt;
  if (where[0].is != Compare::kEqual) return std::nullopt;
  const bool no_more = std::all_of(where.begin() + 1, where.end(), [&](const Condition& one) {
    return IsTimeBound(read.which, one);
  });
  if (!no_more) return std::nullopt;
  int64_t count = 0;
  for (const RankTrace& rank : read.profile->ranks) {
    for (const auto& [of, rows] : rank.rows_by_category) {
      if (read.profile->Text(of) == *category) count += rows;
    }
  }
  return count;
}

// By track and time; of other columns a series knows nothing.
std::optional<int64_t> CountersOf(const ReadTables& read, const model::Conditions& where) {
  int64_t count = 0;
  for (const Condition& one : where) {
    if (one.column != "track" && one.column != "ts_ns") return std::nullopt;
  }
  for (const CounterSeries& series : read.counters) {
    const bool on_track = std::all_of(where.begin(), where.end(), [&](const Condition& one) {
      return one.column != "track" || Meets(one, series.track, read.strings);
    });
    if (!on_track) continue;
    for (const int64_t ts_ns : series.times_ns) {
      count += std::all_of(where.begin(), where.end(), [&](const Condition& one) {
        return one.column == "track" || Meets(one, ts_ns, read.strings);
      });
    }
  }
  return count;
}

template <class Row>
std::optional<int64_t> CountIn(std::span<const Row> table, const store::StringTable& strings,
                               model::Rows rows) {
  Predicates<Row> predicates(strings);
  predicates.Add(rows);
  for (const Row& row : table) predicates.Count(row);
  predicates.Answer();
  return rows.count;
}

std::optional<int64_t> CountOther(const ReadTables& read, const model::Rows& rows) {
  if (rows.table == store::TableOf<store::CounterRow>::kName) return CountersOf(read, rows.where);
  if (rows.table == store::TableOf<store::SliceRow>::kName && read.profile) {
    return SlicesOf(read, rows.where);
  }
  if (rows.table == store::TableOf<store::RunMetadataRow>::kName) {
    return CountIn(read.facts, read.strings, rows);
  }
  if (rows.table == store::TableOf<store::DataLossRow>::kName) {
    return CountIn(read.losses, read.strings, rows);
  }
  return std::nullopt;
}

bool WasRead(const TableRows& which, std::string_view table) {
  if (table == store::TableOf<store::StepRow>::kName) return which.whole && which.has_steps;
  if (table == store::TableOf<store::CounterRow>::kName ||
      table == store::TableOf<store::SliceRow>::kName) {
    return which.whole && which.has_tracks;
  }
  return which.whole;
}

}  // namespace

void CountRows(const ReadTables& read, std::span<model::Finding* const> findings) {
  Predicates<store::StepRow> of_steps(read.strings);
  std::map<std::pair<std::string, std::string>, std::optional<int64_t>> counted;
  for (model::Finding* finding : findings) {
    model::Rows& rows = finding->rows;
    if (rows.table.empty() || !WasRead(read.which, rows.table)) continue;
    if (rows.table == store::TableOf<store::SampleRow>::kName && read.which.samples) {
      rows = *read.which.samples;
      continue;
    }
    Narrow(read.which, rows);
    if (rows.table == store::TableOf<store::StepRow>::kName) {
      of_steps.Add(rows);
      continue;
    }
    const auto [found, added] = counted.try_emplace({rows.table, WhereText(rows.where)});
    if (added) found->second = CountOther(read, rows);
    rows.count = found->second;
  }
  if (!of_steps.empty()) {
    of_steps.Count(read.steps);
    for (const store::StepRow& row : read.which.cut_steps) of_steps.Count(row);
    of_steps.Answer();
  }
  for (model::Finding* finding : findings) {
    if (!finding->rows.count) finding->rows = {};
  }
}

}  // namespace steptrace::analyze
