// SPDX-License-Identifier: Apache-2.0
#include "base/inherited_mode.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

namespace steptrace {
namespace {

class InheritedModeTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = testing::TempDir() + "/steptrace-mode-XXXXXX";
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path folder_;
};

TEST_F(InheritedModeTest, IsThatOfTheFolder) {
  for (const mode_t mode : {mode_t{0700}, mode_t{0750}, mode_t{0755}, mode_t{0770}}) {
    ASSERT_EQ(::chmod(folder_.c_str(), mode), 0);
    EXPECT_EQ(FolderModeIn(folder_), mode);
    EXPECT_EQ(FileModeAt(folder_ / "file"), mode & 0666);
  }
}

TEST_F(InheritedModeTest, TheOwnerMayAlwaysWrite) {
  ASSERT_EQ(::chmod(folder_.c_str(), 0550), 0);
  EXPECT_EQ(FolderModeIn(folder_), mode_t{0750});
  EXPECT_EQ(FileModeAt(folder_ / "file"), mode_t{0640});
}

TEST_F(InheritedModeTest, InAFolderThatIsNotThereAllIsPrivate) {
  EXPECT_EQ(FolderModeIn(folder_ / "none"), kPrivateFolder);
  EXPECT_EQ(FileModeAt(folder_ / "none/file"), mode_t{0600});
}

TEST_F(InheritedModeTest, APathWithoutFolderIsInTheCurrentOne) {
  EXPECT_EQ(FileModeAt("file"), FileModeAt("./file"));
}

}  // namespace
}  // namespace steptrace
