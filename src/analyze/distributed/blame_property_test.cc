// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "analyze/distributed/blame.h"
#include "analyze/distributed/distributed.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

TEST(ApportionTest, WholeNumbersThatSumToTheTotal) {
  const std::vector<int64_t> shares = Apportion(100, {1, 0, 1, 1});
  EXPECT_EQ(std::accumulate(shares.begin(), shares.end(), int64_t{0}), 100);
  EXPECT_EQ(shares[1], 0);
  EXPECT_EQ(Apportion(5, {0, 0}), (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(Apportion(INT64_MAX, {INT64_MAX, INT64_MAX})[0], INT64_MAX / 2);
}

// Ranks that compute for a while of their own choice, load, launch late, drop calls and run on
// clocks of their own. With pairs, some rounds are of two ranks alone: who waits there lets others
// wait.
std::string RandomJob(std::mt19937_64& random) {
  auto draw = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  const auto ranks = draw(1, 5);
  const auto rounds = draw(0, 12);
  const bool grouped = draw(0, 1) == 1;
  const bool pairs = ranks > 2 && draw(0, 1) == 1;
  std::vector<int64_t> at(static_cast<size_t>(ranks), 1000);
  std::vector<std::string> texts(static_cast<size_t>(ranks));
  std::vector<int64_t> skew(static_cast<size_t>(ranks));
  for (auto& s : skew) s = draw(0, 4) == 0 ? draw(0, 900) : 0;
  for (int64_t round = 0; round < rounds; ++round) {
    std::vector<int64_t> begin;
    const auto first = static_cast<size_t>(draw(0, ranks - 1));
    const auto last = static_cast<size_t>(draw(0, ranks - 1));
    const bool all = !pairs || first >= last || draw(0, 2) == 0;
    const auto takes_part = [&](size_t r) { return all || r == first || r == last; };
    for (size_t r = 0; r < at.size(); ++r) {
      const int64_t from = at[r] + skew[r];
      const int64_t work = draw(0, 500);
      const int64_t split = from + draw(0, work);
      texts[r] += fmt::format("t1 step ProfilerStep#{} {} {}\n", round, from, from + work + 50);
      texts[r] +=
          fmt::format("t1 annotation enumerate(DataLoader)#x.__next__ {} {}\n", from, split);
      texts[r] += fmt::format("s7 kernel k{} {} {}\n", draw(0, 3), split, from + work);
      begin.push_back(at[r] + work);
    }
    int64_t end = 0;
    for (size_t r = 0; r < at.size(); ++r) {
      if (takes_part(r)) end = std::max(end, begin[r]);
    }
    end += draw(0, 100);
    const std::string of_pair = fmt::format(
        R"( details={{"Process Group Name":"p","Process Group Ranks":"[{}, {}]"}})", first, last);
    const std::string details = !all      ? of_pair
                                : grouped ? R"( details={"Process Group Name":"0"})"
                                          : "";
    for (size_t r = 0; r < at.size(); ++r) {
      if (!takes_part(r)) {
        at[r] = begin[r];
        continue;
      }
      at[r] = end + draw(0, 3);
      if (draw(0, 9) == 0) continue;
      texts[r] += fmt::format("s9 kernel ncclDevKernel_AllReduce {} {}{}\n", begin[r] + skew[r],
                              at[r] + skew[r], details);
    }
  }
  std::string text;
  for (size_t r = 0; r < texts.size(); ++r) text += fmt::format("rank {}\n{}", r, texts[r]);
  return text;
}

TEST(BlameProperty, SumsToTheWaitAndTheCommunication) {
  std::mt19937_64 random(20260917);
  int64_t waited = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string text = RandomJob(random);
    store::StringTable strings;
    const Trace trace = DrawTrace(text, strings);
    const ProfileDistributed section = BuildDistributed(trace);
    SCOPED_TRACE(text);
    int64_t wait = 0;
    int64_t blamed = 0;
    for (size_t r = 0; r < section.ranks.size(); ++r) {
      const ProfileRank& rank = section.ranks[r];
      int64_t communication = 0;
      for (const auto& event : trace.ranks[r].device) {
        if (event.role == DeviceRole::kCommunication) communication += event.dur_ns;
      }
      EXPECT_EQ(rank.transfer_ns + rank.wait_ns + rank.unmatched_ns, communication);
      EXPECT_GE(rank.transfer_ns, 0);
      const OverlapTimes& times = rank.times;
      EXPECT_EQ(times.computation_ns + times.overlap_ns + times.exposed_ns + times.other_ns,
                times.total_ns);
      wait += rank.wait_ns;
    }
    for (const ProfileBlame& blame : section.blame) {
      int64_t parts = 0;
      for (const auto& part : blame.parts) parts += part.ns;
      EXPECT_EQ(parts, blame.caused_wait_ns);
      EXPECT_EQ(blame.before_step_ns + blame.in_step_ns, blame.caused_wait_ns);
      int64_t waiters = 0;
      for (const auto& waiter : blame.waiters) waiters += waiter.second;
      EXPECT_EQ(waiters, blame.caused_wait_ns);
      blamed += blame.caused_wait_ns;
    }
    EXPECT_EQ(blamed, wait);
    EXPECT_EQ(section.wait_ns, wait);
    waited += wait;
  }
  EXPECT_GT(waited, 0);
}

}  // namespace
}  // namespace steptrace::analyze
