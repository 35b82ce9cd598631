// SPDX-License-Identifier: Apache-2.0
// Damage to the texts of a profile that nobody makes by chance: different ones that are the same
// once what is no UTF-8 was replaced, and characters that a reader may cut, escape or measure
// wrong.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace steptrace {

class TextDamage {
 public:
  explicit TextDamage(uint32_t seed) : random_(seed) {}

  // Of a file whose texts stand between quotes, or behind their length as Protobuf has them. Longer
  // only where nothing in it says how long it is.
  std::string Of(std::string bytes) {
    const bool may_grow = !bytes.empty() && (bytes[0] == '{' || bytes[0] == '[');
    for (size_t changes = 1 + Below(3); changes > 0; --changes) {
      const std::vector<Text> texts = TextsIn(bytes);
      if (texts.empty()) break;
      switch (Below(may_grow ? 5 : 3)) {
        case 0:
          MakeAlike(texts, bytes);
          break;
        case 1:
          SpoilAll(texts, bytes);
          break;
        case 2:
          SpoilOne(texts[Below(texts.size())], bytes);
          break;
        case 3:
          MakeAlikeToReplaced(texts, bytes);
          break;
        default:
          Insert(texts[Below(texts.size())], bytes);
      }
    }
    return bytes;
  }

 private:
  struct Text {
    size_t at = 0;
    size_t size = 0;
  };

  // Not by std::uniform_int_distribution, whose answers differ from library to library.
  size_t Below(size_t end) { return random_() % end; }
  // A byte that begins no character and ends none.
  char WrongByte() {
    constexpr std::string_view kWrong = "\x80\xba\xbf\xc0\xd4\xe2\xed\xf0\xf5\xff";
    return kWrong[Below(kWrong.size())];
  }

  static std::vector<Text> TextsIn(std::string_view bytes) {
    constexpr size_t kMostBytes = 200;
    const auto printable = [](char c) { return c >= ' ' && c < '\x7f'; };
    std::vector<Text> texts;
    for (size_t i = 0; i + 1 < bytes.size(); ++i) {
      const auto first = static_cast<uint8_t>(bytes[i]);
      if (bytes[i] == '"') {
        const size_t end = bytes.substr(i + 1, kMostBytes).find_first_of("\"\n\\");
        if (end == std::string_view::npos || end == 0 || bytes[i + 1 + end] != '"') continue;
        texts.push_back({i + 1, end});
        i += end + 1;
      } else if (first > 2 && first < kMostBytes && i + 1 + first <= bytes.size()) {
        const std::string_view text = bytes.substr(i + 1, first);
        if (std::all_of(text.begin(), text.end(), printable)) texts.push_back({i + 1, text.size()});
      }
    }
    return texts;
  }

  // Two texts of the same length that then differ in a wrong byte alone.
  void MakeAlike(const std::vector<Text>& texts, std::string& bytes) {
    const Text one = texts[Below(texts.size())];
    std::vector<Text> others;
    std::copy_if(texts.begin(), texts.end(), std::back_inserter(others),
                 [&](const Text& other) { return other.size == one.size && other.at != one.at; });
    if (others.empty()) return SpoilOne(one, bytes);
    const Text other = others[Below(others.size())];
    std::memmove(&bytes[other.at], &bytes[one.at], one.size);
    const size_t place = Below(one.size);
    bytes[one.at + place] = WrongByte();
    bytes[other.at + place] = WrongByte();
  }

  // Of all that are the same one, each with a wrong byte of its own: many become one.
  void SpoilAll(const std::vector<Text>& texts, std::string& bytes) {
    const Text chosen = texts[Below(texts.size())];
    const std::string text = bytes.substr(chosen.at, chosen.size);
    const size_t place = Below(text.size());
    for (const Text& one : texts) {
      if (std::string_view(bytes).substr(one.at, one.size) == text)
        bytes[one.at + place] = WrongByte();
    }
  }

  void SpoilOne(Text text, std::string& bytes) {
    using std::string_view_literals::operator""sv;
    constexpr std::string_view kCharacters = "\0\x01\x1b\x7f"sv;
    const size_t at = text.at + Below(text.size);
    bytes[at] = Below(2) == 0 ? WrongByte() : kCharacters[Below(kCharacters.size())];
  }

  // A wrong byte in one, and in a copy the character that replaces it.
  void MakeAlikeToReplaced(const std::vector<Text>& texts, std::string& bytes) {
    Text one = texts[Below(texts.size())];
    Text other = texts[Below(texts.size())];
    if (one.at == other.at) return;
    if (one.at > other.at) std::swap(one, other);
    const std::string before = bytes.substr(one.at, Below(one.size + 1));
    bytes.replace(other.at, other.size, before + "\xEF\xBF\xBD");  // the later one first
    bytes.replace(one.at, one.size, before + WrongByte());
  }

  void Insert(Text text, std::string& bytes) {
    using std::string_view_literals::operator""sv;
    constexpr std::array kPieces = {
        "\xEF\xBF\xBD"sv, "\xED\xA0\x80"sv, "\xF4\x90\x80\x80"sv, "\xC0\xAF"sv, "\0"sv,
        "\\u0000"sv,      "\\ud800"sv,      "\\udc00\\ud800"sv,   "\\ufffd"sv,  "\\uffff"sv,
        "\xE2\x80\xAE"sv, "\xF0\x9F\x98"sv, "\xEF\xBB\xBF"sv};
    constexpr size_t kLongBytes = 70'000;
    const size_t at = text.at + Below(text.size + 1);
    if (Below(8) == 0) bytes.insert(at, kLongBytes + Below(4), 'x');
    bytes.insert(at, kPieces[Below(kPieces.size())]);
  }

  std::mt19937 random_;
};

}  // namespace steptrace
