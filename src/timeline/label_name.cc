// SPDX-License-Identifier: Apache-2.0
#include "timeline/label_name.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>

#include "base/fnv.h"

namespace steptrace::timeline {
namespace {

constexpr size_t kMaxCharacterBytes = 4;  // of UTF-8
constexpr std::string_view kMark = "… [";

// No half of a character at its end. Bytes that are no UTF-8 end anywhere.
std::string_view Beginning(std::string_view text) {
  size_t end = kMaxNameBytes;
  for (size_t back = 0; back < kMaxCharacterBytes && end > 0; ++back, --end) {
    if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80) return text.substr(0, end);
  }
  return text.substr(0, kMaxNameBytes);
}

}  // namespace

std::string LabelName(std::string_view text) {
  if (text.size() <= kMaxNameBytes) return std::string(text);
  return fmt::format("{}{}{} bytes, text {:016x}]", Beginning(text), kMark, text.size(),
                     Fnv1a(text));
}

bool IsLabelOf(std::string_view text, std::string_view label) {
  if (text.size() <= kMaxNameBytes) return text == label;
  return label.starts_with(Beginning(text)) && label == LabelName(text);
}

std::string_view WithoutMark(std::string_view label) {
  return IsCutLabel(label) ? label.substr(0, label.rfind(kMark)) : label;
}

}  // namespace steptrace::timeline
