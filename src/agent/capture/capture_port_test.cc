// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/capture_port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/time.h"

namespace steptrace::agent {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class CapturePortTest : public ::testing::Test {
 protected:
  CapturePortTest() {
    char name[] = "/tmp/steptrace-port-XXXXXX";
    folder_ = mkdtemp(name);
    port_ = *CapturePort::Open(folder_);
    service_.ask = [this](const CaptureDemand& demand, const std::set<int32_t>& ranks) {
      asked_ = demand;
      ranks_ = ranks;
      return progress_;
    };
    service_.progress = [this](uint64_t) { return progress_; };
    service_.withdraw = [this](uint64_t demand) { withdrawn_.push_back(demand); };
  }
  ~CapturePortTest() override { std::filesystem::remove_all(folder_); }

  UniqueFd Connect() { return *ConnectCapturePort(folder_); }
  void Poll(int64_t durable_ns = 0) { port_.Poll(service_, durable_ns); }
  static void Send(const UniqueFd& socket, const std::string& text) {
    ASSERT_EQ(send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
  }
  // The next packet; "" at the end, "nothing" where none has come.
  static std::string Receive(const UniqueFd& socket) {
    char packet[512];
    const ssize_t bytes = recv(socket.get(), packet, sizeof packet, MSG_DONTWAIT);
    return bytes < 0 ? "nothing" : std::string(packet, static_cast<size_t>(bytes));
  }

  std::filesystem::path folder_;
  CapturePort port_;
  CaptureService service_;
  CaptureProgress progress_;
  CaptureDemand asked_;
  std::set<int32_t> ranks_;
  std::vector<uint64_t> withdrawn_;
};

TEST_F(CapturePortTest, ACaptureFromAskingToItsEnd) {
  const UniqueFd client = Connect();
  Send(client, CaptureRequestText(5, "operators", "0,3"));
  progress_.asked = 2;
  Poll();
  EXPECT_EQ(asked_.steps, 5);
  EXPECT_EQ(asked_.kinds, 1u);
  EXPECT_EQ(ranks_, (std::set<int32_t>{0, 3}));
  EXPECT_EQ(Receive(client), "asked 2");
  Poll();
  EXPECT_EQ(Receive(client), "nothing") << "no word twice";
  progress_.begun = 1;
  Poll();
  EXPECT_EQ(Receive(client), "begun 1");
  progress_ = {.asked = 2, .begun = 2, .ended = 2, .steps = 5, .from_ns = 10, .to_ns = 90};
  Poll(90);
  EXPECT_EQ(Receive(client), "nothing") << "not in the journal yet";
  Poll(90 + kNsPerSecond);
  EXPECT_EQ(Receive(client), "done 10 90 5");
  Poll();
  EXPECT_EQ(Receive(client), "") << "and closes";
}

TEST_F(CapturePortTest, ADurationInThePlaceOfSteps) {
  const UniqueFd client = Connect();
  Send(client, CaptureRequestText(std::chrono::milliseconds(1500), "operators", ""));
  progress_.asked = 1;
  Poll();
  EXPECT_EQ(asked_.steps, 0);
  EXPECT_EQ(asked_.dur_ns, 1500 * kNsPerMs);
  EXPECT_EQ(Receive(client), "asked 1");
  for (const char* amount : {"0ms", "-1ms", "5001ms", "ms", "1.5ms", "99999999999999999999ms"}) {
    EXPECT_FALSE(ParseCaptureRequest(std::string("capture ") + amount + " operators *").ok())
        << amount;
  }
}

TEST_F(CapturePortTest, RefusalOfTheServiceReachesTheClient) {
  const UniqueFd client = Connect();
  Send(client, CaptureRequestText(5, "operators", ""));
  progress_.refusal = "nobody asks";
  Poll();
  EXPECT_EQ(Receive(client), "failed nobody asks");
  const UniqueFd later = Connect();
  Send(later, CaptureRequestText(5, "operators", ""));
  progress_ = {.asked = 1};
  Poll();
  EXPECT_EQ(Receive(later), "asked 1");
  progress_.refused = 1;
  progress_.refusal = "process 7 ended";
  Poll();
  EXPECT_EQ(Receive(later), "failed process 7 ended");
}

TEST_F(CapturePortTest, RowsOfStepsThatAreNotWrittenYetAreWaitedForButNotForEver) {
  const UniqueFd client = Connect();
  Send(client, CaptureRequestText(5, "operators", ""));
  progress_ = {.asked = 1, .begun = 1, .ended = 1, .steps = 5, .from_ns = 10, .to_ns = 90};
  progress_.rows_until_ns = 11 * kNsPerSecond;
  Poll(90 + kNsPerSecond);
  EXPECT_EQ(Receive(client), "asked 1");
  Poll(11 * kNsPerSecond - 1);
  EXPECT_EQ(Receive(client), "nothing");
  Poll(11 * kNsPerSecond);
  EXPECT_EQ(Receive(client), "done 10 90 5");
}

TEST_F(CapturePortTest, DoneIsSentOnceTheRowsAreWritten) {
  const UniqueFd client = Connect();
  Send(client, CaptureRequestText(5, "operators", ""));
  progress_ = {.asked = 1, .begun = 1, .ended = 1, .steps = 5, .from_ns = 10, .to_ns = 90};
  progress_.rows_until_ns = 11 * kNsPerSecond;
  Poll(2 * kNsPerSecond);
  EXPECT_EQ(Receive(client), "asked 1");
  progress_.rows_until_ns = 0;
  Poll(2 * kNsPerSecond);
  EXPECT_EQ(Receive(client), "done 10 90 5");
}

TEST_F(CapturePortTest, WithoutATrainingTheRequestFails) {
  const UniqueFd all = Connect();
  const UniqueFd one = Connect();
  Send(all, CaptureRequestText(5, "operators", ""));
  Send(one, CaptureRequestText(5, "operators", "7"));
  Poll();
  EXPECT_THAT(Receive(all), StartsWith("failed nothing trains yet"));
  const std::string none = Receive(one);
  EXPECT_THAT(none, StartsWith("failed none of those ranks"));
  EXPECT_THAT(NameRun(none, "train-2"), EndsWith("see steptrace show train-2 steps"));
  EXPECT_EQ(NameRun("the run ended", "train-2"), "the run ended");
}

TEST_F(CapturePortTest, FailedCaptureReportsItsReason) {
  const UniqueFd client = Connect();
  Send(client, CaptureRequestText(5, "operators", ""));
  progress_.asked = 1;
  Poll();
  EXPECT_EQ(Receive(client), "asked 1");
  progress_.refused = 1;
  progress_.why = wire::WindowEnd::kUnavailable;
  Poll();
  EXPECT_THAT(Receive(client), HasSubstr("cannot be captured"));
}

TEST_F(CapturePortTest, CaptureIsWithdrawnWhenTheClientDisconnects) {
  progress_.asked = 1;
  {
    const UniqueFd client = Connect();
    Send(client, CaptureRequestText(5, "operators", ""));
    Poll();
  }
  Poll();
  EXPECT_EQ(withdrawn_, std::vector<uint64_t>{1});
}

TEST_F(CapturePortTest, MaliceRequestsThatAreNone) {
  for (const std::string& text :
       {std::string("x"), std::string("capture"), std::string("capture 5"),
        std::string("capture 0 operators *"), std::string("capture 99999999 operators *"),
        std::string("capture -5 operators *"), std::string("capture 5 dreams *"),
        std::string("capture 5 operators 0,x"), std::string("capture 5 operators -1"),
        std::string("capture 5 operators "), std::string(400, 'a'), std::string(1, '\0')}) {
    const UniqueFd client = Connect();
    Send(client, text);
    Poll();
    EXPECT_THAT(Receive(client), StartsWith("failed ")) << text;
    EXPECT_EQ(Receive(client), "");
  }
  EXPECT_EQ(asked_.steps, 0);
}

TEST_F(CapturePortTest, HalfAListOfRanksIsNotTakenForTheWhole) {
  std::string ranks = "0";
  for (int rank = 1; rank < 300; ++rank) ranks += "," + std::to_string(rank);
  const std::string request = CaptureRequestText(5, "operators", ranks);
  EXPECT_FALSE(ParseCaptureRequest(request).ok());
  const UniqueFd client = Connect();
  progress_.asked = 1;
  Send(client, request);
  Poll();
  EXPECT_THAT(Receive(client), HasSubstr("too long"));
  EXPECT_EQ(asked_.steps, 0);
}

TEST_F(CapturePortTest, MaliceMoreThanOneRequestEndsIt) {
  const UniqueFd client = Connect();
  progress_.asked = 1;
  Send(client, CaptureRequestText(5, "operators", ""));
  Poll();
  Send(client, CaptureRequestText(6, "operators", ""));
  Poll();
  EXPECT_EQ(asked_.steps, 5);
  EXPECT_EQ(withdrawn_.size(), 1u);
}

TEST_F(CapturePortTest, MaliceNumberOfClientsIsBounded) {
  std::vector<UniqueFd> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(Connect());
  Poll();
  clients.push_back(Connect());
  Poll();
  EXPECT_THAT(Receive(clients.back()), StartsWith("failed too many"));
}

TEST_F(CapturePortTest, SocketIsPrivateToItsOwner) {
  struct stat info {};
  ASSERT_EQ(lstat((folder_ / kCapturePortName).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
  EXPECT_FALSE(ConnectCapturePort(folder_ / "elsewhere").ok());
}

TEST_F(CapturePortTest, ADeepFolderHasAPortToo) {
  const std::filesystem::path deep = folder_ / std::string(100, 'a') / std::string(100, 'b');
  std::filesystem::create_directories(deep);
  const auto port = CapturePort::Open(deep);
  ASSERT_TRUE(port.ok());
  EXPECT_TRUE(ConnectCapturePort(deep).ok());
}

}  // namespace
}  // namespace steptrace::agent
