// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/stack_table.h"

namespace steptrace::agent {

// splitmix64's finalizer (Steele, Lea, Flood 2014) over both halves.
size_t StackTable::KeyHash::operator()(const Key& key) const {
  const auto mix = [](uint64_t value) {
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9;
    value = (value ^ value >> 27) * 0x94d049bb133111eb;
    return value ^ value >> 31;
  };
  const uint64_t names = uint64_t{key.function} << 32 | key.file;
  const uint64_t place =
      uint64_t{static_cast<uint32_t>(key.parent)} << 32 | static_cast<uint32_t>(key.line);
  return mix(mix(names + 0x9e3779b97f4a7c15) + place);
}

int32_t StackTable::Add(std::optional<int32_t> parent, std::string function, std::string file,
                        int32_t line) {
  const int32_t number = numbers_->fetch_add(1, std::memory_order_relaxed);
  new_.push_back({number, parent, std::move(function), std::move(file), line});
  return number;
}

int32_t StackTable::Named(std::optional<int32_t>& stack, const char* name) {
  if (!stack) stack = Add(std::nullopt, name, "", 0);
  return *stack;
}

int32_t StackTable::Extend(int32_t caller, const FrameFacts& frame) {
  if (full_ && caller == *full_) return caller;
  const Key key{caller, frame.function, frame.file, frame.line};
  if (const auto found = stacks_.find(key); found != stacks_.end()) return found->second;
  if (stacks_.size() >= max_stacks_) {
    ++too_many_;
    return Named(full_, "(too many stacks)");
  }
  const auto parent = caller < 0 ? std::nullopt : std::optional(caller);
  return stacks_[key] =
             Add(parent, texts_.Text(frame.function), texts_.Text(frame.file), frame.line);
}

int32_t StackTable::Intern(StackInWords& stack) {
  const size_t known = stack.numbers.size();
  int32_t number = stack.cut ? Named(outer_, "(outer frames)") : -1;
  if (known > 0) number = stack.numbers.back();
  for (size_t i = known; i < stack.frames.size(); ++i) {
    number = Extend(number, stack.frames[i]);
    if (full_ && number == *full_) break;  // asked again each time, and counted
    stack.numbers.push_back(number);
  }
  return number;
}

}  // namespace steptrace::agent
