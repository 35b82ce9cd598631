// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// What Debugger says in the names of its files and folders: the node, the process, times. All of it
// is optional: a file that was renamed is read too.
namespace steptrace::import::sagemaker {

// "905-algo-1": process 905 of node algo-1. Without a number in front the whole is the node.
struct ProcessName {
  std::string host;
  int64_t pid = 0;  // 0: unknown

  auto operator<=>(const ProcessName&) const = default;
};
ProcessName ParseNodeId(std::string_view node_id);

enum class EventFileKind { kNone, kPython, kModel, kHorovod, kDataParallel };
// Of "<end>_<node id>_<kind>.json", whatever follows.
EventFileKind EventFileKindOf(std::string_view path);
ProcessName EventFileProcess(std::string_view path);

// "<node id>_<start us>_<end us>.metadata": the time base of the TensorFlow timelines beside it.
struct MetadataName {
  ProcessName process;
  int64_t start_ns = 0;
  int64_t end_ns = 0;
};
std::optional<MetadataName> ParseMetadataName(std::string_view path);

// The folder in which a TensorFlow timeline's metadata lies: what precedes /plugins/profile/.
std::string_view MetadataFolder(std::string_view path);
// "<host>.trace.json.gz" -> host
std::string TimelineHost(std::string_view path);

// The folder of a Python profile: "<start us>_<end us>_<node id>_<step>", or, later,
// "<node id>/<mode>-<step>-<phase>-<start us>_<mode>-<step>-<phase>-<end us>".
struct ProfileWindow {
  ProcessName process;
  std::optional<int64_t> start_ns;
  std::optional<int64_t> end_ns;
  std::optional<int64_t> step;
  std::string name;  // as written
};
ProfileWindow ParseProfileWindow(std::string_view path);

// Order of people: algo-2 before algo-10.
bool NaturalLess(std::string_view a, std::string_view b);

}  // namespace steptrace::import::sagemaker
