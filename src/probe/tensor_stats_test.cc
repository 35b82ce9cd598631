// SPDX-License-Identifier: Apache-2.0
#include "probe/tensor_stats.h"

#include <fenv.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "probe/tensor_bytes.h"

namespace steptrace::probe {
namespace {

using wire::ElementType;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// As plain as it can be, from the values as numbers.
TensorStats Reference(const std::vector<double>& values) {
  TensorStats stats;
  stats.numel = values.size();
  long double sum = 0, abs_sum = 0, square_sum = 0;
  for (const double value : values) {
    if (std::isnan(value)) {
      ++stats.nan;
    } else if (std::isinf(value)) {
      ++(value > 0 ? stats.positive_inf : stats.negative_inf);
    } else {
      stats.min = std::min(stats.min, value);
      stats.max = std::max(stats.max, value);
      sum += value;
      abs_sum += std::fabs(value);
      square_sum += static_cast<long double>(value) * value;
      if (value == 0) {
        ++stats.zeros;
      } else {
        ++stats.exponents[std::clamp(std::ilogb(value), -40, 23) + 40];
      }
    }
  }
  stats.sum = static_cast<double>(sum);
  stats.abs_sum = static_cast<double>(abs_sum);
  stats.square_sum = static_cast<double>(square_sum);
  return stats;
}

void ExpectSame(const TensorStats& found, const TensorStats& expected) {
  EXPECT_EQ(found.numel, expected.numel);
  EXPECT_EQ(found.nan, expected.nan);
  EXPECT_EQ(found.positive_inf, expected.positive_inf);
  EXPECT_EQ(found.negative_inf, expected.negative_inf);
  EXPECT_EQ(found.zeros, expected.zeros);
  EXPECT_EQ(found.min, expected.min);
  EXPECT_EQ(found.max, expected.max);
  const double tolerance = 1e-12 * expected.abs_sum;
  EXPECT_NEAR(found.sum, expected.sum, tolerance);
  EXPECT_NEAR(found.abs_sum, expected.abs_sum, tolerance);
  EXPECT_NEAR(found.square_sum, expected.square_sum, 1e-12 * expected.square_sum);
  EXPECT_THAT(found.exponents, testing::ElementsAreArray(expected.exponents));
}

TensorView Flat(const void* data, ElementType type, const int64_t& size) {
  static constexpr int64_t kOne = 1;
  return {data, type, 1, &size, &kOne};
}

// By both ways, from an address that is aligned to nothing.
void ExpectMeasured(const void* data, ElementType type, const std::vector<double>& values) {
  const size_t bytes = values.size() * ElementBytes(type);
  std::vector<uint8_t> moved(bytes + 1);
  if (bytes > 0) memcpy(moved.data() + 1, data, bytes);
  const auto size = static_cast<int64_t>(values.size());
  const TensorStats expected = Reference(values);
  for (const auto method : {&Measure, &MeasurePortably}) {
    TensorStats found;
    ASSERT_TRUE(method(Flat(moved.data() + 1, type, size), &found));
    ExpectSame(found, expected);
  }
}

template <class Number>
void ExpectMeasured(ElementType type, const std::vector<Number>& numbers) {
  std::vector<double> values(numbers.size());
  std::transform(numbers.begin(), numbers.end(), values.begin(),
                 [](Number one) { return static_cast<double>(one); });
  ExpectMeasured(numbers.data(), type, values);
}

// Numbers of all sizes, zeros and denormals among them.
template <class Number>
std::vector<Number> Mixed(size_t count) {
  std::mt19937_64 random(count);
  std::vector<Number> numbers(count);
  for (Number& one : numbers) {
    const int exponent = static_cast<int>(random() % 120) - 60;
    const double sign = random() % 2 == 0 ? 1 : -1;
    one = static_cast<Number>(
        sign * std::ldexp(1 + static_cast<double>(random() % 1000) / 1000, exponent));
    if (random() % 17 == 0) one = random() % 2 == 0 ? Number{0} : -Number{0};
    if (random() % 19 == 0) one = std::numeric_limits<Number>::denorm_min() * 3;
  }
  return numbers;
}

constexpr std::array<size_t, 12> kSizes = {0,    1,    2,    7,    63,   1023,
                                           1024, 1025, 2048, 3000, 9999, 300000};

TEST(TensorStats, FloatsOfEverySize) {
  for (const size_t size : kSizes) ExpectMeasured(ElementType::kFloat32, Mixed<float>(size));
}

TEST(TensorStats, DoublesOfEverySize) {
  for (const size_t size : kSizes) ExpectMeasured(ElementType::kFloat64, Mixed<double>(size));
}

TEST(TensorStats, WhatIsNotFiniteIsCountedWhereverItStands) {
  for (const size_t place : {0u, 5u, 1023u, 1024u, 2047u, 2048u, 2050u}) {
    for (const double value : {kNan, -kNan, kInf, -kInf}) {
      std::vector<float> numbers = Mixed<float>(2051);
      numbers[place] = static_cast<float>(value);
      ExpectMeasured(ElementType::kFloat32, numbers);
      std::vector<double> wide = Mixed<double>(2051);
      wide[place] = value;
      ExpectMeasured(ElementType::kFloat64, wide);
    }
  }
}

TEST(TensorStats, AllOfOneKind) {
  for (const double value : {0.0, -0.0, 1.0, -3e-42, 3.4e38, kNan, kInf, -kInf}) {
    ExpectMeasured(ElementType::kFloat32, std::vector<float>(5000, static_cast<float>(value)));
    ExpectMeasured(ElementType::kFloat64, std::vector<double>(5000, value));
  }
}

TEST(TensorStats, CountersOfPairsAreEmptiedBeforeTheyAreFull) {
  ExpectMeasured(ElementType::kFloat32, std::vector<float>(1 << 20, 0.5f));
}

TEST(TensorStats, EveryBFloat16) {
  std::vector<uint16_t> halves(1 << 16);
  std::iota(halves.begin(), halves.end(), uint16_t{0});
  std::vector<double> values;
  for (const uint16_t half : halves) {
    const uint32_t bits = static_cast<uint32_t>(half) << 16;
    float value = 0;
    memcpy(&value, &bits, sizeof value);
    values.push_back(value);
  }
  ExpectMeasured(halves.data(), ElementType::kBfloat16, values);
  // None but finite, in whole blocks.
  const size_t finite = 0x7f80 / 1024 * 1024;
  values.resize(finite);
  ExpectMeasured(halves.data(), ElementType::kBfloat16, values);
}

// IEEE 754, binary16.
double Float16(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const double sign = (half & 0x8000) != 0 ? -1 : 1;
  if (exponent == 31) return mantissa != 0 ? kNan : sign * kInf;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(TensorStats, EveryFloat16) {
  std::vector<uint16_t> halves(1 << 16);
  std::iota(halves.begin(), halves.end(), uint16_t{0});
  std::vector<double> values;
  for (const uint16_t half : halves) values.push_back(Float16(half));
  ExpectMeasured(halves.data(), ElementType::kFloat16, values);
  values.resize(0x7c00);  // denormals, and nothing but finite
  ExpectMeasured(halves.data(), ElementType::kFloat16, values);
}

TEST(TensorStats, EveryByteOfEveryType) {
  std::vector<uint8_t> bytes(1 << 10);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 7);
  for (const ElementType type : {ElementType::kFloat8E4m3fn, ElementType::kFloat8E5m2,
                                 ElementType::kFloat8E4m3fnuz, ElementType::kFloat8E5m2fnuz,
                                 ElementType::kInt8, ElementType::kUint8, ElementType::kBool}) {
    for (const size_t size : {3u, 1024u}) {
      std::vector<double> values;
      for (size_t i = 0; i < size; ++i) values.push_back(ValueOfByte(type, bytes[i]));
      ExpectMeasured(bytes.data(), type, values);
    }
  }
}

// As the formats' papers and torch.finfo have them.
TEST(TensorStats, ValuesOfFloat8) {
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E4m3fn, 0x7e), 448);
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E4m3fn, 0x01), 0x1p-9);
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E4m3fn, 0xb8), -1);
  EXPECT_TRUE(std::isnan(ValueOfByte(ElementType::kFloat8E4m3fn, 0xff)));
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E5m2, 0x7b), 57344);
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E5m2, 0x01), 0x1p-16);
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E5m2, 0xfc), -kInf);
  EXPECT_TRUE(std::isnan(ValueOfByte(ElementType::kFloat8E5m2, 0x7d)));
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E4m3fnuz, 0x7f), 240);
  EXPECT_EQ(ValueOfByte(ElementType::kFloat8E5m2fnuz, 0x7f), 57344);
  EXPECT_TRUE(std::isnan(ValueOfByte(ElementType::kFloat8E5m2fnuz, 0x80)));
}

TEST(TensorStats, Integers) {
  std::vector<int64_t> longs = {0, 1, -1, 1 << 20, int64_t{1} << 52, INT64_MIN, 7};
  std::vector<int32_t> ints = {0, 1, -1, INT32_MAX, INT32_MIN};
  std::vector<int16_t> shorts = {0, 1, -1, INT16_MAX, INT16_MIN};
  for (size_t i = 0; i < 3000; ++i) {
    longs.push_back(static_cast<int64_t>(i) * 12345);
    ints.push_back(static_cast<int32_t>(i) - 1500);
    shorts.push_back(static_cast<int16_t>(i));
  }
  ExpectMeasured(ElementType::kInt64, longs);
  ExpectMeasured(ElementType::kInt32, ints);
  ExpectMeasured(ElementType::kInt16, shorts);
}

// Every element of the view as a number.
std::vector<double> Elements(const std::vector<float>& memory, const std::vector<int64_t>& sizes,
                             const std::vector<int64_t>& strides) {
  std::vector<int64_t> offsets = {0};
  for (size_t dim = 0; dim < sizes.size(); ++dim) {
    std::vector<int64_t> next;
    for (const int64_t offset : offsets) {
      for (int64_t i = 0; i < sizes[dim]; ++i) next.push_back(offset + i * strides[dim]);
    }
    offsets = next;
  }
  std::vector<double> values;
  for (const int64_t offset : offsets) values.push_back(memory[static_cast<size_t>(offset)]);
  return values;
}

TEST(TensorStats, Strided) {
  const std::vector<float> memory = Mixed<float>(40000);
  struct Shape {
    std::vector<int64_t> sizes, strides;
  };
  const std::vector<Shape> shapes = {
      {{}, {}},                                   // a scalar
      {{40, 50}, {1, 40}},                        // transposed: as one range of memory
      {{2, 3, 10, 10}, {300, 1, 30, 3}},          // channels last
      {{100, 30}, {50, 1}},                       // rows of a wider matrix
      {{30, 100}, {1, 50}},                       // and transposed
      {{3000}, {3}},                              // every third
      {{7, 1, 11, 1, 13}, {2000, 5, 150, 9, 2}},  // sizes of 1 have strides of no meaning
      {{4, 1000}, {0, 1}},                        // expanded
      {{5, 0, 3}, {3, 3, 1}},                     // empty
      {{3, 2, 700}, {4000, 1500, 2}},
  };
  for (const Shape& shape : shapes) {
    const TensorStats expected = Reference(Elements(memory, shape.sizes, shape.strides));
    const TensorView view{memory.data(), ElementType::kFloat32,
                          static_cast<int>(shape.sizes.size()), shape.sizes.data(),
                          shape.strides.data()};
    for (const auto method : {&Measure, &MeasurePortably}) {
      TensorStats found;
      ASSERT_TRUE(method(view, &found));
      ExpectSame(found, expected);
    }
  }
}

TEST(TensorStats, RefusesInvalidArguments) {
  const std::array<float, 4> memory{};
  TensorStats stats;
  const std::array<int64_t, 2> huge = {INT64_MAX, 3};
  const std::array<int64_t, 2> negative = {2, -1};
  const std::array<int64_t, 2> strides = {1, 1};
  EXPECT_FALSE(
      Measure({memory.data(), ElementType::kFloat32, 2, huge.data(), strides.data()}, &stats));
  EXPECT_FALSE(
      Measure({memory.data(), ElementType::kFloat32, 2, negative.data(), strides.data()}, &stats));
  EXPECT_FALSE(
      Measure({memory.data(), ElementType::kFloat32, 2, strides.data(), negative.data()}, &stats));
  EXPECT_FALSE(Measure({memory.data(), static_cast<ElementType>(99), 0, nullptr, nullptr}, &stats));
  EXPECT_FALSE(Measure({memory.data(), ElementType::kFloat32, 65, nullptr, nullptr}, &stats));
}

#if defined(__x86_64__)
// torch.set_flush_denormal(True), and a program that wants a signal for each NaN.
TEST(TensorStats, SettingsOfTheThreadChangeNothingAndStay) {
  std::vector<float> numbers(3000, std::numeric_limits<float>::denorm_min());
  numbers[7] = static_cast<float>(kNan);
  numbers[8] = static_cast<float>(kInf);
  std::vector<double> values(numbers.begin(), numbers.end());
  const TensorStats expected = Reference(values);
  const auto size = static_cast<int64_t>(numbers.size());
  const uint32_t before = __builtin_ia32_stmxcsr();
  constexpr uint32_t kFlushAndTrap = 0x8040;  // all of the masks are off too
  __builtin_ia32_ldmxcsr(kFlushAndTrap);
  TensorStats found;
  const bool measured = Measure(Flat(numbers.data(), ElementType::kFloat32, size), &found);
  const uint32_t after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  EXPECT_TRUE(measured);
  EXPECT_EQ(after, kFlushAndTrap);
  ExpectSame(found, expected);
}
#endif

// Whatever is cut into parts sums to the whole.
TEST(TensorStats, PartsMergeToTheWhole) {
  const std::vector<float> numbers = Mixed<float>(5000);
  TensorStats merged;
  for (const auto& [begin, end] : {std::pair{0, 1700}, {1700, 1701}, {1701, 5000}}) {
    const int64_t size = end - begin;
    TensorStats part;
    ASSERT_TRUE(Measure(Flat(numbers.data() + begin, ElementType::kFloat32, size), &part));
    merged.numel += part.numel;
    merged.zeros += part.zeros;
    merged.min = std::min(merged.min, part.min);
    merged.max = std::max(merged.max, part.max);
    merged.sum += part.sum;
    merged.abs_sum += part.abs_sum;
    merged.square_sum += part.square_sum;
    for (int bin = 0; bin < kExponentBins; ++bin) merged.exponents[bin] += part.exponents[bin];
  }
  ExpectSame(merged, Reference({numbers.begin(), numbers.end()}));
}

}  // namespace
}  // namespace steptrace::probe
