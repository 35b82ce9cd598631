// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "store/tables.h"

// The columns of `steps` that sum, as tables.h declares them and in its order: who goes over them
// forgets none.
namespace steptrace::store {

struct StepColumn {
  std::string_view name;  // without its unit: "data"
  int64_t StepRow::*ns;
};

template <ColumnPart kPart>
constexpr auto StepColumnsOf() {
  constexpr size_t kCount =
      std::apply([](const auto&... field) { return (size_t{0} + ... + (field.part == kPart)); },
                 TableOf<StepRow>::kFields);
  std::array<StepColumn, kCount> columns{};
  size_t at = 0;
  const auto take = [&](const auto& field) {
    if constexpr (std::is_same_v<decltype(field.member), int64_t StepRow::*>) {
      constexpr std::string_view kUnit = "_ns";
      const std::string_view name = field.name;
      if (field.part == kPart) {
        columns[at++] = {name.substr(0, name.size() - kUnit.size()), field.member};
      }
    }
  };
  std::apply([&](const auto&... field) { (take(field), ...); }, TableOf<StepRow>::kFields);
  return columns;
}

inline constexpr auto kStepPhases = StepColumnsOf<ColumnPart::kPhase>();
inline constexpr auto kStepCauses = StepColumnsOf<ColumnPart::kCause>();
inline constexpr auto kStepStages = StepColumnsOf<ColumnPart::kStage>();

}  // namespace steptrace::store
