// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "import/kineto/event.h"
#include "import/run_sink.h"

namespace steptrace::import {

// Sorts an event's arguments: those with a column of their own go to the slice, those that are
// unique to each event and mean nothing to analysis are left out, all others become `details`, one
// JSON object with the source's keys in their order. docs/reference/import.md lists them.
class ArgsSorter {
 public:
  // The object is valid until the next call; empty: there are no details.
  const std::string& Sort(const RawEvent& event, bool on_device, Slice* slice);

  int64_t not_a_number() const { return not_a_number_; }  // values replaced by null so far

 private:
  void AppendDetail(const Arg& arg);

  std::string details_;
  int64_t not_a_number_ = 0;
};

}  // namespace steptrace::import
