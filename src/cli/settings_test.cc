// SPDX-License-Identifier: Apache-2.0
#include "cli/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "base/redactor.h"
#include "cli/settings_alerts.h"
#include "cli/settings_privacy.h"

namespace steptrace::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

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
  return status.ok() ? "" : status.error().text();
}

TEST(Settings, TomlSetsEveryKey) {
  Settings settings;
  Status status = ApplyToml(
      "folder = '/runs'\ncolor = 'never'\nprice_per_hour = 32\nhooks = 'off'\n"
      "window = '10:5, 90s:1s'\ncapture = 'operators'\nstart_step = 5\nnum_steps = 2\n"
      "start_unix_time = 1790000000\nduration = 2.5\n"
      "system_interval_ms = 100\nshm = '/ramdisk'\nquiet = true\nreport = false\n"
      "stack_rate = 100\nhang_watch = false\nwindow_budget_s = 1.5\nwindow_budget_mb = 3\n"
      "redact = ['--my-secret', 'a,b']\nreadable_by = 'group'\ncache_mb = 7\ndisable = true\n",
      "t", settings);
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(settings.folder, "/runs");
  EXPECT_EQ(settings.color, "never");
  EXPECT_EQ(settings.price_per_hour, 32.0);
  EXPECT_EQ(settings.hooks, "off");
  EXPECT_EQ(settings.system_interval_ms, 100);
  EXPECT_EQ(settings.shm, "/ramdisk");
  EXPECT_EQ(settings.window, "10:5, 90s:1s");
  EXPECT_EQ(settings.capture, "operators");
  EXPECT_EQ(settings.window_fields.start_step, 5);
  EXPECT_EQ(settings.window_fields.num_steps, 2);
  EXPECT_EQ(settings.window_fields.start_unix_time, 1'790'000'000);
  EXPECT_EQ(settings.window_fields.duration, 2.5);
  EXPECT_EQ(settings.stack_rate, 100);
  EXPECT_FALSE(settings.hang_watch);
  EXPECT_EQ(settings.window_budget.ns, 1'500'000'000);
  EXPECT_EQ(settings.window_budget.bytes, 3'000'000);
  EXPECT_TRUE(settings.quiet);
  EXPECT_EQ(settings.cache_mb, 7);
  EXPECT_TRUE(settings.disable);
  EXPECT_FALSE(settings.report);
  EXPECT_EQ(settings.redact, (std::vector<std::string>{"--my-secret", "a", "b"}));
  EXPECT_EQ(settings.folder_mode, kGroupFolder);
}

TEST(Settings, UnknownKeysAndWrongTypesAreNamedWithTheirLine) {
  EXPECT_THAT(TomlComplaint("\nfoldr = 'x'"),
              HasSubstr("steptrace.toml:2: unknown setting 'foldr'"));
  EXPECT_THAT(TomlComplaint("folder = 3"), HasSubstr("steptrace.toml:1: folder is not a text"));
  EXPECT_THAT(TomlComplaint("quiet = 'yes'"),
              HasSubstr("quiet is not true or false; give one of them, or leave it out"));
  EXPECT_THAT(TomlComplaint("price_per_hour = -1"), HasSubstr("not a price"));
  EXPECT_THAT(TomlComplaint("price_per_hour = nan"), HasSubstr("not a price"));
  EXPECT_THAT(TomlComplaint("price_per_hour = 1e300"), HasSubstr("from 0 to 1000000)"));
  EXPECT_THAT(TomlComplaint("hooks = 'data, optimiser'"), HasSubstr("unknown hook 'optimiser'"));
  EXPECT_THAT(TomlComplaint("editor_url = 'emacs'"),
              HasSubstr("{line}; give such a value, or leave it out"));
  EXPECT_THAT(TomlComplaint("editor_url = 3"), HasSubstr("editor_url"));
  EXPECT_THAT(TomlComplaint("system_interval_ms = 99"), HasSubstr("from 100 to 60000"));
  EXPECT_THAT(TomlComplaint("system_interval_ms = 500.0"), HasSubstr("from 100 to 60000"));
  EXPECT_THAT(TomlComplaint("capture = 'dreams'"),
              HasSubstr("what can be captured (operators, kernels, profile, stacks, shapes, "
                        "memory)"));
  EXPECT_THAT(TomlComplaint("num_steps = 2.5"), HasSubstr("num_steps is not a whole number"));
  EXPECT_THAT(TomlComplaint("duration = 'long'"), HasSubstr("duration is not a number"));
  EXPECT_THAT(TomlComplaint("stack_rate = 1001"), HasSubstr("from 0 to 1000"));
  EXPECT_THAT(TomlComplaint("stack_rate = -1"), HasSubstr("from 0 to 1000"));
  EXPECT_THAT(TomlComplaint("window_budget_s = -1"), HasSubstr("seconds from 0 to 3600"));
  EXPECT_THAT(TomlComplaint("window_budget_s = nan"), HasSubstr("seconds from 0 to 3600"));
  EXPECT_THAT(TomlComplaint("window_budget_mb = 0.5"), HasSubstr("megabytes from 0"));
  EXPECT_THAT(TomlComplaint("cache_mb = -1"), HasSubstr("megabytes from 0"));
  EXPECT_THAT(TomlComplaint("color = 'red'"), HasSubstr("\"auto\", \"always\", \"never\""));
  EXPECT_THAT(TomlComplaint("[run]\nquiet = true"), HasSubstr("unknown setting 'run'"));
  EXPECT_THAT(TomlComplaint("a = \nb = 1"), HasSubstr("steptrace.toml:1: "));
}

constexpr const char* kInstance =
    "[[instances]]\nname = 'p3.2xlarge'\ncores = 8\nmemory_gib = 61\ngpus = 1\n"
    "price_per_hour = 3.825\n";

TEST(Settings, InstancesAreTypesOfMachines) {
  Settings settings;
  const std::string text = std::string("instance = 'p3.2xlarge'\n") + kInstance +
                           "gpu = 'V100'\ngpu_memory_gib = 16.0\n";
  const Status status = ApplyToml(text, "t", settings);
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_EQ(settings.instance, "p3.2xlarge");
  ASSERT_EQ(settings.instances.size(), 1u);
  EXPECT_EQ(settings.instances[0].cores, 8);
  EXPECT_EQ(settings.instances[0].gpu, "V100");
  EXPECT_EQ(settings.instances[0].gpu_memory_gib, 16);
  EXPECT_EQ(settings.instances[0].price_per_hour, 3.825);
}

TEST(Settings, InstancesAreChecked) {
  const std::string good = kInstance;
  EXPECT_THAT(TomlComplaint("instances = 3"), HasSubstr("write [[instances]]"));
  EXPECT_THAT(TomlComplaint("instances = [3]"), HasSubstr("write [[instances]]"));
  EXPECT_THAT(TomlComplaint(good + "speed = 3"), HasSubstr("unknown key 'speed'; the keys are"));
  EXPECT_THAT(TomlComplaint(good + "gpu = 3"), HasSubstr("gpu is not a text"));
  EXPECT_THAT(TomlComplaint(good + "gpu_memory_gib = -1"), HasSubstr("steptrace.toml:1"));
  EXPECT_THAT(TomlComplaint(good + "gpu_memory_gib = nan"), HasSubstr("is not a number from 0"));
  EXPECT_THAT(TomlComplaint(good + good), HasSubstr("listed twice"));
  EXPECT_THAT(TomlComplaint("[[instances]]\nname = 'a'"), HasSubstr("needs name, cores"));
  EXPECT_THAT(TomlComplaint("[[instances]]\nname = 'a'\ncores = 1.5"),
              HasSubstr("not a whole number"));
}

TEST(Settings, TensorCoresAreNamesOfKernels) {
  Settings settings;
  const Status status =
      ApplyToml("[tensor_cores]\nkernels = ['acme_gemm', 'tile*mma']\nplain = ['nvjet_debug']\n",
                "t", settings);
  ASSERT_TRUE(status.ok()) << status.error().text();
  EXPECT_TRUE(analyze::UsesTensorCores("void ACME_gemm<4>()", settings.tensor_cores));
  EXPECT_FALSE(analyze::UsesTensorCores("void acme_gemm<4>()"));
  EXPECT_FALSE(analyze::UsesTensorCores("nvjet_debug", settings.tensor_cores));
}

TEST(Settings, StagesArePatternsOfFunctions) {
  Settings settings;
  const Status status = ApplyToml(
      "[stages]\n'mypkg.io:*' = 'storage_read'\n'*:Mixer.mix' = 'augmentation'\n", "s", settings);
  ASSERT_TRUE(status.ok()) << status.error().text();
  const auto found = settings.stages.Find(analyze::PlaceOf("/job/mypkg/io.py"), "fetch");
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->stage, analyze::WorkStage::kStorageRead);
}

TEST(Settings, StagesAreChecked) {
  EXPECT_EQ(TomlComplaint("stages = 3"), "steptrace.toml:1: stages is not a table; write [stages]");
  EXPECT_EQ(TomlComplaint("[stages]\n'a:b' = 3"),
            "steptrace.toml:2: stages: 'a:b' is not a text; write \"a:b\" = \"decode\"");
  EXPECT_EQ(TomlComplaint("[stages]\n'a:b' = 'copy'\nmypkg = 'decode'"),
            "steptrace.toml:3: stages: 'mypkg' is not MODULE:FUNCTION; write for example "
            "\"mypkg.io:read_*\"");
}

TEST(Settings, TensorCoresAreChecked) {
  EXPECT_EQ(TomlComplaint("tensor_cores = 3"),
            "steptrace.toml:1: tensor_cores is not a table; write [tensor_cores]");
  EXPECT_EQ(TomlComplaint("[tensor_cores]\nkernels = 'a'"),
            "steptrace.toml:2: tensor_cores: kernels is not an array of texts");
  EXPECT_EQ(TomlComplaint("[tensor_cores]\nplain = ['a', 3]"),
            "steptrace.toml:2: tensor_cores: plain is not an array of texts");
  EXPECT_EQ(TomlComplaint("[tensor_cores]\nkernel = []"),
            "steptrace.toml:2: tensor_cores: unknown key 'kernel'; the keys are kernels and plain");
  EXPECT_EQ(TomlComplaint("[tensor_cores]\nkernels = ['*']"),
            "steptrace.toml:1: tensor_cores: '*' in kernels fits every kernel; name a part of its "
            "name");
}

TEST(Settings, TheEnvironmentReadsEveryType) {
  Settings settings;
  ASSERT_TRUE(
      ApplyEnvironment(Given({{"STEPTRACE_FOLDER", "/f"},
                              {"STEPTRACE_PRICE_PER_HOUR", "1.5"},
                              {"STEPTRACE_EDITOR_URL", "idea://open?file={file}&line={line}"},
                              {"STEPTRACE_SYSTEM_INTERVAL_MS", "60000"},
                              {"STEPTRACE_STACK_RATE", "0"},
                              {"STEPTRACE_QUIET", "1"},
                              {"STEPTRACE_HOOKS", ""}}),
                       settings)
          .ok());
  EXPECT_EQ(settings.folder, "/f");
  EXPECT_EQ(settings.price_per_hour, 1.5);
  EXPECT_EQ(settings.editor_url, "idea://open?file={file}&line={line}");
  EXPECT_EQ(settings.system_interval_ms, 60'000);
  EXPECT_EQ(settings.stack_rate, 0);
  EXPECT_TRUE(settings.quiet);
}

TEST(Settings, NamesOfSecrets) {
  Settings settings;
  ASSERT_TRUE(ApplyToml("redact = ['of-the-file']", "t", settings).ok());
  ASSERT_TRUE(ApplyEnvironment(Given({{"STEPTRACE_REDACT", "--a,B"}}), settings).ok());
  EXPECT_EQ(settings.redact, (std::vector<std::string>{"--a", "B"})) << "the environment wins";
  ASSERT_TRUE(AddRedact("c", settings).ok());
  EXPECT_EQ(settings.redact.back(), "c") << "a flag adds to it";
  ASSERT_TRUE(ApplyToml("redact = 'off'", "t", settings).ok());
  EXPECT_FALSE(Redactor(settings.redact).on());
  ASSERT_TRUE(AddRedact("mine", settings).ok());
  EXPECT_TRUE(Redactor(settings.redact).on()) << "a name of one's own turns it on again";
  for (const char* wrong : {"redact = 3", "redact = ['a', 3]", "redact = ['']", "redact = '--'"}) {
    EXPECT_THAT(TomlComplaint(wrong), HasSubstr("redact")) << wrong;
  }
}

TEST(Settings, WhoMayReadRuns) {
  EXPECT_EQ(Settings().folder_mode, kPrivateFolder);
  EXPECT_THAT(TomlComplaint("readable_by = 'world'"), HasSubstr("\"owner\", \"group\""));
  EXPECT_THAT(TomlComplaint("readable_by = 1"), HasSubstr("readable_by is not a text"));
}

TEST(Settings, AWrongVariableIsNamed) {
  Settings settings;
  Status status = ApplyEnvironment(Given({{"STEPTRACE_SYSTEM_INTERVAL_MS", "1s"}}), settings);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(),
              HasSubstr("STEPTRACE_SYSTEM_INTERVAL_MS: system_interval_ms is not a whole number"));
  EXPECT_THAT(status.error().text(), HasSubstr("('1s' was given); give such a value"));
  status = ApplyEnvironment(Given({{"STEPTRACE_ALERT_HANG_S", "zz"}}), settings);
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().text(), HasSubstr("'zz'"));
}

TEST(Settings, TheEnvironmentWinsOverTheFile) {
  std::string file = ::testing::TempDir() + "/settings_test.toml";
  std::ofstream(file) << "folder = 'of-the-file'\nquiet = true\n";
  auto settings =
      LoadSettings(Given({{"STEPTRACE_CONFIG", file}, {"STEPTRACE_FOLDER", "of-the-environment"}}));
  ASSERT_TRUE(settings.ok()) << settings.error().text();
  EXPECT_EQ(settings->folder, "of-the-environment");
  EXPECT_TRUE(settings->quiet);
}

TEST(Settings, VariablesThatNobodyReadsAreNamed) {
  EXPECT_THAT(UnknownVariables({"HOME=/", "STEPTRACE_FOLDR=x", "STEPTRACE_FOLDER=x",
                                "STEPTRACE_CONFIG=x", "STEPTRACE_RUN=x", "STEPTRACE_AGENT_PID=1",
                                "STEPTRACE_FAKE_NVML=x", "STEPTRACE_"}),
              ::testing::ElementsAre("STEPTRACE_FOLDR", "STEPTRACE_"));
}

TEST(Settings, TheTypeOfTheMachinesIsOneOfThoseListed) {
  Settings settings;
  EXPECT_TRUE(CheckInstance(settings).ok());
  settings.instance = "c5.large";
  EXPECT_THAT(CheckInstance(settings).error().text(), HasSubstr("has no [[instances]]"));
  settings.instances.resize(2);
  settings.instances[0].name = "p3.2xlarge";
  settings.instances[1].name = "c5.large";
  EXPECT_TRUE(CheckInstance(settings).ok());
  settings.instance = "C5.larg";
  EXPECT_THAT(CheckInstance(settings).error().text(),
              HasSubstr("similar ones are c5.large, p3.2xlarge;"));
}

TEST(Settings, ATypeOfMachinesThatIsNoneIsToldWhereItIsUsedWithItsPlace) {
  const std::string file = ::testing::TempDir() + "/settings_instance.toml";
  std::ofstream(file) << "quiet = true\ninstance = 'zz'\n";
  auto settings = LoadSettings(Given({{"STEPTRACE_CONFIG", file}}));
  ASSERT_TRUE(settings.ok()) << settings.error().text();
  EXPECT_THAT(CheckInstance(*settings).error().text(),
              StartsWith(file + ":2: instance 'zz' is not a known machine type"));
  settings = LoadSettings(Given({{"STEPTRACE_CONFIG", file}, {"STEPTRACE_INSTANCE", "yy"}}));
  ASSERT_TRUE(settings.ok()) << settings.error().text();
  EXPECT_THAT(CheckInstance(*settings).error().text(),
              StartsWith("STEPTRACE_INSTANCE: instance 'yy' is not a known machine type"));
}

TEST(Settings, TheNullDeviceIsAnEmptyFile) {
  const auto settings = LoadSettings(Given({{"STEPTRACE_CONFIG", "/dev/null"}}));
  ASSERT_TRUE(settings.ok()) << settings.error().text();
  EXPECT_EQ(settings->folder, Settings().folder);
  const std::string link = ::testing::TempDir() + "/settings_null.toml";
  std::filesystem::create_symlink("/dev/null", link);
  EXPECT_TRUE(LoadSettings(Given({{"STEPTRACE_CONFIG", link}})).ok());
  std::filesystem::remove(link);
  EXPECT_THAT(LoadSettings(Given({{"STEPTRACE_CONFIG", "/dev/zero"}})).error().text(),
              HasSubstr("/dev/zero: is a pipe or a device"));
}

TEST(Settings, AFileThatWasNamedMustBeThere) {
  auto settings = LoadSettings(Given({{"STEPTRACE_CONFIG", "/nowhere/steptrace.toml"}}));
  ASSERT_FALSE(settings.ok());
  EXPECT_THAT(settings.error().text(),
              HasSubstr("/nowhere/steptrace.toml: cannot be read: No such file"));
}

TEST(SettingsAlerts, ThresholdsHaveUnitsAndBounds) {
  Settings settings;
  ASSERT_TRUE(ApplyToml("alert_hang_s = 30\nalert_step_rise_percent = 7.5\n", "x", settings).ok());
  EXPECT_EQ(settings.alerts.thresholds.hang_s, 30);
  EXPECT_EQ(settings.alerts.thresholds.step_rise_percent, 7.5);
  EXPECT_EQ(settings.alerts.thresholds.hang_steps, 5) << "what nobody sets";
  const Status wrong = ApplyToml("alert_hang_s = 0\n", "x", settings);
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(
      wrong.error().text().find("x:1: alert_hang_s is not a number of seconds from 1 to 86400"), 0U)
      << wrong.error().text();
}

TEST(SettingsAlerts, TheFlagTakesThresholdsAndRules) {
  Settings settings;
  ASSERT_TRUE(SetAlert("memory_growth_mb_per_hour=100", settings.alerts).ok());
  EXPECT_EQ(settings.alerts.thresholds.memory_growth_mb_per_hour, 100);
  for (const char* wrong : {"hang_s", "hang_s=", "hang_s=x", "hang_s=nan", "hang_s=0", "hangs=3",
                            "NoSuchRule.threshold=3", "=3"}) {
    const Status set = SetAlert(wrong, settings.alerts);
    ASSERT_FALSE(set.ok()) << wrong;
    EXPECT_EQ(set.error().text().find('\n'), std::string::npos) << set.error().text();
  }
  EXPECT_TRUE(settings.alerts.rules.empty());
  ASSERT_TRUE(SetAlert("LowGPUUtilization.window=200", settings.alerts).ok());
  EXPECT_THAT(settings.alerts.rules, ElementsAre("LowGPUUtilization.window=200"));
}

TEST(SettingsAlerts, ThresholdsOfRulesAreAListOrOneTextWithCommas) {
  Settings settings;
  ASSERT_TRUE(ApplyToml("alert_rules = ['LowGPUUtilization.window=200']\n", "x", settings).ok());
  EXPECT_THAT(settings.alerts.rules, ElementsAre("LowGPUUtilization.window=200"));
  const auto given = Given(
      {{"STEPTRACE_ALERT_RULES", "LowGPUUtilization.window=300, GPUMemoryIncrease.window=10"}});
  ASSERT_TRUE(ApplyEnvironment(given, settings).ok());
  EXPECT_THAT(settings.alerts.rules,
              ElementsAre("LowGPUUtilization.window=300", "GPUMemoryIncrease.window=10"));
  EXPECT_THAT(TomlComplaint("alert_rules = ['NoSuchRule.window=3']\n"),
              StartsWith("steptrace.toml:1: alert_rules has NoSuchRule.window=3: no rule"));
}

TEST(SettingsAlerts, AreInForceAsTheyWereSet) {
  Settings settings;
  ASSERT_TRUE(SetAlert("hang_s=30", settings.alerts).ok());
  std::map<std::string, std::string> values;
  for (const SettingInForce& one : SettingsInForce(settings, Given({}))) {
    values[one.key] = one.value;
  }
  EXPECT_EQ(values["alert_hang_s"], "30");
  EXPECT_EQ(values["alert_step_rise_percent"], "5");
}

}  // namespace
}  // namespace steptrace::cli
