// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

// The probe as a file: what it needs, what it shows, and how old a libc may be.
namespace steptrace::hosts {
namespace {

struct Symbol {
  std::string name;
  bool defined, weak, exported;
};

// The dynamic section of a 64-bit ELF file, read from its section headers.
class Library {
 public:
  explicit Library(const char* path) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    const auto header = At<ElfW(Ehdr)>(0);
    for (int i = 0; i < header.e_shnum; ++i) {
      const auto section = At<ElfW(Shdr)>(header.e_shoff + sizeof(ElfW(Shdr)) * i);
      if (section.sh_type == SHT_DYNSYM) ReadSymbols(section, Section(section.sh_link));
      if (section.sh_type == SHT_DYNAMIC) ReadNeeded(section, Section(section.sh_link));
      if (section.sh_type == SHT_GNU_verneed) ReadVersions(section, Section(section.sh_link));
    }
  }
  std::vector<Symbol> symbols;
  std::vector<std::string> needed;
  std::set<std::string> versions;

 private:
  template <class T>
  T At(size_t offset) const {
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof value);
    return value;
  }
  ElfW(Shdr) Section(uint32_t index) const {
    return At<ElfW(Shdr)>(At<ElfW(Ehdr)>(0).e_shoff + sizeof(ElfW(Shdr)) * index);
  }
  std::string Text(const ElfW(Shdr) & strings, size_t offset) const {
    return bytes_.data() + strings.sh_offset + offset;
  }
  void ReadSymbols(const ElfW(Shdr) & section, const ElfW(Shdr) & strings) {
    for (size_t at = sizeof(ElfW(Sym)); at < section.sh_size; at += sizeof(ElfW(Sym))) {
      const auto symbol = At<ElfW(Sym)>(section.sh_offset + at);
      const bool defined = symbol.st_shndx != SHN_UNDEF;
      const bool weak = ELF64_ST_BIND(symbol.st_info) == STB_WEAK;
      symbols.push_back({Text(strings, symbol.st_name), defined, weak, defined});
    }
  }
  void ReadNeeded(const ElfW(Shdr) & section, const ElfW(Shdr) & strings) {
    for (size_t at = 0; at < section.sh_size; at += sizeof(ElfW(Dyn))) {
      const auto entry = At<ElfW(Dyn)>(section.sh_offset + at);
      if (entry.d_tag == DT_NEEDED) needed.push_back(Text(strings, entry.d_un.d_val));
    }
  }
  void ReadVersions(const ElfW(Shdr) & section, const ElfW(Shdr) & strings) {
    size_t at = section.sh_offset;
    for (uint32_t file = 0; file < section.sh_info; ++file) {
      const auto need = At<ElfW(Verneed)>(at);
      size_t aux_at = at + need.vn_aux;
      for (int i = 0; i < need.vn_cnt; ++i) {
        const auto aux = At<ElfW(Vernaux)>(aux_at);
        versions.insert(Text(strings, aux.vna_name));
        aux_at += aux.vna_next;
      }
      at += need.vn_next;
    }
  }

  std::vector<char> bytes_;
};

TEST(LibraryTest, NeedsLibcAlone) {
  EXPECT_THAT(Library(STEPTRACE_PROBE_FILE).needed, ::testing::ElementsAre("libc.so.6"));
}

TEST(LibraryTest, ExportsTheReviewedListAlone) {
  std::set<std::string> exported;
  for (const Symbol& symbol : Library(STEPTRACE_PROBE_FILE).symbols) {
    if (symbol.exported) exported.insert(symbol.name);
  }
  EXPECT_THAT(exported,
              ::testing::ElementsAre("InitializeInjectionNvtx2", "InitializeInjectionNvtxExtension",
                                     "PyInit__probe", "__itt_api_init", "ncclProfiler_v1",
                                     "ncclProfiler_v2", "ncclProfiler_v3", "ncclProfiler_v4",
                                     "ncclProfiler_v5", "ncclProfiler_v6", "steptrace_probe_v1"));
}

TEST(LibraryTest, PythonIsAWeakReferenceThroughout) {
  int python = 0;
  for (const Symbol& symbol : Library(STEPTRACE_PROBE_FILE).symbols) {
    if (symbol.defined || !(symbol.name.starts_with("Py") || symbol.name.starts_with("_Py")))
      continue;
    EXPECT_TRUE(symbol.weak) << symbol.name << ": add it to src/probe/python_api.h";
    ++python;
  }
  EXPECT_GT(python, 10);
}

TEST(LibraryTest, LoadsWithAnOldLibc) {
  for (const std::string& version : Library(STEPTRACE_PROBE_FILE).versions) {
    int major = 0, minor = 0;
    ASSERT_GE(std::sscanf(version.c_str(), "GLIBC_%d.%d", &major, &minor), 2) << version;
    EXPECT_TRUE(major == 2 && minor <= 17) << version << " is newer than manylinux2014";
  }
}

TEST(LibraryTest, StaysWhenItIsClosed) {
  void* library = dlopen(STEPTRACE_PROBE_FILE, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  void* table = dlsym(library, "steptrace_probe_v1");
  ASSERT_NE(table, nullptr);
  dlclose(library);
  Dl_info info;
  EXPECT_NE(dladdr(table, &info), 0);
}

}  // namespace
}  // namespace steptrace::hosts
