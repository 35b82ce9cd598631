// SPDX-License-Identifier: Apache-2.0
#include "agent/system/disk_reader.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

using store::Metric;

constexpr uint64_t kSectorBytes = 512;  // of /proc/diskstats, whatever the disk's own size is
constexpr size_t kMaxDisks = 4096;

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

// Takes `prefix` and the digits after it off `name`; false when they are not there.
bool TakeNumbered(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  size_t end = prefix.size();
  while (end < name.size() && IsDigit(name[end])) ++end;
  if (end == prefix.size()) return false;
  name.remove_prefix(end);
  return true;
}

// nvme0c1n1: one path of the multipath disk nvme0n1, which counts the same bytes.
bool IsMultipathPath(std::string_view name) {
  return TakeNumbered(name, "nvme") && TakeNumbered(name, "c") && TakeNumbered(name, "n");
}

// sda1, vdb2, nvme0n1p3, mmcblk0p1
bool LooksLikePartition(std::string_view name) {
  if (name.empty() || !IsDigit(name.back())) return false;
  size_t end = name.size();
  while (end > 0 && IsDigit(name[end - 1])) --end;
  const std::string_view stem = name.substr(0, end);
  if (stem.size() >= 2 && stem.back() == 'p' && IsDigit(stem[stem.size() - 2])) return true;
  for (std::string_view letters : {"sd", "vd", "hd", "xvd"}) {
    if (stem.starts_with(letters) && stem.size() > letters.size()) return true;
  }
  return false;
}

bool IsPretendDisk(std::string_view name) {
  for (std::string_view prefix : {"loop", "ram", "zram", "fd", "sr", "dm-", "md"}) {
    std::string_view rest = name;
    if (TakeNumbered(rest, prefix)) return true;
  }
  return IsMultipathPath(name);
}

}  // namespace

// major minor name reads merged sectors ms writes merged sectors ms in-flight busy-ms weighted-ms …
void ParseDiskstats(std::string_view text, std::vector<DiskCounters>& out) {
  out.clear();
  while (!text.empty() && out.size() < kMaxDisks) {
    std::string_view line = TakeLine(text);
    if (!TakeU64(line) || !TakeU64(line)) continue;
    DiskCounters disk{.name = TakeWord(line)};
    std::array<uint64_t, 10> columns{};
    bool whole = !disk.name.empty();
    for (uint64_t& column : columns) {
      const std::optional<uint64_t> value = TakeU64(line);
      whole = whole && value.has_value();
      column = value.value_or(0);
    }
    constexpr uint64_t kMaxSectors = UINT64_MAX / kSectorBytes;
    if (!whole || columns[2] > kMaxSectors || columns[6] > kMaxSectors) continue;
    disk.read_bytes = columns[2] * kSectorBytes;
    disk.write_bytes = columns[6] * kSectorBytes;
    disk.busy_ms = columns[9];
    out.push_back(disk);
  }
}

bool IsWholeDisk(const std::string& sys_root, std::string_view name) {
  if (name.empty() || name.find('.') == 0 || IsPretendDisk(name)) return false;
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::path blocks = fs::path(sys_root) / "block";
  if (!fs::is_directory(blocks, ignored)) return !LooksLikePartition(name);
  std::string entry(name);
  std::replace(entry.begin(), entry.end(), '/', '!');  // as sysfs spells cciss/c0d0
  if (!fs::exists(blocks / entry, ignored)) return false;
  const fs::path slaves = blocks / entry / "slaves";
  return !fs::is_directory(slaves, ignored) || fs::is_empty(slaves, ignored);
}

void DiskReader::Add(const DiskCounters& counters, Growths& growths) {
  auto entry = disks_.find(counters.name);
  if (entry == disks_.end()) {
    if (disks_.size() >= kMaxDisks) return;
    entry = disks_.emplace(counters.name, Disk{}).first;
    entry->second.whole = IsWholeDisk(sys_root_, counters.name);
  }
  Disk& disk = entry->second;
  const Disk before = disk;
  disk.sample = sample_;
  disk.read_bytes = counters.read_bytes;
  disk.write_bytes = counters.write_bytes;
  disk.busy_ms = counters.busy_ms;
  if (!disk.whole || before.sample != sample_ - 1) return;
  growths.any = true;
  growths.read_bytes += GrowthOrZero(before.read_bytes, disk.read_bytes);
  growths.write_bytes += GrowthOrZero(before.write_bytes, disk.write_bytes);
  growths.busiest_ms = std::max(growths.busiest_ms, GrowthOrZero(before.busy_ms, disk.busy_ms));
}

void DiskReader::Sample(SampleContext& context) {
  const std::optional<std::string_view> text = file_.Read(buffer_);
  if (!text) {
    context.ReportOnce("disk", DescribeReadError(file_.path(), file_.error()),
                       "let the agent read /proc/diskstats");
    elapsed_.Reset();
    ++sample_;
    return;
  }
  const std::optional<double> seconds = elapsed_.Advance(context.now_ns());
  ++sample_;
  ParseDiskstats(*text, now_);
  Growths growths;
  for (const DiskCounters& disk : now_) Add(disk, growths);
  if (!growths.any || !seconds) return;
  constexpr double kMsPerSecond = 1000;
  context.Emit(Metric::kDiskRead, static_cast<double>(growths.read_bytes) / *seconds);
  context.Emit(Metric::kDiskWrite, static_cast<double>(growths.write_bytes) / *seconds);
  context.Emit(Metric::kDiskBusyShare,
               std::min(1.0, static_cast<double>(growths.busiest_ms) / kMsPerSecond / *seconds));
}

}  // namespace steptrace::agent
