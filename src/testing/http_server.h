// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "base/unique_fd.h"
#include "serve/http/server.h"
#include "testing/profiled_run.h"

// A server in this process and peers of it, for tests.
namespace steptrace::http {

inline constexpr int kPatienceMs = 20'000;  // on a loaded machine

// A peer that says what it wants, byte by byte.
class Peer {
 public:
  explicit Peer(uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_.get(), reinterpret_cast<sockaddr*>(&to), sizeof(to)) == 0;
  }

  bool connected() const { return connected_; }
  int fd() const { return fd_.get(); }
  void Send(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
      const ssize_t sent = ::send(fd_.get(), text.data() + done, text.size() - done, MSG_NOSIGNAL);
      if (sent <= 0) return;
      done += static_cast<size_t>(sent);
    }
  }
  // What comes until `until` was seen, the peer closes, or patience ends.
  std::string Hear(const std::string& until = "") {
    std::string heard;
    char block[65536];
    while (until.empty() || heard.find(until) == std::string::npos) {
      pollfd wait = {fd_.get(), POLLIN, 0};
      if (::poll(&wait, 1, kPatienceMs) <= 0) return heard + "<nothing more>";
      const ssize_t got = ::recv(fd_.get(), block, sizeof(block), 0);
      if (got <= 0) return heard;
      heard.append(block, static_cast<size_t>(got));
    }
    return heard;
  }
  void Cut() { fd_.reset(); }

 private:
  UniqueFd fd_;
  bool connected_ = false;
};

inline std::string Get(const std::string& target, const std::string& more = "") {
  return "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n" + more + "Connection: close\r\n\r\n";
}

class ServerFixture : public testing::Test {
 protected:
  void SetUp() override {
    store::MakeProfiledRun(folder_.path() / "runs" / "one", 50);
    std::filesystem::create_directories(folder_.path() / "ui" / "assets");
    Write("ui/index.html", "<!doctype html><title>Steptrace</title>");
    Write("ui/assets/app-1.js", "console.log(1)");
    Write("secret", "do not tell");
    Write("runs/not-a-run", "do not tell");
  }
  void TearDown() override {
    if (server_) server_->Stop();
    if (thread_.joinable()) thread_.join();
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_.path() / name) << text;
  }
  void Start(ServerOptions options = {}) {
    ApiOptions api;
    api.folder = folder_.path() / "runs";
    api.version = "test";
    api.helper = helper_;
    auto files = Files::Open(folder_.path() / "ui");
    ASSERT_TRUE(files.ok());
    options.event_period = std::chrono::milliseconds(20);
    auto server = Server::Start(std::move(options), std::make_shared<Api>(std::move(api)),
                                std::make_shared<Files>(std::move(*files)));
    ASSERT_TRUE(server.ok()) << server.error().text();
    server_ = std::move(*server);
    thread_ = std::thread([this] { server_->Run(); });
  }
  std::string Fetch(const std::string& request) {
    Peer peer(server_->port());
    EXPECT_TRUE(peer.connected());
    peer.Send(request);
    return peer.Hear();
  }

  store::TempDir folder_;
  std::shared_ptr<Helper> helper_;
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

}  // namespace steptrace::http
