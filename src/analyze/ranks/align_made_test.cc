// SPDX-License-Identifier: Apache-2.0
// MadeCalls lists of calls, of which some are missing, by clocks that differ: the maker knows which
// calls are one collective, who waited how long and what the clocks differ by.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "analyze/distributed/distributed.h"
#include "analyze/ranks/matched_collectives.h"
#include "model/finding_kinds.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using MissingCalls = std::set<std::pair<int, int>>;  // rank, collective

struct MadeJob {
  int ranks = 3;
  int collectives = 24;
  MissingCalls missing = {};
  std::vector<int64_t> ahead_ns = {};  // clock of each rank
  bool grouped = false;
  bool named = false;        // names and sizes that differ, else all alike
  int64_t scatter_ns = 0;    // ends of one collective differ by up to
  int64_t drift_ppm = 0;     // of rank 1
  int64_t equal_gap_ns = 0;  // as if every step took the same time
  unsigned seed = 1;
};

struct MadeCalls {
  std::string text;
  std::map<std::pair<int, int64_t>, int> collective_of;  // rank, begin by its own clock
  int64_t wait_ns = 0;
  int64_t matched = 0;    // collectives that two ranks tell
  int64_t unmatched = 0;  // calls that one rank alone tells
};

std::string DetailsOf(const MadeJob& job, int collective) {
  std::string details;
  const char* name = job.named && collective * 7 % 3 == 0 ? "_allgather_base" : "allreduce";
  details += fmt::format(R"("Collective name":"{}","dtype":"Float","In msg nelems":{})", name,
                         job.named ? 1000 * (1 + collective * 5 % 4) : 1000);
  std::vector<int> ranks;
  for (int r = 0; r < job.ranks; ++r) ranks.push_back(r);
  if (job.grouped) {
    details +=
        fmt::format(R"(,"Process Group Name":"0","Process Group Ranks":"[{}]","Group size":{})",
                    fmt::join(ranks, ", "), job.ranks);
  }
  return "details={" + details + "}";
}

MadeCalls MakeCalls(const MadeJob& job) {
  std::mt19937 random(job.seed);
  const auto between = [&](int64_t low, int64_t high) {  // the same on every platform
    return low + static_cast<int64_t>(random() % static_cast<unsigned>(high - low));
  };
  MadeCalls made;
  const auto count = static_cast<size_t>(job.ranks);
  constexpr int64_t kBegin = 30'000'000'000;
  std::vector<int64_t> now(count, kBegin);
  std::vector<std::string> lines(count);
  for (int c = 0; c < job.collectives; ++c) {
    std::vector<int64_t> begin(count);
    for (size_t r = 0; r < count; ++r) {
      for (int64_t kernels = between(1, 4); kernels > 0; --kernels) {
        now[r] += between(20'000, 200'000) + between(0, 30'000);
      }
      if (job.equal_gap_ns > 0) {
        now[r] = kBegin + c * job.equal_gap_ns + static_cast<int64_t>(r) * 1'000;
      }
      begin[r] = now[r];
    }
    const int64_t last = *std::max_element(begin.begin(), begin.end());
    const int64_t end = last + (job.equal_gap_ns > 0 ? 50'000 : between(30'000, 90'000));
    int64_t last_told = 0;
    int reported = 0;
    for (size_t r = 0; r < count; ++r) {
      if (job.missing.contains({static_cast<int>(r), c})) continue;
      last_told = std::max(last_told, begin[r]);
      ++reported;
    }
    for (size_t r = 0; r < count; ++r) {
      const int64_t own_end = end + (job.scatter_ns > 0 ? between(0, job.scatter_ns) : 0);
      now[r] = own_end + between(1'000, 9'000);
      const auto rank = static_cast<int>(r);
      if (job.missing.contains({rank, c})) continue;
      const int64_t ahead = (job.ahead_ns.empty() ? 0 : job.ahead_ns[r]) +
                            (r == 1 ? (begin[r] - kBegin) / 1'000 * job.drift_ppm / 1'000 : 0);
      lines[r] += fmt::format("s9 kernel ncclDevKernel_{} {} {} {}\n",
                              job.named && c * 7 % 3 == 0 ? "AllGather" : "AllReduce",
                              begin[r] + ahead, own_end + ahead, DetailsOf(job, c));
      made.collective_of[{rank, begin[r] + ahead}] = c;
      if (reported > 1) made.wait_ns += last_told - begin[r];
    }
    made.matched += reported > 1 ? 1 : 0;
    made.unmatched += reported == 1 ? 1 : 0;
  }
  for (size_t r = 0; r < count; ++r) made.text += fmt::format("rank {}\n", r) + lines[r];
  return made;
}

MissingCalls AtRandom(int ranks, int collectives, unsigned seed) {
  std::mt19937 random(seed);
  MissingCalls missing = {};
  for (int r = 0; r < ranks; ++r) {
    for (int c = 0; c < collectives; ++c) {
      if (random() % 20 == 0) missing.insert({r, c});  // 5 %
    }
  }
  return missing;
}

// Exactly the true pairs.
void ExpectTrue(const MadeCalls& made, const Trace& trace) {
  const Matches matches = MatchCollectives(ReadCollectives(trace), {});
  int64_t wrong = 0;
  for (const MatchedCollective& collective : matches.collectives) {
    std::set<int> of;
    for (const CollectiveCall& call : collective.members) {
      of.insert(made.collective_of.at({call.rank, call.begin_ns}));
    }
    wrong += of.size() == 1 ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(static_cast<int64_t>(matches.collectives.size()), made.matched);
  EXPECT_EQ(static_cast<int64_t>(matches.unmatched.size()), made.unmatched);
  EXPECT_TRUE(matches.unplaced_ranks.empty());
  EXPECT_TRUE(matches.ambiguous_ranks.empty());
}

void ExpectExact(const MadeJob& job) {
  const MadeCalls made = MakeCalls(job);
  store::StringTable strings;
  const Trace trace = DrawTrace(made.text, strings);
  ExpectTrue(made, trace);
  const ProfileDistributed section = BuildDistributed(trace);
  EXPECT_EQ(section.wait_ns, made.wait_ns);
  int64_t blamed = 0;
  for (const ProfileBlame& blame : section.blame) blamed += blame.caused_wait_ns;
  EXPECT_EQ(blamed, made.wait_ns);
  EXPECT_EQ(section.impossible_starts, 0);
  for (const ClockOffset& clock : section.clocks) {
    EXPECT_EQ(clock.offset_ns, job.ahead_ns[static_cast<size_t>(clock.unit)]);
    EXPECT_EQ(clock.residual_ns, 0);
  }
}

// What clocks of three or eight ranks are apart: a tenth of a ms to ten seconds.
constexpr int64_t kApartNs[] = {0,          100'000,     200'000,       1'000'000,
                                30'000'000, 300'000'000, 10'000'000'000};

std::vector<int64_t> ClocksApart(int ranks, int64_t apart_ns) {
  std::vector<int64_t> ahead(static_cast<size_t>(ranks), 0);
  for (size_t r = 1; r < ahead.size(); ++r) {
    const int64_t sign = r % 2 == 1 ? 1 : -1;
    ahead[r] = apart_ns == 0 ? 0 : sign * apart_ns + static_cast<int64_t>(r) * 123;
  }
  return ahead;
}

// With groups told and not, with names that differ and not, and every distance of clocks.
void ExpectExactHowever(MadeJob job) {
  for (int64_t apart_ns : kApartNs) {
    for (int form = 0; form < 4; ++form) {
      job.grouped = form % 2 == 1;
      job.named = form / 2 == 1;
      job.ahead_ns = ClocksApart(job.ranks, apart_ns);
      SCOPED_TRACE(fmt::format("{} ranks, seed {}, clocks {} ns apart, group {}, names {}",
                               job.ranks, job.seed, apart_ns, job.grouped, job.named));
      ExpectExact(job);
    }
  }
}

TEST(AlignMadeTest, OneCallIsMissing) {
  for (int where : {0, 12, 23}) {
    SCOPED_TRACE(fmt::format("call {}", where));
    ExpectExactHowever({.missing = {{1, where}}});
  }
}

TEST(AlignMadeTest, SeveralCallsAreMissing) {
  ExpectExactHowever({.missing = {{1, 4}, {1, 5}, {1, 15}, {2, 9}, {0, 18}}});
  // As many on each rank, so that counts are equal and the order alone is wrong.
  ExpectExactHowever({.missing = {{0, 10}, {1, 11}, {2, 12}}});
  ExpectExactHowever({.missing = {{0, 0}, {1, 23}, {2, 12}}});
  ExpectExactHowever({.missing = {{0, 5}, {1, 18}}});
}

TEST(AlignMadeTest, SomeAreMissingAtRandom) {
  for (unsigned seed = 1; seed <= 2; ++seed) {
    ExpectExactHowever({.ranks = 3, .missing = AtRandom(3, 24, seed), .seed = seed});
  }
  ExpectExactHowever({.ranks = 8, .missing = AtRandom(8, 24, 3), .seed = 3});
  ExpectExact({.collectives = 400, .missing = AtRandom(3, 400, 5), .ahead_ns = ClocksApart(3, 0)});
  ExpectExact(
      {.collectives = 400, .missing = AtRandom(3, 400, 6), .ahead_ns = ClocksApart(3, 30'000'000)});
}

TEST(AlignMadeTest, EndsThatScatterLeaveAResidual) {
  for (int64_t apart_ns : kApartNs) {
    for (unsigned seed = 1; seed <= 2; ++seed) {
      MadeJob job{.missing = AtRandom(3, 24, seed), .ahead_ns = ClocksApart(3, apart_ns)};
      job.scatter_ns = 10'000;
      job.seed = seed;
      SCOPED_TRACE(fmt::format("seed {}, clocks {} ns apart", seed, apart_ns));
      const MadeCalls made = MakeCalls(job);
      store::StringTable strings;
      const Trace trace = DrawTrace(made.text, strings);
      ExpectTrue(made, trace);
      const ProfileDistributed section = BuildDistributed(trace);
      for (const ClockOffset& clock : section.clocks) {
        EXPECT_LE(std::abs(clock.measured_ns - job.ahead_ns[static_cast<size_t>(clock.unit)]),
                  4'000);
        EXPECT_LE(clock.residual_ns, 10'000);
      }
    }
  }
}

TEST(AlignMadeTest, ClocksMayDrift) {
  MadeJob job{
      .collectives = 600, .missing = AtRandom(3, 600, 3), .ahead_ns = ClocksApart(3, 30'000'000)};
  job.drift_ppm = 100;
  job.scatter_ns = 2'000;
  const MadeCalls made = MakeCalls(job);
  store::StringTable strings;
  ExpectTrue(made, DrawTrace(made.text, strings));
}

// Not told by anything: which of the calls is missing.
TEST(AlignMadeTest, EqualGapsAreAmbiguousWhereClocksDiffer) {
  MadeJob job{.ranks = 2, .missing = {{1, 0}}, .ahead_ns = {0, 10'000'000'000}};
  job.equal_gap_ns = 1'000'000;
  const auto is_ambiguous = [&] {
    store::StringTable strings;
    const ProfileDistributed section = BuildDistributed(DrawTrace(MakeCalls(job).text, strings));
    EXPECT_EQ(section.collective_count, 23);
    return std::ranges::count(section.notes, model::FindingKind::kNoteCallsAmbiguous,
                              &model::Finding::kind) == 1;
  };
  EXPECT_TRUE(is_ambiguous());
  job.ahead_ns[1] = 0;  // the clocks tell
  EXPECT_FALSE(is_ambiguous());
  ExpectTrue(MakeCalls(job), [&] {
    static store::StringTable strings;
    return DrawTrace(MakeCalls(job).text, strings);
  }());
}

TEST(AlignMadeTest, ProfilesOfOtherJobsStayAlone) {
  const MadeCalls made = MakeCalls({.ranks = 2});
  const MadeCalls other =
      MakeCalls({.ranks = 2, .collectives = 20, .ahead_ns = {0, 0}, .seed = 99});
  store::StringTable strings;
  const std::string stranger = other.text.substr(other.text.find("rank 1\n") + 7);
  const ProfileDistributed section =
      BuildDistributed(DrawTrace(made.text + "rank 2\n" + stranger, strings));
  EXPECT_EQ(section.collective_count, 24);
  EXPECT_EQ(section.unmatched_count, 20);
  EXPECT_EQ(section.wait_ns, made.wait_ns);
  ASSERT_EQ(section.notes.size(), 2u);
  EXPECT_EQ(section.notes[0].kind, model::FindingKind::kNoteCollectivesLackRanks);
  EXPECT_EQ(section.notes[1].kind, model::FindingKind::kNoteCallsUnplaced);
  EXPECT_EQ(SubjectOf(section.notes[1]).ranks, (std::vector<model::Subject::Range>{{2, 2}}));
}

}  // namespace
}  // namespace steptrace::analyze
