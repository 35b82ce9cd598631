// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>

namespace steptrace::cli {
namespace {

using ::testing::HasSubstr;

Environment Given(std::map<std::string, std::string> variables) {
  return [variables](const char* name) -> std::optional<std::string> {
    auto found = variables.find(name);
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

std::string TomlComplaint(std::string_view text) {
  Settings settings;
  Status status = ApplyToml(text, "steptrace.toml", settings);
  EXPECT_FALSE(status.ok()) << text;
  return status.ok() ? "" : status.error().message;
}

TEST(Settings, TomlSetsEveryKey) {
  Settings settings;
  Status status = ApplyToml(
      "folder = '/runs'\ncolor = 'never'\nprice_per_hour = 32\nhooks = 'off'\n"
      "system_interval_ms = 100\nshm = '/ramdisk'\nquiet = true\nreport = false\n",
      "t", settings);
  ASSERT_TRUE(status.ok()) << status.error().message;
  EXPECT_EQ(settings.folder, "/runs");
  EXPECT_EQ(settings.color, "never");
  EXPECT_EQ(settings.price_per_hour, 32.0);
  EXPECT_EQ(settings.hooks, "off");
  EXPECT_EQ(settings.system_interval_ms, 100);
  EXPECT_EQ(settings.shm, "/ramdisk");
  EXPECT_TRUE(settings.quiet);
  EXPECT_FALSE(settings.report);
}

TEST(Settings, UnknownKeysAndWrongTypesAreNamedWithTheirLine) {
  EXPECT_THAT(TomlComplaint("\nfoldr = 'x'"),
              HasSubstr("steptrace.toml:2: unknown setting 'foldr'"));
  EXPECT_THAT(TomlComplaint("folder = 3"), HasSubstr("steptrace.toml:1: folder is not a text"));
  EXPECT_THAT(TomlComplaint("quiet = 'yes'"), HasSubstr("quiet is not true or false"));
  EXPECT_THAT(TomlComplaint("price_per_hour = -1"), HasSubstr("not a price"));
  EXPECT_THAT(TomlComplaint("price_per_hour = nan"), HasSubstr("not a price"));
  EXPECT_THAT(TomlComplaint("system_interval_ms = 99"), HasSubstr("from 100 to 60000"));
  EXPECT_THAT(TomlComplaint("system_interval_ms = 500.0"), HasSubstr("from 100 to 60000"));
  EXPECT_THAT(TomlComplaint("color = 'red'"), HasSubstr("\"auto\", \"always\", \"never\""));
  EXPECT_THAT(TomlComplaint("[run]\nquiet = true"), HasSubstr("unknown setting 'run'"));
  EXPECT_THAT(TomlComplaint("a = \nb = 1"), HasSubstr("steptrace.toml:1: "));
}

TEST(Settings, TheEnvironmentReadsEveryType) {
  Settings settings;
  ASSERT_TRUE(ApplyEnvironment(Given({{"STEPTRACE_FOLDER", "/f"},
                                      {"STEPTRACE_PRICE_PER_HOUR", "1.5"},
                                      {"STEPTRACE_SYSTEM_INTERVAL_MS", "60000"},
                                      {"STEPTRACE_QUIET", "1"},
                                      {"STEPTRACE_HOOKS", ""}}),
                               settings)
                  .ok());
  EXPECT_EQ(settings.folder, "/f");
  EXPECT_EQ(settings.price_per_hour, 1.5);
  EXPECT_EQ(settings.system_interval_ms, 60'000);
  EXPECT_TRUE(settings.quiet);
}

TEST(Settings, AWrongVariableIsNamed) {
  Settings settings;
  Status status = ApplyEnvironment(Given({{"STEPTRACE_SYSTEM_INTERVAL_MS", "1s"}}), settings);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().message,
              HasSubstr("STEPTRACE_SYSTEM_INTERVAL_MS: system_interval_ms is not a whole number"));
}

TEST(Settings, TheEnvironmentWinsOverTheFile) {
  std::string file = ::testing::TempDir() + "/settings_test.toml";
  std::ofstream(file) << "folder = 'of-the-file'\nquiet = true\n";
  auto settings =
      LoadSettings(Given({{"STEPTRACE_CONFIG", file}, {"STEPTRACE_FOLDER", "of-the-environment"}}));
  ASSERT_TRUE(settings.ok()) << settings.error().message;
  EXPECT_EQ(settings->folder, "of-the-environment");
  EXPECT_TRUE(settings->quiet);
}

TEST(Settings, AFileThatWasNamedMustBeThere) {
  auto settings = LoadSettings(Given({{"STEPTRACE_CONFIG", "/nowhere/steptrace.toml"}}));
  ASSERT_FALSE(settings.ok());
  EXPECT_THAT(settings.error().message, HasSubstr("/nowhere/steptrace.toml: cannot be read"));
}

}  // namespace
}  // namespace steptrace::cli
