// SPDX-License-Identifier: Apache-2.0
// Every parser of the kernel's texts, on any bytes. The first byte chooses the parser, so that the
// fuzzer finds each one's paths; what must hold of any answer is checked here.

#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "agent/system/cgroup_path.h"
#include "agent/system/cgroup_reader.h"
#include "agent/system/cpu_reader.h"
#include "agent/system/disk_reader.h"
#include "agent/system/memory_reader.h"
#include "agent/system/network_reader.h"
#include "agent/system/pressure_reader.h"
#include "agent/system/process_text.h"

namespace steptrace::agent {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

bool IsPartOf(std::string_view part, std::string_view whole) {
  return part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size();
}

void FuzzCpu(std::string_view text) {
  ProcStat stat;
  ParseProcStat(text, stat);
  for (size_t i = 1; i < stat.lines.size(); ++i) {
    Require(stat.lines[i - 1].core < stat.lines[i].core);
  }
}

void FuzzMemory(std::string_view text) {
  if (const auto info = ParseMeminfo(text)) Require(info->available_bytes <= info->total_bytes);
}

void FuzzDisk(std::string_view text) {
  std::vector<DiskCounters> disks;
  ParseDiskstats(text, disks);
  for (const DiskCounters& disk : disks) {
    Require(!disk.name.empty() && IsPartOf(disk.name, text));
    IsWholeDisk("/nonexistent", disk.name);
  }
}

void FuzzNetwork(std::string_view text) {
  std::vector<InterfaceCounters> interfaces;
  ParseNetDev(text, interfaces);
  for (const auto& interface : interfaces) {
    Require(!interface.name.empty() && IsPartOf(interface.name, text));
  }
}

// The first line is the process's, the rest the mounts.
void FuzzCgroup(std::string_view text) {
  const size_t half = text.size() / 2;
  const auto mounts = ParseCgroupMounts(text.substr(half));
  const auto memberships = ParseCgroupMemberships(text.substr(0, half));
  for (const char* controller : {"cpu", "cpuacct", "memory"}) {
    const auto found = FindCgroup(mounts, memberships, controller);
    if (!found) continue;
    Require(!found->folders.empty());
    for (const std::string& folder : found->folders) {
      Require(folder.starts_with(found->folders.back()));
      Require(folder.find("/..", found->folders.back().size()) == std::string::npos);
    }
  }
}

void FuzzLimits(std::string_view text) {
  const auto cores = ParseCpuMax(text);
  Require(!cores || *cores > 0);
  const auto quota = CoresOfQuota(text, "100000");
  Require(!quota || *quota > 0);
  ParseMemoryLimit(text);
  ParseCpuStat(text);
}

void FuzzProcess(std::string_view text) {
  if (const auto stat = ParseProcessStat(text)) {
    Require(stat->pid >= 0 && stat->ppid >= 0 && IsPartOf(stat->comm, text));
  }
  ParseProcessIo(text);
  ParseMemoryUse(text);
  ParseSmapsRollup(text);
  if (const auto cores = ParseAllowedCores(text)) Require(IsPartOf(*cores, text));
  ParseSchedStat(text);
  ParseTaskStatus(text);
  ParseLastPid(text);
}

constexpr void (*kTargets[])(std::string_view) = {
    FuzzCpu,    FuzzMemory,  [](std::string_view text) { ParsePressure(text); },
    FuzzDisk,   FuzzNetwork, FuzzCgroup,
    FuzzLimits, FuzzProcess};

}  // namespace
}  // namespace steptrace::agent

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  using namespace steptrace::agent;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  kTargets[data[0] % std::size(kTargets)](text);
  return 0;
}
