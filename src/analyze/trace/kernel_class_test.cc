// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/kernel_class.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

std::string_view ClassName(std::string_view kernel) {
  return InfoOf(ClassOfKernel(kernel)).id;
}

TEST(KernelClassTest, ClassFollowsFromTheName) {
  constexpr std::pair<const char*, const char*> kCases[] = {
      {"volta_sgemm_64x64_nt", "gemm"},
      {"nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "gemm"},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x256x8_stage3_warpsize1x4x1_ffma", "gemm"},
      {"Cijk_Ailk_Bljk_BBS_BH_MT64x64x64_MI16x16x16x1_SN_1LDSB0", "gemm"},
      {"void cublasLt::splitKreduce_kernel<32, 16, int, float, float>", "gemm"},
      {"bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3", "gemm"},
      {"volta_scudnn_128x64_relu_interior_nn_v1", "convolution"},
      {"void implicit_convolve_sgemm<float, float, 1024, 6, 7, 3, 3, 5>(int)", "convolution"},
      {"void cudnn::detail::dgrad_engine<float, 512, 6, 5, 3, 3, 3, false>(int)", "convolution"},
      {"igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x64", "convolution"},
      {"_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightI", "convolution"},
      {"void flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128>>", "attention"},
      {"fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128", "attention"},
      {"void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(cudnnTensorStruct)",
       "normalisation"},
      {"void at::native::(anonymous namespace)::vectorized_layer_norm_kernel<float, float>(int)",
       "normalisation"},
      {"void (anonymous namespace)::softmax_warp_forward<float, float, float, 6, false>(float*)",
       "normalisation"},
      {"std::enable_if<vllm::_typeConvert<c10::BFloat16>::exists, void>::type "
       "vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>",
       "normalisation"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)",
       "elementwise"},
      {"triton_poi_fused_add_native_layer_norm_0", "elementwise"},
      {"void vllm::rotary_embedding_kernel<c10::BFloat16, true>(long const*)", "elementwise"},
      {"void vllm::scaled_fp8_quant_kernel_strided<c10::BFloat16, c10::Float8_e4m3fn>",
       "elementwise"},
      {"void at::native::(anonymous namespace)::multi_tensor_apply_kernel<TensorListMetadata<2>>",
       "elementwise"},
      {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, MeanOps<float>>>",
       "reduction"},
      {"triton_red_fused_sum_1", "reduction"},
      {"void at::native::(anonymous namespace)::max_pool_forward_nchw<float, float>(int)",
       "reduction"},
      {"void at::native::vectorized_gather_kernel<16, long>(char*, char*, long*)", "indexing"},
      {"void at::native::elementwise_kernel<128, 4, direct_copy_kernel_cuda(TensorIterator&)>",
       "copy"},
      {"void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>", "copy"},
      {"batched_transpose_32x32_half", "copy"},
      {"void nchwToNhwcKernel<float, float, float, true, false>(int)", "copy"},
      {"void vllm::reshape_and_cache_flash_kernel<__nv_bfloat16, unsigned char>", "copy"},
      {"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
       "communication"},
      {"void fft2d_r2c_32x32<float, false, 0u, false>(float2*, int, cudnn::reduced_divisor, bool)",
       "convolution"},
      {"void mine::f<(anonymous namespace)::T>(cudnn::reduced_divisor (*)(int), int)", "other"},
      {"(gemm)", "gemm"},
      {"gemm)", "gemm"},
      {"loop_add_fusion", "elementwise"},
      {"my_secret_kernel", "other"},
      {"", "other"},
  };
  for (const auto& [kernel, of] : kCases) EXPECT_EQ(ClassName(kernel), of) << kernel;
}

TEST(KernelClassTest, CopiesAndFillsAreRecognisedWhateverTheirName) {
  store::StringTable strings;
  const RankTrace rank = DrawRank(R"(
s7 memcpy "Memcpy HtoD" 0 5 bytes=64
s7 memset gemm 5 9
s7 kernel gemm 10 20
)",
                                  strings);
  KernelClassReader reader(strings);
  EXPECT_EQ(reader.Of(rank.device[0]), KernelClass::kCopy);
  EXPECT_EQ(reader.Of(rank.device[1]), KernelClass::kCopy);
  EXPECT_EQ(reader.Of(rank.device[2]), KernelClass::kGemm);
}

}  // namespace
}  // namespace steptrace::analyze
