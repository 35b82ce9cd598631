// SPDX-License-Identifier: Apache-2.0
#include "serve/http/connection_limits.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "testing/http_server.h"

namespace steptrace::http {
namespace {

using ::testing::StartsWith;

constexpr size_t kHeld = 300;  // more than a server has room for

std::string Kept(const std::string& target) {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
}

class RoomTest : public ServerFixture {
 protected:
  // Times in which nobody is closed for being slow: who goes makes room.
  static ServerOptions Patient() {
    ServerOptions options;
    options.header_time = options.idle_time = options.write_time = std::chrono::minutes(10);
    return options;
  }
  void Hold(size_t peers, const std::string& said, const std::string& until = "") {
    for (size_t i = 0; i < peers; ++i) {
      held_.push_back(std::make_unique<Peer>(server_->port()));
      held_.back()->Send(said);
      if (!until.empty()) held_.back()->Hear(until);
    }
  }
  void ExpectThatNewPeersAreServed() {
    for (int i = 0; i < 10; ++i) {
      EXPECT_THAT(Fetch(Get("/api/server")), StartsWith("HTTP/1.1 200"));
    }
  }

  std::vector<std::unique_ptr<Peer>> held_;
};

TEST_F(RoomTest, SilentPeersAreClosedFirst) {
  Start(Patient());
  Hold(kHeld, "");
  ExpectThatNewPeersAreServed();
}

TEST_F(RoomTest, SlowlySendingPeersAreClosed) {
  Start(Patient());
  Hold(kHeld, "GET /api/ser");
  for (auto& peer : held_) peer->Send("v");
  ExpectThatNewPeersAreServed();
}

TEST_F(RoomTest, PeersThatWereAnsweredMakeRoomTheOneFirstThatWasLongestAgo) {
  ServerOptions options = Patient();
  options.connections = 3;
  Start(options);
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 3; ++i) peers.push_back(std::make_unique<Peer>(server_->port()));
  for (const int i : {0, 1, 2, 0}) {  // so the second has waited longest
    peers[i]->Send(Kept("/api/server"));
    EXPECT_THAT(peers[i]->Hear("editor_url"), StartsWith("HTTP/1.1 200"));
  }
  Peer one_more(server_->port());
  one_more.Send(Kept("/api/server"));
  EXPECT_THAT(one_more.Hear("editor_url"), StartsWith("HTTP/1.1 200"));
  EXPECT_EQ(peers[1]->Hear().find("<nothing more>"), std::string::npos) << "it is closed";
  for (const int i : {0, 2}) {
    peers[i]->Send(Kept("/api/server"));
    EXPECT_THAT(peers[i]->Hear("editor_url"), StartsWith("HTTP/1.1 200"));
  }
}

TEST_F(RoomTest, PeersThatTakeNothingOfTheirAnswersMakeRoom) {
  Write("ui/assets/large.js", std::string(12 << 20, 'x'));
  ServerOptions options = Patient();
  options.stall_time = std::chrono::milliseconds(1);
  options.connections = 16;
  Start(options);
  Hold(24, Get("/assets/large.js"));
  ExpectThatNewPeersAreServed();
}

// Who is being answered stays: one more waits until one of them is done.
TEST_F(RoomTest, OneMoreWaitsWhileAllAreBeingAnswered) {
  Write("ui/assets/large.js", std::string(12 << 20, 'x'));
  ServerOptions options = Patient();
  options.stall_time = std::chrono::minutes(10);
  options.connections = 2;
  Start(options);
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 2; ++i) {
    peers.push_back(std::make_unique<Peer>(server_->port()));
    peers.back()->Send(Get("/assets/large.js"));
    peers.back()->Hear("xxx");
  }
  Peer one_more(server_->port());
  one_more.Send(Get("/api/server"));
  EXPECT_GT(peers[0]->Hear().size(), 11u << 20);
  EXPECT_THAT(one_more.Hear(), StartsWith("HTTP/1.1 200"));
  EXPECT_GT(peers[1]->Hear().size(), 11u << 20);
}

TEST_F(RoomTest, AStreamTooManyEndsTheOldest) {
  ServerOptions options = Patient();
  EXPECT_LT(options.streams, options.connections) << "streams alone never fill a server";
  options.streams = 4;
  options.connections = 5;
  Start(options);
  Hold(7, Get("/api/events"), "event: runs");
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(held_[i]->Hear().find("<nothing more>"), std::string::npos) << i;
  }
  store::MakeProfiledRun(folder_.path() / "runs" / "two", 5);
  for (size_t i = 3; i < 7; ++i) EXPECT_NE(held_[i]->Hear("event: runs"), "") << i;
  ExpectThatNewPeersAreServed();
}

}  // namespace
}  // namespace steptrace::http
