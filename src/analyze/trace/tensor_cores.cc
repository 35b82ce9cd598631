// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/tensor_cores.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "analyze/trace/name_pattern.h"

namespace steptrace::analyze {
namespace {

// Parts of names, in lower case.
constexpr std::array kPatterns = {
    // The list of torch-tb-profiler: Volta to Ampere.
    "h884",
    "s884",
    "h1688",
    "s1688",
    "hmma",
    "i8816",
    "16816",
    "c1688",
    "dgrad_1x1_stride_2x2",
    "first_layer_wgrad_kernel",
    "conv1x1",
    "conv2d_c1_k1",
    "direct_group",
    "xmma_implicit_gemm",
    "xmma_sparse_conv",
    "xmma_warp_specialized_implicit_gemm",
    "xmma_gemm",
    "xmma_sparse_gemm",
    // Instructions that only tensor cores have.
    "_imma",
    "imma8",
    "dmma",
    "gmma",
    "utcmma",
    "tcgen05",
    "16832",
    "mfma",
    "wmma",
    "xdl",   // AMD's matrix units, as Composable Kernel and MIOpen name them
    "gtcx",  // ... and MIOpen's implicit products
    // cuDNN's convolutions by direction.
    "xmma_fprop_implicit_gemm",
    "xmma_dgrad_implicit_gemm",
    "xmma_wgrad_implicit_gemm",
    // cuBLAS since 12.x, and cuDNN's generated attention.
    "nvjet",
    "cudnn_generated_fort_native_sdpa",
    // CUTLASS: kernels name the kind of their math.
    "tensorop",
    "cutlass3x",
    "cutlass::arch::sm90",
    "cutlass::arch::sm100",
    "mainloopsm90",
    "mainloopsm100",
    // Kernels by the first architecture with the instructions that they are built on.
    "sm90_",
    "_sm90",
    "sm100_",
    "_sm100",
    "sm100a",
    "sm103a",
    "sm120_",
    // Attention.
    "fmha",
    "flash_fwd",
    "flash_bwd",
    "flashattn",
    "flash_attn",
    "flash::",
    "flashinfer::batchprefill",
    // TensorRT-LLM's generated matrix products: bmm_MxE4m3_..., bmm_Bfloat16_...
    "bmm_mx",
    "bmm_e4m3",
    "bmm_e2m1",
    "bmm_bfloat16",
    "bmm_fp16",
    "gemm_mxe",
    "deep_gemm",
    // Triton: Inductor's templates hold a tl.dot, its pointwise and reduction kernels never do.
    "triton_tem_",
    "triton_mm",
    "triton_bmm",
    "triton_flex_attention",
    "fused_moe_kernel",
    "_attn_fwd",
    "_attn_bwd",
    "unified_attention",
    // Marlin's quantised products.
    "marlin",
};

// Name the plain units, whatever else they hold.
constexpr std::array kPlain = {"simt",         "ffma",          "_sgemm_",
                               "splitkreduce", "reduce_splits", "subtensorop"};

// Tensile (rocBLAS, hipBLASLt): a matrix instruction shows as MI16x16x16x1, none as MI1x1...
bool TensileUsesMatrixCores(std::string_view lower) {
  if (!lower.starts_with("cijk_") && !lower.starts_with("custom_cijk_")) return false;
  const size_t at = lower.find("_mi");
  if (at == lower.npos || at + 3 >= lower.size()) return false;
  const std::string_view size = lower.substr(at + 3);
  return std::isdigit(static_cast<unsigned char>(size[0])) != 0 && !size.starts_with("1x1") &&
         !size.starts_with("1_");
}

template <size_t N>
bool HasAny(std::string_view text, const std::array<const char*, N>& parts) {
  return std::any_of(parts.begin(), parts.end(),
                     [text](const char* part) { return text.find(part) != text.npos; });
}

bool MatchesAny(std::string_view text, const std::vector<std::string>& patterns) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [text](const std::string& pattern) { return HoldsPattern(text, pattern); });
}

Result<std::vector<std::string>> CheckPatterns(std::vector<std::string> patterns,
                                               const char* list) {
  constexpr size_t kMostPatterns = 64, kMostBytes = 256;
  if (patterns.size() > kMostPatterns) {
    return Error{fmt::format("{} has {} patterns", list, patterns.size()),
                 fmt::format("at most {} are looked for", kMostPatterns)};
  }
  for (std::string& pattern : patterns) {
    pattern = LowerCase(pattern);
    if (pattern.size() > kMostBytes) {
      return Error{fmt::format("a pattern of {} has {} bytes", list, pattern.size()),
                   fmt::format("shorten it to {}", kMostBytes)};
    }
    const bool says_anything = std::any_of(pattern.begin(), pattern.end(), [](unsigned char c) {
      return std::isalnum(c) != 0 || c >= 0x80;
    });
    if (!says_anything) {
      return Error{fmt::format("'{}' in {} fits every kernel", pattern, list),
                   "name a part of its name"};
    }
  }
  return patterns;
}

}  // namespace

Result<TensorCorePatterns> TensorCorePatterns::Create(std::vector<std::string> kernels,
                                                      std::vector<std::string> plain) {
  TensorCorePatterns patterns;
  STEPTRACE_ASSIGN_OR_RETURN(patterns.kernels_, CheckPatterns(std::move(kernels), "kernels"));
  STEPTRACE_ASSIGN_OR_RETURN(patterns.plain_, CheckPatterns(std::move(plain), "plain"));
  for (const std::string& one : patterns.kernels_) {
    if (std::find(patterns.plain_.begin(), patterns.plain_.end(), one) == patterns.plain_.end()) {
      continue;
    }
    return Error{fmt::format("'{}' is in kernels and in plain", one), "remove one"};
  }
  return patterns;
}

TensorCorePatterns::Answer TensorCorePatterns::Match(std::string_view lower_case_name) const {
  if (MatchesAny(lower_case_name, plain_)) return Answer::kPlain;
  return MatchesAny(lower_case_name, kernels_) ? Answer::kUses : Answer::kUnknown;
}

bool UsesTensorCores(std::string_view kernel, const TensorCorePatterns& patterns) {
  const std::string lower = LowerCase(kernel);
  const TensorCorePatterns::Answer answer = patterns.Match(lower);
  if (answer != TensorCorePatterns::Answer::kUnknown) {
    return answer == TensorCorePatterns::Answer::kUses;
  }
  if (HasAny(lower, kPlain)) return false;
  return HasAny(lower, kPatterns) || TensileUsesMatrixCores(lower);
}

}  // namespace steptrace::analyze
