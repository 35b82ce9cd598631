// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "agent/ingest/hooks_mark_list.h"

// What Python's hooks leave in the folder of rings (python/steptrace/_hooks/__init__.py): names
// alone, so that a Python that shows no ring is told by what it is. A process leaves one at its
// start, and one more if it cannot record.
namespace steptrace::agent {

class HooksMarks {
 public:
  static HooksMarks Read(const std::filesystem::path& folder);

  void Add(HooksMark mark, int32_t pid) { Of(mark).set(Slot(pid)); }
  void Remove(const HooksMarks& others) {
    for (size_t i = 0; i < marks_.size(); ++i) marks_[i] &= ~others.marks_[i];
  }
  bool Any(HooksMark mark) const { return Of(mark).any(); }
  bool Has(HooksMark mark, int32_t pid) const { return Of(mark).test(Slot(pid)); }
  // Whether the hooks got into that process, to whatever end.
  bool Reached(int32_t pid) const {
    return Has(HooksMark::kLoaded, pid) || Has(HooksMark::kOff, pid);
  }

 private:
  using Slots = std::bitset<kHooksMarkSlots>;
  static size_t Slot(int32_t pid) { return static_cast<size_t>(pid) % kHooksMarkSlots; }
  Slots& Of(HooksMark mark) { return marks_[static_cast<size_t>(mark)]; }
  const Slots& Of(HooksMark mark) const { return marks_[static_cast<size_t>(mark)]; }

  std::array<Slots, kHooksMarkCount> marks_;
};

// The parts of such a name.
struct HooksMarkName {
  HooksMark mark = HooksMark::kLoaded;
  int32_t slot = 0;
};
std::optional<HooksMarkName> ParseHooksMark(std::string_view name);

}  // namespace steptrace::agent
