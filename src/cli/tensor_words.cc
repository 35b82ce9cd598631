// SPDX-License-Identifier: Apache-2.0
#include "cli/tensor_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/terminal.h"

namespace steptrace::cli {
namespace {

constexpr std::string_view kWords[] = {"gradients", "weights", "loss"};
constexpr std::string_view kEvery = "every=";
constexpr uint64_t kMostSteps = uint64_t{1} << 40;

std::vector<std::string_view> Parts(std::string_view list) {
  std::vector<std::string_view> parts;
  for (size_t begin = 0; begin <= list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    if (end > begin) parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<uint64_t> Steps(std::string_view text) {
  uint64_t steps = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, steps);
  if (error != std::errc() || stopped != end || steps > kMostSteps) return std::nullopt;
  return steps;
}

Error Wrong(std::string_view part, std::string_view why, std::string next_step) {
  constexpr size_t kShown = 40;
  return {fmt::format("does not name tensors: '{}' {}", Printable(part.substr(0, kShown)), why),
          std::move(next_step)};
}

Result<std::string> What(std::string_view list) {
  std::vector<std::string_view> words;
  const std::vector<std::string_view> parts = Parts(list);
  for (const std::string_view part : parts) {
    if ((part == "all" || part == "none") && parts.size() == 1) return std::string(part);
    if (std::find(std::begin(kWords), std::end(kWords), part) == std::end(kWords)) {
      return Wrong(part, part == "all" || part == "none" ? "stands alone" : "is unknown",
                   fmt::format("they are {}, or all, or none", fmt::join(kWords, ", ")));
    }
  }
  for (const std::string_view word : kWords) {
    if (std::find(parts.begin(), parts.end(), word) != parts.end()) words.push_back(word);
  }
  if (words.empty()) return Wrong(list, "names none", "write for example gradients,weights,loss");
  return fmt::format("{}", fmt::join(words, ","));
}

// FROM:TO, of steps.
Status CheckRange(std::string_view part) {
  const size_t colon = part.find(':');
  const auto from = colon == 0 ? std::optional<uint64_t>(0) : Steps(part.substr(0, colon));
  const bool open = colon + 1 == part.size();
  const auto to = open ? std::optional(kMostSteps) : Steps(part.substr(colon + 1));
  if (from && to && *from < *to) return {};
  return Wrong(part, "is not a range of steps", "write for example 100:200, or 100:");
}

Status CheckWhen(std::string_view list) {
  const std::vector<std::string_view> parts = Parts(list);
  if (parts.empty()) return Wrong("@", "is followed by nothing", "write for example @every=10");
  for (const std::string_view part : parts) {
    if (part.starts_with(kEvery)) {
      const auto steps = Steps(part.substr(kEvery.size()));
      if (!steps || *steps == 0) return Wrong(part, "is not a number of steps", "as every=10");
    } else if (part.find(':') != std::string_view::npos) {
      STEPTRACE_RETURN_IF_ERROR(CheckRange(part));
    } else {
      return Wrong(part, "does not say when", "write every=STEPS or FROM:TO behind the @");
    }
  }
  return {};
}

}  // namespace

Result<std::string> TensorWords(std::string_view text) {
  std::string plain;
  std::copy_if(text.begin(), text.end(), std::back_inserter(plain),
               [](char c) { return c != ' ' && c != '\t'; });
  if (plain.empty()) return std::string();
  const std::string_view whole = plain;
  const size_t at = whole.find('@');
  STEPTRACE_ASSIGN_OR_RETURN(std::string words, What(whole.substr(0, at)));
  if (at == std::string_view::npos) return words;
  STEPTRACE_RETURN_IF_ERROR(CheckWhen(whole.substr(at + 1)));
  return fmt::format("{}@{}", words, fmt::join(Parts(whole.substr(at + 1)), ","));
}

}  // namespace steptrace::cli
