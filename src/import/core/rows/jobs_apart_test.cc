// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/jobs_apart.h"

#include <gmock/gmock.h>

#include <deque>
#include <string>
#include <vector>

#include "base/time.h"

namespace steptrace::import {
namespace {

using testing::HasSubstr;

constexpr int64_t kNoonNs = 1'700'000'000 * kNsPerSecond;  // 2023-11-14 22:13

class JobsApartTest : public testing::Test {
 protected:
  // A minute, so long after the first.
  PartFacts& Add(const char* file, int32_t rank, int32_t world_size, int64_t after_ns = 0) {
    Part& part = parts_.emplace_back();
    part.bounds.Take(kNoonNs + after_ns, kNoonNs + after_ns + 60 * kNsPerSecond);
    part.facts.rank = rank;
    part.facts.world_size = world_size;
    part.facts.pid = 100 + rank;
    part.facts.utc_offset_ns = 0;
    part.facts.source = file;
    part.facts.is_profile = true;
    return part.facts;
  }
  std::string Refused() {
    std::vector<Part*> parts;
    for (Part& part : parts_) parts.push_back(&part);
    const Status checked = CheckOneJob(parts);
    return checked.ok() ? "" : checked.error().text();
  }

  std::deque<Part> parts_;
};

TEST_F(JobsApartTest, RanksOfOneJobBelongTogether) {
  EXPECT_EQ(Refused(), "");
  Add("a.json", 0, 2);
  EXPECT_EQ(Refused(), "");
  Add("b.json", 1, 2, 40 * 60 * kNsPerSecond);
  Add("c.json", 2, -1).utc_offset_ns.reset();  // tells nothing
  EXPECT_EQ(Refused(), "");
}

TEST_F(JobsApartTest, JobsOfDifferentSizesAreNamed) {
  Add("a.json", 0, 8);
  Add("b.json", 1, 8);
  Add("c.json", 2, 2);
  EXPECT_THAT(Refused(), HasSubstr("c.json (2 ranks, 2023-11-14 22:13 UTC), a.json and 1 more (8 "
                                   "ranks, 2023-11-14 22:13 UTC); import the files of one"));
}

TEST_F(JobsApartTest, TimesFarApartAreRecordingsOfTheirOwn) {
  Add("a.json", 0, 2);
  Add("b.json", 1, 2, 24 * kNsPerHour);
  EXPECT_THAT(Refused(), HasSubstr("a.json (2 ranks, 2023-11-14 22:13 UTC), b.json (2 ranks, "
                                   "2023-11-15 22:13 UTC)"));
}

TEST_F(JobsApartTest, OneProcessMayBeRecordedAtSeveralTimes) {
  Add("a.json", 0, 1);
  Add("b.json", 0, 1, 5 * kNsPerHour);
  Add("c.json", 0, 1, 24 * kNsPerHour);
  EXPECT_EQ(Refused(), "");
  Add("d.json", 0, 1, 48 * kNsPerHour).pid = 7;
  EXPECT_THAT(Refused(), HasSubstr("profiles of 4 jobs or recordings"));
}

TEST_F(JobsApartTest, InvalidDateIsIgnored) {
  constexpr int64_t kFarNs = 9'000'000'000'000'000'000;
  Add("a.json", 0, 2);
  Add("b.json", 1, 2).utc_offset_ns = kFarNs - kNoonNs;
  Add("c.json", 2, 2).utc_offset_ns = -kFarNs;
  EXPECT_EQ(Refused(), "");
}

TEST_F(JobsApartTest, AnotherNameIsAnotherJob) {
  Add("a.json", 0, 2).job = "bert";
  Add("b.json", 1, 2).job = "resnet";
  EXPECT_THAT(Refused(), HasSubstr("a.json (bert, 2 ranks"));
}

TEST_F(JobsApartTest, ARankIsOneProcess) {
  Add("a.json", 0, 2);
  Add("b.json", 0, 2);  // recorded twice: told apart elsewhere
  EXPECT_EQ(Refused(), "");
  Add("c.json", 0, 2).pid = 7;
  EXPECT_THAT(Refused(), HasSubstr("c.json: rank 0 of 2 is another process in a.json"));
}

TEST_F(JobsApartTest, WhatIsNoProfileOrLeftOutIsNotAsked) {
  Add("a.json", 0, 2);
  Add("metrics", 1, 8).is_profile = false;
  Add("b.json", 1, 8);
  parts_.back().left_out = true;
  EXPECT_EQ(Refused(), "");
}

}  // namespace
}  // namespace steptrace::import
