// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/run_captures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/capture/demand_service.h"
#include "testing/capture_schedule_fixture.h"
#include "testing/process_by_hand.h"
#include "testing/test_run.h"

namespace steptrace::agent {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using wire::WindowEnd;

class RunCapturesTest : public ::testing::Test {
 protected:
  RunCapturesTest() {
    losses_.emplace(0, writer_.strings());
    captures_.emplace(writer_, *losses_, 0, kMonotonic);
    captures_->SetPlan(*ParsePlan({"5:10"}, {}), kUtc);
  }
  // The marks of a window that a process has had.
  void Answer(ProcessByHand& process, uint64_t request, uint32_t steps,
              WindowEnd end = WindowEnd::kDone) {
    RowBatch batch;
    batch.windows.push_back({.ts_ns = 2 * kS, .begins = true, .request = request, .kinds = 1});
    batch.windows.push_back({.ts_ns = 3 * kS, .request = request, .steps = steps, .end = end});
    captures_->OnBatch(process, batch);
  }
  std::vector<std::string> Windows() {
    EXPECT_TRUE(writer_.Flush().ok());
    store::RunReader reader = store::OpenRun(run_);
    std::vector<std::string> windows;
    const auto rows = reader.Read<store::RunMetadataRow>();
    for (const store::RunMetadataRow& row : *rows) {
      if (reader.Text(row.kind) == "window") windows.push_back(row.json);
    }
    return windows;
  }

  store::TempDir dir_;
  const std::filesystem::path run_ = dir_.path() / "run";
  store::RunWriter writer_ = store::MakeWriter(run_);
  std::optional<LossBook> losses_;
  std::optional<RunCaptures> captures_;
};

TEST_F(RunCapturesTest, EachProcessIsRequestedAndItsCaptureIsMetadata) {
  ProcessByHand one(*captures_, 0), two(*captures_, 1);
  captures_->Add(one);
  captures_->Add(two);
  captures_->Send(kS);
  ASSERT_EQ(one.asked.size(), 1u);
  ASSERT_EQ(two.asked.size(), 1u);
  EXPECT_EQ(one.asked[0].first_step, 5u);
  Answer(one, one.asked[0].request, 10);
  captures_->WriteOutcomes(4 * kS);
  const auto windows = Windows();
  ASSERT_EQ(windows.size(), 1u);
  EXPECT_THAT(windows[0], HasSubstr(R"("source":"window","window":"5:10")"));
  EXPECT_THAT(windows[0], HasSubstr(R"("end":"done","steps":10)"));
  EXPECT_THAT(losses_->TakeRows(4 * kS, true), IsEmpty());
}

TEST_F(RunCapturesTest, MissingPartsOfAWindowAreDataLoss) {
  ProcessByHand one(*captures_, 0);
  captures_->Add(one);
  captures_->Send(kS);
  Answer(one, one.asked.at(0).request, 4);
  captures_->WriteOutcomes(one, 4 * kS);
  const auto losses = losses_->TakeRows(4 * kS, true);
  ASSERT_EQ(losses.size(), 1u);
  EXPECT_EQ(writer_.strings().Text(losses[0].cause), "window_cut");
  EXPECT_EQ(losses[0].count, 6);
}

TEST_F(RunCapturesTest, EndedProcessIsNotRequested) {
  ProcessByHand one(*captures_, 0);
  EXPECT_FALSE(captures_->has_processes());
  captures_->Add(one);
  EXPECT_TRUE(captures_->has_processes());
  captures_->Remove(one);
  captures_->Send(kS);
  EXPECT_THAT(one.asked, IsEmpty());
  EXPECT_EQ(captures_->Request({.id = 1, .steps = 2, .kinds = 1}, {}).asked, 0);
}

TEST_F(RunCapturesTest, ADemandIsFollowedUntilItIsWithdrawn) {
  ProcessByHand one(*captures_, 0), two(*captures_, 1);
  captures_->Add(one);
  captures_->Add(two);
  EXPECT_EQ(captures_->Request({.id = 7, .steps = 2, .kinds = 1}, {1}).asked, 1)
      << "that rank alone";
  captures_->Send(kS);
  ASSERT_FALSE(two.asked.empty());
  Answer(two, two.asked.back().request, 2);
  captures_->WriteOutcomes(4 * kS);
  const CaptureProgress progress = captures_->ProgressOf(7);
  EXPECT_TRUE(progress.done());
  EXPECT_EQ(progress.steps, 2);
  EXPECT_EQ(progress.from_ns, 2 * kS);
  EXPECT_EQ(progress.to_ns, 3 * kS);
  captures_->Withdraw(7);
  EXPECT_EQ(captures_->ProgressOf(7).asked, 0);
}

TEST_F(RunCapturesTest, TheServiceRefusesADurationWithoutKineto) {
  TraceIntake intake(run_, "/proc/self/exe", false);
  TrackRegistry tracks(0, writer_.strings());
  ProfileFeed profiles(intake, {writer_, tracks, *losses_, kMonotonic},
                       [](int32_t) { return std::nullopt; });
  const CaptureService service = ServiceOf(*captures_, nullptr, profiles, [] { return kS; });
  EXPECT_THAT(service.ask({.id = 1, .dur_ns = kS}, {}).refusal, HasSubstr("use --steps"));
  ProcessByHand one(*captures_, 0);
  captures_->Add(one);
  EXPECT_EQ(service.ask({.id = 2, .steps = 2, .kinds = 1}, {}).asked, 1);
  EXPECT_FALSE(service.progress(2).done());
  service.withdraw(2);
  EXPECT_EQ(service.progress(2).asked, 0);
}

}  // namespace
}  // namespace steptrace::agent
