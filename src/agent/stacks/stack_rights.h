// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace steptrace::agent {

// Whether Yama lets a process be read only by its ancestors and by whom it names itself
// (prctl(PR_SET_PTRACER); kernel.yama.ptrace_scope = 1): then the probe names the agent.
bool NeedsNamedTracer(const std::string& proc_root = "/proc");

// Whether stacks can be read here, for `steptrace doctor`.
struct StackRights {
  bool allowed = false;
  std::string reason;  // why not, or how
  std::string remedy;
};
// Tries it on a child of its own, and looks at what Yama says of processes that are none.
StackRights ExamineStackRights(const std::string& proc_root = "/proc");

}  // namespace steptrace::agent
