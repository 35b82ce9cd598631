// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/module_tree.h"

#include <algorithm>

#include "analyze/operators/detail_members.h"
#include "analyze/operators/vector_index.h"

namespace steptrace::analyze {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

// A frame is written `path/file.py(line): function`.
struct Frame {
  std::string_view file;  // without its folders
  std::string_view line;
  std::string_view function;
};

Frame ReadFrame(std::string_view text) {
  const size_t function = text.rfind("): ");
  if (function == text.npos) return {text, {}, {}};
  const size_t line = text.rfind('(', function);
  if (line == text.npos) return {text, {}, {}};
  std::string_view file = text.substr(0, line);
  file.remove_prefix(file.find_last_of("/\\") + 1);
  return {file, text.substr(line + 1, function - line - 1), text.substr(function + 3)};
}

std::string_view Stem(std::string_view file) {
  return file.ends_with(".py") ? file.substr(0, file.size() - 3) : file;
}

// Of torch.nn.Module itself: between a module and the place that calls it.
bool IsCallMachinery(const Frame& frame) {
  return frame.function == "_call_impl" || frame.function == "_wrapped_call_impl" ||
         frame.function == "__call__" || frame.function == "_slow_forward";
}

}  // namespace

int32_t ModuleTree::Node(int32_t parent, const CalledModule& called) {
  auto [found, added] =
      nodes_.try_emplace({parent, called.Name()}, static_cast<int32_t>(rows_.size()));
  if (added) {
    ModuleRow& row = rows_.emplace_back();
    row.name = found->first.second;
    row.module = called.module;
    row.parent = parent;
    row.depth = parent == kNone ? 0 : rows_[At(parent)].depth + 1;
  }
  return found->second;
}

void ModuleTree::SumUp(ModuleTimes ModuleRow::*times) {
  for (ModuleRow& row : rows_) {
    (row.*times).host_total_ns = (row.*times).host_self_ns;
    (row.*times).device_total_ns = (row.*times).device_self_ns;
  }
  for (size_t i = rows_.size(); i-- > 0;) {  // children are made after their parents
    if (rows_[i].parent == kNone) continue;
    ModuleTimes& parent = rows_[At(rows_[i].parent)].*times;
    parent.host_total_ns += (rows_[i].*times).host_total_ns;
    parent.device_total_ns += (rows_[i].*times).device_total_ns;
  }
}

std::vector<ModuleRow> ModuleTree::Take() {
  std::vector<std::vector<int32_t>> children(rows_.size());
  std::vector<int32_t> waiting;  // the next to take is the last
  for (size_t i = rows_.size(); i-- > 0;) {
    const int32_t parent = rows_[i].parent;
    (parent == kNone ? waiting : children[At(parent)]).push_back(static_cast<int32_t>(i));
  }
  std::vector<int32_t> place(rows_.size());
  std::vector<ModuleRow> ordered;
  while (!waiting.empty()) {
    const int32_t node = waiting.back();
    waiting.pop_back();
    place[At(node)] = static_cast<int32_t>(ordered.size());
    ModuleRow& row = ordered.emplace_back(std::move(rows_[At(node)]));
    if (row.parent != kNone) row.parent = place[At(row.parent)];
    waiting.insert(waiting.end(), children[At(node)].begin(), children[At(node)].end());
  }
  rows_.clear();
  nodes_.clear();
  return ordered;
}

std::vector<CalledModule> HierarchyPath(std::string_view details) {
  const std::string hierarchy = DetailText(DetailMember(details, "Module Hierarchy"));
  std::vector<CalledModule> path;
  for (std::string_view part : Split(hierarchy, '.')) path.push_back({std::string(part)});
  return path;
}

std::vector<CalledModule> StackPath(std::string_view details) {
  const std::string stack = DetailText(DetailMember(details, "Call stack"));
  const std::vector<std::string_view> frames = Split(stack, ';');  // innermost first
  std::vector<CalledModule> path;
  for (size_t i = 0; i < frames.size(); ++i) {
    const Frame frame = ReadFrame(frames[i]);
    if (frame.function != "forward") continue;
    CalledModule called{std::string(Stem(frame.file))};
    size_t outer = i + 1;
    while (outer < frames.size() && IsCallMachinery(ReadFrame(frames[outer]))) ++outer;
    if (outer < frames.size()) {
      const Frame caller = ReadFrame(frames[outer]);
      called.at = std::string(caller.file) + ":" + std::string(caller.line);
    }
    path.push_back(std::move(called));
  }
  std::reverse(path.begin(), path.end());
  return path;
}

}  // namespace steptrace::analyze
