// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/stacks/line_table.h"

namespace steptrace::agent {

// A function in C, named as the source calls it: C code leaves no frame in the interpreter, but the
// frame that called it stands at the call, and the location table knows its text.
struct SourceCall {
  std::string function;  // "numpy.random.rand", or as it is written: "self.file.read"
  std::string module;    // "numpy.random"; empty: what is called belongs to no import
};

// What an expression calls last, if a call is all that it is:
// "np.sort(x)" -> "np.sort", "image.resize(size).convert('RGB')" -> "convert", "f(x) + 1" ->
// nothing.
std::optional<std::string_view> CalleeOf(std::string_view expression);

// What a source's imports call by each name: {"np", "numpy"}, {"rand", "numpy.random.rand"}.
std::map<std::string, std::string, std::less<>> ImportsOf(std::string_view source);

// The last names of what the source itself defines: functions, methods and classes.
std::set<std::string, std::less<>> DefinitionsIn(std::string_view source);

// The sources of a process's own code, as files of its: each read once, when first asked for. Only
// those that are the user's: what packages and the interpreter call in C is known by themselves.
// What was written after the process was first seen is not what it runs. Bounded; one thread.
class SourceCalls {
 public:
  // `root`: of the process's files, "/proc/PID/root".
  SourceCalls(std::string root, int64_t seen_utc_ns);

  // What is called there; nothing: no call, one of what the file itself defines, which has a frame
  // of its own as soon as it runs, or it cannot be known.
  std::optional<SourceCall> CallAt(const std::string& file, const SourceRange& range);

 private:
  struct Source {
    std::string text;           // empty: none that may be used
    std::vector<size_t> lines;  // where they begin
    std::map<std::string, std::string, std::less<>> imports;
    std::set<std::string, std::less<>> definitions;
  };
  const Source& SourceOf(const std::string& file);
  std::string Read(const std::string& file) const;

  std::string root_;
  int64_t seen_utc_ns_;
  size_t bytes_ = 0;
  std::unordered_map<std::string, Source> sources_;
};

}  // namespace steptrace::agent
