// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/stage_table.h"

#include <gtest/gtest.h>

namespace steptrace::analyze {
namespace {

const std::string kSitePackages = "/venv/lib/python3.11/site-packages/";
const std::string kStandardLibrary = "/usr/lib/python3.11/";

std::string StageOf(const StageTable& table, const std::string& file, const std::string& function) {
  const auto match = table.Find(PlaceOf(file), function);
  return match ? kWorkInfos[static_cast<size_t>(match->stage)].name : "-";
}

TEST(StageTableTest, KnowsPackagesAndTheirExceptions) {
  const StageTable table;
  const auto library = [&](const std::string& file, const std::string& function) {
    return StageOf(table, kSitePackages + file, function);
  };
  EXPECT_EQ(library("pyarrow/parquet/core.py", "ParquetFile.read_row_group"), "decode");
  EXPECT_EQ(library("pyarrow/fs.py", "FSSpecHandler.open_input_file"), "storage_read");
  EXPECT_EQ(library("PIL/JpegImagePlugin.py", "JpegImageFile.draft"), "decode");
  EXPECT_EQ(library("PIL/Image.py", "Image.load"), "decode");
  EXPECT_EQ(library("PIL/Image.py", "Image.resize"), "augmentation");
  EXPECT_EQ(library("PIL/Image.py", "Image.__transformer"), "augmentation");
  EXPECT_EQ(library("PIL/Image.py", "open"), "decode");
  EXPECT_EQ(library("PIL/Image.py", "fromarray"), "decode");
  EXPECT_EQ(library("PIL/ImageEnhance.py", "Brightness.__init__"), "augmentation");
  EXPECT_EQ(library("torchvision/transforms/v2/_geometry.py", "Resize.transform"), "augmentation");
  EXPECT_EQ(library("albumentations/core/composition.py", "Compose.__call__"), "augmentation");
  EXPECT_EQ(library("transformers/tokenization_utils_base.py", "PreTrained.__call__"), "tokenise");
  EXPECT_EQ(library("transformers/models/bert/tokenization_bert.py", "WordPiece.tokenize"),
            "tokenise");
  EXPECT_EQ(library("transformers/models/bert/modeling_bert.py", "BertModel.forward"), "-");
  EXPECT_EQ(library("torch/utils/data/_utils/collate.py", "default_collate"), "collate");
  EXPECT_EQ(library("numpy/lib/_npyio_impl.py", "load"), "decode");
  EXPECT_EQ(library("numpy/_core/fromnumeric.py", "mean"), "-");
  EXPECT_EQ(library("pyarrow_tools/a.py", "read"), "-");
  EXPECT_EQ(library("fsspec/spec.py", "AbstractBufferedFile.read"), "storage_read");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "json/decoder.py", "JSONDecoder.decode"), "decode");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "json/encoder.py", "JSONEncoder.iterencode"),
            "user_code");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "gzip.py", "_GzipReader.read"), "decode");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "random.py", "Random.randint"), "augmentation");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "re/__init__.py", "sub"), "tokenise");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "copy.py", "deepcopy"), "copy");
  EXPECT_EQ(StageOf(table, kStandardLibrary + "threading.py", "Condition.wait"), "lock");
}

TEST(StageTableTest, LocksInCAreKnownByWhatTheyAreCalled) {
  const StageTable table;
  EXPECT_EQ(StageOf(table, "<built-in>", "cache_lock.__enter__"), "lock");
  EXPECT_EQ(StageOf(table, "<built-in>", "self._LOCK.acquire"), "lock");
  EXPECT_EQ(StageOf(table, "<built-in>", "self.mutex.acquire"), "lock");
  EXPECT_EQ(StageOf(table, "<built-in>", "self.lock.release"), "-");
  EXPECT_EQ(StageOf(table, "<built-in>", "self.block.fill"), "-");
  EXPECT_EQ(StageOf(table, "<built-in>", "self.rlock.acquire"), "lock");
  EXPECT_EQ(StageOf(table, "<built-in>", "cacheLock.__enter__"), "lock");
  EXPECT_EQ(StageOf(table, "<built-in>", "block.__enter__"), "-");
  EXPECT_EQ(StageOf(table, "<built-in>", "self.clock.__enter__"), "-");
  EXPECT_EQ(StageOf(table, "<built-in>", "self.unblock.acquire"), "-");
  EXPECT_EQ(StageOf(table, "<built-in>", "with self.reader"), "-") << "says nothing of reading";
  EXPECT_EQ(StageOf(table, "<built-in>", "db.__enter__"), "-");
}

TEST(StageTableTest, FunctionsOfTheUsersSayWhatTheyDo) {
  const StageTable table;
  EXPECT_EQ(StageOf(table, "/job/d.py", "Clicks.decode_row"), "decode");
  EXPECT_EQ(StageOf(table, "/job/d.py", "Clicks.augment"), "augmentation");
  EXPECT_EQ(StageOf(table, "/job/d.py", "tokenizeText"), "tokenise");
  EXPECT_EQ(StageOf(table, "/job/d.py", "Tokenizer.__call__"), "tokenise");
  EXPECT_EQ(StageOf(table, "/job/d.py", "text_to_ids"), "tokenise");
  EXPECT_EQ(StageOf(table, "/job/d.py", "text_to_sequence"), "tokenise");
  EXPECT_EQ(StageOf(table, "/job/d.py", "text_to_image"), "-");
  EXPECT_EQ(StageOf(table, "/job/d.py", "text_to_speech"), "-");
  EXPECT_EQ(StageOf(table, "/job/augment.py", "mix"), "-");  // a file says nothing
  EXPECT_EQ(StageOf(table, "/job/pyarrow/d.py", "read"), "-");
}

TEST(StageTableTest, TheUsersPatternsComeFirst) {
  const auto table = StageTable::Create({{"mypkg.io:*", "storage_read"},
                                         {"mypkg.io:parse_*", "decode"},
                                         {"words.py:Split.*", "tokenise"},
                                         {"*:Mixer.mix", "augmentation"},
                                         {"pyarrow:*", "user_code"},
                                         {"lib*.text:run", "tokenise"}});
  ASSERT_TRUE(table.ok()) << table.error().text();
  EXPECT_EQ(StageOf(*table, "/job/mypkg/io.py", "fetch"), "storage_read");
  EXPECT_EQ(StageOf(*table, "/job/mypkg/io/blobs.py", "fetch"), "storage_read");
  EXPECT_EQ(StageOf(*table, "/job/mypkg/io/blobs.py", "Blob.parse_head"), "decode");
  EXPECT_EQ(StageOf(*table, "/job/mypkg/iox.py", "fetch"), "-");
  EXPECT_EQ(StageOf(*table, kSitePackages + "mypkg/io/blobs.py", "fetch"), "storage_read");
  EXPECT_EQ(StageOf(*table, kSitePackages + "other/mypkg/io.py", "fetch"), "-");
  EXPECT_EQ(StageOf(*table, "/job/words.py", "Split.run"), "tokenise");
  EXPECT_EQ(StageOf(*table, "/job/swords.py", "Split.run"), "-");
  EXPECT_EQ(StageOf(*table, "/job/any/where.py", "Mixer.mix"), "augmentation");
  EXPECT_EQ(StageOf(*table, kSitePackages + "pyarrow/parquet/core.py", "read"), "user_code");
  EXPECT_EQ(StageOf(*table, kSitePackages + "libwords/text.py", "run"), "tokenise");
  EXPECT_TRUE(table->Find(PlaceOf("/job/words.py"), "Split.run")->by_user);
}

std::string Complaint(const std::string& pattern, const std::string& stage) {
  const auto table = StageTable::Create({{pattern, stage}});
  return table.ok() ? "" : table.error().text();
}

TEST(StageTableTest, SaysWhatIsWrong) {
  EXPECT_EQ(
      Complaint("a:b", "decoding"),
      "'decoding' of 'a:b' is not a stage; the stages are storage_read, decode, augmentation, "
      "tokenise, collate, copy, lock, user_code, model, logging");
  EXPECT_EQ(Complaint("mypkg", "decode"),
            "'mypkg' is not MODULE:FUNCTION; write for example \"mypkg.io:read_*\"");
  EXPECT_EQ(Complaint("a:b:c", "decode"),
            "'a:b:c' is not MODULE:FUNCTION; write for example \"mypkg.io:read_*\"");
  EXPECT_EQ(Complaint(":read", "decode"),
            "':read' has no module or no function; `*` stands for any");
  EXPECT_EQ(Complaint("*:*", "decode"), "'*:*' fits every function; name a part of one");
  EXPECT_NE(Complaint(std::string(300, 'a') + ":b", "decode").find("longer than 256 bytes"),
            std::string::npos);
  EXPECT_FALSE(StageTable::Create({257, {"a:b", "decode"}}).ok());
}

}  // namespace
}  // namespace steptrace::analyze
