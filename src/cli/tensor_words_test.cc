// SPDX-License-Identifier: Apache-2.0
#include "cli/tensor_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace steptrace::cli {
namespace {

std::string Read(std::string_view text) {
  const auto words = TensorWords(text);
  return words.ok() ? *words : "error: " + words.error().text();
}

TEST(TensorWords, AreNormalised) {
  EXPECT_EQ(Read(""), "");
  EXPECT_EQ(Read("all"), "all");
  EXPECT_EQ(Read("none"), "none");
  EXPECT_EQ(Read("loss, gradients"), "gradients,loss");
  EXPECT_EQ(Read("weights,weights"), "weights");
  EXPECT_EQ(Read("all@every=10"), "all@every=10");
  EXPECT_EQ(Read("weights@every=10, 100:200"), "weights@every=10,100:200");
  EXPECT_EQ(Read("weights@:200"), "weights@:200");
  EXPECT_EQ(Read("weights@100:"), "weights@100:");
}

TEST(TensorWords, InvalidWordIsNamedInTheError) {
  for (const auto& [text, word] : {std::pair{"gradient", "'gradient' is unknown"},
                                   {"all,weights", "'all' stands alone"},
                                   {",", "',' names none"},
                                   {"@every=10", "'' names none"},
                                   {"weights@", "'@' is followed by nothing"},
                                   {"weights@10", "'10' does not say when"},
                                   {"weights@every=0", "'every=0' is not a number"},
                                   {"weights@every=ten", "'every=ten' is not a number"},
                                   {"weights@9:9", "'9:9' is not a range"},
                                   {"weights@1:x", "'1:x' is not a range"},
                                   {"weights@-1:5", "'-1:5' is not a range"}}) {
    EXPECT_THAT(Read(text), testing::HasSubstr(word));
  }
}

}  // namespace
}  // namespace steptrace::cli
