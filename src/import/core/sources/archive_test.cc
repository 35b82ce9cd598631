// SPDX-License-Identifier: Apache-2.0
#include "import/core/sources/archive.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "import/core/sources/zip_text.h"

namespace steptrace::import {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr size_t kBlock = 512;

// A tar's member: a block of header, its bytes, filled up to whole blocks.
std::string TarMember(const std::string& name, const std::string& bytes) {
  std::string head(kBlock, '\0');
  head.replace(0, name.size(), name);
  head.replace(100, 7, "0000644");
  head.replace(124, 11, fmt::format("{:011o}", bytes.size()));
  head.replace(136, 11, "00000000000");
  head.replace(148, 8, "        ");
  head[156] = '0';
  head.replace(257, 8, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (char c : head) sum += static_cast<unsigned char>(c);
  head.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
  std::string filled = bytes;
  filled.resize((bytes.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return head + filled;
}

class ArchiveTest : public testing::Test {
 protected:
  ArchiveTest() {
    std::string place = (std::filesystem::temp_directory_path() / "archive_XXXXXX").string();
    folder_ = mkdtemp(place.data());
  }
  ~ArchiveTest() override { std::filesystem::remove_all(folder_); }

  Result<Archive> List(const std::string& bytes) {
    const auto path = folder_ / "a";
    std::ofstream(path, std::ios::binary) << bytes;
    return ListArchive(path.string(), Limits());
  }

  // What can be read of a member, and behind a | why that is not all.
  static std::string TextOf(const Source& source) {
    auto stream = source.Open();
    if (!stream.ok()) return stream.error().text();
    std::string text(10'000, '\0');
    auto got = ReadFully(**stream, text.data(), text.size());
    if (!got.ok()) return got.error().text();
    text.resize(*got);
    return text + "|" + (*stream)->damage();
  }

  std::filesystem::path folder_;
};

std::vector<std::string> NamesOf(const Archive& archive) {
  std::vector<std::string> names;
  for (const Source& source : archive.members) names.push_back(source.inside);
  return names;
}

TEST_F(ArchiveTest, AWholeOneHasNoDamage) {
  auto archive =
      List(TarMember("x", "hello") + TarMember("y", "you") + std::string(2 * kBlock, '\0'));
  ASSERT_TRUE(archive.ok());
  EXPECT_THAT(NamesOf(*archive), ElementsAre("x", "y"));
  EXPECT_EQ(archive->damage, "");
  EXPECT_EQ(TextOf(archive->members[0]), "hello|");
  EXPECT_EQ(TextOf(archive->members[1]), "you|");
}

TEST_F(ArchiveTest, ACutOffTarGivesWhatPrecedesTheCut) {
  const std::string tar = TarMember("x", "hello") + TarMember("y", std::string(2000, 'y'));
  auto archive = List(tar.substr(0, 3 * kBlock + 700));
  ASSERT_TRUE(archive.ok());
  EXPECT_THAT(NamesOf(*archive), ElementsAre("x", "y"));
  EXPECT_THAT(archive->damage, HasSubstr("Truncated"));
  EXPECT_EQ(TextOf(archive->members[0]), "hello|");
  const std::string rest = TextOf(archive->members[1]);
  EXPECT_TRUE(rest.starts_with(std::string(700, 'y') + "|the archive is damaged")) << rest;
  EXPECT_EQ(TextOf(archive->members[0]), "hello|");  // and again, after the damage
}

TEST_F(ArchiveTest, MembersMayBeReadInAnyOrderAndAgain) {
  const std::string tar =
      TarMember("x", "hello") + TarMember("y", "you") + TarMember("z", std::string(2000, 'z'));
  auto archive = List(tar.substr(0, 5 * kBlock + 700));
  ASSERT_TRUE(archive.ok());
  for (int i = 0; i < 10; ++i) {
    const std::string rest = TextOf(archive->members[2]);
    EXPECT_TRUE(rest.starts_with(std::string(700, 'z') + "|the archive is damaged")) << rest;
    EXPECT_EQ(TextOf(archive->members[1]), "you|");
    EXPECT_EQ(TextOf(archive->members[0]), "hello|");
  }
}

TEST_F(ArchiveTest, ATarWithHolesIsOneThatIsPacked) {
  ASSERT_TRUE(List(TarMember("x", "hello")).ok());
  std::filesystem::resize_file(folder_ / "a", kUnpackedFree + 1);
  const auto archive = ListArchive((folder_ / "a").string(), Limits());
  ASSERT_FALSE(archive.ok());
  EXPECT_THAT(archive.error().text(), HasSubstr("raise --max-bytes"));
}

TEST_F(ArchiveTest, ATarCutInAHeaderSaysSo) {
  auto archive = List((TarMember("x", "hello") + TarMember("y", "you")).substr(0, 2 * kBlock + 9));
  ASSERT_TRUE(archive.ok());
  EXPECT_THAT(NamesOf(*archive), ElementsAre("x"));
  EXPECT_NE(archive->damage, "");
}

TEST_F(ArchiveTest, AZipWithoutItsIndexIsReadFromItsBegin) {
  const std::string zip =
      ZipWithoutIndex("x", "hello") + ZipWithoutIndex("y", std::string(2000, 'y'));
  auto archive = List(zip.substr(0, zip.size() - 500));
  ASSERT_TRUE(archive.ok()) << archive.error().text();
  EXPECT_THAT(NamesOf(*archive), ElementsAre("x", "y"));
  EXPECT_THAT(archive->damage, HasSubstr("index"));
  EXPECT_EQ(TextOf(archive->members[0]), "hello|");
  const std::string rest = TextOf(archive->members[1]);
  EXPECT_TRUE(rest.starts_with(std::string(1500, 'y') + "|the archive is damaged")) << rest;
}

TEST_F(ArchiveTest, UnreadableArchiveIsAnError) {
  auto tar = List(TarMember("x", "hello").substr(0, 300));
  EXPECT_FALSE(tar.ok());
  auto zip = List("PK\3\4 and nothing else");
  ASSERT_FALSE(zip.ok());
  EXPECT_THAT(zip.error().text(), HasSubstr("create the archive again"));
}

}  // namespace
}  // namespace steptrace::import
