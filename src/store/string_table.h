// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

#include "base/text_hash.h"
#include "base/utf8.h"

namespace steptrace::store {

// A text of a run by number. Rows carry it in place of the text; files carry it as a dictionary.
enum class StringId : int32_t { kEmpty = 0 };

// The texts of one run in memory. One thread. Texts live as long as the table.
//
// Names come from strangers, and files hold UTF-8: a text is cleaned before it gets its number. So
// two numbers are never the same text, neither here nor in the dictionaries of files.
class StringTable {
 public:
  StringTable() { Intern(""); }

  StringId Intern(std::string_view text) {
    if (auto found = ids_.find(text); found != ids_.end()) return found->second;
    if (!IsUtf8(text)) return Intern(CleanUtf8(text));
    auto id = static_cast<StringId>(texts_.size());
    texts_.emplace_back(text);
    ids_.emplace(texts_.back(), id);
    return id;
  }
  bool Find(std::string_view text, StringId* id) const {
    auto found = ids_.find(text);
    if (found == ids_.end()) return !IsUtf8(text) && Find(CleanUtf8(text), id);
    *id = found->second;
    return true;
  }
  const std::string& Text(StringId id) const { return texts_.at(static_cast<size_t>(id)); }
  int32_t size() const { return static_cast<int32_t>(texts_.size()); }

 private:
  std::deque<std::string> texts_;  // stable addresses: the keys below point into it
  SeededMap<std::string_view, StringId> ids_;
};

}  // namespace steptrace::store
