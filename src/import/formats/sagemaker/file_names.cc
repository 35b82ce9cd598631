// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/file_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

#include "import/formats/sagemaker/moments.h"
#include "import/json/characters.h"
#include "import/json/numbers.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr int kPlacesToNs = 3;

std::string_view FileName(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view FolderOf(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::vector<std::string_view> Split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// Microseconds since 1970, perhaps with a fraction. None: no such number.
std::optional<int64_t> Microseconds(std::string_view text) {
  if (text.empty() || !json::IsDigit(text[0])) return std::nullopt;
  const auto ns = json::DecimalScaled(text, kPlacesToNs);
  return ns && IsTime(*ns) ? ns : std::nullopt;
}

std::optional<int64_t> Number(std::string_view text) {
  int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return number;
}

struct Kind {
  std::string_view suffix;
  EventFileKind kind;
};
constexpr std::array<Kind, 5> kKinds = {
    {{"_pythontimeline.json", EventFileKind::kPython},
     {"_model_timeline.json", EventFileKind::kModel},
     {"_horovod_timeline.json", EventFileKind::kHorovod},
     {"_smdataparallel_timeline.json", EventFileKind::kDataParallel},
     {"_merged_timeline.json", EventFileKind::kPython}}};

std::pair<size_t, EventFileKind> FindKind(std::string_view name) {
  for (const Kind& one : kKinds) {
    if (const size_t at = name.find(one.suffix); at != std::string_view::npos)
      return {at, one.kind};
  }
  return {std::string_view::npos, EventFileKind::kNone};
}

// "...-<us>": the number at the end of one half of a folder's name.
std::optional<int64_t> TimeAtEnd(std::string_view half) {
  const size_t dash = half.rfind('-');
  return dash == std::string_view::npos ? std::nullopt : Microseconds(half.substr(dash + 1));
}

// "<mode>-<step>-<phase>-<us>"
std::optional<int64_t> StepOfHalf(std::string_view half) {
  const auto parts = Split(half, '-');
  return parts.size() >= 4 ? Number(parts[parts.size() - 3]) : std::nullopt;
}

}  // namespace

ProcessName ParseNodeId(std::string_view node_id) {
  const size_t dash = node_id.find('-');
  if (dash != std::string_view::npos && dash + 1 < node_id.size()) {
    if (const auto pid = Number(node_id.substr(0, dash)); pid && *pid > 0) {
      return {std::string(node_id.substr(dash + 1)), *pid};
    }
  }
  return {std::string(node_id), 0};
}

EventFileKind EventFileKindOf(std::string_view path) {
  return FindKind(FileName(path)).second;
}

ProcessName EventFileProcess(std::string_view path) {
  const std::string_view name = FileName(path);
  const size_t end = FindKind(name).first;
  const size_t begin = name.find('_');
  if (end == std::string_view::npos || begin >= end || !Number(name.substr(0, begin))) return {};
  return ParseNodeId(name.substr(begin + 1, end - begin - 1));
}

std::optional<MetadataName> ParseMetadataName(std::string_view path) {
  constexpr std::string_view kEnd = ".metadata";
  std::string_view name = FileName(path);
  if (name.size() <= kEnd.size() || name.substr(name.size() - kEnd.size()) != kEnd) return {};
  name.remove_suffix(kEnd.size());
  const size_t second = name.rfind('_');
  const size_t first = second == std::string_view::npos || second == 0
                           ? std::string_view::npos
                           : name.rfind('_', second - 1);
  if (first == std::string_view::npos) return std::nullopt;
  const auto start_ns = Microseconds(name.substr(first + 1, second - first - 1));
  const auto end_ns = Microseconds(name.substr(second + 1));
  if (!start_ns || !end_ns) return std::nullopt;
  return MetadataName{ParseNodeId(name.substr(0, first)), *start_ns, *end_ns};
}

std::string_view MetadataFolder(std::string_view path) {
  const size_t at = path.rfind("/plugins/profile/");
  return at == std::string_view::npos ? FolderOf(path) : path.substr(0, at);
}

std::string TimelineHost(std::string_view path) {
  const std::string_view name = FileName(path);
  const size_t at = name.find(".trace.json");
  return std::string(at == std::string_view::npos ? std::string_view() : name.substr(0, at));
}

ProfileWindow ParseProfileWindow(std::string_view path) {
  const std::string_view folder = FolderOf(path);
  const std::string_view name = FileName(folder);
  ProfileWindow window;
  window.name = name;
  const auto parts = Split(name, '_');
  const auto start_ns = Microseconds(parts[0]);
  const auto end_ns = parts.size() > 1 ? Microseconds(parts[1]) : std::nullopt;
  if (start_ns && end_ns) {
    window.start_ns = start_ns;
    window.end_ns = end_ns;
    window.step = parts.size() > 3 ? Number(parts.back()) : std::nullopt;
    const size_t begin = parts[0].size() + parts[1].size() + 2;
    const size_t last = parts.size() > 3 ? parts.back().size() + 1 : 0;
    if (begin + last < name.size()) {
      window.process = ParseNodeId(name.substr(begin, name.size() - begin - last));
    }
    return window;
  }
  // Names of modes and phases hold no "_" and the first half ends in its time.
  for (size_t at = name.find('_'); at != std::string_view::npos; at = name.find('_', at + 1)) {
    const auto from_ns = TimeAtEnd(name.substr(0, at));
    const auto to_ns = TimeAtEnd(name.substr(at + 1));
    if (!from_ns || !to_ns) continue;
    window.start_ns = from_ns;
    window.end_ns = to_ns;
    window.step = StepOfHalf(name.substr(0, at));
    window.process = ParseNodeId(FileName(FolderOf(folder)));
    break;
  }
  return window;
}

bool NaturalLess(std::string_view a, std::string_view b) {
  size_t i = 0, j = 0;
  const auto digits = [](std::string_view text, size_t& at) {
    while (at < text.size() && text[at] == '0') ++at;
    const size_t from = at;
    while (at < text.size() && json::IsDigit(text[at])) ++at;
    return text.substr(from, at - from);
  };
  while (i < a.size() && j < b.size()) {
    if (json::IsDigit(a[i]) && json::IsDigit(b[j])) {
      const auto x = digits(a, i), y = digits(b, j);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      continue;
    }
    if (a[i] != b[j]) return a[i] < b[j];
    ++i, ++j;
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;
}

}  // namespace steptrace::import::sagemaker
