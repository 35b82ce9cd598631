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

// Null: absent.
HeaderField FieldOf(const char* value) {
  return value == nullptr ? HeaderField() : HeaderField{1, value};
}

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
      {"127.0.0.1:4280", nullptr, nullptr, true, Entry::kOpen},
      {"localhost:4280", "http://localhost:4280", "same-origin", true, Entry::kOpen},
      {"LOCALHOST", nullptr, "none", true, Entry::kOpen},
      {"localhost:9999", nullptr, nullptr, true, Entry::kOpen},  // a forwarded port
      {"[::1]:4280", nullptr, nullptr, true, Entry::kOpen},
      {"", nullptr, nullptr, true, Entry::kForeignHost},
      {nullptr, nullptr, nullptr, true, Entry::kForeignHost},
      {"localhost:4280", "", nullptr, true, Entry::kForeignOrigin},  // there, and nobody's
      {"localhost:4280", nullptr, "", true, Entry::kForeignOrigin},
      {"localhost:4280", nullptr, "same-origin, cross-site", true, Entry::kForeignOrigin},
      {"evil.example:4280", nullptr, nullptr, true, Entry::kForeignHost},
      {"localhost.evil.example", nullptr, nullptr, true, Entry::kForeignHost},
      {"127.0.0.1.evil.example:4280", nullptr, nullptr, false, Entry::kForeignHost},
      {"127.0.0.1:4280@evil.example", nullptr, nullptr, true, Entry::kForeignHost},
      {"localhost:80x", nullptr, nullptr, true, Entry::kForeignHost},
      {"[::1", nullptr, nullptr, true, Entry::kForeignHost},
      {"10.0.0.1:4280", nullptr, nullptr, true, Entry::kForeignHost},
      {"node7:4280", nullptr, nullptr, true, Entry::kForeignHost},
      {"localhost:4280", "http://evil.example", nullptr, true, Entry::kForeignOrigin},
      {"localhost:4280", "http://localhost:81", nullptr, true, Entry::kForeignOrigin},
      {"localhost:4280", "https://localhost:4280", nullptr, true, Entry::kForeignOrigin},
      {"localhost:4280", "null", nullptr, true, Entry::kForeignOrigin},
      {"localhost:4280", nullptr, "cross-site", true, Entry::kForeignOrigin},
      {"localhost:4280", nullptr, "same-site", true, Entry::kForeignOrigin},
      {"localhost:4280", nullptr, "cross-site", false, Entry::kOpen},  // a link from elsewhere
  };
  for (const Case& one : cases) {
    const Credentials given = {FieldOf(one.host), FieldOf(one.origin), FieldOf(one.fetch_site), "",
                               ""};
    EXPECT_EQ(gate.Check(given, one.is_api), one.expected)
        << given.host.value << " " << given.origin.value << " " << given.fetch_site.value;
  }
}

// Which of two is heeded differs between programs: what one lets pass another may not.
TEST(Gate, RefusesAFieldThatDecidesAndStandsThereTwice) {
  const Gate gate("", "node7");
  const HeaderField host = {1, "localhost:4280"};
  const HeaderField origin = {1, "http://localhost:4280"};
  const HeaderField site = {1, "same-origin"};
  EXPECT_EQ(gate.Check({host, origin, site, "", ""}, true), Entry::kOpen);
  const auto twice = [](HeaderField field) { return HeaderField{2, field.value}; };
  EXPECT_EQ(gate.Check({twice(host), origin, site, "", ""}, true), Entry::kRepeated);
  EXPECT_EQ(gate.Check({host, twice(origin), site, "", ""}, true), Entry::kRepeated);
  EXPECT_EQ(gate.Check({host, origin, twice(site), "", ""}, true), Entry::kRepeated);
}

TEST(Gate, ElsewhereAsksForTheToken) {
  const std::string token = MakeToken();
  const Gate gate(token, "node7");
  const auto check = [&gate](const char* host, const std::string& cookie,
                             const std::string& query) {
    return gate.Check({{1, host}, {}, {}, cookie, query}, true);
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

TEST(Refusal, SaysCauseAndNextStep) {
  EXPECT_EQ(Refuse(404, {"run: there is none", "list them"}).body,
            R"({"error":{"cause":"run: there is none","next_step":"list them"}})");
  EXPECT_EQ(Refuse(400, {"where: '; x' is not expected: it", "write; so"}).body,
            R"({"error":{"cause":"where: '; x' is not expected: it","next_step":"write; so"}})");
  EXPECT_EQ(Refuse(500, {"odd \xff"}).body,
            "{\"error\":{\"cause\":\"odd \xef\xbf\xbd\",\"next_step\":\"\"}}");
}

}  // namespace
}  // namespace steptrace::http
