// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/stored_finding.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analyze/json/sentence_json.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;

model::Finding Leak() {
  finding::LiveMemoryLeak leak{.rate = 1048576.0,
                               .low = 1e6,
                               .high = 2e6,
                               .items = std::vector<finding::LiveMemoryLeak::Item>{
                                   {.bytes = 4e9, .time = 60'000'000'000, .limit = "machine"}}};
  leak.compiled = 3;
  leak.steps = 40;
  return Make(std::move(leak));
}

std::string Stored(const model::Finding& found) {
  nlohmann::ordered_json evidence = {{"stuck", {0, 1}}};
  AddFinding(found, evidence);
  return evidence.dump();
}

std::optional<model::Finding> ReadOf(const std::string& kind, const std::string& values) {
  return ReadFinding(R"({"finding":")" + kind + R"(","values":)" + values + "}");
}

TEST(StoredFindingTest, ReadsWhatItWrites) {
  for (const model::Finding& found :
       {Leak(), Make(finding::LiveNoHang{}), Make(finding::LiveHangOver{.time = 5}),
        Make(finding::RunDataLoss{.detail = "\xf0\x9f\x98\x80 \"so\"",
        .where = model::Conditions()})}) {
    const auto read = ReadFinding(Stored(found));
    ASSERT_TRUE(read.has_value()) << InfoOf(found.kind).id;
    EXPECT_EQ(read->kind, found.kind);
    EXPECT_EQ(read->figures, found.figures);
    EXPECT_EQ(read->texts, found.texts);
    EXPECT_EQ(present::SentenceOf(*read).text, present::SentenceOf(found).text);
  }
}

model::Subject Everything() {
  return {.suspect = "model",
          .stage = "forward",
          .rule = "LoadBalancing",
          .metric = "gpu.utilization",
          .function = "f",
          .file = "/code/a.py",
          .line = 7,
          .step_kind = "eval",
          .hook = "optimizer",
          .data_source = "perf",
          .cause = "disk_refused",
          .hosts = {"a", "b"},
          .nodes = {3},
          .ranks = {{0, 2}, {7, 7}},
          .devices = {0, 1},
          .gpus = {{.host = "a", .device = 1}, {.node = 3, .rank = 4, .device = 0}},
          .process = 4711,
          .steps = model::Subject::Range(5, 9),
          .occurrence = 2};
}

// A finding of a run has the id that the agent gave it.
TEST(StoredFindingTest, ReadsEachMemberOfASubject) {
  model::Finding found = Make(finding::LiveNoHang{});
  found.subject = Everything();
  std::sort(found.subject.gpus.begin(), found.subject.gpus.end());
  const auto read = ReadFinding(Stored(found));
  ASSERT_TRUE(read);
  EXPECT_EQ(IdOf(*read), IdOf(found));
  EXPECT_EQ(SubjectJson(*read), SubjectJson(found));
  EXPECT_EQ(read->subject.line, 7);
  EXPECT_EQ(read->subject.process, 4711);
  // Each member counts: were one not read, the ids would differ, or what is no part of them.
  const nlohmann::ordered_json members = SubjectJson(found);
  for (const auto& [name, value] : members.items()) {
    nlohmann::ordered_json evidence;
    AddFinding(found, evidence);
    evidence["subject"].erase(name);
    const auto less = ReadFinding(evidence.dump());
    ASSERT_TRUE(less);
    EXPECT_NE(SubjectJson(*less), SubjectJson(found)) << name;
    const bool no_part = name == "process" || name == "steps";
    EXPECT_EQ(IdOf(*less) == IdOf(found), no_part) << name;
  }
}

TEST(StoredFindingTest, OfDeclaredMembersToo) {
  model::Finding differ = Make(finding::RuleGpusDifferInUse{.device = 0,
                                                            .node = 0,
                                                            .allocations = false,
                                                            .mean = 1.0,
                                                            .other_device = 1,
                                                            .other_node = 1,
                                                            .other_allocations = false,
                                                            .other_mean = 1.0,
                                                            .distance = 1.0,
                                                            .rows = model::Rows()});
  for (const model::HostNames& hosts :
       {model::HostNames(), model::HostNames{{0, "a"}}, model::HostNames{{0, "a"}, {1, "b"}}}) {
    NameHosts(hosts, differ);
    const auto read = ReadFinding(Stored(differ));
    ASSERT_TRUE(read);
    EXPECT_EQ(IdOf(*read), IdOf(differ)) << hosts.size();
  }
}

TEST(StoredFindingTest, ReadsManyRanges) {
  model::Finding found = Make(finding::LiveNoHang{});
  for (int64_t rank = 0; rank < 2000; rank += 2) found.subject.AddRank(rank);
  ASSERT_EQ(found.subject.ranks.size(), 1000u);
  const auto read = ReadFinding(Stored(found));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->subject.ranks, found.subject.ranks);
  EXPECT_EQ(IdOf(*read), IdOf(found));
}

TEST(StoredFindingTest, InvalidSubjectMembersAreLeftOut) {
  const std::string evidence =
      R"({"finding":"live.no_hang","values":{},"subject":{"hook":1,"hosts":[1,"a","a"],"nodes":"0",
          "source":[],"devices":[3,"x",3,1],"process":"1","steps":{"first":2,"last":1},
          "gpus":[1,{"device":"0"},{"device":1,"host":2}],"occurrence":-9223372036854775808,
          "ranks":[{"first":-9223372036854775808,"last":0},{"first":0,"last":9223372036854775807},
                   {"first":5,"last":4},{"first":18446744073709551615,"last":18446744073709551615},
                   {"first":2147483648,"last":2147483648},{"first":1.5,"last":2},7,
                   {"first":1,"last":2147483647}]}})";
  const auto read = ReadFinding(evidence);
  ASSERT_TRUE(read);
  const auto expected = nlohmann::ordered_json::parse(
      R"({"hosts":["a"],"ranks":[{"first":1,"last":2147483647}],
          "devices":[1,3],"gpus":[{"device":1}]})");
  EXPECT_EQ(SubjectJson(*read), expected) << SubjectJson(*read).dump();
}

TEST(StoredFindingTest, AFigureThatNoRankCanBeIsNone) {
  for (const char* rank : {"-9223372036854775808", "9223372036854775807"}) {
    const auto read =
        ReadOf("communication.waited_for_rank", std::string(R"({"wait":1,"rank":)") + rank + "}");
    ASSERT_TRUE(read);
    EXPECT_TRUE(SubjectOf(*read).ranks.empty());
  }
}

// Anybody may have written it.
TEST(StoredFindingTest, FindingThatDoesNotMatchItsKindIsRejected) {
  EXPECT_FALSE(ReadFinding(""));
  EXPECT_FALSE(ReadFinding("[1]"));
  EXPECT_FALSE(ReadFinding(R"({"stuck": [0]})")) << "of a run of before";
  EXPECT_FALSE(ReadFinding(R"({"finding": 1, "values": {}})"));
  EXPECT_FALSE(ReadOf("", "{}"));
  EXPECT_FALSE(ReadOf("live.of_tomorrow", "{}"));
  EXPECT_FALSE(ReadOf("live.hang_over", ""));
  EXPECT_FALSE(ReadOf("live.hang_over", "[]"));
  EXPECT_FALSE(ReadOf("live.hang_over", "{}"));
  EXPECT_FALSE(ReadOf("live.hang_over", R"({"time": null})"));
  EXPECT_FALSE(ReadOf("live.hang_over", R"({"time": 1.5})"));
  EXPECT_TRUE(ReadOf("live.hang_over", R"({"time": 1, "more": [1]})"));
  const std::string leak = Stored(Leak());
  EXPECT_TRUE(ReadFinding(leak));
  EXPECT_FALSE(ReadFinding(leak.substr(0, leak.size() - 1)));
  EXPECT_FALSE(ReadFinding(leak + std::string(1 << 20, ' ')));
  std::string many = R"({"rate":1,"low":1,"high":1,"compiled":null,"steps":null,"items":[)";
  for (int i = 0; i < 300; ++i) many += R"({"bytes":1,"time":1,"limit":"a"},)";
  many.back() = ']';
  EXPECT_FALSE(ReadOf("live.memory_leak", many + "}"));
}

}  // namespace
}  // namespace steptrace::analyze
