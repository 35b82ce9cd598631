// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The file that Python's cProfile leaves: a dict in the marshal format,
//     (file, line, function) -> (primitive calls, calls, own time, total time,
//                                {caller -> (calls, primitive calls, own time, total time)})
// with times in seconds as doubles. Only the types of such a dict are read; nothing is executed.
// The order of calls in a caller's entry is that of CPython's profiler (Lib/cProfile.py).
namespace steptrace::import::sagemaker {

struct PythonFunction {
  std::string file;
  int64_t line = 0;
  std::string name;
};

struct PythonCalls {
  int64_t calls = 0;
  int64_t primitive_calls = 0;  // not by recursion
  int64_t self_ns = 0;
  int64_t total_ns = 0;  // with what it called
};

struct PythonStats {
  struct Edge {
    size_t callee;
    size_t caller;  // both in `functions`
    PythonCalls calls;
  };
  std::vector<PythonFunction> functions;
  std::vector<PythonCalls> totals;  // by function; zero for one that is a caller alone
  std::vector<Edge> edges;
  int64_t bytes_left = 0;   // after the end of the dict
  bool cut_off = false;     // the end is missing: what was read before is here
  int64_t bad_entries = 0;  // of another shape than above: left out
  int64_t cut_names = 0;  // of files and functions: marshal gives a text by number again and again
};

// An error: not such a file.
Result<PythonStats> ParsePythonStats(std::string_view bytes);

// Seconds to the nearest ns, exactly; not a number, or beyond int64: 0 and false.
bool SecondsToNs(double seconds, int64_t* ns);

}  // namespace steptrace::import::sagemaker
