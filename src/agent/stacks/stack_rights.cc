// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/stack_rights.h"

#include <linux/capability.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/stacks/process_memory.h"
#include "agent/stacks/python_process.h"
#include "agent/system/kept_file.h"
#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

// 0: whoever has the rights; 1: ancestors and who is named; 2: CAP_SYS_PTRACE; 3: nobody.
int YamaScope(const std::string& proc_root) {
  KeptFile file(proc_root + "/sys/kernel/yama/ptrace_scope");
  std::string buffer;
  const auto text = file.ReadOnce(buffer);
  if (!text || text->empty()) return 0;
  const char digit = text->front();
  return digit >= '0' && digit <= '3' ? digit - '0' : 0;
}

bool MayTraceAll() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return (data[0].effective & 1u << CAP_SYS_PTRACE) != 0;
}

// A child has our rights and is ours, so only a filter or the kernel refuses.
ReadOutcome TryOnChild() {
  static const uint64_t value = 1;
  const pid_t child = fork();
  if (child < 0) return ReadOutcome::kUnsupported;
  if (child == 0) {
    for (;;) pause();
  }
  LiveMemory memory(child);
  uint64_t copy = 0;
  const ReadOutcome outcome = ReadValue(memory, reinterpret_cast<uint64_t>(&value), copy);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  return outcome;
}

}  // namespace

bool NeedsNamedTracer(const std::string& proc_root) {
  return YamaScope(proc_root) == 1;
}

StackRights ExamineStackRights(const std::string& proc_root) {
  if (const ReadOutcome outcome = TryOnChild(); outcome != ReadOutcome::kOk) {
    const NoPython why =
        DescribeOutcome(outcome == ReadOutcome::kForbidden ? ReadOutcome::kUnsupported : outcome);
    return {false, why.reason, why.remedy};
  }
  const int scope = YamaScope(proc_root);
  const std::string yama = "kernel.yama.ptrace_scope is " + std::to_string(scope);
  if (scope == 3 || (scope == 2 && !MayTraceAll())) {
    return {false, yama, "sysctl kernel.yama.ptrace_scope=1, or the capability SYS_PTRACE"};
  }
  if (scope == 1)
    return {true, "CPython 3.11 to 3.14; the hooks let the agent read; others from within", ""};
  return {true, "CPython 3.11 to 3.14, read from outside; others from within", ""};
}

}  // namespace steptrace::agent
