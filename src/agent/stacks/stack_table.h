// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
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

// Gives out the numbers of a run's stacks, from 0. Any thread.
using StackNumbers = std::atomic<int32_t>;

// Numbers the stacks of a run from 0 in order of first sight, so that a caller's number is smaller
// than its callee's. Bounded: beyond kMaxStacks new ones are the one stack "(too many stacks)".
class StackTable {
 public:
  static constexpr size_t kMaxStacks = size_t{1} << 20;

  explicit StackTable(const CodeTexts& texts, size_t max_stacks = kMaxStacks)
      : StackTable(texts, std::make_shared<StackNumbers>(0), max_stacks) {}
  // Shares its numbers with other tables of the run.
  StackTable(const CodeTexts& texts, std::shared_ptr<StackNumbers> numbers,
             size_t max_stacks = kMaxStacks)
      : texts_(texts), max_stacks_(max_stacks), numbers_(std::move(numbers)) {}

  // The number of a stack of at least one frame; where outer ones were left out, a frame "(outer
  // frames)" is put before them. Remembers in the stack the numbers of its callers.
  int32_t Intern(StackInWords& stack);
  // The stack of `frame`, called by what is on top of another stack of this table; -1: by nothing.
  int32_t Extend(int32_t caller, const FrameFacts& frame);
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

  const CodeTexts& texts_;
  size_t max_stacks_;
  std::unordered_map<Key, int32_t, KeyHash> stacks_;
  std::vector<NewStack> new_;
  std::shared_ptr<StackNumbers> numbers_;
  std::optional<int32_t> full_;
  std::optional<int32_t> outer_;
  int64_t too_many_ = 0;
};

}  // namespace steptrace::agent
