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

struct InterfaceCounters {
  std::string_view name;
  uint64_t received_bytes = 0;
  uint64_t sent_bytes = 0;
};

// The text of /proc/net/dev; names point into it.
void ParseNetDev(std::string_view text, std::vector<InterfaceCounters>& out);

// Bytes through the network interfaces of the agent's own network namespace. A packet of a
// container passes a veth, a bridge and the card: only the physical interfaces are summed, and
// only where there is none of them (inside a container) all others but the loopback. An
// interface's first sample adds nothing. One thread.
class NetworkReader {
 public:
  NetworkReader(const std::string& proc_root, std::string sys_root)
      : file_(proc_root + "/net/dev", KeptFile::Records::kMany), sys_root_(std::move(sys_root)) {}
  void Sample(SampleContext& context);

 private:
  struct Interface {
    bool physical = false;
    int64_t sample = -1;  // the number of the sample that saw it last
    uint64_t received_bytes = 0;
    uint64_t sent_bytes = 0;
  };
  struct Growths {
    uint64_t received_bytes = 0;
    uint64_t sent_bytes = 0;
    bool any = false;
  };

  void Add(const InterfaceCounters& counters, Growths& physical, Growths& others);

  KeptFile file_;
  std::string sys_root_;
  std::string buffer_;
  std::vector<InterfaceCounters> now_;
  std::map<std::string, Interface, std::less<>> interfaces_;
  int64_t sample_ = 0;
  Elapsed elapsed_;
};

}  // namespace steptrace::agent
