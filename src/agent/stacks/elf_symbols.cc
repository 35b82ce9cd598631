// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/elf_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "agent/stacks/sizes.h"

namespace steptrace::agent {
namespace {

// Python with everything linked in has some 30 segments and sections and 10,000 symbols.
constexpr size_t kMaxHeaders = 1024;
constexpr uint64_t kMaxSymbolBytes = uint64_t{64} << 20;
constexpr uint64_t kMaxTextBytes = uint64_t{64} << 20;

template <class Entry>
bool ReadTable(const ReadFileAt& file, uint64_t offset, size_t count, std::vector<Entry>& table) {
  table.resize(count);
  return count == 0 || file(offset, std::as_writable_bytes(std::span(table)));
}

struct Sections {
  std::vector<Elf64_Shdr> headers;
  std::string names;

  std::string_view NameOf(const Elf64_Shdr& header) const {
    if (header.sh_name >= names.size()) return {};
    return std::string_view(names.c_str() + header.sh_name);
  }
};

bool ReadText(const ReadFileAt& file, const Elf64_Shdr& section, std::string& text) {
  if (section.sh_size > kMaxTextBytes) return false;
  text.resize(section.sh_size);
  return file(section.sh_offset, std::as_writable_bytes(std::span(text)));
}

bool ReadSections(const ReadFileAt& file, const Elf64_Ehdr& head, Sections& sections) {
  if (head.e_shnum > kMaxHeaders || head.e_shentsize != sizeof(Elf64_Shdr)) return false;
  if (!ReadTable(file, head.e_shoff, head.e_shnum, sections.headers)) return false;
  if (head.e_shstrndx >= sections.headers.size()) return false;
  return ReadText(file, sections.headers[head.e_shstrndx], sections.names);
}

bool ReadSegments(const ReadFileAt& file, const Elf64_Ehdr& head, ElfFacts& facts) {
  if (head.e_phnum > kMaxHeaders || head.e_phentsize != sizeof(Elf64_Phdr)) return false;
  std::vector<Elf64_Phdr> headers;
  if (!ReadTable(file, head.e_phoff, head.e_phnum, headers)) return false;
  for (const Elf64_Phdr& header : headers) {
    if (header.p_type != PT_LOAD) continue;
    facts.segments.push_back({header.p_offset, header.p_vaddr, header.p_filesz});
  }
  return true;
}

// The exported symbols, until all that are wanted are found.
bool FindSymbols(const ReadFileAt& file, const Sections& sections,
                 const std::vector<std::string>& wanted, ElfFacts& facts) {
  const auto table = std::find_if(sections.headers.begin(), sections.headers.end(),
                                  [](const auto& one) { return one.sh_type == SHT_DYNSYM; });
  if (table == sections.headers.end()) return true;
  if (table->sh_link >= sections.headers.size() || table->sh_size > kMaxSymbolBytes) return false;
  std::string names;
  std::vector<Elf64_Sym> symbols;
  if (!ReadText(file, sections.headers[table->sh_link], names) ||
      !ReadTable(file, table->sh_offset, table->sh_size / sizeof(Elf64_Sym), symbols)) {
    return false;
  }
  for (const Elf64_Sym& symbol : symbols) {
    if (symbol.st_shndx == SHN_UNDEF || symbol.st_name >= names.size()) continue;
    const char* name = names.c_str() + symbol.st_name;
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
      facts.addresses[name] = symbol.st_value;
    }
  }
  return true;
}

bool IsElf64(const Elf64_Ehdr& head) {
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == ELFDATA2LSB;
}

}  // namespace

std::optional<uint64_t> ElfFacts::BiasOf(uint64_t mapped_at, uint64_t file_offset) const {
  for (const Segment& segment : segments) {
    const uint64_t begin = segment.file_offset & ~(kPageBytes - 1);
    if (file_offset < begin || file_offset >= segment.file_offset + segment.bytes) continue;
    const uint64_t address = segment.address - segment.file_offset + file_offset;
    return mapped_at - address;
  }
  return std::nullopt;
}

Result<ElfFacts> ReadElf(const ReadFileAt& file, const std::string& section,
                         const std::vector<std::string>& symbols) {
  Elf64_Ehdr head{};
  if (!file(0, std::as_writable_bytes(std::span(&head, 1))) || !IsElf64(head)) {
    return Error{"not a 64-bit ELF file"};
  }
  ElfFacts facts;
  Sections sections;
  if (!ReadSegments(file, head, facts) || !ReadSections(file, head, sections) ||
      !FindSymbols(file, sections, symbols, facts)) {
    return Error{"its ELF tables cannot be read"};
  }
  for (const Elf64_Shdr& header : sections.headers) {
    if (sections.NameOf(header) == section) facts.section = header.sh_addr;
  }
  return facts;
}

}  // namespace steptrace::agent
