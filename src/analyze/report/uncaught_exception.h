// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// An exception that nobody caught, as its process told it (rows of `run_metadata`). Any of the
// texts may be missing, wrong or hostile.
struct UncaughtException {
  int64_t ts_ns = 0;
  int32_t node = 0;
  int32_t rank = -1;
  int64_t pid = 0;
  std::string type;
  std::string message;
  std::string thread;  // that it ended; empty: the process, as far as is known
  // Where it was raised, in the innermost function of the training's own, if there is one.
  std::string file;
  std::string function;
  int32_t line = 0;  // 0: not known
};

bool IsInterrupt(const UncaughtException& one);
// The process ended by it, and by nobody's wish.
bool EndedAProcess(const UncaughtException& one);
// Of a launcher, which waits for its processes: one of those failed before.
bool IsOfALauncher(const UncaughtException& one);

// In the order of their times.
std::vector<UncaughtException> ReadUncaught(std::span<const store::RunMetadataRow> rows,
                                            const store::StringTable& strings);

}  // namespace steptrace::analyze
