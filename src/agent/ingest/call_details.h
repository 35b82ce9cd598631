// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steptrace::agent {

// What a process says of a kind of calls (wire/vocabulary.h, kDetails), checked.
struct CallDetails {
  std::string json;   // an object, in valid UTF-8, as `slices.details` has it
  std::string group;  // name of the process group; empty: not reported
  // A number for the group: its name where that is one, else a hash of the name that is the same in
  // every process; 0: not reported.
  int64_t group_number = 0;
};

// Nothing: no JSON object, or one that is nested deeper than a description is.
std::optional<CallDetails> ParseCallDetails(std::string_view text);

}  // namespace steptrace::agent
