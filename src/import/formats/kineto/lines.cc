// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/lines.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace steptrace::import::kineto {
namespace {

constexpr size_t kMostNames = 1 << 12;

// msprof numbers its lines of a process: pid << 10 | layer << 5 | device.
constexpr int64_t kDevices = 1 << 5;
constexpr int64_t kLinesOfProcess = 1 << 10;

std::optional<int64_t> NumberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

template <size_t N>
bool IsAny(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

}  // namespace

void LineNames::NameProcess(std::string_view pid, std::string_view name) {
  constexpr std::pair<std::string_view, Process> kNames[] = {
      {"Ascend Hardware", Process::kNpuStreams},
      {"HCCL", Process::kNpuCollectives},
      {"Communication", Process::kNpuCollectives},  // as newer ones call it
      {"CANN", Process::kNpuHost},
      {"Overlap Analysis", Process::kNpuFigures}};
  const auto known = std::find_if(std::begin(kNames), std::end(kNames),
                                  [name](const auto& one) { return one.first == name; });
  const auto number = NumberIn(pid);
  if (known == std::end(kNames) || !number || told_.size() >= kMostNames) return;
  const auto [at, added] = processes_.try_emplace(std::string(pid));
  if (!added) return;
  told_.push_back({std::string(pid), {}, std::string(name)});
  at->second.process = known->second;
  has_npu_ = has_npu_ || known->second == Process::kNpuStreams;
  if (*number < kLinesOfProcess) return;  // not numbered so
  at->second.device = static_cast<int32_t>(*number % kDevices);
  at->second.host_pid = std::to_string(*number / kLinesOfProcess);
}

void LineNames::NameThread(std::string_view pid, std::string_view tid, std::string_view name) {
  const auto process = processes_.find(pid);
  if (process == processes_.end() || process->second.process != Process::kNpuCollectives) return;
  if (told_.size() >= kMostNames) return;
  const LineKind kind = name.starts_with("Plane") ? LineKind::kNpuPlane : LineKind::kNpuCollectives;
  if (!process->second.threads.try_emplace(std::string(tid), kind).second) return;
  told_.push_back({std::string(pid), std::string(tid), std::string(name)});
}

Line LineNames::Of(std::string_view pid, std::string_view tid) const {
  const auto found = processes_.find(pid);
  if (found == processes_.end() || !has_npu_) return {};
  const Known& known = found->second;
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
    case Process::kNpuCollectives: {
      const auto thread = known.threads.find(tid);
      line.kind = thread == known.threads.end() ? LineKind::kNpuCollectives : thread->second;
      break;
    }
  }
  return line;
}

void LineNames::Take(const LineNames& later, size_t from) {
  for (size_t i = from; i < later.told_.size(); ++i) {
    const Told& told = later.told_[i];
    if (told.tid.empty()) {
      NameProcess(told.pid, told.name);
    } else {
      NameThread(told.pid, told.tid, told.name);
    }
  }
}

void LateNames::TakePlain(std::string_view pid) {
  constexpr size_t kMostPids = 1 << 8;
  if (pid == last_pid_ && !plain_pids_.empty()) return;
  last_pid_ = pid;
  if (plain_pids_.size() < kMostPids) {
    plain_pids_.insert(last_pid_);
  } else if (!plain_pids_.contains(last_pid_)) {
    has_more_ = true;
  }
}

void LateNames::Look(const LineNames& names) {
  if (came_) return;
  came_ = has_more_ ||
          std::any_of(plain_pids_.begin(), plain_pids_.end(), [&names](const std::string& pid) {
            return names.Of(pid, {}).kind != LineKind::kPlain;
          });
}

void LateNames::Take(const LateNames& later) {
  for (const std::string& pid : later.plain_pids_) TakePlain(pid);
  has_more_ = has_more_ || later.has_more_;
  came_ = came_ || later.came_;
}

std::string_view NpuTaskCategory(std::string_view type, std::string_view name) {
  // Parts of a collective, which HCCL's own line tells as a whole.
  constexpr std::array<std::string_view, 7> kOfCollective = {
      "Notify Wait", "Notify Record", "Write Value",  "SDMA",
      "RDMA",        "HCCL_AI_CPU",   "Reduce Inline"};
  if (name.starts_with("hcom_") || IsAny(type, kOfCollective)) return "hccl_task";
  if (name.starts_with("MEMSET")) return "gpu_memset";
  constexpr std::array<std::string_view, 3> kCopies = {"PCIE_DMA_SQE", "SDMA_SQE", "MEMCPY_ASYNC"};
  if (name.starts_with("MEMCPY") || IsAny(type, kCopies)) return "gpu_memcpy";
  for (std::string_view word : {"EVENT_", "NOTIFY_", "WRITE_VALUE", "PLACE_HOLDER", "STREAM_WAIT",
                                "PROFILING_", "PROFILER_", "MODEL_MAINTENANCE", "MAINTENANCE"}) {
    if (type.starts_with(word)) return "npu_sync";
  }
  constexpr std::array<std::string_view, 14> kComputes = {
      "AI_CORE", "AI_VECTOR_CORE", "AI_CPU",    "AIV_SQE", "AIC",       "AIV",       "MIX_AIC",
      "MIX_AIV", "DSA_SQE",        "FFTS_PLUS", "VPC_SQE", "JPEGE_SQE", "JPEGD_SQE", "C_CORE_SQE"};
  if (type.starts_with("KERNEL_") || IsAny(type, kComputes)) return "kernel";
  return "npu_task";
}

int64_t NpuTypeBytes(std::string_view type) {
  constexpr std::pair<std::string_view, int64_t> kTypes[] = {
      {"FP32", 4},   {"FP16", 2},   {"BFP16", 2},   {"BF16", 2},    {"FP64", 8},  {"INT8", 1},
      {"INT16", 2},  {"INT32", 4},  {"INT64", 8},   {"INT128", 16}, {"UINT8", 1}, {"UINT16", 2},
      {"UINT32", 4}, {"UINT64", 8}, {"FP8E4M3", 1}, {"FP8E5M2", 1}, {"HIF8", 1}};
  for (const auto& [name, bytes] : kTypes) {
    if (type == name) return bytes;
  }
  return -1;
}

std::optional<HcclCall> HcclCallIn(std::string_view name) {
  constexpr std::string_view kBetween = "__";
  const size_t between = name.find(kBetween);
  if (!name.starts_with("hcom_") || between == std::string_view::npos) return std::nullopt;
  const size_t group_at = between + kBetween.size();
  const size_t group_end = name.find('_', group_at);
  if (group_end == std::string_view::npos) return std::nullopt;
  const std::string_view rest = name.substr(group_end + 1);
  const auto group = NumberIn(name.substr(group_at, group_end - group_at));
  const auto number = NumberIn(rest.substr(0, rest.find('_')));
  if (!group || !number) return std::nullopt;
  return HcclCall{name.substr(0, group_end), *group, *number};
}

}  // namespace steptrace::import::kineto
