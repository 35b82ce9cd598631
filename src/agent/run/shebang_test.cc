// SPDX-License-Identifier: Apache-2.0
#include "agent/run/shebang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace steptrace::agent {
namespace {

using testing::ElementsAre;

class ShebangTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/steptrace-shebang-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Script(const std::string& text) {
    const std::filesystem::path path = folder_ / "script";
    std::ofstream(path) << text;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
  }
  std::filesystem::path folder_;
};

TEST_F(ShebangTest, AScriptIsItsInterpretersArgument) {
  const std::string script = Script("#! /usr/bin/python3 -S -u \nprint(1)\n");
  EXPECT_THAT(ThroughInterpreter({script, "-x"}, ""),
              ElementsAre("/usr/bin/python3", "-S -u", script, "-x"));
  EXPECT_THAT(ThroughInterpreter({"script"}, "/nowhere:" + folder_.string()),
              ElementsAre("/usr/bin/python3", "-S -u", script));
}

TEST_F(ShebangTest, EnvIsLookedThrough) {
  std::string script = Script("#!/usr/bin/env python3\n");
  EXPECT_THAT(ThroughInterpreter({script}, ""), ElementsAre("python3", script));
  script = Script("#!/usr/bin/env -S A=1 python3 -I\n");
  EXPECT_THAT(ThroughInterpreter({script}, ""), ElementsAre("python3", "-I", script));
  for (const char* options : {"-S -u FOO", "-S -iu FOO -C /tmp", "-S --unset FOO --chdir /tmp",
                              "-S -uFOO --unset=BAR B=2", "-S -- A=1", "-S -a name"}) {
    script = Script(std::string("#!/usr/bin/env ") + options + " /opt/python -I\n");
    EXPECT_THAT(ThroughInterpreter({script}, ""), ElementsAre("/opt/python", "-I", script))
        << options;
  }
  script = Script("#!/usr/bin/env -S -u\n");
  EXPECT_THAT(ThroughInterpreter({script}, ""), ElementsAre(script));
  script = Script("#!/usr/bin/env\n");
  EXPECT_THAT(ThroughInterpreter({script}, ""), ElementsAre(script));
}

TEST_F(ShebangTest, ACarriageReturnIsPartOfTheName) {
  const std::string python = Script("#!/usr/bin/python3 \r\n");
  EXPECT_THAT(ThroughInterpreter({python}, ""), ElementsAre("/usr/bin/python3", "\r", python));
  const std::string env = Script("#!/usr/bin/env python3\r\n");
  EXPECT_THAT(ThroughInterpreter({env}, ""), ElementsAre("python3\r", env));
  const auto line = InterpreterLineIn("#! /bin/sh\r\necho");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->interpreter, "/bin/sh\r");
  EXPECT_EQ(line->option, "");
  EXPECT_EQ(InterpreterLineIn("#! \r\n")->interpreter, "\r");
}

TEST_F(ShebangTest, TheLineIsReadAsTheKernelReadsIt) {
  const auto read = [](std::string_view text) {
    const auto line = InterpreterLineIn(text);
    return line ? line->interpreter + "|" + line->option : "none";
  };
  EXPECT_EQ(read("#!/a"), "/a|");
  EXPECT_EQ(read("#!\t/a \t -b  c \t\nd"), "/a|-b  c");
  EXPECT_EQ(read({"#!/a\0b -c", 10}), "/a|");
  EXPECT_EQ(read("#!\n/a"), "none");
  EXPECT_EQ(read("# /a"), "none");
  const std::string path(254, 'a');
  EXPECT_EQ(read("#!" + path), "none") << "it may go on";
  EXPECT_EQ(read("#!" + path.substr(1) + "\n"), path.substr(1) + "|");
  EXPECT_EQ(read("#!" + path.substr(1) + " "), path.substr(1) + "|");
}

TEST_F(ShebangTest, IsFoundAsTheSystemFindsIt) {
  const std::string script = Script("#!/usr/bin/python3\n");
  std::filesystem::create_directories(folder_ / "before" / "script");
  const std::string folders = (folder_ / "before").string() + ":" + folder_.string();
  EXPECT_THAT(ThroughInterpreter({"script"}, folders), ElementsAre("/usr/bin/python3", script))
      << "a folder of that name is no program";
  const std::filesystem::path here = std::filesystem::current_path();
  std::filesystem::current_path(folder_);
  for (const char* search : {"/nowhere:", ":/nowhere", "/nowhere::/nowhere"}) {
    EXPECT_THAT(ThroughInterpreter({"script"}, search), ElementsAre("/usr/bin/python3", "./script"))
        << search;
  }
  std::filesystem::current_path(here);
}

TEST_F(ShebangTest, WhatIsNoScriptStaysAsItIs) {
  for (const char* text : {"", "#", "#!", "#!  \n",
                           "\x7f"
                           "ELF",
                           "print(1)\n"}) {
    const std::string script = Script(text);
    EXPECT_THAT(ThroughInterpreter({script, "a"}, ""), ElementsAre(script, "a")) << text;
  }
  EXPECT_THAT(ThroughInterpreter({folder_ / "absent"}, ""), ElementsAre(folder_ / "absent"));
  EXPECT_THAT(ThroughInterpreter({folder_}, ""), ElementsAre(folder_.string()));
  EXPECT_THAT(ThroughInterpreter({"absent"}, folder_), ElementsAre("absent"));
  const std::filesystem::path pipe = folder_ / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_THAT(ThroughInterpreter({pipe}, ""), ElementsAre(pipe.string())) << "nobody waited";
  EXPECT_TRUE(ThroughInterpreter({}, "").empty());
}

}  // namespace
}  // namespace steptrace::agent
