// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

// The detail of a row of cause `unavailable`: "SOURCE: REASON", where the source has no ": " in it.
// Written and read here alone.
namespace steptrace::store {

struct Unavailable {
  std::string_view source;  // "gpu", "steps"; empty: the row tells none
  std::string_view reason;  // why nothing of it is there, with the next step
};

inline constexpr std::string_view kUnavailableMark = ": ";

inline std::string WriteUnavailable(const Unavailable& what) {
  std::string detail(what.source);
  for (size_t at = detail.find(kUnavailableMark); at != std::string::npos;
       at = detail.find(kUnavailableMark)) {
    detail.erase(at, 1);
  }
  detail += kUnavailableMark;
  detail += what.reason;
  return detail;
}

inline Unavailable ReadUnavailable(std::string_view detail) {
  const size_t mark = detail.find(kUnavailableMark);
  if (mark == std::string_view::npos) return {{}, detail};
  return {detail.substr(0, mark), detail.substr(mark + kUnavailableMark.size())};
}

}  // namespace steptrace::store
