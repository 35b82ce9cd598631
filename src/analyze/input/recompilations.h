// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Why torch.compile compiled a function anew: the guards of its compiled code that failed, as the
// processes told them.
namespace steptrace::analyze {

// By what has to be done about it.
enum class GuardCause : uint8_t {
  kShape,   // sizes of a tensor, or how many dimensions it has
  kTensor,  // its dtype, device, layout, or whether it asks for gradients
  kValue,   // a number or truth value of Python's
  kText,    // a string
  kLength,  // of a list, or the keys of a dict
  kState,   // gradients off, autocast, threads, training or evaluation …
  kObject,  // another object, function or class in the place of one
  kOther,
};

struct Recompilation {
  std::string function;
  std::string file;
  int32_t line = 0;
  std::string guard;                  // as torch has it: "tag == '…'"
  int64_t count = 0;                  // failures, at least
  std::optional<int64_t> limit = {};  // of compilations of the function, where it was reached
};

GuardCause CauseOfGuard(std::string_view guard);

// Adds what a process tells, or replaces what it told before of the same guard.
void ReadRecompilation(const nlohmann::json& fact, std::vector<Recompilation>& to);

// The guard that failed most often; null: none was told.
const Recompilation* MostFailed(const std::vector<Recompilation>& all);
// Of functions of which no more is compiled, that with most failures; null: there is none.
const Recompilation* AtLimit(const std::vector<Recompilation>& all);

}  // namespace steptrace::analyze
