// SPDX-License-Identifier: Apache-2.0
#include "model/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/finding_kinds.h"
#include "model/rows.h"

namespace steptrace::model {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

Finding WaitsForData(int64_t rank, double share, int64_t from = 0) {
  return Make(finding::RuleWaitsForData{
      .rank = rank, .from = from, .to = from + 9, .share = share, .rows = Rows()});
}

Finding RunsIn(const std::string& function, int32_t line, double share) {
  Finding found = Make(finding::StepRunsIn{.share = share, .function = function + " (a.py)"});
  found.subject.function = function;
  found.subject.file = "/code/a.py";
  found.subject.line = line;
  return found;
}

TEST(SubjectTest, AKindDeclaresWhichFiguresAndTextsItIs) {
  const Subject subject = SubjectOf(WaitsForData(3, 0.5, 20));
  EXPECT_THAT(subject.ranks, ElementsAre(Pair(3, 3)));
  ASSERT_TRUE(subject.steps.has_value());
  EXPECT_THAT(*subject.steps, Pair(20, 29));
  EXPECT_EQ(
      SubjectOf(Make(finding::RuleFound{.times = 2, .rule = "BatchSize", .rows = Rows()})).rule,
      "BatchSize");
}

TEST(SubjectTest, RanksOfItems) {
  using Item = finding::GpuRanksTogether::Item;
  std::vector<Item> items = {Item{.rank = 2}, Item{.rank = 0}, Item{.rank = 1}, Item{.rank = 7}};
  const Subject subject = SubjectOf(Make(finding::GpuRanksTogether{.items = std::move(items)}));
  EXPECT_THAT(subject.ranks, ElementsAre(Pair(0, 2), Pair(7, 7)));
}

TEST(SubjectTest, AnUnknownFigureIsNoPartOfIt) {
  const Finding found =
      Make(finding::RuleGpuNotUsed{.device = 1, .node = 0, .allocations = false, .rows = Rows()});
  EXPECT_TRUE(SubjectOf(found).ranks.empty());
  EXPECT_THAT(SubjectOf(found).devices, ElementsAre(1));
}

TEST(SubjectTest, RanksAreRangesInWhateverOrderTheyCome) {
  Subject subject;
  for (const int64_t rank : {5, 1, 3, 2, 9, 5, 4}) subject.AddRank(rank);
  EXPECT_THAT(subject.ranks, ElementsAre(Pair(1, 5), Pair(9, 9)));
}

TEST(SubjectTest, ImpossibleRanksAreLeftOut) {
  using Wide = std::numeric_limits<int64_t>;
  using Most = std::numeric_limits<int32_t>;
  Subject subject;
  for (const int64_t rank : {Wide::min(), Wide::max(), int64_t{Most::max()}, int64_t{Most::min()},
                             int64_t{Most::max()} - 1}) {
    subject.AddRank(rank);
  }
  EXPECT_THAT(subject.ranks, ElementsAre(Pair(Most::min(), Most::min()),
                                         Pair(int64_t{Most::max()} - 1, Most::max())));
}

TEST(SubjectTest, WhoWasWaitedForIsARank) {
  EXPECT_THAT(SubjectOf(Make(finding::CommunicationWaitedForRank{.rank = 5, .wait = 1})).ranks,
              ElementsAre(Pair(5, 5)));
}

TEST(IdTest, IsOfKindAndSubjectAndOfNoFigureOrLine) {
  const std::string id = IdOf(RunsIn("f", 10, 0.5));
  EXPECT_EQ(id.size(), 16u);
  EXPECT_EQ(id, IdOf(RunsIn("f", 99, 0.25)));
  EXPECT_NE(id, IdOf(RunsIn("g", 10, 0.5)));
  Finding waits = RunsIn("f", 10, 0.5);
  waits.kind = FindingKind::kStepWaitsIn;
  EXPECT_NE(id, IdOf(waits));
}

TEST(IdTest, IdDoesNotDependOnStepsOrProcesses) {
  EXPECT_EQ(IdOf(WaitsForData(3, 0.5, 0)), IdOf(WaitsForData(3, 0.5, 100)));
  EXPECT_NE(IdOf(WaitsForData(3, 0.5)), IdOf(WaitsForData(4, 0.5)));
  Finding plateau = Make(finding::LiveMemoryPlateau{});
  const std::string id = IdOf(plateau);
  plateau.subject.process = 4711;
  EXPECT_EQ(id, IdOf(plateau));
}

// The same code in another checkout, container, folder of a job, or Python.
TEST(IdTest, IdDoesNotDependOnTheCodesLocation) {
  const auto in = [](const std::string& file) {
    Finding found = RunsIn("f", 10, 0.5);
    found.subject.file = file;
    return IdOf(found);
  };
  EXPECT_EQ(in("/home/me/code/a.py"), in("/slurm/job1/a.py"));
  EXPECT_NE(in("/home/me/code/a.py"), in("/home/me/code/b.py"));
  EXPECT_EQ(in("/v/lib/python3.9/site-packages/torch/utils/data/x.py"),
            in("/usr/lib/python3/dist-packages/torch/utils/data/x.py"));
  EXPECT_NE(in("/v/lib/python3.9/site-packages/torch/utils/data/x.py"),
            in("/v/lib/python3.9/site-packages/torch/optim/x.py"));
  EXPECT_EQ(in("/usr/lib/python3.9/json/decoder.py"), in("/opt/lib/python3.13t/json/decoder.py"));
  EXPECT_NE(in("/usr/lib/python3.9/json/decoder.py"), in("/usr/lib/python3.9/xml/decoder.py"));
}

TEST(StablePathTest, IsWhatFollowsThePackagesOrTheName) {
  EXPECT_EQ(StablePath("/a/lib64/python3.11/json/decoder.py"), "json/decoder.py");
  EXPECT_EQ(StablePath("/a/lib/python3.11/site-packages/b/c.py"), "b/c.py");
  EXPECT_EQ(StablePath("/a/site-packages/b/site-packages/c.py"), "c.py");
  EXPECT_EQ(StablePath("/home/python3.11/train.py"), "train.py") << "no library's";
  EXPECT_EQ(StablePath("/lib/pythonic/train.py"), "train.py");
  EXPECT_EQ(StablePath("/lib/python3.11"), "python3.11");
  EXPECT_EQ(StablePath("/python3/x.py"), "x.py");
  EXPECT_EQ(StablePath("train.py"), "train.py");
  EXPECT_EQ(StablePath("<frozen importlib._bootstrap>"), "<frozen importlib._bootstrap>");
  EXPECT_EQ(StablePath("/a/"), "");
  EXPECT_EQ(StablePath(""), "");
}

Finding Differ(int64_t node, int64_t device, int64_t other_node, int64_t other_device) {
  return Make(finding::RuleGpusDifferInUse{.device = device,
                                           .node = node,
                                           .allocations = false,
                                           .mean = 10.0,
                                           .other_device = other_device,
                                           .other_node = other_node,
                                           .other_allocations = false,
                                           .other_mean = 90.0,
                                           .distance = 1.0,
                                           .rows = Rows()});
}

std::string IdNamed(Finding found, const HostNames& hosts) {
  NameHosts(hosts, found);
  return IdOf(found);
}

// (A 0, B 1) are others than (A 1, B 0), and the same as (B 1, A 0).
TEST(IdTest, OfSeveralDevicesItTellsWhoseEachIs) {
  const HostNames hosts = {{0, "a"}, {1, "b"}};
  const std::string id = IdNamed(Differ(0, 0, 1, 1), hosts);
  EXPECT_NE(id, IdNamed(Differ(0, 1, 1, 0), hosts));
  EXPECT_EQ(id, IdNamed(Differ(1, 1, 0, 0), hosts));
  EXPECT_EQ(id, IdNamed(Differ(7, 0, 3, 1), {{7, "a"}, {3, "b"}})) << "numbers have no part";
  EXPECT_NE(IdOf(Differ(0, 0, 1, 1)), IdOf(Differ(0, 1, 1, 0))) << "without names";
}

TEST(IdTest, OfANodeItHasTheNameOrElseTheNumber) {
  const auto shared = [](std::optional<int64_t> node) {
    return Make(finding::GpuSharedWithOthers{.others = 1, .gpu = 0, .node = node});
  };
  const HostNames hosts = {{0, "a"}, {1, "b"}};
  EXPECT_NE(IdNamed(shared(0), hosts), IdNamed(shared(1), hosts));
  EXPECT_EQ(IdNamed(shared(0), hosts), IdNamed(shared(5), {{5, "a"}}));
  EXPECT_NE(IdNamed(shared(0), {}), IdNamed(shared(1), {}));
  Finding named = shared(0);
  NameHosts(hosts, named);
  EXPECT_THAT(SubjectOf(named).hosts, ElementsAre("a"));
  EXPECT_TRUE(SubjectOf(named).nodes.empty());
  EXPECT_THAT(SubjectOf(shared(1)).nodes, ElementsAre(1));
  NameHosts({}, named);
  EXPECT_THAT(SubjectOf(named).hosts, ElementsAre("a")) << "it was known";
}

TEST(IdTest, TrainingIsNotEvaluation) {
  const auto slow = [](bool evaluations) {
    return Make(finding::RuleSlowSteps{.rank = 0,
                                       .found = 1,
                                       .steps = 10,
                                       .evaluations = evaluations,
                                       .limit = 1,
                                       .median = 1,
                                       .cost = 1,
                                       .rows = Rows()});
  };
  EXPECT_NE(IdOf(slow(false)), IdOf(slow(true)));
  EXPECT_EQ(SubjectOf(slow(true)).step_kind, "eval");
}

TEST(IdTest, OfHooksAndOfWhatWasNotMeasured) {
  const auto failed = [](const char* hook, const char* reason) {
    return IdOf(Make(finding::RunHookFailed{.hook = hook, .reason = reason}));
  };
  EXPECT_NE(failed("optimizer", "a"), failed("dataloader", "a"));
  EXPECT_EQ(failed("optimizer", "a"), failed("optimizer", "b"));
  const auto missing = [](const char* source) {
    return IdOf(Make(finding::NoteNotMeasured{.source = source, .reason = "a"}));
  };
  EXPECT_NE(missing("gpu"), missing("perf"));
}

TEST(IdTest, OfOlderRunsNothingIsKnownButTheText) {
  EXPECT_NE(IdOf(Make(finding::LegacyText{.text = "a"})),
            IdOf(Make(finding::LegacyText{.text = "b"})));
}

TEST(NumberAlikeTest, GivesEachAnIdOfItsOwnByLine) {
  Finding second = RunsIn("f", 20, 0.6), first = RunsIn("f", 10, 0.3), other = RunsIn("g", 10, 0.1);
  const std::string alone = IdOf(first), of_other = IdOf(other);
  Finding* all[] = {&second, &first, &other};
  NumberAlike(all);
  EXPECT_EQ(IdOf(first), alone);
  EXPECT_EQ(second.subject.occurrence, 2);
  EXPECT_NE(IdOf(second), alone);
  EXPECT_EQ(IdOf(other), of_other);
  NumberAlike(all);
  EXPECT_EQ(second.subject.occurrence, 2) << "again";
}

TEST(NumberAlikeTest, WindowsOfOneRankAreNumberedInTheirOrder) {
  std::vector<Finding> windows = {WaitsForData(3, 0.5, 0), WaitsForData(3, 0.5, 10),
                                  WaitsForData(4, 0.5, 0), WaitsForData(3, 0.5, 20)};
  std::vector<Finding*> all;
  for (Finding& one : windows) all.push_back(&one);
  NumberAlike(all);
  std::vector<int64_t> numbers;
  std::set<std::string> ids;
  for (const Finding& one : windows) {
    numbers.push_back(one.subject.occurrence);
    ids.insert(IdOf(one));
  }
  EXPECT_THAT(numbers, ElementsAre(1, 2, 1, 3));
  EXPECT_EQ(ids.size(), 4u);
}

// Files and links hold it: it never changes.
TEST(IdTest, IsTheSameInEveryVersion) {
  EXPECT_EQ(IdOf(WaitsForData(3, 0.5)), "3fb38bdb6d92aec2");
}

TEST(RowsTest, AConditionAsShowTakesIt) {
  EXPECT_EQ(WhereText({}), "");
  EXPECT_EQ(WhereText({{"kind", Compare::kEqual, "it's"}, {"dur_ns", Compare::kMore, int64_t{-5}}}),
            "kind = 'it''s' and dur_ns > -5");
  EXPECT_EQ(WhereText(Between(1, 2)), "ts_ns >= 1 and ts_ns <= 2");
  EXPECT_EQ(WhereText(Within(1, 2)), "ts_ns >= 1 and ts_ns < 2");
}

}  // namespace
}  // namespace steptrace::model
