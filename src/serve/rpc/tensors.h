// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace steptrace::rpc {

struct TensorsQuery {
  std::string module;           // an extended regular expression that names have; empty: all
  std::string role;             // empty: all
  std::optional<int64_t> step;  // as it was last seen by then; absent: last of all
  bool only_then = false;       // not before that step
};

// A tensor as it was seen last: what is known of its finite elements is absent where none is.
struct SeenTensor {
  std::string tensor;
  std::string role;
  std::string type;
  int32_t rank = -1;
  int64_t step = 0;
  int64_t numel = 0;
  int64_t not_finite = 0;
  int64_t zeros = 0;
  std::optional<double> min{};
  std::optional<double> max{};
  std::optional<double> mean{};
  std::optional<double> mean_abs{};
  std::optional<double> rms{};
};

struct SeenTensors {
  std::vector<SeenTensor> tensors;  // in the order in which they were first seen
  bool any = false;                 // there are some, asked for or not
};

// Of each rank; memory grows with the tensors, not with the steps.
Result<SeenTensors> ReadTensors(const std::filesystem::path& run, const TensorsQuery& query);

}  // namespace steptrace::rpc
