// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/stacks/elf_symbols.h"
#include "agent/stacks/process_memory.h"
#include "agent/stacks/python_layout.h"
#include "base/result.h"

namespace steptrace::agent {

// Where the interpreter of a process lies, and how it lays its structures out.
struct PythonRuntime {
  PythonLayout layout;
  uint64_t runtime = 0;  // _PyRuntime
  uint64_t code_type = 0, text_type = 0, bytes_type = 0;
};

// A file that is mapped into a process, by its first mapping.
struct MappedFile {
  std::string path;
  uint64_t address = 0;
  uint64_t file_offset = 0;
};

// The files of /proc/<pid>/maps that may hold an interpreter: the program (`program`, its path) and
// libpython. Takes any bytes.
std::vector<MappedFile> PythonFiles(std::string_view maps, std::string_view program);

// Why a process's stacks cannot be read; `may_change`: asking again later may tell otherwise.
struct NoPython {
  std::string reason;
  std::string remedy;
  bool gone = false;
  bool may_change = false;
};

// Finds interpreters, and remembers the files that were looked into: the processes of a job share
// theirs. One thread.
class PythonFinder {
 public:
  explicit PythonFinder(std::string proc_root = "/proc") : proc_root_(std::move(proc_root)) {}

  // Nothing: `why` says so.
  std::optional<PythonRuntime> Find(int32_t pid, ProcessMemory& memory, NoPython& why);

 private:
  struct FileId {
    uint64_t device = 0, inode = 0;
    int64_t bytes = 0, changed_ns = 0;
    auto operator<=>(const FileId&) const = default;
  };
  const Result<ElfFacts>* FactsOf(int32_t pid, const std::string& path);

  std::string proc_root_;
  std::map<FileId, Result<ElfFacts>> files_;
};

// The sentence for a read that failed at the begin.
NoPython DescribeOutcome(ReadOutcome outcome);

}  // namespace steptrace::agent
