// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace steptrace::cli {

// From now on what is allocated comes from one heap on pages of 2 MB, where the kernel has them:
// the first touch of a small page costs more than filling it. For a command that fills much memory,
// seldom allocates in several threads at once, and ends. Call before there are threads. Where
// memory is limited (`ulimit -v`) or the C library is not glibc: all stays as it is.
void UseHugeHeap();

}  // namespace steptrace::cli
