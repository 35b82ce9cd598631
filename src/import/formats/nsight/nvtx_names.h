// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace steptrace::import::nsight {

// What the text of an NVTX range tells.
struct NvtxName {
  std::string_view name;            // of an operator: without what follows it
  bool is_operator = false;         // PyTorch's, under emit_nvtx
  std::optional<int64_t> sequence;  // of the operator in autograd
  std::string_view shapes;          // "[[2, 3], []]"; empty: not reported
  std::string step_word;            // "iteration" of "Iteration 12"; empty: it is no step
  std::optional<int64_t> step;      // 12 of it; none: all have one name
};

// PyTorch writes "aten::mm, seq = 7, op_id = 12, sizes = [[2, 3], [3, 4]]"
// (torch.autograd.profiler. emit_nvtx, torch/csrc/profiler/standalone/nvtx_observer.cpp). Steps are
// what frameworks and scripts call so: "ProfilerStep#3", "iteration 3", "train_step: 3",
// "global_step=3", "Training step".
NvtxName ReadNvtxName(std::string_view text);

}  // namespace steptrace::import::nsight
