// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/elf_symbols.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <random>

#include "testing/python_child.h"

namespace steptrace::agent {
namespace {

using Bytes = std::vector<char>;

ReadFileAt ReaderOf(const Bytes& bytes) {
  return [&bytes](uint64_t offset, std::span<std::byte> into) {
    if (offset > bytes.size() || into.size() > bytes.size() - offset) return false;
    std::memcpy(into.data(), bytes.data() + offset, into.size());
    return true;
  };
}

const std::vector<std::string> kWanted = {"_PyRuntime", "Py_Version", "not_there"};

class ElfSymbolsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto pythons = steptrace::testing::Pythons(11);
    if (pythons.empty()) GTEST_SKIP() << "no Python 3.11 here";
    std::ifstream in(pythons.front(), std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
  }
  Bytes bytes_;
};

TEST_F(ElfSymbolsTest, FindsTheSectionAndTheExports) {
  const auto facts = ReadElf(ReaderOf(bytes_), ".PyRuntime", kWanted);
  ASSERT_TRUE(facts.ok()) << facts.error().text();
  ASSERT_EQ(facts->addresses.size(), 2u);
  EXPECT_EQ(facts->section, facts->addresses.at("_PyRuntime"));
  ASSERT_FALSE(facts->segments.empty());
  const ElfFacts::Segment& first = facts->segments.front();
  EXPECT_EQ(facts->BiasOf(0x7f0000000000 + first.address, first.file_offset), 0x7f0000000000u);
  EXPECT_FALSE(facts->BiasOf(0x7f0000000000, uint64_t{1} << 60).has_value());
}

TEST_F(ElfSymbolsTest, DamagedFilesAreErrorsOrLess) {
  std::mt19937_64 random(1);
  const Bytes whole = bytes_;
  // Where the tables stand: the head of the file, and the section headers at its end.
  for (int round = 0; round < 200; ++round) {
    for (int damage = 0; damage < 8; ++damage) {
      const size_t from_end = random() % 2 == 0 ? 0 : whole.size() - 2048;
      bytes_[from_end + random() % 2048] = static_cast<char>(random());
    }
    (void)ReadElf(ReaderOf(bytes_), ".PyRuntime", kWanted).ok();
    std::copy_n(whole.begin(), 2048, bytes_.begin());
    std::copy(whole.end() - 2048, whole.end(), bytes_.end() - 2048);
  }
  bytes_ = whole;
  for (size_t kept : {size_t{0}, size_t{10}, size_t{64}, size_t{4096}, whole.size() / 2}) {
    bytes_.resize(kept);
    EXPECT_FALSE(ReadElf(ReaderOf(bytes_), ".PyRuntime", kWanted).ok()) << kept;
    bytes_ = whole;
  }
}

}  // namespace
}  // namespace steptrace::agent
