// SPDX-License-Identifier: Apache-2.0
#include "cli/render/short_name.h"

#include <gtest/gtest.h>

#include "cli/render/display_text.h"

namespace steptrace::cli {
namespace {

TEST(ShortKernelName, WhatFitsLosesParametersAlone) {
  EXPECT_EQ(ShortKernelName("void add<float>(float*, int)", 40, true), "add<float>");
  EXPECT_EQ(ShortKernelName("ampere_sgemm_128x64_nn", 40, true), "ampere_sgemm_128x64_nn");
  EXPECT_EQ(ShortKernelName("void at::(anonymous namespace)::k<(int)4>(int)", 40, true),
            "at::k<(int)4>");
}

TEST(ShortKernelName, ArgumentsAreCutInTheMiddle) {
  EXPECT_EQ(ShortKernelName("void at::native::vectorized_elementwise_kernel<8, "
                            "at::native::AUnaryFunctor<float>, std::array<char*, 2ul>>(int)",
                            44, true),
            "vectorized_elementwise_kernel<8, at::na\u2026ul>>");
}

TEST(ShortKernelName, TheFunctionStaysWhenNamespacesDoNotFit) {
  EXPECT_EQ(ShortKernelName("aaaaaaaaaaaaaaaaaaaa::bbbbbbbbbbbbbbbbbbbb::kernel", 16, true),
            "kernel");
}

TEST(CutMiddle, KeepsWhatOperatorsDifferBy) {
  EXPECT_EQ(CutMiddle("aten::cudnn_convolution_backward_input", 27, true),
            "aten::cudnn_convol\u2026rd_input");
  EXPECT_EQ(CutMiddle("aten::mm", 27, true), "aten::mm");
  EXPECT_EQ(CutMiddle("aten::cudnn_convolution", 16, false), "aten::cudn..tion");
}

TEST(ShortKernelName, IsNeverWiderThanAsked) {
  const std::string name =
      "void cudnn::bn_fw_tr_1C11_kernel_NCHW<float, float, 512, true, 1>(a, (b)) \xc3\xa9";
  for (const std::string& text : {name, name.substr(0, 60), std::string("()"), std::string("<"),
                                  std::string(50, '('), std::string(50, '<')}) {
    for (int columns = 1; columns < 60; ++columns) {
      EXPECT_LE(Columns(ShortKernelName(text, columns, true)), columns) << text;
      EXPECT_LE(Columns(ShortKernelName(text, columns, false)), columns) << text;
      EXPECT_LE(Columns(CutMiddle(text, columns, columns % 2 == 0)), columns) << text;
    }
  }
}

}  // namespace
}  // namespace steptrace::cli
