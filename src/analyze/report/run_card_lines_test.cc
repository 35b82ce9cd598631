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
    all.push_back(line.id + std::string(": ") + line.text);
  }
  return all;
}

TEST(RunCardLinesTest, TellWhatIsKnown) {
  EXPECT_THAT(Texts(MadeRun(), MadeCard()),
              ElementsAre("command: python train.py '--name=two words'", "host: gpu-07",
                          "cores: 16 of 64", "memory: 256 GiB", "gpus: 2\u00d7 NVIDIA H200",
                          "software: Python 3.11.7, torch 2.13.0, CUDA 12.8", "ranks: 2 (nccl)",
                          "batch_size: 32", "workers: 4", "code: 0123456789ab, uncommitted changes",
                          "started: 2026-11-30 08:33:55 UTC"));
  EXPECT_THAT(Texts({}, {}), IsEmpty());
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

TEST(RunCardLinesTest, OfTwoRunsWhatDiffersAndWhatDoesNot) {
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

}  // namespace
}  // namespace steptrace::analyze
