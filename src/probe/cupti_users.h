// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "probe/cupti_library.h"

// Who else uses CUPTI in this process: ours stays off beside others, and where it cannot be known.
//
// CUPTI has one family of activity calls for the whole process, which is ours and Kineto's, and
// from 13.2 on another for each subscriber (`_v2`), which is that of PyTorch's monitor from 2.14
// on. It refuses to mix them: the second gets CUPTI_ERROR_NOT_COMPATIBLE until the process
// ends. And what is done to all is done to them: a forced flush, and above all
// cuptiFinalize.
namespace steptrace::probe {

// What the process's own modules show; the numbers are those of _hooks/other_users.py.
enum class KnownUsers : uint32_t {
  kNobody = 0,
  kKineto = 1,      // has been used, and may be subscribed still: its calls are of our family
  kMonitor = 2,     // PyTorch's monitor may come: ours before it would have its calls refused
  kOtherModule = 3  // one that uses CUPTI is loaded
};

// Null: nobody. Else who, or that it cannot be known, a sentence.
const char* OtherUser(const CuptiLibrary& library, KnownUsers known);

// Of a window that is on, before what is done to all: whether another tool has subscribed
// meanwhile, or that cannot be known.
bool AnotherCame(const CuptiLibrary& library, KnownUsers known);

// Another was found, and that for good: what it has begun does not end with its subscription.
void RememberOtherUser();
bool HasSeenOtherUser();

void ForgetOtherUsersForTesting();

}  // namespace steptrace::probe
