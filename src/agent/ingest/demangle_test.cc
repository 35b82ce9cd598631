// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/demangle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kMinuteNs = 60'000'000'000;

TEST(DemangleTest, NamesOfCppAreToldAsTheyWereWritten) {
  const std::vector<std::string> names = {"_Z3addPfi", "ampere_sgemm_128x64_tn", "", "_Zbroken",
                                          "_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_"
                                          "11FillFunctorIfEESt5arrayIPcLm1EEEEviT0_"
                                          "T1_"};
  EXPECT_THAT(DemangleAll(names, kMinuteNs),
              ElementsAre("add(float*, int)", "ampere_sgemm_128x64_tn", "", "_Zbroken",
                          "void at::native::vectorized_elementwise_kernel<4, "
                          "at::native::FillFunctor<float>, std::array<char*, 1ul> >(int, "
                          "at::native::FillFunctor<float>, std::array<char*, 1ul>)"));
}

TEST(DemangleTest, EmptyListGivesEmptyList) {
  EXPECT_THAT(DemangleAll({}, kMinuteNs), IsEmpty());
}

// f<A, pair<A, A>, pair<pair<A, A>, pair<A, A>>, …>: each argument twice as long as the last.
TEST(DemangleTest, ANameThatUnfoldsWithoutEndIsBounded) {
  std::string bomb = "_Z1fI1A";
  const auto reference = [](int index) {
    if (index == 0) return std::string("S_");
    std::string digits;
    for (int n = index - 1; digits.empty() || n > 0; n /= 36) {
      digits.insert(digits.begin(), "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[n % 36]);
    }
    return "S" + digits + "_";
  };
  bomb += "1PI" + reference(1) + reference(1) + "E";
  for (int level = 0; level < 60; ++level) {
    const std::string last = reference(3 + level);
    bomb += "S1_I" + last + last + "E";
  }
  bomb += "Evv";
  const auto reported = DemangleAll(std::vector<std::string>{"_Z1fv", bomb}, kMinuteNs);
  ASSERT_THAT(reported, SizeIs(2));
  EXPECT_EQ(reported[0], "f()");
  EXPECT_LE(reported[1].size(), 4096u);
}

TEST(DemangleTest, AProcessWhoseNamesTakeTooLongHasThemAsTheyAre) {
  int64_t now_ns = 0;
  std::vector<int64_t> patience_ns;
  BoundedDemangler demangler(
      [&](std::span<const std::string> names, int64_t patience) {
        patience_ns.push_back(patience);
        now_ns += 700'000'000;
        return std::vector<std::string>(names.size(), "told");
      },
      [&] { return now_ns; });
  EXPECT_THAT(demangler.All({}), IsEmpty());
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_THAT(demangler.All({"_Z1f", "_Z1g"}), ElementsAre("told", "told"));
  }
  for (int batch = 0; batch < 3; ++batch) {
    EXPECT_THAT(demangler.All({"_Z1f", "_Z1g"}), ElementsAre("_Z1f", "_Z1g"));
  }
  EXPECT_THAT(patience_ns, ElementsAre(2'000'000'000, 1'300'000'000, 600'000'000));
}

}  // namespace
}  // namespace steptrace::agent
