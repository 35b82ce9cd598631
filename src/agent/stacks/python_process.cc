// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/python_process.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "agent/system/kept_file.h"
#include "agent/system/kernel_text.h"
#include "base/time.h"
#include "base/unique_fd.h"

namespace steptrace::agent {
namespace {

constexpr const char* kSection = ".PyRuntime";
constexpr const char* kVersionSymbol = "Py_Version";
constexpr const char* kRuntimeSymbol = "_PyRuntime";
constexpr const char* kCodeSymbol = "PyCode_Type";
constexpr const char* kTextSymbol = "PyUnicode_Type";
constexpr const char* kBytesSymbol = "PyBytes_Type";
// A job has few interpreters; who maps a new one again and again gets no more memory for it.
constexpr size_t kMaxFiles = 64;

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool MayHoldPython(std::string_view path, std::string_view program) {
  if (path.empty() || path.front() != '/') return false;
  return path == program || BaseName(path).starts_with("libpython3");
}

bool ParseHex(std::string_view text, uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  return error == std::errc() && end == text.data() + text.size();
}

// begin-end rights offset device inode path
std::optional<MappedFile> ParseMapping(std::string_view line) {
  const std::string_view range = TakeWord(line);
  TakeWord(line);
  const std::string_view offset = TakeWord(line);
  TakeWord(line);
  TakeWord(line);
  const size_t path = line.find('/');
  MappedFile file;
  if (path == line.npos || !ParseHex(range.substr(0, range.find('-')), file.address) ||
      !ParseHex(offset, file.file_offset)) {
    return std::nullopt;
  }
  file.path = line.substr(path);
  return file;
}

ReadFileAt ReaderOf(int fd) {
  return [fd](uint64_t offset, std::span<std::byte> into) {
    if (offset > INT64_MAX) return false;
    size_t done = 0;
    while (done < into.size()) {
      const ssize_t got =
          ::pread(fd, into.data() + done, into.size() - done, static_cast<off_t>(offset + done));
      if (got <= 0) return false;
      done += static_cast<size_t>(got);
    }
    return true;
  };
}

// Of an access to /proc/<pid>, which takes the rights that reading memory takes.
ReadOutcome OutcomeOfFile(int error) {
  return error == EACCES || error == EPERM ? ReadOutcome::kForbidden : ReadOutcome::kGone;
}

ReadOutcome ReadLink(const std::string& path, std::string& target) {
  char text[4096];
  const ssize_t bytes = ::readlink(path.c_str(), text, sizeof text);
  if (bytes < 0) return OutcomeOfFile(errno);
  target.assign(text, static_cast<size_t>(bytes));
  return ReadOutcome::kOk;
}

std::optional<uint64_t> Address(const ElfFacts& facts, const char* symbol) {
  const auto found = facts.addresses.find(symbol);
  return found == facts.addresses.end() ? std::nullopt : std::optional(found->second);
}

struct Symbols {
  uint64_t runtime = 0, code_type = 0, text_type = 0, bytes_type = 0;
  std::optional<uint64_t> version;  // since 3.11
};

// Where the process has them; nothing: the file holds no interpreter.
std::optional<Symbols> SymbolsOf(const ElfFacts& facts, const MappedFile& mapped) {
  const auto bias = facts.BiasOf(mapped.address, mapped.file_offset);
  const auto runtime = facts.section ? facts.section : Address(facts, kRuntimeSymbol);
  const auto code = Address(facts, kCodeSymbol);
  const auto text = Address(facts, kTextSymbol);
  const auto bytes = Address(facts, kBytesSymbol);
  if (!bias || !runtime || !code || !text || !bytes) return std::nullopt;
  Symbols symbols{*runtime + *bias, *code + *bias, *text + *bias, *bytes + *bias, std::nullopt};
  if (const auto version = Address(facts, kVersionSymbol)) symbols.version = *version + *bias;
  return symbols;
}

// _PyRuntime and the version in the memory of the process tell the layout. An outcome that is not
// kOk is the reason for an error without a text.
Result<PythonLayout> ReadLayout(ProcessMemory& memory, const Symbols& symbols,
                                ReadOutcome& outcome) {
  std::array<uint64_t, kDebugOffsetWords> words{};
  outcome = ReadValue(memory, symbols.runtime, words);
  if (outcome != ReadOutcome::kOk) return Error{""};
  if (HaveDebugOffsets(words)) return LayoutFromDebugOffsets(words);
  if (!symbols.version) {
    return Error{"CPython before 3.11: its stacks can be read from outside from 3.11 to 3.14"};
  }
  uint64_t version = 0;
  outcome = ReadValue(memory, *symbols.version, version);
  if (outcome != ReadOutcome::kOk) return Error{""};
  return KnownLayout(static_cast<uint32_t>(version));
}

}  // namespace

NoPython DescribeOutcome(ReadOutcome outcome) {
  switch (outcome) {
    case ReadOutcome::kGone:
      return {"the process has ended", "", true, false};
    case ReadOutcome::kForbidden:
      return {"its memory may not be read",
              "run as the user of the training, with the capability SYS_PTRACE where the process "
              "or a container forbids it",
              false, true};
    case ReadOutcome::kUnsupported:
      return {"process_vm_readv is not allowed here",
              "docker run --cap-add SYS_PTRACE, or a seccomp profile that lets it through", false,
              false};
    default:
      return {"its memory is not laid out as its files say", "", false, true};
  }
}

std::vector<MappedFile> PythonFiles(std::string_view maps, std::string_view program) {
  std::vector<MappedFile> files;
  while (!maps.empty()) {
    const auto mapping = ParseMapping(TakeLine(maps));
    if (!mapping || !MayHoldPython(mapping->path, program)) continue;
    const bool known = std::any_of(files.begin(), files.end(), [&](const MappedFile& file) {
      return file.path == mapping->path;
    });
    if (!known) files.push_back(*mapping);
  }
  // A program that is linked with libpython holds no interpreter itself.
  std::stable_partition(files.begin(), files.end(),
                        [&](const MappedFile& file) { return file.path != program; });
  return files;
}

const Result<ElfFacts>* PythonFinder::FactsOf(int32_t pid, const std::string& path) {
  // As the process sees it: it may live in a container's file system.
  const std::string seen = proc_root_ + "/" + std::to_string(pid) + "/root" + path;
  UniqueFd file(::open(seen.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!file.valid() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return nullptr;
  }
  const FileId id{status.st_dev, status.st_ino, status.st_size,
                  status.st_mtim.tv_sec * kNsPerSecond + status.st_mtim.tv_nsec};
  if (const auto found = files_.find(id); found != files_.end()) return &found->second;
  if (files_.size() >= kMaxFiles) files_.clear();
  const std::vector<std::string> symbols = {kRuntimeSymbol, kVersionSymbol, kCodeSymbol,
                                            kTextSymbol, kBytesSymbol};
  return &files_.emplace(id, ReadElf(ReaderOf(file.get()), kSection, symbols)).first->second;
}

std::optional<PythonRuntime> PythonFinder::Find(int32_t pid, ProcessMemory& memory, NoPython& why) {
  const std::string folder = proc_root_ + "/" + std::to_string(pid);
  KeptFile maps(folder + "/maps", KeptFile::Records::kMany);
  std::string buffer;
  const auto text = maps.ReadOnce(buffer);
  std::string program;
  const ReadOutcome seen = text ? ReadLink(folder + "/exe", program) : OutcomeOfFile(maps.error());
  if (seen != ReadOutcome::kOk) {
    why = DescribeOutcome(seen);
    return std::nullopt;
  }
  why = {"it is not CPython, or exports no symbols", "", false, false};
  for (const MappedFile& mapped : PythonFiles(*text, program)) {
    const Result<ElfFacts>* facts = FactsOf(pid, mapped.path);
    if (facts == nullptr) continue;
    if (!facts->ok()) {
      // Of its symbols nothing is known; that it may hold an interpreter its name told.
      why.reason = std::string(BaseName(mapped.path)) + ": " + facts->error().text();
      continue;
    }
    const auto symbols = SymbolsOf(**facts, mapped);
    if (!symbols) continue;
    ReadOutcome outcome = ReadOutcome::kOk;
    auto layout = ReadLayout(memory, *symbols, outcome);
    if (layout.ok()) {
      return PythonRuntime{.layout = *layout,
                           .runtime = symbols->runtime,
                           .code_type = symbols->code_type,
                           .text_type = symbols->text_type,
                           .bytes_type = symbols->bytes_type};
    }
    why = outcome == ReadOutcome::kOk ? NoPython{layout.error().text(), "", false, false}
                                      : DescribeOutcome(outcome);
    return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace steptrace::agent
