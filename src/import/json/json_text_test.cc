// SPDX-License-Identifier: Apache-2.0
#include "import/json/json_text.h"

#include <gmock/gmock.h>

#include <limits>
#include <optional>

namespace steptrace::import::json {
namespace {

std::string Unescaped(std::string_view raw) {
  std::string out;
  Unescape(raw, &out);
  return out;
}

int64_t halves_of_compact = 0;  // characters that the last Compact() had but halves of

// A value in a window of its own, as sound JSON.
std::string Compact(std::string text, int64_t* replaced = nullptr) {
  size_t size = text.size();
  text.append(kPadding, '\0');
  Scan scan{text.data() + size + 1};  // a bare word needs something behind it
  Value value;
  if (ReadValue(text.data(), scan, &value) == nullptr) return "(none)";
  std::string out;
  const Replaced count = AppendCompact(value, &out);
  if (replaced) *replaced = count.values;
  halves_of_compact = count.characters;
  return out;
}

TEST(JsonText, UnescapesAlsoWhatIsWrong) {
  EXPECT_EQ(Unescaped(R"(a\"b\\c\/d\n)"), "a\"b\\c/d\n");
  EXPECT_EQ(Unescaped(R"(\u0041\u00e9\u20ac\ud83d\ude00)"), "A\u00e9\u20ac\U0001F600");
  EXPECT_EQ(Unescaped(R"(\ud83d!)"), "\uFFFD!");
  EXPECT_EQ(Unescaped(R"(\ude00)"), "\uFFFD");
  EXPECT_EQ(Unescaped(R"(\q\u12)"), "\\q\\u12");
  EXPECT_EQ(Unescaped("end\\"), "end\\");
}

TEST(JsonText, CompactsToSoundJson) {
  EXPECT_EQ(Compact("[ 1,\n  [2 , \"a b\"] , { \"k\" : null } ]"), "[1,[2,\"a b\"],{\"k\":null}]");
  int64_t replaced = 0;
  EXPECT_EQ(Compact("[NaN, -Infinity, N/A, 1.5e3, true]", &replaced),
            "[null,null,null,1.5e3,true]");
  EXPECT_EQ(replaced, 3);
  EXPECT_EQ(Compact("\"a\nb\""), "\"a\\u000ab\"");
  EXPECT_EQ(Compact(R"("a\qb\u12")"), R"("a\\qb\\u12")");
  EXPECT_EQ(Compact("01"), "null");
}

TEST(JsonText, HalvesOfCharactersAreReplacedAndCounted) {
  std::string out;
  EXPECT_EQ(Unescape(R"(a\ud83d\u0041\ud83d\ude00\udc00\ud83d)", &out), 3);
  EXPECT_EQ(out, "a\uFFFDA\U0001F600\uFFFD\uFFFD");
  EXPECT_EQ(Unescape(R"(\ufffd\u00e9\\ud800)", &out), 0);
  EXPECT_EQ(Compact(R"({"k\udc00":["\ud83d\ude00","\ud83d!","\uD83Dx"]})"),
            "{\"k\uFFFD\":[\"\\ud83d\\ude00\",\"\uFFFD!\",\"\uFFFDx\"]}");
  EXPECT_EQ(halves_of_compact, 3);
  EXPECT_EQ(Compact(R"("\\ud800 \u00e9")"), R"("\\ud800 \u00e9")");
  EXPECT_EQ(halves_of_compact, 0);
}

TEST(JsonText, TruncatedInputIsToldFromDamage) {
  std::string text = "[1, [2, \"";
  size_t size = text.size();
  text.append(kPadding, '\0');
  Scan scan{text.data() + size};
  Value value;
  EXPECT_EQ(ReadValue(text.data(), scan, &value), nullptr);
  EXPECT_TRUE(scan.need_more);
  EXPECT_EQ(Compact("[1 @ 2]"), "(none)");
}

TEST(JsonText, DepthIsLimited) {
  std::string text(1'000'000, '[');
  text.append(kPadding, '\0');
  Scan scan{text.data() + 1'000'000, 512};
  Value value;
  EXPECT_EQ(ReadValue(text.data(), scan, &value), nullptr);
  EXPECT_TRUE(scan.too_deep);
}

TEST(JsonText, Numbers) {
  for (const char* text : {"0", "-0", "12", "1.5", "1e5", "-1.25E-3"}) EXPECT_TRUE(IsNumber(text));
  for (const char* text : {"", "-", "01", "1.", ".5", "1e", "+1", "0x1", "1-2"}) {
    EXPECT_FALSE(IsNumber(text)) << text;
  }
}

TEST(JsonText, Integers) {
  auto read = [](Value::Kind kind, std::string_view text) -> std::optional<int64_t> {
    int64_t number = 77;
    const bool is_one = ReadInteger({kind, false, text}, &number);
    // In a window, with digits behind it that are no part of it.
    const std::string window = std::string(text) + "1" + std::string(kPadding, '2');
    int64_t in_window = 77;
    EXPECT_EQ(ReadIntegerInWindow({kind, false, std::string_view(window).substr(0, text.size())},
                                  &in_window),
              is_one)
        << text;
    EXPECT_EQ(in_window, number) << text;
    if (is_one) return number;
    EXPECT_EQ(number, 77) << text;  // what is none leaves no trace
    return std::nullopt;
  };
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
  for (Value::Kind kind : {Value::Kind::kBare, Value::Kind::kString}) {
    EXPECT_EQ(read(kind, "0"), 0);
    EXPECT_EQ(read(kind, "007"), 7);
    EXPECT_EQ(read(kind, "-12"), -12);
    for (int64_t number = 1; number < 10'000'000'000; number = number * 10 + 7) {
      EXPECT_EQ(read(kind, std::to_string(number)), number);
      EXPECT_EQ(read(kind, std::to_string(number) + "e"), std::nullopt);
    }
    // 18 digits are read at once, 19 may be too many.
    EXPECT_EQ(read(kind, "999999999999999999"), 999'999'999'999'999'999);
    EXPECT_EQ(read(kind, "1000000000000000000"), 1'000'000'000'000'000'000);
    EXPECT_EQ(read(kind, "9223372036854775807"), kMost);
    EXPECT_EQ(read(kind, "-9223372036854775808"), kLeast);
    EXPECT_EQ(read(kind, "0x1f"), 31);
    EXPECT_EQ(read(kind, "0XfF"), 255);
    EXPECT_EQ(read(kind, "0x7fffffffffffffff"), kMost);
    for (const char* text : {"9223372036854775808", "-9223372036854775809", "0x8000000000000000",
                             "", "-", "+1", "0x", "0xg", "1.0", "1e3", " 1", "1 ", "12a", "--1",
                             "NaN", "true", "12345678901234567890123"}) {
      EXPECT_EQ(read(kind, text), std::nullopt) << text;
    }
  }
  EXPECT_EQ(read(Value::Kind::kNested, "[1]"), std::nullopt);
  EXPECT_EQ(read(Value::Kind::kNone, "1"), std::nullopt);
}

// What stands behind a text in its window is no part of it.
TEST(JsonText, ShortHashes) {
  EXPECT_EQ(ShortHash(std::string_view()), 0u);  // an event without a name
  for (const std::string text :
       {"", "a", "seven77", "eight888", "a longer one, told by its ends"}) {
    const std::string one = text + std::string(kPadding, '1');
    const std::string other = text + std::string(kPadding, '2');
    const uint64_t hash = ShortHash(std::string_view(one).substr(0, text.size()));
    EXPECT_EQ(ShortHash(std::string_view(other).substr(0, text.size())), hash) << text;
    EXPECT_NE(ShortHash(std::string_view(one).substr(0, text.size() + 1)), hash) << text;
  }
}

}  // namespace
}  // namespace steptrace::import::json
