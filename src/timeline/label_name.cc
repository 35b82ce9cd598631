// SPDX-License-Identifier: Apache-2.0
#include "timeline/label_name.h"

#include <fmt/format.h>

#include "base/fnv.h"
#include "base/utf8.h"

namespace steptrace::timeline {
namespace {

constexpr std::string_view kMark = "… [";

std::string_view Beginning(std::string_view text) {
  return text.substr(0, WholeCharacters(text, kMaxNameBytes));
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
