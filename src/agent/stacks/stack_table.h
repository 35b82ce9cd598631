// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/stacks/thread_stack.h"

namespace steptrace::agent {

// A stack that was seen for the first time: its innermost frame and the stack of the caller.
struct NewStack {
  int32_t stack = 0;
  std::optional<int32_t> parent;
  std::string function;
  std::string file;
  int32_t line = 0;
};

// Numbers the stacks of a run from 0 in order of first sight, so that a caller's number is smaller
// than its callee's. Bounded: beyond kMaxStacks new ones are the one stack "(too many stacks)".
class StackTable {
 public:
  static constexpr size_t kMaxStacks = size_t{1} << 20;

  explicit StackTable(const TextTable& texts, size_t max_stacks = kMaxStacks)
      : texts_(texts), max_stacks_(max_stacks) {}

  // `frames`: outermost first, at least one. `cut`: a frame "(outer frames)" is put before them.
  int32_t Intern(const std::vector<FrameFacts>& frames, bool cut);
  // Those that came since the last call.
  std::vector<NewStack> TakeNew() { return std::exchange(new_, {}); }
  int64_t too_many() const { return too_many_; }  // samples whose stack had no room

 private:
  struct Key {
    int32_t parent = -1;
    uint32_t function = 0;
    uint32_t file = 0;
    int32_t line = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    size_t operator()(const Key& key) const;
  };
  int32_t Add(std::optional<int32_t> parent, std::string function, std::string file, int32_t line);
  int32_t Named(std::optional<int32_t>& stack, const char* name);

  const TextTable& texts_;
  size_t max_stacks_;
  std::unordered_map<Key, int32_t, KeyHash> stacks_;
  std::vector<NewStack> new_;
  int32_t next_ = 0;
  std::optional<int32_t> full_;
  std::optional<int32_t> outer_;
  int64_t too_many_ = 0;
};

}  // namespace steptrace::agent
