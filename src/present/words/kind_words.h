// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

// How a kind's words are declared; the words themselves: finding_words.h.
namespace steptrace::present {

// One case of a clause; the first of a name that holds is said.
struct ClauseWords {
  std::string_view name;
  std::string_view subject;       // what has to be known, of a flag to hold; empty: always
  std::optional<int64_t> equals;  // ... and to be this
  std::string_view said;
};

struct PartWords {
  std::string_view sentence;  // {name}: a figure, a text, a clause, or the items
  std::span<const ClauseWords> clauses;
};

struct KindWords {
  PartWords whole;
  PartWords item;
  std::string_view separator, last;  // between two items, and before the last one
};

}  // namespace steptrace::present
