// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/allowed_cores.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

using Cores = std::vector<int32_t>;

class AllowedCoresTest : public ::testing::Test {
 protected:
  AllowedCoresTest() { run_.rank_processes = {{.rank = 0, .node = 0, .pid = 100}}; }
  void AddCores(int64_t pid, const std::string& cores, int64_t ts_ns = 0, int32_t node = 0) {
    store::RunMetadataRow row;
    row.ts_ns = ts_ns;
    row.node = node;
    row.pid = pid;
    row.kind = strings_.Intern("allowed_cores");
    row.json = R"({"cores": ")" + cores + R"("})";
    facts_.push_back(row);
  }
  std::optional<Cores> Among(const Cores& cores, int32_t node = 0) const {
    return AllowedCores(run_, facts_, strings_).Among(node, cores);
  }

  RunInfo run_;
  store::StringTable strings_;
  std::vector<store::RunMetadataRow> facts_;
};

TEST_F(AllowedCoresTest, OfTheRanksProcess) {
  EXPECT_EQ(Among({0, 1}), std::nullopt) << "not told";
  AddCores(100, "0");
  EXPECT_EQ(Among({0, 1}), (Cores{0}));
  EXPECT_EQ(Among({0}), std::nullopt) << "all that is there";
  const AllowedCores allowed(run_, facts_, strings_);
  EXPECT_EQ(allowed.CountOn(0, 8), 1);
  EXPECT_EQ(allowed.CountOn(1, 8), 8);
}

TEST_F(AllowedCoresTest, TheLastOfAProcessHolds) {
  AddCores(100, "0", 20);
  AddCores(100, "0-3", 10);
  EXPECT_EQ(Among({0, 1, 2, 3}), (Cores{0}));
}

TEST_F(AllowedCoresTest, RanksHaveTheirOwn) {
  run_.rank_processes.push_back({.rank = 1, .node = 0, .pid = 101});
  run_.rank_processes.push_back({.rank = 2, .node = 1, .pid = 100});
  AddCores(50, "0-7");  // who started them
  AddCores(100, "0-1");
  AddCores(101, "4-5");
  EXPECT_EQ(Among({0, 1, 2, 3, 4, 5, 6, 7}), (Cores{0, 1, 4, 5}));
  EXPECT_EQ(Among({0, 1}, 1), std::nullopt) << "another node's";
}

TEST_F(AllowedCoresTest, ProcessWithoutAListHasThatOfItsParent) {
  AddCores(50, "0-3");
  EXPECT_EQ(Among({0, 1, 2, 3, 4}), (Cores{0, 1, 2, 3}));
}

TEST_F(AllowedCoresTest, AWorkerMayHaveMore) {
  run_.workers = {{.node = 0, .pid = 200}};
  AddCores(100, "0");
  EXPECT_EQ(Among({0, 1, 2}), (Cores{0})) << "its parent's";
  AddCores(200, "1-2");
  EXPECT_EQ(Among({0, 1, 2, 3}), (Cores{0, 1, 2}));
}

TEST_F(AllowedCoresTest, WorkersThatMayRunOnFewerThanTheirRank) {
  const Cores all = {0, 1, 2, 3};
  const auto of_workers = [&] {
    return AllowedCores(run_, facts_, strings_).OfWorkersAmong(0, all);
  };
  run_.workers = {{.node = 0, .pid = 200}, {.node = 0, .pid = 201}};
  AddCores(100, "0-3");
  EXPECT_EQ(of_workers(), std::nullopt);
  AddCores(200, "0");
  EXPECT_EQ(of_workers(), std::nullopt) << "201 has its rank's";
  AddCores(201, "0-1");
  EXPECT_EQ(of_workers(), (Cores{0, 1}));
  EXPECT_EQ(Among(all), std::nullopt) << "its rank may run on all";
}

}  // namespace
}  // namespace steptrace::analyze
