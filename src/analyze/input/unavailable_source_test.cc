// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/unavailable_source.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "analyze/json/stored_finding.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

TEST(UnavailableSource, IsReadByItsValues) {
  store::DataLossRow row;
  row.detail = "gpu: 1: gone";
  nlohmann::ordered_json evidence;
  AddFinding(Make(model::finding::LossUnavailable{.source = "gpu: 1", .reason = "gone"}), evidence);
  row.evidence = evidence.dump();
  EXPECT_EQ(UnavailableIn(row).source, "gpu: 1");
  EXPECT_EQ(UnavailableIn(row).reason, "gone");
}

TEST(UnavailableSource, OfRunsOfBeforeByItsSentence) {
  store::DataLossRow row;
  row.detail = "cpu counters: not allowed: see doctor";
  EXPECT_EQ(UnavailableIn(row).source, "cpu counters");
  EXPECT_EQ(UnavailableIn(row).reason, "not allowed: see doctor");
  row.detail = "nobody knows";
  EXPECT_EQ(UnavailableIn(row).source, "");
  EXPECT_EQ(UnavailableIn(row).reason, "nobody knows");
}

}  // namespace
}  // namespace steptrace::analyze
