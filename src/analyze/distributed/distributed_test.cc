// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/distributed.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"
#include "testing/trace_text.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;

// The arguments of an all-reduce of 1000 floats in a group.
std::string AllReduce(const std::string& group, const std::string& ranks, int size,
                      const std::string& more = "") {
  return fmt::format(
      R"(details={{"Collective name":"allreduce","Process Group Name":"{}","Process Group Ranks":"{}","Group size":{},"dtype":"Float","In msg nelems":1000,"Out msg nelems":1000{}}})",
      group, ranks, size, more);
}
const std::string kPair = AllReduce("0", "[0, 1]", 2);

std::vector<std::string> Parts(const ProfileBlame& blame) {
  std::vector<std::string> lines;
  for (const auto& part : blame.parts) {
    lines.push_back(fmt::format("{} {} {}|{} {}", part.before_step ? "before_step" : "in_step",
                                part.cause, part.name, part.op, part.ns));
  }
  return lines;
}

ProfileDistributed Of(const std::string& text) {
  store::StringTable strings;
  const Trace trace = DrawTrace(text, strings);
  return BuildDistributed(trace);
}

TEST(DistributedTest, LateByALongerKernel) {
  const auto section =
      Of("rank 0\ns7 kernel gemm 0 100\ns9 kernel ncclDevKernel_AllReduce 100 400 " + kPair +
         "\nrank 1\ns7 kernel gemm 0 300\n"
         "s9 kernel ncclDevKernel_AllReduce 300 400 " +
         kPair + "\n");
  EXPECT_EQ(section.status, DistributedStatus::kOk);
  ASSERT_EQ(section.collectives.size(), 1u);
  const CollectiveRow& row = section.collectives[0];
  EXPECT_EQ(row.name, "all_reduce");
  EXPECT_EQ(row.matched_by, "group_index");
  EXPECT_TRUE(row.complete);
  EXPECT_EQ(row.wait_ns, 200);
  EXPECT_EQ(row.transfer_ns, 100);
  EXPECT_EQ(row.late_by_ns, 200);
  EXPECT_EQ(row.last_rank, 1);
  EXPECT_DOUBLE_EQ(*row.algorithm_bytes_per_s, 4e10);  // 4000 bytes in 100 ns
  EXPECT_DOUBLE_EQ(*row.bus_bytes_per_s, 4e10);        // 2 (n - 1) / n = 1 of two ranks
  EXPECT_EQ(section.ranks[0].wait_ns, 200);
  EXPECT_EQ(section.ranks[0].transfer_ns, 100);
  EXPECT_EQ(section.ranks[1].wait_ns, 0);
  EXPECT_EQ(section.ranks[0].times.computation_ns, 100);
  EXPECT_EQ(section.ranks[0].times.exposed_ns, 300);
  ASSERT_EQ(section.blame.size(), 1u);
  EXPECT_EQ(section.blame[0].rank, 1);
  EXPECT_EQ(section.blame[0].caused_wait_ns, 200);
  EXPECT_EQ(section.blame[0].cause, "longer_kernels");
  EXPECT_THAT(Parts(section.blame[0]), ElementsAre("in_step longer_kernels gemm| 200"));
}

TEST(DistributedTest, LateByAWaitForData) {
  const auto section =
      Of("rank 0\ns7 kernel gemm 0 100\ns9 kernel ncclDevKernel_AllReduce 100 400 " + kPair +
         "\nrank 1\n"
         "t1 annotation enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ 0 200\n"
         "s7 kernel gemm 200 300\ns9 kernel ncclDevKernel_AllReduce 300 400 " +
         kPair + "\n");
  ASSERT_EQ(section.blame.size(), 1u);
  EXPECT_THAT(Parts(section.blame[0]),
              ElementsAre("in_step data_wait "
                          "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__| 200"));
}

TEST(DistributedTest, LateByALateLaunch) {
  const auto section =
      Of("rank 0\nt1 op aten::mm 0 1\nt1 runtime cudaLaunchKernel 0 1 corr=5\n"
         "s7 kernel gemm 1 101 corr=5\ns9 kernel ncclDevKernel_AllReduce 101 400 " +
         kPair +
         "\nrank 1\nt1 op aten::slow 0 200\nt1 runtime cudaLaunchKernel 195 200 corr=5\n"
         "s7 kernel gemm 200 300 corr=5\ns9 kernel ncclDevKernel_AllReduce 300 400 " +
         kPair + "\n");
  ASSERT_EQ(section.blame.size(), 1u);
  EXPECT_EQ(section.blame[0].caused_wait_ns, 199);
  EXPECT_THAT(Parts(section.blame[0]), ElementsAre("in_step late_launch |aten::slow 199"));
}

// From when on its work is launched, a rank's device is what does not begin it.
TEST(DistributedTest, LateByADeviceThatDoesNotBegin) {
  const std::string rank =
      "t1 runtime cudaLaunchKernel 0 13 corr=5\ns9 kernel ncclDevKernel_AllReduce ";
  const auto section = Of("rank 0\n" + rank + "13 400 corr=5 " + kPair + "\nrank 1\n" + rank +
                          "63 400 corr=5 " + kPair + "\n");
  ASSERT_EQ(section.blame.size(), 1u);
  EXPECT_EQ(section.blame[0].caused_wait_ns, 50);
  EXPECT_THAT(Parts(section.blame[0]),
              ElementsAre("in_step wait_on_device ncclDevKernel_AllReduce| 50"));
}

// Ranks 0 and 1, and 1 and 2, exchange: rank 2 loads for long, rank 1 waits for it and then lets
// rank 0 wait.
std::string Chain(const std::string& loads, int computes) {
  const std::string first = AllReduce("tp", "[1, 2]", 2);
  const std::string second = AllReduce("dp", "[0, 1]", 2);
  return "rank 0\ns7 kernel gemm 0 100\ns9 kernel ncclDevKernel_AllReduce 100 700 " + second +
         "\nrank 1\ns7 kernel gemm 0 100\ns8 kernel ncclDevKernel_AllReduce 100 450 " + first +
         fmt::format("\ns7 kernel more 450 {0}\ns9 kernel ncclDevKernel_AllReduce {0} 700 ",
                     450 + computes) +
         second + "\nrank 2\n" + loads + "s8 kernel ncclDevKernel_AllReduce 400 450 " + first +
         "\n";
}

TEST(DistributedTest, BlameFollowsTheChainOfWaits) {
  const auto section = Of(
      Chain("t1 annotation enumerate(DataLoader)#x.__next__ 0 300\ns7 kernel gemm 300 400\n", 0));
  EXPECT_EQ(section.wait_ns, 300 + 350);
  ASSERT_EQ(section.blame.size(), 2u);
  // Of rank 0's 350 rank 1 spent 300 waiting and 50 exchanging.
  EXPECT_EQ(section.blame[0].rank, 2);
  EXPECT_EQ(section.blame[0].caused_wait_ns, 600);
  EXPECT_EQ(section.blame[0].cause, "data_wait");
  EXPECT_EQ(section.blame[0].collectives, 1);
  EXPECT_THAT(section.blame[0].waiters, ElementsAre(std::pair<int32_t, int64_t>(0, 300),
                                                    std::pair<int32_t, int64_t>(1, 300)));
  EXPECT_THAT(Parts(section.blame[0]),
              ElementsAre("in_step data_wait enumerate(DataLoader)#x.__next__| 600"));
  EXPECT_EQ(section.blame[1].rank, 1);
  EXPECT_THAT(Parts(section.blame[1]),
              ElementsAre("in_step other_communication ncclDevKernel_AllReduce| 50"));
}

TEST(DistributedTest, TheChainEndsWhereALateRankIsSlowItself) {
  const auto section = Of(Chain("s7 kernel gemm 0 400\n", 50));
  EXPECT_EQ(section.wait_ns, 300 + 400);
  ASSERT_EQ(section.blame.size(), 2u);
  EXPECT_EQ(section.blame[0].rank, 2);
  EXPECT_THAT(Parts(section.blame[0]), ElementsAre("in_step longer_kernels gemm| 600"));
  EXPECT_EQ(section.blame[1].rank, 1);
  EXPECT_THAT(Parts(section.blame[1]),
              ElementsAre("in_step longer_kernels more| 50",
                          "in_step other_communication ncclDevKernel_AllReduce| 50"));
}

TEST(DistributedTest, KernelsOfSymmetricMemoryCommunicate) {
  const auto section =
      Of("rank 0\ns7 kernel \"void multimem_all_reduce_kernel<c10::BFloat16, 16>\" 0 100\n"
         "s7 kernel two_shot_all_reduce_kernel 200 300\ns7 kernel one_shot_all_reduce 300 400\n"
         "rank 1\ns7 kernel \"void multimem_all_reduce_kernel<c10::BFloat16, 16>\" 40 100\n"
         "s7 kernel two_shot_all_reduce_kernel 200 300\ns7 kernel one_shot_all_reduce 300 400\n");
  EXPECT_EQ(section.collective_count, 3);
  EXPECT_EQ(section.collectives[0].name, "all_reduce");
  EXPECT_EQ(section.ranks[0].wait_ns, 40);
  EXPECT_EQ(section.ranks[0].times.exposed_ns, 300);
}

// Rank 1 comes to its step 100 late, for its loader, and loses 50 more in the step by a kernel.
TEST(DistributedTest, LateAtTheStepsBeginIsToldFromLateInTheStep) {
  auto rank = [](int late, int longer) {
    const int step = 200 + late;
    const int gemm = step + 100 + longer;
    return fmt::format(
        "s9 kernel ncclDevKernel_AllReduce 0 100 {0}\n"
        "t1 annotation enumerate(DataLoader)#x.__next__ 100 {1}\n"
        "t1 step ProfilerStep#4 {1} 900\n"
        "s7 kernel gemm {1} {2}\n"
        "s9 kernel ncclDevKernel_AllReduce {2} 800 {0}\n",
        kPair, step, gemm);
  };
  const auto section = Of("rank 0\n" + rank(0, 0) + "rank 1\n" + rank(100, 50));
  ASSERT_EQ(section.blame.size(), 1u);
  EXPECT_EQ(section.blame[0].caused_wait_ns, 150);
  EXPECT_EQ(section.blame[0].before_step_ns, 100);
  EXPECT_EQ(section.blame[0].in_step_ns, 50);
  EXPECT_THAT(Parts(section.blame[0]),
              ElementsAre("before_step data_wait enumerate(DataLoader)#x.__next__| 100",
                          "in_step longer_kernels gemm| 50"));
}

TEST(DistributedTest, CountsThatDifferLeaveUnmatchedOnesNamed) {
  auto call = [](int begin, int end) {
    return fmt::format("s9 kernel ncclDevKernel_AllReduce {} {} {}\n", begin, end, kPair);
  };
  const auto section = Of("rank 0\n" + call(0, 100) + call(200, 300) + call(400, 500) + "rank 1\n" +
                          call(10, 100) + call(420, 500));
  EXPECT_EQ(section.collective_count, 2);
  EXPECT_EQ(section.unmatched_count, 1);
  ASSERT_EQ(section.unmatched.size(), 1u);
  EXPECT_EQ(section.unmatched[0].rank, 0);
  EXPECT_EQ(section.unmatched[0].name, "all_reduce");
  EXPECT_EQ(section.unmatched[0].ns, 100);
  EXPECT_EQ(section.ranks[0].unmatched_ns, 100);
  EXPECT_EQ(section.wait_ns, 30);
}

TEST(DistributedTest, SequenceNumbersMatchWhateverTheTimes) {
  auto call = [](int begin, int end, int seq) {
    return fmt::format("s9 kernel ncclDevKernel_AllReduce {} {} seq={} {}\n", begin, end, seq,
                       kPair);
  };
  const auto section = Of("rank 0\n" + call(0, 100, 7) + call(200, 300, 8) + "rank 1\n" +
                          call(210, 300, 8) + call(400, 500, 9));
  EXPECT_EQ(section.collective_count, 1);
  EXPECT_EQ(section.collectives[0].sequence, 8);
  EXPECT_EQ(section.collectives[0].wait_ns, 10);
  EXPECT_EQ(section.unmatched_count, 2);
}

TEST(DistributedTest, GroupsAreKeptApart) {
  const std::string a = AllReduce("dp", "[0, 1]", 2);
  const std::string b = AllReduce("dp", "[2, 3]", 2);  // of the same name
  auto rank = [](int number, int begin, const std::string& details) {
    return fmt::format("rank {}\ns9 kernel ncclDevKernel_AllReduce {} 500 {}\n", number, begin,
                       details);
  };
  const auto section = Of(rank(0, 100, a) + rank(1, 150, a) + rank(2, 200, b) + rank(3, 400, b));
  EXPECT_EQ(section.collective_count, 2);
  EXPECT_EQ(section.wait_ns, 50 + 200);
  EXPECT_EQ(section.blame[0].rank, 3);
  EXPECT_THAT(section.blame[0].waiters, ElementsAre(std::pair<int32_t, int64_t>(2, 200)));
}

TEST(DistributedTest, SendAndReceiveArePaired) {
  auto p2p = [](const char* name, const char* peer, int rank) {
    return fmt::format(
        R"(details={{"Collective name":"{}","Process Group Name":"pp","Process Group Ranks":"[0, 1, 2]","Group size":3,"{}":{},"dtype":"Float","In msg nelems":10,"Out msg nelems":10}})",
        name, peer, rank);
  };
  const auto section =
      Of("rank 0\ns9 kernel ncclDevKernel_SendRecv 0 100 " + p2p("send", "Dst Rank", 1) +
         "\nrank 1\ns9 kernel ncclDevKernel_SendRecv 60 100 " + p2p("recv", "Src Rank", 0) +
         "\ns9 kernel ncclDevKernel_SendRecv 110 200 " + p2p("send", "Dst Rank", 2) +
         "\nrank 2\ns9 kernel ncclDevKernel_SendRecv 150 200 " + p2p("recv", "Src Rank", 1) + "\n");
  EXPECT_EQ(section.collective_count, 2);
  EXPECT_EQ(section.unmatched_count, 0);
  EXPECT_EQ(section.ranks[0].wait_ns, 60);
  EXPECT_EQ(section.ranks[1].wait_ns, 40);
  EXPECT_EQ(section.incomplete_count, 0);
}

// Four of rank 0's to rank 1, as two nodes recorded them (ns), their clocks set by the ends of
// collectives: what that leaves is longer than the third, whose receive ends before its send
// begins.
std::string ShortTransfers(const std::vector<int>& numbers_of_receives) {
  struct Call {
    int64_t begin_ns, dur_ns;
  };
  constexpr Call kSends[] = {{5'350'765'990, 243'005},
                             {5'894'827'677, 181'753},
                             {6'468'748'640, 55'984},
                             {7'028'379'324, 2'013'381}};
  constexpr Call kReceives[] = {{5'350'737'213, 1'102'083},
                                {5'894'750'871, 889'674},
                                {6'468'437'749, 187'201},
                                {7'028'258'844, 3'119'008}};
  const auto line = [](const Call& call, int number, const char* name, const char* peer) {
    return fmt::format(
        R"(s9 kernel ncclDevKernel_SendRecv {} {} seq={} details={{"Collective name":"{}","Process Group Name":"0","Process Group Ranks":[0,1],"Group size":2,{}}})"
        "\n",
        call.begin_ns, call.begin_ns + call.dur_ns, number, name, peer);
  };
  std::string text = "rank 0\n";
  for (int i = 0; i < 4; ++i) text += line(kSends[i], i + 1, "send", R"("Dst Rank":1)");
  text += "rank 1\n";
  for (size_t i = 0; i < 4; ++i) {
    text += line(kReceives[i], numbers_of_receives[i], "recv", R"("Src Rank":0)");
  }
  return text;
}

TEST(DistributedTest, TransfersWhoseEndsTellTheSameNumbersAreOnesByThem) {
  const auto section = Of(ShortTransfers({1, 2, 3, 4}));
  EXPECT_EQ(section.collective_count, 4);
  EXPECT_EQ(section.unmatched_count, 0);
  ASSERT_FALSE(section.collectives.empty());
  EXPECT_EQ(section.collectives[0].matched_by, "sequence");
}

// One end counts what it has from others too.
TEST(DistributedTest, TransfersWhoseEndsTellOtherNumbersAreOnesByTheirTimes) {
  const auto section = Of(ShortTransfers({1, 2, 4, 6}));
  EXPECT_EQ(section.collective_count, 3);
  EXPECT_EQ(section.unmatched_count, 2);
}

// Three nodes whose clocks are 10 us, -5 us and 0 off; ends agree but for 3 ns of one of them.
std::string SkewedRank(int rank, int64_t skew) {
  std::string text = fmt::format("rank {}\n", rank);
  for (int i = 0; i < 5; ++i) {
    const int64_t begin = 20'000 + i * 1'000 + rank * 10 + skew;
    const int64_t end = 20'500 + i * 1'000 + skew + (rank == 2 && i == 3 ? 3 : 0);
    text += fmt::format("s9 kernel ncclDevKernel_AllReduce {} {} {}\n", begin, end,
                        AllReduce("0", "[0, 1, 2]", 3));
  }
  return text;
}

TEST(DistributedTest, ClocksOfNodesAreAlignedByEnds) {
  store::StringTable strings;
  Trace trace =
      DrawTrace(SkewedRank(0, 0) + SkewedRank(1, 10'000) + SkewedRank(2, -5'000), strings);
  for (bool reported : {true, false}) {  // nodes known; nodes unknown but starts impossible
    for (int r = 0; r < 3; ++r) trace.ranks[static_cast<size_t>(r)].node = reported ? r : 0;
    const auto section = BuildDistributed(trace);
    ASSERT_EQ(section.clocks.size(), 3u);
    EXPECT_TRUE(section.clocks_corrected);
    EXPECT_EQ(section.clocks[0].is_node, reported);
    EXPECT_EQ(section.clocks[1].offset_ns, 10'000);
    EXPECT_EQ(section.clocks[2].offset_ns, -5'000);
    EXPECT_EQ(section.clocks[2].residual_ns, 0);
    EXPECT_EQ(section.impossible_starts, 0);
    EXPECT_EQ(section.collective_count, 5);
    EXPECT_EQ(section.ranks[0].wait_ns, 5 * 20);
    EXPECT_EQ(section.ranks[1].wait_ns, 5 * 10);
    EXPECT_EQ(section.wait_ns, 5 * 30);
    EXPECT_EQ(section.blame.size(), 1u);
    EXPECT_EQ(section.blame[0].rank, 2);
  }
}

TEST(DistributedTest, ClocksThatAgreeAreLeftAlone) {
  store::StringTable strings;
  Trace trace = DrawTrace(SkewedRank(0, 0) + SkewedRank(1, 0) + SkewedRank(2, 0), strings);
  for (int r = 0; r < 3; ++r) trace.ranks[static_cast<size_t>(r)].node = r;
  const auto section = BuildDistributed(trace);
  EXPECT_FALSE(section.clocks_corrected);
  EXPECT_EQ(section.clocks[1].offset_ns, 0);
}

// One rank's window begins two collectives later, and its clock is far off.
TEST(DistributedTest, CountsDifferAndClocksToo) {
  auto rank = [](int number, int from, int64_t skew) {
    std::string text = fmt::format("rank {}\n", number);
    for (int i = from; i < 12; ++i) {
      const int64_t end = 2'000'000 + i * 1'000 + i * i * 10 + skew;
      text += fmt::format("s9 kernel ncclDevKernel_AllReduce {} {} {}\n", end - 200 + number * 50,
                          end, kPair);
    }
    return text;
  };
  const auto section = Of(rank(0, 0, 0) + rank(1, 2, 1'000'000));
  EXPECT_EQ(section.collective_count, 10);
  EXPECT_EQ(section.unmatched_count, 2);
  EXPECT_EQ(section.clocks[1].offset_ns, 1'000'000);
  EXPECT_EQ(section.wait_ns, 10 * 50);
}

// Ranks in pairs, each of which calls once in 1000 ns; `reported`: the list of ranks that each
// tells.
std::string InGroups(const std::vector<std::string>& reported, int size) {
  std::string text;
  for (size_t rank = 0; rank < reported.size(); ++rank) {
    text += fmt::format("rank {}\n", rank);
    for (int i = 0; i < 3; ++i) {
      const size_t begin = static_cast<size_t>(i) * 1000 + rank * 10;
      text += fmt::format("s9 kernel ncclDevKernel_AllReduce {} {} seq={} {}\n", begin,
                          i * 1000 + 100, i, AllReduce("dp", reported[rank], size));
    }
  }
  return text;
}

TEST(DistributedTest, AShortenedListOfRanksIsThatOfTheOthers) {
  const std::string all = "[0, 1, 2, 3]";
  const auto section = Of(InGroups({all, all, "[0, 1, ...]", all}, 4));
  EXPECT_EQ(section.collective_count, 3);
  EXPECT_EQ(section.unmatched_count, 0);
  EXPECT_EQ(section.wait_ns, 3 * (30 + 20 + 10));
  // Of two groups of a name it is the one that holds the rank.
  const auto pairs = Of(InGroups({"[0, 1]", "[0, ...]", "[2, ...]", "[2, 3]"}, 2));
  EXPECT_EQ(pairs.collective_count, 6);
  EXPECT_EQ(pairs.wait_ns, 3 * (10 + 10));
}

bool HasNote(const ProfileDistributed& section, model::FindingKind kind) {
  return std::ranges::count(section.notes, kind, &model::Finding::kind) == 1;
}

TEST(DistributedTest, NoCollectiveHasMoreRanksThanItsGroup) {
  const auto section = Of(InGroups(std::vector<std::string>(4, "[0, 1, ...]"), 2));
  EXPECT_EQ(section.collective_count, 0);
  EXPECT_EQ(section.unmatched_count, 12);
  EXPECT_EQ(section.wait_ns, 0);
  EXPECT_TRUE(HasNote(section, model::FindingKind::kNoteSharedGroupName));
  // What is shown of two lists tells their groups apart.
  const auto apart = Of(InGroups({"[0, ...]", "[0, ...]", "[2, ...]", "[2, ...]"}, 2));
  EXPECT_EQ(apart.collective_count, 6);
  EXPECT_EQ(apart.wait_ns, 3 * (10 + 10));
}

TEST(DistributedTest, OneRankGivesThePartsThatNeedNoOther) {
  const auto section =
      Of("fact job {\"rank\":0,\"world_size\":8}\n"
         "s7 kernel gemm 0 100\ns9 kernel ncclDevKernel_AllReduce 50 150 " +
         AllReduce("0", "[0, 1, 2, 3, 4, 5, 6, 7]", 8) + "\n");
  EXPECT_EQ(section.status, DistributedStatus::kOneRank);
  ASSERT_EQ(section.notes.size(), 1u);
  EXPECT_EQ(present::SentenceOf(section.notes[0]).text.substr(0, 62),
            "waiting cannot be computed: only 1 of 8 ranks is here; import ");
  EXPECT_EQ(section.ranks[0].times.overlap_ns, 50);
  EXPECT_EQ(section.ranks[0].times.exposed_ns, 50);
  EXPECT_EQ(section.ranks[0].unmatched_ns, 100);
  ASSERT_EQ(section.operations.size(), 1u);
  EXPECT_TRUE(section.operations[0].bandwidth_holds_wait);
  EXPECT_DOUBLE_EQ(*section.operations[0].bus_bytes_per_s, 4e10 * 2 * 7 / 8);
}

TEST(DistributedTest, UnknownWaitingTimeIsNull) {
  auto section =
      Of("fact job {\"rank\":0,\"world_size\":8}\n"
         "s7 kernel gemm 0 100\ns9 kernel ncclDevKernel_AllReduce 50 150 " +
         AllReduce("0", "[0, 1, 2, 3, 4, 5, 6, 7]", 8) + "\n");
  auto json = DistributedToJson(section);
  EXPECT_TRUE(json["wait_ns"].is_null());
  EXPECT_EQ(json["notes"][0]["kind"], "note.one_rank");
  EXPECT_EQ(json["notes"][0]["values"]["world_size"], 8);
  for (const auto* rows : {"ranks", "operations"}) {
    ASSERT_EQ(json[rows].size(), 1u);
    EXPECT_TRUE(json[rows][0]["wait_ns"].is_null()) << rows;
    EXPECT_TRUE(json[rows][0]["transfer_ns"].is_null()) << rows;
    EXPECT_EQ(json[rows][0]["unmatched_ns"], 100) << rows;
  }
  EXPECT_TRUE(json["ranks"][0]["caused_wait_ns"].is_null());
  // The steps of a live run tell it, whatever became of the calls.
  section.source = RankSource::kSteps;
  json = DistributedToJson(section);
  EXPECT_EQ(json["wait_ns"], 0);
  EXPECT_EQ(json["ranks"][0]["caused_wait_ns"], 0);
}

TEST(DistributedTest, NotApplicableWithoutCollectives) {
  const auto section = Of("s7 kernel gemm 0 100\n");
  EXPECT_EQ(section.status, DistributedStatus::kNoCollectives);
  EXPECT_TRUE(DistributedToJson(section)["blame"].empty());
}

TEST(DistributedTest, UncertainMatchesAreReported) {
  ProfileDistributed section;
  section.status = DistributedStatus::kOk;
  EXPECT_TRUE(DistributedToJson(section)["notes"].empty());
  section.notes.push_back(
      Make(model::finding::NoteCollectivesLackRanks{.incomplete = 1, .collectives = 2}));
  const nlohmann::ordered_json notes = DistributedToJson(section)["notes"];
  EXPECT_EQ(notes[0]["kind"], "note.collectives_lack_ranks");
  // Without a collective the section is that of the steps, and says why it is.
  section.status = DistributedStatus::kNoCollectives;
  nlohmann::ordered_json report = {{"distributed", {{"ranks", {1, 2}}}}};
  AddDistributedJson(section, report);
  EXPECT_EQ(report["distributed"]["ranks"].size(), 2u);
  EXPECT_EQ(report["distributed"]["notes"], notes);
}

}  // namespace
}  // namespace steptrace::analyze
