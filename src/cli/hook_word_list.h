// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/hooks.toml.
#pragma once

#include <string_view>

namespace steptrace::cli {

// clang-format off
inline constexpr std::string_view kHookWords[] = {
    "data",  // Waits for the next batch, and what the `DataLoader` is set to
    "worker",  // Fetch, collate and send of `DataLoader` workers, and processes of `torch.multiprocessing`
    "backward",  // Backward passes (`torch.autograd`)
    "optimizer",  // Optimizer steps: they end a training step
    "device",  // Phases as the GPU reached them, and CUDA graphs
    "operators",  // Capture windows of operators and kernels, and the begin and end of the script's own profiler
    "checkpoint",  // `torch.save`, `torch.load`, and those of safetensors
    "communication",  // Collectives of `torch.distributed`, and what data-parallel wrappers are set to
    "compile",  // `torch.compile` at work, and why it compiles anew
    "lightning",  // Forward, evaluation, logging and checkpoints as Lightning names them
    "transformers",  // Forward, evaluation, logging and checkpoints as Transformers' `Trainer` names them
    "framework",  // Names and versions of frameworks
    "gc",  // Python's garbage collections
};
// clang-format on

}  // namespace steptrace::cli
