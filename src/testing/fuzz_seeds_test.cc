// SPDX-License-Identifier: Apache-2.0
// A fuzz target as a unit test: its seeds, and a fixed number of damaged ones, through the same
// function that libFuzzer calls. It finds less than libFuzzer, but with every change, and a target
// that does not build is seen. The targets abort on what must not be.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "testing/soak.h"

extern const char* const fuzz_seeds;  // their folder: of each target its own
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);
// Of targets that have damage of their own.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed)
    __attribute__((weak));
// Of targets that take long: of their inputs one of so many, but in `make soak`.
extern "C" const int fuzz_one_of __attribute__((weak));

namespace {

constexpr int kCuts = 48;
constexpr int kDamagedOfEach = 400;
constexpr int kOfAnyBytes = 400;
constexpr size_t kMostAnyBytes = 600;

using std::string_view_literals::operator""sv;
// What readers of text and numbers trip over.
constexpr std::string_view kPieces[] = {"{"sv,
                                        "}"sv,
                                        "["sv,
                                        "]"sv,
                                        "\""sv,
                                        ","sv,
                                        ":"sv,
                                        "\\"sv,
                                        "\n"sv,
                                        "\0"sv,
                                        "\xff\xfe"sv,
                                        "\xff\xff\xff\xff\xff\xff\xff\xff"sv,
                                        "-"sv,
                                        "\\ud800"sv,
                                        "1e999"sv,
                                        "NaN"sv,
                                        "0.0000001"sv,
                                        "9223372036854775807"sv,
                                        "-1"sv,
                                        "\x80"sv,
                                        "null"sv,
                                        "\x01"sv,
                                        "18446744073709551616"sv};

int Stride() {
  return steptrace::InSoakElse(1, &fuzz_one_of == nullptr ? 1 : fuzz_one_of);
}

void Take(const std::string& bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
}

struct Seed {
  std::string name;
  std::string bytes;
};

// By name: a folder is listed in any order.
std::vector<Seed> Seeds() {
  std::vector<Seed> seeds;
  std::error_code none;
  for (const auto& file : std::filesystem::directory_iterator(fuzz_seeds, none)) {
    std::ifstream stream(file.path(), std::ios::binary);
    seeds.push_back(
        {file.path().filename().string(), {std::istreambuf_iterator<char>(stream), {}}});
  }
  std::sort(seeds.begin(), seeds.end(),
            [](const Seed& a, const Seed& b) { return a.name < b.name; });
  return seeds;
}

// The same for the same name, on every machine.
class Damage {
 public:
  explicit Damage(std::string_view name) {
    std::seed_seq by_name(name.begin(), name.end());
    random_.seed(by_name);
  }

  std::string AnyBytes() {
    std::string bytes(Below(kMostAnyBytes), '\0');
    for (char& byte : bytes) byte = AnyByte();
    return bytes;
  }

  std::string Of(std::string bytes) {
    for (size_t changes = 1 + Below(4); changes > 0 && !bytes.empty(); --changes) {
      const size_t at = Below(bytes.size());
      const size_t length = 1 + Below(std::min<size_t>(bytes.size() - at, 64));
      switch (Below(5)) {
        case 0:
          bytes[at] = AnyByte();
          break;
        case 1:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << Below(8)));
          break;
        case 2:
          bytes.erase(at, length);
          break;
        case 3:
          bytes.insert(Below(bytes.size()), bytes.substr(at, length));
          break;
        default:
          bytes.replace(at, Below(2) * length, kPieces[Below(std::size(kPieces))]);
      }
    }
    return bytes;
  }

 private:
  // Not by std::uniform_int_distribution, whose answers differ from library to library.
  size_t Below(size_t end) { return random_() % end; }
  char AnyByte() { return static_cast<char>(random_()); }

  std::mt19937 random_;
};

TEST(FuzzTarget, TakesItsSeedsWholeAndCutOff) {
  Take("");
  EXPECT_FALSE(Seeds().empty()) << "in " << fuzz_seeds;
  for (const auto& [name, bytes] : Seeds()) {
    Take(bytes);
    for (int i = 1; i < kCuts; i += Stride()) {
      Take(bytes.substr(0, bytes.size() * static_cast<size_t>(i) / kCuts));
    }
  }
}

TEST(FuzzTarget, TakesDamagedSeeds) {
  for (const auto& [name, bytes] : Seeds()) {
    Damage damage(name);  // its own: another seed beside it changes nothing for it
    for (int i = 0; i < kDamagedOfEach; i += Stride()) Take(damage.Of(bytes));
  }
}

TEST(FuzzTarget, TakesItsOwnDamage) {
  if (LLVMFuzzerCustomMutator == nullptr) GTEST_SKIP() << "it has none";
  constexpr size_t kMostGrowth = 1 << 20;
  for (const auto& [name, bytes] : Seeds()) {
    for (int i = 0; i < kDamagedOfEach; i += Stride()) {
      std::string damaged = bytes;
      damaged.resize(bytes.size() + kMostGrowth);
      damaged.resize(LLVMFuzzerCustomMutator(reinterpret_cast<uint8_t*>(damaged.data()),
                                             bytes.size(), damaged.size(),
                                             static_cast<unsigned>(i)));
      Take(damaged);
    }
  }
}

TEST(FuzzTarget, TakesAnyBytes) {
  Damage damage("any bytes");
  for (int i = 0; i < kOfAnyBytes; i += Stride()) Take(damage.AnyBytes());
}

}  // namespace
