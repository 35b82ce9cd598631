// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace steptrace::agent {

// How a run ended, from what wait() told of its command.
//
//   exit 0 ─► completed      killed by SIGINT, SIGTERM, SIGHUP ─► stopped: somebody wanted it so
//   exit n ─► failed         killed by another signal ─► failed
//   not known (the launcher was killed) ─► interrupted
struct RunEnd {
  std::string status;
  std::optional<int> exit_code;
  std::optional<int> signal;
};

RunEnd DescribeRunEnd(std::optional<int> wait_status);

}  // namespace steptrace::agent
