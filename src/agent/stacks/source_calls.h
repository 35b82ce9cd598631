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
#include "base/unique_fd.h"

namespace steptrace::agent {

// A function in C, named as the source calls it: C code leaves no frame in the interpreter, but the
// frame that called it stands at the call, and the location table knows its text.
struct SourceCall {
  // "numpy.random.rand", or as it is written: "self.file.read", "self.lock.__enter__", "with con"
  std::string function;
  std::string module;  // "numpy.random"; empty: what is called belongs to no import
};

// What an expression calls last, if a call is all that it is: "np.sort(x)" -> "np.sort",
// "image.resize(size).convert('RGB')" -> "convert"; of "f(x) + 1" nothing.
std::optional<std::string_view> CalleeOf(std::string_view expression);

// What a `with` of the source enters, or leaves, if that is one name: a lock is taken by no call.
// Of "with self.lock:" "self.lock". [begin, end) is that name, or, as CPython 3.11 has it, the
// statement.
std::optional<std::string_view> EnteredBy(std::string_view text, size_t begin, size_t end);

// What a source's imports call by each name: {"np", "numpy"}, {"rand", "numpy.random.rand"}.
std::map<std::string, std::string, std::less<>> ImportsOf(std::string_view source);

// The last names of what the source itself defines: functions, methods and classes.
std::set<std::string, std::less<>> DefinitionsIn(std::string_view source);

// The root of a process's files, by which its paths are meant.
class SourceRoot {
 public:
  // `folder`: "/proc/PID/root".
  static SourceRoot Open(const std::string& folder);
  int fd() const { return fd_.get(); }
  // Of two processes with the same root the same.
  const std::string& key() const { return key_; }

 private:
  UniqueFd fd_;
  std::string key_;
};

// The sources of a job's own code, each read once, when first asked for. Only those that are the
// user's: what packages and the interpreter call in C is known by themselves. What was written
// after the job's first Python was seen may not be what runs, and is not used. Bounded; one thread.
class SourceCalls {
 public:
  static constexpr int64_t kNone = 0;

  // Sources last changed before that are used; kNone: none are.
  explicit SourceCalls(int64_t before_utc_ns) : before_utc_ns_(before_utc_ns) {}

  // What is called there; nothing: no call, one of what the file itself defines, which has a frame
  // of its own as soon as it runs, or it cannot be known.
  std::optional<SourceCall> CallAt(const SourceRoot& root, const std::string& file,
                                   const SourceRange& range);
  // The last name of what is called there, whoever defines it: "loads" of "json.loads(line)".
  // Empty: no call, or it cannot be known.
  std::string NameCalledAt(const SourceRoot& root, const std::string& file,
                           const SourceRange& range);

 private:
  struct Place {  // bytes of a source
    size_t begin = 0;
    size_t end = 0;
  };
  struct Source {
    std::string text;             // empty: none that may be used
    std::vector<uint32_t> lines;  // where they begin
    std::map<std::string, std::string, std::less<>> imports;
    std::set<std::string, std::less<>> definitions;
    size_t Bytes() const;
  };
  const Source& SourceOf(const SourceRoot& root, const std::string& file);
  std::string Read(const SourceRoot& root, const std::string& file) const;
  static std::optional<Place> PlaceOf(const Source& source, const SourceRange& range);

  int64_t before_utc_ns_;
  size_t bytes_ = 0;
  std::unordered_map<std::string, Source> sources_;  // by root and path
};

}  // namespace steptrace::agent
