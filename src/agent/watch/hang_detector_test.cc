// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/hang_detector.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using analyze::Event;
using analyze::HookName;
using analyze::MarkKind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr store::StringId kAllReduce{1};
constexpr store::StringId kBarrier{2};

// What a rank does, in words, each with its milliseconds:
//   steps N MS       N steps: a wait, backward, the optimizer
//   reduced N MS     N steps with an all_reduce in each
//   wait MS          one wait for data, answered
//   iter             an iterator is made;  end: it is at its end
//   open NAME        a range begins: data, backward, optimizer, evaluation, checkpoint, all_reduce,
//                    barrier, forward
//   close            the innermost ends
//   user MS          a range of the script's own
//   aside, back      a tool of the script's is on, from now on and no more
class Player {
 public:
  Player(HangDetector& detector, int32_t rank) : detector_(detector), rank_(rank) {}

  void Play(const std::string& text) {
    std::istringstream in(text);
    std::string word;
    while (in >> word) {
      if (word == "steps" || word == "reduced") {
        int64_t count = 0, ms = 0;
        in >> count >> ms;
        for (int64_t i = 0; i < count; ++i) Step(ms, word == "reduced");
      } else if (word == "wait") {
        Range(HookName::kData, {}, Number(in));
      } else if (word == "user") {
        Range(HookName::kUser, {}, Number(in));
      } else if (word == "iter") {
        Range(HookName::kLoaderIter, {}, 1);
      } else if (word == "end") {
        Mark(MarkKind::kInstant, HookName::kDataEnd);
      } else if (word == "aside" || word == "back") {
        Mark(MarkKind::kInstant, word == "aside" ? HookName::kHooksAside : HookName::kHooksBack);
      } else if (word == "open") {
        std::string name;
        in >> name;
        Open(name);
      } else if (word == "close") {
        Close();
      } else if (word == "quiet") {
        now_ms_ += Number(in);
      } else {
        ADD_FAILURE() << word;
      }
    }
  }
  int64_t now_ns() const { return now_ms_ * kNsPerMs; }

 private:
  static int64_t Number(std::istringstream& in) {
    int64_t number = 0;
    in >> number;
    return number;
  }
  void Mark(MarkKind kind, HookName name, store::StringId text = {}, uint64_t a = 0) {
    detector_.Add(rank_, 100 + rank_, {now_ns(), 100 + rank_, 100 + rank_, kind, name, text, a, 0});
  }
  void Range(HookName name, store::StringId text, int64_t ms, uint64_t a = 0) {
    Mark(MarkKind::kBegin, name, text, a);
    now_ms_ += ms;
    Mark(MarkKind::kEnd, name);
  }
  void Step(int64_t ms, bool reduced) {
    Range(HookName::kData, {}, ms / 4);
    Range(HookName::kBackward, {}, ms / 4);
    if (reduced) Range(HookName::kCollective, kAllReduce, ms / 4);
    Range(HookName::kOptimizer, {}, reduced ? ms / 4 : ms / 2, 1);
  }
  void Open(const std::string& name) {
    static const std::map<std::string, std::pair<HookName, store::StringId>> kNames = {
        {"data", {HookName::kData, {}}},
        {"fetch", {HookName::kFetch, {}}},
        {"backward", {HookName::kBackward, {}}},
        {"forward", {HookName::kForward, {}}},
        {"optimizer", {HookName::kOptimizer, {}}},
        {"evaluation", {HookName::kEvaluation, {}}},
        {"checkpoint", {HookName::kCheckpoint, {}}},
        {"compile", {HookName::kCompile, {}}},
        {"all_reduce", {HookName::kCollective, kAllReduce}},
        {"barrier", {HookName::kCollective, kBarrier}}};
    const auto [hook, id] = kNames.at(name);
    open_.push_back(hook);
    Mark(MarkKind::kBegin, hook, id);
  }
  void Close() {
    Mark(MarkKind::kEnd, open_.back());
    open_.pop_back();
  }

  HangDetector& detector_;
  int32_t rank_;
  int64_t now_ms_ = 1000;
  std::vector<HookName> open_;
};

struct Case {
  const char* what;
  std::array<const char*, 2> ranks;  // nullptr: there is none
  std::vector<int32_t> stuck;
};

class HangCases : public ::testing::TestWithParam<Case> {};

TEST_P(HangCases, EachCaseNamesTheStuckRanks) {
  HangDetector detector;
  int64_t now_ns = 0;
  for (int32_t rank = 0; rank < 2; ++rank) {
    const char* text = GetParam().ranks[static_cast<size_t>(rank)];
    if (text == nullptr) continue;
    Player player(detector, rank);
    player.Play(text);
    now_ns = std::max(now_ns, player.now_ns());
  }
  EXPECT_EQ(detector.Stuck(now_ns), GetParam().stuck);
}

const Case kCases[] = {
    {"a wait for data that does not end", {"steps 20 100 open data quiet 10100"}, {0}},
    {"a loader without workers fetches in its wait",
     {"steps 20 100 open data open fetch quiet 10100"},
     {0}},
    {"not yet", {"steps 20 100 open data quiet 9800"}, {}},
    {"in backward", {"steps 20 100 wait 25 open backward quiet 10100"}, {0}},
    {"five times the usual where steps are long", {"steps 20 4000 open data quiet 19000"}, {}},
    {"… and over it", {"steps 20 4000 open data quiet 20100"}, {0}},
    {"the first steps may take long", {"steps 8 100 open data quiet 100000"}, {}},
    {"no hook says what goes on: it may be anything for a minute",
     {"steps 20 100 quiet 50000"},
     {}},
    {"… but not for ever", {"steps 20 100 quiet 60500"}, {0}},
    {"a range of the script's own is no phase", {"steps 20 100 user 5000 quiet 20000"}, {}},
    {"one step was as long before",
     {"steps 20 100 steps 1 30000 steps 9 100 open data quiet 40000"},
     {}},
    {"… and this is longer", {"steps 20 100 steps 1 30000 steps 9 100 open data quiet 46000"}, {0}},
    {"slower and slower", {"steps 20 100 steps 5 1000 steps 5 9000 open data quiet 12000"}, {}},
    {"an evaluation with a loader",
     {"steps 20 100 end iter wait 2000 wait 2000 wait 15000 quiet 30000"},
     {}},
    {"an evaluation that a framework tells of", {"steps 20 100 open evaluation quiet 200000"}, {}},
    {"a wait within an evaluation", {"steps 20 100 open evaluation open data quiet 200000"}, {}},
    {"a checkpoint", {"steps 20 100 open checkpoint quiet 200000"}, {}},
    {"torch.compile anew", {"steps 20 100 wait 25 open backward open compile quiet 200000"}, {}},
    {"behind the loop", {"steps 20 100 end quiet 500000"}, {}},
    {"the first batch of an epoch takes long",
     {"steps 20 100 end iter open data quiet 200000"},
     {}},
    {"… and never comes", {"steps 20 100 end iter open data quiet 300500"}, {0}},
    {"after an evaluation the steps are as before",
     {"steps 20 100 end iter wait 50 wait 50 wait 50 wait 50 end iter steps 9 100 open data quiet "
      "10100"},
     {0}},
    {"gradients that are gathered over more batches",
     {"steps 20 100 wait 20 open backward close wait 20 open backward close open data quiet 9000"},
     {}},
    {"one rank does not come",
     {"reduced 20 100 open all_reduce quiet 12000", "reduced 20 100 quiet 12000"},
     {0}},
    {"neither comes out",
     {"reduced 20 100 open all_reduce quiet 12000", "reduced 20 100 open all_reduce quiet 12000"},
     {0, 1}},
    {"a rank that saves is waited for",
     {"reduced 20 100 open all_reduce quiet 100000", "reduced 20 100 open checkpoint quiet 100000"},
     {}},
    {"a barrier is no usual collective",
     {"reduced 20 100 open barrier quiet 100000", "reduced 20 100 quiet 50000"},
     {}},
    {"a rank waits for data, the other for it",
     {"reduced 20 100 open all_reduce quiet 12000", "reduced 20 100 open data quiet 12000"},
     {0, 1}},
    {"one of two trainings that have nothing to do with each other",
     {"steps 20 100 open data quiet 12000", "steps 140 100"},
     {0}},
    {"a debugger of the script's stops it", {"steps 20 100 open data aside quiet 400000"}, {}},
    {"… in code that no hook knows", {"steps 20 100 aside quiet 400000"}, {}},
    {"… before there are usual steps, while the other waits for it",
     {"reduced 20 100 open all_reduce quiet 12000", "reduced 2 100 aside quiet 12000"},
     {}},
    {"its silence begins when the debugger has gone",
     {"steps 20 100 open data aside quiet 400000 back quiet 9800"},
     {}},
    {"… and may last too long",
     {"steps 20 100 open data aside quiet 400000 back quiet 10100"},
     {0}},
    {"a step with a debugger in it is none of the usual ones",
     {"steps 20 100 aside quiet 60000 back steps 2 100 open data quiet 10100"},
     {0}},
    {"one rank is silent, the other goes on", {"steps 20 100 quiet 70000", "steps 710 100"}, {}},
};

INSTANTIATE_TEST_SUITE_P(All, HangCases, ::testing::ValuesIn(kCases),
                         [](const auto& one) { return "case" + std::to_string(one.index); });

TEST(HangDetector, ReportsWhenStepsContinue) {
  HangDetector detector;
  Player player(detector, 0);
  player.Play("steps 20 100 open data quiet 12000");
  const std::vector<int32_t> stuck = detector.Stuck(player.now_ns());
  ASSERT_THAT(stuck, ElementsAre(0));
  const int64_t since_ns = detector.ranks().at(0).progress.last_step_ns();
  player.Play("close");
  EXPECT_FALSE(detector.GoesOn(stuck, since_ns));
  EXPECT_THAT(detector.Stuck(player.now_ns()), IsEmpty());
  player.Play("steps 1 100");
  EXPECT_TRUE(detector.GoesOn(stuck, since_ns));
}

TEST(HangDetector, StoppedProcessesAndPausesAreNoHang) {
  HangDetector detector;
  Player player(detector, 0);
  player.Play("steps 20 100 open data quiet 12000");
  detector.NoteStopped(0, player.now_ns());
  EXPECT_THAT(detector.Stuck(player.now_ns() + kNsPerMs), IsEmpty());
  // It runs again: its silence begins anew.
  EXPECT_THAT(detector.Stuck(player.now_ns() + 9 * kNsPerSecond), IsEmpty());
  EXPECT_THAT(detector.Stuck(player.now_ns() + 11 * kNsPerSecond), ElementsAre(0));
  detector.NotePause(player.now_ns() + 11 * kNsPerSecond);
  EXPECT_THAT(detector.Stuck(player.now_ns() + 12 * kNsPerSecond), IsEmpty());
}

TEST(HangDetector, ARankThatHasEndedHangsNoMore) {
  HangDetector detector;
  Player(detector, 0).Play("reduced 20 100 open all_reduce");
  Player other(detector, 1);
  other.Play("reduced 20 100 open all_reduce quiet 12000");
  detector.NoteGone(0);
  EXPECT_THAT(detector.Stuck(other.now_ns()), ElementsAre(1));
}

TEST(HangDetector, AnotherProcessOfTheRankBeginsAnew) {
  HangDetector detector;
  Player player(detector, 0);
  player.Play("steps 20 100 open data");
  detector.Add(0, 7, {player.now_ns(), 7, 7, MarkKind::kBegin, HookName::kData});
  EXPECT_THAT(detector.Stuck(player.now_ns() + 400 * kNsPerSecond), IsEmpty());
}

TEST(HangDetector, InvalidEventsAreBounded) {
  HangDetector detector;
  for (int32_t i = 0; i < 20'000; ++i) {
    detector.Add(
        i % 5000, 1,
        {i, 1, i % 300, MarkKind::kBegin, HookName::kOptimizer, {}, static_cast<uint64_t>(i)});
    detector.Add(0, 1, {i, 1, i % 300, MarkKind::kEnd, HookName::kOptimizer, {}, 0});
    detector.Add(0, 1, {i, 1, 1, MarkKind::kBegin, HookName::kUser, {}, 0});
  }
  EXPECT_LE(detector.ranks().size(), 1024u);
  EXPECT_LE(detector.ranks().at(0).progress.open().size(), 512u);
  (void)detector.Stuck(30'000);
}

TEST(HangOptions, SoManyUsualStepsWithoutAStepAreAHang) {
  for (const auto& [steps, patience_s] : {std::pair(5.0, 20), std::pair(3.0, 12)}) {
    HangOptions options;
    options.usual_steps = steps;
    RankProgress progress(options);
    int64_t now_ns = 0;
    for (int64_t i = 0; i < 20; ++i) {
      now_ns += 4 * kNsPerSecond;
      for (const MarkKind kind : {MarkKind::kBegin, MarkKind::kEnd}) {
        progress.Add({now_ns, 100, 100, kind, HookName::kOptimizer, {}, 1, 0});
      }
    }
    EXPECT_EQ(progress.PatienceNs(), patience_s * kNsPerSecond);
  }
}

}  // namespace
}  // namespace steptrace::agent
