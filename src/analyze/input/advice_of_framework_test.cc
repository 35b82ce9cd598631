// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/advice_of_framework.h"

#include <gtest/gtest.h>

#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

namespace finding = model::finding;
using store::ProfileWriter;

JobFacts WrittenBy(std::set<ProfileWriter> writers) {
  JobFacts facts;
  facts.imported_as = "chrome";
  facts.writers = std::move(writers);
  return facts;
}

TEST(AdviceOfFramework, OfAnImportItIsTheWriters) {
  const model::Finding torch = Make(finding::ImportRecordHost{});
  const model::Finding jax = Make(finding::ImportMarkStepsJax{});
  const model::Finding any = Make(finding::ImportRunTraining{});
  const JobFacts by_jax = WrittenBy({ProfileWriter::kJax});
  EXPECT_TRUE(IsForeign(torch, by_jax));
  EXPECT_FALSE(IsForeign(jax, by_jax));
  EXPECT_FALSE(IsForeign(any, by_jax));
  for (const ProfileWriter torchs : {ProfileWriter::kPytorch, ProfileWriter::kAscend}) {
    EXPECT_FALSE(IsForeign(torch, WrittenBy({torchs})));
    EXPECT_TRUE(IsForeign(jax, WrittenBy({torchs})));
  }
  EXPECT_TRUE(IsForeign(torch, WrittenBy({})));
  EXPECT_TRUE(IsForeign(torch, WrittenBy({ProfileWriter::kViztracer, ProfileWriter::kChrome})));
  EXPECT_FALSE(IsForeign(torch, WrittenBy({ProfileWriter::kRay, ProfileWriter::kPytorch})));
}

TEST(AdviceOfFramework, WhatAProcessToldOfItselfCounts) {
  JobFacts facts = WrittenBy({});
  facts.torch_seen = true;  // a run of Steptrace's own that came back
  EXPECT_FALSE(IsForeign(Make(finding::ImportRecordHost{}), facts));
  EXPECT_FALSE(IsForeign(Make(finding::ImportRecordHost{}), JobFacts()));  // recorded
}

}  // namespace
}  // namespace steptrace::analyze
