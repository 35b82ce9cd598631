// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

// The system's calls that change files, watched on their way: in a program with this source its
// functions stand before the C library's.
namespace steptrace::store {

// Notes "sync <path>", "link <to>", "rename <to>", "remove <path>", "mkdir <path>" as they are
// done; null: no more.
void WatchCalls(std::vector<std::string>* calls);

inline constexpr int kDiedInCall = 137;  // as a shell tells of a kill

// Ends the process as a kill does, in the place of the call of that number from now on (from 1),
// and leaves the call's name at `died_in`; 0: none.
void DieInsteadOfCall(int number, const char** died_in = nullptr);

}  // namespace steptrace::store
