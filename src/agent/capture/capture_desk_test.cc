// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "testing/process_by_hand.h"
#include "testing/test_run.h"

namespace steptrace::agent {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A run with one process that trains, and where `steptrace capture` asks it.
class CaptureDeskTest : public ::testing::Test {
 protected:
  CaptureDeskTest() {
    std::filesystem::create_directory(rings_);
    CaptureDesk::Options options;
    options.run_dir = run_;
    desk_ = std::make_unique<CaptureDesk>(
        std::move(options), captures_,
        ProfileFeed::Run{writer_, tracks_, losses_, MonotonicNowNs() - kNsPerSecond});
    captures_.Add(process_);
  }
  void Poll() {
    desk_->Poll(kNsPerSecond, 0);
    captures_.Send(kNsPerSecond);
  }

  store::TempDir dir_;
  const std::filesystem::path run_ = dir_.path() / "run";
  const std::filesystem::path rings_ = dir_.path() / "rings";
  store::RunWriter writer_ = store::MakeWriter(run_);
  TrackRegistry tracks_{0, writer_.strings()};
  LossBook losses_{0, writer_.strings()};
  RunCaptures captures_{writer_, losses_, 0, 0};
  ProcessByHand process_{captures_, 0};
  std::unique_ptr<CaptureDesk> desk_;
};

TEST_F(CaptureDeskTest, RequestsAtThePortReachTheProcesses) {
  ASSERT_OK(desk_->OpenPort(rings_));
  std::vector<pollfd> waits;
  desk_->AddTo(waits);
  EXPECT_FALSE(waits.empty());
  auto client = ConnectCapturePort(rings_);
  ASSERT_OK(client);
  const std::string text = CaptureRequestText(5, "operators", "");
  ASSERT_EQ(send(client->get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
  Poll();
  ASSERT_THAT(process_.asked, SizeIs(1));
  EXPECT_EQ(process_.asked[0].steps, 5u);
  EXPECT_NE(process_.asked[0].kinds, 0u);
  *client = UniqueFd();
  Poll();
  ASSERT_THAT(process_.asked, SizeIs(2));
  EXPECT_EQ(process_.asked[1].kinds, 0u) << "it is called off: nobody waits any more";
}

TEST_F(CaptureDeskTest, WithoutAPortThereAreNoRequests) {
  EXPECT_FALSE(desk_->OpenPort(rings_ / "none").ok());
  Poll();
  EXPECT_THAT(process_.asked, IsEmpty());
  desk_->RecordRefused();
  desk_->TakeProfiles();
  desk_->AnswerAll();
  desk_->RemoveFolder();
}

}  // namespace
}  // namespace steptrace::agent
