// SPDX-License-Identifier: Apache-2.0
#include "agent/run/run_end.h"

#include <signal.h>
#include <sys/wait.h>

#include "store/manifest.h"

namespace steptrace::agent {

RunEnd DescribeRunEnd(std::optional<int> wait_status) {
  RunEnd end{store::kStatusInterrupted, {}, {}};
  if (!wait_status) return end;
  if (WIFSIGNALED(*wait_status)) {
    const int number = WTERMSIG(*wait_status);
    end.signal = number;
    const bool asked_for = number == SIGINT || number == SIGTERM || number == SIGHUP;
    end.status = asked_for ? store::kStatusStopped : store::kStatusFailed;
    return end;
  }
  end.exit_code = WEXITSTATUS(*wait_status);
  end.status = *end.exit_code == 0 ? store::kStatusCompleted : store::kStatusFailed;
  return end;
}

}  // namespace steptrace::agent
