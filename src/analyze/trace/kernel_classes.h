// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/kernel_classes.toml.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steptrace::analyze {

// clang-format off
enum class KernelClass : uint8_t {
  kGemm,  // Matrix products
  kConvolution,  // Convolutions and their gradients, with the kernels that prepare them
  kAttention,  // Fused attention
  kElementwise,  // One result for each element: activations, sums of tensors, dropout, rotary embedding, quantisation, optimizers
  kNormalisation,  // Batch, layer, group and RMS norm, softmax
  kReduction,  // Sums, means, norms, scans, losses, pooling
  kIndexing,  // Embeddings, gather, scatter, sort, top-k, routing of tokens
  kCopy,  // Copies, fills, casts, concatenation, transposes and changes of layout
  kCommunication,  // Collectives, send and receive; waiting for other ranks is in it
  kOther,  // Kernels whose name no list knows
};
// clang-format on
inline constexpr size_t kKernelClassCount = 10;

struct KernelClassInfo {
  std::string_view id;
  std::string_view title;
  bool memory_bound;  // its time is that of moving its operands
  bool by_flops;      // what it computes is known by the operator's shapes
};

// clang-format off
inline constexpr std::array<KernelClassInfo, kKernelClassCount> kKernelClasses = {{
    {"gemm", "GEMM", false, true},
    {"convolution", "convolution", false, true},
    {"attention", "attention", false, true},
    {"elementwise", "elementwise", true, false},
    {"normalisation", "normalisation", true, false},
    {"reduction", "reduction", true, false},
    {"indexing", "indexing", false, false},
    {"copy", "copy and fill", true, false},
    {"communication", "communication", false, false},
    {"other", "other", false, false},
}};
// clang-format on

inline constexpr const KernelClassInfo& InfoOf(KernelClass one) {
  return kKernelClasses[static_cast<size_t>(one)];
}

}  // namespace steptrace::analyze
