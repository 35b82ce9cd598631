// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/named_lines.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "import/core/natural_number.h"
#include "import/core/xla_events.h"

namespace steptrace::import::kineto {
namespace {

constexpr size_t kMostNames = 1 << 12;
// Of a name, a pid or a tid that tells a line: each piece of a file gets all of them.
constexpr size_t kMostNameBytes = 256;

// msprof numbers its lines of a process: pid << 10 | layer << 5 | device.
constexpr int64_t kDevices = 1 << 5;
constexpr int64_t kLinesOfProcess = 1 << 10;

}  // namespace

std::optional<LineNames::Known> LineNames::KnownBy(std::string_view pid, std::string_view name) {
  constexpr std::pair<std::string_view, Process> kNames[] = {
      {"Ascend Hardware", Process::kNpuStreams},
      {"HCCL", Process::kNpuCollectives},
      {"Communication", Process::kNpuCollectives},  // as newer ones call it
      {"CANN", Process::kNpuHost},
      {"Overlap Analysis", Process::kNpuFigures}};
  Known known;
  if (const auto device = XlaDeviceIn(name)) {
    known.process = Process::kXlaDevice;
    known.device = *device;
    return known;
  }
  if (name.ends_with("/host:CPU")) {
    known.process = Process::kXlaHost;
    return known;
  }
  const auto found = std::find_if(std::begin(kNames), std::end(kNames),
                                  [name](const auto& one) { return one.first == name; });
  const auto number = NaturalIn(pid);
  if (found == std::end(kNames) || !number) return std::nullopt;
  known.process = found->second;
  if (*number < kLinesOfProcess) return known;  // not numbered so
  known.device = static_cast<int32_t>(*number % kDevices);
  known.host_pid = std::to_string(*number / kLinesOfProcess);
  return known;
}

void LineNames::NameProcess(std::string_view pid, std::string_view name) {
  if (std::max(pid.size(), name.size()) > kMostNameBytes) return;
  auto known = KnownBy(pid, name);
  if (!known || reported_.size() >= kMostNames) return;
  const auto [at, added] = processes_.try_emplace(std::string(pid), std::move(*known));
  if (!added) return;
  reported_.push_back({std::string(pid), {}, std::string(name)});
  const Known& kept = at->second;
  if (kept.process != Process::kNpuStreams) return;
  has_npu_ = true;
  if (!kept.host_pid.empty()) npu_hosts_.insert(kept.host_pid);
}

void LineNames::NameThread(std::string_view pid, std::string_view tid, std::string_view name) {
  if (std::max({pid.size(), tid.size(), name.size()}) > kMostNameBytes) return;
  const auto process = processes_.find(pid);
  if (process == processes_.end() || reported_.size() >= kMostNames) return;
  Thread thread;
  if (process->second.process == Process::kNpuCollectives) {
    thread.kind = name.starts_with("Plane") ? LineKind::kNpuPlane : LineKind::kNpuCollectives;
  } else if (process->second.process == Process::kXlaDevice) {
    thread.stream = XlaStreamIn(name);
    thread.kind = thread.stream >= 0  ? LineKind::kXlaStream
                  : name == "XLA Ops" ? LineKind::kXlaOps
                                      : LineKind::kXlaDerived;
  } else {
    return;
  }
  if (!process->second.threads.try_emplace(std::string(tid), thread).second) return;
  process->second.has_streams = process->second.has_streams || thread.stream >= 0;
  reported_.push_back({std::string(pid), std::string(tid), std::string(name)});
}

Line LineNames::Of(std::string_view pid, std::string_view tid) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end()) return {};
  const Known& known = found->second;
  const bool of_xla = known.process >= Process::kXlaDevice;
  if (!of_xla && !has_npu_) return {};
  const auto thread = known.threads.find(tid);
  const bool is_named = thread != known.threads.end();
  Line line{LineKind::kPlain, known.device, known.host_pid};
  switch (known.process) {
    case Process::kNpuStreams:
      line.kind = LineKind::kNpuStream;
      break;
    case Process::kNpuHost:
      line.kind = LineKind::kNpuHost;
      break;
    case Process::kNpuFigures:
      line.kind = LineKind::kNpuFigures;
      break;
    case Process::kNpuCollectives:
      line.kind = is_named ? thread->second.kind : LineKind::kNpuCollectives;
      break;
    case Process::kXlaHost:
      line.kind = LineKind::kXlaHost;
      break;
    case Process::kXlaDevice:
      line.kind = is_named ? thread->second.kind : LineKind::kXlaDerived;
      // Where there are streams, the operations are reported again.
      if (line.kind == LineKind::kXlaOps && known.has_streams) line.kind = LineKind::kXlaDerived;
      if (is_named) line.stream = thread->second.stream;
      break;
  }
  return line;
}

std::string_view LineNames::NpuHostOf(std::string_view pid) const {
  const auto number = NaturalIn(pid);
  if (!number || *number < kLinesOfProcess) return {};
  const auto found = npu_hosts_.find(std::to_string(*number / kLinesOfProcess));
  return found == npu_hosts_.end() ? std::string_view() : std::string_view(*found);
}

void LineNames::Take(const LineNames& later, size_t from) {
  for (size_t i = from; i < later.reported_.size(); ++i) {
    const ReportedName& reported = later.reported_[i];
    if (reported.tid.empty()) {
      NameProcess(reported.pid, reported.name);
    } else {
      NameThread(reported.pid, reported.tid, reported.name);
    }
  }
}

void LateNames::TakeLine(std::string_view pid, std::string_view tid, LineKind kind) {
  constexpr size_t kMostLines = 1 << 8;
  std::string key(pid);
  key += '\n';
  key += tid;
  if (taken_.size() < kMostLines) {
    taken_.try_emplace(std::move(key), Taken{std::string(pid), std::string(tid), kind});
  } else if (!taken_.contains(key)) {
    has_more_ = true;
  }
}

void LateNames::Update(const LineNames& names) {
  if (came_) return;
  came_ = has_more_ || std::any_of(taken_.begin(), taken_.end(), [&names](const auto& one) {
            const Taken& taken = one.second;
            return names.Of(taken.pid, taken.tid).kind != taken.kind;
          });
}

void LateNames::Take(const LateNames& later) {
  for (const auto& [key, taken] : later.taken_) TakeLine(taken.pid, taken.tid, taken.kind);
  has_more_ = has_more_ || later.has_more_;
  came_ = came_ || later.came_;
}

}  // namespace steptrace::import::kineto
