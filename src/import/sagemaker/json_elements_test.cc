// SPDX-License-Identifier: Apache-2.0
#include "import/sagemaker/json_elements.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

namespace steptrace::import::sagemaker {
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
  JsonElements elements(max_bytes, max_depth,
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
  }
  return whole;
}

TEST(JsonElements, CutsAnArray) {
  const Cut cut = CutUp("[\n{\"a\":1},\n {\"b\":{\"c\":[1,2,{\"d\":\"}]\"}]}}\n]\n");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{\"b\":{\"c\":[1,2,{\"d\":\"}]\"}]}}"));
  EXPECT_TRUE(cut.closed);
  EXPECT_EQ(cut.losses.damaged, 0);
  EXPECT_EQ(cut.losses.trailing_bytes, 0);
}

TEST(JsonElements, TakesAnArrayThatIsNotClosed) {
  const Cut cut = CutUp("[\n{\"a\":1},\n{\"b\":2},\n");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{\"b\":2}"));
  EXPECT_FALSE(cut.closed);
  EXPECT_FALSE(cut.losses.cut_off);
}

TEST(JsonElements, FindsTheEventsInAnObject) {
  const Cut cut = CutUp(
      R"({"displayTimeUnit":"ns","metadata":{"traceEvents":[{"x":1}]},"traceEvents":[{"a":1},{}],"z":{}})");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}", "{}"));
  EXPECT_TRUE(cut.closed);
  EXPECT_EQ(cut.losses.trailing_bytes, 0);
  EXPECT_FALSE(CutUp(R"({"Type":"cpu"})").found);
}

TEST(JsonElements, CountsTheObjectThatIsCutOff) {
  const Cut cut = CutUp("[{\"a\":1},{\"b\":\"x");
  EXPECT_THAT(cut.objects, ElementsAre("{\"a\":1}"));
  EXPECT_TRUE(cut.losses.cut_off);
}

TEST(JsonElements, LosesOnlyWhatDamageTouches) {
  for (const char* damage : {"{\"a\":\"bro\n", "{\"a\":12\n", "{\"a\":1,\n", "{\"a\":[1}},\n",
                             "{\"a\":1 [2\n", "?!,\n"}) {
    const Cut cut = CutUp(std::string("[{\"first\":1},\n") + damage + "{\"last\":2}]");
    EXPECT_THAT(cut.objects, ElementsAre("{\"first\":1}", "{\"last\":2}")) << damage;
    EXPECT_EQ(cut.losses.damaged, 1) << damage;
  }
}

TEST(JsonElements, LosesOneMoreWhereAValueIsMissing) {
  const Cut cut = CutUp("[{\"a\":\n{\"lost\":1},\n{\"kept\":2}]");
  EXPECT_THAT(cut.objects, ElementsAre("{\"kept\":2}"));
  EXPECT_EQ(cut.losses.damaged, 1);
}

TEST(JsonElements, CountsTextAfterTheEnd) {
  EXPECT_EQ(CutUp("[{\"a\":1}] \n[{}]").losses.trailing_bytes, 4);
  EXPECT_EQ(CutUp("{\"traceEvents\":[]}x").losses.trailing_bytes, 1);
}

TEST(JsonElements, RefusesLongAndDeepObjects) {
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

TEST(JsonElements, FindsNothingInOtherText) {
  for (const char* text : {"", "hello", "\xEF\xBB\xBF", "{}", "}"}) {
    EXPECT_THAT(CutUp(text).objects, IsEmpty()) << text;
    EXPECT_FALSE(CutUp(text).found) << text;
  }
}

}  // namespace
}  // namespace steptrace::import::sagemaker
