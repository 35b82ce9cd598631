// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "serve/http/api.h"

namespace steptrace::http {

struct HelperMainOptions {
  // What was made stays for the next request; how long, depends on what it takes.
  int64_t small_bytes = 96 << 20;  // of memory of its own, files that are mapped left out
  std::chrono::milliseconds small_rest{600'000};
  std::chrono::milliseconds rest{15'000};
};

// The other side of Helper: answers requests that come by `in` until it closes, or none came for a
// while. To be called before there are threads, in a process that does nothing else: it goes with
// the process that started it, and closes what files it was handed besides.
void BecomeHelper(int64_t parent_pid);
int AnswerRequests(Api& api, int in, int out, const HelperMainOptions& options = {});

}  // namespace steptrace::http
