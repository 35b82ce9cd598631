// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <atomic>

#include "serve/rpc/pending_file.h"

namespace steptrace::cli {
namespace {

constexpr int kStoppedBase = 128;  // as shells say it

// A handler can reach nothing else.
std::atomic<int> g_signal{0};
static_assert(std::atomic<int>::is_always_lock_free);
int g_stopped_by = 0;

void Note(int signal) {
  g_signal.store(signal, std::memory_order_relaxed);
}

void CleanAndEnd(int signal) {
  rpc::UnlinkPendingFiles();
  ::raise(signal);  // the default again: ends the process once this has returned
}

}  // namespace

Interruptible::Interruptible() {
  g_signal.store(0, std::memory_order_relaxed);
  handlers_.emplace(Note, SA_RESTART | static_cast<int>(SA_RESETHAND));
}

int Interruptible::Signal() {
  return g_signal.load(std::memory_order_relaxed);
}

CleanEnd::CleanEnd() : handlers_(CleanAndEnd, static_cast<int>(SA_RESETHAND)) {}

void NoteStoppedBy(int signal) {
  g_stopped_by = signal;
}

int StatusAfter(int status) {
  return g_stopped_by == 0 ? status : kStoppedBase + g_stopped_by;
}

}  // namespace steptrace::cli
