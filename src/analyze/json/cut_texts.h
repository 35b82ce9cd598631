// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

// Texts of a report bounded for a page: a name that came from a trace may be a megabyte long, and a
// page with a thousand of those stands still. What is cut can be told apart and asked for whole.
namespace steptrace::analyze {

inline constexpr size_t kMaxPageTextBytes = 512;

// A text's number: 64 bits of its bytes. Against accident only: texts made to collide are shown as
// one.
uint64_t TextId(std::string_view text);

// A text of at most `most_bytes` as it is; of a longer one its beginning, cut between characters,
// and a mark: "… [1000000 bytes, text 0123456789abcdef]" with its TextId in hex.
std::string CutText(std::string_view text, size_t most_bytes);

// Cuts all texts in a value, and the names of its members.
void CutTexts(nlohmann::ordered_json& value, size_t most_bytes);

// The text in a value, members' names included, that has this number.
std::optional<std::string> FindText(const nlohmann::ordered_json& value, uint64_t id);

}  // namespace steptrace::analyze
