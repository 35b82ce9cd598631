// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/inert_text.h"
#include "base/time.h"
#include "serve/export/formats.h"

// The stacks that were sampled, for viewers of flame graphs: speedscope's file format
// (jlfwong/speedscope, src/lib/file-format-spec.ts) and the folded lines of flamegraph.pl.
namespace steptrace::exporter {
namespace {

constexpr int64_t kMostNs = int64_t{1} << 61;
constexpr size_t kMaxDepth = 4096;  // of a run from elsewhere; a cycle is cut there

std::string Json(const std::string& text) {
  return InertJson(
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

// The stacks of a run in memory: they are few beside their samples.
class StackTree {
 public:
  struct Frame {
    std::string function;
    std::string file;
    int32_t line = 0;
    auto operator<=>(const Frame&) const = default;
  };

  static Result<StackTree> Read(const RowSource& source) {
    StackTree tree;
    STEPTRACE_RETURN_IF_ERROR(ForEachStack(source, [&](const StackCells& cells) {
      tree.Add(cells);
      return Status();
    }));
    for (const auto& [frame, number] : tree.numbers_) tree.frames_[number] = &frame;
    return tree;
  }

  // The frames of a stack by number, outermost first; none: the run has no such stack.
  std::vector<size_t> FramesOf(int32_t stack) const {
    std::vector<size_t> frames;
    for (auto node = nodes_.find(stack); node != nodes_.end() && frames.size() < kMaxDepth;
         node = nodes_.find(node->second.parent)) {
      frames.push_back(node->second.frame);
    }
    std::reverse(frames.begin(), frames.end());
    return frames;
  }
  size_t frame_count() const { return frames_.size(); }
  const Frame& frame(size_t number) const { return *frames_[number]; }

 private:
  struct Node {
    int32_t parent = -1;
    size_t frame = 0;
  };

  void Add(const StackCells& cells) {
    const auto [frame, added] =
        numbers_.try_emplace({cells.function, cells.file, cells.line}, numbers_.size());
    if (added) frames_.push_back(nullptr);
    nodes_[cells.stack] = {cells.parent.value_or(-1), frame->second};
  }

  std::unordered_map<int32_t, Node> nodes_;
  std::map<Frame, size_t> numbers_;
  std::vector<const Frame*> frames_;  // keys of numbers_, by number
};

// What a sample stands for: a run from elsewhere may say anything.
int64_t IntervalOf(const SampleCells& sample) {
  constexpr int64_t kLongestNs = 3600 * kNsPerSecond;
  return std::clamp<int64_t>(sample.interval_ns, 0, kLongestNs);
}

// What a thread's samples stand for together.
struct ThreadTotal {
  int64_t first_ns = 0;
  int64_t total_ns = 0;
};

Result<std::map<int32_t, ThreadTotal>> ReadTotals(const RowSource& source) {
  std::map<int32_t, ThreadTotal> totals;
  STEPTRACE_RETURN_IF_ERROR(ForEachSample(source, std::nullopt, [&](const SampleCells& sample) {
    const auto [total, first] = totals.try_emplace(sample.track);
    if (first) {
      total->second.first_ns = std::clamp(sample.ts_ns, -kMostNs, kMostNs) - IntervalOf(sample);
    }
    total->second.total_ns = std::min(kMostNs, total->second.total_ns + IntervalOf(sample));
    return Status();
  }));
  if (totals.empty()) {
    for (const store::DamagedSegment& part : source.damaged) {
      if (part.table != "samples") continue;
      return part.why.Of((source.run / part.segment.file).string());
    }
    return Error{fmt::format("{}: holds no samples of stacks", source.run.string()),
                 "record them with steptrace run --stack-rate 20"};
  }
  return totals;
}

std::string NameOf(const ExportTrack& track) {
  std::string name = track.name.empty() ? fmt::format("thread {}", track.tid) : track.name;
  if (track.rank >= 0) name = fmt::format("rank {} ", track.rank) + name;
  return name + fmt::format(" ({}/{})", track.pid, track.tid);
}

Status WriteFrames(const StackTree& tree, Output& output) {
  for (size_t number = 0; number < tree.frame_count(); ++number) {
    const StackTree::Frame& frame = tree.frame(number);
    std::string text = number == 0 ? "\n" : ",\n";
    text += R"({"name":)" + Json(frame.function);
    if (!frame.file.empty()) text += R"(,"file":)" + Json(frame.file);
    if (frame.line > 0) text += fmt::format(R"(,"line":{})", frame.line);
    STEPTRACE_RETURN_IF_ERROR(output.Write(text + "}"));
  }
  return {};
}

// Its samples, then the time that each stands for: two looks at the rows, which may be too many to
// hold.
Status WriteProfile(const RowSource& source, const StackTree& tree, int32_t track,
                    const ThreadTotal& total, const std::string& name, Output& output) {
  STEPTRACE_RETURN_IF_ERROR(output.Write(fmt::format(
      R"({{"type":"sampled","name":{},"unit":"nanoseconds","startValue":{},"endValue":{},"samples":[)",
      Json(name), total.first_ns, total.first_ns + total.total_ns)));
  const char* separator = "";
  STEPTRACE_RETURN_IF_ERROR(ForEachSample(source, track, [&](const SampleCells& sample) {
    const std::vector<size_t> frames = tree.FramesOf(sample.stack);
    std::string text = std::exchange(separator, ",");
    text += fmt::format("[{}]", fmt::join(frames, ","));
    return output.Write(text);
  }));
  STEPTRACE_RETURN_IF_ERROR(output.Write(R"(],"weights":[)"));
  separator = "";
  STEPTRACE_RETURN_IF_ERROR(ForEachSample(source, track, [&](const SampleCells& sample) {
    return output.Write(fmt::format("{}{}", std::exchange(separator, ","), IntervalOf(sample)));
  }));
  return output.Write("]}");
}

// What separates frames is no part of a name; what separates lines is hidden, and so an escape.
std::string FoldedName(const std::string& text) {
  std::string name = InertText(text);
  std::replace(name.begin(), name.end(), ';', ':');
  return name;
}

std::string FoldedFrame(const StackTree::Frame& frame) {
  if (frame.file.empty()) return FoldedName(frame.function);
  return FoldedName(fmt::format("{} ({}:{})", frame.function, frame.file, frame.line));
}

}  // namespace

Status WriteSpeedscope(const std::filesystem::path& run, RunFrame& frame, Output& output) {
  const RowSource source{run, frame.damaged};
  STEPTRACE_ASSIGN_OR_RETURN(const auto totals, ReadTotals(source));
  STEPTRACE_ASSIGN_OR_RETURN(const StackTree tree, StackTree::Read(source));
  STEPTRACE_RETURN_IF_ERROR(output.Write(fmt::format(
      R"({{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"steptrace",)"
      R"("name":{},"activeProfileIndex":0,"shared":{{"frames":[)",
      Json(frame.manifest.name))));
  STEPTRACE_RETURN_IF_ERROR(WriteFrames(tree, output));
  STEPTRACE_RETURN_IF_ERROR(output.Write("]},\"profiles\":["));
  const char* separator = "\n";
  for (const auto& [track, total] : totals) {
    STEPTRACE_RETURN_IF_ERROR(output.Write(std::exchange(separator, ",\n")));
    STEPTRACE_RETURN_IF_ERROR(
        WriteProfile(source, tree, track, total, NameOf(frame.Track(track)), output));
  }
  return output.Write("]}\n");
}

Status WriteFolded(const std::filesystem::path& run, RunFrame& frame, Output& output) {
  const RowSource source{run, frame.damaged};
  std::map<std::pair<int32_t, int32_t>, int64_t> sums;  // ns by track and stack
  STEPTRACE_RETURN_IF_ERROR(ForEachSample(source, std::nullopt, [&](const SampleCells& sample) {
    int64_t& sum_ns = sums[{sample.track, sample.stack}];
    sum_ns = std::min(kMostNs, sum_ns + IntervalOf(sample));
    return Status();
  }));
  if (sums.empty()) return ReadTotals(source).error();
  STEPTRACE_ASSIGN_OR_RETURN(const StackTree tree, StackTree::Read(source));
  for (const auto& [key, sum_ns] : sums) {
    std::string line = FoldedName(NameOf(frame.Track(key.first)));
    for (size_t number : tree.FramesOf(key.second)) line += ";" + FoldedFrame(tree.frame(number));
    STEPTRACE_RETURN_IF_ERROR(output.Write(fmt::format("{} {}\n", line, sum_ns)));
  }
  return {};
}

}  // namespace steptrace::exporter
