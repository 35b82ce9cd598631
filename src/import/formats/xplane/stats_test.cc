// SPDX-License-Identifier: Apache-2.0
#include "import/formats/xplane/stats.h"

#include <gmock/gmock.h>

#include <limits>

#include "import/formats/xplane/event_rows.h"
#include "import/formats/xplane/plane_ids.h"

namespace steptrace::import::xplane {
namespace {

std::string Launch(std::string_view text) {
  std::string json;
  AppendLaunch(text, &json);
  return json;
}

TEST(AppendLaunch, ReadsCudasAndRocms) {
  EXPECT_EQ(Launch("regs:32 static_shared:16 dynamic_shared:48 grid:4,2,1 block:128,1,1 "
                   "occ_pct:62.5"),
            R"("grid":[4,2,1],"block":[128,1,1],"registers per thread":32,"shared memory":64,)"
            R"("est. achieved occupancy %":62.5,)");
  EXPECT_EQ(Launch(" grid:16,1,1 block:512,1,1 private_mem:0 group_mem:8 occ_pct:0"),
            R"("grid":[16,1,1],"block":[512,1,1],"shared memory":8,)");
  EXPECT_EQ(Launch("grid:1,2 block:1,x,1 regs:-3 occ_pct:nan"), "");
}

TEST(AppendMember, QuotesWhatIsForeign) {
  Stat stat;
  stat.kind = Stat::Kind::kText;
  std::string json;
  AppendMember("a\"b", stat, "c\\d\n", &json);
  EXPECT_EQ(json, "\"a\\\"b\":\"c\\\\d\\u000a\",");
  json.clear();
  stat.kind = Stat::Kind::kDouble;
  stat.real = std::numeric_limits<double>::infinity();
  AppendMember("x", stat, "", &json);
  EXPECT_EQ(json, "\"x\":null,");
}

TEST(DeviceOfAllocator, IsTheNumberOfAGpu) {
  EXPECT_EQ(DeviceOfAllocator("GPU_3_bfc"), 3);
  EXPECT_EQ(DeviceOfAllocator("gpu_host_bfc"), std::nullopt);
  EXPECT_EQ(DeviceOfAllocator("GPU_x"), std::nullopt);
}

TEST(RoundedNs, GoesToTheNearestNanosecond) {
  EXPECT_EQ(RoundedNs(1499), 1);
  EXPECT_EQ(RoundedNs(1500), 2);
  EXPECT_EQ(RoundedNs(-1499), -1);
  EXPECT_EQ(RoundedNs(-1500), -2);
  EXPECT_EQ(RoundedNs(static_cast<__int128>(1'700'000'000'000'000'000) * 1000 + 500),
            1'700'000'000'000'000'001);
}

TEST(PlaneIds, FindsSmallAndOddIds) {
  PlaneIds index;
  index.Put(1, 0);
  index.Put(std::numeric_limits<int64_t>::min(), 1);
  index.Put(1'000'000, 2);
  index.Put(1, 3);
  for (int32_t i = 4; i < 300; ++i) index.Put(i, i);
  EXPECT_EQ(index.Find(1), 0);
  EXPECT_EQ(index.Find(std::numeric_limits<int64_t>::min()), 1);
  EXPECT_EQ(index.Find(1'000'000), 2);
  EXPECT_EQ(index.Find(299), 299);
  EXPECT_EQ(index.Find(0), -1);
  EXPECT_EQ(index.Find(300), -1);
}

}  // namespace
}  // namespace steptrace::import::xplane
