// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/html_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace steptrace::pages {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kPage =
    "<title>x</title><script type=\"application/json\" id=\"steptrace-report\">null</script>"
    "<script type=\"application/json\" id=\"steptrace-steps\">null</script>";

TEST(ScriptJson, IsTheSameValueAndClosesNoElement) {
  const nlohmann::json value = {{"</script><script>alert(1)</script>", "<!-- <SCRIPT \\ \" é"}};
  const std::string inert = ScriptJson(value.dump());
  EXPECT_THAT(inert, Not(HasSubstr("<")));
  EXPECT_EQ(nlohmann::json::parse(inert), value);
}

TEST(FillPage, FillsEachElement) {
  auto page = FillPage(kPage, {{"report", "{\"a\":1}"}, {"steps", "[2]"}});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("id=\"steptrace-report\">{\"a\":1}</script>"));
  EXPECT_THAT(*page, HasSubstr("id=\"steptrace-steps\">[2]</script>"));
}

TEST(FillPage, RefusesAPageOfAnotherVersion) {
  EXPECT_FALSE(FillPage(kPage, {{"findings", "[]"}}).ok());
  EXPECT_FALSE(FillPage(std::string(kPage) + kPage, {{"report", "{}"}}).ok());
}

// What was put into one element is text there, and no place for the next one.
TEST(FillPage, ContentIsNoElement) {
  const std::string name =
      R"("<script type=\"application/json\" id=\"steptrace-steps\">null</script>")";
  auto page = FillPage(kPage, {{"report", name}, {"steps", "[]"}});
  ASSERT_TRUE(page.ok());
  EXPECT_THAT(*page, HasSubstr("id=\"steptrace-steps\">[]</script>"));
}

class WriteHtmlReportTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("steptrace-pages." + std::to_string(getpid()));
    std::filesystem::create_directories(folder_ / "ui");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(WriteHtmlReportTest, LeavesAWholeFileOrNone) {
  const std::filesystem::path out = folder_ / "out.html";
  Status absent = WriteHtmlReport(folder_, {{"report", "{}"}}, out);
  ASSERT_FALSE(absent.ok());
  EXPECT_THAT(absent.error().text(), HasSubstr("make ui"));
  EXPECT_FALSE(std::filesystem::exists(out));

  std::ofstream(folder_ / "ui" / "report.html") << kPage;
  ASSERT_TRUE(WriteHtmlReport(folder_, {{"report", "{}"}}, out).ok());
  EXPECT_GT(std::filesystem::file_size(out), 100u);
  EXPECT_FALSE(WriteHtmlReport(folder_, {{"report", "{}"}}, folder_ / "no" / "out.html").ok());
}

}  // namespace
}  // namespace steptrace::pages
