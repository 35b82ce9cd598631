// SPDX-License-Identifier: Apache-2.0
#include "store/metrics.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>

#include "store/metrics_page.h"

namespace steptrace::store {
namespace {

TEST(Metrics, NamesAreUniqueAndFoundAgain) {
  std::set<std::string> names;
  for (const MetricInfo& info : kMetrics) {
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_EQ(MetricNamed(info.name), info.metric);
  }
  EXPECT_EQ(MetricNamed("cpu.no_such_share"), std::nullopt);
}

TEST(Metrics, NamesBearScopeAndUnit) {
  for (const MetricInfo& info : kMetrics) {
    const std::string name = info.name;
    if (info.scope != MetricScope::kNode) {
      EXPECT_TRUE(name.starts_with(std::string(NameOf(info.scope)) + ".")) << name;
    }
    const auto ends = [&](const char* unit) { return name.ends_with(unit); };
    EXPECT_EQ(ends("_share"), info.unit == MetricUnit::kShare) << name;
    EXPECT_EQ(ends("_cores"), info.unit == MetricUnit::kCores) << name;
    EXPECT_EQ(ends("_bytes"), info.unit == MetricUnit::kBytes) << name;
    EXPECT_EQ(ends("_bytes_per_s"), info.unit == MetricUnit::kBytesPerSecond) << name;
    const std::string sentence = info.sentence;
    EXPECT_TRUE(sentence.ends_with('.')) << name;
    EXPECT_EQ(sentence.find('|'), std::string::npos) << name << ": would break the table";
  }
}

// To write it anew: STEPTRACE_UPDATE_PAGES=1 and run this test.
TEST(Metrics, PageIsCurrent) {
  const char* path = METRICS_PAGE_PATH;
  if (std::getenv("STEPTRACE_UPDATE_PAGES") != nullptr) std::ofstream(path) << MetricsPage();
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_TRUE(text == MetricsPage())
      << path << " is not what src/store/metrics.h says; run this test with "
      << "STEPTRACE_UPDATE_PAGES=1";
}

}  // namespace
}  // namespace steptrace::store
