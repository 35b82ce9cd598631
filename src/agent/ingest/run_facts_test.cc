// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/run_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(RunFacts, VersionsOfFrameworksAreOfTheRun) {
  RunFacts facts;
  EXPECT_FALSE(facts.TakeNews());
  facts.Note("framework", R"({"name": "torch", "version": "2.4.0", "cuda": null})");
  EXPECT_TRUE(facts.TakeNews());
  EXPECT_FALSE(facts.TakeNews()) << "told once";
  EXPECT_TRUE(facts.backward_on_host());
  store::Manifest manifest;
  facts.Describe(manifest);
  EXPECT_THAT(manifest.versions, ElementsAre(Pair("torch", "2.4.0")));
  EXPECT_THAT(manifest.ranks, IsEmpty());
}

TEST(RunFacts, OtherFactsAndDamageAreNone) {
  RunFacts facts;
  facts.Note("job", R"({"name": "torch", "version": "2.4.0"})");
  for (const char* text :
       {"", "[]", "{}", R"({"name": 1, "version": "2"})", R"({"name": "torch"})"}) {
    facts.Note("framework", text);
  }
  EXPECT_FALSE(facts.TakeNews());
}

TEST(RunFacts, MaliceVersionsWithoutEndAreBounded) {
  RunFacts facts;
  for (int i = 0; i < 1000; ++i) {
    facts.Note("framework", R"({"name": "n)" + std::to_string(i) + R"(", "version": "1"})");
  }
  store::Manifest manifest;
  facts.Describe(manifest);
  EXPECT_THAT(manifest.versions, SizeIs(64));
}

}  // namespace
}  // namespace steptrace::agent
