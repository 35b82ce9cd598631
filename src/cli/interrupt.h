// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "base/signal_handlers.h"

// Commands that have something to clean up when a user stops them.
namespace steptrace::cli {

// While it lives, the first SIGINT or SIGTERM is only noted; a second one ends the process. One at
// a time.
class Interruptible {
 public:
  Interruptible();

  // The signal that came; 0: none. Any thread.
  static int Signal();

 private:
  std::optional<SignalHandlers<SIGINT, SIGTERM>> handlers_;
};

// While it lives, SIGHUP, SIGINT and SIGTERM end the process as ever, but the files that it was
// writing (rpc::PendingFile) go first. One at a time.
class CleanEnd {
 public:
  CleanEnd();

 private:
  SignalHandlers<SIGHUP, SIGINT, SIGTERM> handlers_;
};

// A command that a signal stopped says so; the process then ends with 128 + the signal's number.
void NoteStoppedBy(int signal);
int StatusAfter(int status);  // that, or `status` where nothing was stopped

}  // namespace steptrace::cli
