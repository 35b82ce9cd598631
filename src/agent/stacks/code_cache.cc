// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/code_cache.h"

#include <algorithm>

#include "agent/stacks/line_table.h"
#include "agent/stacks/memory_copy.h"
#include "base/utf8.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMaxCodes = 8192;
constexpr size_t kMaxTableBytes = size_t{8} << 20;  // of all line tables of a process
constexpr uint64_t kMaxTableOfACode = 1 << 20;      // a generated module of 100,000 lines has 1 MiB
constexpr uint64_t kMaxUnits = uint64_t{1} << 28;
constexpr uint64_t kMaxCharacters = 1024;  // of a name or path; the end of a longer one is dropped
constexpr size_t kMaxLinesKept = 4096;     // of one code object
constexpr uint64_t kUnitBytes = 2;
// What makes an object of a class.
constexpr std::string_view kInit = ".__init__";
// What CPython 3.12 calls the code of such frames.
constexpr std::string_view kShim = "<interpreter trampoline>";

// The state of a text object: bits of its first word (Include/cpython/unicodeobject.h).
struct TextState {
  explicit TextState(uint32_t word)
      : kind(word >> 2 & 7), compact((word >> 5 & 1) != 0), ascii((word >> 6 & 1) != 0) {}
  uint32_t kind;  // bytes of a character: 1, 2 or 4
  bool compact;
  bool ascii;
};

std::string Utf8Of(const std::vector<std::byte>& characters, uint32_t kind) {
  std::string text;
  for (size_t at = 0; at + kind <= characters.size(); at += kind) {
    uint32_t point = 0;
    std::copy_n(characters.data() + at, kind, reinterpret_cast<std::byte*>(&point));
    AppendUtf8(point, text);
  }
  return text;
}

}  // namespace

uint32_t CodeTexts::Intern(const std::string& text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  if (texts_.size() >= kMaxTexts) return kTooMany;
  const auto id = static_cast<uint32_t>(texts_.size());
  texts_.push_back(&ids_.emplace(text, id).first->first);
  return id;
}

std::optional<CodeFacts::Mark> CodeCache::MarkOf(const std::byte* copy) const {
  const PythonLayout& layout = runtime_.layout;
  const CodeFacts::Mark mark = {
      Load<uint64_t>(copy + layout.object.type),     Load<uint64_t>(copy + layout.object.size),
      Load<uint32_t>(copy + layout.code.first_line), Load<uint64_t>(copy + layout.code.filename),
      Load<uint64_t>(copy + layout.code.qualname),   Load<uint64_t>(copy + layout.code.line_table)};
  if (mark[0] != runtime_.code_type || mark[1] > kMaxUnits) return std::nullopt;
  return mark;
}

CodeFacts* CodeCache::Find(uint64_t address) {
  const auto found = codes_.find(address);
  return found == codes_.end() ? nullptr : &found->second;
}

CodeFacts* CodeCache::Read(ProcessMemory& memory, uint64_t address) {
  std::vector<std::byte> head(runtime_.layout.code_bytes());
  const MemoryPiece piece{address, head.data(), head.size()};
  if (memory.Read({&piece, 1}) != ReadOutcome::kOk) return nullptr;
  const auto mark = MarkOf(head.data());
  if (!mark) return nullptr;
  CodeFacts code;
  code.mark = *mark;
  code.units = (*mark)[1];
  code.first_line = static_cast<int32_t>((*mark)[2]);
  const auto file = ReadText(memory, (*mark)[3]);
  const auto function = ReadText(memory, (*mark)[4]);
  if (!file || !function || !ReadLineTable(memory, (*mark)[5], code.line_table)) return nullptr;
  code.file = texts_.Intern(*file);
  code.function = texts_.Intern(*function);
  code.shim = *function == kShim;
  table_bytes_ += code.line_table.size();
  if (codes_.size() >= kMaxCodes || table_bytes_ > kMaxTableBytes) {
    codes_.clear();
    ++generation_;
    table_bytes_ = code.line_table.size();
  }
  return &(codes_[address] = std::move(code));
}

void CodeCache::Drop(uint64_t address) {
  codes_.erase(address);
  ++generation_;
}

void CodeCache::NoteChecked(CodeFacts& code) const {
  constexpr uint32_t kMostRounds = 16;
  const uint64_t rounds = std::min(1 + code.checks++ / kMostRounds, kMostRounds);
  code.next_check = (round_ / rounds + 1) * rounds;
}

std::optional<std::string> CodeCache::ReadText(ProcessMemory& memory, uint64_t address) const {
  const PythonLayout& layout = runtime_.layout;
  std::vector<std::byte> head(layout.text.ascii_data);
  const MemoryPiece piece{address, head.data(), head.size()};
  if (memory.Read({&piece, 1}) != ReadOutcome::kOk) return std::nullopt;
  if (Load<uint64_t>(head.data() + layout.object.type) != runtime_.text_type) return std::nullopt;
  const TextState state(Load<uint32_t>(head.data() + layout.text.state));
  const bool known_kind = state.kind == 1 || state.kind == 2 || state.kind == 4;
  if (!state.compact || !known_kind || (state.ascii && state.kind != 1)) return std::nullopt;
  const uint64_t length = Load<uint64_t>(head.data() + layout.text.length);
  std::vector<std::byte> characters(std::min(length, kMaxCharacters) * state.kind);
  if (characters.empty()) return std::string();
  const uint64_t data = state.ascii ? layout.text.ascii_data : layout.text.compact_data;
  const MemoryPiece rest{address + data, characters.data(), characters.size()};
  if (memory.Read({&rest, 1}) != ReadOutcome::kOk) return std::nullopt;
  return Utf8Of(characters, state.kind);
}

bool CodeCache::ReadLineTable(ProcessMemory& memory, uint64_t address,
                              std::vector<uint8_t>& table) const {
  const PythonLayout& layout = runtime_.layout;
  std::vector<std::byte> head(layout.bytes.data);
  const MemoryPiece piece{address, head.data(), head.size()};
  if (memory.Read({&piece, 1}) != ReadOutcome::kOk) return false;
  if (Load<uint64_t>(head.data() + layout.object.type) != runtime_.bytes_type) return false;
  const uint64_t bytes = Load<uint64_t>(head.data() + layout.bytes.size);
  if (bytes > kMaxTableOfACode) return true;  // names without lines
  table.resize(bytes);
  if (table.empty()) return true;
  const MemoryPiece rest{address + layout.bytes.data, reinterpret_cast<std::byte*>(table.data()),
                         table.size()};
  return memory.Read({&rest, 1}) == ReadOutcome::kOk;
}

// Nothing: not begun, or in other code.
std::optional<uint32_t> CodeCache::UnitOf(const CodeFacts& code, uint64_t address,
                                          uint64_t instruction) const {
  const uint64_t begin = address + runtime_.layout.code.bytecode;
  if (instruction < begin || instruction >= begin + code.units * kUnitBytes) return std::nullopt;
  return static_cast<uint32_t>((instruction - begin) / kUnitBytes);
}

std::optional<int32_t> CodeCache::LineAt(CodeFacts& code, uint64_t address,
                                         uint64_t instruction) const {
  const auto unit = UnitOf(code, address, instruction);
  if (!unit) {
    // A frame that has not begun points before the first unit.
    const uint64_t begin = address + runtime_.layout.code.bytecode;
    if (instruction >= begin || instruction + kUnitBytes < begin) return std::nullopt;
    return RangeOf({}, code.first_line, -1).line;
  }
  if (code.lines.size() >= kMaxLinesKept) code.lines.clear();
  const auto [line, added] = code.lines.try_emplace(*unit, 0);
  if (added) line->second = RangeOf(code.line_table, code.first_line, *unit).line;
  return line->second;
}

std::optional<FrameFacts> CodeCache::CallAt(CodeFacts& code, uint64_t address,
                                            uint64_t instruction) {
  const auto unit = UnitOf(code, address, instruction);
  if (!unit) return std::nullopt;
  if (code.calls.size() >= kMaxLinesKept) code.calls.clear();
  const auto [known, added] = code.calls.try_emplace(*unit);
  if (!added) return known->second;
  const SourceRange range = RangeOf(code.line_table, code.first_line, *unit);
  if (const auto call = sources_.CallAt(root_, texts_.Text(code.file), range)) {
    const std::string file =
        std::string(kBuiltInFile) + (call->module.empty() ? "" : " ") + call->module + ">";
    known->second = FrameFacts{texts_.Intern(call->function), texts_.Intern(file), range.line};
  }
  return known->second;
}

bool CodeCache::CallsAt(CodeFacts& code, uint64_t address, uint64_t instruction,
                        const CodeFacts& called) {
  const auto unit = UnitOf(code, address, instruction);
  if (!unit) return false;
  if (code.called.size() >= kMaxLinesKept) code.called.clear();
  const auto [name, added] = code.called.try_emplace(*unit);
  if (added) {
    const SourceRange range = RangeOf(code.line_table, code.first_line, *unit);
    name->second = sources_.NameCalledAt(root_, texts_.Text(code.file), range);
  }
  if (name->second.empty()) return false;
  std::string_view function = texts_.Text(called.function);
  if (function.ends_with(kInit)) function.remove_suffix(kInit.size());
  return function.substr(function.rfind('.') + 1) == name->second;  // npos + 1 is 0
}

}  // namespace steptrace::agent
