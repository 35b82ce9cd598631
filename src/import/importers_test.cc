// SPDX-License-Identifier: Apache-2.0
#include "import/importers.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>

#include "import/import_profiles.h"

namespace steptrace::import {
namespace {

TEST(Importers, EachImporterDescribesItsFormat) {
  std::set<store::ProfileFormat> formats;
  std::set<std::string_view> titles;
  for (const Importer* importer : Importers()) {
    EXPECT_TRUE(formats.insert(importer->format).second) << store::NameOf(importer->format);
    EXPECT_TRUE(titles.insert(importer->title).second) << importer->title;
    EXPECT_FALSE(importer->title.empty() || importer->writer.empty())
        << store::NameOf(importer->format);
    EXPECT_FALSE(importer->reads.empty()) << store::NameOf(importer->format);
    for (const ReadFiles& one : importer->reads) {
      EXPECT_FALSE(one.files.empty() || one.known_by.empty() || one.become.empty());
    }
    EXPECT_NE(ImporterTitles().find(importer->title), std::string::npos);
  }
}

TEST(NameOfPath, LeavesOutWhatFilesOfAFormatEndWith) {
  EXPECT_EQ(NameOfPath("a/rank0.pt.trace.json.gz"), "rank0");
  EXPECT_EQ(NameOfPath("a/rank0.json.zip"), "rank0");
  EXPECT_EQ(NameOfPath("b.perfetto-trace"), "b");
  EXPECT_EQ(NameOfPath("b.json.json"), "b.json") << "each once";
  EXPECT_EQ(NameOfPath(".json"), ".json");
  EXPECT_EQ(NameOfPath("traces/"), "traces");
  EXPECT_EQ(NameOfPath("."), "profile");
}

}  // namespace
}  // namespace steptrace::import
