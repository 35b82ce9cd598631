// SPDX-License-Identifier: Apache-2.0
#include "store/manifest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "testing/test_run.h"

namespace steptrace::store {
namespace {

using testing::HasSubstr;

Manifest FullManifest() {
  Manifest manifest = CompletedManifest();
  manifest.status = kStatusFailed;
  manifest.exit_code = 139;
  manifest.signal = 11;
  manifest.writer_pid = 17;
  TableParts& steps = manifest.tables["steps"];
  steps.segments = {{"tables/steps/writer=w/node=0/rank=0/0.parquet", 0, 0, 10, 999, 5, 95},
                    {"tables/steps/writer=w/node=1/rank=1/1.parquet", 1, 1, 20, 1999, 6, 96}};
  steps.absorbed_journals = {{"w", 2}};
  manifest.writer = "w";
  manifest.identity = {"4711", 2, "rack 7", "0123abcd", {{"team", "speech"}}};
  manifest.nodes.at(0).gpu_uuids = {"GPU-1", "GPU-2"};
  manifest.ranks.at(0).pp = 3;
  manifest.tables["tracks"].segments = {
      {"tables/tracks/writer=w/node=0/0.parquet", 0, {}, 1, 1, {}, {}}};
  return manifest;
}

std::string Problem(const std::string& json) {
  auto manifest = ManifestFromJson(json, "run.json");
  return manifest.ok() ? "" : manifest.error().text();
}

TEST(Manifest, ComesBackFromItsJson) {
  Manifest manifest = FullManifest();
  auto read = ManifestFromJson(ManifestToJson(manifest), "run.json");
  ASSERT_OK(read);
  EXPECT_EQ(ManifestToJson(*read), ManifestToJson(manifest));
  EXPECT_EQ(read->signal, 11);
  EXPECT_EQ(read->command, manifest.command);
  EXPECT_EQ(read->nodes.at(0).clock.tsc, manifest.nodes.at(0).clock.tsc);
  EXPECT_EQ(read->ranks.at(0).pid, 4242);
  EXPECT_EQ(read->tables.at("steps").absorbed_journals.at("w"), 2);
  EXPECT_EQ(read->identity.job_id, "4711");
  EXPECT_EQ(read->identity.attempt, 2);
  EXPECT_EQ(read->identity.topology, "rack 7");
  EXPECT_EQ(read->identity.git_commit, "0123abcd");
  EXPECT_EQ(read->identity.tags, manifest.identity.tags);
  EXPECT_EQ(read->nodes.at(0).gpu_uuids, manifest.nodes.at(0).gpu_uuids);
  EXPECT_EQ(read->ranks.at(0).pp, 3);
  EXPECT_EQ(read->ranks.at(0).dp, std::nullopt);
  EXPECT_EQ(read->tables.at("tracks").segments.at(0).rank, std::nullopt);
}

// A profile from elsewhere tells nothing of the machine: that is not a machine without cores.
TEST(Manifest, AMachineOfUnknownSizeSaysSo) {
  Manifest manifest = FullManifest();
  manifest.nodes.at(0).cpus = 0;
  manifest.nodes.at(0).memory_bytes = 0;
  const std::string json = ManifestToJson(manifest);
  EXPECT_THAT(json, HasSubstr("\"cpus\": null"));
  EXPECT_THAT(json, HasSubstr("\"memory_bytes\": null"));
  auto read = ManifestFromJson(json, "run.json");
  ASSERT_OK(read);
  EXPECT_EQ(read->nodes.at(0).cpus, 0);
}

TEST(Manifest, KeepsBytesThatAreNoText) {
  Manifest manifest = FullManifest();
  manifest.command = {"\xff\xfe", "line\nbreak"};
  auto read = ManifestFromJson(ManifestToJson(manifest), "run.json");
  ASSERT_OK(read);
  EXPECT_EQ(read->command[0], "\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(read->command[1], "line\nbreak");
}

TEST(Manifest, RefusesOtherFormatsWithTheNextStep) {
  Manifest newer = FullManifest();
  newer.format = 3;
  EXPECT_THAT(Problem(ManifestToJson(newer)),
              HasSubstr("format 3 is newer than this build knows (2); "
                        "update Steptrace"));
  EXPECT_THAT(Problem(R"({"format": 3})"), HasSubstr("its checksum does not match"));
  EXPECT_THAT(Problem(R"({"id": "x"})"), HasSubstr("no format number"));
  EXPECT_THAT(Problem("no json"), HasSubstr("not a manifest"));
  EXPECT_THAT(Problem(std::string(100'000, '[')), HasSubstr("not a manifest"));
}

TEST(Manifest, TakesNoFieldOfAnotherType) {
  auto read = ManifestFromJson(
      R"({"format": 1, "id": 5, "command": "x", "nodes": {"a": 1}, "ranks": [3, null], "end_ns": "x",
          "exit_code": 1.5, "tables": {"steps": {"segments": [], "absorbed": [1]}}})",
      "run.json");
  ASSERT_OK(read);
  EXPECT_EQ(read->id, "");
  EXPECT_FALSE(read->end_ns || read->exit_code);
}

TEST(ManifestMalice, NamesNoFileOutsideItsTables) {
  for (const char* file : {"/etc/passwd", "../../other", "tables/../../x", "run.json", ""}) {
    std::string json = R"({"format": 1, "tables": {"steps": {"segments": [{"file": ")" +
                       std::string(file) + R"("}]}}})";
    EXPECT_THAT(Problem(json), HasSubstr("outside its tables")) << file;
  }
}

TEST(ManifestMalice, NamesNoSegmentTwice) {
  Manifest manifest = FullManifest();
  auto& segments = manifest.tables.at("tracks").segments;
  segments.push_back(segments.at(0));
  segments.back().file = "tables//tracks/./writer=w/node=0/0.parquet";
  EXPECT_THAT(Problem(ManifestToJson(manifest)), HasSubstr("twice; do not trust this run"));
}

TEST(ManifestMalice, HasNoMoreRanksThanAJob) {
  std::string json = R"({"format": 1, "ranks": [0)";
  for (int i = 0; i < 1 << 20; ++i) json += ",0";
  EXPECT_THAT(Problem(json + "]}"), HasSubstr("1048577 ranks, more than 1048576"));
}

TEST(ManifestMalice, TellsNumbersAndWordsThatMakeNoSense) {
  Manifest manifest = FullManifest();
  manifest.end_ns = -5;
  EXPECT_THAT(Problem(ManifestToJson(manifest)), HasSubstr("end_ns is -5"));
  manifest = FullManifest();
  manifest.status = "odd";
  EXPECT_THAT(Problem(ManifestToJson(manifest)), HasSubstr("status is 'odd'"));
  manifest = FullManifest();
  manifest.tables.at("tracks").segments.at(0).rows = -1;
  EXPECT_THAT(Problem(ManifestToJson(manifest)), HasSubstr("has -1 rows"));
}

// One letter that is another.
TEST(ManifestMalice, LosesNoRowsWithoutAWord) {
  Manifest manifest = FullManifest();
  manifest.format = 1;  // without a checksum
  const std::string json = ManifestToJson(manifest);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string text = json;
    text.replace(text.find(from), from.size(), to);
    return Problem(text);
  };
  EXPECT_THAT(changed("\"segments\"", "\"segmentt\""), HasSubstr("has 30 rows, its segments 0"));
  EXPECT_THAT(changed("\"rows\": 20", "\"rows\": 21"), HasSubstr("has 30 rows, its segments 31"));
  EXPECT_THAT(changed("\"steps\": {", "\"stepr\": {"), HasSubstr("for the table 'stepr'"));
}

TEST(ManifestMalice, AnyOtherByteIsFound) {
  const std::string json = ManifestToJson(FullManifest());
  for (size_t at = 0; at < json.size(); ++at) {
    std::string text = json;
    text[at] = static_cast<char>(text[at] ^ 1);
    // Other digits of "format" may be a newer build's.
    EXPECT_NE(Problem(text), "") << at;
    EXPECT_NE(Problem(json.substr(0, at)), "") << at;
  }
  EXPECT_EQ(Problem(json), "");
}

TEST(Manifest, Format1IsReplacedAsAWhole) {
  TempDir dir;
  Manifest manifest = FullManifest();
  manifest.format = 1;
  manifest.writer.clear();
  manifest.status = kStatusInProgress;
  ASSERT_OK(WriteManifest(dir.path(), manifest));
  manifest.status = kStatusFailed;
  ASSERT_OK(WriteManifest(dir.path(), manifest));
  auto read = ReadManifest(dir.path());
  ASSERT_OK(read);
  EXPECT_EQ(read->status, "failed");
  EXPECT_EQ(read->format, 1);
  auto entries = std::filesystem::directory_iterator(dir.path());
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "a temporary file stayed";
}

}  // namespace
}  // namespace steptrace::store
