// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text_hash.h"
#include "import/formats/nsight/database.h"

namespace steptrace::import::nsight {

// The texts that other tables tell by number. Read when they are asked for: of a long recording
// most are of events that nobody stores.
class Texts {
 public:
  explicit Texts(const Database& database) : database_(database) {}

  // Empty: there is none of that number. Valid until the next call.
  const std::string& Of(int64_t id);
  int64_t missing() const { return missing_; }
  int64_t cut() const { return cut_; }  // of over 1 KiB

 private:
  std::string Read(int64_t id);

  const Database& database_;
  SeededMap<int64_t, std::string> known_;
  int64_t missing_ = 0;
  int64_t cut_ = 0;
};

}  // namespace steptrace::import::nsight
