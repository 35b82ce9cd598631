// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/stored_finding.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
        Make(finding::RunDataLoss{.detail = "\xf0\x9f\x98\x80 \"so\"", .where = ""})}) {
    const auto read = ReadFinding(Stored(found));
    ASSERT_TRUE(read.has_value()) << InfoOf(found.kind).id;
    EXPECT_EQ(read->kind, found.kind);
    EXPECT_EQ(read->figures, found.figures);
    EXPECT_EQ(read->texts, found.texts);
    EXPECT_EQ(present::SentenceOf(*read).text, present::SentenceOf(found).text);
  }
}

// Anybody may have written it.
TEST(StoredFindingTest, WhatIsNotWhatTheKindDeclaresIsNone) {
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
