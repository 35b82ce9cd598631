// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/id_index.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {
namespace {

TEST(IdIndexTest, OfOneIdTheFirstByTimeAndOfEqualTimesTheFirstAdded) {
  IdIndex index;
  index.Add(7, 20, 0);
  index.Add(7, 10, 1);
  index.Add(7, 10, 2);
  index.Add(kNone, 0, 3);
  index.Finish();
  EXPECT_EQ(index.Find(7), 1);
  EXPECT_EQ(index.Find(6), kNone);
  EXPECT_EQ(index.Find(kNone), kNone);
  IdIndex empty;
  empty.Finish();
  EXPECT_EQ(empty.Find(0), kNone);
}

// Ids that lie close together, far apart, and at the ends of what a number holds.
TEST(IdIndexProperty, FindsWhatAMapFinds) {
  std::mt19937_64 random(3);
  for (int64_t spread : {int64_t{10}, int64_t{1} << 20, INT64_MAX}) {
    IdIndex index;
    std::map<int64_t, std::pair<int64_t, int32_t>> known;
    for (int32_t event = 0; event < 500; ++event) {
      int64_t id = static_cast<int64_t>(random() % static_cast<uint64_t>(spread)) - spread / 2;
      if (event % 100 == 0) id = event == 0 ? INT64_MIN : spread == INT64_MAX ? INT64_MAX : id;
      if (spread == 10 && event == 0) id = 4;
      const auto ts = static_cast<int64_t>(random() % 50);
      index.Add(id, ts, event);
      if (id == kNone) continue;
      auto [found, added] = known.try_emplace(id, ts, event);
      if (!added && ts < found->second.first) found->second = {ts, event};
    }
    index.Finish();
    for (const auto& [id, event] : known) EXPECT_EQ(index.Find(id), event.second) << id;
    for (int64_t id = -20; id < 20; ++id) {
      const auto found = known.find(id);
      EXPECT_EQ(index.Find(id), found == known.end() ? kNone : found->second.second) << id;
    }
  }
}

}  // namespace
}  // namespace steptrace::analyze
