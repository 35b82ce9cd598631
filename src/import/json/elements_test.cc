// SPDX-License-Identifier: Apache-2.0
#include "import/json/elements.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace steptrace::import::json {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Cut {
  std::vector<std::string> objects;
  ElementLosses losses;
  bool found = false;
  bool closed = false;
};

// In pieces of any size the result is the same.
Cut CutUp(std::string_view text, size_t piece, size_t max_bytes = 1000, size_t max_depth = 16) {
  Cut cut;
  Elements elements(max_bytes, max_depth,
                    [&](std::string_view one) { cut.objects.emplace_back(one); });
  for (size_t at = 0; at < text.size(); at += piece) elements.Push(text.substr(at, piece));
  elements.Finish();
  cut.losses = elements.losses();
  cut.found = elements.found();
  cut.closed = elements.closed();
  return cut;
}

Cut CutUp(std::string_view text) {
  Cut whole = CutUp(text, 1 << 20);
  for (size_t piece : {1, 2, 3, 7}) {
    const Cut pieces = CutUp(text, piece);
    EXPECT_EQ(pieces.objects, whole.objects) << text;
    EXPECT_EQ(pieces.losses.damaged, whole.losses.damaged) << text;
    EXPECT_EQ(pieces.losses.cut_off, whole.losses.cut_off) << text;
    EXPECT_EQ(pieces.losses.skipped_bytes, whole.losses.skipped_bytes) << text;
  }
  return whole;
}

TEST(Elements, CutsAnArray) {
  const Cut cut = CutUp("[\n{\"a\":1},\n {\"b\":{\"c\":[1,2,{\"d\":\"}]\"}]}}\n]\n");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{\"b\":{\"c\":[1,2,{\"d\":\"}]\"}]}}"));
  EXPECT_TRUE(cut.closed);
  EXPECT_EQ(cut.losses.damaged, 0);
  EXPECT_EQ(cut.losses.trailing_bytes, 0);
}

TEST(Elements, TakesAnArrayThatIsNotClosed) {
  const Cut cut = CutUp("[\n{\"a\":1},\n{\"b\":2},\n");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{\"b\":2}"));
  EXPECT_FALSE(cut.closed);
  EXPECT_FALSE(cut.losses.cut_off);
}

TEST(Elements, FindsTheEventsInAnObject) {
  const Cut cut = CutUp(
      R"({"displayTimeUnit":"ns","metadata":{"traceEvents":[{"x":1}]},"traceEvents":[{"a":1},{}],"z":{}})");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{}"));
  EXPECT_TRUE(cut.closed);
  EXPECT_EQ(cut.losses.trailing_bytes, 0);
  EXPECT_FALSE(CutUp(R"({"Type":"cpu"})").found);
}

TEST(Elements, CountsTheObjectThatIsCutOff) {
  const Cut cut = CutUp("[{\"a\":1},{\"b\":\"x");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}"));
  EXPECT_TRUE(cut.losses.cut_off);
}

TEST(Elements, LosesOnlyWhatDamageTouches) {
  for (const char* damage : {"{\"a\":\"bro\n", "{\"a\":12\n", "{\"a\":1,\n", "{\"a\":[1}},\n",
                             "{\"a\":1 [2\n", "?!,\n"}) {
    const Cut cut = CutUp(std::string("[{\"first\":1},\n") + damage + "{\"last\":2}]");
    EXPECT_THAT(cut.objects, ElementsAre("{\"first\":1}", "{\"last\":2}")) << damage;
    EXPECT_EQ(cut.losses.damaged, 1) << damage;
  }
}

// TensorFlow writes its timeline as one line: no line's end tells where the next event begins.
TEST(Elements, LosesOnlyWhatDamageTouchesOfOneLine) {
  for (const char* damage :
       {"{\"a\":12,", "{\"a\":1,", "{\"a\":[1}},", "{\"a\":1 [2,", "?!,", "{\"a\":{\"b\":1]},",
        "{\"a\":b\"c\"},", "}]},", "{\"a\":12", "{\"a\":\"x\"y},", "{\"a\":[1}}, [ "}) {
    const Cut cut =
        CutUp(std::string(R"([{"first":1},)") + damage + R"({ "next":2,"ph":"X"},{"last":3}])");
    EXPECT_THAT(cut.objects,
                ElementsAre(R"({"first":1})", R"({ "next":2,"ph":"X"})", R"({"last":3})"))
        << damage;
    EXPECT_EQ(cut.losses.damaged, 1) << damage;
    EXPECT_GT(cut.losses.skipped_bytes, 0) << damage;
    EXPECT_FALSE(cut.losses.cut_off) << damage;
  }
}

TEST(Elements, LosesOneMoreOfOneLineWhereAStringIsBrokenOff) {
  for (const char* damage : {"{\"a\":\"bro,", "{\"a\":\"bro", "{\"a\":\"bro},", "{\"a\":"}) {
    const Cut cut = CutUp(std::string("[{\"first\":1},") + damage +
                          R"({"lost":2,"ph":"X"},{"kept":3,"ph":"X"}])");
    EXPECT_THAT(cut.objects, ElementsAre(R"({"first":1})", R"({"kept":3,"ph":"X"})")) << damage;
    EXPECT_EQ(cut.losses.damaged, 1) << damage;
  }
}

// Objects and brackets inside of the damaged event are neither events nor the array's end.
TEST(Elements, MakesNoEventsOfPartsOfADamagedOne) {
  for (const char* damage : {
           R"({"ph":"X","args":{"l":[1}, {"x":{"ph":"X"}},{"y":2}],"m":[{"z":3}]},)",
           R"({"ph":"X"},"l":[{"x":1}],"m":[2]},)",
           R"({"ph":"X" "l":[1,{"x":1},{"y":2}]},)",
           R"({"ph":"X" "name":"a,{","ph":"Y"},)",
           R"({"ph":"X" "name":"[{\"ph\":1}","ts":1},)",
           "{\"ph\":\"X\",\"args\":{\"l\":[1\n{\"x\":2}],\"m\":[3]}},",
           R"({"a":1] ,{ ,{,[{,{{"ph":1},)",
       }) {
    const Cut cut = CutUp(std::string("[") + damage + R"({"kept":3,"ph":"X"},{"last":4}])");
    ASSERT_GE(cut.objects.size(), 2u) << damage;
    const auto last = cut.objects.end() - 2;
    EXPECT_EQ(last[0], R"({"kept":3,"ph":"X"})") << damage;
    EXPECT_EQ(last[1], R"({"last":4})") << damage;
    for (auto before = cut.objects.begin(); before != last; ++before) {
      // Closed too soon, or on a line of its own: who reads events sees that it has no phase.
      EXPECT_TRUE(*before == R"({"ph":"X"})" || *before == R"({"x":2})") << damage << *before;
    }
    EXPECT_GT(cut.losses.damaged, 0) << damage;
  }
}

TEST(Elements, GoesOnBehindLongAndDeepObjectsOfOneLine) {
  const std::string next = R"({"b":1,"ph":"X"}])";
  Cut cut = CutUp("[{\"a\":\"" + std::string(2000, 'x') + "\"}," + next);
  EXPECT_THAT(cut.objects, ElementsAre(R"({"b":1,"ph":"X"})"));
  EXPECT_EQ(cut.losses.too_long, 1);
  EXPECT_EQ(cut.losses.skipped_bytes, 2009);
  cut = CutUp("[{\"a\":" + std::string(20, '[') + next);
  EXPECT_THAT(cut.objects, ElementsAre(R"({"b":1,"ph":"X"})"));
  EXPECT_EQ(cut.losses.too_deep, 1);
}

TEST(Elements, LosesOneMoreWhereAValueIsMissing) {
  const Cut cut = CutUp("[{\"a\":\n{\"lost\":1},\n{\"kept\":2}]");
  EXPECT_THAT(cut.objects, ElementsAre("{\"kept\":2}"));
  EXPECT_EQ(cut.losses.damaged, 1);
}

TEST(Elements, CountsTextAfterTheEnd) {
  EXPECT_EQ(CutUp("[{\"a\":1}] \n[{}]").losses.trailing_bytes, 4);
  EXPECT_EQ(CutUp("{\"traceEvents\":[]}x").losses.trailing_bytes, 1);
}

TEST(Elements, RefusesLongAndDeepObjects) {
  const std::string longer = "[{\"a\":\"" + std::string(2000, 'x') + "\"},\n{\"b\":1}]";
  for (size_t piece : {1, 100, 100'000}) {
    const Cut cut = CutUp(longer, piece);
    EXPECT_THAT(cut.objects, ElementsAre("{\"b\":1}"));
    EXPECT_EQ(cut.losses.too_long, 1);
  }
  const Cut cut = CutUp("[{\"a\":" + std::string(20, '[') + "\n{\"b\":1}]", 9);
  EXPECT_THAT(cut.objects, ElementsAre("{\"b\":1}"));
  EXPECT_EQ(cut.losses.too_deep, 1);
}

TEST(Elements, OtherTextHasNoElements) {
  for (const char* text : {"", "hello", "\xEF\xBB\xBF", "{}", "}"}) {
    EXPECT_THAT(CutUp(text).objects, IsEmpty()) << text;
    EXPECT_FALSE(CutUp(text).found) << text;
  }
}

}  // namespace
}  // namespace steptrace::import::json
