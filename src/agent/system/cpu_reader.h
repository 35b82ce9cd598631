// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"

namespace steptrace::agent {

// Clock ticks of a core, or of all, since boot.
struct CpuTimes {
  uint64_t user = 0;    // niced included
  uint64_t system = 0;  // interrupts included
  uint64_t idle = 0;
  uint64_t iowait = 0;
  uint64_t steal = 0;
};

struct CpuLine {
  int32_t core = -1;  // -1: all cores
  CpuTimes times;
};

struct ProcStat {
  std::vector<CpuLine> lines;  // by core
  std::optional<uint64_t> running;
};

// The text of /proc/stat. Lines that are damaged are left out.
void ParseProcStat(std::string_view text, ProcStat& out);

// /proc/stat as shares of time, of the node and of each core. Cores may come and go; a core's
// first sample yields nothing. One thread.
class CpuReader {
 public:
  explicit CpuReader(const std::string& proc_root) : file_(proc_root + "/stat") {}
  void Sample(SampleContext& context);

 private:
  void EmitLine(SampleContext& context, const CpuLine& line) const;

  KeptFile file_;
  std::string buffer_;
  ProcStat now_;
  std::vector<CpuLine> before_;
};

}  // namespace steptrace::agent
