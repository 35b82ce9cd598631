// SPDX-License-Identifier: Apache-2.0
#include "store/redacted_rows.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "store/run_reader.h"
#include "store/run_writer.h"
#include "testing/test_run.h"

namespace steptrace::store {
namespace {

TEST(RedactedRowsTest, JsonKeepsItsShape) {
  const Redactor redactor;
  EXPECT_EQ(RedactedJson(redactor, R"({"argv":["t.py","--token","S3"],"z":1,"n":[["x=1"]]})"),
            R"({"argv":["t.py","--token","REDACTED"],"n":[["x=1"]],"z":1})");
  EXPECT_EQ(RedactedJson(redactor, R"({"env":{"HF_TOKEN":"S3","token":5}})"),
            R"({"env":{"HF_TOKEN":"REDACTED","token":5}})");
  EXPECT_EQ(RedactedJson(redactor, R"({"passwords":["S3","S4"],"tokens":[5]})"),
            R"({"passwords":["REDACTED","REDACTED"],"tokens":[5]})");
  EXPECT_EQ(RedactedJson(redactor, R"({"reason":"OSError: http://u:S3@h"})"),
            R"({"reason":"OSError: http://u:REDACTED@h"})");
}

TEST(RedactedRowsTest, WhatHoldsNoSecretStaysByteForByte) {
  for (const char* json :
       {R"({ "b" : 1.50, "a" : "t" })", "[]", "1", "\"x\"", R"({"a":"\u00e9"})"}) {
    EXPECT_EQ(RedactedJson(Redactor(), json), json);
  }
}

TEST(RedactedRowsTest, WhatIsNoJsonIsAText) {
  EXPECT_EQ(RedactedJson(Redactor(), "{--token S3"), "{--token REDACTED");
  const std::string many = std::string(1 << 20, ' ') + R"({"password":"S3"})";
  EXPECT_TRUE(RedactedJson(Redactor(), many).ends_with(R"({"password":"REDACTED"})"));
  const std::string deep = std::string(1000, '[') + "--token S3";
  EXPECT_EQ(RedactedJson(Redactor(), deep), std::string(1000, '[') + "--token REDACTED");
}

TEST(RedactedRowsTest, EveryTableButSlicesWithTextsOfItsOwn) {
  EXPECT_TRUE(kHasTexts<TrackRow> && kHasTexts<RunMetadataRow> && kHasTexts<FindingRow> &&
              kHasTexts<DataLossRow>);
  EXPECT_FALSE(kHasTexts<SliceRow> || kHasTexts<StepRow> || kHasTexts<CounterRow>);
}

std::string AllBytes(const std::filesystem::path& folder) {
  std::ostringstream all;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) all << std::ifstream(entry.path(), std::ios::binary).rdbuf();
  }
  return all.str();
}

// The journal holds rows as they are, without compression.
void WriteSecrets(RunWriter& writer) {
  RunMetadataRow fact;
  fact.kind = writer.strings().Intern("process");
  fact.json = R"({"argv":["t.py","--token","S3CRET"]})";
  writer.Append(fact);
  DataLossRow loss;
  loss.table = loss.cause = writer.strings().Intern("slices");
  loss.detail = "OSError: https://u:S3CRET@h";
  writer.Append(loss);
  FindingRow finding;
  finding.severity = finding.kind = writer.strings().Intern("alert");
  finding.text = "api_key=S3CRET";
  finding.subject = "x";
  finding.evidence = R"({"reason":"password: S3CRET"})";
  writer.Append(finding);
  TrackRow track;
  track.kind = writer.strings().Intern("process");
  track.name = "python t.py --password S3CRET";
  writer.Append(track);
}

class SecretRunTest : public testing::Test {
 protected:
  RunWriter Make(const WriterOptions& options) {
    Manifest manifest;
    manifest.command = {"python", "t.py", "--api-key=S3CRET"};
    manifest.identity.tags = {{"api_key", "S3CRET"}, {"team", "vision"}};
    auto writer = RunWriter::Create(dir_.path() / "run", manifest, options);
    EXPECT_TRUE(writer.ok());
    WriteSecrets(*writer);
    EXPECT_TRUE(writer->Flush().ok());
    return *std::move(writer);
  }
  TempDir dir_;
};

TEST_F(SecretRunTest, NoWriterStoresASecret) {
  const RunWriter writer = Make({});
  const std::string all = AllBytes(dir_.path());
  EXPECT_EQ(all.find("S3CRET"), all.npos);
  EXPECT_NE(all.find("REDACTED"), all.npos);
  const auto manifest = ReadManifest(dir_.path() / "run");
  ASSERT_TRUE(manifest.ok());
  EXPECT_EQ(manifest->command.back(), "--api-key=REDACTED");
  EXPECT_EQ(manifest->identity.tags.at("api_key"), "REDACTED");
  EXPECT_EQ(manifest->identity.tags.at("team"), "vision");
}

TEST_F(SecretRunTest, OffStoresAllAsItIs) {
  WriterOptions options;
  options.redactor = Redactor::Off();
  const RunWriter writer = Make(options);
  const std::string all = AllBytes(dir_.path());
  EXPECT_EQ(all.find("REDACTED"), all.npos);
  EXPECT_NE(all.find("--api-key=S3CRET"), all.npos);
}

}  // namespace
}  // namespace steptrace::store
