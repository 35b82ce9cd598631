// SPDX-License-Identifier: Apache-2.0
#include "serve/http/helper.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "serve/http/helper_main.h"
#include "testing/profiled_run.h"

namespace steptrace::http {
namespace {

using std::chrono::milliseconds;
using store::TempDir;
using ::testing::AllOf;
using ::testing::HasSubstr;

// What a stand-in says: the head of an answer of $1 bytes.
constexpr const char* kTell =
    R"(tell() { printf '{"status":200,"type":"application/json","bytes":%s}\n%s' "$1" "$2"; }; )";

Request Of(const std::string& target) {
  Request request;
  EXPECT_TRUE(ParseTarget(target, &request));
  return request;
}

class HelperTest : public testing::Test {
 protected:
  // One whose process is a shell's.
  HelperOptions Shell(const std::string& script) {
    HelperOptions options;
    options.command = {"/bin/sh", "-c", kTell + script};
    options.folder = folder_.path();
    return options;
  }
  // What is told of a process that does this.
  std::string Failure(const std::string& script, HelperOptions options = {}) {
    HelperOptions shell = Shell(script);
    shell.answer_time = options.answer_time;
    shell.answer_bytes = options.answer_bytes;
    Helper helper(std::move(shell));
    const Answer answer = helper.Forward(Of("/one"));
    EXPECT_EQ(answer.status, 500) << script << answer.body;
    EXPECT_EQ(helper.pid(), 0) << script << ": it is still there";
    return answer.body;
  }

  TempDir folder_;
};

bool IsThere(pid_t pid) {
  return ::kill(pid, 0) == 0 || errno != ESRCH;
}

TEST_F(HelperTest, OneProcessAnswersOneRequestAfterTheOther) {
  Helper helper(Shell("while read t; do tell ${#t} $t; done"));
  EXPECT_EQ(helper.pid(), 0) << "none before it is needed";
  EXPECT_EQ(helper.Forward(Of("/one?a=b%20c")).body, "/one?a=b%20c");
  const pid_t first = helper.pid();
  EXPECT_EQ(helper.Forward(Of("/two")).body, "/two");
  EXPECT_EQ(helper.pid(), first);
  Request two_lines;
  two_lines.target = "/a\n/b";
  EXPECT_EQ(helper.Forward(two_lines).status, 400);
  helper.Stop();
  EXPECT_FALSE(IsThere(first));
  EXPECT_EQ(helper.Forward(Of("/three")).status, 503) << "it has stopped for good";
}

TEST_F(HelperTest, OneThatEndedInSilenceIsStartedAgain) {
  Helper helper(Shell("read t; tell 4 done; sleep 0.05"));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(helper.Forward(Of("/one")).body, "done");
    if (i > 0) ::usleep(200'000);
  }
}

TEST_F(HelperTest, AProcessThatFailsIsToldInALine) {
  EXPECT_THAT(Failure("exit 3"), AllOf(HasSubstr("ended with status 3"), HasSubstr("next_step")));
  EXPECT_THAT(Failure("read t; kill -9 $$"), HasSubstr("ended by signal 9"));
  EXPECT_THAT(Failure("read t; tell 100 short"), HasSubstr("ended with status 0"));
  EXPECT_THAT(Failure("exec no-such-program-at-all 2>&-"), HasSubstr("ended with status 127"));
  HelperOptions none;
  none.command = {"/no/such/program"};
  EXPECT_THAT(Helper(std::move(none)).Forward(Of("/one")).body, HasSubstr("cannot be started"));
}

TEST_F(HelperTest, InvalidAnswerIsNotForwarded) {
  EXPECT_THAT(Failure("read t; echo hello; sleep 100"), HasSubstr("an invalid answer"));
  EXPECT_THAT(Failure("read t; yes hello | tr -d '\\n'"), HasSubstr("an invalid answer"));
  EXPECT_THAT(Failure("read t; tell 2 more; sleep 100"), HasSubstr("more than it announced"));
  for (const char* head :
       {R"({"status":1,"type":"application/json","bytes":0})", "[]", "{}", "\\0",
        R"({"status":200,"type":"text/html","bytes":0})", R"({"status":200,"bytes":0})",
        R"({"status":200,"type":"application/json","bytes":-1})",
        R"({"status":200,"type":"application/json","bytes":1e3})"}) {
    EXPECT_THAT(Failure("read t; printf '" + std::string(head) + "\\n'; sleep 100"),
                HasSubstr("an invalid answer"))
        << head;
  }
}

TEST_F(HelperTest, TimeAndBytesAreBounded) {
  HelperOptions options;
  options.answer_time = milliseconds(300);
  EXPECT_THAT(Failure("read t; sleep 1000", std::move(options)), HasSubstr("took over"));
  HelperOptions few;
  few.answer_bytes = 1000;
  EXPECT_THAT(Failure("read t; tell 1001 x; sleep 100", std::move(few)),
              HasSubstr("over the limit of 1000"));
}

TEST_F(HelperTest, ALargeAnswerLiesInAFile) {
  Helper helper(Shell("while read t; do tell 3000000 ''; head -c 3000000 /dev/zero; done"));
  for (int i = 0; i < 2; ++i) {
    const Answer answer = helper.Forward(Of("/one"));
    ASSERT_TRUE(answer.file) << answer.body;
    EXPECT_EQ(answer.file->bytes, 3'000'000u);
    std::string text;
    ASSERT_TRUE(ReadFileAt(*answer.file, 0, 3'000'000, &text));
    EXPECT_EQ(text, std::string(3'000'000, '\0'));
  }
}

TEST_F(HelperTest, AnAnswerThatNobodyWaitsForIsGivenUp) {
  HelperOptions options = Shell("read t; sleep 1000");
  options.abandoned_time = milliseconds(50);
  options.waiting = 1;
  Helper helper(std::move(options));
  std::stop_source first, second;
  Answer of_first, of_second;
  const auto ask = [&helper](std::stop_source& gone, Answer& answer) {
    Request request = Of("/one");
    request.gone = gone.get_token();
    answer = helper.Forward(request);
  };
  std::thread one([&] { ask(first, of_first); });
  while (helper.pid() == 0) ::usleep(1000);
  const pid_t pid = helper.pid();
  std::thread two([&] { ask(second, of_second); });
  while (helper.waiting() == 0) ::usleep(1000);
  EXPECT_THAT(helper.Forward(Of("/one")).body, HasSubstr("busy")) << "no room for a third";
  second.request_stop();  // who only waits goes at once
  two.join();
  EXPECT_EQ(of_second.status, 503);
  EXPECT_EQ(helper.pid(), pid);
  first.request_stop();
  one.join();
  EXPECT_EQ(of_first.status, 503);
  EXPECT_FALSE(IsThere(pid));
}

TEST_F(HelperTest, AnAnswerThatIsGivenUpGoesOnForWhoWaitsForTheSameRunAlone) {
  HelperOptions options = Shell("read t; sleep 1000");
  options.abandoned_time = milliseconds(50);
  Helper helper(std::move(options));
  std::stop_source gone[3];
  const char* const targets[] = {"/api/runs/a/report", "/api/runs/a/rules", "/api/runs/b/report"};
  std::thread asking[3];
  pid_t pid = 0;
  for (size_t i = 0; i < 3; ++i) {
    asking[i] = std::thread([&, i] {
      Request request = Of(targets[i]);
      request.gone = gone[i].get_token();
      EXPECT_EQ(helper.Forward(request).status, 503);
    });
    while (helper.pid() == 0 || helper.waiting() < i) ::usleep(1000);
    pid = helper.pid();
  }
  gone[0].request_stop();
  ::usleep(300'000);
  EXPECT_EQ(helper.pid(), pid) << "the second waits for it";
  gone[1].request_stop();
  asking[0].join();
  asking[1].join();
  EXPECT_FALSE(IsThere(pid)) << "though the third waits, for another";
  gone[2].request_stop();
  asking[2].join();
}

TEST_F(HelperTest, StoppedItLeavesNoProcess) {
  Helper helper(Shell("read t; sleep 1000"));
  Answer answer;
  std::thread asks([&] { answer = helper.Forward(Of("/one")); });
  while (helper.pid() == 0) ::usleep(1000);
  const pid_t pid = helper.pid();
  helper.Stop();
  asks.join();
  EXPECT_EQ(answer.status, 503);
  EXPECT_FALSE(IsThere(pid));
}

TEST_F(HelperTest, ItHasTheVariablesAndTheFileThatItIsGiven) {
  HelperOptions options = Shell("read t; read line <&3; tell ${#A} $A; read t; tell 4 $line");
  options.variables = {"A=given"};
  options.file = UniqueFd(::open(folder_.path().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_EQ(::write(options.file.get(), "text\n", 5), 5);
  ASSERT_EQ(::lseek(options.file.get(), 0, SEEK_SET), 0);
  ASSERT_EQ(::setenv("A", "other", 1), 0);
  Helper helper(std::move(options));
  EXPECT_EQ(helper.Forward(Of("/one")).body, "given");
  EXPECT_EQ(helper.Forward(Of("/one")).body, "text");
  ::unsetenv("A");
}

TEST(HelperMainTest, AnswersAsTheApiDoes) {
  TempDir folder;
  store::MakeProfiledRun(folder.path() / "one", 20);
  ApiOptions options;
  options.folder = folder.path();
  Api api(options);
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  int status = -1;
  std::thread serves([&] { status = AnswerRequests(api, theirs.get(), theirs.get()); });
  for (const char* target : {"/api/runs/one/report", "/api/runs/one/table/slices?limit=3",
                             "/api/runs/none/report", "/api/runs/one/timeline/tree", "no path"}) {
    const std::string line = std::string(target) + "\n";
    ASSERT_EQ(::write(ours.get(), line.data(), line.size()), static_cast<ssize_t>(line.size()));
    std::string heard;
    for (char c = 0; c != '\n' && ::read(ours.get(), &c, 1) == 1;) heard += c;
    const auto head = nlohmann::json::parse(heard);
    std::string body(head["bytes"].get<size_t>(), '\0');
    for (size_t at = 0; at < body.size();) {
      const ssize_t got = ::read(ours.get(), body.data() + at, body.size() - at);
      ASSERT_GT(got, 0);
      at += static_cast<size_t>(got);
    }
    Request request;
    if (!ParseTarget(target, &request)) {
      EXPECT_EQ(head["status"], 400);
      continue;
    }
    const Answer answer = api.Handle(request);
    EXPECT_EQ(head["status"], answer.status) << target;
    EXPECT_EQ(head["type"], answer.type) << target;
    EXPECT_EQ(body, answer.shared ? *answer.shared : answer.body) << target;
  }
  ours.reset();
  serves.join();
  EXPECT_EQ(status, 0);
}

TEST(HelperMainTest, EndsWhenIdle) {
  Api api({});
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
  const UniqueFd ours(ends[0]);
  const UniqueFd theirs(ends[1]);
  HelperMainOptions options;
  options.rest = milliseconds(10);
  EXPECT_EQ(AnswerRequests(api, theirs.get(), theirs.get(), options), 0);
}

}  // namespace
}  // namespace steptrace::http
