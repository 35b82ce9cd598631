// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/document.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace steptrace::import::kineto {
namespace {

// A text in pieces of one size, as a slow stream gives it.
class PieceStream : public ByteStream {
 public:
  PieceStream(std::string text, size_t piece) : text_(std::move(text)), piece_(piece) {}
  Result<size_t> Read(char* out, size_t size) override {
    size_t count = std::min({size, piece_, text_.size() - at_});
    text_.copy(out, count, at_);
    at_ += count;
    return count;
  }
  int64_t consumed() const override { return static_cast<int64_t>(at_); }

 private:
  std::string text_;
  size_t piece_;
  size_t at_ = 0;
};

struct Read : DocumentHandler {
  explicit Read(std::string text, int32_t depth = 16, int64_t most = 1 << 20) {
    PieceStream stream(std::move(text), 100'000);
    StreamWindow window(stream, most);
    Document document(window, "file", depth);
    status = document.Read(*this);
    damage = document.damage();
  }
  void OnMember(std::string_view key, const json::Value& value) override {
    members += std::string(key) + "=" + std::string(value.text) + ";";
  }
  Status OnEvent(const RawEvent& event) override {
    names.emplace_back(event.name.text);
    return {};
  }

  Status status;
  Damage damage;
  std::string members;
  std::vector<std::string> names;
};

using testing::ElementsAre;

TEST(Document, AKeyAmongManyThatStandsTwiceIsSeen) {
  std::string args;
  for (int i = 0; i < 300; ++i) args += "\"k" + std::to_string(i) + "\":0,";
  const std::string twice = R"("k3":1,"k200":1,"k299":1,"other":1)";
  Read read(R"({"traceEvents":[{"ph":"X","name":"x","args":{)" + args + twice + "}}]}");
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(read.damage.duplicate_keys, 3);
}

TEST(Document, ReadsMembersAndEvents) {
  Read read(
      R"( {"a": 1, "traceEvents": [{"ph":"X","name":"x"}, {"name":"y","ph":"i"}], "b": "t"} )");
  ASSERT_TRUE(read.status.ok());
  EXPECT_EQ(read.members, "a=1;b=t;");
  EXPECT_THAT(read.names, ElementsAre("x", "y"));
  EXPECT_FALSE(read.damage.cut_off);
}

// XLA's writers end with one.
TEST(Document, AnEmptyObjectIsNoDamage) {
  const Read read(R"({"traceEvents":[{"ph":"X","name":"x"},{"a":1},{ },{}]})");
  EXPECT_THAT(read.names, ElementsAre("x"));
  EXPECT_EQ(read.damage.damaged_events, 1);
  EXPECT_EQ(read.damage.skipped_bytes, 7);
}

TEST(Document, AnArrayNeedsNoEnd) {
  EXPECT_FALSE(Read(R"([{"ph":"X","name":"x"},)").damage.cut_off);
  EXPECT_TRUE(Read(R"([{"ph":"X","name":"x"},{"ph")").damage.cut_off);
}

TEST(Document, KeysThatStandTwiceAreCounted) {
  Read read(R"({"schemaVersion": 1, "schemaVersion": 2, "traceEvents": [{"ph":"X","name":"a"}],
    "traceEvents": [{"ph":"X","name":"b"}], "traceName": "t"})");
  EXPECT_THAT(read.names, ElementsAre("a", "b"));
  EXPECT_EQ(read.damage.duplicate_keys, 2);
}

TEST(Document, GoesOnAfterDamage) {
  Read read(R"({"traceEvents": [{"ph":"X","name":"a"}, {"ph":"X","name":"b"c"}, INFO: lost
    {"ph":"X","name":"d"}], "traceName": "t"})");
  EXPECT_THAT(read.names, ElementsAre("a", "d"));
  EXPECT_EQ(read.damage.damaged_events, 1);
  EXPECT_EQ(read.members, "traceName=t;");
}

TEST(Document, FindsTheEndBehindDamage) {
  Read read(
      R"({"traceEvents": [{"ph":"X","name":"a"}, {"ph":"X","name":"b"c"}], "traceName": "t"})");
  EXPECT_THAT(read.names, ElementsAre("a"));
  EXPECT_EQ(read.members, "traceName=t;");
  EXPECT_FALSE(read.damage.cut_off);
}

TEST(Document, EventsMayLieAcrossWindows) {
  std::string text = R"({"traceEvents": [)";
  std::string filler(3000, 'x');
  for (int i = 0; i < 2000; ++i) {
    text += (i ? ",\n" : "\n") +
            ("{\"ph\":\"X\",\"name\":\"" + std::to_string(i) + "\",\"cat\":\"" + filler + "\"}");
  }
  Read read(text + "]}");
  ASSERT_EQ(read.names.size(), 2000u);
  for (size_t i = 0; i < 2000; ++i) ASSERT_EQ(read.names[i], std::to_string(i));
}

TEST(Document, AnEventBeyondTheLimitIsSkipped) {
  std::string text = R"({"traceEvents": [{"ph":"X","name":"a"},{"ph":"X","name":")";
  text += std::string(3 << 20, 'y') + R"("},{"ph":"X","name":"c"}]})";
  Read read(text);
  EXPECT_THAT(read.names, ElementsAre("a", "c"));
  EXPECT_EQ(read.damage.too_long_events, 1);
}

TEST(Document, DepthIsRefused) {
  std::string text = R"({"traceEvents": [{"ph":"X","args":{"a":)" + std::string(100, '[');
  Read read(text);
  ASSERT_FALSE(read.status.ok());
  EXPECT_THAT(read.status.error().text(), testing::HasSubstr("--max-depth"));
}

TEST(Document, ArraysInPlaceOfEventsMayBeTooDeep) {
  const std::string many(100, '[');
  for (const std::string& text : {R"({"traceEvents": [)" + many, "[" + many,
                                  R"([{"ph":"X","name":"x"}, )" + many + std::string(100, ']')}) {
    Read read(text);
    ASSERT_FALSE(read.status.ok()) << text;
    EXPECT_THAT(read.status.error().text(), testing::HasSubstr("--max-depth"));
  }
  Read shallow(R"([[[1]], {"ph":"X","name":"x"}])");
  EXPECT_TRUE(shallow.status.ok());
  EXPECT_THAT(shallow.names, ElementsAre("x"));
}

}  // namespace
}  // namespace steptrace::import::kineto
