// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/process_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/recorder_fixture.h"

namespace steptrace::agent {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;
using wire::DeviceLoss;

struct DeviceLossCase {
  DeviceLoss reported;
  int64_t count;
  const char* cause;
  const char* detail;
};

TEST(ProcessSession, DeviceWorkThatIsMissingIsALossByItsCause) {
  constexpr std::array kLosses = {
      DeviceLossCase{DeviceLoss::kLibrary, 2, "cupti_dropped", "it had no buffer"},
      DeviceLossCase{DeviceLoss::kNoBuffer, 3, "device_buffers_full",
                     "leave a core free for the agent"},
      DeviceLossCase{DeviceLoss::kIncomplete, 5, "device_incomplete", "capture more steps"},
      DeviceLossCase{DeviceLoss::kNoPlace, 7, "device_names_full", "use fixed names"},
      DeviceLossCase{DeviceLoss::kTaken, 1, "cupti_taken", "another tool uses CUPTI"}};
  Recording recording;
  RingByHand ring(recording.rings());
  const uint32_t lost = ring.Name(wire::Category::kWindow, wire::kDeviceLostName);
  for (const DeviceLossCase& one : kLosses) {
    ring.Write(wire::RecordKind::kActivity, lost, static_cast<uint64_t>(one.count),
               static_cast<uint64_t>(one.reported));
  }
  EXPECT_EQ(recording.Drain().records, static_cast<int64_t>(kLosses.size()));
  for (const DeviceLossCase& one : kLosses) {
    const auto losses = recording.Losses(one.cause);
    ASSERT_THAT(losses, SizeIs(1)) << one.cause;
    EXPECT_EQ(losses[0].table, "slices");
    EXPECT_EQ(losses[0].count, one.count);
    EXPECT_EQ(losses[0].pid, getpid());
    EXPECT_THAT(losses[0].detail, HasSubstr(one.detail));
  }
}

}  // namespace
}  // namespace steptrace::agent
