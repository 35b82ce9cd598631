// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/ring_discovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(RingDiscovery, AFileThatIsBeingMadeWaits) {
  Recording recording;
  const RingDiscovery& rings = recording->rings();
  recording.Drain();
  EXPECT_FALSE(rings.saw_ring());
  RingByHand ring(recording.rings(), {}, RingByHand::Made::kNotReady);
  EXPECT_EQ(recording.Drain().load.processes, 1);
  EXPECT_TRUE(rings.saw_ring());
  EXPECT_EQ(rings.waiting(), 1u);
  EXPECT_EQ(recording->sessions().size(), 0u);
  ring.FinishMaking();
  EXPECT_EQ(recording.Drain().load.processes, 1);
  EXPECT_EQ(rings.waiting(), 0u);
  EXPECT_EQ(recording->sessions().size(), 1u);
  EXPECT_THAT(recording.Losses("ring_damaged"), IsEmpty());
}

TEST(RingDiscovery, AtTheEndWhatStillWaitsIsALoss) {
  Recording recording;
  RingByHand ring(recording.rings(), {}, RingByHand::Made::kNotReady);
  recording.Drain();
  recording->Finish(recording.now_ns());
  EXPECT_EQ(recording->rings().waiting(), 0u);
  EXPECT_THAT(recording.Losses("ring_damaged"), SizeIs(1));
}

}  // namespace
}  // namespace steptrace::agent
