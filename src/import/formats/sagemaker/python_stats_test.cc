// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/python_stats.h"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

namespace steptrace::import::sagemaker {
namespace {

// Values as marshal writes them.
std::string Int(int32_t value) {
  std::string out = "i";
  for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}
std::string Real(double value) {
  std::string out = "g";
  for (int i = 0; i < 8; ++i) {
    out.push_back(static_cast<char>(std::bit_cast<uint64_t>(value) >> (8 * i)));
  }
  return out;
}
std::string Text(const std::string& text) {
  return "z" + std::string(1, static_cast<char>(text.size())) + text;
}
template <class... Items>
std::string Tuple(const Items&... items) {
  return ")" + std::string(1, static_cast<char>(sizeof...(items))) + (items + ...);
}
std::string Function(const std::string& name) {
  return Tuple(Text("train.py"), Int(12), Text(name));
}

const std::string kEnd = "0";
const std::string kCallers =
    "{" + Function("main") + Tuple(Int(5), Int(3), Real(8e-06), Real(0.25)) + kEnd;
const std::string kEntry =
    Function("load") + Tuple(Int(3), Int(5), Real(8e-06), Real(0.5), kCallers);

PythonStats Parsed(const std::string& bytes) {
  auto stats = ParsePythonStats(bytes);
  EXPECT_TRUE(stats.ok());
  return stats.ok() ? *stats : PythonStats();
}

TEST(PythonStats, ReadsAProfile) {
  const PythonStats stats = Parsed("{" + kEntry + kEnd);
  ASSERT_EQ(stats.functions.size(), 2u);
  EXPECT_EQ(stats.functions[0].file, "train.py");
  EXPECT_EQ(stats.functions[0].line, 12);
  EXPECT_EQ(stats.functions[0].name, "load");
  EXPECT_EQ(stats.totals[0].primitive_calls, 3);
  EXPECT_EQ(stats.totals[0].calls, 5);
  EXPECT_EQ(stats.totals[0].self_ns, 8000);
  EXPECT_EQ(stats.totals[0].total_ns, 500'000'000);
  ASSERT_EQ(stats.edges.size(), 1u);
  EXPECT_EQ(stats.functions[stats.edges[0].caller].name, "main");
  EXPECT_EQ(stats.edges[0].calls.calls, 5);
  EXPECT_EQ(stats.edges[0].calls.primitive_calls, 3);
  EXPECT_EQ(stats.edges[0].calls.total_ns, 250'000'000);
  EXPECT_FALSE(stats.cut_off);
}

TEST(PythonStats, FollowsReferences) {
  std::string name = Text("train.py");
  name[0] = static_cast<char>('z' | 0x80);
  const std::string ref("r\1\0\0\0", 5);  // 0 is the dict itself
  std::string dict = "{";
  dict[0] = static_cast<char>('{' | 0x80);
  const PythonStats stats = Parsed(dict + Tuple(name, Int(1), ref) +
                                   Tuple(Int(1), Int(1), Real(0), Real(0), "{0") + kEnd);
  ASSERT_EQ(stats.functions.size(), 1u);
  EXPECT_EQ(stats.functions[0].name, "train.py");
}

TEST(PythonStats, UsesWhatCameBeforeACut) {
  const std::string whole =
      "{" + kEntry + Function("x") + Tuple(Int(1), Int(1), Real(0), Real(0), "{0") + kEnd;
  for (size_t size = 1 + kEntry.size(); size + 1 < whole.size(); ++size) {
    const PythonStats stats = Parsed(whole.substr(0, size));
    EXPECT_TRUE(stats.cut_off);
    EXPECT_EQ(stats.functions.size(), 2u);
  }
  EXPECT_EQ(Parsed(whole + "xyz").bytes_left, 3);
}

TEST(PythonStats, LeavesOutEntriesOfAnotherShape) {
  const PythonStats stats = Parsed("{" + kEntry + Int(1) + Int(2) + kEnd);
  EXPECT_EQ(stats.bad_entries, 1);
  EXPECT_EQ(stats.functions.size(), 2u);
}

TEST(PythonStats, RefusesOtherBytes) {
  for (const std::string& bytes :
       {std::string(), std::string("hello"), std::string("[]"), "{" + Int(1) + Int(2) + kEnd,
        std::string("{c"), std::string("{r\0\0\0\0", 6), "{" + std::string(1'000'000, ')'),
        std::string("{(\xff\xff\xff\x7f", 6)}) {
    auto stats = ParsePythonStats(bytes);
    EXPECT_TRUE(!stats.ok() || stats->functions.empty()) << bytes.substr(0, 20);
  }
}

TEST(PythonStats, SecondsAreExact) {
  const auto ns = [](double seconds) {
    int64_t result = -1;
    return SecondsToNs(seconds, &result) ? result : -999;
  };
  EXPECT_EQ(ns(0.0009839999999999998), 984000);
  EXPECT_EQ(ns(4.4999999999999996e-05), 45000);
  EXPECT_EQ(ns(0), 0);
  EXPECT_EQ(ns(-1.5), -1'500'000'000);
  EXPECT_EQ(ns(1e-300), 0);
  EXPECT_EQ(ns(9.0), 9'000'000'000);
  EXPECT_EQ(ns(1596585363.0), 1'596'585'363'000'000'000);
  EXPECT_EQ(ns(1e10), -999);
  EXPECT_EQ(ns(1e300), -999);
  EXPECT_EQ(ns(std::numeric_limits<double>::quiet_NaN()), -999);
  EXPECT_EQ(ns(HUGE_VAL), -999);
}

}  // namespace
}  // namespace steptrace::import::sagemaker
