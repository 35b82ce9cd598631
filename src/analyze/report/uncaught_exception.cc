// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/uncaught_exception.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "analyze/code/code_place.h"
#include "store/metadata_json.h"

namespace steptrace::analyze {
namespace {

using Key = store::MetadataKey;
using nlohmann::json;

// As the hooks bound them, with room for what is taken out and put in between.
constexpr size_t kMostTextBytes = 8192;
constexpr size_t kMostFrames = 64;
// torchrun's, and those of torch.multiprocessing.spawn().
constexpr std::string_view kOfLaunchers[] = {"ChildFailedError", "ProcessRaisedException",
                                             "ProcessExitedException"};

std::string Text(const json& value) {
  return value.is_string() ? value.get<std::string>().substr(0, kMostTextBytes) : "";
}

std::string Text(const json& fact, Key key) {
  const json* found = store::Find(fact, key);
  return found == nullptr ? "" : Text(*found);
}

struct ReportedFrame {
  std::string file;
  std::string function;
  int32_t line = 0;
};

// ["train.py", 6, "<module>"]
ReportedFrame FrameOf(const json& reported) {
  ReportedFrame frame;
  if (!reported.is_array() || reported.size() != 3) return frame;
  frame.file = Text(reported[0]);
  frame.function = Text(reported[2]);
  if (reported[1].is_number_integer()) {
    frame.line =
        static_cast<int32_t>(std::clamp<int64_t>(reported[1].get<int64_t>(), 0, INT32_MAX));
  }
  return frame;
}

ReportedFrame PlaceIn(const json* frames) {
  ReportedFrame innermost;
  if (frames == nullptr || !frames->is_array()) return innermost;
  for (size_t i = 0; i < std::min(frames->size(), kMostFrames); ++i) {
    ReportedFrame frame = FrameOf((*frames)[i]);
    if (frame.file.empty()) continue;
    if (PlaceOf(frame.file).origin == CodeOrigin::kUser && !IsGenerated(frame.file)) return frame;
    if (innermost.file.empty()) innermost = std::move(frame);
  }
  return innermost;
}

}  // namespace

bool IsInterrupt(const UncaughtException& one) {
  return one.type == "KeyboardInterrupt";
}

bool EndedAProcess(const UncaughtException& one) {
  return one.thread.empty() && !IsInterrupt(one);
}

bool IsOfALauncher(const UncaughtException& one) {
  return std::ranges::any_of(kOfLaunchers,
                             [&one](std::string_view type) { return one.type.ends_with(type); });
}

std::vector<UncaughtException> ReadUncaught(std::span<const store::RunMetadataRow> rows,
                                            const store::StringTable& strings) {
  std::vector<UncaughtException> all;
  for (const store::RunMetadataRow& row : rows) {
    if (strings.Text(row.kind) != store::MetadataKind::kException) continue;
    const json fact = store::ParseMetadata(row.json);
    if (fact.is_null()) continue;
    UncaughtException one;
    one.ts_ns = row.ts_ns;
    one.node = row.node;
    one.rank = row.rank;
    one.pid = row.pid;
    one.type = Text(fact, Key::kType);
    one.message = Text(fact, Key::kMessage);
    one.thread = Text(fact, Key::kThread);
    const ReportedFrame place = PlaceIn(store::Find(fact, Key::kFrames));
    one.file = place.file;
    one.function = place.function;
    one.line = place.line;
    if (!one.type.empty()) all.push_back(std::move(one));
  }
  std::ranges::stable_sort(all, {}, &UncaughtException::ts_ns);
  return all;
}

}  // namespace steptrace::analyze
