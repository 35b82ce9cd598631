// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/system_feed.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <optional>
#include <string>
#include <vector>

#include "agent/system/process.h"
#include "base/time.h"
#include "store/metrics.h"
#include "testing/child_process.h"
#include "testing/test_run.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kPatienceNs = 30 * kNsPerSecond;

class SystemFeedTest : public ::testing::Test {
 protected:
  SystemFeedTest()
      : writer_(store::MakeWriter(folder_.path() / "run")),
        tracks_(0, writer_.strings()),
        losses_(0, writer_.strings()),
        feed_(writer_, tracks_, losses_, kNsPerSecond, MonotonicNowNs()) {}

  // Samples until `done`; false: it never was.
  template <class Done>
  bool SampleUntil(const Done& done) {
    for (const int64_t end_ns = MonotonicNowNs() + kPatienceNs; MonotonicNowNs() < end_ns;) {
      feed_.Finish();
      if (done()) return true;
      ::usleep(10'000);
    }
    return false;
  }

  store::TempDir folder_;
  store::RunWriter writer_;
  TrackRegistry tracks_;
  LossBook losses_;
  SystemFeed feed_;
};

TEST(GpuIdentities, StandAtTheNumberOfTheirDevice) {
  EXPECT_TRUE(ByDevice({}).empty());
  EXPECT_EQ(ByDevice({{0, "GPU-a"}, {2, "GPU-c"}}),
            (std::vector<std::string>{"GPU-a", "", "GPU-c"}));
}

TEST_F(SystemFeedTest, ForgetsTheCountersOfAProcessThatIsGone) {
  testing::ChildProcess child([] { return ::pause(); });
  const int32_t pid = child.pid();
  feed_.SetRoots({{pid, ReadProcessIdentity(pid)->start_time_ticks}});
  std::optional<MetricSample> seen;
  feed_.SetObserver([&](const MetricSample& sample, int64_t) {
    if (sample.pid == pid && !seen) seen = sample;
  });
  ASSERT_TRUE(SampleUntil([&] { return seen.has_value(); })) << "no counter of the child";

  const auto track = [&] {
    return tracks_.Counter(std::string(store::InfoOf(seen->metric).name), -1, seen->device, pid);
  };
  const int32_t living = track();
  for (int i = 0; i < 3; ++i) feed_.Finish();
  EXPECT_EQ(track(), living) << "while it lives its counters stay";
  child.Kill();
  EXPECT_TRUE(SampleUntil([&] { return track() != living; }))
      << "another process of that number would go on in its counters";
}

}  // namespace
}  // namespace steptrace::agent
