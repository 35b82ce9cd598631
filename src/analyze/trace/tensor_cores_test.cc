// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/tensor_cores.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

TEST(TensorCoresTest, MatrixProductsOfEveryGenerationAreKnown) {
  for (const char* name :
       {"volta_fp16_s884gemm_fp16_128x64_ldg8_f2f_nn", "turing_fp16_s1688gemm_fp16_128x64_nn",
        "ampere_bf16_s16816gemm_bf16_128x128_ldg8_f2f_stages_32x5_nt",
        "void cutlass::Kernel<cutlass_80_tensorop_s1688gemm_256x64_16x4_nn_align4>(...)",
        "sm80_xmma_fprop_implicit_gemm_indexed_tf32f32_tf32f32_f32_nhwckrsc_nchw_tilesize128",
        "void cutlass::device_kernel<cutlass3x_sm90_tensorop_gemm_bf16_bf16_f32>(...)",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x64x64_warpgroupsize1x1x1",
        "nvjet_tst_64x64_64x16_2x1_2cta_v_bz_bias_TNT", "nvjet_hsh_128x256_64x4_1x2_h_bz_TNT",
        "fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausal",
        "bmm_MxE4m3_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16_m128x16x32",
        "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2",
        "void flash_fwd_kernel<Flash_fwd_kernel_traits<64, 128, 128, 4>>(Flash_fwd_params)",
        "triton_tem_fused_addmm_3", "_attn_fwd",
        "Cijk_Ailk_Bljk_BBS_BH_Bias_AS_SAV_UserArgs_MT128x128x64_MI16x16x1_SN_LDSB0",
        "_ZN2ck16tensor_operation6device37kernel_batched_gemm_xdlops_bwd_weightINS_47Gridwise",
        "kernel_grouped_conv_fwd_xdl_cshuffle_v3",
        "igemm_wrw_gtcx3_nhwc_bf16_bx0_ex1_bt64x64x32"}) {
    EXPECT_TRUE(UsesTensorCores(name)) << name;
  }
}

TEST(TensorCoresTest, SimilarNamesAreNotTensorCores) {
  for (const char* name :
       {"volta_sgemm_64x64_nt", "ampere_sgemm_128x64_nn", "triton_poi_fused_add_0",
        "triton_red_fused_native_layer_norm_1", "triton_per_fused_softmax_2",
        "void cutlass::Kernel<cutlass_80_simt_sgemm_128x256_8x4_nn_align1>(...)",
        "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize128x64x8_stage3_ffma_aligna4",
        "void cublasLt::splitKreduce_kernel<32, 16, int, float>(...)",
        "void at::native::vectorized_elementwise_kernel<4, at::native::digamma_kernel>",
        "void cudnn::bn_bw_1C11_kernel_new<float, float, float2, 512, true, 1>(float)",
        "ncclDevKernel_AllReduce_Sum_bf16_RING_LL", "Cijk_Alik_Bljk_SB_MT64x64x8_SN_1LDSB0_MI1x1x1",
        "SubTensorOpWithScalar1d", ""}) {
    EXPECT_FALSE(UsesTensorCores(name)) << name;
  }
}

TEST(TensorCoresTest, TheUsersPatternsComeFirst) {
  const auto patterns = TensorCorePatterns::Create({"acme_GEMM", "tile*mma_v2"}, {"nvjet_debug"});
  ASSERT_TRUE(patterns.ok());
  EXPECT_TRUE(UsesTensorCores("void Acme_Gemm<128>(float*)", *patterns));
  EXPECT_TRUE(UsesTensorCores("tile_64x64_mma_v2_kernel", *patterns));
  EXPECT_FALSE(UsesTensorCores("mma_v2_tile", *patterns));  // in that order alone
  EXPECT_FALSE(UsesTensorCores("acme_gem", *patterns));
  EXPECT_FALSE(UsesTensorCores("nvjet_debug_64x64", *patterns));
  EXPECT_TRUE(UsesTensorCores("nvjet_hsh_128x256", *patterns));  // the list holds beside them
}

TEST(TensorCoresTest, PatternsThatCannotBeMeantAreRefusedByName) {
  const auto refused = [](std::vector<std::string> kernels, std::vector<std::string> plain = {}) {
    const auto made = TensorCorePatterns::Create(std::move(kernels), std::move(plain));
    return made.ok() ? std::string("taken") : made.error().text();
  };
  EXPECT_EQ(refused({""}), "'' in kernels fits every kernel; name a part of its name");
  EXPECT_EQ(refused({"gemm"}, {"**"}), "'**' in plain fits every kernel; name a part of its name");
  EXPECT_EQ(refused({"Gemm"}, {"gEMM"}), "'gemm' is in kernels and in plain; remove one");
  EXPECT_EQ(refused({std::string(257, 'x')}),
            "a pattern of kernels has 257 bytes; shorten it to 256");
  EXPECT_EQ(refused(std::vector<std::string>(65, "x")),
            "kernels has 65 patterns; at most 64 are looked for");
  EXPECT_EQ(refused({std::string(256, 'x')}), "taken");
}

}  // namespace
}  // namespace steptrace::analyze
