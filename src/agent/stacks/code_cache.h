// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "agent/stacks/process_memory.h"
#include "agent/stacks/python_process.h"
#include "agent/stacks/source_calls.h"

namespace steptrace::agent {

// The texts of code objects by number: the processes of a job run the same code. One thread.
class CodeTexts {
 public:
  static constexpr size_t kMaxTexts = size_t{1} << 18;
  static constexpr uint32_t kTooMany = 0;  // stands for all texts beyond the bound

  CodeTexts() { Intern("(too many names)"); }
  uint32_t Intern(const std::string& text);
  const std::string& Text(uint32_t id) const { return *texts_[id]; }

 private:
  std::unordered_map<std::string, uint32_t> ids_;
  std::vector<const std::string*> texts_;
};

// A frame in words: texts by their number in the CodeTexts.
struct FrameFacts {
  uint32_t function = 0;
  uint32_t file = 0;
  int32_t line = 0;  // 0: unknown
};

// The file of a frame in C begins so.
inline constexpr std::string_view kBuiltInFile = "<built-in";

// What is known of a code object.
struct CodeFacts {
  // By which it is known again, whatever may have taken its address since: the type, sizes, first
  // line and the addresses of its texts.
  using Mark = std::array<uint64_t, 6>;
  Mark mark{};
  uint32_t function = 0;  // qualified name
  uint32_t file = 0;
  int32_t first_line = 0;
  uint64_t units = 0;  // of bytecode
  bool shim = false;   // the interpreter's own: where C enters it, no frame of the program's
  std::vector<uint8_t> line_table;
  uint32_t checks = 0;      // of its mark, since it was read
  uint64_t next_check = 0;  // in which round
  // That were asked for, by code unit.
  std::unordered_map<uint32_t, int32_t> lines;
  std::unordered_map<uint32_t, std::optional<FrameFacts>> calls;
  std::unordered_map<uint32_t, std::string> called;  // names in the source; empty: none
};

// The code objects of one process by address, each read once and held against its address's memory
// by whoever uses it. One thread; bounded: when full it is emptied and fills anew.
class CodeCache {
 public:
  CodeCache(const PythonRuntime& runtime, CodeTexts& texts, SourceCalls& sources, SourceRoot root)
      : runtime_(runtime), texts_(texts), sources_(sources), root_(std::move(root)) {}

  // The mark of the code object whose first code_bytes() are at `copy`; nothing: it is none.
  std::optional<CodeFacts::Mark> MarkOf(const std::byte* copy) const;
  // What was read of it before; nullptr: nothing.
  CodeFacts* Find(uint64_t address);
  // Reads the code object there; nullptr: it is none, or damaged.
  CodeFacts* Read(ProcessMemory& memory, uint64_t address);
  void Drop(uint64_t address);
  // Grows whenever something that was read is no longer held for right.
  uint64_t generation() const { return generation_; }

  // A round of samples begins: the marks of some code objects are due to be compared. At first each
  // time; what stood its check again and again is asked ever less, down to once in 16 rounds, and
  // then all that is asked that rarely in the same round, for which one look more serves.
  void BeginRound() { ++round_; }
  uint64_t round() const { return round_; }
  bool IsDue(const CodeFacts& code) const { return round_ >= code.next_check; }
  void NoteChecked(CodeFacts& code) const;
  size_t size() const { return codes_.size(); }

  // The line of the instruction at `instruction` of the code object at `address`; 0: unknown,
  // nothing: it lies in other code.
  std::optional<int32_t> LineAt(CodeFacts& code, uint64_t address, uint64_t instruction) const;
  // The C code that the instruction of an innermost frame calls, as a frame of its own: by its name
  // in the source, of the file "<built-in MODULE>", or "<built-in>" where the module is not known.
  std::optional<FrameFacts> CallAt(CodeFacts& code, uint64_t address, uint64_t instruction);
  // Whether the source says that the instruction calls that function, or makes one of that class.
  bool CallsAt(CodeFacts& code, uint64_t address, uint64_t instruction, const CodeFacts& called);

 private:
  std::optional<uint32_t> UnitOf(const CodeFacts& code, uint64_t address,
                                 uint64_t instruction) const;
  std::optional<std::string> ReadText(ProcessMemory& memory, uint64_t address) const;
  bool ReadLineTable(ProcessMemory& memory, uint64_t address, std::vector<uint8_t>& table) const;

  PythonRuntime runtime_;
  CodeTexts& texts_;
  SourceCalls& sources_;
  SourceRoot root_;
  std::unordered_map<uint64_t, CodeFacts> codes_;
  size_t table_bytes_ = 0;
  uint64_t round_ = 0;
  uint64_t generation_ = 0;
};

}  // namespace steptrace::agent
