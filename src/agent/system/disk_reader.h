// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

struct DiskCounters {
  std::string_view name;
  uint64_t read_bytes = 0;
  uint64_t write_bytes = 0;
  uint64_t busy_ms = 0;
};

// The text of /proc/diskstats; names point into it.
void ParseDiskstats(std::string_view text, std::vector<DiskCounters>& out);

// Whether a block device is a whole disk that does its own work: no partition, no loop, RAM or
// optical device, none that is made of others (dm, md, bcache), no path of a multipath disk.
// /sys/block tells; where it cannot be read the name must do.
bool IsWholeDisk(const std::string& sys_root, std::string_view name);

// Bytes from and to all whole disks, and how busy the busiest is. A disk's first sample adds
// nothing. One thread.
class DiskReader {
 public:
  DiskReader(const std::string& proc_root, std::string sys_root)
      : file_(proc_root + "/diskstats", KeptFile::Records::kMany), sys_root_(std::move(sys_root)) {}
  void Sample(SampleContext& context);

 private:
  struct Disk {
    bool whole = false;
    int64_t sample = -1;  // the number of the sample that saw it last
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t busy_ms = 0;
  };
  struct Growths {
    uint64_t read_bytes = 0;
    uint64_t write_bytes = 0;
    uint64_t busiest_ms = 0;
    bool any = false;
  };

  void Add(const DiskCounters& counters, Growths& growths);

  KeptFile file_;
  std::string sys_root_;
  std::string buffer_;
  std::vector<DiskCounters> now_;
  std::map<std::string, Disk, std::less<>> disks_;
  int64_t sample_ = 0;
  Elapsed elapsed_;
};

}  // namespace steptrace::agent
