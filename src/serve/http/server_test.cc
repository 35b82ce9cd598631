// SPDX-License-Identifier: Apache-2.0
#include "serve/http/server.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "base/time.h"
#include "serve/http/gate.h"
#include "serve/rpc/table.h"
#include "store/manifest.h"
#include "testing/http_server.h"

namespace steptrace::http {
namespace {

using store::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class ServerTest : public ServerFixture {
 protected:
  // For a run that says of itself that it is large: one that never answers.
  void StartWithHelper() {
    const auto run = folder_.path() / "runs" / "one";
    store::Manifest manifest = *store::ReadManifest(run);
    manifest.tables.at("slices").segments.at(0).rows = 300'000;
    ASSERT_TRUE(store::WriteManifest(run, manifest).ok());
    HelperOptions never;
    never.command = {"/bin/sh", "-c", "read t; sleep 1000"};
    never.abandoned_time = std::chrono::milliseconds(20);
    helper_ = std::make_shared<Helper>(std::move(never));
    Start();
  }
  pid_t HelperPid() {  // once it is at work
    for (int ms = 0; helper_->pid() == 0 && ms < kPatienceMs; ++ms) ::usleep(1000);
    return helper_->pid();
  }
  static bool Ends(pid_t pid) {
    for (int ms = 0; ::kill(pid, 0) == 0 && ms < kPatienceMs; ++ms) ::usleep(1000);
    return ::kill(pid, 0) != 0;
  }
};

TEST_F(ServerTest, ServesPagesAndDataWithHeadersThatKeepThemApart) {
  Start();
  const std::string page = Fetch(Get("/"));
  EXPECT_THAT(page, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("<title>Steptrace"),
                          HasSubstr("text/html"), HasSubstr("X-Content-Type-Options: nosniff"),
                          HasSubstr("default-src 'none'"), HasSubstr("frame-ancestors 'none'"),
                          HasSubstr("Cache-Control: no-cache"), HasSubstr("ETag: ")));
  const size_t at = page.find("ETag: ") + 6;
  const std::string etag = page.substr(at, page.find('\r', at) - at);
  EXPECT_THAT(Fetch(Get("/", "If-None-Match: " + etag + "\r\n")),
              AllOf(StartsWith("HTTP/1.1 304"), Not(HasSubstr("<title>"))));
  EXPECT_THAT(
      Fetch(Get("/assets/app-1.js")),
      AllOf(HasSubstr("text/javascript"), HasSubstr("immutable"), HasSubstr("console.log")));
  EXPECT_THAT(Fetch(Get("/run/a/b?view=1-2")),  // a view's address without its #
              AllOf(StartsWith("HTTP/1.1 302"), HasSubstr("Location: /#/run/a/b?view=1-2\r")));
  EXPECT_THAT(Fetch(Get("/assets/none.js")), StartsWith("HTTP/1.1 404"));
  const std::string runs = Fetch(Get("/api/runs"));
  EXPECT_THAT(runs, AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("\"id\":\"one\""),
                          HasSubstr("Cache-Control: no-store")));
  EXPECT_THAT(Fetch("HEAD / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Length: 39"),
                    Not(HasSubstr("<title>"))));
}

TEST_F(ServerTest, NoPathLeavesTheRunsFolderOrThePages) {
  Start();
  for (const char* target :
       {"/../secret", "/%2e%2e/secret", "/..%2fsecret", "/assets/../../secret", "//etc/passwd",
        "/assets/%2e%2e/%2e%2e/secret", "/etc/passwd", "/assets//etc/passwd", "/api/runs/../report",
        "/api/runs/%2e%2e/report", "/api/runs/..%2fruns%2fone/report",
        "/api/runs/one%2f..%2fone/report", "/api/runs/not-a-run/report", "/api/runs/./report",
        "/api/runs//report", "/api/runs/one/table/..%2f..%2frun.json",
        "/api/runs/one/compare/..%2f..%2fruns%2fone", "/api/runs/%2fetc/timeline/tree"}) {
    const std::string answer = Fetch(Get(target));
    EXPECT_THAT(answer, Not(HasSubstr("do not tell"))) << target;
    EXPECT_THAT(answer, Not(HasSubstr("root:"))) << target;
    if (std::string_view(target).starts_with("/api")) {
      EXPECT_THAT(answer, StartsWith("HTTP/1.1 404")) << target;
    }
  }
  std::filesystem::create_symlink(folder_.path() / "secret",
                                  folder_.path() / "ui" / "assets" / "l");
  EXPECT_THAT(Fetch(Get("/assets/l")), Not(HasSubstr("do not tell")));
}

TEST_F(ServerTest, ForeignHostsAndOriginsAreRefused) {
  Start();
  const auto with = [](const char* lines) {
    return std::string("GET /api/runs HTTP/1.1\r\n") + lines + "Connection: close\r\n\r\n";
  };
  EXPECT_THAT(Fetch(with("Host: evil.example\r\n")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Fetch(with("")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Fetch(with("Host: localhost\r\nHost: localhost\r\n")), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Fetch(with("Host: localhost\r\nOrigin:\r\n")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Fetch(with("Host: localhost\r\nOrigin:\r\nOrigin: http://localhost\r\n")),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Fetch(with("Host: localhost\r\nOrigin: http://evil.example\r\n")),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Fetch(with("Host: localhost\r\nOrigin: http://localhost\r\n")),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(Fetch(with("Host: localhost\r\nSec-Fetch-Site: cross-site\r\n")),
              StartsWith("HTTP/1.1 403"));
}

TEST_F(ServerTest, ATokenOpensOnceAndACookieTakesOver) {
  ServerOptions options;
  options.token = MakeToken();
  const std::string token = options.token;
  Start(options);
  EXPECT_THAT(server_->address(), HasSubstr("?token=" + token));
  EXPECT_THAT(Fetch(Get("/")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Fetch(Get("/api/runs?token=00")), StartsWith("HTTP/1.1 403"));
  const std::string moved = Fetch(Get("/runs/one?a=b&token=" + token));
  EXPECT_THAT(moved, AllOf(StartsWith("HTTP/1.1 303"), HasSubstr("Location: /runs/one?a=b\r\n"),
                           HasSubstr("Set-Cookie: steptrace-token=" + token +
                                     "; HttpOnly; SameSite=Strict")));
  EXPECT_THAT(Fetch(Get("//evil.example/?token=" + token)),
              HasSubstr("Location: /evil.example/\r\n"));
  EXPECT_THAT(Fetch(Get("/api/runs", "Cookie: steptrace-token=" + token + "\r\n")),
              StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, WhatChangesSomethingIsForOurOwnPagesAndPrograms) {
  Start();
  const auto post = [](const std::string& lines) {
    return "POST /api/runs/one/capture HTTP/1.1\r\nHost: localhost\r\n" + lines +
           "Content-Length: 0\r\nConnection: close\r\n\r\n";
  };
  EXPECT_THAT(Fetch(post("Origin: http://evil.example\r\n")), StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(Fetch(post("Sec-Fetch-Site: cross-site\r\n")), StartsWith("HTTP/1.1 403"));
  // Nobody carries it out here, but it was let in.
  EXPECT_THAT(Fetch(post("Origin: http://localhost\r\n")), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(Fetch(post("")), StartsWith("HTTP/1.1 404"));
}

TEST_F(ServerTest, MalformedRequestIsRefusedInOneLine) {
  Start();
  EXPECT_THAT(Fetch("POST /api/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(Fetch(Get("/api/runs/one/capture")),
              AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: POST\r\n")));
  EXPECT_THAT(Fetch("GET /api/runs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello"),
              testing::ContainsRegex("HTTP/1.1 4[0-9][0-9]"));
  EXPECT_THAT(Fetch("\x16\x03\x01\x02 tls, perhaps\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Fetch("GET /%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Fetch(Get("/" + std::string(10'000, 'a'))), StartsWith("HTTP/1.1 414"));
  EXPECT_THAT(Fetch(Get("/", "X: " + std::string(20'000, 'a') + "\r\n")),
              StartsWith("HTTP/1.1 431"));
  std::string many;
  for (int i = 0; i < 3000; ++i) many += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_THAT(Fetch(Get("/", many)), StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Fetch(Get("/api/server")), StartsWith("HTTP/1.1 200")) << "it lives";
}

TEST_F(ServerTest, SilentOrSlowPeersAreClosed) {
  ServerOptions options;
  options.header_time = std::chrono::seconds(2);
  options.idle_time = std::chrono::seconds(2);
  Start(options);
  Peer silent(server_->port());
  Peer slow(server_->port());
  slow.Send("GET / HTT");
  Peer kept(server_->port());
  kept.Send("GET /api/server HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(kept.Hear("editor_url"), StartsWith("HTTP/1.1 200"));
  for (Peer* peer : {&silent, &slow, &kept}) {
    EXPECT_THAT(peer->Hear(), Not(HasSubstr("<nothing more>")));
  }
}

TEST_F(ServerTest, AHundredPeersAreServed) {
  Start();
  std::vector<std::unique_ptr<Peer>> peers;
  for (int i = 0; i < 100; ++i) peers.push_back(std::make_unique<Peer>(server_->port()));
  for (auto& peer : peers) {
    peer->Send("GET /api/runs/one/timeline/tree HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  int served = 0;
  int busy = 0;
  for (auto& peer : peers) {
    const std::string head = peer->Hear("\r\n\r\n");
    served += head.starts_with("HTTP/1.1 200") ? 1 : 0;
    busy += head.starts_with("HTTP/1.1 503") ? 1 : 0;
  }
  EXPECT_EQ(served, 100);
  EXPECT_EQ(busy, 0);
}

TEST_F(ServerTest, DisconnectedClientsRequestCostsNothing) {
  Start();
  for (int i = 0; i < 50; ++i) {
    Peer peer(server_->port());
    peer.Send(Get(i % 2 == 0 ? "/api/runs/one/report" : "/api/events"));
    peer.Cut();
    Peer half(server_->port());
    half.Send("GET /api/runs/one/time");
    half.Cut();
  }
  EXPECT_THAT(Fetch(Get("/api/server")), StartsWith("HTTP/1.1 200"));
}

TEST_F(ServerTest, ASlowReaderIsLetGoWhileOthersAreServed) {
  Write("ui/assets/large.js", std::string(12 << 20, 'x'));
  ServerOptions options;
  options.write_time = std::chrono::milliseconds(300);
  Start(options);
  std::vector<std::unique_ptr<Peer>> slow;
  for (int i = 0; i < 20; ++i) {
    slow.push_back(std::make_unique<Peer>(server_->port()));
    slow.back()->Send(Get("/assets/large.js"));
  }
  // 20 answers of 12 MiB exceed what may wait for peers: somebody is told so, nobody hangs.
  EXPECT_THAT(Fetch(Get("/api/server")),
              testing::AnyOf(StartsWith("HTTP/1.1 200"), StartsWith("HTTP/1.1 503")));
  std::string answer;
  for (int tries = 0; tries < 200; ++tries) {
    answer = Fetch(Get("/api/server"));
    if (answer.starts_with("HTTP/1.1 200")) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  size_t cut = 0;
  for (auto& peer : slow) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cut += peer->Hear().size() < (12u << 20) ? 1 : 0;
  }
  EXPECT_GT(cut, 0u);
}

// What many are given is held once, and who takes nothing makes room for who does.
TEST_F(ServerTest, PeersThatTakeNothingDoNotKeepOthersWaiting) {
  Write("ui/assets/large.js", std::string(12 << 20, 'x'));
  ServerOptions options;
  options.write_time = std::chrono::minutes(10);  // never within this test
  options.stall_time = std::chrono::milliseconds(50);
  options.unsent_bytes = 20 << 20;
  Start(options);
  std::vector<std::unique_ptr<Peer>> slow;
  for (int i = 0; i < 12; ++i) {
    slow.push_back(std::make_unique<Peer>(server_->port()));
    slow.back()->Send(Get("/assets/large.js"));
  }
  int served = 0;
  for (int tries = 0; tries < 400 && served < 20; ++tries) {
    const bool is_served = Fetch(Get("/api/server")).starts_with("HTTP/1.1 200");
    served += is_served ? 1 : 0;
    if (!is_served) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(served, 20);
}

// Piece by piece, and whole: also behind another answer on the same connection.
TEST_F(ServerTest, ATableThatIsTooLargeToHoldIsSentFromItsFile) {
  const auto many = folder_.path() / "runs" / "many";
  store::MakeProfiledRun(many, 8000);
  const auto table = rpc::TableArrow({many, "slices", {}, "", {}});
  ASSERT_OK(table);
  ASSERT_GT(table->bytes, 2u << 20);
  std::string wanted;
  ASSERT_TRUE(
      ReadFileAt({UniqueFd(::dup(table->fd.get())), table->bytes}, 0, table->bytes, &wanted));
  Start();
  Peer peer(server_->port());
  const std::string request = "GET /api/runs/many/table/slices HTTP/1.1\r\nHost: localhost\r\n";
  peer.Send("HEAD" + request.substr(3) + "\r\n" + request + "\r\n" + request +
            "Connection: close\r\n\r\n");
  const std::string heard = peer.Hear();
  const std::string length = "Content-Length: " + std::to_string(wanted.size()) + "\r\n";
  size_t at = 0;
  for (const bool with_body : {false, true, true}) {
    ASSERT_TRUE(heard.substr(at).starts_with("HTTP/1.1 200"));
    const size_t body = heard.find("\r\n\r\n", at) + 4;
    EXPECT_THAT(heard.substr(at, body - at), HasSubstr(length));
    at = body;
    if (!with_body) continue;
    EXPECT_TRUE(heard.compare(at, wanted.size(), wanted) == 0);
    at += wanted.size();
  }
  EXPECT_EQ(at, heard.size());
}

// Answers in files are counted by themselves: they take the disk's room, not the memory's.
TEST_F(ServerTest, TablesThatNobodyTakesAreRefusedAndLetGo) {
  store::MakeProfiledRun(folder_.path() / "runs" / "many", 40'000);
  ServerOptions options;
  options.write_time = std::chrono::minutes(10);  // never within this test
  options.stall_time = std::chrono::seconds(3);
  options.unsent_file_bytes = 10 << 20;  // one table is more
  Start(options);
  const std::string table = Get("/api/runs/many/table/slices");
  Peer slow(server_->port());
  slow.Send(table);
  // While the first may still take it, and has it not whole, others wait their turn.
  std::string heard;
  for (int tries = 0; tries < 4000 && !heard.starts_with("HTTP/1.1 503"); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    heard = Fetch(Get("/api/server"));
  }
  EXPECT_THAT(heard, AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After")));
  for (int tries = 0; tries < 400 && !heard.starts_with("HTTP/1.1 200"); ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    heard = Fetch(Get("/api/server"));
  }
  EXPECT_THAT(heard, StartsWith("HTTP/1.1 200"));
  EXPECT_LT(slow.Hear().size(), 10u << 20) << "it was let go, for it took nothing";
}

TEST_F(ServerTest, RefusesMoreThanItsWorkersCanTake) {
  ServerOptions options;
  options.waiting = 0;
  Start(options);
  EXPECT_THAT(Fetch(Get("/api/runs")), AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After")));
}

TEST_F(ServerTest, EventsTellOfRunsThatCameAndOfARunThatGrows) {
  Start();
  Peer list(server_->port());
  list.Send(Get("/api/events"));
  EXPECT_THAT(
      list.Hear("data: {}"),
      AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("text/event-stream"), HasSubstr("event: runs")));
  store::MakeProfiledRun(folder_.path() / "runs" / "two", 5);
  EXPECT_THAT(list.Hear("data: {}"), HasSubstr("event: runs"));

  store::RunWriter writer = store::MakeWriter(folder_.path() / "runs" / "live");
  for (int i = 0; i < 3; ++i) writer.Append(store::SampleStep(writer.strings(), i));
  ASSERT_OK(writer.Flush());
  Peer run(server_->port());
  run.Send(Get("/api/runs/live/events"));
  EXPECT_THAT(run.Hear("}"), AllOf(HasSubstr("event: run\n"), HasSubstr("\"steps\":3"),
                                   HasSubstr("in_progress"), HasSubstr("\"generation\":1")));
  writer.Append(store::SampleStep(writer.strings(), 3));
  ASSERT_OK(writer.Flush());
  EXPECT_THAT(run.Hear("}"), AllOf(HasSubstr("\"steps\":4"), HasSubstr("\"generation\":2")));
  const std::string none = Fetch(Get("/api/runs/none/events"));
  EXPECT_THAT(none, StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(none, HasSubstr(Api::NoSuchRun().body));
}

TEST_F(ServerTest, AReportThatNobodyWaitsForIsGivenUp) {
  StartWithHelper();
  Peer peer(server_->port());
  peer.Send(Get("/api/runs/one/report"));
  const pid_t pid = HelperPid();
  ASSERT_GT(pid, 0);
  Peer other(server_->port());
  other.Send(Get("/api/runs/one/table/steps"));
  // Both of those that compute wait for the helper; a timeline has its own.
  EXPECT_THAT(Fetch(Get("/api/runs/one/timeline/tree")), StartsWith("HTTP/1.1 200"));
  peer.Cut();
  other.Cut();
  EXPECT_TRUE(Ends(pid));
}

TEST_F(ServerTest, WithTheServerItsHelperEnds) {
  StartWithHelper();
  Peer peer(server_->port());
  peer.Send(Get("/api/runs/one/report"));
  const pid_t pid = HelperPid();
  ASSERT_GT(pid, 0);
  server_->Stop();
  thread_.join();
  server_.reset();
  EXPECT_TRUE(Ends(pid));
}

TEST_F(ServerTest, APortInUseNamesTheNextStep) {
  Start();
  ServerOptions options;
  options.port = server_->port();
  auto second = Server::Start(options, nullptr, nullptr);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().text(), AllOf(HasSubstr("in use"), HasSubstr("--port")));
  ServerOptions nowhere;
  nowhere.host = "no.such.host.invalid";
  EXPECT_FALSE(Server::Start(nowhere, nullptr, nullptr).ok());
}

TEST(Files, WithoutPagesTheNextStepIsNamed) {
  TempDir folder;
  const auto files = Files::Open(folder.path());
  ASSERT_FALSE(files.ok());
  EXPECT_THAT(files.error().text(), HasSubstr("make ui"));
}

}  // namespace
}  // namespace steptrace::http
