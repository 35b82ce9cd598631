// SPDX-License-Identifier: Apache-2.0
#include "agent/system/limit_finding.h"

#include <gtest/gtest.h>

#include <string>

#include "base/time.h"
#include "present/words/finding_sentence.h"

namespace steptrace::agent {
namespace {

std::string Said(const LimiterEvent& event, Limited who) {
  return present::SentenceOf(LimitFinding(event, who)).text;
}

TEST(LimitFinding, EachEventIsOneKind) {
  LimiterEvent event{.kind = LimiterEventKind::kSlowed,
                     .interval_ns = kNsPerSecond,
                     .cpu_cores = 0.05,
                     .cpu_budget = 0.03,
                     .rss_bytes = 69 << 20,
                     .rss_limit_bytes = 68 << 20};
  EXPECT_EQ(Said(event, Limited::kAgent),
            "The agent used 5 % of a core, more than its budget of 3 %: the system is now sampled "
            "every 1 s");
  event.cpu_cores = 0.0304;
  EXPECT_EQ(Said(event, Limited::kStacks),
            "Sampling stacks used 3.04 % of a core, more than its budget of 3 %: stacks are now "
            "sampled every 1 s");
  event.kind = LimiterEventKind::kRestored;
  event.cpu_cores = 0.005;
  EXPECT_EQ(Said(event, Limited::kStacks),
            "Sampling stacks used 0.5 % of a core, well under its budget of 3 %: stacks are now "
            "sampled every 1 s");
  event.kind = LimiterEventKind::kAnew;
  event.interval_ns = 50 * kNsPerMs;
  EXPECT_EQ(Said(event, Limited::kStacks),
            "The training has begun: stacks are sampled every 50 ms again");
  event.kind = LimiterEventKind::kMemoryOver;
  EXPECT_EQ(Said(event, Limited::kAgent),
            "The agent holds 69 MiB, more than its limit of 68 MiB: it drops older records");
  event.kind = LimiterEventKind::kMemoryOk;
  event.rss_bytes = 50 << 20;
  EXPECT_EQ(Said(event, Limited::kAgent),
            "The agent holds 50 MiB, within its limit of 68 MiB again");
}

}  // namespace
}  // namespace steptrace::agent
