// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/make_run_card.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analyze/input/job_facts.h"
#include "analyze/input/report_input.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

JobFacts WithLoader() {
  JobFacts facts;
  LoaderFact& loader = facts.loaders.emplace_back();
  loader.workers = 4;
  loader.batch_size = 32;
  loader.pin_memory = true;
  facts.frameworks = {{"torch", "2.13.0"}};
  facts.world_size = 2;
  return facts;
}

ReportInput OnHosts(std::vector<store::NodeInfo> hosts) {
  ReportInput input;
  input.run.nodes = std::move(hosts);
  return input;
}

CounterSeries Series(const char* metric, std::vector<double> values) {
  CounterSeries series;
  series.metric = metric;
  series.values = std::move(values);
  return series;
}

TEST(RunCardTest, HasWhatTheProcessesAndMachinesTold) {
  const RunCard card = MakeRunCard(OnHosts({{0, "a", 16, 1 << 30}, {1, "b", 0, 0}}), WithLoader());
  ASSERT_EQ(card.hosts.size(), 2u);
  EXPECT_EQ(card.hosts[0].cpus, 16);
  EXPECT_EQ(card.hosts[1].cpus, std::nullopt);
  EXPECT_EQ(card.world_size, 2);
  EXPECT_EQ(card.batch_size, 32);
  EXPECT_THAT(card.settings, ElementsAre(Pair("DataLoader.num_workers", "4"),
                                         Pair("DataLoader.pin_memory", "true")));
}

TEST(RunCardTest, HasTheJobAndTheCodeOfTheRun) {
  ReportInput input = OnHosts({});
  input.run.identity = {.job_id = "4711",
                        .attempt = 1,
                        .topology = std::nullopt,
                        .git_commit = "abc",
                        .tags = {{"team", "vision"}}};
  const RunCard card = MakeRunCard(input, {});
  EXPECT_EQ(card.job_id, "4711");
  EXPECT_EQ(card.attempt, 1);
  EXPECT_EQ(card.git_commit, "abc");
  EXPECT_THAT(card.tags, ElementsAre(Pair("team", "vision")));
}

TEST(RunCardTest, NamesNoMoreMachinesThanThereIsRoomFor) {
  const RunCard card = MakeRunCard(OnHosts(std::vector<store::NodeInfo>(100)), {});
  EXPECT_EQ(card.hosts.size(), 64u);
}

TEST(ComparabilityTest, CoresAreThoseOfAllMachinesOrNotKnown) {
  EXPECT_EQ(MakeComparability(OnHosts({{0, "a", 16, 0}, {1, "b", 8, 0}}), {}, nullptr).cpus, 24);
  EXPECT_EQ(MakeComparability(OnHosts({{0, "a", 16, 0}, {1, "b", 0, 0}}), {}, nullptr).cpus,
            std::nullopt);
}

TEST(ComparabilityTest, ADeviceIsHeldBackByPowerAndHeatNotByBeingIdle) {
  ReportInput input;
  EXPECT_EQ(MakeComparability(input, {}, nullptr).gpu_throttled, std::nullopt);
  input.counters = {Series("gpu.throttle_reasons", {0, 1, 4, 64}),
                    Series("cgroup.throttled_share", {0.2, 0.4})};
  const Comparability made = MakeComparability(input, {}, nullptr);
  EXPECT_EQ(made.gpu_throttled, 0.5);
  EXPECT_NEAR(*made.cpu_throttled, 0.3, 1e-12);
}

TEST(ComparabilityTest, OnlyValuesKnownOfBothRunsCanDiffer) {
  const Comparability a = MakeComparability(OnHosts({{0, "a", 16, 0}}), WithLoader(), nullptr);
  EXPECT_THAT(UnlikeParts(a, a), IsEmpty());
  EXPECT_THAT(UnlikeParts(a, {}), IsEmpty());
  EXPECT_EQ(KnownParts(a), 5);
  EXPECT_EQ(KnownParts({}), 0);
  Comparability b = a;
  b.cpus = 8;
  b.batch_size = 64;
  b.versions = {{"torch", "2.12.0"}};
  b.settings[0].second = "8";
  EXPECT_THAT(UnlikeParts(a, b), ElementsAre("hardware", "batch_size", "versions", "settings"));
  b = a;
  b.settings.emplace_back("torch.num_threads", "4");
  EXPECT_THAT(UnlikeParts(a, b), IsEmpty()) << "of the other nothing is known";
  b.settings.emplace_back("data_parallel", "fully_shard");
  EXPECT_THAT(UnlikeParts(a, b), ElementsAre("settings"))
      << "hooks report it whenever it is in use";
  b = a;
  b.devices = {"A", "B"};
  Comparability turned = b;
  turned.devices = {"B", "A"};
  EXPECT_THAT(UnlikeParts(b, turned), IsEmpty());
  Comparability cool = a, hot = a;
  cool.gpu_throttled = 0.01;
  hot.gpu_throttled = 0.02;
  EXPECT_THAT(UnlikeParts(cool, hot), IsEmpty());
  hot.gpu_throttled = 0.3;
  EXPECT_THAT(UnlikeParts(cool, hot), ElementsAre("throttling"));
}

}  // namespace
}  // namespace steptrace::analyze
