// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

// Bytes through InfiniBand and RoCE ports, which bypass the network interfaces' own counts. Ports
// are looked up once; a machine without any yields nothing and no reason: most have none. One
// thread.
class RdmaReader {
 public:
  explicit RdmaReader(std::string sys_root) : sys_root_(std::move(sys_root)) {}
  void Sample(SampleContext& context);

 private:
  struct Port {
    KeptFile received;
    KeptFile sent;
    RateOf received_rate{};
    RateOf sent_rate{};
  };

  void FindPorts();

  std::string sys_root_;
  std::string buffer_;
  bool looked_ = false;
  std::vector<Port> ports_;
  Elapsed elapsed_;
};

}  // namespace steptrace::agent
