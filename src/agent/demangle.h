// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

namespace steptrace::agent {

// The names of C++ as they were written, of the names of kernels that a process gave: those that
// are none, or cannot be told, are left as they are; the result is as long as `names`.
//
// A name of a hundred characters can be made to unfold into gigabytes. So a child of this process
// does it, that has a second of CPU time and little memory; what it has not done by then is left.
std::vector<std::string> DemangleAll(std::span<const std::string> names);

}  // namespace steptrace::agent
