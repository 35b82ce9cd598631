// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/run_card_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "analyze/report/report.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

RunSection MadeRun() {
  RunSection run;
  run.command = {"python", "train.py", "--name=two words"};
  run.started_utc = "2026-11-30T08:33:55Z";
  return run;
}

RunCard MadeCard() {
  RunCard card;
  card.hosts = {{0, "gpu-07", 64, 16, int64_t{256} << 30}};
  card.gpus = {"NVIDIA H200", "NVIDIA H200"};
  card.frameworks = {{"torch", "2.13.0"}};
  card.python = "3.11.7";
  card.cuda = "12.8";
  card.world_size = 2;
  card.backend = "nccl";
  card.batch_size = 32;
  card.workers = 4;
  card.git_commit = "0123456789abcdef0123456789abcdef01234567";
  card.git_changed = true;
  return card;
}

std::vector<std::string> Texts(const RunSection& run, const RunCard& card) {
  std::vector<std::string> all;
  for (const CardLine& line : CardLines(run, card)) {
    if (!line.compared_only) all.push_back(line.id + std::string(": ") + line.text);
  }
  return all;
}

std::vector<std::string> Said(const RunSection& run, const RunCard& card) {
  std::vector<std::string> all;
  for (const CardLine& line : CardLines(run, card)) {
    if (!line.compared_only) all.push_back(line.said);
  }
  return all;
}

TEST(RunCardLinesTest, ListsWhatIsKnown) {
  EXPECT_THAT(Texts(MadeRun(), MadeCard()),
              ElementsAre("command: python train.py '--name=two words'", "host: gpu-07",
                          "cores: 16 of 64", "memory: 256 GiB", "gpus: 2\u00d7 NVIDIA H200",
                          "software: Python 3.11.7, torch 2.13.0, CUDA 12.8", "ranks: 2 (nccl)",
                          "batch_size: 32", "workers: 4", "code: 0123456789ab, uncommitted changes",
                          "started: 2026-11-30 08:33:55 UTC"));
  EXPECT_THAT(Texts({}, {}), IsEmpty());
}

TEST(RunCardLinesTest, TheCommandOfAnImportIsNotThatOfTheTraining) {
  RunCard card;
  card.imported_as = "kineto";
  EXPECT_THAT(Texts(MadeRun(), card),
              ElementsAre("profiles: kineto", "started: 2026-11-30 08:33:55 UTC"));
}

TEST(RunCardLinesTest, OfSeveralMachinesWhatTheyHaveInCommon) {
  RunSection run;
  run.nodes = 6;
  RunCard card;
  for (int i = 0; i < 6; ++i) card.hosts.push_back({i, "n" + std::to_string(i), 8, {}, {}});
  EXPECT_THAT(Texts(run, card),
              ElementsAre("host: 6 machines: n0, n1, n2, n3 and 2 more", "cores: 8 each"));
  card.hosts[5].cpus = 4;
  EXPECT_EQ(Texts(run, card)[1], "cores: 44");
  card.hosts[5].cpus.reset();
  EXPECT_THAT(Texts(run, card), ElementsAre("host: 6 machines: n0, n1, n2, n3 and 2 more"));
}

TEST(RunCardLinesTest, AreEnglishWithoutTheirTitles) {
  RunSection run;
  RunCard card;
  card.hosts = {{0, "n0", 1, {}, int64_t{16} << 30}};
  card.world_size = 2;
  card.batch_size = 32;
  card.job_id = "4711";
  card.attempt = 1;
  EXPECT_THAT(Said(run, card), ElementsAre("on n0", "1 core", "16 GiB memory", "ranks 2",
                                           "batch size 32", "job 4711, restarted once"));
  card.attempt = 2;
  EXPECT_EQ(Said(run, card).back(), "job 4711, restarted 2 times");
  card.attempt = 0;
  EXPECT_EQ(Said(run, card).back(), "job 4711");
  card.hosts = {{0, "n0", 8, {}, int64_t{16} << 30}, {1, "n1", 8, {}, int64_t{16} << 30}};
  run.nodes = 2;
  EXPECT_EQ(Said(run, card)[1], "8 cores each");
  EXPECT_EQ(Said(run, card)[2], "16 GiB memory each");
  card.hosts = {{0, "n0", 8, 2, {}}, {1, "n1", 8, 2, {}}};
  EXPECT_EQ(Said(run, card)[1], "2 of 8 cores each");
  card.hosts[1].cpus = 4;
  EXPECT_EQ(Said(run, card)[1], "12 cores");
}

TEST(RunCardLinesTest, TwoRunsShowDifferencesAndCommonLines) {
  RunSection other = MadeRun();
  other.started_utc = "2026-11-29T00:00:00Z";
  RunCard card = MadeCard();
  card.batch_size = 64;
  card.git_commit.reset();
  const ComparedCards compared =
      CompareLines(CardLines(MadeRun(), MadeCard()), CardLines(other, card));
  ASSERT_EQ(compared.unlike.size(), 2u);
  EXPECT_STREQ(compared.unlike[0].title, "Batch size");
  EXPECT_EQ(compared.unlike[0].a + " " + compared.unlike[0].b, "32 64");
  EXPECT_EQ(compared.unlike[1].b, "") << "not known";
  EXPECT_EQ(compared.same.size(), 8u);
  EXPECT_EQ(CompareLines({}, CardLines(MadeRun(), MadeCard())).unlike.size(), 10u);
}

std::vector<std::string> Unlike(const RunCard& a, const RunCard& b) {
  std::vector<std::string> all;
  for (const ComparedLine& line : CompareLines(CardLines({}, a), CardLines({}, b)).unlike) {
    all.push_back(line.title + std::string(": ") + line.a + " | " + line.b);
  }
  return all;
}

TEST(RunCardLinesTest, WhatIsKnownToBeNoneIsSaidBesideARunThatHasSome) {
  RunCard bare;
  bare.hosts = {{0, "n0", {}, {}, {}}};
  bare.frameworks = {{"torch", "2.13.0"}};
  bare.world_size = 1;
  RunCard full = bare;
  full.gpus = {"NVIDIA H200"};
  full.world_size = 2;
  full.job_id = "4711";
  full.tags = {{"team", "vision"}};
  EXPECT_THAT(Unlike(full, bare), ElementsAre("GPUs: NVIDIA H200 | none", "Ranks: 2 | 1",
                                              "Job: 4711 | none", "Tags: team=vision | none"));
  EXPECT_THAT(Texts({}, bare), ElementsAre("host: n0", "software: torch 2.13.0"));
  EXPECT_THAT(Unlike(bare, bare), IsEmpty());
  EXPECT_EQ(CompareLines(CardLines({}, bare), CardLines({}, bare)).same.size(), 2u);
  RunCard unknown = bare;
  unknown.imported_as = "perfetto";
  unknown.frameworks.clear();
  unknown.world_size.reset();
  full.frameworks.clear();
  EXPECT_THAT(Unlike(full, unknown),
              ElementsAre("GPUs: NVIDIA H200 | ", "Ranks: 2 | ", "Job: 4711 | ",
                          "Tags: team=vision | none", "Profiled by:  | perfetto"));
}

}  // namespace
}  // namespace steptrace::analyze
