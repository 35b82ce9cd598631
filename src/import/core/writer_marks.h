// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "store/profile_writers.h"

namespace steptrace::import {

// Facts in a profile that tell who wrote it. Its name and place tell nothing.
class WriterMarks {
 public:
  void Key(std::string_view key);         // of a JSON's top level
  void Category(std::string_view name);   // of events
  void Line(std::string_view name);       // of a process or a thread
  void EventName(std::string_view name);  // of an event
  // What an importer knows by the form of the file.
  void Is(store::ProfileWriter writer) { Set(writer); }
  // Those of another part of the same file.
  void Add(const WriterMarks& other) { seen_ |= other.seen_; }

  // kUnknown: nothing tells it.
  store::ProfileWriter Writer() const;

 private:
  void Set(store::ProfileWriter writer) { seen_ |= 1u << static_cast<unsigned>(writer); }
  bool Has(store::ProfileWriter writer) const {
    return (seen_ >> static_cast<unsigned>(writer) & 1u) != 0;
  }

  uint32_t seen_ = 0;  // a bit a writer
};

}  // namespace steptrace::import
