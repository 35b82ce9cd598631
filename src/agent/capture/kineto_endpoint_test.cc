// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/kineto_endpoint.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <optional>

#include "base/time.h"
#include "testing/kineto_client.h"

namespace steptrace::agent {
namespace {

namespace fs = std::filesystem;

class KinetoEndpointTest : public ::testing::Test {
 protected:
  KinetoEndpointTest() {
    char name[] = "/tmp/steptrace-kineto-XXXXXX";
    parent_ = mkdtemp(name);
    auto folder = *MakeKinetoFolder(parent_);
    folder_ = folder.path;
    endpoint_.emplace(std::move(folder.socket), folder_);
  }
  ~KinetoEndpointTest() override { fs::remove_all(parent_); }

  fs::path parent_;
  fs::path folder_;
  std::optional<KinetoEndpoint> endpoint_;
};

TEST_F(KinetoEndpointTest, FolderIsPrivateAndRemoved) {
  struct stat info {};
  ASSERT_EQ(lstat(folder_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const KinetoClient client(folder_);
  RemoveKinetoFolder(folder_);
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(KinetoEndpointTest, FoldersThatNobodyListensInGoWhenAnotherIsMade) {
  const auto second = MakeKinetoFolder(parent_);
  ASSERT_TRUE(second.ok());
  EXPECT_TRUE(fs::exists(folder_)) << "somebody listens";
  endpoint_.reset();
  const auto third = MakeKinetoFolder(parent_);
  EXPECT_FALSE(fs::exists(folder_));
  EXPECT_TRUE(fs::exists(second->path));
}

TEST_F(KinetoEndpointTest, APathThatIsTooLongIsRefused) {
  const fs::path deep = parent_ / std::string(60, 'x');
  fs::create_directory(deep);
  const auto made = MakeKinetoFolder(deep);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().text().find("--shm"), std::string::npos);
}

TEST_F(KinetoEndpointTest, AnswersWithNothingUntilThereIsAConfigurationForTheProcess) {
  KinetoClient client(folder_);
  const std::string request = KinetoRequestText(3, {getpid(), getppid()});
  ASSERT_TRUE(client.Send(request));
  EXPECT_FALSE(client.Receive());
  endpoint_->Poll(1);
  EXPECT_EQ(client.Receive(), "");
  EXPECT_FALSE(endpoint_->SetConfig(getppid(), "A=1\n"));
  ASSERT_TRUE(endpoint_->SetConfig(getpid(), "A=1\n"));
  client.Send(request);
  endpoint_->Poll(3);
  EXPECT_EQ(client.Receive(), "A=1\n");
  EXPECT_EQ(endpoint_->processes().at(getpid()).handed_out_ns, 3);
  client.Send(request);
  endpoint_->Poll(4);
  EXPECT_EQ(client.Receive(), "") << "once";
}

TEST_F(KinetoEndpointTest, AProcessThatTakesATraceByItselfIsHandedNone) {
  KinetoClient client(folder_);
  client.Send(KinetoRequestText(3, {getpid()}));
  endpoint_->Poll(1);
  EXPECT_EQ(client.Receive(), "");
  endpoint_->SetConfig(getpid(), "A=1\n");
  for (const int32_t what : {1, 3}) {  // while it does, and afterwards
    client.Send(KinetoRequestText(what, {getpid()}));
    endpoint_->Poll(2);
    EXPECT_EQ(client.Receive(), "");
  }
  EXPECT_TRUE(endpoint_->processes().at(getpid()).profiles_itself);
  EXPECT_EQ(endpoint_->processes().at(getpid()).handed_out_ns, 0);
}

TEST_F(KinetoEndpointTest, AConfigurationThatDidNotReachItsProcessIsKept) {
  const std::string request = KinetoRequestText(3, {getpid()});
  {
    KinetoClient gone(folder_);
    gone.Send(request);
    endpoint_->Poll(1);
    endpoint_->SetConfig(getpid(), "A=1\n");
    gone.Send(request);
    fs::remove(folder_ / "dynoconfigclient-1");
  }
  endpoint_->Poll(2);
  EXPECT_EQ(endpoint_->processes().at(getpid()).handed_out_ns, 0);
  KinetoClient back(folder_, "dynoconfigclient-2");
  back.Send(request);
  endpoint_->Poll(3);
  EXPECT_EQ(back.Receive(), "A=1\n");
}

TEST_F(KinetoEndpointTest, ContextMessageIsAnsweredWithItsInstanceCount) {
  KinetoClient client(folder_);
  client.Send(KinetoMessageText("ctxt", {0, getpid(), 0, 0}));
  endpoint_->Poll(1);
  EXPECT_EQ(client.Receive(), std::string("\1\0\0\0", 4));
}

TEST_F(KinetoEndpointTest, DamagedMessagesAndStrangersAreCountedAndGetNoAnswer) {
  KinetoClient client(folder_);
  client.Send("x");
  client.Send(KinetoMessageText("req", {3, 1 << 30, 0, 0, getpid()}));
  client.Send(std::string(60'000, 'x'));
  client.Send(KinetoRequestText(3, {getppid()}));
  KinetoClient elsewhere(parent_, "dynoconfigclient-1");
  EXPECT_FALSE(elsewhere.Send(KinetoRequestText(3, {getpid()}))) << "has no daemon there";
  KinetoClient other_name(folder_, "somebody");
  other_name.Send(KinetoRequestText(3, {getpid()}));
  endpoint_->Poll(1);
  EXPECT_EQ(endpoint_->refused().damaged, 3);
  EXPECT_EQ(endpoint_->refused().strangers, 2);
  EXPECT_TRUE(endpoint_->processes().empty());
  EXPECT_FALSE(client.Receive());
  EXPECT_FALSE(other_name.Receive());
}

TEST_F(KinetoEndpointTest, ABurstIsAnsweredWhileItsSenderReadsNothing) {
  KinetoClient client(folder_);
  int sent = 0;
  for (int turn = 0; turn < 100; ++turn) {
    while (client.Send(KinetoRequestText(3, {getpid()}))) ++sent;
    endpoint_->Poll(turn);
  }
  EXPECT_GE(sent, 1000);
  EXPECT_EQ(endpoint_->processes().size(), 1u);
  EXPECT_EQ(endpoint_->refused().damaged, 0);
}

TEST_F(KinetoEndpointTest, ProcessThatStopsPollingIsForgotten) {
  KinetoClient client(folder_);
  client.Send(KinetoRequestText(3, {getpid()}));
  endpoint_->Poll(0);
  endpoint_->Poll(KinetoEndpoint::kForgottenNs);
  EXPECT_EQ(endpoint_->processes().size(), 1u);
  endpoint_->Poll(KinetoEndpoint::kForgottenNs + 1);
  EXPECT_TRUE(endpoint_->processes().empty());
}

// The launcher and the agent hold one socket: what one leaves, the other takes.
TEST_F(KinetoEndpointTest, AnotherHolderOfTheSocketTakesOverFromADeadOne) {
  const UniqueFd held(dup(endpoint_->fd()));
  KinetoEndpoint stand_in(UniqueFd(dup(held.get())), folder_);
  KinetoClient client(folder_);
  client.Send(KinetoRequestText(3, {getpid()}));
  endpoint_.reset();
  ASSERT_TRUE(client.Send(KinetoRequestText(3, {getpid()})));
  stand_in.Poll(1);
  EXPECT_EQ(client.Receive(), "");
  EXPECT_EQ(client.Receive(), "");
}

}  // namespace
}  // namespace steptrace::agent
