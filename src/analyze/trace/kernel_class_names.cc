// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/kernel_classes.toml.
#include "analyze/trace/kernel_class.h"

namespace steptrace::analyze {
namespace {

// clang-format off
constexpr std::string_view kNames0[] = {
    "triton_poi_", "triton_for_",
};
constexpr std::string_view kNames1[] = {
    "reshape_and_cache", "concat_and_cache", "_copy_page",
};
constexpr std::string_view kNames2[] = {
    "fmha", "flash_fwd", "flash_bwd", "flash::", "flash_attn", "flashattn", "flashinfer", "attn_fwd",
    "attn_bwd", "sdpa", "attention", "mla_decode", "mla_a8w8", "flashmla",
};
constexpr std::string_view kNames3[] = {
    "batch_norm", "batchnorm", "bn_fw", "bn_bw", "layer_norm", "layernorm", "rms_norm", "rmsnorm",
    "group_norm", "groupnorm", "instance_norm", "rowwisemoments", "gammabeta", "computeinternalgradients",
    "softmax", "norm_kernel", "ln_fwd", "ln_bwd", "rmsnorm_fwd", "rmsnorm_bwd", "welford",
};
constexpr std::string_view kNames4[] = {
    "convolution", "convolve", "conv1d", "conv2d", "conv3d", "conv_fwd", "conv_bwd", "_conv_", "-conv",
    "miopenconv", "gcnasmconv", "naive_conv", "conv_depthwise", "fprop", "dgrad", "wgrad", "bwd_weight",
    "bwd_data", "winograd", "scudnn", "hcudnn", "implicit_gemm", "implicitgemm", "igemm_fwd", "igemm_bwd",
    "igemm_wrw", "im2col", "col2im", "cudnn::cnn", "cask_cudnn", "direct_group", "fft2d_",
};
constexpr std::string_view kNames5[] = {
    "gemm", "gemv", "matmul", "cijk_", "nvjet", "splitkreduce", "reduce_splits", "reducesplitk", "wvsplitk",
    "bmm_", "triton_tem_", "triton_mm", "triton_bmm", "_mm_kernel", "884cudnn", "marlin", "fused_moe_kernel",
    "dot_kernel", "cutlass::kernel", "cutlass::device_kernel", "epilogue::impl::globalkernel",
};
constexpr std::string_view kNames6[] = {
    "embedding_bag", "embedding_backward", "embedding_dense", "split_embedding", "embeddings",
    "indexing_backward", "indexselect", "index_select", "indexfunc", "index_put", "index_add", "index_copy",
    "index_fill", "index_kernel", "index_elementwise", "gather", "scatter", "masked_select", "nonzero",
    "radixsort", "radix_sort", "bitonicsort", "mergesort", "segmented_sort", "topk", "searchsorted",
    "unique_by_key", "routing", "moe_align", "bounds_check", "triton_*_index", "compute_cuda_kernel",
};
constexpr std::string_view kNames7[] = {
    "copy_kernel", "direct_copy", "copyfunctor", "copy_device_to_device", "catarray", "cat_array",
    "chunk_cat", "split_with_sizes_copy", "nchwtonhwc", "nhwctonchw", "tensortransform", "transpose",
    "permute", "fillfunctor", "fill_kernel", "memcpy", "memset", "subtensorop", "constant_pad",
    "reflection_pad", "replication_pad", "kernel_roll", "flip_kernel", "triu_tril", "copybuffer",
    "fillbuffer", "copy_fusion", "copy_bitcast",
};
constexpr std::string_view kNames8[] = {
    "reduce", "reduction", "triton_red_", "triton_per_", "lpnorm", "l2norm", "argmax", "argmin", "cumsum",
    "cumprod", "scan_kernel", "devicescan", "kernel_scan", "nll_loss", "nllcriterion", "cross_entropy",
    "ctc_loss", "pool", "histogram", "finalizekernel", "logsumexp", "sum_kernel",
};
constexpr std::string_view kNames9[] = {
    "elementwise", "pointwise", "multi_tensor_apply", "fused_adam", "fusedadam", "adamw", "foreach",
    "fused_dropout", "dropout", "rotary", "rope_kernel", "_rope", "quantize", "_quant_", "dequant",
    "act_and_mul", "gelu", "silu", "swiglu", "relu", "sigmoid", "op_tensor", "optensor", "op1dtensor",
    "op2dtensor", "op3dtensor", "op4dtensor", "op5dtensor", "scalepackedtensor", "scaletensor",
    "activationforward", "activationbackward", "miopenneuron", "add_kernel", "mul_kernel", "addtensor",
    "loop_*fusion", "wrapped_", "kernelpointwiseapply", "elemwisernncell",
};
constexpr KernelClassPatterns kLists[] = {
    {KernelClass::kElementwise, kNames0},
    {KernelClass::kCopy, kNames1},
    {KernelClass::kAttention, kNames2},
    {KernelClass::kNormalisation, kNames3},
    {KernelClass::kConvolution, kNames4},
    {KernelClass::kGemm, kNames5},
    {KernelClass::kIndexing, kNames6},
    {KernelClass::kCopy, kNames7},
    {KernelClass::kReduction, kNames8},
    {KernelClass::kElementwise, kNames9},
};
// clang-format on

}  // namespace

std::span<const KernelClassPatterns> KernelNameLists() {
  return kLists;
}

}  // namespace steptrace::analyze
