// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/ingest/hooks_marks.h"
#include "model/finding.h"

namespace steptrace::agent {

// What is known of a process of the command that has no ring.
struct HooklessProcess {
  int32_t pid = 0;
  std::string comm;
  uid_t owner = 0;
  std::vector<std::string> arguments;
  int32_t parent = 0;   // as it was last seen; 0: the command
  int32_t own_pid = 0;  // in its own pid namespace, of which the hooks tell; 0: the same
};

// Why nothing was recorded.
struct NoHooks {
  enum class Kind {
    kLoss,          // hooks should have been there
    kRefused,       // they were, and could not record
    kAside,         // they were, and a tool of the script's was on from the begin
    kNothingThere,  // nothing there could have been hooked
    kIdle,          // the hooks were there, and no framework that they watch
    kOff,           // switched off, as was asked for
  };
  Kind kind = Kind::kLoss;
  std::optional<model::Finding> what{};  // none: the kind tells all
};

NoHooks ExplainNoHooks(std::vector<HooklessProcess> processes, uid_t own, const HooksMarks& marks);

// Why a process that imported a framework could record nothing of it; nothing: none left a mark of
// it.
std::optional<model::Finding> RefusedHooks(const std::vector<HooklessProcess>& processes,
                                           const HooksMarks& marks);

// Follows the processes of a command for as long as none of them has shown a ring, so that the
// report can say why. Costs a few reads of /proc a second, and only then. One thread.
class HooklessWatch {
 public:
  static constexpr size_t kMaxProcesses = 64;  // more add nothing to the sentence

  // Whether to look again: often while the command begins, then seldom, for it may be a program of
  // a thousand threads that never shows a ring.
  bool TakeDue(int64_t now_ns);
  // The command as it was asked for: it may end before the first look.
  void Expect(int32_t pid, const std::vector<std::string>& command);
  // Looks at the command and its descendants.
  void Check(int32_t command_pid);
  std::vector<HooklessProcess> Seen() const;

 private:
  std::map<int32_t, HooklessProcess> seen_;
  int64_t next_look_ns_ = INT64_MIN;
  int64_t pause_ns_ = 0;
};

}  // namespace steptrace::agent
