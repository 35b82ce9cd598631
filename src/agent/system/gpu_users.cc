// SPDX-License-Identifier: Apache-2.0
#include "agent/system/gpu_users.h"

#include <algorithm>
#include <array>
#include <utility>

#include "agent/system/kept_file.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

// Others come and go with jobs, which take minutes.
constexpr int64_t kEveryNs = 15 * kNsPerSecond;
// More on one GPU than anybody starts; of a longer list nothing is told.
constexpr unsigned int kMostProcesses = 64;

// A GPU that is cut into instances is not shared by those on different ones.
bool IsCut(const nvml::Functions& call, nvml::Device device) {
  unsigned int current = 0, pending = 0;
  return call.nvmlDeviceGetMigMode != nullptr &&
         call.nvmlDeviceGetMigMode(device, &current, &pending) == nvml::kSuccess && current != 0;
}

}  // namespace

GpuUsers::GpuUsers(const NvmlLibrary& library, nvml::Device device, int32_t index, std::string name,
                   std::string proc_root)
    : library_(library), device_(device), proc_root_(std::move(proc_root)) {
  use_.device = index;
  use_.name = std::move(name);
  const nvml::Functions& call = library.call();
  std::array<char, nvml::kUuidBytes + 1> uuid{};
  if (call.nvmlDeviceGetUUID != nullptr &&
      call.nvmlDeviceGetUUID(device, uuid.data(), nvml::kUuidBytes) == nvml::kSuccess) {
    use_.uuid = uuid.data();
  }
  off_ = IsCut(call, device);
}

// Nothing: there is no list, now or ever.
std::optional<std::set<int32_t>> GpuUsers::List() {
  const nvml::Functions& call = library_.call();
  auto* list = call.nvmlDeviceGetComputeRunningProcesses_v3 != nullptr
                   ? call.nvmlDeviceGetComputeRunningProcesses_v3
                   : call.nvmlDeviceGetComputeRunningProcesses_v2;
  std::array<nvml::ProcessInfo, kMostProcesses> processes{};
  unsigned int count = kMostProcesses;
  const nvml::Return code =
      list == nullptr ? nvml::kFunctionNotFound : list(device_, &count, processes.data());
  off_ = code == nvml::kNotSupported || code == nvml::kFunctionNotFound ||
         code == nvml::kNoPermission || code == nvml::kGpuIsLost;
  if (code != nvml::kSuccess) return std::nullopt;
  std::set<int32_t> pids;
  for (unsigned int i = 0; i < std::min(count, kMostProcesses); ++i) {
    pids.insert(static_cast<int32_t>(processes[i].pid));
  }
  return pids;
}

bool GpuUsers::IsMps(int32_t pid) const {
  std::string buffer;
  const std::string comm = proc_root_ + "/" + std::to_string(pid) + "/comm";
  return KeptFile(comm).ReadOnce(buffer).value_or("").starts_with("nvidia-cuda-mps");
}

std::optional<GpuUse> GpuUsers::UseOf(int64_t now_ns, const std::set<int32_t>& job) {
  const GpuUse before = use_;
  if (!off_ && now_ns >= next_ns_) {
    const std::set<int32_t> now = List().value_or(std::set<int32_t>());
    int32_t ours = 0, others = 0;
    for (const int32_t pid : now) {
      if (!last_.contains(pid)) continue;
      if (job.contains(pid)) {
        ++ours;
      } else if (!IsMps(pid)) {
        ++others;
      }
    }
    const int32_t all = ours + others;
    if (ours == 0) others = 0;  // whose the numbers are is not known
    use_.processes = std::max(use_.processes, all);
    use_.ours = std::max(use_.ours, ours);
    use_.others = std::max(use_.others, others);
    const bool somebody_new = !std::ranges::includes(last_, now);
    again_ = somebody_new && !again_;
    next_ns_ = again_ ? now_ns : now_ns + kEveryNs;
    last_ = now;
  }
  if (std::exchange(reported_, true) && before == use_) return std::nullopt;
  return use_;
}

}  // namespace steptrace::agent
