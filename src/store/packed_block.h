// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

#include "store/tables.h"

namespace steptrace::store {

// What all numbers of a column lie within.
struct ColumnBounds {
  int64_t least = 0;
  int64_t most = 0;
};

// Rows that lie side by side: the least number of each column, and of each row by how much its own
// is above that, in as few bytes as the block needs. A column that may be null is two: whether
// there is a number, and the number.
template <class Row>
class PackedBlock {
 public:
  static constexpr size_t kMostRows = 128;  // as they are they fit the cache

  explicit PackedBlock(std::span<const Row> rows) { Pack(rows, Fields()); }

  // As the block knows them without its rows: often they answer what is asked of the column.
  template <size_t kField>
  ColumnBounds BoundsOf() const {
    static_assert(!kNullable<kField>);
    const Column& column = columns_[kFirst[kField]];
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    const uint64_t room = static_cast<uint64_t>(kMost) - column.least;
    return {static_cast<int64_t>(column.least),
            column.mask > room ? kMost : static_cast<int64_t>(column.least + column.mask)};
  }
  // Of the first rows.
  template <size_t kField>
  void ReadColumn(std::span<int64_t> numbers) const {
    static_assert(!kNullable<kField>);
    const Column column = columns_[kFirst[kField]];
    const uint8_t* row = bytes_.get();
    for (int64_t& number : numbers) {
      number = column.Read(row);
      row += row_bytes_;
    }
  }

  // Inlined, so that nothing is read of the columns that the caller leaves alone.
  [[gnu::always_inline]] Row At(size_t place) const {
    Row row;
    Unpack(bytes_.get() + place * row_bytes_, row, Fields());
    return row;
  }

 private:
  static_assert(std::endian::native == std::endian::little);
  using Table = TableOf<Row>;
  static constexpr size_t kFields = std::tuple_size_v<decltype(Table::kFields)>;
  using Fields = std::make_index_sequence<kFields>;

  struct Column {
    uint64_t least = 0;
    uint64_t mask = 0;    // of the bytes that it has in a row
    uint32_t offset = 0;  // where in the row they are

    [[gnu::always_inline]] int64_t Read(const uint8_t* row) const {
      uint64_t above;
      std::memcpy(&above, row + offset, sizeof(above));
      return static_cast<int64_t>(least + (above & mask));
    }
    // All eight bytes: those behind its own belong to what is written next.
    [[gnu::always_inline]] void Write(int64_t number, uint8_t* row) const {
      const uint64_t above = static_cast<uint64_t>(number) - least;
      std::memcpy(row + offset, &above, sizeof(above));
    }
  };

  template <size_t kField>
  static constexpr auto kMember = std::get<kField>(Table::kFields).member;
  template <size_t kField>
  using Member =
      std::remove_cvref_t<decltype(std::declval<Row>().*std::get<kField>(Table::kFields).member)>;
  template <size_t kField>
  static constexpr bool kNullable = requires(Member<kField> member) {
    member.has_value();
  };
  template <size_t... kField>
  static constexpr std::array<size_t, kFields + 1> FirstColumns(std::index_sequence<kField...>) {
    std::array<size_t, kFields + 1> first{};
    ((first[kField + 1] = first[kField] + (kNullable<kField> ? 2 : 1)), ...);
    return first;
  }
  static constexpr std::array<size_t, kFields + 1> kFirst = FirstColumns(Fields());

  template <size_t kField>
  static int64_t NumberOf(const Row& row) {
    if constexpr (kNullable<kField>) {
      return static_cast<int64_t>((row.*kMember<kField>).value_or(0));
    } else {
      return static_cast<int64_t>(row.*kMember<kField>);
    }
  }

  template <class NumberOf>
  void Fit(std::span<const Row> rows, const NumberOf& number_of, Column& column) {
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t most = std::numeric_limits<int64_t>::min();
    for (const Row& row : rows) {
      least = std::min(least, number_of(row));
      most = std::max(most, number_of(row));
    }
    column.least = static_cast<uint64_t>(least);
    const auto bits = std::bit_width(static_cast<uint64_t>(most) - column.least);
    const auto bytes = static_cast<uint32_t>((bits + 7) / 8);
    column.mask = bytes == 0 ? 0 : ~uint64_t{0} >> (64 - 8 * bytes);
    column.offset = row_bytes_;
    row_bytes_ += bytes;
  }

  template <size_t kField>
  void FitField(std::span<const Row> rows) {
    constexpr size_t kAt = kFirst[kField];
    if constexpr (kNullable<kField>) {
      Fit(
          rows, [](const Row& row) -> int64_t { return (row.*kMember<kField>).has_value(); },
          columns_[kAt + 1]);
    }
    Fit(rows, NumberOf<kField>, columns_[kAt]);
  }

  template <size_t kField>
  [[gnu::always_inline]] void WriteField(const Row& row, uint8_t* to) const {
    constexpr size_t kAt = kFirst[kField];
    if constexpr (kNullable<kField>) {
      columns_[kAt + 1].Write((row.*kMember<kField>).has_value(), to);
    }
    columns_[kAt].Write(NumberOf<kField>(row), to);
  }

  template <size_t kField>
  [[gnu::always_inline]] void ReadField(const uint8_t* from, Row& row) const {
    constexpr size_t kAt = kFirst[kField];
    auto& member = row.*kMember<kField>;
    if constexpr (kNullable<kField>) {
      using Value = typename Member<kField>::value_type;
      if (columns_[kAt + 1].Read(from) != 0) member = static_cast<Value>(columns_[kAt].Read(from));
    } else {
      member = static_cast<Member<kField>>(columns_[kAt].Read(from));
    }
  }

  template <size_t... kField>
  void Pack(std::span<const Row> rows, std::index_sequence<kField...>) {
    (FitField<kField>(rows), ...);
    bytes_ = std::make_unique<uint8_t[]>(rows.size() * row_bytes_ + sizeof(uint64_t));
    uint8_t* to = bytes_.get();
    for (const Row& row : rows) {
      (WriteField<kField>(row, to), ...);
      to += row_bytes_;
    }
  }

  template <size_t... kField>
  [[gnu::always_inline]] void Unpack(const uint8_t* from, Row& row,
                                     std::index_sequence<kField...>) const {
    (ReadField<kField>(from, row), ...);
  }

  std::array<Column, kFirst[kFields]> columns_;
  uint32_t row_bytes_ = 0;
  std::unique_ptr<uint8_t[]> bytes_;
};

}  // namespace steptrace::store
