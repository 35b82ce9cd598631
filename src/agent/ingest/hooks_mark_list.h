// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/hooks.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steptrace::agent {

// clang-format off
enum class HooksMark : uint8_t {
  kLoaded,  // The hooks are in this Python
  kOff,  // They are, and are switched off
  kNoProbe,  // A framework was imported, and nothing can be recorded of it: the probe is missing
  kOtherBuild,  // Likewise: another build of Python, with another layout of objects
  kNoRing,  // Likewise: no ring could be made
  kAside,  // A tool of the script's was on before anything could be recorded
};
inline constexpr size_t kHooksMarkCount = 6;

struct HooksMarkPrefix {
  std::string_view prefix;
  HooksMark mark;
};
inline constexpr HooksMarkPrefix kHooksMarkPrefixes[kHooksMarkCount] = {
    {"hooks.", HooksMark::kLoaded},
    {"hooks_off.", HooksMark::kOff},
    {"hooks_no_probe.", HooksMark::kNoProbe},
    {"hooks_other_build.", HooksMark::kOtherBuild},
    {"hooks_no_ring.", HooksMark::kNoRing},
    {"hooks_aside.", HooksMark::kAside},
};

// A job may start any number of Pythons: those whose pids have one remainder share a name.
inline constexpr int32_t kHooksMarkSlots = 1024;
// clang-format on

}  // namespace steptrace::agent
