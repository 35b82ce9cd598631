// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/rpc/tensors.h"

namespace steptrace::rpc {

// A tensor in two runs at one step: the last at which both looked at tensors of its role.
struct ComparedTensor {
  std::string tensor;
  std::string role;
  int32_t rank = -1;
  std::optional<SeenTensor> a;  // absent: that run has none such
  std::optional<SeenTensor> b;

  // Of their root mean squares, b by a; absent: one is not known, or nothing can be divided by it.
  std::optional<double> ratio() const;
  bool alike() const;  // all that is known of them
};

// The largest change first: what is finite in one alone, what is in one alone, then by the ratio;
// what is alike last. With `query.step` not beyond it.
Result<std::vector<ComparedTensor>> CompareTensors(const std::filesystem::path& a,
                                                   const std::filesystem::path& b,
                                                   const TensorsQuery& query);

}  // namespace steptrace::rpc
