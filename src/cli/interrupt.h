// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

// Commands that have something to clean up when a user stops them.
namespace steptrace::cli {

// While it lives, the first SIGINT or SIGTERM is only noted; a second one ends the process. One at
// a time.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  // The signal that came; 0: none. Any thread.
  static int Signal();

 private:
  struct sigaction before_int_ {};
  struct sigaction before_term_ {};
};

// While it lives, SIGHUP, SIGINT and SIGTERM end the process as ever, but the files that it was
// writing (rpc::PendingFile) go first. One at a time.
class CleanEnd {
 public:
  CleanEnd();
  ~CleanEnd();
  CleanEnd(const CleanEnd&) = delete;
  CleanEnd& operator=(const CleanEnd&) = delete;

 private:
  struct sigaction before_[3]{};
};

// A command that a signal stopped says so; the process then ends with 128 + the signal's number.
void NoteStoppedBy(int signal);
int StatusAfter(int status);  // that, or `status` where nothing was stopped

}  // namespace steptrace::cli
