// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <cstddef>

namespace steptrace {

// A handler for some signals while it lives; then those before it. What a parent ignores (nohup, a
// shell's background job) stays ignored.
template <int... kSignals>
class SignalHandlers {
 public:
  // `flags`: of sigaction().
  SignalHandlers(void (*handler)(int), int flags) {
    struct sigaction ours {};
    ours.sa_handler = handler;
    ours.sa_flags = flags;
    ::sigemptyset(&ours.sa_mask);
    for (size_t i = 0; i < sizeof...(kSignals); ++i) {
      ::sigaction(kAll[i], &ours, &before_[i]);
      if (before_[i].sa_handler == SIG_IGN) ::sigaction(kAll[i], &before_[i], nullptr);
    }
  }
  ~SignalHandlers() {
    for (size_t i = 0; i < sizeof...(kSignals); ++i) ::sigaction(kAll[i], &before_[i], nullptr);
  }
  SignalHandlers(const SignalHandlers&) = delete;
  SignalHandlers& operator=(const SignalHandlers&) = delete;

 private:
  static constexpr int kAll[] = {kSignals...};
  struct sigaction before_[sizeof...(kSignals)]{};
};

}  // namespace steptrace
