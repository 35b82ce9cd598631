// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>

#include "analyze/trace/kernel_classes.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Parts of names in lower case; `*` in one stands for any text.
struct KernelClassPatterns {
  KernelClass of;
  std::span<const std::string_view> any;
};

// In the order in which they are asked (schema/kernel_classes.toml).
std::span<const KernelClassPatterns> KernelNameLists();

// What a kernel does, as far as its name tells. The first 2000 bytes of the name are read.
KernelClass ClassOfKernel(std::string_view name);

// The class of a device's work. Each name is read once.
class KernelClassReader {
 public:
  explicit KernelClassReader(const store::StringTable& strings) : strings_(strings) {}
  KernelClass Of(const TraceEvent& work);

 private:
  const store::StringTable& strings_;
  std::unordered_map<store::StringId, KernelClass> classes_;
};

}  // namespace steptrace::analyze
