// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "import/kineto/arg_fate.h"
#include "import/kineto/json_text.h"

namespace steptrace::import {

struct Arg {
  std::string_view key;
  json::Value value;
  ArgFate fate = ArgFate::kDetail;

  // From the quote before its key to the end of its value, as it stands in the text.
  const char* begin() const { return key.data() - 1; }
  const char* end() const {
    return value.text.data() + value.text.size() + (value.kind == json::Value::Kind::kString);
  }
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

  void Clear() {
    phase = name = category = pid = tid = ts = dur = id = {};
    args.clear();
    duplicate_keys = 0;
  }
  char ph() const { return phase.text.size() == 1 ? phase.text[0] : '\0'; }
};

// Where the values of an event stand in its text, in their order.
struct Trail {
  enum class Target : uint8_t { kField, kArg, kNothing };
  struct Value {
    Target target = Target::kNothing;
    json::Value RawEvent::*field = nullptr;
    std::string_view key;
    json::Value value;
  };
  std::vector<Value> values;
};

// Reads the event whose bracket is at p; returns what follows it.
const char* ReadEvent(const char* p, json::Scan& scan, RawEvent* event, Trail* trail);

}  // namespace steptrace::import
