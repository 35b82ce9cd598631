// SPDX-License-Identifier: Apache-2.0
#include "import/import_profiles.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "testing/test_run.h"

namespace steptrace::import {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

class ImporterTest : public testing::Test {
 protected:
  ImporterTest() {
    std::ofstream(dir_.path() / "trace.json")
        << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]})";
    options_.output = runs() / "run";
  }
  fs::path runs() const { return dir_.path() / "runs"; }

  // Of the run that is being made, as soon as it is whole.
  void WhenWritten(std::function<void(const fs::path& run)> harm) {
    options_.stopped = [this, harm = std::move(harm)] {
      for (const auto& entry : fs::directory_iterator(runs())) {
        if (fs::exists(entry.path() / "run.json")) harm(entry.path());
      }
      return false;
    };
  }
  // The error, where the import fails and leaves nothing.
  std::string Failure() {
    fs::create_directory(runs());
    const auto imported = Import({(dir_.path() / "trace.json").string()}, options_);
    if (imported.ok()) return "no error";
    EXPECT_TRUE(fs::is_empty(runs()));
    return imported.error().text();
  }

  store::TempDir dir_;
  ImportOptions options_;
};

void ForEachSegment(const fs::path& run, const std::function<void(const fs::path& file)>& act) {
  for (const auto& entry : fs::recursive_directory_iterator(run / "tables")) {
    if (entry.path().extension() == ".parquet") act(entry.path());
  }
}

TEST_F(ImporterTest, ARunThatCannotBeReadIsAnErrorAndLeavesNothing) {
  WhenWritten([](const fs::path& run) {
    ForEachSegment(run, [](const fs::path& file) { fs::resize_file(file, 4); });
  });
  EXPECT_THAT(Failure(), AllOf(HasSubstr("trace.json: the run that was made of it cannot be read"),
                               HasSubstr("report this as a bug")));
  WhenWritten([](const fs::path& run) { fs::resize_file(store::NewestManifest(run), 3); });
  EXPECT_THAT(Failure(), HasSubstr("cannot be read"));
}

TEST_F(ImporterTest, WhatCannotBeAddedFailsTheImport) {
  options_.complete = [](const fs::path& run) -> Status {
    EXPECT_TRUE(fs::exists(run / "run.json"));
    return Error{"no room"};
  };
  EXPECT_EQ(Failure(), "no room");
  options_.complete = {};
  EXPECT_EQ(Failure(), "no error");
}

}  // namespace
}  // namespace steptrace::import
