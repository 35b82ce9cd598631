// SPDX-License-Identifier: Apache-2.0
#include "probe/device_phases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "probe/device_clock.h"
#include "testing/fake_cupti/fake_cuda.h"
#include "testing/rings.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using transport::testing::DrainAll;
using transport::testing::ProcessTrace;
using transport::testing::TestRingFolder;

constexpr uint64_t kUs = 1000;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kBegin = 1'000'000'000'000;
constexpr uint64_t kStream = 0;

// A phase as the ring has it.
struct RecordedPhase {
  std::string name;
  uint32_t device;
  uint64_t begin, end;  // by the host's clock: the tests' records have no other
  uint32_t behind_us;
  uint64_t Ns() const { return end - begin; }
};

std::vector<RecordedPhase> PhasesIn(const ProcessTrace& trace) {
  std::vector<RecordedPhase> reported;
  for (const auto& thread : trace.threads) {
    for (const wire::Record& record : thread.records) {
      if (record.kind != static_cast<uint8_t>(wire::RecordKind::kComplete)) continue;
      EXPECT_EQ(record.category, static_cast<uint16_t>(wire::Category::kDevicePhase));
      reported.push_back({trace.NameOf(record), static_cast<uint32_t>(record.a), record.tsc,
                          record.b, static_cast<uint32_t>(record.a >> 32)});
    }
  }
  return reported;
}

std::vector<std::string> NamesOf(const std::vector<RecordedPhase>& reported) {
  std::vector<std::string> names;
  for (const RecordedPhase& one : reported) names.push_back(one.name);
  return names;
}

// What a step is of: how long the host takes to launch, and the device to do it.
struct Work {
  uint64_t launch_ns, device_ns;
};
struct Step {
  uint64_t data_wait_ns = 0;
  Work forward{}, backward{}, optimizer{};
  bool waits_for_loss = false;
};

thread_local uint64_t current_stream = 0;

class DevicePhasesTest : public ::testing::Test {
 protected:
  DevicePhasesTest() {
    fake_cuda_reset();
    fake_cuda_set_time(kBegin);
    fake_cuda_use(0);
    ResetDevicePhasesForTesting(fake_cuda_now);
    transport::Attach();
  }
  ~DevicePhasesTest() override {
    EndDevicePhases();
    EXPECT_EQ(fake_cuda_misuse(), 0u) << fake_cuda_last_misuse();
    ResetDevicePhasesForTesting(nullptr);
    fake_cuda_reset();
    transport::DetachForTesting();
  }

  static void Do(const Work& work, uint64_t stream = kStream) {
    fake_cuda_work(stream, work.device_ns);
    fake_cuda_pass(work.launch_ns);
  }
  static const char* MarkBoundary(Boundary boundary, uint64_t stream = kStream) {
    current_stream = stream;
    return RecordBoundary(boundary, [](uint64_t* current) {
      *current = current_stream;
      return true;
    });
  }
  static void At(Boundary boundary, uint64_t stream = kStream) {
    EXPECT_EQ(MarkBoundary(boundary, stream), nullptr);
  }
  static void Run(const Step& step) {
    At(Boundary::kDataBegin);
    fake_cuda_pass(step.data_wait_ns);
    At(Boundary::kDataEnd);
    Do(step.forward);
    At(Boundary::kBackwardBegin);
    Do(step.backward);
    At(Boundary::kBackwardEnd);
    At(Boundary::kOptimizerBegin);
    Do(step.optimizer);
    At(Boundary::kOptimizerEnd);
    if (step.waits_for_loss) fake_cuda_wait(kStream);
  }
  // Ends and returns all that was told.
  std::vector<RecordedPhase> All() {
    EndDevicePhases();
    return PhasesIn(DrainAll(folder_.OpenOnly()));
  }
  static double SumOf(const std::vector<RecordedPhase>& reported, const std::string& name) {
    uint64_t sum = 0;
    for (const RecordedPhase& one : reported) sum += one.name == name ? one.Ns() : 0;
    return static_cast<double>(sum);
  }

  TestRingFolder folder_;
};

// A step of a device that has time: the host launches slowly.
constexpr Step kHostLate = {.data_wait_ns = 2 * kMs,
                            .forward = {3 * kMs, 1 * kMs},
                            .backward = {5 * kMs, 2 * kMs},
                            .optimizer = {1 * kMs, 500 * kUs}};
// ... and of one that has none: the host is far ahead and waits for the loss.
constexpr Step kHostAhead = {.data_wait_ns = 200 * kUs,
                             .forward = {1 * kMs, 10 * kMs},
                             .backward = {1 * kMs, 20 * kMs},
                             .optimizer = {1 * kMs, 5 * kMs},
                             .waits_for_loss = true};

TEST_F(DevicePhasesTest, AStepIsTheTimesOfItsPhasesOnTheDevice) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  for (int i = 0; i < 3; ++i) Run(kHostAhead);
  const auto reported = All();
  ASSERT_THAT(reported, SizeIs(17)) << "six borders a step: a phase less than they are";
  EXPECT_THAT(NamesOf({reported.begin() + 5, reported.begin() + 12}),
              ElementsAre("other", "data", "forward", "backward", "other", "optimizer", "other"));
  EXPECT_NEAR(SumOf(reported, "forward"), 30.0 * kMs, 20 * kUs);
  EXPECT_NEAR(SumOf(reported, "backward"), 60.0 * kMs, 20 * kUs);
  EXPECT_NEAR(SumOf(reported, "optimizer"), 15.0 * kMs, 20 * kUs);
  EXPECT_NEAR(SumOf(reported, "data"), 3.0 * 200 * kUs, 20 * kUs) << "the device had nothing to do";
  for (size_t i = 1; i < reported.size(); ++i) {
    EXPECT_GE(reported[i].begin, reported[i - 1].end);
    EXPECT_EQ(reported[i].device, 0u);
  }
}

TEST_F(DevicePhasesTest, TimesAreOfTheHostsClock) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  std::vector<uint64_t> ends;
  for (int i = 0; i < 5; ++i) {
    Run(kHostAhead);
    ends.push_back(fake_cuda_now());  // the device has just done its last work
  }
  size_t step = 0;
  for (const RecordedPhase& one : All()) {
    if (one.name != "optimizer") continue;
    EXPECT_NEAR(static_cast<double>(one.end), static_cast<double>(ends[step++]), 10.0 * kUs);
  }
  EXPECT_EQ(step, ends.size());
}

TEST_F(DevicePhasesTest, TheDeviceIsBehindAHostThatRunsAhead) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  for (int i = 0; i < 4; ++i) Run(kHostAhead);
  std::map<std::string, std::vector<uint32_t>> behind;
  for (const RecordedPhase& one : All()) behind[one.name].push_back(one.behind_us);
  // At the end of its launch the host has 1, 2 and 3 ms behind it, the device 10, 30 and 35 to do.
  for (const uint32_t us : behind["forward"]) EXPECT_NEAR(us, 9000, 30);
  for (const uint32_t us : behind["backward"]) EXPECT_NEAR(us, 28000, 30);
  for (const uint32_t us : behind["optimizer"]) EXPECT_NEAR(us, 32000, 30);
  for (const uint32_t us : behind["data"]) EXPECT_LE(us, 20u);
}

TEST_F(DevicePhasesTest, TheDeviceHasCaughtUpWithAHostThatIsLate) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  for (int i = 0; i < 4; ++i) Run(kHostLate);
  const auto reported = All();
  ASSERT_GT(reported.size(), 15u);
  for (const RecordedPhase& one : reported) EXPECT_LE(one.behind_us, 20u) << one.name;
  // From boundary to boundary: that the device computes 1 of the 3 ms is not known.
  EXPECT_NEAR(SumOf(reported, "forward"), 4.0 * 3 * kMs, 40 * kUs);
}

TEST_F(DevicePhasesTest, HowFarItIsBehindIsUnknownWhereNothingEverIsIdle) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Step saturated = kHostAhead;
  saturated.waits_for_loss = false;
  saturated.data_wait_ns = 0;
  for (int i = 0; i < 8; ++i) {
    Run(saturated);
    fake_cuda_pass(32 * kMs);
  }
  size_t unknown = 0;
  const auto reported = All();
  for (const RecordedPhase& one : reported) unknown += one.behind_us == wire::kUnknownBehind;
  EXPECT_GT(unknown, reported.size() / 2);
  const auto backwards =
      std::count_if(reported.begin(), reported.end(),
                    [](const RecordedPhase& one) { return one.name == "backward"; });
  ASSERT_GE(backwards, 5);
  EXPECT_NEAR(SumOf(reported, "backward"), static_cast<double>(backwards) * 20 * kMs, kMs)
      << "how long it took is known all the same";
}

TEST_F(DevicePhasesTest, NeverBlocksAndAFullPoolSkipsBoundaries) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  fake_cuda_work(kStream, 10'000 * kMs);  // a device that hangs, for all that the host knows
  for (int i = 0; i < 30; ++i) Run({.forward = {kMs, 0}, .backward = {kMs, 0}});
  EXPECT_EQ(GetDevicePhaseStats().events, 63u);
  EXPECT_EQ(GetDevicePhaseStats().no_event, 30u * 6 - 63);
  EXPECT_EQ(fake_cuda_events(), 64u);
  EXPECT_LT(fake_cuda_now(), kBegin + 1000 * kMs) << "the host went on";
  fake_cuda_wait(kStream);
  for (int i = 0; i < 3; ++i) Run(kHostAhead);
  const auto reported = All();
  EXPECT_GE(reported.size(), 62u + 17);
  EXPECT_NEAR(static_cast<double>(reported.back().end), static_cast<double>(fake_cuda_now()),
              20.0 * kUs);
}

TEST_F(DevicePhasesTest, TheSameEventsServeAThousandSteps) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  for (int i = 0; i < 1000; ++i) Run(kHostAhead);
  const auto reported = All();
  EXPECT_EQ(reported.size(), 6000u - 1);
  EXPECT_NEAR(SumOf(reported, "forward"), 1000.0 * 10 * kMs, 5.0 * kMs);
  EXPECT_EQ(fake_cuda_events(), 64u);
  EXPECT_EQ(GetDevicePhaseStats().no_event, 0u);
}

TEST_F(DevicePhasesTest, AStepTakesAtMostSixEventsAndFewCalls) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  for (int i = 0; i < 5; ++i) Run(kHostAhead);
  const uint64_t before = fake_cuda_calls();
  for (int i = 0; i < 100; ++i) Run(kHostAhead);
  // A boundary: two modes, a context, a capture, an event; a step: six times, two polls.
  EXPECT_LE(fake_cuda_calls() - before, 100u * (6 * 5 + 6 + 4));
  EXPECT_EQ(GetDevicePhaseStats().events, 105u * 6);
}

TEST_F(DevicePhasesTest, AClockThatDriftsIsFollowed) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  fake_cuda_drift(40);
  uint64_t end = 0;
  for (int i = 0; i < 2000; ++i) {
    Run(kHostAhead);
    fake_cuda_pass(1000 * kMs);  // half an hour in all
    end = fake_cuda_now();
  }
  Run(kHostAhead);
  const auto reported = All();
  EXPECT_NEAR(static_cast<double>(reported.back().end), static_cast<double>(fake_cuda_now()),
              100.0 * kUs);
  EXPECT_GT(reported.back().end, end);
  EXPECT_NEAR(SumOf(reported, "backward"), 2001.0 * 20 * kMs, 2001.0 * 5 * kUs);
}

TEST_F(DevicePhasesTest, ACapturedStreamIsLeftAlone) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  fake_cuda_capture(kStream, 1);
  Run({});
  fake_cuda_capture(kStream, 0);
  EXPECT_EQ(GetDevicePhaseStats().captures, 6u);
  // Another stream is being captured by another thread: ours go on, and break nothing.
  fake_cuda_capture(99, 1);
  for (int i = 0; i < 3; ++i) Run(kHostAhead);
  fake_cuda_capture(99, 0);
  const auto reported = All();
  EXPECT_THAT(reported, SizeIs(5 + 17));
}

TEST_F(DevicePhasesTest, NothingIsInitialized) {
  fake_cuda_use(-1);
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  EXPECT_EQ(fake_cuda_events(), 0u);
  EXPECT_EQ(GetDevicePhaseStats().events, 0u);
  EXPECT_THAT(All(), IsEmpty());
}

TEST_F(DevicePhasesTest, APhaseIsOfOneStreamOfOneDevice) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  At(Boundary::kDataBegin);
  At(Boundary::kDataEnd, 5);  // another stream: neither has to be there first
  Do(kHostAhead.forward, 5);
  At(Boundary::kBackwardBegin, 5);
  fake_cuda_use(1);
  At(Boundary::kBackwardEnd);
  Do(kHostAhead.optimizer);
  At(Boundary::kOptimizerBegin);
  fake_cuda_use(0);
  fake_cuda_wait(5);
  fake_cuda_pass(10 * kMs);
  const auto reported = All();
  EXPECT_THAT(NamesOf({reported.begin() + 5, reported.end()}),
              ElementsAre("other", "forward", "other"));
  EXPECT_EQ(reported.back().device, 1u);
  EXPECT_EQ(fake_cuda_events(), 128u);
}

TEST_F(DevicePhasesTest, AForkedChildCallsNothing) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  const uint64_t calls = fake_cuda_calls();
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 3; ++i) (void)MarkBoundary(Boundary::kOptimizerEnd);
    EndDevicePhases();
    const bool refused = BeginDevicePhases() != nullptr;
    _exit(refused && fake_cuda_calls() == calls && fake_cuda_misuse() == 0 ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  Run(kHostAhead);
  EXPECT_THAT(All(), SizeIs(11));
}

TEST_F(DevicePhasesTest, FailureIsReportedOnceAndDisables) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  fake_cuda_refuse(719);
  const char* reason = MarkBoundary(Boundary::kDataBegin);
  ASSERT_NE(reason, nullptr);
  EXPECT_THAT(reason, HasSubstr("cuEventRecord fails with CUDA error 719"));
  const uint64_t calls = fake_cuda_calls();
  Run(kHostAhead);
  EXPECT_EQ(fake_cuda_calls(), calls);
}

TEST_F(DevicePhasesTest, NoDriverCallsWhilePaused) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  PauseDevicePhases(true);
  const uint64_t calls = fake_cuda_calls();
  Run(kHostAhead);
  EXPECT_EQ(fake_cuda_calls(), calls);
  PauseDevicePhases(false);
  Run(kHostAhead);
  EXPECT_THAT(All(), SizeIs(5 + 5)) << "no phase reaches over the gap";
}

TEST_F(DevicePhasesTest, BoundariesOfOtherThreadsAreIgnored) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  std::thread([] {
    fake_cuda_use(0);
    (void)MarkBoundary(Boundary::kDataBegin);
    EndDevicePhases();
  }).join();
  Run(kHostAhead);
  EXPECT_THAT(All(), SizeIs(11));
}

TEST_F(DevicePhasesTest, TheEndTakesWhatIsThereAndWaitsForNothing) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  Run(kHostAhead);
  At(Boundary::kDataBegin);
  fake_cuda_work(kStream, 1000 * kMs);
  At(Boundary::kDataEnd);
  const uint64_t now = fake_cuda_now();
  EXPECT_THAT(All(), SizeIs(5)) << "the next border was not reached";
  EXPECT_EQ(fake_cuda_now(), now);
}

uint64_t NowThatCosts() {
  fake_cuda_pass(4 * kUs);
  return fake_cuda_now();
}

TEST_F(DevicePhasesTest, TooCostlyRecordingPausesAndResumes) {
  ResetDevicePhasesForTesting(NowThatCosts);
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  constexpr int kSteps = 2000;
  const Step tiny = {.forward = {kMs, 100 * kUs}, .backward = {kMs, 100 * kUs}};
  for (int i = 0; i < kSteps; ++i) Run(tiny);
  const DevicePhaseStats stats = GetDevicePhaseStats();
  EXPECT_GT(stats.rested_steps, kSteps * 8u / 10);
  EXPECT_LT(stats.rested_steps, kSteps * 99u / 100);
  // The steps that are told are whole: as many phases as boundaries.
  const auto reported = All();
  std::map<std::string, int> counts;
  for (const RecordedPhase& one : reported) ++counts[one.name];
  EXPECT_GT(counts["forward"], 10);
  EXPECT_EQ(counts["forward"], counts["backward"]);
  EXPECT_EQ(counts["forward"], counts["optimizer"]);
}

TEST_F(DevicePhasesTest, ALoopWithoutALoaderAndOneWithAClosureHaveTheirPhasesToo) {
  ASSERT_EQ(BeginDevicePhases(), nullptr);
  for (int i = 0; i < 2; ++i) {
    Do({kMs, 5 * kMs});
    At(Boundary::kBackwardBegin);
    At(Boundary::kBackwardEnd);
    At(Boundary::kOptimizerBegin);
    At(Boundary::kOptimizerEnd);
  }
  At(Boundary::kOptimizerBegin);
  At(Boundary::kBackwardBegin);
  At(Boundary::kBackwardEnd);
  At(Boundary::kOptimizerEnd);
  fake_cuda_wait(kStream);
  fake_cuda_pass(kMs);
  EXPECT_THAT(NamesOf(All()),
              ElementsAre("backward", "other", "optimizer", "forward", "backward", "other",
                          "optimizer", "other", "forward", "backward", "optimizer"));
}

// ---- the clock by itself ----

TEST(DeviceClockTest, TheLargestLowerBoundIsTaken) {
  DeviceClock clock;
  clock.AtLeast(1000, 0);
  clock.AtLeast(1500, 100);  // 1400 ahead
  clock.AtLeast(1400, 200);
  EXPECT_EQ(clock.ToHost(200), 1600);
  EXPECT_EQ(clock.UncertaintyNs(), INT64_MAX);
  clock.AtMost(1700, 200);
  EXPECT_EQ(clock.UncertaintyNs(), 100);
}

TEST(DeviceClockTest, BoundsLoosenWithTimeAndNewOnesWin) {
  DeviceClock clock;
  clock.AtLeast(1000, 0);
  clock.AtMost(1000, 0);
  EXPECT_EQ(clock.UncertaintyNs(), 0);
  constexpr int64_t kLater = 1'000'000;
  clock.AtLeast(kLater, kLater);  // a bound of 0, below what is left of the old one
  EXPECT_EQ(clock.ToHost(kLater), kLater + 1000 - 50);
  EXPECT_EQ(clock.UncertaintyNs(), 100);
  clock.AtLeast(3 * kLater, kLater);  // the host's clock was set
  EXPECT_EQ(clock.ToHost(kLater), 3 * kLater);
  EXPECT_EQ(clock.UncertaintyNs(), 0);
}

}  // namespace
}  // namespace steptrace::probe
