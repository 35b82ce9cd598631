// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/fnv.h"
#include "base/utf8.h"

namespace steptrace::import {

// A name that stands once and belongs to many events is copied or compared for each: of a megabyte
// that would be a megabyte an event.
inline constexpr size_t kMostNameBytes = 1024;

// The name; of a longer one its begin, and a hash of all of it, so that two names stay two. `cut`
// counts those.
inline std::string ShortName(std::string_view name, int64_t* cut) {
  if (name.size() <= kMostNameBytes) return std::string(name);
  ++*cut;
  return fmt::format("{}… #{:016x}", name.substr(0, WholeCharacters(name, kMostNameBytes)),
                     Fnv1a(name));
}

}  // namespace steptrace::import
