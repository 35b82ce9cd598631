// SPDX-License-Identifier: Apache-2.0
#include "cli/interrupt.h"

#include <atomic>
#include <iterator>

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

constexpr int kEnding[] = {SIGHUP, SIGINT, SIGTERM};

void CleanAndEnd(int signal) {
  rpc::UnlinkPendingFiles();
  ::raise(signal);  // the default again: ends the process once this has returned
}

}  // namespace

Interruptible::Interruptible() {
  g_signal.store(0, std::memory_order_relaxed);
  struct sigaction note {};
  note.sa_handler = Note;
  note.sa_flags = SA_RESTART | static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&note.sa_mask);
  ::sigaction(SIGINT, &note, &before_int_);
  ::sigaction(SIGTERM, &note, &before_term_);
  // What a parent ignores (nohup, a shell's background job) stays ignored.
  if (before_int_.sa_handler == SIG_IGN) ::sigaction(SIGINT, &before_int_, nullptr);
  if (before_term_.sa_handler == SIG_IGN) ::sigaction(SIGTERM, &before_term_, nullptr);
}

Interruptible::~Interruptible() {
  ::sigaction(SIGINT, &before_int_, nullptr);
  ::sigaction(SIGTERM, &before_term_, nullptr);
}

int Interruptible::Signal() {
  return g_signal.load(std::memory_order_relaxed);
}

CleanEnd::CleanEnd() {
  struct sigaction clean {};
  clean.sa_handler = CleanAndEnd;
  clean.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigemptyset(&clean.sa_mask);
  for (size_t i = 0; i < std::size(kEnding); ++i) {
    ::sigaction(kEnding[i], &clean, &before_[i]);
    // What a parent ignores (nohup, a shell's background job) stays ignored.
    if (before_[i].sa_handler == SIG_IGN) ::sigaction(kEnding[i], &before_[i], nullptr);
  }
}

CleanEnd::~CleanEnd() {
  for (size_t i = 0; i < std::size(kEnding); ++i) ::sigaction(kEnding[i], &before_[i], nullptr);
}

void NoteStoppedBy(int signal) {
  g_stopped_by = signal;
}

int StatusAfter(int status) {
  return g_stopped_by == 0 ? status : kStoppedBase + g_stopped_by;
}

}  // namespace steptrace::cli
