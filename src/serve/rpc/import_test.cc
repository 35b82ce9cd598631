// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testing/test_run.h"

namespace steptrace::rpc {
namespace {

namespace fs = std::filesystem;

// Steps are derived from what the run's files give: where they give nothing, nobody can use the
// run.
TEST(Import, AReadersErrorIsTheImports) {
  const store::TempDir dir;
  const fs::path profile = dir.path() / "trace.json";
  std::ofstream(profile)
      << R"({"traceEvents":[{"ph":"X","cat":"cpu_op","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]})";
  ImportRequest request;
  request.paths = {profile};
  request.folder = dir.path() / "runs";
  request.output = request.folder / "run";
  fs::create_directory(request.folder);
  request.stopped = [&request] {
    for (const auto& entry : fs::directory_iterator(request.folder)) {
      if (fs::exists(entry.path() / "run.json")) store::DamageWithin(entry.path(), "slices");
    }
    return false;
  };
  const auto imported = ImportProfiles(request, {});
  ASSERT_FALSE(imported.ok());
  EXPECT_THAT(imported.error().text(),
              testing::AllOf(testing::HasSubstr("the run that was made of it cannot be read"),
                             testing::Not(testing::HasSubstr("recover"))));
  EXPECT_TRUE(fs::is_empty(request.folder));
  request.stopped = {};
  ASSERT_OK(ImportProfiles(request, {}));
}

}  // namespace
}  // namespace steptrace::rpc
