// SPDX-License-Identifier: Apache-2.0
#include "import/formats/nsight/nvtx_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

namespace steptrace::import::nsight {
namespace {

constexpr std::string_view kSequence = ", seq = ";
constexpr std::string_view kOperator = ", op_id = ";
constexpr std::string_view kSizes = ", sizes = ";

// What a step is called, in small letters and without what joins words.
constexpr std::array<std::string_view, 12> kStepWords = {
    "step", "profilerstep",   "trainstep", "trainingstep", "globalstep", "iteration",
    "iter", "trainiteration", "trainiter", "batch",        "trainbatch", "trainingbatch"};

std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return std::nullopt;
  return number;
}

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// "train_step" and "Train Step" are one word.
std::string Plain(std::string_view word) {
  std::string plain;
  for (const char c : word) {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return plain;
}

void ReadStep(std::string_view text, NvtxName* read) {
  constexpr size_t kLongest = 48;
  if (text.size() > kLongest || text.empty()) return;
  size_t digits = text.size();
  while (digits > 0 && IsDigit(text[digits - 1])) --digits;
  const std::string_view word = text.substr(0, digits);
  if (word.find_first_of("0123456789/.") != word.npos) return;
  std::string plain = Plain(word);
  if (std::find(kStepWords.begin(), kStepWords.end(), plain) == kStepWords.end()) return;
  if (digits < text.size()) {
    read->step = NumberAt(text.substr(digits));
    if (!read->step) return;
  }
  read->step_word = std::move(plain);
}

bool IsListOfShapes(std::string_view text) {
  return text.starts_with('[') && text.find_first_not_of("[]0123456789-, ") == text.npos;
}

}  // namespace

NvtxName ReadNvtxName(std::string_view text) {
  NvtxName read;
  read.name = text;
  const size_t sequence = text.find(kSequence);
  const size_t operation = text.find(kOperator);
  const size_t sizes = text.find(kSizes);
  const size_t end = std::min({sequence, operation, sizes});
  read.is_operator = sequence != text.npos || operation != text.npos;
  if (!read.is_operator) {
    ReadStep(text, &read);
    return read;
  }
  read.name = text.substr(0, end);
  if (sequence != text.npos) read.sequence = NumberAt(text.substr(sequence + kSequence.size()));
  if (sizes != text.npos) {
    const std::string_view rest = text.substr(sizes + kSizes.size());
    const size_t close = rest.rfind(']');
    if (close != rest.npos && IsListOfShapes(rest.substr(0, close + 1))) {
      read.shapes = rest.substr(0, close + 1);
    }
  }
  return read;
}

}  // namespace steptrace::import::nsight
