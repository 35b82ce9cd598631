// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "import/core/rows/losses.h"
#include "import/formats/kineto/event_texts.h"
#include "import/json/json_text.h"

namespace steptrace::import::kineto {

// What a file says of itself beside its events: members of the top level.
class TraceMembers {
 public:
  TraceMembers(EventTexts& texts, LossCounts& lost) : texts_(texts), lost_(lost) {}

  void Take(std::string_view key, const json::Value& value);

  // A member as compact JSON; empty: there was none.
  const std::string& Of(const std::string& key) const;
  // Whether there was one that Kineto alone writes.
  bool is_kineto() const { return is_kineto_; }
  // What to add to the events' times for UTC.
  std::optional<int64_t> BaseNs() const;
  // Whether it holds a base that is no time.
  bool has_bad_base() const;

 private:
  EventTexts& texts_;
  LossCounts& lost_;
  std::map<std::string, std::string> members_;
  bool is_kineto_ = false;
};

}  // namespace steptrace::import::kineto
