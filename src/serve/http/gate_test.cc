// SPDX-License-Identifier: Apache-2.0
#include "serve/http/gate.h"

#include <gtest/gtest.h>

#include <ostream>

#include "serve/http/answer.h"

namespace steptrace::http {

std::ostream& operator<<(std::ostream& out, Entry entry) {
  return out << static_cast<int>(entry);
}

namespace {

struct Case {
  const char* host;
  const char* origin;
  const char* fetch_site;
  bool is_api;
  Entry expected;
};

TEST(Gate, OnLoopbackAsksForOurNamesAndOurPages) {
  const Gate gate("", "node7");
  const Case cases[] = {
      {"127.0.0.1:4280", "", "", true, Entry::kOpen},
      {"localhost:4280", "http://localhost:4280", "same-origin", true, Entry::kOpen},
      {"LOCALHOST", "", "none", true, Entry::kOpen},
      {"localhost:9999", "", "", true, Entry::kOpen},  // a forwarded port
      {"[::1]:4280", "", "", true, Entry::kOpen},
      {"", "", "", true, Entry::kForeignHost},
      {"evil.example:4280", "", "", true, Entry::kForeignHost},
      {"localhost.evil.example", "", "", true, Entry::kForeignHost},
      {"127.0.0.1.evil.example:4280", "", "", false, Entry::kForeignHost},
      {"127.0.0.1:4280@evil.example", "", "", true, Entry::kForeignHost},
      {"localhost:80x", "", "", true, Entry::kForeignHost},
      {"[::1", "", "", true, Entry::kForeignHost},
      {"10.0.0.1:4280", "", "", true, Entry::kForeignHost},
      {"node7:4280", "", "", true, Entry::kForeignHost},
      {"localhost:4280", "http://evil.example", "", true, Entry::kForeignOrigin},
      {"localhost:4280", "http://localhost:81", "", true, Entry::kForeignOrigin},
      {"localhost:4280", "https://localhost:4280", "", true, Entry::kForeignOrigin},
      {"localhost:4280", "null", "", true, Entry::kForeignOrigin},
      {"localhost:4280", "", "cross-site", true, Entry::kForeignOrigin},
      {"localhost:4280", "", "same-site", true, Entry::kForeignOrigin},
      {"localhost:4280", "", "cross-site", false, Entry::kOpen},  // a link from elsewhere
  };
  for (const Case& one : cases) {
    EXPECT_EQ(gate.Check({one.host, one.origin, one.fetch_site, "", ""}, one.is_api), one.expected)
        << one.host << " " << one.origin << " " << one.fetch_site;
  }
}

TEST(Gate, ElsewhereAsksForTheToken) {
  const std::string token = MakeToken();
  const Gate gate(token, "node7");
  const auto check = [&gate](const char* host, const std::string& cookie,
                             const std::string& query) {
    return gate.Check({host, "", "", cookie, query}, true);
  };
  EXPECT_EQ(check("10.0.0.1:4280", "", ""), Entry::kNoToken);
  EXPECT_EQ(check("10.0.0.1:4280", "", token), Entry::kOpenWithToken);
  EXPECT_EQ(check("10.0.0.1:4280", "a=b; steptrace-token=" + token, ""), Entry::kOpen);
  EXPECT_EQ(check("node7:4280", "steptrace-token=" + token + "; x=y", ""), Entry::kOpen);
  EXPECT_EQ(check("NODE7.cluster.local", "steptrace-token=" + token, ""), Entry::kOpen);
  EXPECT_EQ(check("node77.cluster.local", "steptrace-token=" + token, ""), Entry::kForeignHost);
  EXPECT_EQ(check("evil.example", "steptrace-token=" + token, ""), Entry::kForeignHost);
  EXPECT_EQ(check("10.0.0.1", "steptrace-token=" + token.substr(1), ""), Entry::kNoToken);
  EXPECT_EQ(check("10.0.0.1", "steptrace-token=", ""), Entry::kNoToken);
  EXPECT_EQ(check("10.0.0.1", "not-steptrace-token=" + token, ""), Entry::kNoToken);
  EXPECT_EQ(check("10.0.0.1", "", token + "0"), Entry::kNoToken);
}

TEST(Gate, TokensAreLongAndNeverTheSame) {
  EXPECT_EQ(MakeToken().size(), 32u);
  EXPECT_NE(MakeToken(), MakeToken());
  EXPECT_FALSE(SameInConstantTime("", ""));
  EXPECT_FALSE(SameInConstantTime("abc", ""));
  EXPECT_FALSE(SameInConstantTime("", "abc"));
  EXPECT_FALSE(SameInConstantTime("abcabc", "abc"));
  EXPECT_TRUE(SameInConstantTime("abc", "abc"));
}

TEST(Gate, KnowsWhatOnlyThisMachineReaches) {
  EXPECT_TRUE(IsLoopback("127.0.0.1"));
  EXPECT_TRUE(IsLoopback("::1"));
  EXPECT_TRUE(IsLoopback("localhost"));
  EXPECT_FALSE(IsLoopback("0.0.0.0"));
  EXPECT_FALSE(IsLoopback("::"));
  EXPECT_FALSE(IsLoopback("node7"));
}

TEST(Target, IsDecodedOnceOrRefused) {
  Request request;
  ASSERT_TRUE(
      ParseTarget("/api/runs/a%20b%2Fc/report?q=x+y%26z&empty=&flag&&set=A.b%3D1", &request));
  EXPECT_EQ(request.path, "/api/runs/a b/c/report");
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"q", "x y&z"}, {"empty", ""}, {"flag", ""}, {"set", "A.b=1"}};
  EXPECT_EQ(request.query, expected);
  for (const char* bad : {"", "api", "http://evil/", "/%", "/%4", "/%zz", "/a%00b", "/a%0d%0ab",
                          "/?q=%", "/?q=%1", "/\x01"}) {
    Request ignored;
    EXPECT_FALSE(ParseTarget(bad, &ignored)) << bad;
  }
  Request twice;
  ASSERT_TRUE(ParseTarget("/%252e%252e/", &twice));
  EXPECT_EQ(twice.path, "/%2e%2e/");
}

TEST(Refusal, SaysThingCauseAndNextStep) {
  EXPECT_EQ(Refuse(404, "run: there is none; list them").body,
            R"({"error":{"thing":"run","cause":"there is none","next_step":"list them"}})");
  EXPECT_EQ(Refuse(500, "odd \xff").body,
            "{\"error\":{\"thing\":\"odd \xef\xbf\xbd\",\"cause\":\"\",\"next_step\":\"\"}}");
}

}  // namespace
}  // namespace steptrace::http
