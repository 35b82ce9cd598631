// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "import/kineto/json_text.h"

namespace steptrace::import {

struct Arg {
  std::string_view key;
  json::Value value;
};

// A trace event as it stands in the text; views into the window.
struct RawEvent {
  json::Value phase;
  json::Value name;
  json::Value category;
  json::Value pid;
  json::Value tid;
  json::Value ts;
  json::Value dur;
  json::Value id;
  std::vector<Arg> args;  // of a key that stands twice, the last
  int duplicate_keys = 0;

  char ph() const { return phase.text.size() == 1 ? phase.text[0] : '\0'; }
};

// Reads the event whose bracket is at p; returns what follows it.
const char* ReadEvent(const char* p, json::Scan& scan, RawEvent* event);

}  // namespace steptrace::import
