// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/gpu_sharing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What agents and ranks tell.
class GpuSharingTest : public ::testing::Test {
 protected:
  void Gpu(const std::string& json, int32_t node = 0) {
    store::RunMetadataRow row;
    row.node = node;
    row.rank = -1;
    sharing_.ReadGpu(nlohmann::json::parse(json), row);
  }
  void Device(int32_t rank, const std::string& uuid, int32_t node = 0) {
    store::RunMetadataRow row;
    row.node = node;
    row.rank = rank;
    const std::string reported = uuid.empty() ? "null" : "\"" + uuid + "\"";
    sharing_.ReadDevice(
        nlohmann::json::parse(R"({"device":0,"name":"H200","uuid":)" + reported + "}"), row);
  }
  std::vector<std::string> Others() const { return Said(sharing_.Others()); }
  std::vector<std::string> RanksTogether() const { return Said(sharing_.RanksTogether()); }

  GpuSharing sharing_;

 private:
  static std::vector<std::string> Said(const std::vector<model::Finding>& found) {
    std::vector<std::string> texts;
    for (const model::Finding& one : found) texts.push_back(present::SentenceOf(one).text);
    return texts;
  }
};

TEST_F(GpuSharingTest, OtherProcessesOnTheGpuAreReported) {
  Device(0, "aa");
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":1,"ours":1,"others":0})");
  EXPECT_THAT(Others(), IsEmpty());
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":2,"ours":1,"others":1})");
  EXPECT_THAT(Others(),
              ElementsAre("another process used GPU 0, too: its utilisation, memory and idle time "
                          "are not this run's alone"));
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":4,"ours":1,"others":3})");
  EXPECT_THAT(Others(), ElementsAre(HasSubstr("up to 3 other processes used")));
}

TEST_F(GpuSharingTest, WhereNumbersCannotBeToldApartOnlyMoreProcessesThanRanksAre) {
  Device(0, "aa");
  Device(1, "aa");
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":2,"ours":0,"others":0})");
  EXPECT_THAT(Others(), IsEmpty());
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":3,"ours":0,"others":0})");
  EXPECT_THAT(Others(),
              ElementsAre(HasSubstr("up to 3 processes were on GPU 0, where this run has 2 ranks; "
                                    "the others cannot be identified here")));
}

TEST_F(GpuSharingTest, UnusedGpuIsIgnored) {
  Device(0, "aa");
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":1,"ours":0})");
  Gpu(R"({"device":1,"uuid":"GPU-bb","processes":5,"ours":0})");
  EXPECT_THAT(Others(), IsEmpty());
}

TEST_F(GpuSharingTest, WithoutAnIdentityANodesOnlyGpuIsTheOneOfItsRanks) {
  Device(0, "");
  Gpu(R"({"device":0,"uuid":"","processes":2,"ours":0})");
  EXPECT_THAT(Others(), ElementsAre(HasSubstr("up to 2 processes were on GPU 0")));
  Gpu(R"({"device":1,"uuid":"","processes":2,"ours":0})");
  EXPECT_THAT(Others(), IsEmpty()) << "which one it uses is not known";
}

TEST_F(GpuSharingTest, OfSeveralNodesTheNodeIsNamed) {
  Gpu(R"({"device":0,"uuid":"GPU-aa","processes":1,"ours":1,"others":0})", 0);
  Gpu(R"({"device":3,"uuid":"GPU-bb","processes":2,"ours":1,"others":1})", 1);
  EXPECT_THAT(Others(), ElementsAre(HasSubstr("used GPU 3 of node 1, too")));
}

TEST_F(GpuSharingTest, FactsOfElsewhereAreNoHarm) {
  Gpu(R"({"device":-5,"uuid":7,"processes":1e300,"ours":"x","others":9223372036854775807})");
  Gpu("{}");
  EXPECT_THAT(Others(), ElementsAre(HasSubstr("up to 65536 other processes")));
}

TEST_F(GpuSharingTest, RanksOnOneGpuAreNamed) {
  for (int32_t rank = 0; rank < 3; ++rank) Device(rank, rank == 1 ? "bb" : "aa");
  EXPECT_THAT(RanksTogether(), ElementsAre(HasSubstr("ranks 0 and 2 share one GPU (H200)")));
  Device(2, "cc");  // started anew elsewhere
  EXPECT_THAT(RanksTogether(), IsEmpty());
  for (int32_t rank = 0; rank < 9; ++rank) Device(rank, "GPU-dd");
  EXPECT_THAT(RanksTogether(), ElementsAre(HasSubstr("ranks 0, 1, 2, 3 and 5 more ")));
}

TEST_F(GpuSharingTest, RanksWithoutAnIdentityMayBeOnAnyGpu) {
  Device(0, "");
  Device(1, "");
  EXPECT_THAT(RanksTogether(), IsEmpty());
}

}  // namespace
}  // namespace steptrace::analyze
