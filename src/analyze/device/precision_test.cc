// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/precision.h"

#include <gtest/gtest.h>

#include <string>

namespace steptrace::analyze {
namespace {

std::string Elementwise(const std::string& functor) {
  return "void at::native::vectorized_elementwise_kernel<4, " + functor +
         ", std::array<char*, 2ul> >(int, " + functor + ", std::array<char*, 2ul>)";
}

std::string NanToNum(const std::string& type) {
  return "at::native::nan_to_num_kernel_cuda(at::TensorIteratorBase&, c10::optional<double>, "
         "c10::optional<double>, c10::optional<double>)::{lambda()#1}::operator()() const::"
         "{lambda()#2}::operator()() const::{lambda(" +
         type + ")#1}";
}

std::string PrecisionNamed(const std::string& name) {
  return PrecisionName(PrecisionOf(name));
}

TEST(PrecisionTest, TilesOfLibraries) {
  EXPECT_EQ(PrecisionNamed("volta_sgemm_128x64_nt"), "FP32");
  EXPECT_EQ(PrecisionNamed("volta_h884gemm_64x128_ldg8_nn"), "FP16");
  EXPECT_EQ(PrecisionNamed("volta_fp16_s884gemm_fp16_64x128_ldg8_f2f_nn"), "FP16");
  EXPECT_EQ(PrecisionNamed("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn"), "BF16");
  EXPECT_EQ(PrecisionNamed("ampere_igemm_int8_128x128_ldg4_nn"), "INT8");
  EXPECT_EQ(PrecisionNamed("volta_dgemm_64x64_nn"), "FP64");
  EXPECT_EQ(PrecisionNamed("cudnn_ampere_scudnn_128x64_relu_xregs_large_nn_v1"), "FP32");
  EXPECT_EQ(PrecisionNamed("ampere_gcgemm_64x64_nt"), "FP32");
  EXPECT_EQ(
      PrecisionNamed(
          "sm80_xmma_fprop_implicit_gemm_tf32f32_tf32f32_f32_nhwckrsc_nhwc_tilesize64x128x32"),
      "TF32");
  EXPECT_EQ(PrecisionNamed("sm80_xmma_gemm_i8i8_i8i32_f32_tn_n_tilesize256x128x64"), "INT8");
  EXPECT_EQ(PrecisionNamed("void cutlass::Kernel<cutlass_tensorop_s1688gemm_128x128>(Params)"),
            "TF32");
  EXPECT_EQ(PrecisionNamed("igemm_fwd_gtcx3_nhwc_bf16_bx0_ex1_bt128x128x32_wt32x32x8_ws1x1"),
            "BF16");
  EXPECT_EQ(PrecisionNamed("igemm_wrw_gtcx3_nhwc_fp16_bx0_ex1_bt64x64x64"), "FP16");
  EXPECT_EQ(PrecisionNamed("transpose_CNHW2NCHW_V2_2D_WG_off64"), "");
  EXPECT_EQ(PrecisionNamed("batched_transpose_16x32_half"), "");
  EXPECT_EQ(PrecisionNamed("Cijk_Ailk_Bljk_BBS_BH_MT64x64x64_MI16x16x16x1_SN_1LDSB0"), "BF16");
  EXPECT_EQ(PrecisionNamed("Cijk_Alik_Bljk_HHS_BH_Bias_HAS_SAV_UserArgs_MT16x16x256"), "FP16");
  EXPECT_EQ(PrecisionNamed("Cijk_Ailk_Bljk_SB_MT64x32x16"), "FP32");
  EXPECT_EQ(PrecisionNamed("nvjet_tst_64x16_64x16_2x4_2cta_h_bz_bias_TNT"), "BF16");
  EXPECT_EQ(PrecisionNamed("nvjet_sm100_tst_64x32_64x16_2x1_2cta_h_bz_splitK_TNT"), "BF16");
  EXPECT_EQ(PrecisionNamed("nvjet_hsh_256x128_64x4_1x2_v_bz_coopA_NNT"), "FP16");
  EXPECT_EQ(PrecisionNamed("nvjet_qqtst_128x256_128x6_2x1_2cta_h_bz_TNT"), "FP8");
  EXPECT_EQ(PrecisionNamed("nvjet_sss_tf32_128x256_TNT"), "TF32");
  EXPECT_EQ(PrecisionNamed("bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_et128x16"), "FP8");
  EXPECT_EQ(PrecisionNamed("bmm_Bfloat16_E2m1E2m1_Fp32_bA16_bB16_bC16_t128x8x512u2_s8"), "FP4");
  EXPECT_EQ(PrecisionNamed("fmhaSm100aKernel_QkvE4m3OBfloat16H64PagedKvCausalP16VarSeqQ128Kv128"),
            "FP8");
  EXPECT_EQ(PrecisionNamed("fused_rms_norm"), "");
}

TEST(PrecisionTest, TypesOfTemplates) {
  EXPECT_EQ(PrecisionNamed("void foo<c10::Half>(int)"), "FP16");
  EXPECT_EQ(PrecisionNamed(Elementwise("at::native::FillFunctor<float>")), "FP32");
  EXPECT_EQ(PrecisionNamed(Elementwise(NanToNum("float"))), "FP32");
  EXPECT_EQ(PrecisionNamed(Elementwise(NanToNum("c10::BFloat16"))), "BF16");
  EXPECT_EQ(PrecisionNamed(Elementwise(NanToNum("double"))), "FP64");
  EXPECT_EQ(PrecisionNamed(Elementwise("at::native::AUnaryFunctor<c10::Half, c10::Half, "
                                       "at::native::MulFunctor<float> >")),
            "FP16");
  EXPECT_EQ(
      PrecisionNamed(Elementwise("at::native::AUnaryFunctor<float, float, MulFunctor<double> >")),
      "FP32");
  EXPECT_EQ(PrecisionNamed(Elementwise("at::native::CUDAFunctorOnSelf_add<long>")), "INT64");
  EXPECT_EQ(PrecisionNamed(
                "void at::native::reduce_kernel<512, 1, at::native::ReduceOp<c10::BFloat16, "
                "at::native::func_wrapper_t<c10::BFloat16, at::native::sum_functor<c10::BFloat16, "
                "float, c10::BFloat16>::operator()(at::TensorIterator&)::{lambda(float, "
                "float)#1}>, unsigned int, c10::BFloat16, 4, 8> >(at::native::ReduceOp<"
                "c10::BFloat16>)"),
            "BF16");
  EXPECT_EQ(
      PrecisionNamed("void fused_dropout_kernel_vec<float, float, unsigned int, 1, 4, unsigned "
                     "char>(int)"),
      "FP32");
  EXPECT_EQ(PrecisionNamed("void foo<unsigned char>(int)"), "INT8");
  EXPECT_EQ(PrecisionNamed("void foo<float4>(int)"), "FP32");
}

TEST(PrecisionTest, CopyKernelsHaveNoPrecision) {
  EXPECT_EQ(PrecisionNamed(
                "void at::native::CatArrayBatchedCopy<at::native::OpaqueType<2u>, unsigned int, "
                "1, 128, 1>(int)"),
            "");
  EXPECT_EQ(
      PrecisionNamed("void at::native::index_elementwise_kernel<128, 4, "
                     "at::native::index_kernel_impl<at::native::OpaqueType<2> >("
                     "at::TensorIteratorBase&, c10::ArrayRef<long>)::{lambda(char*, char const*, "
                     "long)#1}>(int)"),
      "");
}

TEST(PrecisionTest, PrecisionIsReadFromParametersAlone) {
  EXPECT_EQ(PrecisionNamed("scale_rows(__half const*, float, int)"), "FP16");
  EXPECT_EQ(PrecisionNamed("scale_rows(float*, int)"), "FP32");
  EXPECT_EQ(PrecisionNamed("ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)"),
            "");
  EXPECT_EQ(PrecisionNamed(""), "");
  EXPECT_EQ(PrecisionNamed(")))((lambda(((((float"), "");
  EXPECT_EQ(PrecisionNamed(std::string(1'000'000, '(') + "float"), "") << "so far nobody reads";
}

}  // namespace
}  // namespace steptrace::analyze
